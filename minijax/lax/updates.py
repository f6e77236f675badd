"""The little programs that scatters hold: how an old and a new element are combined.

Source: spec/primitives.md §7.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.errors import NotSupportedError
from ..base.util import memoize, memoize_weakly
from ..core import DebugInfo, Jaxpr, ShapedArray, Tracer, stage
from .arithmetic import add, mul, sub
from .elementwise import max, min

_COMBINATIONS: dict[str, Callable[..., Any]] = {
    "add": add,
    "sub": sub,
    "mul": mul,
    "min": min,
    "max": max,
}


@memoize()
def update_program(combination: str, dtype: Any) -> Jaxpr:
    """T[], T[] -> T[] as a jaxpr, one object per combination and dtype."""
    return _staged(_COMBINATIONS[combination], dtype)


@memoize_weakly(maxsize=256)
def applied_program(function: Callable[[Any], Any], dtype: Any) -> Jaxpr:
    """T[], T[] -> T[] as a jaxpr: `function` of the old element.

    Raises:
      NotImplementedError: the function uses a traced value of its surroundings.
    """
    jaxpr = _staged(lambda old, new: function(old), dtype)
    if any(isinstance(const, Tracer) for const in jaxpr.consts):
        raise NotSupportedError(
            "The function that a scatter applies takes the old element and no more.",
            "Found one that uses a traced value of its surroundings.",
            "Gather, compute, and scatter the result.",
        )
    return jaxpr


def _staged(function: Callable[..., Any], dtype: Any) -> Jaxpr:
    scalar = ShapedArray((), dtype)
    info = DebugInfo("scatter", "update", ("old", "new"), None)
    return stage(lambda *xs: [function(*xs)], [scalar, scalar], debug_info=info)
