"""Scan backwards: cotangents flow from the last step to the first.

The body of a linear scan is transposed, and the loop runs the other way. Its carry is
the cotangents of what every step reads (the constants), summed up from zero, and those
of the carry. Cotangents of stacked results are scanned over; those of scanned operands
come out stacked.

Source: spec/ad.md §3.7; spec/control_flow.md §4.5.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ...base.util import split_list
from ...core import Jaxpr, stage
from ...interpreters import ad
from .rearranging import chosen, kept_with_programs, rearranged
from .scan_residuals import (
    Groups,
    partially_known,
    run_forward,
)


class Backward(NamedTuple):
    """The transposed body.

    jaxpr: constants, cotangents of constants, of carry, of stacked results, slices ->
    cotangents of constants, of carry, of slices. consts, slices: which linear constants
    and slices get a cotangent.
    """

    jaxpr: Jaxpr
    consts: tuple[bool, ...]
    slices: tuple[bool, ...]


def transpose_scan(
    bind: Callable[..., list[Any]],
    y_bars: Sequence[Any],
    operands: Sequence[Any],
    jaxpr: Jaxpr,
    num_consts: int,
    num_carry: int,
    params: dict[str, Any],
) -> list[Any]:
    """Cotangents of the linear operands; None for the others."""
    groups = Groups.of(jaxpr, num_consts, num_carry)
    linear = tuple([ad.is_undefined_primal(x) for x in operands])
    if all(groups.split(linear)[1]):
        return _transpose_linear(
            bind, y_bars, (operands, linear), jaxpr, groups, params
        )
    # Part of the carry does not depend on the linear operands: that loop runs first.
    halves = partially_known(jaxpr, num_consts, num_carry, linear, hoist=True)
    _, invariant, slices = run_forward(bind, halves, groups, operands, params)
    consts, carry, xs = map(chosen, groups.split(operands), groups.split(halves.moves))
    late = [*invariant, *consts, *carry, *xs, *slices]
    count = len(invariant)
    inner = Groups(count + len(consts), len(carry), len(xs) + len(slices))
    # A carry that starts from a known value becomes linear: its start has no cotangent.
    is_linear = (
        *[False] * count,
        *[True] * (len(consts) + len(carry) + len(xs)),
        *[False] * len(slices),
    )
    bars = chosen(y_bars, halves.later_outs)
    found = _transpose_linear(
        bind, bars, (late, is_linear), halves.later, inner, params
    )
    later = iter(found[count:])
    x_bars = [next(later) if moves else None for moves in halves.moves]
    return [b if is_lin else None for b, is_lin in zip(x_bars, linear, strict=True)]


def _transpose_linear(
    bind: Callable[..., list[Any]],
    y_bars: Sequence[Any],
    arguments: tuple[Sequence[Any], Sequence[bool]],
    jaxpr: Jaxpr,
    groups: Groups,
    params: dict[str, Any],
) -> list[Any]:
    operands, linear = arguments
    consts, _, xs = groups.split(operands)
    lin_consts, _, lin_slices = groups.split(linear)
    carry_bars, ys_bars = split_list(y_bars, [groups.carry])
    arrived = tuple([b.__class__ is not ad.Zero for b in ys_bars])
    back = _transposed_body(
        jaxpr, groups, tuple(lin_consts), tuple(lin_slices), arrived
    )
    known, slices = _others(consts, lin_consts), _others(xs, lin_slices)
    sums = [ad.zeros_of(x.aval.to_tangent_aval()) for x in chosen(consts, lin_consts)]
    sums = chosen(sums, back.consts)
    outs = bind(
        *known,
        *sums,
        *ad.instantiated(carry_bars),
        *chosen(ys_bars, arrived),
        *slices,
        jaxpr=back.jaxpr,
        num_consts=len(known),
        num_carry=len(sums) + groups.carry,
        **{**params, "reverse": not params["reverse"]},
    )
    const_bars, init_bars, xs_bars = split_list(outs, [len(sums), groups.carry])
    return [
        *_spread(lin_consts, back.consts, const_bars),
        *init_bars,
        *_spread(lin_slices, back.slices, xs_bars),
    ]


def _spread(
    linear: Sequence[bool], given: Sequence[bool], x_bars: Sequence[Any]
) -> list[Any]:
    """Cotangents in the place of their operands, None elsewhere."""
    found = iter(x_bars)
    flags = iter(given)
    return [next(found) if is_linear and next(flags) else None for is_linear in linear]


@kept_with_programs
def _transposed_body(
    jaxpr: Jaxpr,
    groups: Groups,
    lin_consts: tuple[bool, ...],
    lin_slices: tuple[bool, ...],
    arrived: tuple[bool, ...],
) -> Backward:
    const_avals, _, slice_avals = groups.split(jaxpr.in_avals)
    carry_out, ys_out = split_list(jaxpr.out_avals, [groups.carry])
    in_groups = [
        _others(const_avals, lin_consts),
        _tangents(chosen(const_avals, lin_consts)),
        _tangents(carry_out),
        _tangents(chosen(ys_out, arrived)),
        _others(slice_avals, lin_slices),
    ]
    linear = (*lin_consts, *[True] * groups.carry, *lin_slices)
    flags: list[list[bool]] = []

    def backward(*args: Any) -> list[Any]:
        sizes = [len(group) for group in in_groups[:-1]]
        consts, sums, carry_bars, bars, slices = split_list(args, sizes)
        operands = _linear_operands(jaxpr.in_avals, linear, [*consts, *slices])
        ys_bars = _given_or_zero(ys_out, arrived, bars)
        found = ad.backward_jaxpr(jaxpr, operands, [*carry_bars, *ys_bars])
        const_bars, init_bars, xs_bars = groups.split(found)
        const_bars, xs_bars = (
            chosen(const_bars, lin_consts),
            chosen(xs_bars, lin_slices),
        )
        flags.extend([_nonzero(const_bars), _nonzero(xs_bars)])
        new_sums = map(ad.add_tangents, sums, const_bars)
        return [*new_sums, *ad.instantiated(init_bars), *chosen(xs_bars, flags[1])]

    in_avals = [aval for group in in_groups for aval in group]
    program = stage(backward, in_avals, debug_info=jaxpr.debug_info)
    return _without_idle_sums(program, len(in_groups[0]), flags)


def _linear_operands(
    avals: Sequence[Any], linear: Sequence[bool], values: Sequence[Any]
) -> list[Any]:
    given = iter(values)
    return [
        ad.UndefinedPrimal(aval) if is_linear else next(given)
        for aval, is_linear in zip(avals, linear, strict=True)
    ]


def _given_or_zero(
    avals: Sequence[Any], arrived: Sequence[bool], bars: Sequence[Any]
) -> list[Any]:
    given = iter(bars)
    return [
        next(given) if came else ad.Zero(aval.to_tangent_aval())
        for aval, came in zip(avals, arrived, strict=True)
    ]


def _others(items: Sequence[Any], flags: Sequence[bool]) -> list[Any]:
    return [x for x, flag in zip(items, flags, strict=True) if not flag]


def _nonzero(bars: Sequence[Any]) -> list[bool]:
    return [bar.__class__ is not ad.Zero for bar in bars]


def _tangents(avals: Sequence[Any]) -> list[Any]:
    return [aval.to_tangent_aval() for aval in avals]


def _without_idle_sums(
    program: Jaxpr, first: int, flags: Sequence[Sequence[bool]]
) -> Backward:
    """Drop the sums to which no step adds anything."""
    consts, slices = flags
    count = len(consts)
    invars, outvars = program.invars, program.outvars
    kept_in = chosen(invars[first : first + count], consts)
    kept_out = chosen(outvars[:count], consts)
    if len(kept_in) < count:
        program = rearranged(
            program,
            [*invars[:first], *kept_in, *invars[first + count :]],
            [*kept_out, *outvars[count:]],
        )
    return Backward(program, tuple(consts), tuple(slices))
