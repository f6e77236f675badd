"""Splitting by a policy: what a second run may take from the first.

`split_jaxpr` makes unknown only what must be. Here the later program, called staged,
may compute a known value once more instead of getting it as a residual; a policy
decides: `policy(primitive, *avals, **params)` answers Saveable (True), Recompute
(False), or Offloadable(src, dst): kept, in another memory.

A variable is unknown, known, or known and instantiated: available on the staged side
without a residual. Unknown variables are instantiated. A rule, for a primitive that
holds programs, cuts inside the equation: `rule(policy, unknown_ins, instantiated_ins,
eqn) -> (known_eqn, staged_eqn, unknown_outs, instantiated_outs, residuals)`. It is
always asked. Either equation may be None; operands of staged_eqn that are not
instantiated become residuals; `residuals` are new variables, results of known_eqn.

Source: spec/ad.md §§1.13, 3.4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import or_
from typing import Any, NamedTuple

from ...base import util
from ...base.errors import ArgumentTypeError, ArgumentValueError
from ...core import (
    Effect,
    Jaxpr,
    JaxprEqn,
    Literal,
    NamedAxisEffect,
    RuleTable,
    Var,
    without_refs,
)
from .dce import chosen_names, effects_of, flag_tuple, variables

policy_rules = RuleTable("policy")


# --- Answers ------------------------------


class SaveableType:
    """As an answer of a policy: what this equation computes may be kept."""

    def __repr__(self) -> str:
        return "Saveable"


class RecomputeType:
    """As an answer of a policy: what this equation computes is computed again."""

    def __repr__(self) -> str:
        return "Recompute"


class Offloadable(NamedTuple):
    """As an answer of a policy: kept in memory `dst` and brought back to `src`."""

    src: Any
    dst: Any


Saveable = SaveableType()
Recompute = RecomputeType()
Answer = SaveableType | RecomputeType | Offloadable
Policy = Callable[..., bool | Answer]


def answer_of(policy: Policy, eqn: JaxprEqn) -> Answer:
    """What the policy says about one equation.

    Raises:
        TypeError: it says something else.
    """
    said = policy(eqn.primitive, *(x.aval for x in eqn.invars), **eqn.params)
    if isinstance(said, bool):
        return Saveable if said else Recompute
    if isinstance(said, SaveableType | RecomputeType | Offloadable):
        return said
    raise ArgumentTypeError(
        "A checkpoint policy returns a bool, Saveable, Recompute or "
        "Offloadable(src=…, dst=…).",
        f"Found {said!r} of type {type(said).__name__}, about {eqn.primitive}.",
    )


# "move": function(variable, memory) -> equation whose one result is the value there;
# entered by the floor that owns the primitive.
movers: dict[str, Callable[[Var, Any], JaxprEqn]] = {}


# --- The split ----------------------------


Flags = bool | Sequence[bool]  # one for each input or result, or one for all


class Split(NamedTuple):
    """What `partial_eval_jaxpr_custom` returns.

    known: known inputs -> known results ++ residuals. staged: residuals ++ instantiated
    inputs -> instantiated results. The flags are those of the results.
    """

    known: Jaxpr
    staged: Jaxpr
    out_unknowns: list[bool]
    out_inst: list[bool]
    num_res: int


def partial_eval_jaxpr_custom(
    jaxpr: Jaxpr,
    in_unknowns: Sequence[bool],
    in_inst: Flags,
    ensure_out_unknowns: Flags,
    ensure_out_inst: Flags,
    saveable: Policy,
) -> Split:
    """Cut a program in two; `saveable` is the policy.

    in_inst: which inputs the staged program gets anyway. ensure_out_unknowns,
    ensure_out_inst: results that must be unknown, must be results of the staged
    program. Constants are available on both sides. Equations with effects are never run
    twice.
    """
    inputs, outputs = len(jaxpr.invars), len(jaxpr.outvars)
    unknowns = flag_tuple(in_unknowns, inputs)
    known, staged, out_unknowns, out_inst, count = _split(
        without_refs(jaxpr),
        unknowns,
        tuple(map(or_, unknowns, flag_tuple(in_inst, inputs))),
        flag_tuple(ensure_out_unknowns, outputs),
        flag_tuple(ensure_out_inst, outputs),
        saveable,
    )
    return Split(known, staged, list(out_unknowns), list(out_inst), count)


@util.memoize_weakly(maxsize=1024)
def _split(
    jaxpr: Jaxpr,
    in_unknowns: tuple[bool, ...],
    in_inst: tuple[bool, ...],
    ensure_unknowns: tuple[bool, ...],
    ensure_inst: tuple[bool, ...],
    policy: Policy,
) -> tuple[Jaxpr, Jaxpr, tuple[bool, ...], tuple[bool, ...], int]:
    walk = _Walk(jaxpr, in_unknowns, in_inst, policy)
    for eqn in jaxpr.eqns:
        walk.add(eqn)
    out_unknowns, out_inst = [], []
    for x, unknown, inst in zip(
        jaxpr.outvars, ensure_unknowns, ensure_inst, strict=True
    ):
        unknown = unknown or walk.is_unknown(x)
        if unknown or inst:
            walk.instantiate([x])
        out_unknowns.append(unknown)
        out_inst.append(unknown or (type(x) is not Literal and walk.is_instantiated(x)))
    known = walk.known_side(in_unknowns, out_unknowns)
    staged = walk.staged_side(in_inst, out_inst)
    return known, staged, tuple(out_unknowns), tuple(out_inst), len(walk.residuals)


class _Walk:
    """Both programs under construction, and what is known of each variable."""

    def __init__(
        self,
        jaxpr: Jaxpr,
        in_unknowns: Sequence[bool],
        in_inst: Sequence[bool],
        policy: Policy,
    ) -> None:
        self.jaxpr, self.policy = jaxpr, policy
        self.known_eqns: list[JaxprEqn] = []
        self.staged_eqns: list[JaxprEqn] = []
        self.residuals: dict[Var, None] = {}  # in order
        self.unknown = {v for v, u in zip(jaxpr.invars, in_unknowns, strict=True) if u}
        self.instantiated = {v for v, i in zip(jaxpr.invars, in_inst, strict=True) if i}
        self.instantiated.update(jaxpr.constvars)

    def is_unknown(self, x: Any) -> bool:
        return type(x) is not Literal and x in self.unknown

    def is_instantiated(self, x: Any) -> bool:
        return type(x) is Literal or x in self.instantiated

    def instantiate(self, operands: Sequence[Any]) -> None:
        """Make operands available on the staged side, as residuals if need be."""
        for x in operands:
            if not self.is_instantiated(x):
                self.residuals[x] = None
                self.instantiated.add(x)

    def add(self, eqn: JaxprEqn) -> None:
        unknown_ins = [self.is_unknown(x) for x in eqn.invars]
        rule = policy_rules.get(eqn.primitive)
        if rule is not None:
            self._add_by_rule(rule, unknown_ins, eqn)
        elif any(unknown_ins):
            self._stage(eqn)
            self.unknown.update(eqn.outvars)
        else:
            self.known_eqns.append(eqn)
            if all(map(_may_run_twice, eqn.effects)):
                self._keep(eqn, answer_of(self.policy, eqn))

    def _stage(self, eqn: JaxprEqn) -> None:
        self.instantiate(eqn.invars)
        self.staged_eqns.append(eqn)
        self.instantiated.update(eqn.outvars)

    def _add_by_rule(
        self, rule: Callable[..., Any], unknown_ins: list[bool], eqn: JaxprEqn
    ) -> None:
        inst_ins = [self.is_instantiated(x) for x in eqn.invars]
        known_eqn, staged_eqn, unknown_outs, inst_outs, new = rule(
            self.policy, unknown_ins, inst_ins, eqn
        )
        if known_eqn is not None:
            self.known_eqns.append(known_eqn)
        self.instantiate(new)
        if staged_eqn is not None:
            self.instantiate(staged_eqn.invars)
            self.staged_eqns.append(staged_eqn)
        for var, unknown, inst in zip(
            eqn.outvars, unknown_outs, inst_outs, strict=True
        ):
            if unknown:
                self.unknown.add(var)
            if unknown or inst:
                self.instantiated.add(var)

    def _keep(self, eqn: JaxprEqn, answer: Answer) -> None:
        if isinstance(answer, RecomputeType):
            self._stage(eqn)
        elif isinstance(answer, Offloadable):
            for var in eqn.outvars:
                self._offload(var, answer)

    def _offload(self, var: Var, answer: Offloadable) -> None:
        if "move" not in movers:
            raise ArgumentValueError(
                f"A policy offloads to {answer.dst!r}.",
                "Nothing here moves values between memories.",
                "Import minijax as a whole.",
            )
        away = movers["move"](var, answer.dst)
        (there,) = away.outvars
        self.known_eqns.append(away)
        self.residuals[there] = None
        # On the staged side the variable itself is what comes back.
        back = movers["move"](there, answer.src).replace(outvars=[var])
        self.staged_eqns.insert(0, back)
        self.instantiated.update((there, var))

    def known_side(
        self, in_unknowns: Sequence[bool], out_unknowns: Sequence[bool]
    ) -> Jaxpr:
        jaxpr = self.jaxpr
        known_in = [not unknown for unknown in in_unknowns]
        outs = [x for x, u in zip(jaxpr.outvars, out_unknowns, strict=True) if not u]
        return Jaxpr(
            jaxpr.constvars,
            [var for var, known in zip(jaxpr.invars, known_in, strict=True) if known],
            [*outs, *self.residuals],
            self.known_eqns,
            effects_of(self.known_eqns, jaxpr.effects),
            chosen_names(jaxpr.debug_info, known_in, ()),
            jaxpr.consts,
        )

    def staged_side(self, in_inst: Sequence[bool], out_inst: Sequence[bool]) -> Jaxpr:
        jaxpr, eqns = self.jaxpr, self.staged_eqns
        outs = [x for x, inst in zip(jaxpr.outvars, out_inst, strict=True) if inst]
        read = variables([*(x for eqn in eqns for x in eqn.invars), *outs])
        consts = [
            (var, value)
            for var, value in zip(jaxpr.constvars, jaxpr.consts, strict=True)
            if var in read
        ]
        invars = [var for var, inst in zip(jaxpr.invars, in_inst, strict=True) if inst]
        return Jaxpr(
            [var for var, _ in consts],
            [*self.residuals, *invars],
            outs,
            eqns,
            effects_of(eqns, jaxpr.effects),
            jaxpr.debug_info._replace(arg_names=None, result_paths=None),
            [value for _, value in consts],
        )


def _may_run_twice(effect: Effect) -> bool:
    return isinstance(effect, NamedAxisEffect) or effect.removable
