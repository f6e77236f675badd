"""Which inputs and outputs can be differentiated, and what to say when not.

Apart from `differentiation.py` because it runs per leaf on the way in and out and reads
as a list of cases.

Source: spec/ad.md §§1.1, 1.4.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import tree
from ..base import dtypes
from ..base.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    NotAnArrayError,
    NotCallableError,
    NotSupportedError,
)
from ..core import source_of, typeof
from ..interpreters import ad


def describe_function(fun: Callable[..., Any]) -> str:
    """`NAME at FILE:LINE`, for error texts."""
    return source_of(fun)


class Positions:
    """The differentiated arguments. single: an int was given, not a sequence."""

    __slots__ = ("fun", "indices", "single")

    def __init__(self, fun: Any, indices: tuple[int, ...], *, single: bool) -> None:
        self.fun, self.indices, self.single = fun, indices, single

    def of(self, args: Sequence[Any]) -> tuple[int, ...]:
        """The positions within `args`. Raises: TypeError, ValueError."""
        count = len(args)
        found = tuple([i + count if i < 0 else i for i in self.indices])
        if not found:
            raise ArgumentValueError(
                "`argnums` says which arguments to differentiate.",
                "Found an empty sequence.",
            )
        if min(found) < 0 or max(found) >= count:
            needed = max(i + 1 if i >= 0 else -i for i in self.indices)
            raise ArgumentTypeError(
                f"Differentiating {describe_function(self.fun)} with "
                f"argnums={self.indices} needs at least {needed} positional arguments.",
                f"Found {count}.",
                "Keyword arguments are never differentiated: pass them by position.",
            )
        if len(set(found)) != len(found):
            raise ArgumentValueError(
                "Each argument can be differentiated once.",
                f"Found argnums={self.indices}, which names one twice.",
            )
        return found


def argument_positions(
    api: str, fun: Any, argnums: int | Sequence[int], reduce_axes: Sequence[Any]
) -> Positions:
    """Check the options of `grad`-like functions. Raises: TypeError."""
    if reduce_axes:
        raise NotSupportedError("`reduce_axes` must be empty.", f"Found {reduce_axes}.")
    if not callable(fun):
        raise NotCallableError(api, f"{fun!r} of type {type(fun).__name__}")
    single = not isinstance(argnums, list | tuple)
    try:
        indices = tuple(map(operator.index, (argnums,) if single else argnums))  # type: ignore[arg-type]
    except TypeError as error:
        raise ArgumentTypeError(
            "`argnums` must be an int or a sequence of ints.", f"Found {argnums!r}."
        ) from error
    return Positions(fun, indices, single=single)


def check_input(
    api: str,
    fun: Any,
    x: Any,
    *,
    holomorphic: bool = False,
    allow_int: bool = True,
) -> None:
    """Raise TypeError if the leaf `x` cannot be differentiated."""
    try:
        dtype = typeof(x).dtype
    except (TypeError, ValueError) as error:
        raise NotAnArrayError(
            type(x).__name__, function=describe_function(fun), value=repr(x)
        ) from error
    if holomorphic:
        if dtype not in dtypes.COMPLEXES:
            raise ArgumentTypeError(
                f"{api} with holomorphic=True takes complex inputs.",
                f"Found dtype {dtypes.name_of(dtype)}.",
            )
    elif dtype not in dtypes.INEXACT and not allow_int:
        raise ArgumentTypeError(
            f"{api} takes real or complex inputs.",
            f"Found dtype {dtypes.name_of(dtype)} among the arguments of "
            f"{describe_function(fun)}.",
            "For a float0 gradient of integer inputs, pass allow_int=True.",
        )


def check_scalar_output(
    api: str, fun: Any, recording: Any, *, holomorphic: bool
) -> Any:
    """The cotangent one for the output. Raises: TypeError if it is no real scalar."""
    name = describe_function(fun)
    if not tree.treedef_is_leaf(recording.out_tree) or len(recording.out_avals) != 1:
        raise ArgumentTypeError(
            f"{api} takes a function that returns one scalar.",
            f"Found {name} returning a tree {recording.out_tree}.",
            "To return more, use has_aux=True.",
        )
    aval = recording.out_avals[0]
    if aval.shape:
        advice = (
            "Take the element out (`y[0]`, `y.reshape(())`)."
            if aval.size == 1
            else "Sum it up, or use `jacobian` for all derivatives."
        )
        raise ArgumentTypeError(
            f"{api} takes a function that returns one scalar.",
            f"Found {name} returning shape {aval.shape}.",
            advice,
        )
    _check_output_dtype(api, name, aval.dtype, holomorphic=holomorphic)
    return ad.scalar_of(1, aval)


def _check_output_dtype(api: str, name: str, dtype: Any, *, holomorphic: bool) -> None:
    found = f"Found {name} returning dtype {dtypes.name_of(dtype)}."
    if holomorphic:
        if dtype not in dtypes.COMPLEXES:
            raise ArgumentTypeError(
                f"{api} with holomorphic=True takes a function with complex output.",
                found,
            )
    elif dtype in dtypes.COMPLEXES:
        raise ArgumentTypeError(
            f"{api} takes a function with real output.",
            found,
            "Pass holomorphic=True if it is holomorphic, or use `vjp`.",
        )
    elif dtype not in dtypes.FLOATS:
        raise ArgumentTypeError(f"{api} takes a function with real output.", found)


def check_tangents(
    api: str, fun: Any, primals: Any, tangents: Any
) -> tuple[list[Any], list[Any], Any]:
    """Flat primals, flat tangents, their tree. Raises: TypeError, ValueError."""
    for values in (primals, tangents):
        if not isinstance(values, tuple | list):
            raise ArgumentTypeError(
                f"{api} takes primals and tangents as tuples or lists.",
                f"Found types {type(primals).__name__} and {type(tangents).__name__}.",
            )
    x_flat, in_tree = tree.flatten(primals)
    x_dot_flat, tangent_tree = tree.flatten(tangents)
    if in_tree != tangent_tree:
        raise ArgumentTypeError(
            f"{api} takes tangents with the tree of the primals, {in_tree}.",
            f"Found {tangent_tree}.",
        )
    for x, x_dot in zip(x_flat, x_dot_flat, strict=True):
        check_input(api, fun, x)
        _check_tangent(api, typeof(x), x_dot)
    return x_flat, x_dot_flat, in_tree


def _check_tangent(api: str, aval: Any, x_dot: Any) -> None:
    expected, found = aval.to_tangent_aval(), typeof(x_dot)
    if expected.dtype != found.dtype:
        raise ArgumentTypeError(
            f"{api}: the tangent of a primal of dtype {dtypes.name_of(aval.dtype)} has "
            f"dtype {dtypes.name_of(expected.dtype)}.",
            f"Found {dtypes.name_of(found.dtype)}.",
        )
    if expected.shape != found.shape:
        raise ArgumentValueError(
            f"{api}: a tangent has the shape of its primal, {expected.shape}.",
            f"Found {found.shape}.",
        )


def is_float0(x: Any) -> bool:
    """Whether `x` is a float0 array, the tangent of an integer."""
    return isinstance(x, np.ndarray) and x.dtype == dtypes.float0
