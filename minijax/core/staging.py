"""Staging: running a function on tracers that write down what it applies.

The result is a jaxpr. Everything here runs once per equation, so it avoids whatever a
Python loop can: operands are told apart by one identity test, types come from a memo,
variables have no names, nothing is built for error texts until there is an error.

Rules:
1. Equations stand in the order in which they were applied; nothing is folded.
2. Scalars become literals, other constants become constvars by identity.
3. A constant may be a tracer of an enclosing trace; whoever asked for the jaxpr
   decides what to do with it.

Source: spec/tracing.md §§4, 9.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..base import collector_paused, flags
from ..base.errors import (
    IntegerOverflowError,
    PrimitiveOperandError,
    UnexpectedTracerError,
    join_names,
)
from .avals import typeof
from .checking import check_jaxpr, check_leaks
from .effects import Effects
from .jaxprs import (
    Atom,
    DebugInfo,
    Jaxpr,
    JaxprEqn,
    Literal,
    Var,
    effects_on,
    is_literalable,
    printers,
    unknown_debug_info,
)
from .primitives import Primitive
from .ref_types import InputEffect, Ref
from .rules import RuleTable
from .sources import current_line, current_scope, set_line, set_scope, summarize
from .traces import EVAL, Trace, Tracer, check_alive, current, use_trace

# primitive -> rule(trace, args, params) that stages it in its own way, or returns
# NotImplemented to be staged like every other primitive
staging_rules = RuleTable("staging")


class StagedTracer(Tracer):
    """A variable of a jaxpr under construction."""

    __slots__ = ("atom",)
    owner: StagingTrace
    shown_as = "JitTracer"

    def __init__(self, trace: StagingTrace, atom: Atom) -> None:
        self.owner, self.atom, self.aval = trace, atom, atom.aval

    def origin_text(self) -> str:
        return self.owner.origin_of(self.atom)

    def created_at(self) -> Any:
        for eqn in self.owner.eqns:
            if self.atom in eqn.outvars:
                return eqn.traceback
        return None


class StagingTrace(Trace):
    """Writes applications down as equations."""

    __slots__ = ("consts", "constvars", "debug_info", "effects", "eqns", "invars")
    stages_refs = True

    def __init__(self, debug_info: DebugInfo | None = None) -> None:
        self.parent, self.alive = current.value, True
        self.debug_info = debug_info or unknown_debug_info
        self.eqns: list[JaxprEqn] = []
        self.invars: list[Var] = []
        self.consts: list[Any] = []
        self.constvars: dict[int, Var] = {}  # id of the constant -> its variable
        self.effects: set[Any] = set()

    def new_input(self, aval: Any) -> StagedTracer:
        """A tracer for one more argument of the program."""
        var = Var(aval)
        self.invars.append(var)
        return StagedTracer(self, var)

    def apply(
        self, primitive: Primitive, args: tuple[Any, ...], params: dict[str, Any]
    ) -> Any:
        rule = staging_rules.get(primitive)
        if rule is not None:
            out = rule(self, args, params)
            if out is not NotImplemented:
                return out
        return self.append(primitive, args, params)

    def append(
        self, primitive: Primitive, args: tuple[Any, ...], params: dict[str, Any]
    ) -> Any:
        """Add the equation; the results as tracers."""
        invars: list[Atom] = [
            x.atom
            if x.__class__ is StagedTracer and x.owner is self
            else self.atom(x, primitive, args)
            for x in args
        ]
        out, effects = primitive.infer(tuple([x.aval for x in invars]), params)
        if effects:
            effects = effects_on(effects, invars, params)
            self.effects |= effects
        if primitive.multiple_results:
            outvars = [Var(aval) for aval in out]
            self.eqns.append(
                JaxprEqn(
                    primitive,
                    invars,
                    outvars,
                    params,
                    effects,
                    current_line(),
                    current_scope(),
                )
            )
            return [StagedTracer(self, var) for var in outvars]
        var = Var(out)
        self.eqns.append(
            JaxprEqn(
                primitive,
                invars,
                [var],
                params,
                effects,
                current_line(),
                current_scope(),
            )
        )
        return StagedTracer(self, var)

    def atom(
        self, x: Any, primitive: Primitive | None = None, args: Sequence[Any] = ()
    ) -> Atom:
        """The variable or literal that stands for `x` in this program."""
        if x.__class__ is StagedTracer and x.owner is self:
            return x.atom
        known = self.constvars.get(id(x))
        if known is not None:
            return known
        if isinstance(x, Tracer):
            check_alive(x)
        elif is_literalable(x):
            return make_literal(x)
        try:
            aval = typeof(x)
        except TypeError as error:
            if primitive is None or isinstance(error, UnexpectedTracerError):
                raise
            position = next(i for i, arg in enumerate(args) if arg is x)
            raise PrimitiveOperandError(
                primitive.name, position, type(x).__name__
            ) from error
        if flags.use_simplified_jaxpr_constants.value and not isinstance(
            x, Ref | Tracer
        ):
            return Literal(x, aval)
        var = self.constvars[id(x)] = Var(aval)
        self.consts.append(x)  # keeps the id from being reused
        return var

    def wrap(self, x: Any) -> StagedTracer:
        """`x` as a tracer of this trace, a constant if it is none yet."""
        if x.__class__ is StagedTracer and x.owner is self:
            return x
        atom = self.atom(x)
        if isinstance(atom, Literal):
            atom = self.constvars[id(x)] = Var(atom.aval)
            self.consts.append(x)
        return StagedTracer(self, atom)

    def finish(self, outs: Sequence[Any]) -> Jaxpr:
        """The program whose results are `outs`."""
        outvars = [self.atom(x) for x in outs]
        return Jaxpr(
            list(self.constvars.values()),
            self.invars,
            outvars,
            self.eqns,
            self._outer_effects(),
            self.debug_info,
            self.consts,
        )

    def _outer_effects(self) -> Effects:
        """What the program does, but for what it does to refs of its own."""
        inputs = {*self.constvars.values(), *self.invars} if self.effects else ()
        return frozenset(
            effect
            for effect in self.effects
            if not isinstance(effect, InputEffect) or effect.input in inputs
        )

    # --- for error texts -------------
    def describe(self) -> str:
        return (
            f"trace of {self.debug_info.func_src_info} for {self.debug_info.traced_for}"
        )

    def origin_of(self, var: Atom) -> str:
        """Which arguments `var` depends on, or which equations made it of constants."""
        info = self.debug_info
        where = (
            f"The value was traced in the function {info.func_src_info} "
            f"transformed by {info.traced_for}."
        )
        needed: set[Atom] = {var}
        made_from_constants: list[JaxprEqn] = []
        for eqn in reversed(self.eqns):
            if needed.isdisjoint(eqn.outvars):
                continue
            inputs = [x for x in eqn.invars if type(x) is Var]
            needed.update(inputs)
            if all(x in self.constvars.values() for x in inputs):
                made_from_constants.append(eqn)
        names = [
            name or f"argument {i}"
            for i, (x, name) in enumerate(
                zip(self.invars, info.safe_arg_names(len(self.invars)), strict=True)
            )
            if x in needed
        ]
        if names:
            plural = "s" if len(names) > 1 else ""
            return f"{where}\nIt depends on the argument{plural} {join_names(names)}."
        if not made_from_constants:
            return where
        made_from_constants.reverse()
        return f"{where}\n{_equations_text(made_from_constants)}"


def _equations_text(eqns: Sequence[JaxprEqn]) -> str:
    shown = [
        f"  {printers['equation'](eqn)}  at {summarize(eqn.traceback)}"
        for eqn in eqns[:5]
    ]
    more = [f"  and {len(eqns) - 5} more"] if len(eqns) > 5 else []
    return "\n".join(
        [
            "It depends on no argument; these equations made it from constants:",
            *shown,
            *more,
        ]
    )


_INT32 = range(-(2**31), 2**31)
_INT64 = range(-(2**63), 2**63)


def make_literal(x: Any) -> Literal:
    """A scalar as a literal, in its canonical dtype. Raises: OverflowError."""
    aval = typeof(x)
    kind = type(x)
    if kind is int:
        if x not in (_INT64 if flags.enable_x64.value else _INT32):
            raise IntegerOverflowError(x, aval.dtype.name)
    elif kind is not float and kind is not bool and kind is not complex:
        x = np.asarray(x).astype(aval.dtype)[()]
    return Literal(x, aval)


def stage(
    fun: Callable[..., Sequence[Any]],
    in_avals: Sequence[Any],
    *,
    debug_info: DebugInfo | None = None,
) -> Jaxpr:
    """Run `fun` on tracers of `in_avals` and return what it applied as a jaxpr.

    `fun` takes one value per aval and returns a flat sequence of values. The jaxpr's
    `consts` are what `fun` closed over; tracers of enclosing traces may be among them.
    """
    trace = StagingTrace(debug_info)
    with collector_paused:
        outer_scope, outer_line = set_scope(()), set_line(None)
        previous = current.swap_local(trace)
        try:
            outs = fun(*[trace.new_input(aval) for aval in in_avals])
            jaxpr = trace.finish(outs)
        finally:
            current.set_local(previous)
            set_scope(outer_scope)
            set_line(outer_line)
            trace.alive = False
    del outs
    check_leaks(trace)
    if flags.enable_checks.value:
        check_jaxpr(jaxpr)
    return jaxpr


class CompileTimeTrace(Trace):
    """Evaluates what touches no tracer and leaves the rest to the trace around it."""

    __slots__ = ()

    def __init__(self, parent: Trace) -> None:
        self.parent, self.alive = parent, True

    def apply(
        self, primitive: Primitive, args: tuple[Any, ...], params: dict[str, Any]
    ) -> Any:
        if any(isinstance(x, Tracer) for x in args):
            with use_trace(self.parent):  # type: ignore[arg-type]
                return self.parent.apply(primitive, args, params)  # type: ignore[union-attr]
        return EVAL.apply(primitive, args, params)


class ensure_compile_time_eval(use_trace):
    """Inside the block, operations on constants run at once, even under `jit`.

    >>> import minijax as mj, minijax.numpy as jnp
    >>> @mj.jit
    ... def f(x):
    ...     with mj.ensure_compile_time_eval():
    ...         n = int(jnp.sum(jnp.arange(4)))
    ...     return x * n
    >>> print(f(2.0))
    12.0
    """

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(EVAL)

    def __enter__(self) -> Trace:
        self.trace = CompileTimeTrace(current.value)
        return super().__enter__()
