"""Wrapped functions and the transformations stacked on them."""

from ..base.errors import StoreException as StoreException
from ..core.linear_util import WrappedFun as WrappedFun
from ..core.linear_util import cache as cache
from ..core.linear_util import merge_linear_aux as merge_linear_aux
from ..core.linear_util import transformation as transformation
from ..core.linear_util import transformation2 as transformation2
from ..core.linear_util import transformation_with_aux as transformation_with_aux
from ..core.linear_util import transformation_with_aux2 as transformation_with_aux2
from ..core.linear_util import wrap_init as wrap_init

__all__ = [
    "StoreException",
    "WrappedFun",
    "cache",
    "merge_linear_aux",
    "transformation",
    "transformation2",
    "transformation_with_aux",
    "transformation_with_aux2",
    "wrap_init",
]
