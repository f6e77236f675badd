"""Forward mode: every value is paired with the direction in which it moves.

A rule answers `rule(primals, tangents, **params) -> (out, out_dot)`, lists where the
primitive has several results. It runs in the trace around us, so what it binds belongs
to whoever called us; that alone makes nesting correct. Tangents may be `Zero`, on the
way in and on the way out. A rule must compute `out` from primals alone: the same rule
is what `linearize` runs.

Source: spec/ad.md §2.2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...core import (
    EVAL,
    Primitive,
    RuleTable,
    Trace,
    Tracer,
    current,
    impl_rules,
    typeof,
)
from .zeros import Zero

jvp_rules = RuleTable("jvp")  # filled by lax

# How a rule runs at top level: `compiler(rule, params)` gives a function of primals and
# tangents that is one program, so that an operation costs one dispatch, not one per
# equation of its rule. Entered by transforms; without it rules run as they stand.
Compiler = Callable[[Callable[..., Any], dict[str, Any]], Callable[..., Any]]
eager_compilers: list[Compiler] = []


class JVPTracer(Tracer):
    """A value and its tangent."""

    __slots__ = ("primal", "tangent")
    shown_as = "JVPTracer"

    def __init__(self, trace: Trace, primal: Any, tangent: Any) -> None:
        self.owner, self.primal, self.tangent = trace, primal, tangent
        self.aval = primal.aval if isinstance(primal, Tracer) else typeof(primal)

    def concrete(self) -> Any:
        primal = self.primal
        return primal.concrete() if isinstance(primal, Tracer) else primal

    def origin_text(self) -> str:
        primal = self.primal
        return primal.origin_text() if isinstance(primal, Tracer) else ""

    def _shown(self) -> str:
        return f"primal={self.primal}, tangent={self.tangent}"


class JVPTrace(Trace):
    """Applies jvp rules; what does not move is left to the parent."""

    __slots__ = ("rule_trace", "rules")
    tracer_class: type[JVPTracer] = JVPTracer

    def __init__(self, parent: Trace) -> None:
        self.parent, self.alive = parent, True
        self.rule_trace: Trace = parent
        self.rules: Sequence[RuleTable] = (jvp_rules,)

    def wrap(self, primal: Any, tangent: Any) -> Any:
        """The pair as a value of this trace; the bare primal if it does not move."""
        if tangent.__class__ is Zero:
            return primal
        return self.tracer_class(self, primal, tangent)

    def split(self, x: Any) -> tuple[Any, Any]:
        """The primal and tangent of any value, seen from this trace."""
        if x.__class__ is self.tracer_class and x.owner is self:
            return x.primal, x.tangent
        return x, Zero.from_primal(x)

    def rule_of(self, primitive: Primitive) -> Any:
        """The rule that answers for `primitive`."""
        return jvp_rules[primitive]

    def apply(
        self, primitive: Primitive, args: tuple[Any, ...], params: dict[str, Any]
    ) -> Any:
        kind = self.tracer_class
        primals: list[Any] = []
        tangents: list[Any] = []
        still = []
        for x in args:
            if x.__class__ is kind and x.owner is self:
                primals.append(x.primal)
                tangents.append(x.tangent)
            else:
                still.append(len(primals))
                primals.append(x)
                tangents.append(None)
        if len(still) == len(primals):
            return self.parent.apply(primitive, args, params)  # type: ignore[union-attr]
        for i in still:
            tangents[i] = Zero(typeof(primals[i]).to_tangent_aval())
        rule = self.rule_of(primitive)
        inner = self.rule_trace
        previous = current.swap_local(inner)
        try:
            if inner is EVAL and _is_compiled(primitive):
                run = eager_compilers[0](rule, params)
                out, out_dot = run(tuple(primals), tuple(tangents))
            else:
                out, out_dot = rule(primals, tangents, **params)
        finally:
            current.set_local(previous)
        if primitive.multiple_results:
            return [self.wrap(y, y_dot) for y, y_dot in zip(out, out_dot, strict=True)]
        if out_dot.__class__ is Zero:
            return out
        return kind(self, out, out_dot)

    def describe(self) -> str:
        return "forward-mode differentiation"


def _is_compiled(primitive: Primitive) -> bool:
    # A primitive with its own way to run may have no other, and one that holds
    # programs is compiled by them.
    return (
        not primitive.holds_programs
        and primitive not in impl_rules
        and bool(eager_compilers)
    )
