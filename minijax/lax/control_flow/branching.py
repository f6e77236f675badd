"""cond_p: one of several programs runs, the one with a given number.

`cond[branches] index *operands -> *results`. All branches take the same operands and
return the same types; for `lax.cond` branch 0 is what happens when the predicate is
false. `branches_platforms` says for which platforms each branch is, where the number
comes from `platform_index`.

Source: spec/control_flow.md §§1.3-1.5; spec/batching.md §5.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import lowering
from ...base.errors import MissingRuleError, NotSupportedError
from ...core import (
    NOT_BATCHABLE,
    NOT_LINEAR,
    Jaxpr,
    Primitive,
    broadcast_in_dim_p,
    eval_jaxpr,
    hiding_unset,
    select_n_p,
    typeof,
)
from ...interpreters import ad, batching
from ..comparisons import eq
from ..definition import define
from ..identities import stop_gradient_p
from .conditional_equations import (
    INDEX,
    check_cond,
    dce_cond,
    effects_of_cond,
    split_cond,
    split_cond_by_policy,
)
from .conditional_residuals import (
    linearized,
    returning_zeros,
    union,
)
from .discharging import cond_without_refs
from .rearranging import chosen, kept_with_programs

cond_p = Primitive("cond", multiple_results=True, holds_programs=True)
platform_index_p = Primitive("platform_index")

Branches = tuple[Jaxpr, ...]


def _types(*avals: Any, branches: Branches, **_: Any) -> list[Any]:
    return branches[0].out_avals


# --- Derivatives ----------------------------------------------------------------------


def _moving(tangents: Sequence[Any]) -> tuple[bool, ...]:
    return tuple([x_dot.__class__ is not ad.Zero for x_dot in tangents])


def _spread(
    branches: Branches, moves: Sequence[bool], y_dots: Sequence[Any]
) -> list[Any]:
    found = iter(y_dots)
    return [
        next(found) if moving else ad.Zero(aval.to_tangent_aval())
        for moving, aval in zip(moves, branches[0].out_avals, strict=True)
    ]


@kept_with_programs
def _jvp_branches(
    branches: Branches, nonzeros: tuple[bool, ...]
) -> tuple[Branches, tuple[bool, ...]]:
    programs = [ad.jvp_jaxpr(branch, nonzeros, False) for branch in branches]
    moves = union([moving for _, moving in programs])
    made = [
        program if moving == moves else ad.jvp_jaxpr(branch, nonzeros, moves)[0]
        for branch, (program, moving) in zip(branches, programs, strict=True)
    ]
    return tuple(made), moves


def _jvp(
    primals: Sequence[Any],
    tangents: Sequence[Any],
    *,
    branches: Branches,
    **params: Any,
) -> tuple[list[Any], list[Any]]:
    nonzeros = _moving(tangents[1:])
    programs, moves = _jvp_branches(branches, nonzeros)
    dots = chosen(tangents[1:], nonzeros)
    outs = cond_p.bind(*primals, *dots, branches=programs, **params)
    count = len(moves)
    return outs[:count], _spread(branches, moves, outs[count:])


def _linearize(
    primals: Sequence[Any],
    tangents: Sequence[Any],
    *,
    branches: Branches,
    **params: Any,
) -> tuple[list[Any], list[Any]]:
    nonzeros = _moving(tangents[1:])
    halves = linearized(branches, nonzeros)
    outs = cond_p.bind(*primals, branches=halves.known, **params)
    count = len(branches[0].outvars)
    outs, residuals = outs[:count], outs[count:]
    if not any(halves.later_outs):
        return outs, _spread(branches, halves.later_outs, ())
    index, *operands = primals
    y_dots = cond_p.bind(
        index,
        *residuals,
        *(operands[i] for i in halves.forwarded),
        *chosen(tangents[1:], nonzeros),
        branches=halves.later,
        **params,
    )
    return outs, _spread(branches, halves.later_outs, y_dots)


@kept_with_programs
def _transposed(
    branches: Branches, linear: tuple[bool, ...], arrived: tuple[bool, ...]
) -> tuple[Branches, tuple[bool, ...]]:
    programs = [ad.transpose_jaxpr(branch, linear, arrived) for branch in branches]
    given = union([flags for _, flags in programs])
    avals = [a.to_tangent_aval() for a in chosen(branches[0].in_avals, linear)]
    made = [returning_zeros(program, has, given, avals) for program, has in programs]
    return tuple(made), given


def _transpose(
    y_bars: Sequence[Any], index: Any, *operands: Any, branches: Branches, **params: Any
) -> list[Any]:
    linear = tuple([ad.is_undefined_primal(x) for x in operands])
    arrived = _moving(y_bars)
    programs, given = _transposed(branches, linear, arrived)
    known = [x for x, is_linear in zip(operands, linear, strict=True) if not is_linear]
    found = cond_p.bind(
        index, *known, *chosen(y_bars, arrived), branches=programs, **params
    )
    x_bars, flags = iter(found), iter(given)
    return [
        None,
        *(next(x_bars) if is_linear and next(flags) else None for is_linear in linear),
    ]


# --- vmap -----------------------------------------------------------------------------


@batching.with_axis
def _batch(
    axis: Any,
    operands: Sequence[Any],
    axes: Sequence[Any],
    *,
    branches: Branches,
    **params: Any,
) -> tuple[list[Any], list[Any]]:
    _refuse_effects(branches)
    if axes[0] is not None:
        return _batch_choices(axis, operands, axes, branches)
    index, *operands = operands
    in_axes = [None if position is None else 0 for position in axes[1:]]
    moved = [
        x if position is None else batching.moveaxis(x, position, 0)
        for x, position in zip(operands, axes[1:], strict=True)
    ]
    free = [batching.zero_if_mapped] * len(branches[0].outvars)
    found = [batching.batch_jaxpr(b, axis, in_axes, free)[1] for b in branches]
    mapped = union([[one is not None for one in out_axes] for out_axes in found])
    dests = [0 if flag else batching.zero_if_mapped for flag in mapped]
    programs = tuple(
        [batching.batch_jaxpr(b, axis, in_axes, dests)[0] for b in branches]
    )
    outs = cond_p.bind(index, *moved, branches=programs, **params)
    return outs, [0 if flag else None for flag in mapped]


def _batch_choices(
    axis: Any, operands: Sequence[Any], axes: Sequence[Any], branches: Branches
) -> tuple[list[Any], list[Any]]:
    """Every example chooses its branch: all run, and results are selected."""
    index, *operands = [
        batching.at_front(x, position, axis.size)
        for x, position in zip(operands, axes, strict=True)
    ]
    results = []
    for number, branch in enumerate(branches):
        program, _ = batching.batch_jaxpr(
            branch, axis, [0] * len(operands), [0] * len(branch.outvars)
        )
        # Examples that take another branch may lie where this one has no derivative:
        # a NaN of theirs must not reach the derivative of the others, so what flows
        # back through them is cut.
        taken = eq(index, INDEX.dtype.type(number))
        shielded = [_shielded(taken, x) for x in operands]
        results.append(eval_jaxpr(program, program.consts, *shielded))
    outs = [
        select_n_p.bind(_along(index, cases[0]), *cases)
        for cases in zip(*results, strict=True)
    ]
    return outs, [0] * len(outs)


def _shielded(taken: Any, x: Any) -> Any:
    fixed = stop_gradient_p.bind(x)
    return select_n_p.bind(_along(taken, x), fixed, x)


def _along(which: Any, x: Any) -> Any:
    """A vector, repeated to the shape of `x`, whose first axis is its own."""
    shape = typeof(x).shape
    if len(shape) == 1:
        return which
    return broadcast_in_dim_p.bind(
        which, shape=shape, broadcast_dimensions=(0,), sharding=None
    )


def _refuse_effects(branches: Branches) -> None:
    refused = {e for b in branches for e in b.effects if not e.in_mapped_control_flow}
    if refused:
        raise NotSupportedError(
            "vmap runs every branch for every example.",
            f"Found a branch with effects {', '.join(sorted(map(str, refused)))}, "
            "which must happen only where the branch is taken.",
            "Take the effect out of the branch, or map with `lax.map`.",
        )


# --- Lowering -------------------------------------------------------------------------


def _lower(
    ctx: Any,
    index: Any,
    *values: Any,
    branches: Branches,
    branches_platforms: Any = None,
) -> list[Any]:
    if branches_platforms is not None:
        params = {"branches": branches, "branches_platforms": branches_platforms}
        return ctx.call_rule(
            "platform_dependent", _for_platform, [index, *values], params
        )
    effects = lowering.ordered_effects(effects_of_cond(branches=branches))
    tokens = [ctx.token(effect) for effect in effects]

    def region(number: int, branch: Jaxpr) -> Any:
        label = f"cond/branch_{number}_fun"
        return lambda inner: inner.inline_with_tokens(
            branch, effects, tokens, values, label
        )

    results = ctx.op_with_regions(
        "stablehlo.case",
        [index],
        [*(token.type for token in tokens), *ctx.avals_out],
        {},
        [([], region(i, branch)) for i, branch in enumerate(branches)],
    )
    for effect, token in zip(effects, results):
        ctx.set_token(effect, token)
    return list(results[len(effects) :])


def _platform_number(name: str, platforms: Sequence[Sequence[str] | None]) -> int:
    for number, names in enumerate(platforms):
        if names is None or name in names:
            return number
    raise MissingRuleError(
        "lower", "platform_index", platform=name,
        why="`platform_dependent` has no branch for it and no default.",
    )  # fmt: skip


def _branch_for(name: str) -> Any:
    def rule(
        ctx: Any, index: Any, *values: Any, branches: Branches, branches_platforms: Any
    ) -> list[Any]:
        number = _platform_number(name, branches_platforms)
        return ctx.inline(branches[number], values, f"cond/branch_{number}_fun")

    return rule


def _index_for(name: str) -> Any:
    def rule(ctx: Any, *, platforms: Any) -> list[Any]:
        return [ctx.constant(_platform_number(name, platforms), INDEX)]

    return rule


_for_platform = lowering.by_platform(**{n: _branch_for(n) for n in lowering.PLATFORMS})


def _discharge(args: Any, where: Any, params: dict[str, Any]) -> Any:
    operands, params = cond_without_refs(args, where, params)
    outs = cond_p.bind(*operands, **params)
    count = len(outs) - len(where)
    return outs[:count], outs[count:]


define(
    cond_p,
    abstract_eval=_types,
    effects=effects_of_cond,
    jvp=_jvp,
    transpose=_transpose,
    batch=_batch,
    lower=_lower,
    linearize=_linearize,
    partial_eval=split_cond,
    dce=dce_cond,
    policy=split_cond_by_policy,
    printing=hiding_unset("branches_platforms"),
    checking=check_cond,
    discharge=_discharge,
)

define(
    platform_index_p,
    abstract_eval=lambda *, platforms: INDEX,
    jvp=ad.ZERO(platform_index_p),
    transpose=NOT_LINEAR,
    batch=NOT_BATCHABLE,  # it has no operand that could have an axis
    lower=lowering.by_platform(**{n: _index_for(n) for n in lowering.PLATFORMS}),
)
