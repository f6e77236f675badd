"""custom_linear_solve_p: the solution of a linear equation, however it is found.

`custom_linear_solve[const_lengths jaxprs] *consts *b -> *x *aux`. There are four
programs: matvec, vecmat (its transpose), solve, transpose_solve (or None); operands are
the constants of each, in this order, then b.

With A x = b: x_dot = A^-1 (b_dot - A_dot x), and b_bar = A^-T x_bar.

Source: spec/control_flow.md §9.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ...base.errors import ArgumentTypeError
from ...base.util import split_list
from ...core import Effects, Jaxpr, Primitive, eval_jaxpr, no_effects
from ...interpreters import ad, batching
from ..arithmetic import neg
from ..definition import define
from .conditional_residuals import returning_zeros
from .rearranging import kept_with_programs

custom_linear_solve_p = Primitive(
    "custom_linear_solve", multiple_results=True, holds_programs=True
)


class Solvers(NamedTuple):
    """The four programs; transpose_solve may be missing."""

    matvec: Jaxpr
    vecmat: Jaxpr
    solve: Jaxpr
    transpose_solve: Jaxpr | None


def bind_solve(
    solvers: Sequence[Jaxpr | None], consts: Sequence[Sequence[Any]], b: Sequence[Any]
) -> list[Any]:
    """Solve for `b`; `consts` of each of the four programs."""
    return custom_linear_solve_p.bind(
        *(x for group in consts for x in group),
        *b,
        const_lengths=tuple([len(group) for group in consts]),
        jaxprs=tuple(solvers),
    )


@kept_with_programs
def transposed_program(matvec: Jaxpr, num_consts: int) -> Jaxpr:
    """The transpose of a linear program, which takes the same constants first."""
    count = len(matvec.outvars)
    linear = (*[False] * num_consts, *[True] * count)
    program, given = ad.transpose_jaxpr(matvec, linear, (True,) * count)
    avals = [aval.to_tangent_aval() for aval in matvec.in_avals[num_consts:]]
    return returning_zeros(program, given, (True,) * count, avals)


def _types(*avals: Any, jaxprs: Any, **_: Any) -> list[Any]:
    return Solvers(*jaxprs).solve.out_avals


def _effects(*avals: Any, jaxprs: Any, **_: Any) -> Effects:
    return no_effects.union(*[j.effects for j in jaxprs if j is not None])


def _moving(tangents: Sequence[Any]) -> tuple[bool, ...]:
    return tuple([x_dot.__class__ is not ad.Zero for x_dot in tangents])


def _jvp(
    primals: Sequence[Any], tangents: Sequence[Any], *, const_lengths: Any, jaxprs: Any
) -> tuple[list[Any], list[Any]]:
    solvers = Solvers(*jaxprs)
    *consts, b = split_list(primals, const_lengths)
    matvec_dots, _, _, _, b_dots = split_list(tangents, const_lengths)
    outs = bind_solve(solvers, consts, b)
    x = outs[: len(b)]
    moves = _moving(matvec_dots)
    right = list(b_dots)
    if any(moves):
        program, _ = ad.jvp_jaxpr(solvers.matvec, (*moves, *[False] * len(x)), True)
        moving = [d for d, does in zip(matvec_dots, moves, strict=True) if does]
        pushed = eval_jaxpr(program, program.consts, *consts[0], *x, *moving)
        changes = [neg(y_dot) for y_dot in pushed[len(x) :]]
        right = list(map(ad.add_tangents, b_dots, changes))
    still = [ad.Zero.from_primal(y) for y in outs]
    if not any(_moving(right)):
        return outs, still
    x_dots = bind_solve(solvers, consts, ad.instantiated(right))[: len(x)]
    return outs, [*x_dots, *still[len(x) :]]


def _transpose(
    x_bars: Sequence[Any], *operands: Any, const_lengths: Any, jaxprs: Any
) -> list[Any]:
    matvec, vecmat, solve, transpose_solve = Solvers(*jaxprs)
    if transpose_solve is None:
        raise ArgumentTypeError(
            "Reverse mode through custom_linear_solve solves with the transpose.",
            "Found no `transpose_solve`.",
            "Give one, or say that the function is `symmetric`.",
        )
    *consts, b = split_list(operands, const_lengths)
    known = sum(const_lengths)
    bars = ad.instantiated(x_bars[: len(b)])
    swapped = Solvers(vecmat, matvec, transpose_solve, solve)
    order = [consts[1], consts[0], consts[3], consts[2]]
    b_bars = bind_solve(swapped, order, bars)[: len(b)]
    return [None] * known + [
        b_bar if ad.is_undefined_primal(x) else None
        for b_bar, x in zip(b_bars, b, strict=True)
    ]


@batching.with_axis
def _batch(
    axis: Any,
    operands: Sequence[Any],
    axes: Sequence[Any],
    *,
    const_lengths: Any,
    jaxprs: Any,
) -> tuple[list[Any], list[int]]:
    # Where one example differs, the solutions do: all of b and x have the axis.
    *consts, b = split_list(operands, const_lengths)
    *const_axes, b_axes = split_list(axes, const_lengths)
    moved = [
        batching.at_front(x, position, axis.size)
        for x, position in zip(b, b_axes, strict=True)
    ]

    def mapped(jaxpr: Jaxpr | None, own_axes: Sequence[Any]) -> Jaxpr | None:
        if jaxpr is None:
            return None
        in_axes = [*own_axes, *[0] * len(b)]
        return batching.batch_jaxpr(jaxpr, axis, in_axes, [0] * len(jaxpr.outvars))[0]

    programs = [mapped(j, own) for j, own in zip(jaxprs, const_axes, strict=True)]
    outs = bind_solve(programs, consts, moved)
    return outs, [0] * len(outs)


def _lower(ctx: Any, *values: Any, const_lengths: Any, jaxprs: Any) -> list[Any]:
    _, _, consts, _, b = split_list(values, const_lengths)
    return ctx.inline(Solvers(*jaxprs).solve, [*consts, *b])


define(
    custom_linear_solve_p,
    abstract_eval=_types,
    effects=_effects,
    jvp=_jvp,
    transpose=_transpose,
    batch=_batch,
    lower=_lower,
)
