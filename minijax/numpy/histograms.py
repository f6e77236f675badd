"""Counting elements by value, and reading values off a curve.

Source: spec/numpy.md §12.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lax
from ..base import dtypes
from ..base.errors import ArgumentTypeError, ArgumentValueError
from ..core import typeof
from ..transforms import eager_jit
from .arithmetic import stretch, true_divide
from .array_making import asarray
from .cumulating import diff
from .division import remainder
from .floats import clip
from .getting import getitem
from .promotion import (
    INEXACT,
    as_is,
    cast_to,
    check_arrays,
    common_kind,
    constant_like,
    inexact,
    several,
)
from .searching import checked_size, known, searchsorted
from .selecting import where as choose
from .sequences import linspace
from .sorting import argsort
from .updating import IndexedElements

if TYPE_CHECKING:
    from ..runtime import Array
    from .promotion import ArrayLike


def bincount(
    x: ArrayLike,
    weights: ArrayLike | None = None,
    minlength: int = 0,
    *,
    length: int | None = None,
    out_sharding: Any = None,
) -> Array:
    """How often each number from 0 occurs, or the sum of the weights of its places.

    length: how many numbers to count; larger ones are dropped.

    >>> import minijax.numpy as jnp
    >>> print(jnp.bincount(jnp.array([0, 2, 2])))
    [1 0 2]

    Raises:
      TypeError: floats; ConcretizationTypeError for traced numbers without a length.
      ValueError: numbers of other than one axis.
    """
    check_arrays("bincount", x)
    if typeof(x).dtype not in dtypes.INTEGERS and typeof(x).dtype != dtypes.BOOL:
        raise ArgumentTypeError("bincount counts integers.", f"Found {typeof(x)}.")
    if typeof(x).ndim != 1:
        raise ArgumentValueError("bincount takes one axis.", f"Found {typeof(x)}.")
    count = checked_size(length)
    if count is None:
        values = known(x, "bincount", "give `length`.")
        largest = int(values.max()) + 1 if values.size else 0
        count = max(operator.index(minlength), largest)
    return _bincount(x, weights, count)


@eager_jit(static_argnums=2)
def _bincount(x: Any, weights: Any, length: int) -> Any:
    if weights is None:
        weights = dtypes.default_int().type(1)
    elif typeof(weights).shape != typeof(x).shape:
        raise ArgumentValueError(
            "bincount takes one weight per number.",
            f"Found {typeof(weights)} for {typeof(x)}.",
        )
    places = cast_to(x, dtypes.default_int()) if typeof(x).dtype == dtypes.BOOL else x
    places = clip(places, 0, None)
    zeros = lax.full((length,), 0, typeof(weights).dtype)
    if not length:
        return zeros
    return IndexedElements(zeros, places).add(weights, mode="drop")


# --- histograms -----------------------------------------------------------------------


def _edges(a: Any, bins: Any, bounds: Any, weights: Any) -> Any:
    if isinstance(bins, str):
        raise ArgumentTypeError(
            "The bins are a number or an array of edges.", f"Found {bins!r}."
        )
    check_arrays("histogram", a, bins)
    dtype = dtypes.to_inexact_dtype(common_kind(INEXACT, a, bins)[0])
    if typeof(bins).ndim == 1:
        return cast_to(bins, dtype)
    if typeof(bins).ndim:
        raise ArgumentValueError("Edges have one axis.", f"Found {typeof(bins)}.")
    count = operator.index(bins)
    low, high = (None, None) if bounds is None else bounds
    return _even_edges(a, low, high, count, dtype)


@eager_jit(static_argnums=(3, 4))
def _even_edges(a: Any, low: Any, high: Any, count: int, dtype: Any) -> Any:
    x = cast_to(lax.reshape(a, (typeof(a).size,)), dtype)
    if low is None:
        if typeof(x).size:
            low, high = lax.reduce_min(x, (0,)), lax.reduce_max(x, (0,))
        else:
            low, high = dtype.type(0), dtype.type(1)
    low, high = cast_to(low, dtype), cast_to(high, dtype)
    flat, half = lax.eq(low, high), dtype.type(0.5)
    low = choose(flat, lax.sub(low, half), low)
    high = choose(flat, lax.add(high, half), high)
    return linspace(low, high, count + 1, dtype=dtype)


def histogram_bin_edges(
    a: ArrayLike, bins: ArrayLike = 10, range: Any = None, weights: Any = None
) -> Array:
    """The edges of the bins that `histogram` counts into.

    >>> import minijax.numpy as jnp
    >>> print(jnp.histogram_bin_edges(jnp.array([0.0, 2.0]), bins=2))
    [0. 1. 2.]
    """
    return _edges(a, bins, range, weights)


def histogram(
    a: ArrayLike,
    bins: ArrayLike = 10,
    range: Any = None,
    weights: ArrayLike | None = None,
    density: bool | None = None,
) -> tuple[Array, Array]:
    """How many elements fall into each bin, as floats, and the edges of the bins.

    The last bin holds its right edge as well. density: as a probability density.

    >>> import minijax.numpy as jnp
    >>> print(jnp.histogram(jnp.array([1, 2, 1]), bins=2)[0])
    [2. 1.]

    Raises:
      TypeError: the name of a rule for bins.
    """
    check_arrays("histogram", a)
    if weights is not None and typeof(weights).shape != typeof(a).shape:
        raise ArgumentValueError(
            "histogram takes one weight per element.",
            f"Found {typeof(weights)} for {typeof(a)}.",
        )
    edges = _edges(a, bins, range, weights)
    return _histogram(a, edges, weights, bool(density)), edges


@eager_jit(static_argnums=3)
def _histogram(a: Any, edges: Any, weights: Any, density: bool) -> Any:
    dtype = typeof(edges).dtype
    x = cast_to(lax.reshape(a, (typeof(a).size,)), dtype)
    if weights is None:
        weights = lax.full_like(x, 1)
    else:
        weights = inexact("histogram", lax.reshape(weights, (typeof(weights).size,)))
    size = typeof(edges).size
    place = searchsorted(edges, x, side="right")
    last = getitem(edges, -1)
    place = choose(lax.eq(x, stretch(last, typeof(x).shape)), size - 1, place)
    # Places 0 and beyond the last edge are outside.
    outside = lax.bitwise_or(lax.lt(x, getitem(edges, 0)), lax.gt(x, last))
    outside = lax.bitwise_or(outside, lax.ne(x, x))
    place = choose(outside, size, lax.sub(place, constant_like(place, 1)))
    counts = lax.full((size - 1,), 0, typeof(weights).dtype)
    counts = IndexedElements(counts, place).add(weights, mode="drop")
    if not density:
        return counts
    widths = cast_to(diff(edges), typeof(counts).dtype)
    total = lax.reduce_sum(counts, (0,))
    return lax.div(lax.div(counts, widths), total)


def histogramdd(
    sample: ArrayLike,
    bins: Any = 10,
    range: Any = None,
    weights: ArrayLike | None = None,
    density: bool | None = None,
) -> tuple[Array, list[Array]]:
    """How many points fall into each box of a grid, and the edges along each axis.

    sample: one point per row.

    >>> import minijax.numpy as jnp
    >>> print(jnp.histogramdd(jnp.array([[0.0, 0.0], [1.0, 1.0]]), bins=2)[0])
    [[1 0]
     [0 1]]

    Raises:
      ValueError: not one entry of `bins` or `range` per column.
    """
    check_arrays("histogramdd", sample)
    if typeof(sample).ndim != 2:
        raise ArgumentValueError("A point is a row.", f"Found {typeof(sample)}.")
    columns = [
        lax.index_in_dim(sample, i, 1, keepdims=False)
        for i in _numbers(typeof(sample).shape[1])
    ]
    per_axis = bins if isinstance(bins, list | tuple) else [bins] * len(columns)
    bounds = [None] * len(columns) if range is None else list(range)
    if len(per_axis) != len(columns) or len(bounds) != len(columns):
        raise ArgumentValueError(
            "histogramdd takes bins and ranges per column.",
            f"Found {len(per_axis)} and {len(bounds)} for {len(columns)}.",
        )
    edges = [
        _edges(column, b, r, weights)
        for column, b, r in zip(columns, per_axis, bounds, strict=True)
    ]
    return _histogramdd(columns, edges, weights, bool(density)), edges


def _numbers(count: int) -> list[int]:
    return list(np.arange(count).tolist())


@eager_jit(static_argnums=3)
def _histogramdd(columns: Any, edges: Any, weights: Any, density: bool) -> Any:
    index = []
    for x, own in zip(columns, edges, strict=True):
        x = cast_to(x, typeof(own).dtype)
        size = typeof(own).size
        place = lax.sub(searchsorted(own, x, side="right"), np.int32(1))
        at_end = lax.eq(x, stretch(getitem(own, -1), typeof(x).shape))
        place = choose(at_end, size - 2, place)
        inside = lax.bitwise_and(
            lax.ge(x, getitem(own, 0)), lax.le(x, getitem(own, -1))
        )
        index.append(choose(inside, place, size))
    shape = tuple(typeof(own).size - 1 for own in edges)
    counted = dtypes.default_int().type(1) if weights is None else weights
    counts = lax.full(shape, 0, typeof(counted).dtype)
    counts = IndexedElements(counts, tuple(index)).add(counted, mode="drop")
    if not density:
        return counts
    counts = inexact("histogramdd", counts)
    total = lax.reduce_sum(counts, tuple(_numbers(len(shape))))
    counts = lax.div(counts, total)
    for axis, own in enumerate(edges):
        widths = cast_to(diff(own), typeof(counts).dtype)
        counts = lax.div(counts, lax.broadcast_in_dim(widths, shape, (axis,)))
    return counts


def histogram2d(
    x: ArrayLike,
    y: ArrayLike,
    bins: Any = 10,
    range: Sequence[Any] | None = None,
    weights: ArrayLike | None = None,
    density: bool | None = None,
) -> tuple[Array, Array, Array]:
    """How many points fall into each box of a grid, and the edges along both axes.

    >>> import minijax.numpy as jnp
    >>> print(jnp.histogram2d(jnp.array([1.0, 2.0]), jnp.array([1.0, 2.0]), bins=2)[0])
    [[1 0]
     [0 1]]
    """
    check_arrays("histogram2d", x, y)
    x, y = several("histogram2d", "join", x, y)[0]
    sample = lax.stack([as_is(x), as_is(y)], 1)
    if not isinstance(bins, list | tuple | int) and np.ndim(bins) == 1:
        bins = [bins, bins]
    counts, edges = histogramdd(sample, bins, range, weights, density)
    return counts, edges[0], edges[1]


# --- interpolation --------------------------------------------------------------------


def interp(
    x: ArrayLike,
    xp: ArrayLike,
    fp: ArrayLike,
    left: ArrayLike | str | None = None,
    right: ArrayLike | str | None = None,
    period: ArrayLike | None = None,
) -> Array:
    """Values at x of the line through the points (xp, fp), xp rising.

    left, right: values outside; "extrapolate" continues the line. period: of x.

    >>> import minijax.numpy as jnp
    >>> print(jnp.interp(1.5, jnp.array([1.0, 2.0]), jnp.array([0.0, 10.0])))
    5.0

    Raises:
      ValueError: points of other than one axis, or complex x.
    """
    for side in (left, right):
        if isinstance(side, str) and side != "extrapolate":
            raise ArgumentValueError(
                "A side is a value or 'extrapolate'.", f"Found {side!r}."
            )
    beyond = (isinstance(left, str), isinstance(right, str))
    values = [None if isinstance(side, str) else side for side in (left, right)]
    return _interp(x, xp, fp, *values, period, beyond)


@eager_jit(static_argnums=6)
def _interp(
    x: Any,
    xp: Any,
    fp: Any,
    left: Any,
    right: Any,
    period: Any,
    beyond: tuple[bool, bool],
) -> Any:
    check_arrays("interp", x, xp, fp)
    if typeof(xp).ndim != 1 or typeof(xp).shape != typeof(fp).shape:
        raise ArgumentValueError(
            "The points of interp are two arrays of one axis and one size.",
            f"Found {typeof(xp)} and {typeof(fp)}.",
        )
    (x, xp), dtype = _two_inexact(x, xp)
    if dtype in dtypes.COMPLEXES:
        raise ArgumentValueError("interp takes real x.", f"Found {dtype}.")
    fp = inexact("interp", fp)
    if period is not None:
        period = lax.abs(cast_to(period, dtype))
        x, xp = remainder(x, period), remainder(xp, period)
        order = argsort(xp)
        xp, fp = getitem(xp, order), getitem(fp, order)
        xp = lax.concatenate([xp[-1:] - period, xp, xp[:1] + period], 0)
        fp = lax.concatenate([fp[-1:], fp, fp[:1]], 0)
    size = typeof(xp).size
    place = clip(searchsorted(xp, x, side="right"), 1, size - 1)
    before = lax.sub(place, constant_like(place, 1))
    f0, f1 = getitem(fp, before), getitem(fp, place)
    x0, x1 = getitem(xp, before), getitem(xp, place)
    width, run = lax.sub(x1, x0), lax.sub(x, x0)
    tiny = lax.le(
        lax.abs(width), constant_like(width, np.spacing(dtypes.finfo(dtype).eps))
    )
    slope = true_divide(run, choose(tiny, 1, width))
    out = choose(tiny, f0, f0 + slope * lax.sub(f1, f0))
    if period is None:
        if not beyond[0]:
            out = choose(lax.lt(x, xp[0]), fp[0] if left is None else left, out)
        if not beyond[1]:
            out = choose(lax.gt(x, xp[-1]), fp[-1] if right is None else right, out)
    return asarray(out)


def _two_inexact(x: Any, xp: Any) -> tuple[list[Any], Any]:
    dtype = common_kind(INEXACT, x, xp)[0]
    return [cast_to(x, dtype), cast_to(xp, dtype)], dtype
