"""A scan in two: one that keeps what the other will need.

Linearization and partial evaluation both cut the body into a forward and a later half
joined by residuals. A residual need not be stacked, one per step, if it is the same in
every step (it is computed once, before the loop) or is what the loop scans over anyway.

Inputs of a body are in three groups: constants, carry, slices; results in two: carry,
slices. What belongs to a later half is marked by a flag per input.

Source: spec/ad.md §3.7; spec/control_flow.md §§4.3, 4.5.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ...base.util import split_list
from ...core import Jaxpr, Literal, eval_jaxpr
from ...interpreters import ad
from ...interpreters import partial_eval as pe
from .rearranging import (
    chosen,
    hoisted,
    invariants,
    kept_with_programs,
    rearranged,
    uncut,
)

INVARIANT, SCANNED, STACKED = "invariant", "scanned", "stacked"


class Groups(NamedTuple):
    """How many inputs of each group a body has."""

    consts: int
    carry: int
    slices: int

    @classmethod
    def of(cls, jaxpr: Jaxpr, num_consts: int, num_carry: int) -> Groups:
        return cls(num_consts, num_carry, len(jaxpr.invars) - num_consts - num_carry)

    def split(self, items: Sequence[Any]) -> list[list[Any]]:
        """Items, one per input, as three lists."""
        return split_list(items, [self.consts, self.carry])


class Halves(NamedTuple):
    """A body cut in two.

    before: known constants -> loop constants ++ invariant residuals. loop: the forward
    body, on loop constants, known carry and slices; it returns known carry, known
    slices and stacked residuals. later: the other body: invariant residuals, its
    constants, its carry, its slices, residual slices -> its carry, its slices.
    residual_slices: for each, (SCANNED, which slice input) or (STACKED, which stacked
    result). known, moves: per input, which belong to the forward and which to the later
    half. later_outs: per result, which the later half returns.
    """

    before: Jaxpr
    num_loop_consts: int
    loop: Jaxpr
    later: Jaxpr
    num_invariant: int
    residual_slices: tuple[tuple[str, int], ...]
    known: tuple[bool, ...]
    moves: tuple[bool, ...]
    later_outs: tuple[bool, ...]


# scan_p.bind: given by the module that rules the primitive
Bind = Callable[..., list[Any]]


def run_forward(
    bind: Bind, halves: Halves, groups: Groups, operands: Sequence[Any], params: Any
) -> tuple[list[Any], list[Any], list[Any]]:
    """Run the forward half on known operands.

    Returns its results, the invariant residuals, the residual slices.
    """
    consts, carry, xs = groups.split(operands)
    known_consts, known_carry, known_xs = groups.split(halves.known)
    values = eval_jaxpr(
        halves.before, halves.before.consts, *chosen(consts, known_consts)
    )
    loop_consts, invariant = split_list(values, [halves.num_loop_consts])
    given = chosen(carry, known_carry)
    outs: list[Any] = []
    if halves.loop.outvars or halves.loop.effects:
        outs = bind(
            *loop_consts,
            *given,
            *chosen(xs, known_xs),
            jaxpr=halves.loop,
            num_consts=len(loop_consts),
            num_carry=len(given),
            **params,
        )
    slices = [
        xs[i] if kind is SCANNED else outs[len(given) + i]
        for kind, i in halves.residual_slices
    ]
    return outs, invariant, slices


def run_later(
    bind: Bind,
    halves: Halves,
    groups: Groups,
    residuals: tuple[Sequence[Any], Sequence[Any]],
    operands: Sequence[Any],
    params: Any,
) -> list[Any]:
    """Run the later half; `operands`, one per input, are read where `moves` is set."""
    invariant, slices = residuals
    consts, carry, xs = map(chosen, groups.split(operands), groups.split(halves.moves))
    return bind(
        *invariant,
        *consts,
        *carry,
        *xs,
        *slices,
        jaxpr=halves.later,
        num_consts=len(invariant) + len(consts),
        num_carry=len(carry),
        **params,
    )


# --- Cutting --------------------------------------------------------------------------


def fixpoint(
    groups: Groups,
    flags: tuple[bool, ...],
    flags_out: Callable[[tuple[bool, ...], tuple[bool, ...]], Sequence[bool]],
) -> tuple[bool, ...]:
    """Flags of inputs such that a carry that comes out flagged goes in flagged.

    `flags_out(flags, carry_flags)` tells the flags of the results. At least one carry
    is added in every round, so there are at most as many as carries.
    """
    consts, carry, slices = groups.split(flags)
    while True:
        now = (*consts, *carry, *slices)
        out = flags_out(now, tuple(carry))
        grown = [a or b for a, b in zip(carry, out[: groups.carry], strict=True)]
        if grown == carry:
            return now
        carry = grown


@kept_with_programs
def linearized(
    jaxpr: Jaxpr, num_consts: int, num_carry: int, nonzeros: tuple[bool, ...]
) -> Halves:
    """The body and its derivative. The forward half computes all results."""
    groups = Groups.of(jaxpr, num_consts, num_carry)
    slices_out = (False,) * (len(jaxpr.outvars) - num_carry)

    def moving_out(flags: tuple[bool, ...], carry: tuple[bool, ...]) -> Sequence[bool]:
        return ad.linearize_jaxpr(jaxpr, flags, (*carry, *slices_out)).nonzeros_out

    moves = fixpoint(groups, nonzeros, moving_out)
    carry = groups.split(moves)[1]
    split = ad.linearize_jaxpr(jaxpr, moves, (*carry, *slices_out))
    computed = split.forward.outvars[len(jaxpr.outvars) :]
    residuals = split.residuals(split.forward.invars, computed)
    known = (True,) * len(moves)
    forward = rearranged(
        split.forward, outvars=split.forward.outvars[: len(jaxpr.outvars)]
    )
    return _halves(
        groups, (forward, num_carry), split.tangent, residuals, (known, moves),
        split.nonzeros_out,
    )  # fmt: skip


@kept_with_programs
def partially_known(
    jaxpr: Jaxpr,
    num_consts: int,
    num_carry: int,
    unknowns: tuple[bool, ...],
    hoist: bool,
) -> Halves:
    """The part that follows from known inputs, and the rest.

    Without `hoist` nothing is computed before the loop.
    """
    groups = Groups.of(jaxpr, num_consts, num_carry)
    slices_out = (False,) * (len(jaxpr.outvars) - num_carry)

    def unknown_out(flags: tuple[bool, ...], carry: tuple[bool, ...]) -> Sequence[bool]:
        return pe.split_jaxpr(jaxpr, flags, (*carry, *slices_out))[2]

    late = fixpoint(groups, unknowns, unknown_out)
    carry = groups.split(late)[1]
    known, later, late_outs, avals = pe.split_jaxpr(jaxpr, late, (*carry, *slices_out))
    count = len(known.outvars) - len(avals)
    forward = rearranged(known, outvars=known.outvars[:count])
    return _halves(
        groups,
        (forward, num_carry - sum(carry)),
        later,
        known.outvars[count:],
        (tuple(not flag for flag in late), late),
        late_outs,
        hoist=hoist,
    )


def _halves(
    groups: Groups,
    forward: tuple[Jaxpr, int],
    later: Jaxpr,
    residuals: Sequence[Any],
    flags: tuple[tuple[bool, ...], tuple[bool, ...]],
    later_outs: Sequence[bool],
    *,
    hoist: bool = True,
) -> Halves:
    """Sort residuals by where they come from. forward: the body, how many carries."""
    body, num_carry = forward
    known, moves = flags
    num_consts = sum(groups.split(known)[0])
    cut = (invariants if hoist else uncut)(body, num_consts)
    binders, moving = split_list(later.invars, [len(residuals)])
    same = [
        (x, binder)
        for x, binder in zip(residuals, binders, strict=True)
        if type(x) is Literal or x in cut.fixed
    ]
    fixed = {binder for _, binder in same}
    others = [
        (x, binder)
        for x, binder in zip(residuals, binders, strict=True)
        if binder not in fixed
    ]
    outs, sources = _sources(body, num_carry, groups.split(known)[2], others)
    two = hoisted(body, num_consts, cut, outs, [x for x, _ in same])
    lead, rest = split_list(moving, [sum(groups.split(moves)[0])])
    order = [*(v for _, v in same), *lead, *rest, *(v for _, v in others)]
    return Halves(
        two.before, two.num_consts, two.loop, rearranged(later, order), len(same),
        sources, known, moves, tuple(later_outs),
    )  # fmt: skip


def _sources(
    body: Jaxpr,
    num_carry: int,
    known_slices: Sequence[bool],
    residuals: Sequence[tuple[Any, Any]],
) -> tuple[list[Any], tuple[tuple[str, int], ...]]:
    """Results of the forward loop, and where each residual that has slices is found.

    A slice input is scanned over again; a stacked result serves for its residual; what
    is neither becomes one more result.
    """
    numbers = [i for i, known in enumerate(known_slices) if known]
    slices = body.invars[len(body.invars) - len(numbers) :]
    scanned = dict(zip(slices, numbers, strict=True))
    outs = list(body.outvars)
    stacked = {x: i for i, x in enumerate(outs[num_carry:]) if type(x) is not Literal}
    sources: list[tuple[str, int]] = []
    for x, _ in residuals:
        if x in scanned:
            sources.append((SCANNED, scanned[x]))
            continue
        if x not in stacked:
            stacked[x] = len(outs) - num_carry
            outs.append(x)
        sources.append((STACKED, stacked[x]))
    return outs, tuple(sources)
