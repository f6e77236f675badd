"""scan_p: a body run once per slice, with a carry handed on.

`scan[jaxpr length num_carry num_consts reverse unroll] *consts *init *xs -> *carry *ys`
The body takes constants, carry, slices and returns carry, slices.

Source: spec/control_flow.md §§4.2, 4.3; spec/batching.md §5; spec/ad.md §3.7.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...base.util import split_list
from ...core import Effects, Jaxpr, Primitive
from ...interpreters import ad, batching
from ..definition import define
from .discharging import scan_without_refs
from .rearranging import chosen, kept_with_programs, rearranged
from .scan_equations import check_scan, dce_scan, split_scan, split_scan_by_policy
from .scan_lowering import lower_scan
from .scan_residuals import (
    Groups,
    fixpoint,
    linearized,
    run_forward,
    run_later,
)
from .scan_transposition import transpose_scan
from .tracing import stacked_aval

scan_p = Primitive("scan", multiple_results=True, holds_programs=True)

Params = dict[str, Any]


def _types(
    *avals: Any, jaxpr: Jaxpr, length: int, num_carry: int, **_: Any
) -> list[Any]:
    carry, ys = split_list(jaxpr.out_avals, [num_carry])
    return [*carry, *(stacked_aval(aval, length) for aval in ys)]


def _effects(*avals: Any, jaxpr: Jaxpr, **_: Any) -> Effects:
    return jaxpr.effects


# --- Derivatives ----------------------------------------------------------------------


def _moving(tangents: Sequence[Any]) -> tuple[bool, ...]:
    return tuple([x_dot.__class__ is not ad.Zero for x_dot in tangents])


def _still(primals: Sequence[Any], params: Params) -> list[Any]:
    """Zero tangents of all results of a scan."""
    avals = _types(**params)
    return [ad.Zero(aval.to_tangent_aval()) for aval in avals]


def _spread(
    zeros: Sequence[Any], nonzeros: Sequence[bool], y_dots: Sequence[Any]
) -> list[Any]:
    found = iter(y_dots)
    return [
        next(found) if moves else z for z, moves in zip(zeros, nonzeros, strict=True)
    ]


@kept_with_programs
def _jvp_body(
    jaxpr: Jaxpr, num_consts: int, num_carry: int, nonzeros: tuple[bool, ...]
) -> tuple[Jaxpr, tuple[bool, ...], tuple[bool, ...]]:
    """The body on values and tangents, group by group; moving inputs and results."""
    groups = Groups.of(jaxpr, num_consts, num_carry)
    ys_flags = (False,) * (len(jaxpr.outvars) - num_carry)

    def moving_out(flags: tuple[bool, ...], carry: tuple[bool, ...]) -> Sequence[bool]:
        return ad.jvp_jaxpr(jaxpr, flags, (*carry, *ys_flags))[1]

    moves = fixpoint(groups, nonzeros, moving_out)
    moves_by_group = groups.split(moves)
    program, moves_out = ad.jvp_jaxpr(jaxpr, moves, (*moves_by_group[1], *ys_flags))
    primals, dots = split_list(program.invars, [len(moves)])
    sizes = [sum(flags) for flags in moves_by_group[:2]]
    invars = [
        var
        for pair in zip(groups.split(primals), split_list(dots, sizes), strict=True)
        for group in pair
        for var in group
    ]
    outs, out_dots = split_list(program.outvars, [len(jaxpr.outvars)])
    carry, ys = split_list(outs, [num_carry])
    carry_dots, ys_dots = split_list(out_dots, [sizes[1]])
    outvars = [*carry, *carry_dots, *ys, *ys_dots]
    return rearranged(program, invars, outvars), moves, moves_out


def _jvp(
    primals: Sequence[Any],
    tangents: Sequence[Any],
    *,
    jaxpr: Jaxpr,
    num_consts: int,
    num_carry: int,
    **params: Any,
) -> tuple[list[Any], list[Any]]:
    groups = Groups.of(jaxpr, num_consts, num_carry)
    body, moves, moves_out = _jvp_body(jaxpr, num_consts, num_carry, _moving(tangents))
    dots = [
        [ad.instantiate_zeros(x_dot) for x_dot in chosen(group, flags)]
        for group, flags in zip(
            groups.split(tangents), groups.split(moves), strict=True
        )
    ]
    operands = [
        x
        for pair in zip(groups.split(primals), dots, strict=True)
        for group in pair
        for x in group
    ]
    outs = scan_p.bind(
        *operands,
        jaxpr=body,
        num_consts=num_consts + len(dots[0]),
        num_carry=num_carry + len(dots[1]),
        **params,
    )
    num_ys = len(jaxpr.outvars) - num_carry
    carry, carry_dots, ys, ys_dots = split_list(outs, [num_carry, len(dots[1]), num_ys])
    zeros = _still(primals, {"jaxpr": jaxpr, "num_carry": num_carry, **params})
    return [*carry, *ys], _spread(zeros, moves_out, [*carry_dots, *ys_dots])


def _linearize(
    primals: Sequence[Any],
    tangents: Sequence[Any],
    *,
    jaxpr: Jaxpr,
    num_consts: int,
    num_carry: int,
    **params: Any,
) -> tuple[list[Any], list[Any]]:
    groups = Groups.of(jaxpr, num_consts, num_carry)
    halves = linearized(jaxpr, num_consts, num_carry, _moving(tangents))
    outs, invariant, slices = run_forward(scan_p.bind, halves, groups, primals, params)
    outs = outs[: len(jaxpr.outvars)]
    zeros = _still(primals, {"jaxpr": jaxpr, "num_carry": num_carry, **params})
    if not any(halves.later_outs):
        return outs, zeros
    dots = [
        ad.instantiate_zeros(x_dot) if moves else x_dot
        for x_dot, moves in zip(tangents, halves.moves, strict=True)
    ]
    residuals = invariant, slices
    y_dots = run_later(scan_p.bind, halves, groups, residuals, dots, params)
    return outs, _spread(zeros, halves.later_outs, y_dots)


def _transpose(
    y_bars: Sequence[Any],
    *operands: Any,
    jaxpr: Jaxpr,
    num_consts: int,
    num_carry: int,
    **params: Any,
) -> list[Any]:
    return transpose_scan(
        scan_p.bind, y_bars, operands, jaxpr, num_consts, num_carry, params
    )


# --- vmap -----------------------------------------------------------------------------


@batching.with_axis
def _batch(
    axis: Any,
    operands: Sequence[Any],
    axes: Sequence[Any],
    *,
    jaxpr: Jaxpr,
    num_consts: int,
    num_carry: int,
    **params: Any,
) -> tuple[list[Any], list[Any]]:
    groups = Groups.of(jaxpr, num_consts, num_carry)
    flags, body, out_axes = _batched_body(axis, jaxpr, groups, axes)
    consts, init, xs = groups.split(operands)
    _, init_axes, xs_axes = groups.split(axes)
    init = [
        batching.at_front(x, position, axis.size) if flag else x
        for x, position, flag in zip(
            init, init_axes, groups.split(flags)[1], strict=True
        )
    ]
    # Slices have the axis in front, so what is sliced has it second.
    xs = [
        x if position is None else batching.moveaxis(x, position, 1)
        for x, position in zip(xs, xs_axes, strict=True)
    ]
    outs = scan_p.bind(
        *consts,
        *init,
        *xs,
        jaxpr=body,
        num_consts=num_consts,
        num_carry=num_carry,
        **params,
    )
    carry_axes, ys_axes = split_list(out_axes, [num_carry])
    return outs, [*carry_axes, *(None if one is None else 1 for one in ys_axes)]


def _batched_body(
    axis: Any, jaxpr: Jaxpr, groups: Groups, axes: Sequence[Any]
) -> tuple[tuple[bool, ...], Jaxpr, Sequence[Any]]:
    """Which inputs have the axis in every step, the body, where its results have it."""
    const_axes = axes[: groups.consts]
    free = (batching.zero_if_mapped,) * (len(jaxpr.outvars) - groups.carry)

    def program(flags: Sequence[bool]) -> Any:
        in_axes = [*const_axes, *(0 if f else None for f in flags[groups.consts :])]
        carry = groups.split(flags)[1]
        kept = [0 if flag else batching.zero_if_mapped for flag in carry]
        return batching.batch_jaxpr(jaxpr, axis, in_axes, [*kept, *free])

    def batched_out(flags: tuple[bool, ...], carry: tuple[bool, ...]) -> list[bool]:
        return [position is not None for position in program(flags)[1]]

    start = tuple([position is not None for position in axes])
    flags = fixpoint(groups, start, batched_out)
    return flags, *program(flags)


def _discharge(args: Any, where: Any, params: Params) -> Any:
    operands, params = scan_without_refs(args, where, params)
    outs = scan_p.bind(*operands, **params)
    return outs[len(where) :], outs[: len(where)]


define(
    scan_p,
    abstract_eval=_types,
    effects=_effects,
    jvp=_jvp,
    transpose=_transpose,
    batch=_batch,
    lower=lower_scan,
    linearize=_linearize,
    partial_eval=split_scan,
    dce=dce_scan,
    policy=split_scan_by_policy,
    checking=check_scan,
    discharge=_discharge,
)
