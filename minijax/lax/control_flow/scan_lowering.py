"""Scan as StableHLO: a `while` over a counter.

The state of the loop is: tokens, constants, scanned operands, the counter, the carry,
the stacked results. Constants and scanned operands go through unchanged. With `unroll`
a trip makes several steps; steps left over run outside, after the loop, or before it
in the order of the indices when it runs in reverse.

Source: spec/control_flow.md §4.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ... import lowering
from ...base.util import split_list
from ...core import Jaxpr, ShapedArray, token_aval
from .tracing import stacked_aval

INDEX = ShapedArray((), "int32")


class _Loop(NamedTuple):
    """What a scan does: its body, how many inputs of which group, its direction."""

    jaxpr: Jaxpr
    num_consts: int
    num_carry: int
    reverse: bool

    @property
    def slice_avals(self) -> list[Any]:
        return self.jaxpr.in_avals[self.num_consts + self.num_carry :]

    @property
    def carry_avals(self) -> list[Any]:
        return self.jaxpr.in_avals[self.num_consts : self.num_consts + self.num_carry]

    @property
    def result_avals(self) -> list[Any]:
        return self.jaxpr.out_avals[self.num_carry :]


def lower_scan(
    ctx: Any,
    *values: Any,
    jaxpr: Jaxpr,
    num_consts: int,
    num_carry: int,
    length: int,
    reverse: bool,
    unroll: int,
) -> list[Any]:
    """The lowering rule."""
    loop = _Loop(jaxpr, num_consts, num_carry, reverse)
    consts, carry, xs = split_list(values, [num_consts, num_carry])
    trips, rest = divmod(length, unroll) if unroll else (0, length)
    if unroll != 1 and trips == 1 and not rest:
        trips, rest = 0, length  # one trip of all steps needs no loop
    if not trips:
        carry, ys = _steps(ctx, loop, consts, carry, xs, length)
        return [*carry, *ys]
    # The steps left over are made last: they are at the end, in reverse at the front.
    main = range(rest, length) if reverse else range(length - rest)
    left = range(rest) if reverse else range(length - rest, length)
    in_trips = [_blocks(ctx, x, a, main, unroll) for x, a in zip(xs, loop.slice_avals)]
    carry, ys = _trips(ctx, loop, consts, carry, in_trips, (trips, unroll))
    if unroll > 1:
        ys = [
            _reshape(ctx, y, stacked_aval(a, len(main)))
            for y, a in zip(ys, loop.result_avals)
        ]
    if rest:
        pieces = [_range(ctx, x, a, left) for x, a in zip(xs, loop.slice_avals)]
        carry, more = _steps(ctx, loop, consts, carry, pieces, rest)
        pairs = zip(more, ys) if reverse else zip(ys, more)
        ys = [
            _concatenate(ctx, pair, stacked_aval(a, length))
            for pair, a in zip(pairs, loop.result_avals)
        ]
    return [*carry, *ys]


# --- Steps without a loop -------------------------------------------------------------


def _steps(
    ctx: Any, loop: _Loop, consts: Any, carry: Any, xs: Any, count: int
) -> tuple[list[Any], list[Any]]:
    """`count` steps one after the other, over operands with so many slices."""
    results: list[Any] = [None] * count
    for i in reversed(range(count)) if loop.reverse else range(count):
        slices = [_row(ctx, x, a, i) for x, a in zip(xs, loop.slice_avals)]
        outs = ctx.inline(loop.jaxpr, [*consts, *carry, *slices], "scan")
        carry, results[i] = split_list(outs, [loop.num_carry])
    stacked = [
        _stack(ctx, [row[k] for row in results], aval)
        for k, aval in enumerate(loop.result_avals)
    ]
    return list(carry), stacked


def _row(ctx: Any, x: Any, aval: Any, i: int) -> Any:
    row = _slice(ctx, x, aval, i, i + 1)
    return _reshape(ctx, row, aval)


def _stack(ctx: Any, rows: Sequence[Any], aval: Any) -> Any:
    whole = stacked_aval(aval, len(rows))
    if not rows:
        return _empty(ctx, whole)
    as_rows = [_reshape(ctx, row, stacked_aval(aval, 1)) for row in rows]
    return as_rows[0] if len(rows) == 1 else _concatenate(ctx, as_rows, whole)


# --- The loop -------------------------------------------------------------------------


class _State(NamedTuple):
    """Types of what a loop holds, in their order: per effect, operand, result."""

    tokens: list[Any]
    consts: list[Any]
    xs: list[Any]
    counter: list[Any]
    carry: list[Any]
    ys: list[Any]

    @classmethod
    def of(cls, loop: _Loop, num_tokens: int, trips: int, unroll: int) -> _State:
        return cls(
            [token_aval] * num_tokens,
            loop.jaxpr.in_avals[: loop.num_consts],
            [stacked_aval(_in_trip(a, unroll), trips) for a in loop.slice_avals],
            [INDEX],
            loop.carry_avals,
            [stacked_aval(_in_trip(a, unroll), trips) for a in loop.result_avals],
        )

    @property
    def avals(self) -> list[Any]:
        return [aval for group in self for aval in group]

    def split(self, values: Sequence[Any]) -> list[list[Any]]:
        """Values, one per type, as six lists."""
        return split_list(values, [len(group) for group in self[:-1]])


def _trips(
    ctx: Any, loop: _Loop, consts: Any, carry: Any, xs: Any, numbers: tuple[int, int]
) -> tuple[list[Any], list[Any]]:
    trips, unroll = numbers
    effects = lowering.ordered_effects(loop.jaxpr.effects)
    state = _State.of(loop, len(effects), trips, unroll)

    def going(inner: Any, *values: Any) -> list[Any]:
        (counter,) = state.split(values)[3]
        end = inner.constant(trips, INDEX)
        return [lowering.compare(inner, "LT", counter, end, INDEX)]

    def step(inner: Any, *values: Any) -> list[Any]:
        return _step(inner, loop, effects, state.split(values), numbers)

    start = [
        *(ctx.token(effect) for effect in effects),
        *consts,
        *xs,
        ctx.constant(0, INDEX),
        *carry,
        *(_empty(ctx, aval) for aval in state.ys),
    ]
    avals = state.avals
    outs = ctx.op_with_regions(
        "stablehlo.while", start, avals, {}, [(avals, going), (avals, step)]
    )
    tokens, _, _, _, carry, ys = state.split(outs)
    for effect, token in zip(effects, tokens):
        ctx.set_token(effect, token)
    return carry, ys


def _step(
    ctx: Any, loop: _Loop, effects: Any, values: Any, numbers: tuple[int, int]
) -> list[Any]:
    """What one trip makes of the state."""
    tokens, consts, xs, (counter,), carry, ys = values
    trips, unroll = numbers
    block = [_in_trip(aval, unroll) for aval in loop.slice_avals]
    results = [_in_trip(aval, unroll) for aval in loop.result_avals]
    index = counter
    if loop.reverse:
        last = ctx.constant(trips - 1, INDEX)
        index = ctx.op("stablehlo.subtract", [last, counter], INDEX)
    rows = [_read(ctx, x, aval, index) for x, aval in zip(xs, block)]
    inputs = consts, carry, rows
    tokens, carry, made = _trip(ctx, loop, effects, tokens, inputs, unroll)
    ys = [_write(ctx, y, row, aval, index) for y, row, aval in zip(ys, made, results)]
    counter = ctx.op("stablehlo.add", [counter, ctx.constant(1, INDEX)], INDEX)
    return [*tokens, *consts, *xs, counter, *carry, *ys]


def _trip(
    ctx: Any, loop: _Loop, effects: Any, tokens: Any, values: Any, unroll: int
) -> tuple[list[Any], list[Any], list[Any]]:
    """The steps of one trip; what they return is stacked if there are several."""
    consts, carry, rows = values
    made: list[Any] = [None] * unroll
    for i in reversed(range(unroll)) if loop.reverse else range(unroll):
        slices = rows
        if unroll > 1:
            slices = [_row(ctx, x, a, i) for x, a in zip(rows, loop.slice_avals)]
        outs = ctx.inline_with_tokens(
            loop.jaxpr, effects, tokens, [*consts, *carry, *slices], "while/body"
        )
        tokens, carry, made[i] = split_list(outs, [len(effects), loop.num_carry])
    if unroll == 1:
        return tokens, carry, made[0]
    stacked = [
        _stack(ctx, [row[k] for row in made], aval)
        for k, aval in enumerate(loop.result_avals)
    ]
    return tokens, carry, stacked


def _in_trip(aval: Any, unroll: int) -> Any:
    return aval if unroll == 1 else stacked_aval(aval, unroll)


# --- Arrays ---------------------------------------------------------------------------
# `aval` is always the type of one slice; keys are arrays of numbers here.


def _read(ctx: Any, x: Any, aval: Any, index: Any) -> Any:
    row = lowering.physical_aval(stacked_aval(aval, 1))
    starts = _starts(ctx, index, row.ndim)
    sliced = ctx.op(
        "stablehlo.dynamic_slice",
        [x, *starts],
        row,
        slice_sizes=lowering.i64_array(row.shape),
    )
    return _reshape(ctx, sliced, aval)


def _write(ctx: Any, ys: Any, row: Any, aval: Any, index: Any) -> Any:
    update = _reshape(ctx, row, stacked_aval(aval, 1))
    ndim = lowering.physical_aval(aval).ndim + 1
    return ctx.op(
        "stablehlo.dynamic_update_slice",
        [ys, update, *_starts(ctx, index, ndim)],
        ys.type,
    )


def _starts(ctx: Any, index: Any, ndim: int) -> list[Any]:
    zero = ctx.constant(0, INDEX) if ndim > 1 else None
    return [index, *[zero] * (ndim - 1)]


def _blocks(ctx: Any, x: Any, aval: Any, where: range, unroll: int) -> Any:
    """The slices of the main part, several per trip."""
    part = _range(ctx, x, aval, where)
    if unroll == 1:
        return part
    block = stacked_aval(aval, unroll)
    return _reshape(ctx, part, stacked_aval(block, len(where) // unroll))


def _range(ctx: Any, x: Any, aval: Any, where: range) -> Any:
    return _slice(ctx, x, aval, where.start, where.stop)


def _slice(ctx: Any, x: Any, aval: Any, start: int, stop: int) -> Any:
    out = lowering.physical_aval(stacked_aval(aval, stop - start))
    if ctx.type(out) == x.type:
        return x
    inner = out.shape[1:]
    return ctx.op(
        "stablehlo.slice",
        [x],
        out,
        start_indices=lowering.i64_array((start, *[0] * len(inner))),
        limit_indices=lowering.i64_array((stop, *inner)),
        strides=lowering.i64_array([1] * out.ndim),
    )


def _reshape(ctx: Any, x: Any, aval: Any) -> Any:
    if ctx.type(aval) == x.type:
        return x
    return ctx.op("stablehlo.reshape", [x], aval)


def _concatenate(ctx: Any, parts: Any, aval: Any) -> Any:
    return ctx.op(
        "stablehlo.concatenate", list(parts), aval, dimension=lowering.i64_attr(0)
    )


def _empty(ctx: Any, aval: Any) -> Any:
    physical = lowering.physical_aval(aval)
    return ctx.constant(physical.dtype.type(0), physical)
