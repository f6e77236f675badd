"""Programs with refs, and without them.

`discharge` rids a program of refs: what is written to a ref that it makes stays inside,
and a ref that comes in becomes an array that comes in and, as another result, the array
that is left of it. It is a replay in a trace that stages everything except refs, which
are cells there (see `ref_types.py`).

A primitive that holds programs is discharged with them: `rule(args, where, params) ->
(outs, finals)`, where `args[i]` for i in `where` is a cell, and `finals` are what is to
be left in these.

Source: spec/tracing.md §18, spec/primitives.md §14.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from ..base.errors import ArgumentValueError
from ..base.util import memoize_weakly
from .avals import typeof
from .evaluation import eval_jaxpr
from .jaxprs import Jaxpr
from .primitives import Primitive, ref_hook
from .ref_types import Ref, RefEffect, is_ref_type, is_staged, ref_methods
from .rules import RuleTable
from .staging import stage
from .structural import custom_jvp_call_p, custom_vjp_call_p
from .traces import Trace, Tracer, current, use_trace

discharge_rules = RuleTable("ref discharge")  # filled by lax


class RefPrimitive(Primitive):
    """A primitive that touches refs: staged as it stands, done at once on a cell.

    on_cells: `f(*operands, **params)` on values, entered by lax.
    """

    __slots__ = ("on_cells",)
    on_cells: Callable[..., Any]

    def __init__(self, name: str, *, multiple_results: bool = False) -> None:
        super().__init__(name, multiple_results=multiple_results)
        self.takes_refs = True

    def bind(self, *args: Any, **params: Any) -> Any:
        trace = current.value
        cell = args[0]
        if cell.__class__ is Ref and not is_staged(cell, trace):
            return self.on_cells(*args, **params)
        return trace.apply(self, args, params)


class MakesRef(RefPrimitive):
    """A primitive that makes a ref: a cell wherever nothing is staged."""

    __slots__ = ()

    def bind(self, *args: Any, **params: Any) -> Any:
        trace = current.value
        if trace.stages_refs:
            return trace.apply(self, args, params)
        return self.on_cells(*args, **params)


# --- Cells --------------------------------


def store(cell: Ref, value: Any, what: str = "written to") -> None:
    """Let `cell` hold `value`.

    Raises:
        ValueError: `value` only means something in a trace inside the cell's own.
    """
    if isinstance(value, Tracer) and current.value is not cell.owner:
        trace = current.value
        while trace is not None and trace is not cell.owner:
            if value.owner is trace:
                raise ArgumentValueError(
                    f"A ref made outside of a {trace.describe()} is {what} inside.",
                    f"Found a value of type {value.aval} that belongs to it, and a ref "
                    f"of type {cell.aval}.",
                    "Make the ref an argument of the function that is transformed.",
                )
            trace = trace.parent
    cell.value = value


class FunctionalTrace(Trace):
    """Leaves everything to its parent, except refs, which are cells of its own."""

    __slots__ = ()

    def __init__(self, parent: Trace) -> None:
        self.parent, self.alive = parent, True

    def apply(
        self, primitive: Primitive, args: tuple[Any, ...], params: dict[str, Any]
    ) -> Any:
        if primitive.holds_programs:
            params = _without_refs_in(primitive, params)
        with use_trace(self.parent):  # type: ignore[arg-type]
            return self.parent.apply(primitive, args, params)  # type: ignore[union-attr]


def _without_refs_in(primitive: Primitive, params: dict[str, Any]) -> dict[str, Any]:
    if primitive in (custom_jvp_call_p, custom_vjp_call_p) and "call" in params:
        return {**params, "call": _Functional(params["call"])}
    return {name: _without(value) for name, value in params.items()}


def _without(value: Any) -> Any:
    if isinstance(value, Jaxpr):
        return without_refs(value)
    if type(value) is tuple and any(isinstance(x, Jaxpr) for x in value):
        return tuple([_without(x) for x in value])
    return value


class _Functional:
    """A function run where its refs are cells. Field: fun."""

    __slots__ = ("fun",)

    def __init__(self, fun: Callable[..., Any]) -> None:
        self.fun = fun

    def __call__(self, *args: Any) -> Any:
        with use_trace(FunctionalTrace(current.value)):
            return self.fun(*args)


# --- Programs -----------------------------


class Discharged(NamedTuple):
    """A program without refs. where: which inputs were refs, in the order in which the
    last results say what is left of them."""

    jaxpr: Jaxpr
    where: tuple[int, ...]


def has_refs(jaxpr: Jaxpr) -> bool:
    """Whether the program, or one it holds, touches refs."""
    return any(isinstance(effect, RefEffect) for effect in jaxpr.effects)


def without_refs(jaxpr: Jaxpr) -> Jaxpr:
    """The program rid of the refs that it makes; itself, if it makes none.

    Raises:
        ValueError: a ref comes in, which must be told what is left of it.
    """
    if not has_refs(jaxpr):
        return jaxpr
    result = discharge(jaxpr)
    if result.where:
        raise ArgumentValueError(
            "A program is to do without refs.",
            f"Found refs among its inputs, at {result.where}.",
        )
    return result.jaxpr


@memoize_weakly(maxsize=1024)
def discharge(jaxpr: Jaxpr) -> Discharged:
    """The program without refs; constants must be none."""
    where = tuple([i for i, aval in enumerate(jaxpr.in_avals) if is_ref_type(aval)])

    def run(*args: Any) -> list[Any]:
        trace = FunctionalTrace(current.value)
        values = list(args)
        for i in where:
            values[i] = Ref(jaxpr.in_avals[i], args[i], trace)
        with use_trace(trace):
            outs = eval_jaxpr(jaxpr, jaxpr.consts, *values)
        return [*outs, *(values[i].value for i in where)]

    avals = [x.inner_aval if is_ref_type(x) else x for x in jaxpr.in_avals]
    info = jaxpr.debug_info
    if where:
        info = info._replace(result_paths=None)
    return Discharged(stage(run, avals, debug_info=info), where)


def bind_on_cells(
    primitive: Primitive, args: Sequence[Any], params: dict[str, Any]
) -> Any:
    """Apply a primitive that holds programs where some operands are cells."""
    where = list(ref_positions(map(typeof, args)))
    cells = {id(args[i]): _held(args[i]) for i in where}
    operands = [cells.get(id(x), x) for x in args]
    outs, finals = discharge_rules[primitive](operands, where, params)
    left = {id(args[i]): final for i, final in zip(where, finals, strict=True)}
    for x in {id(args[i]): args[i] for i in where}.values():
        if x is cells[id(x)]:
            store(x, left[id(x)])
        else:
            ref_methods["set"](x, ..., left[id(x)])
    return outs


def _held(x: Any) -> Ref:
    """`x`, or for a ref of another form a cell that stands in for it."""
    trace = current.value
    if x.__class__ is Ref and not is_staged(x, trace):
        return x
    return Ref(typeof(x), ref_methods["get"](x, ...), trace)


ref_hook["bind"] = bind_on_cells


def ref_positions(avals: Iterable[Any]) -> Iterator[int]:
    """Which of some types are of refs."""
    return (i for i, aval in enumerate(avals) if is_ref_type(aval))
