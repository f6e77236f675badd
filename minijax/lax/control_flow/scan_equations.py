"""Scans inside programs that are cut: dead code, known and unknown, policies.

What rules get and return: see `interpreters/partial_eval`.

Source: spec/control_flow.md §4.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...base.util import split_list
from ...core import Jaxpr, JaxprEqn, Literal, Var, same_type
from ...interpreters import partial_eval as pe
from .rearranging import chosen, rearranged
from .scan_residuals import (
    INVARIANT,
    SCANNED,
    Groups,
    Halves,
    fixpoint,
    partially_known,
)
from .tracing import stacked_aval


def _groups(eqn: JaxprEqn) -> Groups:
    params = eqn.params
    return Groups.of(params["jaxpr"], params["num_consts"], params["num_carry"])


def dce_scan(
    used_outs: list[bool], live_ins: list[bool], eqn: JaxprEqn
) -> tuple[Sequence[bool], JaxprEqn | None]:
    """Keep a carry that is used, or that a used result needs."""
    params = eqn.params
    jaxpr, num_carry = params["jaxpr"], params["num_carry"]
    groups = Groups.of(jaxpr, params["num_consts"], num_carry)
    carry, ys = split_list(used_outs, [num_carry])
    while True:
        body, used = pe.dce_jaxpr(jaxpr, [*carry, *ys])
        grown = [a or b for a, b in zip(carry, groups.split(used)[1], strict=True)]
        if grown == carry:
            break
        carry = grown
    consts, _, slices = groups.split(used)
    used_ins = [*consts, *carry, *slices]
    if body is jaxpr:
        return used_ins, eqn
    body, _ = pe.dce_jaxpr(jaxpr, [*carry, *ys], used_ins)
    outs = [*carry, *ys]
    return used_ins, _equation(
        eqn,
        body,
        (sum(consts), sum(carry)),
        chosen(eqn.invars, used_ins),
        chosen(eqn.outvars, outs),
    )


def _equation(
    eqn: JaxprEqn,
    jaxpr: Jaxpr,
    counts: tuple[int, int],
    invars: Sequence[Any],
    outvars: Sequence[Any],
) -> JaxprEqn:
    """A scan like `eqn` of another body; counts: of constants and carries."""
    num_consts, num_carry = counts
    params = {
        **eqn.params, "jaxpr": jaxpr, "num_consts": num_consts, "num_carry": num_carry
    }  # fmt: skip
    return eqn.replace(
        invars=list(invars),
        outvars=list(outvars),
        params=params,
        effects=jaxpr.effects,
    )


def split_scan(unknown_ins: list[bool], eqn: JaxprEqn) -> Any:
    """Two scans: residuals of the first are scanned over by the second."""
    params, groups = eqn.params, _groups(eqn)
    halves = partially_known(
        params["jaxpr"], groups.consts, groups.carry, tuple(unknown_ins), hoist=False
    )
    first, invariant, new = _forward_equation(eqn, groups, halves)
    num_known_carry = first.params["num_carry"]
    stacked, xs = first.outvars[num_known_carry:], groups.split(eqn.invars)[2]
    slices = [
        xs[i] if kind is SCANNED else stacked[i] for kind, i in halves.residual_slices
    ]
    late = list(map(chosen, groups.split(eqn.invars), groups.split(halves.moves)))
    second = _equation(
        eqn,
        halves.later,
        (len(invariant) + len(late[0]), len(late[1])),
        [*invariant, *late[0], *late[1], *late[2], *slices],
        chosen(eqn.outvars, halves.later_outs),
    )
    return first, second, list(halves.later_outs), new


def _forward_equation(
    eqn: JaxprEqn, groups: Groups, halves: Halves
) -> tuple[JaxprEqn, list[Any], list[Var]]:
    """The first scan; the invariant residuals; its results that are new."""
    consts, carry, xs = map(
        chosen, groups.split(eqn.invars), groups.split(halves.known)
    )
    before = dict(zip(halves.before.invars, consts, strict=True))
    fixed = [x if type(x) is Literal else before[x] for x in halves.before.outvars]
    loop_consts, invariant = split_list(fixed, [halves.num_loop_consts])
    outs = [
        v for v, late in zip(eqn.outvars, halves.later_outs, strict=True) if not late
    ]
    length = eqn.params["length"]
    new = [Var(stacked_aval(x.aval, length)) for x in halves.loop.outvars[len(outs) :]]
    counts = len(loop_consts), len(carry)
    operands = [*loop_consts, *carry, *xs]
    first = _equation(eqn, halves.loop, counts, operands, [*outs, *new])
    return first, invariant, new


def split_scan_by_policy(
    policy: pe.Policy, unknown_ins: list[bool], inst_ins: list[bool], eqn: JaxprEqn
) -> Any:
    """Two scans: the second computes the carry again, and what the policy says."""
    jaxpr, groups = eqn.params["jaxpr"], _groups(eqn)
    consts, _, slices = groups.split(inst_ins)
    available = [*consts, *[True] * groups.carry, *slices]
    ys_flags = [False] * (len(jaxpr.outvars) - groups.carry)

    def split(flags: Sequence[bool], carry: Sequence[bool]) -> Any:
        recomputed = [True] * groups.carry + ys_flags
        return pe.partial_eval_jaxpr_custom(
            jaxpr, flags, available, [*carry, *ys_flags], recomputed, policy
        )

    late = fixpoint(
        groups,
        tuple(unknown_ins),
        lambda flags, carry: split(flags, carry).out_unknowns,
    )
    halves = split(late, groups.split(late)[1])
    first, residuals, fresh = _known_equation(eqn, groups, halves, late)
    given = [a or b for a, b in zip(late, available, strict=True)]
    ins = list(map(chosen, groups.split(eqn.invars), groups.split(given)))
    binders = halves.staged.invars
    fixed = [(x, v) for (kind, x), v in zip(residuals, binders) if kind is INVARIANT]
    sliced = [(x, v) for (kind, x), v in zip(residuals, binders) if kind is SCANNED]
    own = binders[len(residuals) :]
    order = [*(v for _, v in fixed), *own, *(v for _, v in sliced)]
    second = _equation(
        eqn,
        rearranged(halves.staged, order),
        (len(fixed) + len(ins[0]), len(ins[1])),
        [*(x for x, _ in fixed), *ins[0], *ins[1], *ins[2], *(x for x, _ in sliced)],
        chosen(eqn.outvars, halves.out_inst),
    )
    return first, second, halves.out_unknowns, halves.out_inst, fresh


def _known_equation(
    eqn: JaxprEqn, groups: Groups, halves: Any, late: Sequence[bool]
) -> tuple[JaxprEqn, list[tuple[str, Any]], list[Var]]:
    """The first scan; residuals, and how the second gets them; those that are new."""
    known = [not flag for flag in late]
    ins = list(map(chosen, groups.split(eqn.invars), groups.split(known)))
    known_outs = [not flag for flag in halves.out_unknowns]
    results, residuals = split_list(halves.known.outvars, [sum(known_outs)])
    consts, _, slices = split_list(halves.known.invars, [len(ins[0]), len(ins[1])])
    place = {var: (INVARIANT, x) for var, x in zip(consts, ins[0], strict=True)}
    place.update((var, (SCANNED, x)) for var, x in zip(slices, ins[2], strict=True))
    fresh = {
        x: Var(stacked_aval(x.aval, eqn.params["length"]))
        for x in residuals
        if x not in place
    }
    place.update((x, (SCANNED, var)) for x, var in fresh.items())
    first = _equation(
        eqn,
        rearranged(halves.known, outvars=[*results, *fresh]),
        (len(ins[0]), len(ins[1])),
        [*ins[0], *ins[1], *ins[2]],
        [*chosen(eqn.outvars, known_outs), *fresh.values()],
    )
    return first, [place[x] for x in residuals], list(fresh.values())


def check_scan(eqn: JaxprEqn) -> str:
    """What is wrong with the operands of a scan."""
    params = eqn.params
    jaxpr, num_carry, length = (params[n] for n in ("jaxpr", "num_carry", "length"))
    if len(eqn.invars) != len(jaxpr.invars):
        return f"{len(eqn.invars)} operands for a body of {len(jaxpr.invars)} inputs"
    groups = Groups.of(jaxpr, params["num_consts"], num_carry)
    consts, carry, slices = groups.split(jaxpr.in_avals)
    expected = [*consts, *carry, *(stacked_aval(aval, length) for aval in slices)]
    for i, (x, aval) in enumerate(zip(eqn.invars, expected, strict=True)):
        if not same_type(x.aval, aval):
            return f"operand {i} has type {x.aval}, the body takes {aval}"
    for i, (before, after) in enumerate(zip(carry, jaxpr.out_avals)):
        if not same_type(before, after):
            return f"carry {i} goes into the body as {before} and comes out as {after}"
    if params["unroll"] < 0 or length < 0:
        return f"length={length} and unroll={params['unroll']} must not be negative"
    return ""
