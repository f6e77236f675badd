"""optimization_barrier: an identity that the compiler may not see through.

Source: spec/primitives.md §5, spec/ad.md §4.2.
"""

from __future__ import annotations

from typing import Any

from ..core import Primitive, ShapedArray
from ..interpreters import ad
from ..tree import flatten, unflatten
from .definition import define

__all__ = [
    "optimization_barrier",
    "optimization_barrier_p",
]

optimization_barrier_p = Primitive("optimization_barrier", multiple_results=True)


def optimization_barrier(operand: Any, /) -> Any:
    """The same pytree, computed as a whole before anything that uses it.

    The compiler moves no computation across it and merges none over it.

    >>> import minijax as mj, numpy as np
    >>> mj.lax.optimization_barrier({"a": np.arange(2)})
    {'a': Array([0, 1], dtype=int32)}
    """
    leaves, structure = flatten(operand)
    return unflatten(structure, optimization_barrier_p.bind(*leaves))


def _barrier_type(*operands: ShapedArray) -> list[ShapedArray]:
    return list(operands)


def _through(values: Any) -> list[Any]:
    """A barrier over the values that are not zero."""
    nonzero = [value for value in values if type(value) is not ad.Zero]
    held = iter(optimization_barrier_p.bind(*nonzero) if nonzero else ())
    return [value if type(value) is ad.Zero else next(held) for value in values]


def _barrier_jvp(primals: Any, tangents: Any) -> tuple[list[Any], list[Any]]:
    # Tangents get a barrier of their own: tying them to the primals would make the
    # tangent map read values that it does not need.
    return optimization_barrier_p.bind(*primals), _through(tangents)


def _barrier_transpose(y_bars: Any, *operands: Any) -> list[Any]:
    return _through(y_bars)


def _barrier_lower(ctx: Any, *operands: Any) -> list[Any]:
    if not operands:
        return []
    out = ctx.op("stablehlo.optimization_barrier", operands, list(ctx.avals_out))
    return list(out) if isinstance(out, tuple | list) else [out]


define(
    optimization_barrier_p,
    abstract_eval=_barrier_type,
    jvp=_barrier_jvp,
    transpose=_barrier_transpose,
    batch=lambda operands, axes: (optimization_barrier_p.bind(*operands), list(axes)),
    lower=_barrier_lower,
)
