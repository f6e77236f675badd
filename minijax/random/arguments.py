"""What samplers are called with: shapes, dtypes and parameters, checked.

Source: spec/random.md §9.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import lax
from ..base import dtypes
from ..base.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    NotSupportedError,
    TracedShapeError,
    TypePromotionError,
)
from ..core import Tracer, canonical_shape, typeof


def shape_of(shape: Any) -> tuple[int, ...]:
    """A shape as a tuple; an int is a shape of one axis.

    Raises:
      TypeError: it holds something else than integers.
      ValueError: a size is negative.
    """
    for size in shape if isinstance(shape, Sequence) else (shape,):
        if isinstance(size, Tracer):
            raise TracedShapeError(str(shape), origin=size.origin_text())
    shape = canonical_shape(shape)
    if any(size < 0 for size in shape):
        raise ArgumentValueError("No size of an array is negative.", f"Found {shape}.")
    return shape


def optional_shape(shape: Any) -> tuple[int, ...] | None:
    """`shape_of`, or None for None: the shape of the parameters."""
    return None if shape is None else shape_of(shape)


def float_dtype(function: str, dtype: Any) -> np.dtype:
    """The floating dtype of a sampler's result; the default one for None.

    Raises:
      ValueError: it is no floating dtype.
      TypeError: it is no dtype.
    """
    return _dtype(function, dtype, dtypes.FLOATS, "floating-point")


def inexact_dtype(function: str, dtype: Any) -> np.dtype:
    """The floating or complex dtype of a result; the default float for None.

    Raises:
      ValueError: it is another dtype.
      TypeError: it is no dtype.
    """
    return _dtype(function, dtype, dtypes.INEXACT, "floating-point or complex")


def _dtype(function: str, dtype: Any, accepted: Any, names: str) -> np.dtype:
    if dtype is None:
        return dtypes.default_float()
    found = dtypes.requested_dtype(dtype, function)
    if found not in accepted:
        raise ArgumentValueError(
            f"random.{function} makes {names} numbers.",
            f"Found dtype {dtypes.name_of(found)}.",
        )
    return found


def int_dtype(function: str, dtype: Any) -> np.dtype:
    """The dtype of integer results; the default integer for None."""
    if dtype is None:
        return dtypes.default_int()
    return dtypes.requested_dtype(dtype, function)


def check_placement(function: str, out_sharding: Any) -> None:
    """Refuse a placement of the result: values are placed where their key is.

    Raises:
      NotImplementedError: a placement is given.
    """
    if out_sharding is not None:
        raise NotSupportedError(
            f"random.{function} takes no `out_sharding` but None.",
            f"Found {out_sharding!r}.",
            "Constrain the result with `lax.with_sharding_constraint`.",
        )


def check_array(function: str, name: str, x: Any) -> Any:
    """The type of a parameter. Raises: TypeError, if it is no array and no number."""
    if isinstance(x, list | tuple):
        raise ArgumentTypeError(
            f"random.{function} takes an array or a number as `{name}`.",
            f"Found a {type(x).__name__}.",
            "Convert it with `numpy.asarray`.",
        )
    return typeof(x)


def joint_shape(
    function: str, shape: tuple[int, ...] | None, *parameters: Any
) -> tuple[int, ...]:
    """The shape of the result, to which the parameters' shapes must broadcast.

    Raises:
      ValueError: they do not, or broadcast to something larger.
    """
    shapes = [typeof(x).shape for x in parameters]
    if shape is None:
        return lax.broadcast_shapes(*shapes)
    try:
        found: Any = lax.broadcast_shapes(shape, *shapes)
    except (TypeError, ValueError):
        found = None
    if found != shape:
        raise ArgumentValueError(
            f"The parameters of random.{function} must broadcast to shape {shape}.",
            f"Found parameters of shapes {', '.join(map(str, shapes))}.",
        )
    return shape


def check_casts(function: str, dtype: np.dtype, *parameters: Any) -> None:
    """Refuse parameters that the dtype of the result would round.

    Raises:
      ValueError: a strongly typed parameter has a wider dtype (TypePromotionError).
    """
    for x in parameters:
        found, weak = dtypes.kind_of(x)
        if weak or found not in dtypes.INEXACT:
            continue
        if dtypes.promote_types(found, dtype) != dtype:
            raise TypePromotionError([dtypes.name_of(found), dtypes.name_of(dtype)])


def cast(x: Any, dtype: Any) -> Any:
    """`x` in a strong dtype."""
    return lax.convert_element_type(x, dtype)


def scalar(value: Any, dtype: Any) -> Any:
    """A constant of a dtype."""
    return np.array(value).astype(dtype)[()]


def stretch(x: Any, shape: Sequence[int]) -> Any:
    """`x` repeated to `shape`, whose last axes are its own."""
    aval = typeof(x)
    if aval.shape == tuple(shape):
        return x
    first = len(shape) - aval.ndim
    return lax.broadcast_in_dim(x, tuple(shape), tuple(range(first, len(shape))))


def total_of(x: Any, axis: int) -> Any:
    """The sum along an axis; short floats are added up as f32."""
    dtype = typeof(x).dtype
    wide = x if dtypes.itemsize_bits(dtype) >= 32 else cast(x, np.float32)
    return cast(lax.reduce_sum(wide, (axis,)), dtype)
