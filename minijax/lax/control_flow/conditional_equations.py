"""Conds inside programs that are cut: dead code, known and unknown, policies.

What rules get and return: see `interpreters/partial_eval`.

Source: spec/control_flow.md §1.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core import (
    Effects,
    Jaxpr,
    JaxprEqn,
    ShapedArray,
    Var,
    no_effects,
    same_type,
)
from ...interpreters import partial_eval as pe
from .conditional_residuals import Joined, partially_known, split_by_policy, union
from .rearranging import chosen

Branches = tuple[Jaxpr, ...]
INDEX = ShapedArray((), "int32")


def effects_of_cond(*avals: Any, branches: Branches, **_: Any) -> Effects:
    """What any of the branches does."""
    return no_effects.union(*[branch.effects for branch in branches])


def check_cond(eqn: JaxprEqn) -> str:
    """What is wrong with the operands of a cond."""
    index, *operands = eqn.invars
    if not same_type(index.aval, INDEX):
        return f"the index has type {index.aval}, it must be {INDEX}"
    for number, branch in enumerate(eqn.params["branches"]):
        for what, atoms, avals in (
            ("operands", operands, branch.in_avals),
            ("results", eqn.outvars, branch.out_avals),
        ):
            if len(atoms) != len(avals):
                return (
                    f"{len(atoms)} {what} for branch {number}, which has {len(avals)}"
                )
            for i, (x, aval) in enumerate(zip(atoms, avals, strict=True)):
                if not same_type(x.aval, aval):
                    return (
                        f"number {i} of the {what} has type {x.aval}, in branch "
                        f"{number} it has type {aval}"
                    )
    return ""


def dce_cond(
    used_outs: list[bool], live_ins: list[bool], eqn: JaxprEqn
) -> tuple[Sequence[bool], JaxprEqn | None]:
    """Keep the results that are used and the operands that some branch needs."""
    branches = eqn.params["branches"]
    used = union([pe.dce_jaxpr(branch, used_outs)[1] for branch in branches])
    smaller = tuple([pe.dce_jaxpr(branch, used_outs, used)[0] for branch in branches])
    used_ins = [True, *used]
    if all(one is other for one, other in zip(smaller, branches, strict=True)):
        return used_ins, eqn
    cut = _equation(
        eqn, smaller, chosen(eqn.invars, used_ins), chosen(eqn.outvars, used_outs)
    )
    return used_ins, cut


def _equation(
    eqn: JaxprEqn, branches: Branches, invars: Sequence[Any], outvars: Sequence[Any]
) -> JaxprEqn:
    return eqn.replace(
        invars=list(invars),
        outvars=list(outvars),
        params={**eqn.params, "branches": branches},
        effects=effects_of_cond(branches=branches),
    )


def split_cond(unknown_ins: list[bool], eqn: JaxprEqn) -> Any:
    """Two conds with one index; none of it is known where the index is not."""
    if unknown_ins[0]:
        return None, eqn, [True] * len(eqn.outvars), []
    halves = partially_known(eqn.params["branches"], tuple(unknown_ins[1:]))
    known_outs = [not flag for flag in halves.later_outs]
    known, later, new = _two_conds(
        eqn, halves, unknown_ins[1:], known_outs, unknown_ins[1:]
    )
    return known, later, halves.later_outs, new


def split_cond_by_policy(
    policy: pe.Policy, unknown_ins: list[bool], inst_ins: list[bool], eqn: JaxprEqn
) -> Any:
    """Two conds; the second computes again what the policy says."""
    count = len(eqn.outvars)
    if unknown_ins[0]:
        return None, eqn, [True] * count, [True] * count, []
    unknowns = unknown_ins[1:]
    own = [a or b for a, b in zip(unknowns, inst_ins[1:], strict=True)]
    halves, late = split_by_policy(eqn.params["branches"], unknowns, own, policy)
    known_outs = [not flag for flag in late]
    known, later, new = _two_conds(eqn, halves, unknowns, known_outs, own)
    return known, later, late, halves.later_outs, new


def _two_conds(
    eqn: JaxprEqn,
    halves: Joined,
    unknowns: Sequence[bool],
    known_outs: Sequence[bool],
    own: Sequence[bool],
) -> tuple[JaxprEqn, JaxprEqn, list[Var]]:
    """own: which operands the second cond takes besides residuals."""
    index, *operands = eqn.invars
    known = [x for x, late in zip(operands, unknowns, strict=True) if not late]
    new = [Var(aval) for aval in halves.residual_avals]
    first = _equation(
        eqn, halves.known, [index, *known], [*chosen(eqn.outvars, known_outs), *new]
    )
    second = _equation(
        eqn,
        halves.later,
        [index, *new, *(known[i] for i in halves.forwarded), *chosen(operands, own)],
        chosen(eqn.outvars, halves.later_outs),
    )
    return first, second, new
