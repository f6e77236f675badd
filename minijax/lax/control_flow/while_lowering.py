"""While as StableHLO.

The state of the loop is: tokens, constants of the predicate, constants of the body, the
carry. If the predicate has effects that must be in order, it cannot stand in the region
for predicates: it is evaluated before the loop and at the end of each step, and its
value is part of the state.

A mapped predicate has one value per example. The loop goes on while any holds; in a
step, examples that are done keep their carry.

Source: spec/control_flow.md §2.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import lowering
from ...base.util import split_list
from ...core import Jaxpr, ShapedArray, token_aval

PREDICATE = ShapedArray((), "bool")


def lower_while(
    ctx: Any,
    *values: Any,
    cond_jaxpr: Jaxpr,
    body_jaxpr: Jaxpr,
    cond_nconsts: int,
    body_nconsts: int,
) -> list[Any]:
    """The lowering rule."""
    effects = lowering.ordered_effects(body_jaxpr.effects | cond_jaxpr.effects)
    tokens = [ctx.token(effect) for effect in effects]
    consts = cond_nconsts, body_nconsts
    if lowering.ordered_effects(cond_jaxpr.effects):
        outs = _lower_carrying_predicate(
            ctx, (cond_jaxpr, body_jaxpr), effects, tokens, values, consts
        )
    else:
        outs = _lower(ctx, (cond_jaxpr, body_jaxpr), effects, tokens, values, consts)
    for effect, token in zip(effects, outs):
        ctx.set_token(effect, token)
    return outs[len(effects) + cond_nconsts + body_nconsts :]


def _lower(
    ctx: Any, programs: Any, effects: Any, tokens: Any, values: Any, consts: Any
) -> list[Any]:
    cond, body = programs
    sizes = [len(effects), *consts]

    def going(inner: Any, *state: Any) -> list[Any]:
        _, cond_consts, _, carry = split_list(state, sizes)
        (predicate,) = inner.inline(cond, [*cond_consts, *carry], "while/cond")
        return [_any(inner, predicate, cond.out_avals[0])]

    def step(inner: Any, *state: Any) -> list[Any]:
        tokens, cond_consts, body_consts, carry = split_list(state, sizes)
        outs = inner.inline_with_tokens(
            body, effects, tokens, [*body_consts, *carry], "while/body"
        )
        tokens, new = split_list(outs, [len(effects)])
        if cond.out_avals[0].shape:
            (predicate,) = inner.inline(cond, [*cond_consts, *carry], "while/body_pred")
            new = _kept_where_done(
                inner, predicate, cond.out_avals[0], body, carry, new
            )
        return [*tokens, *cond_consts, *body_consts, *new]

    avals = [*[token_aval] * len(effects), *ctx.avals_in]
    return list(
        ctx.op_with_regions(
            "stablehlo.while",
            [*tokens, *values],
            avals,
            {},
            [(avals, going), (avals, step)],
        )
    )


def _lower_carrying_predicate(
    ctx: Any, programs: Any, effects: Any, tokens: Any, values: Any, consts: Any
) -> list[Any]:
    cond, body = programs
    aval = cond.out_avals[0]
    sizes = [len(effects), 1, *consts]

    def evaluate(inner: Any, tokens: Any, cond_consts: Any, carry: Any) -> list[Any]:
        return inner.inline_with_tokens(
            cond, effects, tokens, [*cond_consts, *carry], "while/cond"
        )

    def going(inner: Any, *state: Any) -> list[Any]:
        return [_any(inner, state[len(effects)], aval)]

    def step(inner: Any, *state: Any) -> list[Any]:
        tokens, (predicate,), cond_consts, body_consts, carry = split_list(state, sizes)
        outs = inner.inline_with_tokens(
            body, effects, tokens, [*body_consts, *carry], "while/body"
        )
        tokens, new = split_list(outs, [len(effects)])
        if aval.shape:
            new = _kept_where_done(inner, predicate, aval, body, carry, new)
        return [
            *evaluate(inner, tokens, cond_consts, new),
            *cond_consts,
            *body_consts,
            *new,
        ]

    cond_consts, _, carry = split_list(values, consts)
    start = [*evaluate(ctx, tokens, cond_consts, carry), *values]
    avals = [*[token_aval] * len(effects), aval, *ctx.avals_in]
    outs = list(
        ctx.op_with_regions(
            "stablehlo.while", start, avals, {}, [(avals, going), (avals, step)]
        )
    )
    del outs[len(effects)]
    return outs


def _any(ctx: Any, predicate: Any, aval: Any) -> Any:
    """Whether the predicate holds for any example."""
    if not aval.shape:
        return predicate

    def either(inner: Any, x: Any, y: Any) -> Sequence[Any]:
        return [inner.op("stablehlo.or", [x, y], PREDICATE)]

    false = ctx.constant(False, PREDICATE)
    axes = range(len(aval.shape))
    return lowering.reduce(ctx, [predicate], [false], axes, [PREDICATE], either)[0]


def _kept_where_done(
    ctx: Any, predicate: Any, aval: Any, body: Jaxpr, old: Any, new: Any
) -> list[Any]:
    return [
        _select(ctx, predicate, aval, after, before, out)
        for before, after, out in zip(old, new, body.out_avals, strict=True)
    ]


def _select(ctx: Any, predicate: Any, aval: Any, yes: Any, no: Any, out: Any) -> Any:
    # The axes of the predicate are the first ones of every carry.
    physical = lowering.physical_aval(out)
    if physical.shape != aval.shape:
        predicate = ctx.op(
            "stablehlo.broadcast_in_dim",
            [predicate],
            ShapedArray(physical.shape, "bool"),
            broadcast_dimensions=lowering.i64_array(range(len(aval.shape))),
        )
    return ctx.op("stablehlo.select", [predicate, yes, no], out)
