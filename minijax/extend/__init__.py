"""For libraries that extend minijax: its types and tables, under JAX's names.

Not imported by `import minijax`.
"""

from ..base.util import lazy_modules as _lazy_modules
from . import core, linear_util, source_info_util

# Loaded on first use: most who extend minijax make no generators.
__getattr__ = _lazy_modules(__name__, ("random",))

__all__ = ["core", "linear_util", "source_info_util"]
