"""Means, variances and weighted averages.

Source: spec/numpy.md §9.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lax
from ..base import dtypes
from ..base.errors import ArgumentValueError
from ..core import typeof
from ..transforms import eager_jit
from .arithmetic import stretch
from .promotion import (
    INEXACT,
    cast_to,
    check_arrays,
    common_kind,
    constant_like,
    refuse,
    two,
)
from .reductions import axes_of, reduce_sum, static_axis
from .selecting import where as choose

if TYPE_CHECKING:
    from ..runtime import Array
    from .promotion import ArrayLike, Axis, DTypeLike

_HALVES = (np.dtype(np.float16), dtypes.bfloat16)


def _computing_dtype(x: Any, dtype: Any, function: str) -> tuple[Any, Any]:
    """The dtype of the result and the one it is computed in."""
    if dtype is not None:
        wanted = dtypes.requested_dtype(dtype, function)
        return wanted, wanted
    wanted = dtypes.to_inexact_dtype(typeof(x).dtype)
    return wanted, np.dtype(np.float32) if wanted in _HALVES else wanted


def _count(
    x: Any, axes: tuple[int, ...], where: Any, dtype: Any, keepdims: bool
) -> Any:
    shape = typeof(x).shape
    if where is None:
        return np.asarray(np.prod([shape[a] for a in axes], dtype=float)).astype(dtype)[
            ()
        ]
    mask = stretch(where, lax.broadcast_shapes(shape, typeof(where).shape))
    counted = lax.convert_element_type(mask, dtypes.default_int())
    return reduce_sum(counted, axes, dtype=dtype, keepdims=keepdims)


def mean(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: None = None,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = None,
) -> Array:
    """The mean along axes, or of all elements; of integers in floats.

    16-bit floats are summed in 32 bits unless a dtype is given. The mean of nothing is
    NaN.

    >>> import minijax.numpy as jnp
    >>> print(jnp.mean(jnp.arange(4)))
    1.5
    """
    refuse("mean", out=out)
    return _mean(a, static_axis(axis), dtype, bool(keepdims), where)


@eager_jit(static_argnums=(1, 2, 3))
def _mean(a: Any, axis: Any, dtype: Any, keepdims: bool, where: Any) -> Any:
    check_arrays("mean", a)
    wanted, work = _computing_dtype(a, dtype, "mean")
    axes = axes_of(a, axis)
    total = reduce_sum(
        _to_float(a, work), axes, dtype=work, keepdims=keepdims, where=where
    )
    count = _count(a, axes, where, work, keepdims)
    if work in dtypes.INTEGERS or work == dtypes.BOOL:
        total = lax.convert_element_type(total, dtypes.default_float())
        count = lax.convert_element_type(count, dtypes.default_float())
    return cast_to(lax.div(total, count), wanted)


def _to_float(x: Any, dtype: Any) -> Any:
    # Booleans become integers on the way, as sums of them do.
    if typeof(x).dtype == dtypes.BOOL:
        x = cast_to(x, dtypes.default_int())
    return cast_to(x, dtype)


def var(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: None = None,
    ddof: int = 0,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = None,
    mean: ArrayLike | None = None,
    correction: float | None = None,
) -> Array:
    """The mean squared distance from the mean, with divisor N - correction.

    mean: of the elements, if it is known already, with the axes kept.

    >>> import minijax.numpy as jnp
    >>> print(jnp.var(jnp.arange(4)))
    1.25

    Raises:
      ValueError: both `ddof` and `correction`; a real dtype for complex numbers.
    """
    refuse("var", out=out)
    freedom = _freedom(ddof, correction)
    axis = static_axis(axis)
    return _var(a, axis, dtype, bool(keepdims), freedom, where, mean)


def _freedom(ddof: Any, correction: Any) -> Any:
    if correction is None:
        return ddof
    if ddof:
        raise ArgumentValueError(
            "`ddof` and `correction` are two names of one number.", "Found both."
        )
    return correction


@eager_jit(static_argnums=(1, 2, 3))
def _var(
    a: Any, axis: Any, dtype: Any, keepdims: bool, freedom: Any, where: Any, mean: Any
) -> Any:
    check_arrays("var", a)
    wanted, work = _computing_dtype(a, dtype, "var")
    own = dtypes.to_inexact_dtype(typeof(a).dtype)
    if own in dtypes.COMPLEXES and dtype is not None and wanted not in dtypes.COMPLEXES:
        raise ArgumentValueError(
            "The variance of complex numbers is computed in a complex dtype.",
            f"Found {wanted}.",
        )
    if dtype is not None:
        work = common_kind(INEXACT, np.zeros((), own), np.zeros((), wanted))[0]
    x = cast_to(a, work)
    axes = axes_of(x, axis)
    if mean is None:
        mean = _mean(x, axes, None if dtype is None else work, True, where)
    distance = lax.sub(*two("var", INEXACT, x, cast_to(mean, work))[:2])
    if work in dtypes.COMPLEXES:
        squares = lax.real(lax.mul(distance, lax.conj(distance)))
    else:
        squares = lax.square(distance)
    real = dtypes.to_real_dtype(work)
    count = _count(x, axes, where, real, keepdims)
    divisor = lax.sub(count, lax.convert_element_type(freedom, real))
    total = reduce_sum(squares, axes, dtype=real, keepdims=keepdims, where=where)
    result = cast_to(lax.div(total, divisor), dtypes.to_real_dtype(wanted))
    positive = lax.gt(divisor, constant_like(divisor, 0))
    return choose(positive, result, cast_to(np.float32(np.nan), typeof(result).dtype))


def std(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: None = None,
    ddof: int = 0,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = None,
    mean: ArrayLike | None = None,
    correction: float | None = None,
) -> Array:
    """The square root of the variance; arguments as in `var`.

    >>> import minijax.numpy as jnp
    >>> print(jnp.std(jnp.array([1.0, 3.0])))
    1.0

    Raises:
      ValueError: an integer dtype.
    """
    refuse("std", out=out)
    if dtype is not None:
        wanted = dtypes.requested_dtype(dtype, "std")
        if wanted not in dtypes.INEXACT:
            raise ArgumentValueError(
                "std has a dtype with fractions.", f"Found {wanted}."
            )
    freedom = _freedom(ddof, correction)
    axis = static_axis(axis)
    return _std(a, axis, dtype, bool(keepdims), freedom, where, mean)


@eager_jit(static_argnums=(1, 2, 3))
def _std(
    a: Any, axis: Any, dtype: Any, keepdims: bool, freedom: Any, where: Any, mean: Any
) -> Any:
    return lax.sqrt(_var(a, axis, dtype, keepdims, freedom, where, mean))


def average(
    a: ArrayLike,
    axis: Axis = None,
    weights: ArrayLike | None = None,
    returned: bool = False,
    keepdims: bool = False,
) -> Any:
    """The mean, weighted: sum(a * weights) / sum(weights).

    weights: in the shape of `a`, or along the one axis. returned: give the sum of the
    weights as well.

    >>> import minijax.numpy as jnp
    >>> print(jnp.average(jnp.array([1.0, 4.0]), weights=jnp.array([2, 1])))
    2.0

    Raises:
      ValueError: weights that fit neither.
    """
    result, total = _average(a, static_axis(axis), weights, bool(keepdims))
    return (result, total) if returned else result


@eager_jit(static_argnums=(1, 3))
def _average(a: Any, axis: Any, weights: Any, keepdims: bool) -> Any:
    check_arrays("average", a)
    if weights is None:
        result = _mean(a, axis, None, keepdims, None)
        count = _count(a, axes_of(a, axis), None, typeof(result).dtype, keepdims)
        return result, stretch(count, typeof(result).shape)
    check_arrays("average", weights)
    weights = _aligned_weights(a, axis, weights)
    x, weights, dtype = two("average", INEXACT, a, weights)
    total = reduce_sum(weights, axis, dtype=dtype, keepdims=keepdims)
    result = reduce_sum(lax.mul(x, weights), axis, dtype=dtype, keepdims=keepdims)
    result = lax.div(result, total)
    return result, stretch(total, typeof(result).shape)


def _aligned_weights(a: Any, axis: Any, weights: Any) -> Any:
    shape, given = typeof(a).shape, typeof(weights).shape
    if given == shape:
        return weights
    axes = () if axis is None else axes_of(a, axis)
    if axis is None or given != tuple(shape[i] for i in axes):
        raise ArgumentValueError(
            "Weights have the shape of the array, or of the axes averaged over.",
            f"Found shape {given} for {shape} and axis {axis}.",
        )
    order = sorted(range(len(axes)), key=lambda i: axes[i])
    weights = lax.transpose(weights, order)
    sizes = [shape[i] if i in axes else 1 for i in range(len(shape))]
    return lax.reshape(weights, sizes)
