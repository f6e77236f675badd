"""Linearization: values computed at once, tangents written onto a tape.

The user's function runs under a `LinearizeTrace`, whose pairs are (primal, tape
variable). A rule runs with the *tape* current, and the tape sorts what it binds by
colour: an application that touches no tape variable goes to the parent and computes;
one that does becomes an entry of the tape. So the one jvp rule of a primitive gives
forward mode, linearize and reverse mode, with no program in between.

Rules:
1. A tape operand is a tape variable or any value of the parent: a residual.
2. A primal output must not depend on a tangent: a jvp rule that breaks this has no
   reverse mode, and we say so.
3. `linearize_rules` overrides the jvp rule for primitives that hold programs and
   split them; same signature, same trace.

Source: spec/ad.md §§2.3, 6.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...base.errors import ArgumentValueError
from ...core import (
    Jaxpr,
    JaxprEqn,
    Primitive,
    RuleTable,
    Trace,
    Tracer,
    Var,
    current_line,
    current_scope,
    is_literalable,
    make_literal,
    no_effects,
    staging_rules,
    typeof,
)
from .jvp import JVPTrace, JVPTracer, jvp_rules

linearize_rules = RuleTable("linearize")  # for primitives that hold programs


class TapeVar(Tracer):
    """A tangent: an input of the tape or a result of one of its entries."""

    __slots__ = ("index",)
    shown_as = "Tangent"

    def __init__(self, trace: Tape, aval: Any, index: int) -> None:
        self.owner, self.aval, self.index = trace, aval, index


class TapeEntry:
    """One linear application: operands are tape variables and residuals."""

    __slots__ = (
        "effects",
        "line",
        "operands",
        "outs",
        "params",
        "primitive",
        "scope",
    )

    def __init__(
        self,
        primitive: Primitive,
        operands: tuple[Any, ...],
        outs: list[TapeVar],
        params: dict[str, Any],
        effects: Any,
        scope: tuple[Any, ...],
        line: Any,
    ) -> None:
        self.primitive, self.operands, self.outs = primitive, operands, outs
        self.params, self.effects = params, effects
        self.scope, self.line = scope, line


class Tape(Trace):
    """The linear half of a computation, in order; its parent does the other half."""

    __slots__ = ("depth", "entries", "num_vars")

    def __init__(self, parent: Trace) -> None:
        self.parent, self.alive = parent, True
        self.depth = len(current_scope())  # entries keep the scopes inside these
        self.entries: list[TapeEntry] = []
        self.num_vars = 0

    def new_var(self, aval: Any) -> TapeVar:
        """A fresh tape variable: an input, or the result of the entry being made."""
        index = self.num_vars
        self.num_vars = index + 1
        return TapeVar(self, aval, index)

    def owns(self, x: Any) -> bool:
        """Whether `x` is a variable of this tape."""
        return x.__class__ is TapeVar and x.owner is self

    def apply(
        self, primitive: Primitive, args: tuple[Any, ...], params: dict[str, Any]
    ) -> Any:
        for x in args:
            if x.__class__ is TapeVar and x.owner is self:
                break
        else:
            return self.parent.apply(primitive, args, params)  # type: ignore[union-attr]
        if primitive.holds_programs:
            # What holds a function becomes what holds its program, as in a jaxpr.
            rule = staging_rules.get(primitive)
            out = NotImplemented if rule is None else rule(self, args, params)
            if out is not NotImplemented:
                return out
        return self.append(primitive, args, params)

    def append(
        self, primitive: Primitive, args: tuple[Any, ...], params: dict[str, Any]
    ) -> Any:
        """Write the application down; the results as tape variables."""
        avals = [x.aval if isinstance(x, Tracer) else typeof(x) for x in args]
        out, effects = primitive.infer(tuple(avals), params)
        several = primitive.multiple_results
        outs = [self.new_var(aval) for aval in out] if several else [self.new_var(out)]
        self.entries.append(
            TapeEntry(
                primitive,
                args,
                outs,
                params,
                effects,
                current_scope()[self.depth :],
                current_line(),
            )
        )
        return outs if several else outs[0]

    def describe(self) -> str:
        return "linearization"


class LinearizeTracer(JVPTracer):
    """A value and its tangent on the tape."""

    __slots__ = ()
    shown_as = "GradTracer"

    def _shown(self) -> str:
        kind = self.tangent.aval.str_short(short_dtypes=True)
        return f"primal={self.primal}, typeof(tangent)={kind}"


class LinearizeTrace(JVPTrace):
    """Forward mode whose tangents are tape variables."""

    __slots__ = ("tape",)
    tracer_class = LinearizeTracer

    def __init__(self, parent: Trace) -> None:
        super().__init__(parent)
        self.rule_trace = self.tape = Tape(parent)

    def new_input(self, primal: Any) -> LinearizeTracer:
        """`primal`, moving along a fresh input of the tape."""
        aval = typeof(primal).to_tangent_aval()
        return LinearizeTracer(self, primal, self.tape.new_var(aval))

    def rule_of(self, primitive: Primitive) -> Any:
        rule = linearize_rules.get(primitive)
        if rule is None:
            rule = jvp_rules[primitive]
        return rule

    def apply(
        self, primitive: Primitive, args: tuple[Any, ...], params: dict[str, Any]
    ) -> Any:
        out = JVPTrace.apply(self, primitive, args, params)
        if primitive.multiple_results:
            for y in out:
                self._check_primal(primitive, y)
        else:
            primal = out.primal if out.__class__ is LinearizeTracer else out
            if primal.__class__ is TapeVar:
                self._check_primal(primitive, primal)
        return out

    def _check_primal(self, primitive: Primitive, y: Any) -> None:
        primal = y.primal if y.__class__ is LinearizeTracer else y
        if self.tape.owns(primal):
            raise ArgumentValueError(
                f"Reverse mode runs primitive {primitive.name!r} before it knows any "
                "tangent.",
                "Found a jvp rule whose primal output depends on a tangent.",
                "Use forward mode (`jvp`, `jacfwd`), or compute the primal output from "
                "the primals in the rule.",
            )

    def describe(self) -> str:
        return "linearization"


def tape_to_jaxpr(
    tape: Tape, inputs: Sequence[TapeVar], outs: Sequence[Any]
) -> tuple[Jaxpr, list[Any]]:
    """The part of the tape that `outs` need, as a jaxpr, and its residuals.

    The jaxpr's inputs are the residuals, in order of first use, then `inputs`. A scalar
    constant becomes a literal.
    """
    live = _live_entries(tape, outs)
    variables: dict[int, Var] = {x.index: Var(x.aval) for x in inputs}
    residuals: list[Any] = []
    residual_vars: dict[int, Var] = {}

    def atom(x: Any) -> Any:
        if tape.owns(x):
            return variables[x.index]
        if not isinstance(x, Tracer) and is_literalable(x):
            return make_literal(x)
        var = residual_vars.get(id(x))
        if var is None:
            var = residual_vars[id(x)] = Var(typeof(x))
            residuals.append(x)
        return var

    eqns = []
    for entry in live:
        operands = [atom(x) for x in entry.operands]
        outvars = [Var(x.aval) for x in entry.outs]
        for x, var in zip(entry.outs, outvars, strict=True):
            variables[x.index] = var
        eqns.append(
            JaxprEqn(
                entry.primitive,
                operands,
                outvars,
                entry.params,
                entry.effects,
                entry.line,
                entry.scope,
            )
        )
    outvars = [atom(x) for x in outs]
    effects = frozenset().union(*[eqn.effects for eqn in eqns]) if eqns else no_effects
    invars = [variables[x.index] for x in inputs]
    return Jaxpr(
        [], [*residual_vars.values(), *invars], outvars, eqns, effects
    ), residuals


def _live_entries(tape: Tape, outs: Sequence[Any]) -> list[TapeEntry]:
    needed = {x.index for x in outs if tape.owns(x)}
    live = []
    for entry in reversed(tape.entries):
        if entry.effects or any(y.index in needed for y in entry.outs):
            live.append(entry)
            needed.update(x.index for x in entry.operands if tape.owns(x))
    live.reverse()
    return live
