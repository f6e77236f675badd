"""What libraries that extend JAX ask of the core, under JAX's names.

Source: spec/tracing.md §§19, 20.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..base import dtypes
from ..base.errors import ConcretizationTypeError
from .avals import AbstractValue, ShapedArray, aval_makers, token_aval
from .axes import axis_names, bound_axes
from .checking import check_leaks as check_that_nothing_leaked
from .effects import Effects
from .jaxprs import Atom, JaxprEqn, SourceInfo, Var
from .primitives import Primitive
from .staging import StagingTrace
from .traces import EVAL, Trace, Tracer, current, use_trace

# --- Traces -------------------------------


def find_top_trace(values: Any = ()) -> Trace:
    """The trace that interprets what is bound here."""
    return current.value


class set_current_trace(use_trace):
    """Context: `trace` is current; at its end, look for leaks if `check_leaks`."""

    __slots__ = ("check_leaks",)

    def __init__(self, trace: Trace, check_leaks: bool = False) -> None:
        super().__init__(trace)
        self.check_leaks = check_leaks

    def __exit__(self, *exc: object) -> None:
        super().__exit__(*exc)
        if self.check_leaks:
            check_that_nothing_leaked(self.trace)


class take_current_trace(use_trace):
    """Context: gives the current trace, and meanwhile operations run at once."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(EVAL)

    def __enter__(self) -> Trace:
        super().__enter__()
        return self.previous


class OpaqueTraceState:
    """Where a thread stands: equal to another as long as no trace began or ended."""

    __slots__ = ("_axes", "_trace")

    def __init__(self) -> None:
        self._trace, self._axes = current.value, bound_axes()

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, OpaqueTraceState)
            and self._trace is other._trace
            and self._axes == other._axes
        )

    def __hash__(self) -> int:
        return hash((id(self._trace), self._axes))


def get_opaque_trace_state(convention: str | None = None) -> OpaqueTraceState:
    """Where this thread stands, to be compared later.

    Example:
        >>> get_opaque_trace_state() == get_opaque_trace_state()
        True
    """
    return OpaqueTraceState()


def traces_around() -> Iterator[Trace]:
    """The current trace, its parent, and so on down to evaluation."""
    trace: Trace | None = current.value
    while trace is not None:
        yield trace
        trace = trace.parent


def unsafe_am_i_under_a_jit_DO_NOT_USE() -> bool:
    """Whether a program is being staged around the caller."""
    return any(isinstance(trace, StagingTrace) for trace in traces_around())


def unsafe_get_axis_names_DO_NOT_USE() -> list[Any]:
    """The axis names that collectives may use here."""
    return list(axis_names())


def nonempty_axis_env_DO_NOT_USE() -> bool:
    """Whether any axis has a name here."""
    return bool(bound_axes())


# --- Types and values ---------------------


def mapped_aval(size: int, axis: int | None, aval: Any) -> AbstractValue:
    """The type of one example: `aval` without `axis`, which has `size` elements."""
    if axis is None:
        return aval
    shape = aval.shape
    if shape[axis] != size:
        raise ValueError(f"axis {axis} of {aval} should have size {size}")
    return aval.update(shape=(*shape[:axis], *shape[axis + 1 :]))


def unmapped_aval(
    size: int, axis: int | None, aval: Any, explicit_mesh_axis: Any = None
) -> AbstractValue:
    """The type of all examples: `aval` with an axis of `size` at `axis`."""
    if axis is None:
        return aval
    shape = aval.shape
    return aval.update(shape=(*shape[:axis], size, *shape[axis:]))


def concrete_or_error(force: Callable[[Any], Any], val: Any, context: str = "") -> Any:
    """`force(val)`, where `val` must be known.

    Raises:
        ConcretizationTypeError: only its type is. `context` opens the text.
    """
    if isinstance(val, Tracer):
        known = val.concrete()
        if known is None:
            raise ConcretizationTypeError(val, context)
        val = known
    return val if force is None else force(val)


def primal_dtype_to_tangent_dtype(primal_dtype: Any) -> Any:
    """The dtype of tangents: float0 for integers and booleans."""
    return ShapedArray((), primal_dtype).to_tangent_aval().dtype


# --- Jaxprs -------------------------------


def gensym() -> Callable[[Any], Var]:
    """A function that makes a new variable of a type."""
    return Var


def new_jaxpr_eqn(
    invars: Sequence[Atom],
    outvars: Sequence[Var],
    primitive: Primitive,
    params: dict[str, Any],
    effects: Effects,
    source_info: SourceInfo | None = None,
    ctx: Any = None,
) -> JaxprEqn:
    """An equation, with JAX's order of arguments."""
    traceback, scope = source_info or SourceInfo(None, ())
    return JaxprEqn(
        primitive,
        list(invars),
        list(outvars),
        params,
        effects,
        traceback,
        scope,
        ctx,
    )


# --- Names of JAX without a use of ours ----


class TraceTag:
    """Marks a trace as belonging to one transformation. All are equal."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TraceTag)

    def __hash__(self) -> int:
        return hash(TraceTag)


class Token:
    """What orders effects, as a value. Field: buf, there once it has happened."""

    __slots__ = ("buf",)

    def __init__(self, buf: Any) -> None:
        self.buf = buf

    def block_until_ready(self) -> None:
        """Wait for it."""
        self.buf.block_until_ready()


aval_makers[Token] = lambda token: token_aval

# Types of host data that are taken for arrays.
array_types: set[type] = {np.ndarray, *(dtype.type for dtype in dtypes.ARRAY_DTYPES)}

Value = Any
ParamDict = dict[str, Any]


def max_dim(d1: Any, d2: Any) -> Any:
    """The larger of two sizes of an axis."""
    return d1 if d1 is d2 else max(d1, d2)


def min_dim(d1: Any, d2: Any) -> Any:
    """The smaller of two sizes of an axis."""
    return d1 if d1 is d2 else min(d1, d2)
