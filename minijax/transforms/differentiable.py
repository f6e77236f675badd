"""Which inputs and outputs can be differentiated, and what to say when not.

Apart from `differentiation.py` because it runs per leaf on the way in and out and reads
as a list of cases.

Source: spec/ad.md §§1.1, 1.4.
"""

from __future__ import annotations

import functools
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
from ..core import argument_names, is_ref_type, source_of, typeof
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


def restricted(
    fun: Callable[..., Any],
    args: Sequence[Any],
    kwargs: dict[str, Any],
    chosen: tuple[int, ...],
) -> Callable[..., Any]:
    """`fun` as a function of the chosen positional arguments."""

    def partial_fun(*moving: Any) -> Any:
        full = list(args)
        for i, x in zip(chosen, moving, strict=True):
            full[i] = x
        return fun(*full, **kwargs)

    return functools.wraps(fun)(partial_fun)


def check_inputs(
    api: str,
    fun: Any,
    leaves: Sequence[Any],
    args: Sequence[Any],
    chosen: Sequence[int] | None = None,
    *,
    holomorphic: bool = False,
    allow_int: bool = True,
) -> None:
    """Raise TypeError if a leaf cannot be differentiated, and say which it is.

    leaves: those of the arguments `chosen`, or of all `args`, in their order. The rest
    is as for `check_input`.
    """
    check = functools.partial(
        check_input, api, fun, holomorphic=holomorphic, allow_int=allow_int
    )
    for number, x in enumerate(leaves):
        try:
            check(x)
        except TypeError:
            check(x, _leaf_name(fun, args, chosen, number))


def _leaf_name(
    fun: Any, args: Sequence[Any], chosen: Sequence[int] | None, number: int
) -> str:
    every = range(len(args))
    names: list[str] = []
    for i in every if chosen is None else chosen:
        names += argument_names(fun, args, {}, [j for j in every if j != i])
    return names[number]


def check_input(
    api: str,
    fun: Any,
    x: Any,
    path: str = "",
    *,
    holomorphic: bool = False,
    allow_int: bool = True,
) -> None:
    """Raise TypeError if the leaf `x`, written `path`, cannot be differentiated."""
    try:
        aval = typeof(x)
    except (TypeError, ValueError):
        raise NotAnArrayError(
            type(x).__name__,
            function=describe_function(fun),
            path=path,
            value=repr(x)[:80],
        ) from None
    if is_ref_type(aval):
        raise ArgumentTypeError(
            f"{api} differentiates with respect to arrays.",
            f"Found {path or 'an argument'} of type {aval}.",
            "Pass it as an argument that is not differentiated, or make it inside.",
        )
    dtype = aval.dtype
    if holomorphic:
        if dtype not in dtypes.COMPLEXES:
            raise ArgumentTypeError(
                f"{api} with holomorphic=True takes complex inputs.",
                f"Found {path or 'an argument'} of dtype {dtypes.name_of(dtype)}.",
            )
    elif dtype not in dtypes.INEXACT and not allow_int:
        raise ArgumentTypeError(
            f"{api} takes real or complex inputs.",
            f"Found {path or 'one'} of dtype {dtypes.name_of(dtype)} among the "
            f"arguments of {describe_function(fun)}.",
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


def moving_leaves(api: str, in_nzs: Any, in_tree: Any) -> list[bool] | None:
    """One flag per leaf of the primals from `in_nzs`, a prefix; None: all may move.

    Containers are compared by their number of children. Raises: ValueError.
    """
    return None if in_nzs is None else flags_of(api, "in_nzs", in_nzs, in_tree)


def flags_of(api: str, option: str, flags: Any, structure: Any) -> list[bool]:
    """A prefix of bools, repeated for each leaf of `structure`. Raises: ValueError."""
    if isinstance(flags, bool):
        return [flags] * structure.num_leaves
    below = tree.treedef_children(structure)
    children = tree.leaves(flags, is_leaf=lambda x: x is not flags)
    if len(children) != len(below) or tree.treedef_is_leaf(structure):
        raise ArgumentValueError(
            f"`{option}` of {api} is a bool or, for each container among the primals, "
            f"one entry per child.",
            f"Found {flags!r} for {structure}.",
        )
    return [
        flag
        for child, part in zip(children, below, strict=True)
        for flag in flags_of(api, option, child, part)
    ]


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
    check_inputs(api, fun, x_flat, primals)
    for number, (x, x_dot) in enumerate(zip(x_flat, x_dot_flat, strict=True)):
        try:
            _check_tangent(api, typeof(x), x_dot)
        except (TypeError, ValueError):
            path = _leaf_name(fun, primals, None, number)
            _check_tangent(api, typeof(x), x_dot, f", {path},")
            raise
    return x_flat, x_dot_flat, in_tree


def _check_tangent(api: str, aval: Any, x_dot: Any, name: str = "") -> None:
    expected, found = aval.to_tangent_aval(), typeof(x_dot)
    if expected.dtype != found.dtype:
        raise ArgumentTypeError(
            f"{api}: the tangent of a primal{name} of dtype "
            f"{dtypes.name_of(aval.dtype)} has dtype {dtypes.name_of(expected.dtype)}.",
            f"Found {dtypes.name_of(found.dtype)}.",
        )
    if expected.shape != found.shape:
        raise ArgumentValueError(
            f"{api}: the tangent of a primal{name} has its shape, {expected.shape}.",
            f"Found {found.shape}.",
        )


def is_float0(x: Any) -> bool:
    """Whether `x` is a float0 array, the tangent of an integer."""
    return isinstance(x, np.ndarray) and x.dtype == dtypes.float0
