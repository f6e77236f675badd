"""pad: a border of one value, and gaps of it between the elements.

A file of its own because its rules compute (a mask, a sum), which the primitives of
`shapes.py` do not.

Source: spec/primitives.md §5, spec/ad.md §4.2, spec/batching.md §3.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import lowering
from ..base.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    DTypeMismatchError,
)
from ..base.util import tuple_insert
from ..core import Primitive, ShapedArray, select_n_p, typeof
from ..interpreters import ad, batching
from ..runtime import Array
from .arithmetic import sub
from .define import define
from .result_types import joint_type, plain_ints
from .shapes import ArrayLike, broadcast_in_dim, reduced
from .slicing import slice as slice_

pad_p = Primitive("pad")
