"""Rules for equations that call one program: made by saying which param holds it.

Such an equation has an operand per input of the program and a result per result. When
some are cut away, params that say something per operand or result must be cut alike;
the primitive's own `adapt(params, inputs, outputs) -> params` does it: two lists that
give, for each operand or result that the new equation has, its old number, or None for
a residual. Without it the params stay.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...core import Jaxpr, JaxprEqn, Literal, Var
from .dce import DCERule, dce_jaxpr, effects_of
from .policies import Policy, partial_eval_jaxpr_custom
from .splitting import SplitRule, split_jaxpr

Numbers = list[int | None]
Adapt = Callable[[dict[str, Any], Numbers, Numbers], dict[str, Any]]


def _as_they_are(
    params: dict[str, Any], inputs: Numbers, outputs: Numbers
) -> dict[str, Any]:
    return params


def _numbers(
    chosen: Sequence[bool], new: int = 0, *, new_first: bool = False
) -> Numbers:
    numbers: Numbers = [i for i, is_chosen in enumerate(chosen) if is_chosen]
    fresh: Numbers = [None] * new
    return fresh + numbers if new_first else numbers + fresh


class _Calls:
    """Makes equations like a given one, around another program."""

    def __init__(self, program: str, adapt: Adapt | None) -> None:
        self.program, self.adapt = program, adapt or _as_they_are

    def __call__(
        self,
        eqn: JaxprEqn,
        jaxpr: Jaxpr,
        operands: tuple[Sequence[Any], Numbers],
        results: tuple[Sequence[Var], Numbers],
    ) -> JaxprEqn:
        (invars, inputs), (outvars, outputs) = operands, results
        params = self.adapt({**eqn.params, self.program: jaxpr}, inputs, outputs)
        return eqn.replace(
            invars=list(invars),
            outvars=list(outvars),
            params=params,
            effects=effects_of(jaxpr.eqns, eqn.effects),
        )


def _chosen[T](items: Sequence[T], flags: Sequence[bool]) -> list[T]:
    return [x for x, flag in zip(items, flags, strict=True) if flag]


def call_dce_rule(program: str = "jaxpr", adapt: Adapt | None = None) -> DCERule:
    """Cut the called program: its unused results, what only they need, its inputs."""
    make = _Calls(program, adapt)

    def rule(
        used_outs: list[bool], live_ins: list[bool], eqn: JaxprEqn
    ) -> tuple[Sequence[bool], JaxprEqn | None]:
        jaxpr = eqn.params[program]
        smaller, used_ins = dce_jaxpr(jaxpr, used_outs, False, live_ins)
        if smaller is jaxpr:
            return used_ins, eqn
        if not smaller.outvars and not smaller.effects:
            return [False] * len(used_ins), None
        operands = _chosen(eqn.invars, used_ins), _numbers(used_ins)
        results = _chosen(eqn.outvars, used_outs), _numbers(used_outs)
        return used_ins, make(eqn, smaller, operands, results)

    return rule


def call_split_rule(program: str = "jaxpr", adapt: Adapt | None = None) -> SplitRule:
    """Two calls, of the known and of the unknown part of the program.

    A residual that is an operand is not returned by the first and handed to the second.
    """
    make = _Calls(program, adapt)

    def rule(unknown_ins: list[bool], eqn: JaxprEqn) -> Any:
        jaxpr = eqn.params[program]
        known, unknown, unknown_outs, avals = split_jaxpr(jaxpr, unknown_ins, False)
        known_ins = [not flag for flag in unknown_ins]
        known_outs = [not flag for flag in unknown_outs]
        operands = _chosen(eqn.invars, known_ins)
        residuals, known = _forwarded(known, operands, len(avals))
        new = [x for x in residuals if isinstance(x, _New)]
        known_eqn = make(
            eqn,
            known,
            (operands, _numbers(known_ins)),
            (
                [*_chosen(eqn.outvars, known_outs), *(x.var for x in new)],
                _numbers(known_outs, len(new)),
            ),
        )
        given = [x.var if isinstance(x, _New) else x for x in residuals]
        # The call's own operands stay in front, where its params count them.
        count = len(given)
        behind = unknown.replace(
            invars=[*unknown.invars[count:], *unknown.invars[:count]]
        )
        unknown_eqn = make(
            eqn,
            behind,
            (
                [*_chosen(eqn.invars, unknown_ins), *given],
                _numbers(unknown_ins, count),
            ),
            (_chosen(eqn.outvars, unknown_outs), _numbers(unknown_outs)),
        )
        return known_eqn, unknown_eqn, unknown_outs, [x.var for x in new]

    return rule


class _New:
    """A residual that the known call computes. Field: var, its result."""

    def __init__(self, aval: Any) -> None:
        self.var = Var(aval)


def _forwarded(
    known: Jaxpr, operands: Sequence[Any], count: int
) -> tuple[list[Any], Jaxpr]:
    """The residuals, as operands or `_New`; the program without those it forwards."""
    split_at = len(known.outvars) - count
    place = dict(zip(known.invars, operands, strict=True))
    residuals: list[Any] = []
    kept = known.outvars[:split_at]
    for var in known.outvars[split_at:]:
        if type(var) is not Literal and var in place:
            residuals.append(place[var])
        else:
            residuals.append(_New(var.aval))
            kept.append(var)
    if len(kept) == len(known.outvars):
        return residuals, known
    return residuals, known.replace(outvars=kept, debug_info=known.debug_info)


def call_policy_rule(
    program: str = "jaxpr", adapt: Adapt | None = None
) -> Callable[..., Any]:
    """Two calls, split by the policy inside the program."""
    make = _Calls(program, adapt)

    def rule(
        policy: Policy, unknown_ins: list[bool], inst_ins: list[bool], eqn: JaxprEqn
    ) -> Any:
        jaxpr = eqn.params[program]
        known, staged, unknown_outs, inst_outs, count = partial_eval_jaxpr_custom(
            jaxpr, unknown_ins, inst_ins, False, False, policy
        )
        known_ins = [not flag for flag in unknown_ins]
        known_outs = [not flag for flag in unknown_outs]
        available = [a or b for a, b in zip(unknown_ins, inst_ins, strict=True)]
        operands = _chosen(eqn.invars, known_ins)
        residuals, known = _forwarded(known, operands, count)
        new = [x.var for x in residuals if isinstance(x, _New)]
        given = [x.var if isinstance(x, _New) else x for x in residuals]
        known_eqn: JaxprEqn | None = make(
            eqn,
            known,
            (operands, _numbers(known_ins)),
            (
                [*_chosen(eqn.outvars, known_outs), *new],
                _numbers(known_outs, len(new)),
            ),
        )
        # What is both known and staged is bound by both equations, in two programs.
        staged_eqn: JaxprEqn | None = make(
            eqn,
            staged,
            (
                [*given, *_chosen(eqn.invars, available)],
                _numbers(available, len(given), new_first=True),
            ),
            (_chosen(eqn.outvars, inst_outs), _numbers(inst_outs)),
        )
        if not any(known_outs) and not new and not known.effects:
            known_eqn = None
        if not any(inst_outs) and not staged.effects:
            staged_eqn = None
        return known_eqn, staged_eqn, unknown_outs, inst_outs, new

    return rule
