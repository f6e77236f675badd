"""Arrays made from shapes and numbers.

Outside of traces, arrays whose elements are exact (fills, counters, diagonals) are made
by NumPy and handed over without a copy: nothing is compiled for their shape.

Source: spec/numpy.md §4.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lax
from ..base import dtypes
from ..base.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    TracedShapeError,
)
from ..core import EVAL, ShapeDtypeStruct, Tracer, abstractify, current, shaped, typeof
from ..runtime import Array, ArrayImpl, default_placement, put_on
from .arithmetic import stretch
from .array_making import asarray, placed
from .promotion import PYTHON_SCALARS, cast_to, check_arrays

if TYPE_CHECKING:
    from .promotion import ArrayLike, DTypeLike, Shape


def is_eager() -> bool:
    """Whether nothing is traced in this thread."""
    return current.value is EVAL


def on_device(data: np.ndarray, *, weak: bool = False) -> Array:
    """An array that takes over fresh NumPy data."""
    aval = shaped(data.shape, data.dtype, weak)
    return put_on(data, aval, default_placement(), committed=False)


def checked_shape(shape: Any, function: str) -> tuple[int, ...]:
    """A shape argument as a tuple of ints.

    Raises:
      TypeError: it holds something else, a negative size, or a traced value.
    """
    if (isinstance(shape, int | np.integer) and not isinstance(shape, bool)) or (
        isinstance(shape, Array | Tracer | np.ndarray) and not typeof(shape).shape
    ):
        shape = (shape,)
    if isinstance(shape, np.ndarray):
        shape = shape.tolist()
    if not isinstance(shape, Sequence | Array) or isinstance(shape, str):
        raise ArgumentTypeError(
            f"{function} takes a shape: an int or a sequence of ints.",
            f"Found {shape!r:.60} of type {type(shape).__name__}.",
        )
    sizes = []
    for size in shape:
        if isinstance(size, Tracer) and size.concrete() is None:
            raise TracedShapeError(str(tuple(shape)), function, size.origin_text())
        try:
            sizes.append(operator.index(size))
        except TypeError as error:
            raise ArgumentTypeError(
                f"The sizes of {function} are ints.", f"Found {tuple(shape)}."
            ) from error
    if any(size < 0 for size in sizes):
        raise ArgumentTypeError(
            f"The sizes of {function} are not negative.", f"Found {tuple(sizes)}."
        )
    return tuple(sizes)


# --- fills ----------------------------------------------------------------------------


def _filled(
    shape: Any, value: int, dtype: Any, function: str, device: Any, out_sharding: Any
) -> Any:
    if dtype is not None and _looks_like_size(dtype):
        raise ArgumentTypeError(
            f"The second argument of {function} is a dtype.",
            f"Found {dtype!r}.",
            f"Write the shape as a tuple: `{function}(({shape}, {dtype}))`.",
        )
    wanted = dtypes.requested_dtype(float if dtype is None else dtype, function)
    sizes = checked_shape(shape, function)
    where = device if device is not None else out_sharding
    held = not dtypes.is_extended(wanted) and wanted != dtypes.float0
    if is_eager() and held:
        return placed(on_device(np.full(sizes, value, wanted)), where)
    return lax.full(sizes, value, wanted)


def _looks_like_size(dtype: Any) -> bool:
    return isinstance(dtype, int | np.integer) and not isinstance(dtype, bool)


def zeros(
    shape: Shape,
    dtype: DTypeLike | None = None,
    *,
    device: Any = None,
    out_sharding: Any = None,
) -> Array:
    """An array of zeros; float32 without a dtype.

    >>> import minijax.numpy as jnp
    >>> print(jnp.zeros((2, 2)))
    [[0. 0.]
     [0. 0.]]

    Raises:
      TypeError: `shape` is no shape, or a size is negative.
    """
    return _filled(shape, 0, dtype, "zeros", device, out_sharding)


def ones(
    shape: Shape,
    dtype: DTypeLike | None = None,
    *,
    device: Any = None,
    out_sharding: Any = None,
) -> Array:
    """An array of ones; float32 without a dtype.

    >>> import minijax.numpy as jnp
    >>> print(jnp.ones(3, int))
    [1 1 1]
    """
    return _filled(shape, 1, dtype, "ones", device, out_sharding)


def empty(
    shape: Shape,
    dtype: DTypeLike | None = None,
    *,
    device: Any = None,
    out_sharding: Any = None,
) -> Array:
    """An array of unspecified elements: of zeros.

    >>> import minijax.numpy as jnp
    >>> jnp.empty((2, 3)).shape
    (2, 3)
    """
    return _filled(shape, 0, dtype, "empty", device, out_sharding)


def full(
    shape: Shape,
    fill_value: ArrayLike,
    dtype: DTypeLike | None = None,
    *,
    device: Any = None,
    out_sharding: Any = None,
) -> Array:
    """An array filled with a number, or with an array that broadcasts to its shape.

    Without a dtype, that of the value; a Python number makes a weakly typed array.

    >>> import minijax.numpy as jnp
    >>> print(jnp.full((2,), 7))
    [7 7]
    """
    check_arrays("full", fill_value)
    wanted = None if dtype is None else dtypes.requested_dtype(dtype, "full")
    sizes = checked_shape(shape, "full")
    where = device if device is not None else out_sharding
    is_plain = fill_value.__class__ in PYTHON_SCALARS and not dtypes.is_extended(wanted)
    if is_eager() and is_plain:
        value = asarray(fill_value, wanted)
        data = np.full(sizes, np.asarray(value), value.dtype)
        return placed(on_device(data, weak=value.weak_type), where)
    if not typeof(fill_value).shape:
        return placed(lax.full(sizes, fill_value, wanted), where)
    value = asarray(fill_value, wanted)
    return placed(_spread(value, sizes), where)


def _spread(x: Any, shape: tuple[int, ...]) -> Any:
    if lax.broadcast_shapes(typeof(x).shape, shape) != shape:
        raise ArgumentValueError(
            f"The value broadcasts to shape {shape}.", f"Found {typeof(x)}."
        )
    return stretch(x, shape)


def _like(
    a: Any, value: Any, dtype: Any, shape: Any, function: str, device: Any
) -> Any:
    if not hasattr(a, "shape") or not hasattr(a, "dtype"):
        check_arrays(function, a)
    aval = abstractify(a)
    sizes = aval.shape if shape is None else checked_shape(shape, function)
    chosen = a.__class__ is ArrayImpl and a.committed and is_eager()
    if device is None and chosen:  # noqa: SIM102
        # What was put somewhere on purpose keeps its likes there.
        if sizes == aval.shape or len(a.sharding.device_set) == 1:
            device = a.sharding
    wanted = aval.dtype if dtype is None else dtypes.requested_dtype(dtype, function)
    weak = dtype is None and aval.weak_type and not isinstance(a, ShapeDtypeStruct)
    if dtypes.is_extended(wanted):
        return lax.full_like(a, value, None, sizes)
    if is_eager() and (value.__class__ in PYTHON_SCALARS):
        data = np.full(sizes, np.asarray(value).astype(wanted), wanted)
        return placed(on_device(data, weak=weak), device)
    if typeof(value).shape:
        return placed(_spread(asarray(value, wanted), sizes), device)
    scalar = cast_to(value, wanted, weak=weak)
    return placed(stretch(scalar, sizes), device)


def zeros_like(
    a: Any,
    dtype: DTypeLike | None = None,
    shape: Shape | None = None,
    *,
    device: Any = None,
    out_sharding: Any = None,
) -> Array:
    """Zeros in the shape and dtype of `a`, which only has to have both.

    >>> import minijax.numpy as jnp
    >>> print(jnp.zeros_like(jnp.arange(3)))
    [0 0 0]
    """
    return _like(a, 0, dtype, shape, "zeros_like", device or out_sharding)


def ones_like(
    a: Any,
    dtype: DTypeLike | None = None,
    shape: Shape | None = None,
    *,
    device: Any = None,
    out_sharding: Any = None,
) -> Array:
    """Ones in the shape and dtype of `a`, which only has to have both.

    >>> import minijax.numpy as jnp
    >>> print(jnp.ones_like(jnp.arange(3)))
    [1 1 1]
    """
    return _like(a, 1, dtype, shape, "ones_like", device or out_sharding)


def empty_like(
    prototype: Any,
    dtype: DTypeLike | None = None,
    shape: Shape | None = None,
    *,
    device: Any = None,
) -> Array:
    """Unspecified elements, zeros, in the shape and dtype of `prototype`.

    >>> import minijax.numpy as jnp
    >>> jnp.empty_like(jnp.arange(3)).shape
    (3,)
    """
    return _like(prototype, 0, dtype, shape, "empty_like", device)


def full_like(
    a: Any,
    fill_value: ArrayLike,
    dtype: DTypeLike | None = None,
    shape: Shape | None = None,
    *,
    device: Any = None,
) -> Array:
    """A number, or an array that broadcasts, in the shape and dtype of `a`.

    >>> import minijax.numpy as jnp
    >>> print(jnp.full_like(jnp.arange(3), 7))
    [7 7 7]
    """
    check_arrays("full_like", fill_value)
    return _like(a, fill_value, dtype, shape, "full_like", device)
