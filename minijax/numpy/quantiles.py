"""Quantiles, medians and percentiles, with or without NaN.

Source: spec/numpy.md §12.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lax
from ..base import dtypes
from ..base.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    NotSupportedError,
)
from ..core import typeof
from ..transforms import eager_jit
from .arithmetic import stretch
from .getting import getitem
from .promotion import INEXACT, cast_to, check_arrays, common_kind, constant_like, two
from .reductions import axes_of, keep_axes, static_axis
from .selecting import where as choose
from .taking import take_along_axis

if TYPE_CHECKING:
    from ..runtime import Array
    from .promotion import ArrayLike, Axis

METHODS = ("linear", "lower", "higher", "midpoint", "nearest", "inverted_cdf")


def _checked(
    function: str, out: Any, overwrite: bool, method: str, weights: Any
) -> None:
    if out is not None or overwrite:
        raise ArgumentValueError(
            f"{function} returns a new array.", "Found `out` or `overwrite_input`."
        )
    if method not in METHODS:
        names = ", ".join(map(repr, METHODS))
        raise ArgumentValueError(f"method is one of {names}.", f"Found {method!r}.")
    if weights is not None and method != "inverted_cdf":
        raise NotSupportedError(
            "Weights go with the method 'inverted_cdf'.", f"Found {method!r}."
        )


def quantile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axis = None,
    out: None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> Array:
    """The value below which a share q of the elements lies; NaN if one is NaN.

    method: "linear", "lower", "higher", "midpoint", "nearest" or "inverted_cdf".

    >>> import minijax.numpy as jnp
    >>> print(jnp.quantile(jnp.arange(5.0), 0.5))
    2.0

    Raises:
      ValueError: another method, complex numbers, q of several axes.
    """
    _checked("quantile", out, overwrite_input, method, weights)
    return _quantile(a, q, weights, static_axis(axis), method, bool(keepdims), False)


def nanquantile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axis = None,
    out: None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> Array:
    """As `quantile`, of the elements that are not NaN.

    >>> import minijax.numpy as jnp
    >>> print(jnp.nanquantile(jnp.array([1.0, jnp.nan, 3.0]), 0.5))
    2.0
    """
    _checked("nanquantile", out, overwrite_input, method, weights)
    return _quantile(a, q, weights, static_axis(axis), method, bool(keepdims), True)


def percentile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axis = None,
    out: None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> Array:
    """As `quantile`, with q in percent.

    >>> import minijax.numpy as jnp
    >>> print(jnp.percentile(jnp.arange(5.0), 50))
    2.0
    """
    _checked("percentile", out, overwrite_input, method, weights)
    axis = static_axis(axis)
    return _percentile(a, q, weights, axis, method, bool(keepdims), False)


def nanpercentile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axis = None,
    out: None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> Array:
    """As `nanquantile`, with q in percent.

    >>> import minijax.numpy as jnp
    >>> print(jnp.nanpercentile(jnp.array([1.0, jnp.nan, 3.0]), 50))
    2.0
    """
    _checked("nanpercentile", out, overwrite_input, method, weights)
    axis = static_axis(axis)
    return _percentile(a, q, weights, axis, method, bool(keepdims), True)


def median(
    a: ArrayLike,
    axis: Axis = None,
    out: None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Array:
    """The middle element, or the mean of the two in the middle; NaN if one is NaN.

    >>> import minijax.numpy as jnp
    >>> print(jnp.median(jnp.array([3, 1, 2])))
    2.0
    """
    _checked("median", out, overwrite_input, "midpoint", None)
    axis = static_axis(axis)
    return _quantile(a, 0.5, None, axis, "midpoint", bool(keepdims), False)


def nanmedian(
    a: ArrayLike,
    axis: Axis = None,
    out: None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Array:
    """As `median`, of the elements that are not NaN.

    >>> import minijax.numpy as jnp
    >>> print(jnp.nanmedian(jnp.array([3.0, jnp.nan, 2.0])))
    2.5
    """
    _checked("nanmedian", out, overwrite_input, "midpoint", None)
    axis = static_axis(axis)
    return _quantile(a, 0.5, None, axis, "midpoint", bool(keepdims), True)


@eager_jit(static_argnums=(3, 4, 5, 6))
def _percentile(
    a: Any, q: Any, weights: Any, axis: Any, method: str, keepdims: bool, skip: bool
) -> Any:
    check_arrays("percentile", a, q)
    a, _, _ = two("percentile", INEXACT, a, 0.0)
    q = cast_to(q, dtypes.to_inexact_dtype(typeof(q).dtype))
    q = lax.div(q, constant_like(q, 100))
    return _quantile(a, q, weights, axis, method, keepdims, skip)


@eager_jit(static_argnums=(3, 4, 5, 6))
def _quantile(
    a: Any, q: Any, weights: Any, axis: Any, method: str, keepdims: bool, skip: bool
) -> Any:
    check_arrays("quantile", a, q)
    if typeof(q).ndim > 1:
        raise ArgumentValueError("q has at most one axis.", f"Found {typeof(q)}.")
    dtype = common_kind(INEXACT, a, q)[0]
    if dtype in dtypes.COMPLEXES:
        raise ArgumentValueError(
            "Quantiles are of real numbers.", f"Found {typeof(a)}."
        )
    a, q = cast_to(a, dtype), cast_to(q, dtype)
    shape, axes = typeof(a).shape, axes_of(a, axis)
    x = _axes_last(a, axes)
    if weights is not None:
        weights = _axes_last(_full_weights(weights, shape, axes), axes)
        out = _weighted(x, q, cast_to(weights, dtype))
    else:
        out = _unweighted(x, q, method, skip)
    if keepdims:
        lead = typeof(q).ndim
        full = (*typeof(q).shape, *shape)
        out = keep_axes(out, tuple(axis + lead for axis in axes), full)
    return out


def _axes_last(x: Any, axes: Sequence[int]) -> Any:
    """The given axes as one, the last."""
    shape = typeof(x).shape
    kept = [i for i in range(len(shape)) if i not in axes]
    x = lax.transpose(x, [*kept, *axes])
    size = int(np.prod([shape[i] for i in axes], dtype=np.int64))
    return lax.reshape(x, (*[shape[i] for i in kept], size))


def _full_weights(weights: Any, shape: tuple[int, ...], axes: Any) -> Any:
    given = typeof(weights).shape
    if given == shape:
        return weights
    sizes = [n if i in axes else 1 for i, n in enumerate(shape)]
    if given != tuple(shape[i] for i in axes):
        raise ArgumentValueError(
            "Weights have the shape of the array, or of the axes.",
            f"Found {given} for {shape}.",
        )
    return stretch(lax.reshape(weights, sizes), shape)


def _unweighted(x: Any, q: Any, method: str, skip: bool) -> Any:
    rank = typeof(x).ndim
    size = typeof(x).shape[-1]
    bad = lax.ne(x, x)
    nan = constant_like(x, np.nan)
    if skip:
        x = lax.sort(choose(bad, nan, x), rank - 1, is_stable=False)
        good = lax.convert_element_type(lax.bitwise_not(lax.ne(x, x)), typeof(x).dtype)
        last = lax.sub(lax.reduce_sum(good, (rank - 1,)), constant_like(x, 1))
    else:
        if not size:
            raise ArgumentTypeError(
                "The quantile of no elements is unknown.", f"Found {typeof(x)}."
            )
        any_bad = lax.expand_dims(lax.reduce_or(bad, (rank - 1,)), (rank - 1,))
        x = lax.sort(choose(any_bad, nan, x), rank - 1, is_stable=False)
        last = stretch(constant_like(x, size - 1), typeof(x).shape[:-1])
    # The axes of q come first, those of the data after them.
    lead, rest = typeof(q).shape, typeof(x).shape[:-1]
    full = (*lead, *rest)
    q = lax.broadcast_in_dim(q, full, tuple(range(len(lead))))
    last = lax.broadcast_in_dim(last, full, tuple(range(len(lead), len(full))))
    position = lax.mul(q, last)
    if method == "inverted_cdf":
        count = lax.add(last, constant_like(last, 1))
        place = lax.sub(lax.ceil(lax.mul(q, count)), constant_like(q, 1))
        return _at(x, place, last)
    low, high = lax.floor(position), lax.ceil(position)
    share = lax.sub(position, low)
    below, above = _at(x, low, last), _at(x, high, last)
    if method == "lower":
        return below
    if method == "higher":
        return above
    if method == "nearest":
        return choose(lax.le(share, constant_like(share, 0.5)), below, above)
    if method == "midpoint":
        return lax.mul(lax.add(below, above), constant_like(below, 0.5))
    other = lax.sub(constant_like(share, 1), share)
    return lax.add(lax.mul(below, other), lax.mul(above, share))


def _at(x: Any, place: Any, last: Any) -> Any:
    """The elements at places along the last axis: T[*r, n], f[*q, *r] -> T[*q, *r]."""
    zero = constant_like(place, 0)
    index = lax.max(stretch(zero, typeof(place).shape), lax.min(place, last))
    index = lax.convert_element_type(index, np.int32)
    rest = typeof(x).shape[:-1]
    lead = typeof(index).ndim - len(rest)
    if not rest:
        return getitem(x, index)
    # Along the last axis the places of one q stand side by side.
    order = [*range(lead, typeof(index).ndim), *range(lead)]
    moved = lax.transpose(index, order)
    count = int(np.prod(typeof(index).shape[:lead], dtype=np.int64))
    moved = lax.reshape(moved, (*rest, count))
    found = take_along_axis(x, moved, typeof(x).ndim - 1, mode="promise_in_bounds")
    found = lax.reshape(found, (*rest, *typeof(index).shape[:lead]))
    return lax.transpose(found, [order.index(i) for i in range(len(order))])


def _weighted(x: Any, q: Any, weights: Any) -> Any:
    """The first element up to which a share q of the weights lies."""
    rank = typeof(x).ndim
    x, weights = lax.sort((x, weights), rank - 1, num_keys=1)
    sums = lax.cumsum(weights, rank - 1)
    total = lax.slice_in_dim(sums, typeof(x).shape[-1] - 1, None, 1, rank - 1)
    shares = lax.div(sums, stretch(total, typeof(sums).shape))
    lead, rest = typeof(q).shape, typeof(x).shape[:-1]
    full = (*lead, *rest, typeof(x).shape[-1])
    wanted = lax.broadcast_in_dim(q, full, tuple(range(len(lead))))
    reached = lax.lt(stretch(shares, full), wanted)
    place = lax.reduce_sum(
        lax.convert_element_type(reached, typeof(x).dtype), (len(full) - 1,)
    )
    last = stretch(constant_like(place, typeof(x).shape[-1] - 1), typeof(place).shape)
    return _at(x, place, last)
