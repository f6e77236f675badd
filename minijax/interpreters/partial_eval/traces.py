"""Partial evaluation of a function: what is known runs now, the rest becomes a jaxpr.

The same cut as `split_jaxpr` makes, made while Python runs, so that code may look at
the values that are known. A known value is itself; an unknown one is a tracer, and what
touches one is recorded. A primitive that holds programs is cut inside, by its rule in
`partial_eval_rules`.

Source: spec/tracing.md §10, spec/ad.md §§3.1, 3.2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ...core import (
    DebugInfo,
    Jaxpr,
    JaxprEqn,
    Literal,
    Primitive,
    StagedTracer,
    StagingTrace,
    Trace,
    Tracer,
    Var,
    current,
    typeof,
)
from .dce import dce_jaxpr_consts, flag_tuple
from .splitting import partial_eval_rules


class PartialVal(NamedTuple):
    """What is known of a value: `(None, value)`, or only its type: `(aval, None)`."""

    aval: Any
    const: Any

    @classmethod
    def known(cls, const: Any) -> PartialVal:
        """A value."""
        return cls(None, const)

    @classmethod
    def unknown(cls, aval: Any) -> PartialVal:
        """A type."""
        return cls(aval, None)

    def is_known(self) -> bool:
        """Whether there is a value."""
        return self.aval is None

    def get_known(self) -> Any:
        """The value, or None."""
        return self.const

    def get_aval(self) -> Any:
        """The type, in either case."""
        return typeof(self.const) if self.aval is None else self.aval


class JaxprTracer(Tracer):
    """An unknown value. Field: staged, the variable of the program being recorded."""

    __slots__ = ("staged",)
    trace: JaxprTrace

    def __init__(self, trace: JaxprTrace, staged: StagedTracer) -> None:
        self.owner, self.staged, self.aval = trace, staged, staged.aval

    def origin_text(self) -> str:
        return self.staged.origin_text()

    def created_at(self) -> Any:
        return self.staged.created_at()


class JaxprTrace(Trace):
    """Runs what is known in the parent, records what is not."""

    __slots__ = ("recorder",)
    parent: Trace

    def __init__(self, parent: Trace, debug_info: DebugInfo) -> None:
        self.parent, self.alive = parent, True
        self.recorder = StagingTrace(debug_info)

    def new_input(self, aval: Any) -> JaxprTracer:
        """One more unknown input of the program."""
        return JaxprTracer(self, self.recorder.new_input(aval))

    def owns(self, x: Any) -> bool:
        """Whether `x` is unknown to this trace."""
        return x.__class__ is JaxprTracer and x.owner is self

    def apply(
        self, primitive: Primitive, args: tuple[Any, ...], params: dict[str, Any]
    ) -> Any:
        unknown = [self.owns(x) for x in args]
        if not any(unknown):
            return self._run(primitive, args, params)
        rule = partial_eval_rules.get(primitive)
        if rule is None or all(unknown):
            return self._record(primitive, args, params)
        outs = self._split(rule, unknown, primitive, args, params)
        return outs if primitive.multiple_results else outs[0]

    def _run(
        self, primitive: Primitive, args: Sequence[Any], params: dict[str, Any]
    ) -> Any:
        previous = current.swap_local(self.parent)
        try:
            return self.parent.apply(primitive, tuple(args), params)
        finally:
            current.set_local(previous)

    def _record(
        self, primitive: Primitive, args: Sequence[Any], params: dict[str, Any]
    ) -> Any:
        operands = tuple([x.staged if self.owns(x) else x for x in args])
        previous = current.swap_local(self.recorder)
        try:
            out = self.recorder.apply(primitive, operands, params)
        finally:
            current.set_local(previous)
        if primitive.multiple_results:
            return [self._wrap(x) for x in out]
        return self._wrap(out)

    def _wrap(self, x: Any) -> Any:
        # A staging rule may answer with a constant, which is known.
        return JaxprTracer(self, x) if x.__class__ is StagedTracer else x

    def _split(
        self,
        rule: Callable[..., Any],
        unknown: list[bool],
        primitive: Primitive,
        args: tuple[Any, ...],
        params: dict[str, Any],
    ) -> list[Any]:
        operands = [Var(typeof(x)) for x in args]
        out, effects = primitive.infer(tuple([var.aval for var in operands]), params)
        results = [Var(aval) for aval in primitive.results(out)]
        eqn = JaxprEqn(primitive, list(operands), results, params, effects)
        known_eqn, unknown_eqn, _, _ = rule(unknown, eqn)
        env: dict[Any, Any] = dict(zip(operands, args, strict=True))
        for part, do in ((known_eqn, self._run), (unknown_eqn, self._record)):
            if part is not None:
                values = [x.val if type(x) is Literal else env[x] for x in part.invars]
                outs = part.primitive.results(do(part.primitive, values, part.params))
                env.update(zip(part.outvars, outs, strict=True))
        return [env[var] for var in results]

    def describe(self) -> str:
        return f"partial evaluation of {self.recorder.debug_info.func_src_info}"


def partial_eval_fun(
    fun: Callable[..., Sequence[Any]],
    values: Sequence[PartialVal],
    instantiate: bool | Sequence[bool] = False,
    *,
    debug_info: DebugInfo,
) -> tuple[Jaxpr, list[PartialVal], list[Any]]:
    """Run a function of flat values as far as its arguments are known.

    Returns the program of the unknown results, the results, and the residuals, which
    are the program's first arguments; the unknown arguments follow. `instantiate` makes
    known results results of the program too.
    """
    trace = JaxprTrace(current.value, debug_info)
    args = [
        value.const if value.is_known() else trace.new_input(value.aval)
        for value in values
    ]
    previous = current.swap_local(trace)
    try:
        outs = list(fun(*args))
    finally:
        current.set_local(previous)
        trace.alive = trace.recorder.alive = False
    late = [
        forced or trace.owns(x)
        for x, forced in zip(outs, flag_tuple(instantiate, len(outs)), strict=True)
    ]
    staged = [
        x.staged if trace.owns(x) else x
        for x, is_late in zip(outs, late, strict=True)
        if is_late
    ]
    whole = trace.recorder.finish(staged)
    jaxpr, _, _ = dce_jaxpr_consts(whole, True, instantiate=True)
    results = [
        PartialVal.unknown(typeof(x)) if is_late else PartialVal.known(x)
        for x, is_late in zip(outs, late, strict=True)
    ]
    return jaxpr.with_consts(()), results, list(jaxpr.consts)
