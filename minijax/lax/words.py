"""Arrays of keys as what they are stored in, for primitives that move elements about.

A key array k[*s] is stored as u32[*s, n]. A primitive that only arranges, takes or puts
elements does the same to their words: an axis more, which it must leave alone. That is
what its batch rule does with a mapped axis, so on keys the lowering rule is the batch
rule over the last axis, traced and inlined.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import lowering
from ..base import dtypes
from ..core import Jaxpr, Primitive, stage
from ..interpreters import batching

LowerRule = Callable[..., Sequence[Any]]


def over_words(rule: LowerRule) -> LowerRule:
    """The lowering rule that serves arrays of keys as well as arrays of numbers."""

    def lower(ctx: Any, *values: Any, **params: Any) -> Sequence[Any]:
        avals = ctx.avals_in
        if not any(dtypes.is_extended(aval.dtype) for aval in avals):
            return rule(ctx, *values, **params)
        primitive = ctx.eqn.primitive

        def trace(avals: Sequence[Any], params: dict[str, Any]) -> Jaxpr:
            return _program_of_words(primitive, avals, params)

        return ctx.inline(
            ctx.module.traced(primitive, trace, avals, params), values, made_here=True
        )

    return lower


def _program_of_words(
    primitive: Primitive, avals: Sequence[Any], params: dict[str, Any]
) -> Jaxpr:
    """The program on words that does what the primitive does on keys."""
    words = [lowering.physical_aval(aval) for aval in avals]
    axes = tuple(
        aval.ndim if dtypes.is_extended(aval.dtype) else None for aval in avals
    )
    rule = batching.batch_rules[primitive]

    def program(*xs: Any) -> list[Any]:
        head: tuple[Any, ...] = ()
        if isinstance(rule, batching.WithAxis):
            size = batching.size_of(xs, axes)
            head = (batching.BatchAxis(batching.UNNAMED, size),)
        outs, out_axes = rule(*head, xs, axes, **params)
        if not primitive.multiple_results:
            outs, out_axes = [outs], [out_axes]
        return [
            batching.moveaxis(out, axis, -1)
            for out, axis in zip(outs, out_axes, strict=True)
        ]

    return stage(program, words)
