"""Residuals of branches: each branch needs its own, an equation has one list.

Residuals of one type share places: the n-th residual of a type has the same place in
every branch, and a branch that has fewer leaves the rest empty. So the memory is that
of the neediest branch per type, not the sum of all.

Source: spec/control_flow.md §1.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ...base.util import split_list
from ...core import (
    NOT_BATCHABLE,
    NOT_LINEAR,
    Jaxpr,
    JaxprEqn,
    Literal,
    Primitive,
    ShapedArray,
    Space,
    Var,
    broadcast_in_dim_p,
    make_literal,
    shaped,
)
from ...interpreters import ad
from ...interpreters import partial_eval as pe
from ..definition import define
from .rearranging import chosen, effects_of, kept_with_programs

empty2_p = Primitive("empty2")


def _empty_type(*, dtype: Any, memory_space: Space) -> ShapedArray:
    return shaped((), dtype).update(memory_space=memory_space)


def _empty_lower(ctx: Any, **params: Any) -> list[Any]:
    return [ctx.constant(0, ctx.avals_out[0])]


define(
    empty2_p,
    abstract_eval=_empty_type,
    jvp=ad.ZERO(empty2_p),
    transpose=NOT_LINEAR,
    batch=NOT_BATCHABLE,  # it has no operand that could have an axis
    lower=_empty_lower,
)


class Joined(NamedTuple):
    """Branches cut in two.

    known: return their results ++ shared residuals. later: take shared residuals ++
    forwarded operands ++ operands of their own. forwarded: which operands of the known
    branches those are. later_outs: per result, whether the later branches return it.
    residual_avals: of the shared residuals.
    """

    known: tuple[Jaxpr, ...]
    later: tuple[Jaxpr, ...]
    forwarded: tuple[int, ...]
    later_outs: tuple[bool, ...]
    residual_avals: tuple[Any, ...]


class _Half(NamedTuple):
    """One branch cut in two. residuals: atoms of `known`; they lead later's inputs."""

    known: Jaxpr
    later: Jaxpr
    residuals: list[Any]


def union(flags: Sequence[Sequence[bool]]) -> tuple[bool, ...]:
    """Per position, whether any has it set."""
    return tuple([any(column) for column in zip(*flags, strict=True)])


@kept_with_programs
def linearized(branches: tuple[Jaxpr, ...], nonzeros: tuple[bool, ...]) -> Joined:
    """Each branch and its derivative; a result moves if it does in any branch."""
    splits = [ad.linearize_jaxpr(b, nonzeros, False) for b in branches]
    moving = union([split.nonzeros_out for split in splits])
    halves = []
    for branch, split in zip(branches, splits, strict=True):
        if split.nonzeros_out != moving:
            split = ad.linearize_jaxpr(branch, nonzeros, moving)
        outs, computed = split_list(split.forward.outvars, [len(branch.outvars)])
        residuals = split.residuals(split.forward.invars, computed)
        halves.append(_Half(_returning(split.forward, outs), split.tangent, residuals))
    return _join(halves, moving)


@kept_with_programs
def partially_known(branches: tuple[Jaxpr, ...], unknowns: tuple[bool, ...]) -> Joined:
    """The part of each branch that follows from known operands, and the rest."""
    late = union([pe.split_jaxpr(b, unknowns, False)[2] for b in branches])
    halves = []
    for branch in branches:
        known, later, _, avals = pe.split_jaxpr(branch, unknowns, late)
        outs, residuals = split_list(known.outvars, [len(known.outvars) - len(avals)])
        halves.append(_Half(_returning(known, outs), later, residuals))
    return _join(halves, late)


def split_by_policy(
    branches: tuple[Jaxpr, ...],
    unknowns: Sequence[bool],
    available: Sequence[bool],
    policy: pe.Policy,
) -> tuple[Joined, tuple[bool, ...]]:
    """As the policy says; and which results are unknown.

    available: which operands the later branches get, the unknown ones among them.
    """

    def split(branch: Jaxpr, late: Any, inst: Any) -> Any:
        return pe.partial_eval_jaxpr_custom(
            branch, unknowns, available, late, inst, policy
        )

    first = [split(branch, False, False) for branch in branches]
    late = union([one.out_unknowns for one in first])
    inst = union([late, *(one.out_inst for one in first)])
    halves = []
    for branch in branches:
        two = split(branch, late, inst)
        outs, residuals = split_list(
            two.known.outvars, [len(two.known.outvars) - two.num_res]
        )
        small, used = pe.dce_jaxpr(
            two.staged, True, [False] * two.num_res + [True] * sum(available)
        )
        needed = chosen(residuals, used[: two.num_res])
        halves.append(_Half(_returning(two.known, outs), small, needed))
    return _join(halves, inst), late


def _returning(
    jaxpr: Jaxpr, outvars: Sequence[Any], more: Sequence[JaxprEqn] = ()
) -> Jaxpr:
    eqns = [*jaxpr.eqns, *more] if more else jaxpr.eqns
    return Jaxpr(
        jaxpr.constvars,
        jaxpr.invars,
        outvars,
        eqns,
        jaxpr.effects | effects_of(more),
        jaxpr.debug_info._replace(result_paths=None),
        jaxpr.consts,
    )


def _join(halves: Sequence[_Half], later_outs: Sequence[bool]) -> Joined:
    slots: dict[tuple[Any, int], int] = {}  # (type, how manieth of it) -> place
    forwarded: dict[int, int] = {}  # operand -> place
    places = [_places(half, slots, forwarded) for half in halves]
    avals = [aval for aval, _ in slots]
    operand_avals = [halves[0].known.in_avals[i] for i in forwarded]
    known, later = [], []
    for half, (in_slots, in_operands) in zip(halves, places, strict=True):
        known.append(_filling(half.known, avals, in_slots, half.residuals))
        count = len(half.residuals)
        binders, own = split_list(half.later.invars, [count])
        lead = [Var(aval) for aval in (*avals, *operand_avals)]
        for binder, slot, operand in zip(binders, in_slots, in_operands, strict=True):
            if slot is not None:
                lead[slot] = binder
            elif operand is not None:
                lead[len(avals) + operand] = binder
        later.append(half.later.replace(invars=[*lead, *own]))
    return Joined(
        tuple(known), tuple(later), tuple(forwarded), tuple(later_outs), tuple(avals)
    )


def _places(
    half: _Half, slots: dict[tuple[Any, int], int], forwarded: dict[int, int]
) -> tuple[list[int | None], list[int | None]]:
    """For each residual its place among slots, or among forwarded operands."""
    number_of = {var: i for i, var in enumerate(half.known.invars)}
    seen: dict[Any, int] = {}
    in_slots: list[int | None] = []
    in_operands: list[int | None] = []
    for x in half.residuals:
        number = None if type(x) is Literal else number_of.get(x)
        if number is not None:
            in_slots.append(None)
            in_operands.append(forwarded.setdefault(number, len(forwarded)))
            continue
        aval = x.aval.strip_weak_type()
        seen[aval] = seen.get(aval, 0) + 1
        in_slots.append(slots.setdefault((aval, seen[aval]), len(slots)))
        in_operands.append(None)
    return in_slots, in_operands


def _filling(
    known: Jaxpr,
    avals: Sequence[Any],
    in_slots: Sequence[Any],
    residuals: Sequence[Any],
) -> Jaxpr:
    """`known`, returning its residuals in their slots and nothing in the others."""
    filled = {
        slot: x for slot, x in zip(in_slots, residuals, strict=True) if slot is not None
    }
    eqns: list[JaxprEqn] = []
    outs = [
        filled[i] if i in filled else _empty_value(aval, eqns)
        for i, aval in enumerate(avals)
    ]
    return _returning(known, [*known.outvars, *outs], eqns)


def _empty_value(aval: Any, eqns: list[JaxprEqn]) -> Var:
    params = {"dtype": aval.dtype, "memory_space": aval.memory_space}
    scalar = Var(_empty_type(**params))
    eqns.append(JaxprEqn(empty2_p, [], [scalar], params))
    return repeated(scalar, aval, eqns) if aval.shape else scalar


def repeated(scalar: Any, aval: Any, eqns: list[JaxprEqn]) -> Var:
    """A variable of type `aval` filled with `scalar`; its equation goes to `eqns`."""
    filled = Var(aval)
    params = {"shape": aval.shape, "broadcast_dimensions": (), "sharding": None}
    eqns.append(JaxprEqn(broadcast_in_dim_p, [scalar], [filled], params))
    return filled


def returning_zeros(
    jaxpr: Jaxpr, has: Sequence[bool], wanted: Sequence[bool], avals: Sequence[Any]
) -> Jaxpr:
    """`jaxpr`, which returns what `has` marks, with zeros for what else is wanted."""
    if tuple(has) == tuple(wanted):
        return jaxpr
    found = iter(jaxpr.outvars)
    eqns: list[JaxprEqn] = []
    outs = []
    for there, want, aval in zip(has, wanted, avals, strict=True):
        if there:
            outs.append(next(found))
        elif want:
            zero = make_literal(ad.scalar_of(0, aval))
            outs.append(repeated(zero, aval, eqns) if aval.shape else zero)
    return _returning(jaxpr, outs, eqns)
