"""What all callbacks share: calling a Python function with the values of a program.

The runtime hands over memory that is only valid during the call, and copies results
back byte for byte, unchecked. So operands are copied, and results are checked here.

Source: spec/jaxlib.md §8.1, spec/lowering.md §8.1.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import tree
from ..base import JaxRuntimeError, dtypes
from ..base.errors import ArgumentTypeError, ArgumentValueError, NotCallableError
from ..core import Effect, ShapedArray, typeof
from ..runtime import (
    Array,
    ArrayImpl,
    devices,
    effects_barrier,
    placement_on,
    put,
    put_on,
)


class NamedEffect(Effect):
    """An effect that prints as its name: one object per kind."""

    shown_as = ""

    def __repr__(self) -> str:
        return self.shown_as


class IOEffect(NamedEffect):
    """The program talks to the world."""

    shown_as = "IO"
    # A branch that is not taken, or a loop that is over, must not have it.
    in_mapped_control_flow = False
    in_checkpoint = False


class OrderedIOEffect(IOEffect):
    """The program talks to the world, in the order in which it is written."""

    shown_as = "OrderedIO"
    ordered = True


class DebugEffect(NamedEffect):
    """Somebody looks on: wherever the program runs, and in no order."""

    shown_as = "Debug"


class OrderedDebugEffect(DebugEffect):
    """Somebody looks on, in the order in which the program is written."""

    shown_as = "OrderedDebug"
    ordered = True


IO, ORDERED_IO = IOEffect(), OrderedIOEffect()
DEBUG, ORDERED_DEBUG = DebugEffect(), OrderedDebugEffect()


class FlatCallback:
    """A user's function, called with the leaves of its arguments; equal by its parts.

    callback: the function. in_tree: the tree of `(args, kwargs)`.
    """

    def __init__(self, callback: Callable[..., Any], in_tree: tree.PyTreeDef) -> None:
        self.callback, self.in_tree = callback, in_tree

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FlatCallback) and (
            (self.callback, self.in_tree) == (other.callback, other.in_tree)
        )

    def __hash__(self) -> int:
        return hash((self.callback, self.in_tree))

    def __call__(self, *leaves: Any) -> list[Any]:
        args, kwargs = self.in_tree.unflatten(leaves)
        results: list[Any] = tree.leaves(self.callback(*args, **kwargs))
        return results

    def __repr__(self) -> str:
        shown = f"callback_func={self.callback}, in_tree={self.in_tree}"
        return f"_FlatCallback({shown})"


def check_callback(api: str, callback: Any) -> None:
    """Raises: TypeError, if `callback` is no function."""
    if not callable(callback):
        raise NotCallableError(api, f"{callback!r} of type {type(callback).__name__}")


# --- Types of results -----------------------------------------------------------------


def result_avals(specs: Sequence[Any]) -> tuple[ShapedArray, ...]:
    """The types that a user promises: of anything with a shape and a dtype.

    Raises:
        TypeError: it has none. ValueError: 64 bits where these are off.
    """
    return tuple([_result_aval(spec) for spec in specs])


def _result_aval(spec: Any) -> ShapedArray:
    try:
        shape, dtype = tuple(spec.shape), spec.dtype
    except AttributeError:
        raise ArgumentTypeError(
            "The results of a callback are described by shape and dtype.",
            f"Found {spec!r} of type {type(spec).__name__}.",
            "Pass a ShapeDtypeStruct(shape, dtype).",
        ) from None
    if dtypes.is_extended(dtype):
        raise ArgumentTypeError(
            "A callback returns arrays of plain dtypes.", f"Found {dtype}."
        )
    if dtypes.canonicalize_dtype(dtype) != dtype:
        raise ArgumentValueError(
            "The results of a callback have at most 32 bits while jax_enable_x64 is "
            "off.",
            f"Found {dtypes.name_of(dtype)}.",
        )
    return ShapedArray(shape, dtype)


def checked_results(outs: Sequence[Any], avals: Sequence[Any]) -> tuple[Any, ...]:
    """What a callback returned, as arrays of exactly the promised types.

    64-bit numbers shrink where these are off. Raises: ValueError, if it does not fit.
    """
    if len(outs) != len(avals):
        raise ArgumentValueError(
            f"The callback promises {len(avals)} arrays.", f"It returned {len(outs)}."
        )
    return tuple(
        [
            _checked(number, x, aval)
            for number, (x, aval) in enumerate(zip(outs, avals, strict=True))
        ]
    )


def _checked(number: int, x: Any, aval: ShapedArray) -> np.ndarray:
    found = np.asarray(x)
    dtype = dtypes.canonicalize_dtype(found.dtype)
    if found.shape != aval.shape or dtype != aval.dtype:
        raise ArgumentValueError(
            f"Result {number} of the callback is to be {aval.str_short()}.",
            f"It returned {found.dtype.name}{list(found.shape)}.",
        )
    # As the runtime copies it: C-ordered, whatever the callback made of it.
    return np.array(found, dtype, order="C", copy=None)


# --- Calling --------------------------------------------------------------------------


def on_host(callback: Callable[..., Any], avals: Sequence[Any]) -> Callable[..., Any]:
    """The function that a program calls: operands as arrays, results checked."""
    avals = tuple(avals)

    def call(*operands: np.ndarray) -> tuple[Any, ...]:
        return checked_results(callback(*map(_copied, operands)), avals)

    return call


def _copied(x: np.ndarray) -> Array:
    # On the host: the device the program runs on may be waiting for this very call.
    placement = placement_on(devices("cpu")[0])
    return put_on(x, typeof(x), placement, committed=False, copy=True)


def call_now(
    callback: Callable[..., Any], operands: Sequence[Any], effect: Effect | None
) -> Any:
    """Call it without a program, with arrays, once it is its turn."""
    if effect is not None and effect.ordered:
        effects_barrier()
    return callback(*[x if type(x) is ArrayImpl else put(x) for x in operands])


def results_now(
    name: str,
    callback: Callable[..., Any],
    operands: Sequence[Any],
    avals: Sequence[Any],
    effect: Effect | None,
) -> list[Array]:
    """The results of a call without a program.

    Raises:
        JaxRuntimeError: as a program would, from what the callback raised.
    """
    try:
        outs = checked_results(call_now(callback, operands, effect), avals)
    except Exception as error:
        kind = type(error).__name__
        raise JaxRuntimeError(
            f"INTERNAL: the callback of {name} failed: {kind}: {error}"
        ) from error
    return [put(x, copy=True) for x in outs]
