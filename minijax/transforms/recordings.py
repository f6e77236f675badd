"""One run of a function under differentiation, and what it leaves behind.

`differentiation.py` and `pullbacks.py` say what users call; here is what all of them
do: run the function under a trace, take the trace off its results, walk the tape back,
and show the values as users expect them.

Source: spec/ad.md §§1.1-1.4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import tree
from ..base import dtypes
from ..base.errors import ArgumentTypeError, NotAnArrayResultError, NotCallableError
from ..core import (
    EVAL,
    Jaxpr,
    StagingTrace,
    Tracer,
    Transform,
    check_leaks,
    current,
    current_scope,
    set_scope,
    typeof,
)
from ..interpreters import ad
from ..runtime import Array, put
from .differentiable import describe_function

_JVP = (Transform("jvp"),)


def require_callable(transformation: str, fun: Any) -> None:
    """Raise TypeError if `fun` is no function."""
    if not callable(fun):
        raise NotCallableError(transformation, f"{fun!r} of type {type(fun).__name__}")


def run_under(
    trace: ad.JVPTrace, fun: Callable[..., Any], args: Any, kwargs: Any
) -> Any:
    """Call `fun` with `trace` current. If it raises, the trace is out of use."""
    outer = current_scope()
    previous = current.swap_local(trace)
    set_scope(outer + _JVP)
    try:
        return fun(*args, **kwargs)
    except BaseException:
        _end(trace)
        raise
    finally:
        current.set_local(previous)
        set_scope(outer)


def finish(trace: ad.JVPTrace) -> None:
    """Declare the values of `trace` out of use, and look whether any is still there."""
    _end(trace)
    check_leaks(trace)


def _end(trace: ad.JVPTrace) -> None:
    trace.alive = False
    if isinstance(trace, ad.LinearizeTrace):
        trace.tape.alive = False


def present(x: Any) -> Any:
    """A result as users see it: unless it is staged, a constant becomes an array."""
    if isinstance(x, Array | Tracer) or _is_staging():
        return x
    if typeof(x).dtype == dtypes.float0:
        return x
    return put(x)


def _is_staging() -> bool:
    trace: Any = current.value
    while trace is not EVAL and not isinstance(trace, StagingTrace):
        trace = trace.parent
    return trace is not EVAL


def real_tangent(x_dot: Any) -> Any:
    """A tangent or cotangent as users see it: what they gave comes back untouched."""
    return present(ad.zeros_of(x_dot.aval)) if x_dot.__class__ is ad.Zero else x_dot


def primals_of_aux(trace: ad.JVPTrace, aux: Any) -> Any:
    """`aux` with the values of this trace, and of no other, replaced by primals."""

    def strip(x: Any) -> Any:
        return trace.split(x)[0] if isinstance(x, trace.tracer_class) else x

    return tree.map(strip, aux)


def split_aux(api: str, out: Any) -> tuple[Any, Any]:
    """The pair that a function with `has_aux` returned. Raises: TypeError."""
    if not isinstance(out, tuple | list) or len(out) != 2:
        raise ArgumentTypeError(
            f"{api} with has_aux=True takes a function that returns (output, aux).",
            f"Found {out!r} of type {type(out).__name__}.",
        )
    return out[0], out[1]


def output_leaves(fun: Callable[..., Any], out: Any) -> tuple[list[Any], Any]:
    """The flat output of `fun`. Raises: TypeError for what is no array."""
    leaves, out_tree = tree.flatten(out)
    for number, x in enumerate(leaves):
        try:
            typeof(x)
        except (TypeError, ValueError):
            raise NotAnArrayResultError(
                type(x).__name__,
                function=describe_function(fun),
                path=tree.keystr(tree.leaves_with_path(out)[number][0]),
            ) from None
    return leaves, out_tree


class Recording:
    """What one run of a function under a linearize trace leaves behind.

    inputs: per input leaf the tape variable, or None for one that cannot move.
    outs: per output leaf its tangent, a tape variable, residual or Zero.
    """

    __slots__ = (
        "in_avals",
        "inputs",
        "out_avals",
        "out_tree",
        "outs",
        "primals_out",
        "tape",
    )

    def __init__(self, trace: ad.LinearizeTrace, x_flat: Sequence[Any]) -> None:
        self.tape = trace.tape
        self.in_avals = [typeof(x) for x in x_flat]
        self.inputs: list[Any] = []
        self.outs: list[Any] = []

    def complete(
        self, trace: ad.LinearizeTrace, y_flat: Sequence[Any], out_tree: Any
    ) -> None:
        """Note the outputs."""
        pairs = [trace.split(y) for y in y_flat]
        self.primals_out = [y for y, _ in pairs]
        self.outs = [y_dot for _, y_dot in pairs]
        self.out_avals = [typeof(y) for y in self.primals_out]
        self.out_tree = out_tree

    def variables(self) -> list[ad.TapeVar]:
        """The tape's inputs."""
        return [x for x in self.inputs if x is not None]

    def program(self) -> tuple[Jaxpr, list[Any]]:
        """The tangent program (residuals ++ moving tangents -> nonzero tangents)."""
        outs = [y_dot for y_dot in self.outs if y_dot.__class__ is not ad.Zero]
        return ad.tape_to_jaxpr(self.tape, self.variables(), outs)


def record(
    fun: Callable[..., Any],
    x_flat: Sequence[Any],
    call: Callable[[list[Any]], tuple[Any, dict[str, Any]]],
    *,
    api: str,
    has_aux: bool,
    moves: Sequence[bool] | None = None,
) -> tuple[Recording, Any]:
    """Run `fun` on moving leaves; `call(leaves)` gives its (args, kwargs).

    moves: the leaves that move if they can, by default all. Returns the recording and
    aux.
    """
    trace = ad.LinearizeTrace(current.value)
    recording = Recording(trace, x_flat)
    leaves: list[Any] = []
    may_move = [True] * len(x_flat) if moves is None else moves
    for x, aval, moving in zip(x_flat, recording.in_avals, may_move, strict=True):
        if moving and aval.dtype in dtypes.INEXACT:
            tracer = trace.new_input(x)
            recording.inputs.append(tracer.tangent)
            leaves.append(tracer)
        else:
            recording.inputs.append(None)
            leaves.append(x)
    args, kwargs = call(leaves)
    out = run_under(trace, fun, args, kwargs)
    aux = None
    if has_aux:
        out, aux = split_aux(api, out)
        aux = primals_of_aux(trace, aux)
    y_flat, out_tree = output_leaves(fun, out)
    recording.complete(trace, y_flat, out_tree)
    del out, y_flat, leaves, args, kwargs
    finish(trace)
    return recording, aux


def as_values(x_flat: Sequence[Any]) -> list[Any]:
    """Leaves as the function will see them: at top level, as arrays on the device."""
    if _is_staging():
        return list(x_flat)
    return [
        x if isinstance(x, Array | Tracer) or _is_float0(x) else put(x) for x in x_flat
    ]


def _is_float0(x: Any) -> bool:
    return getattr(x, "dtype", None) == dtypes.float0


def pull_back(recording: Recording, y_bars: Sequence[Any]) -> list[Any]:
    """Cotangents of the input leaves; float0 zeros for those that cannot move."""
    found = iter(
        ad.backward_pass(recording.tape, recording.variables(), recording.outs, y_bars)
    )
    return [
        real_tangent(ad.Zero(aval.to_tangent_aval()) if x is None else next(found))
        for x, aval in zip(recording.inputs, recording.in_avals, strict=True)
    ]
