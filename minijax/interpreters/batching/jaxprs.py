"""Batching a jaxpr: the program that runs all examples at once, as a jaxpr again.

For primitives that hold programs: `jit`, loops, branches, custom rules. The program is
replayed under a batch trace inside a staging trace, so the rules of functions serve.
The answer is kept as long as the program lives.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...base import util
from ...core import Jaxpr, binding_axes, current, eval_jaxpr, stage
from .axes import Axis, BatchAxis, Destination, match
from .traces import BatchTrace


def batch_jaxpr(
    jaxpr: Jaxpr,
    axis: BatchAxis,
    in_axes: Sequence[Axis],
    out_axes: Sequence[Destination] | None = None,
) -> tuple[Jaxpr, tuple[Axis, ...]]:
    """The batched program, and where each of its results has the axis.

    in_axes: for each input the position of the axis, or None. out_axes: for each result
    where it must be: a number (repeated if need be), None to leave it as it comes, or
    `zero_if_mapped`. Constants stay attached.
    """
    destinations = None if out_axes is None else tuple(out_axes)
    return _batch_jaxpr(jaxpr, axis, tuple(in_axes), destinations)


@util.memoize_weakly(maxsize=4096)
def _batch_jaxpr(
    jaxpr: Jaxpr,
    axis: BatchAxis,
    in_axes: tuple[Axis, ...],
    destinations: tuple[Destination, ...] | None,
) -> tuple[Jaxpr, tuple[Axis, ...]]:
    found: list[Axis] = []

    def batched(*args: Any) -> list[Any]:
        trace = BatchTrace(current.value, axis)
        outs = _replay(trace, jaxpr, args, in_axes)
        dsts = (None,) * len(outs) if destinations is None else destinations
        placed = [
            match(axis, *trace.split(x), dst) for x, dst in zip(outs, dsts, strict=True)
        ]
        trace.alive = False
        found.extend(position for _, position in placed)
        return [x for x, _ in placed]

    avals = [
        aval if position is None else _with_axis(aval, position, axis.size)
        for aval, position in zip(jaxpr.in_avals, in_axes, strict=True)
    ]
    result = stage(batched, avals, debug_info=jaxpr.debug_info)
    return result, tuple(found)


def _replay(
    trace: BatchTrace, jaxpr: Jaxpr, args: Sequence[Any], in_axes: Sequence[Axis]
) -> list[Any]:
    axis = trace.axis
    names = [(axis.name, axis.size)] if axis.is_named else []
    tracers = [trace.join(x, one) for x, one in zip(args, in_axes, strict=True)]
    previous = current.swap_local(trace)
    try:
        with binding_axes(names):
            return eval_jaxpr(jaxpr, jaxpr.consts, *tracers)
    finally:
        current.set_local(previous)


def _with_axis(aval: Any, position: int, size: int) -> Any:
    shape = aval.shape
    return aval.update(shape=(*shape[:position], size, *shape[position:]))
