"""Arrays made from a shape and a number: fills, counters, and scalars for other rules.

A scalar constant costs no equation: rules take it from `scalar_like` and let the
elementwise primitives stretch it.

Source: spec/primitives.md §5.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lowering
from ..base import dtypes
from ..base.errors import ArgumentTypeError, ArgumentValueError
from ..core import (
    NOT_BATCHABLE,
    NOT_DIFFERENTIABLE,
    NOT_LINEAR,
    Primitive,
    ShapedArray,
    abstractify,
    at_top_level,
    broadcast_in_dim_p,
    canonical_shape,
    typeof,
)
from ..runtime import Array
from .conversions import HOST_TYPES, convert, convert_on_host
from .definition import define
from .transfers import device_put
from .typing import NUMBER, check_dtype

if TYPE_CHECKING:
    from .typing import ArrayLike, DTypeLike, Shape

__all__ = [
    "broadcasted_iota",
    "empty",
    "full",
    "full_like",
    "iota",
    "iota_p",
]


# --- scalars and fills for rules ------------------------------------------------------


@cache
def strong_scalar(value: Any, dtype: np.dtype) -> Any:
    """`value` as a scalar constant of exactly this dtype, which is not weak."""
    return np.asarray(value).astype(dtype)[()]


_PYTHON_TYPES = {"c": complex, "f": float, "i": int}


def scalar_like(x: Any, value: Any) -> Any:
    """`value` as a scalar constant in the dtype and weakness of `x`."""
    aval = typeof(x)
    if aval.weak_type and aval.dtype.kind in _PYTHON_TYPES:
        scalar = _PYTHON_TYPES[aval.dtype.kind](value)
        if typeof(scalar).dtype == aval.dtype:
            return scalar
    return strong_scalar(value, aval.dtype)


def fill_like(x: Any, value: Any) -> Any:
    """An array like `x` with `value` in every element; a bare constant for a scalar."""
    return fill(scalar_like(x, value), typeof(x).shape)


def fill(scalar: Any, shape: tuple[int, ...]) -> Any:
    """T[] -> T[*shape]: a scalar in every element."""
    if not shape:
        return scalar
    return broadcast_in_dim_p.bind(
        scalar, shape=shape, broadcast_dimensions=(), sharding=None
    )


# --- full -----------------------------------------------------------------------------


def full(
    shape: Shape,
    fill_value: ArrayLike,
    dtype: DTypeLike | None = None,
    *,
    sharding: Any = None,
) -> Array:
    """An array with the same number in every element: T[] -> dtype[*shape].

    Without a dtype, that of the number; a Python number makes a weakly typed array.
    sharding: where the array lives, the default device if not given.

    >>> import minijax as mj
    >>> print(mj.lax.full((2,), 7))
    [7 7]

    Raises:
      TypeError: `fill_value` has axes, or `shape` holds no integers.
    """
    shape = canonical_shape(shape)
    given = typeof(fill_value)
    if given.shape:
        raise ArgumentTypeError(
            "full repeats a scalar.", f"Found a value of shape {given.shape}."
        )
    if dtype is None:
        weak, wanted = given.weak_type and sharding is None, given.dtype
    else:
        weak, wanted = False, dtypes.requested_dtype(dtype, "full")
    if wanted == dtypes.float0:  # no array on a device: it holds nothing
        return np.zeros(shape, wanted)
    filled = _repeat(fill_value, given, wanted, weak, shape)
    return filled if sharding is None else device_put(filled, sharding)


def full_like(
    x: Any,
    fill_value: ArrayLike,
    dtype: DTypeLike | None = None,
    shape: Shape | None = None,
    sharding: Any = None,
) -> Array:
    """An array like `x` with the same number in every element.

    x: an array, or anything with a shape and a dtype; it gives what is not given.

    >>> import minijax as mj
    >>> print(mj.lax.full_like(mj.numpy.zeros(2), 7))
    [7. 7.]

    Raises:
      TypeError: `fill_value` has axes.
    """
    like = abstractify(x)
    given = typeof(fill_value)
    if given.shape:
        raise ArgumentTypeError(
            "full_like repeats a scalar.", f"Found a value of shape {given.shape}."
        )
    shape = like.shape if shape is None else canonical_shape(shape)
    weak = like.weak_type and dtype is None
    wanted = like.dtype if dtype is None else dtypes.requested_dtype(dtype, "full_like")
    if sharding is None and isinstance(x, Array) and not weak:
        sharding = _place_to_keep(x, shape)
    filled = _repeat(fill_value, given, wanted, weak, shape)
    return filled if sharding is None else device_put(filled, sharding)


def _place_to_keep(x: Array, shape: tuple[int, ...]) -> Any:
    """Where an array like `x` belongs: beside `x`, if that was put there on purpose."""
    if not at_top_level() or not x.committed:  # a traced array has no place
        return None
    fits = x.shape == shape or len(x.sharding.device_set) == 1
    return x.sharding if fits else None


def _repeat(
    value: Any,
    given: ShapedArray,
    dtype: Any,
    weak: bool,
    shape: tuple[int, ...],
) -> Any:
    if dtypes.is_extended(dtype) and given.dtype != dtype:
        return dtype.filled(shape, value)
    is_host = isinstance(value, HOST_TYPES)
    if not shape and (is_host or given.dtype != dtype or given.weak_type is not weak):
        return convert(value, dtype, weak)
    if given.dtype == dtype and given.weak_type is weak:
        scalar = value
    elif is_host:
        scalar = convert_on_host(value, dtype, weak)
    else:
        scalar = convert(value, dtype, weak)
    return fill(scalar, shape)


# --- empty ----------------------------------------------------------------------------

empty_p = Primitive("empty")


def empty(shape: Shape, dtype: DTypeLike, *, out_sharding: Any = None) -> Array:
    """An array whose elements may be anything, zeros on CPUs: dtype[*shape].

    >>> import minijax as mj
    >>> mj.lax.empty((2, 3), "float32").shape
    (2, 3)

    Raises:
      TypeError: a size is negative or no integer.
    """
    return empty_p.bind(
        shape=canonical_shape(shape),
        dtype=dtypes.requested_dtype(dtype, "empty"),
        out_sharding=out_sharding,
    )


def _empty_type(
    *, shape: tuple[int, ...], dtype: Any, out_sharding: Any
) -> ShapedArray:
    if any(size < 0 for size in shape):
        raise ArgumentTypeError("empty: no size is negative.", f"Found {shape}.")
    return ShapedArray(shape, dtype, sharding=out_sharding)


def _empty_lower(ctx: Any, **params: Any) -> list[Any]:
    return [ctx.constant(0, ctx.avals_out[0])]


def _empty_lower_on_device(ctx: Any, **params: Any) -> list[Any]:
    target = lowering.string_attr("AllocateBuffer")
    out = ctx.avals_out[0]
    return [ctx.op("stablehlo.custom_call", [], out, call_target_name=target)]


define(
    empty_p,
    abstract_eval=_empty_type,
    jvp=NOT_DIFFERENTIABLE,
    transpose=NOT_LINEAR,
    batch=NOT_BATCHABLE,
    lower=lowering.by_platform(
        _empty_lower, gpu=_empty_lower_on_device, tpu=_empty_lower_on_device
    ),
)


# --- iota -----------------------------------------------------------------------------

iota_p = Primitive("iota")


def iota(dtype: DTypeLike, size: int) -> Array:
    """Count from zero: dtype[size].

    >>> import minijax as mj
    >>> print(mj.lax.iota("int32", 4))
    [0 1 2 3]

    Raises:
      TypeError: `size` is negative or no integer, or the dtype is bool.
    """
    return broadcasted_iota(dtype, (size,), 0)


def broadcasted_iota(
    dtype: DTypeLike, shape: Shape, dimension: int, *, out_sharding: Any = None
) -> Array:
    """Each element's own index along one axis: dtype[*shape].

    >>> import minijax as mj
    >>> print(mj.lax.broadcasted_iota("int32", (2, 3), 1))
    [[0 1 2]
     [0 1 2]]

    Raises:
      ValueError: `dimension` is no axis of `shape`.
      TypeError: a size is negative, or the dtype is bool.
    """
    return iota_p.bind(
        dtype=dtypes.requested_dtype(dtype, "iota"),
        shape=canonical_shape(shape),
        dimension=int(dimension),
        sharding=out_sharding,
    )


def _iota_type(
    *, dtype: Any, shape: tuple[int, ...], dimension: int, sharding: Any
) -> ShapedArray:
    check_dtype("iota", dtype, NUMBER)
    if any(size < 0 for size in shape):
        raise ArgumentTypeError("iota: no size is negative.", f"Found {shape}.")
    if not 0 <= dimension < len(shape):
        raise ArgumentValueError(
            f"iota counts along one of the {len(shape)} axes of its shape.",
            f"Found dimension {dimension}.",
        )
    return ShapedArray(shape, dtype, sharding=sharding)


def _iota_lower(
    ctx: Any, *, dtype: Any, shape: Sequence[int], dimension: int, sharding: Any
) -> list[Any]:
    dimension_attr = lowering.i64_attr(dimension)
    out = ctx.avals_out[0]
    return [ctx.op("stablehlo.iota", [], out, iota_dimension=dimension_attr)]


define(
    iota_p,
    abstract_eval=_iota_type,
    jvp=NOT_DIFFERENTIABLE,
    transpose=NOT_LINEAR,
    batch=NOT_BATCHABLE,
    lower=_iota_lower,
)
