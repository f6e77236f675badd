"""Numbers with names, and numbers on the device.

Source: spec/numpy.md §18, spec/jaxlib.md §5.5.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import flags
from ..base.util import register_cache
from ..runtime import default_placement, put

pi = np.pi
e = np.e
euler_gamma = np.euler_gamma
inf = np.inf
nan = np.nan
newaxis = None

# Moving a Python number to the device costs more than adding it to an array. Programs
# use few different numbers, so those that were moved are kept.
_scalars: dict[Any, Any] = {}
_MOST = 4096
register_cache("numpy scalars", _scalars.clear)


def device_scalar(value: Any) -> Any:
    """A Python scalar as an array without axes, weakly typed unless it is a bool.

    Raises:
      OverflowError: an int that the default integer cannot hold.
    """
    # 0.0 and -0.0, which are equal, have different texts; so do complex zeros.
    kind = value.__class__
    shown = value if value and kind is not complex else str(value)
    # An array keeps its placement, so the number of a placement names one only.
    key = (kind, shown, flags.enable_x64.value, id(default_placement()))
    found = _scalars.get(key)
    if found is None:
        if len(_scalars) >= _MOST:
            _scalars.clear()
        found = _scalars[key] = put(value)
    return found
