"""Finding elements: where they are not zero, where they belong in a sorted array.

The number of results may depend on values. Then they are found on the host, or `size`
says how many there are, and a fill value stands for those that are missing.

Source: spec/numpy.md §§1.4, 11.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lax
from ..base import dtypes
from ..base.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    ConcretizationTypeError,
)
from ..base.util import canonicalize_axis
from ..core import Tracer, typeof
from ..transforms import eager_jit
from .arithmetic import stretch
from .array_making import asarray
from .getting import getitem, take
from .logic import less, truth
from .promotion import as_is, cast_to, check_arrays, constant_like, refuse
from .reductions import static_axis
from .selecting import where as choose
from .sorting import ordering
from .updating import IndexedElements

if TYPE_CHECKING:
    from ..runtime import Array
    from .promotion import ArrayLike


def known(x: Any, function: str, do: str) -> np.ndarray:
    """The elements of `x` as NumPy data. Raises: TypeError if they are traced."""
    if isinstance(x, Tracer):
        found = x.concrete()
        if found is None:
            raise ConcretizationTypeError(
                x, f"The shape of the result of {function} depends on values: {do}"
            )
        x = found
    return np.asarray(x)


def checked_size(size: Any) -> int | None:
    """A `size` argument. Raises: TypeError, ValueError."""
    if size is None:
        return None
    if isinstance(size, Tracer) and size.concrete() is None:
        raise ConcretizationTypeError(size, "`size` decides a shape.")
    try:
        number = operator.index(size)
    except TypeError as error:
        raise ArgumentTypeError("`size` is an integer.", f"Found {size!r}.") from error
    if number < 0:
        raise ArgumentValueError("`size` is not negative.", f"Found {number}.")
    return number


# --- elements that are not zero -------------------------------------------------------


def nonzero(a: ArrayLike, *, size: int | None = None, fill_value: Any = None) -> Any:
    """The index of the elements that are not zero: one array per axis.

    size: how many to give; fill_value: what stands for missing ones, 0 by default.

    >>> import minijax.numpy as jnp
    >>> print(*jnp.nonzero(jnp.array([0, 3, 4])))
    [1 2]

    Raises:
      TypeError: ConcretizationTypeError for a traced array without a size.
      ValueError: a scalar.
    """
    check_arrays("nonzero", a)
    if not typeof(a).shape:
        raise ArgumentValueError("nonzero needs an array with axes.", "Found a scalar.")
    count = checked_size(size)
    if count is None:
        found = np.nonzero(known(a, "nonzero", "give `size`."))
        return tuple(asarray(x.astype(dtypes.default_int())) for x in found)
    fill = fill_value if fill_value is None else _fills(fill_value, typeof(a).ndim)
    return tuple(_nonzero(a, count, fill))


def _fills(fill_value: Any, rank: int) -> tuple[Any, ...]:
    if not isinstance(fill_value, tuple):
        return (fill_value,) * rank
    if len(fill_value) != rank:
        raise ArgumentValueError(
            "A fill value is one number, or one per axis.", f"Found {fill_value}."
        )
    return fill_value


@eager_jit(static_argnums=1)
def _nonzero(a: Any, size: int, fill: Any) -> Any:
    shape, dtype = typeof(a).shape, dtypes.default_int()
    mask = lax.reshape(truth(a), (typeof(a).size,))
    flat = _true_places(mask, size, dtype)
    total = lax.reduce_sum(lax.convert_element_type(mask, dtype), (0,))
    missing = lax.ge(lax.iota(dtype, size), total)
    out, stride = [], 1
    for axis in reversed(range(len(shape))):
        extent = dtype.type(max(shape[axis], 1))
        places = lax.rem(lax.div(flat, dtype.type(max(stride, 1))), extent)
        filler = dtype.type(0) if fill is None else fill[axis]
        place = choose(missing, filler, places)
        out.append(cast_to(place, typeof(place).dtype))
        stride *= shape[axis]
    return out[::-1]


def _true_places(mask: Any, size: int, dtype: Any) -> Any:
    """The places of the first `size` true elements: scattered by their rank."""
    count = typeof(mask).size
    if not count or not size:
        return lax.full((size,), 0, dtype)
    rank = lax.sub(lax.cumsum(lax.convert_element_type(mask, dtype), 0), dtype.type(1))
    # An element that is not true is sent out of bounds, where it is dropped.
    target = lax.select(mask, rank, lax.full_like(rank, size))
    return IndexedElements(lax.full((size,), 0, dtype), target).set(
        lax.iota(dtype, count), mode="drop"
    )


def flatnonzero(
    a: ArrayLike, *, size: int | None = None, fill_value: Any = None
) -> Array:
    """The places of the elements of the flattened array that are not zero.

    >>> import minijax.numpy as jnp
    >>> print(jnp.flatnonzero(jnp.array([[0, 3], [4, 0]])))
    [1 2]
    """
    check_arrays("flatnonzero", a)
    flat = lax.reshape(a, (typeof(a).size,))
    return nonzero(flat, size=size, fill_value=fill_value)[0]


def argwhere(a: ArrayLike, *, size: int | None = None, fill_value: Any = None) -> Array:
    """The index of the elements that are not zero: one row each.

    >>> import minijax.numpy as jnp
    >>> print(jnp.argwhere(jnp.array([0, 3, 4])))
    [[1]
     [2]]
    """
    check_arrays("argwhere", a)
    rank = typeof(a).ndim
    found = nonzero(
        lax.broadcast_to_rank(as_is(a), 1), size=size, fill_value=fill_value
    )
    rows = lax.stack([as_is(x) for x in found], 1)
    return rows if rank else rows[:0].reshape(typeof(rows).shape[0], 0)


def where(
    condition: ArrayLike,
    x: ArrayLike | None = None,
    y: ArrayLike | None = None,
    /,
    *,
    size: int | None = None,
    fill_value: Any = None,
) -> Any:
    """`x` where the condition is not zero, else `y`; all three broadcast.

    With the condition alone, as `nonzero`.

    >>> import minijax.numpy as jnp
    >>> print(jnp.where(jnp.arange(3) > 1, 7, 0))
    [0 0 7]

    Raises:
      TypeError: one of `x` and `y` alone.
      ValueError: a size together with both.
    """
    if x is None and y is None:
        check_arrays("where", condition)
        return nonzero(condition, size=size, fill_value=fill_value)
    if x is None or y is None:
        raise ArgumentTypeError("where takes both x and y, or neither.", "Found one.")
    if size is not None or fill_value is not None:
        raise ArgumentValueError(
            "`size` and `fill_value` are for where(condition).",
            "Found x and y as well.",
        )
    return choose(condition, x, y)


def compress(
    condition: ArrayLike,
    a: ArrayLike,
    axis: int | None = None,
    *,
    size: int | None = None,
    fill_value: ArrayLike = 0,
    out: None = None,
) -> Array:
    """The parts along an axis for which the condition holds.

    >>> import minijax.numpy as jnp
    >>> print(jnp.compress(jnp.array([True, False, True]), jnp.arange(3)))
    [0 2]

    Raises:
      ValueError: a condition of several axes, or true beyond the end.
    """
    refuse("compress", out=out)
    check_arrays("compress", condition, a)
    if typeof(condition).ndim != 1:
        raise ArgumentValueError(
            "The condition of compress has one axis.", f"Found {typeof(condition)}."
        )
    axis = static_axis(axis)
    if axis is None:
        a, axis = lax.reshape(a, (typeof(a).size,)), 0
    axis = canonicalize_axis(axis, typeof(a).ndim)
    count, extent = checked_size(size), typeof(a).shape[axis]
    if count is not None and count > extent:
        raise ArgumentValueError(
            f"At most {extent} parts are there.", f"Found size={count}."
        )
    if count is None:
        mask = known(condition, "compress", "give `size`.").astype(bool)
        if mask[extent:].any():
            raise ArgumentValueError(
                "The condition is false beyond the end.",
                f"Found {mask.size} for {extent}.",
            )
        return take(a, np.nonzero(mask[:extent])[0].astype(np.int32), axis, mode="clip")
    return _compress(condition, a, axis, count, fill_value)


@eager_jit(static_argnums=(2, 3))
def _compress(condition: Any, a: Any, axis: int, size: int, fill_value: Any) -> Any:
    extent = typeof(a).shape[axis]
    mask = truth(condition)[:extent]
    if typeof(mask).size < extent:
        short = extent - typeof(mask).size
        mask = lax.pad(mask, np.bool_(False), ((0, short, 0),))
    order = ordering(mask, 0, True, True, np.dtype(np.int32))[:size]
    parts = take(a, order, axis, mode="clip")
    held = take(mask, order, 0, mode="clip")
    shape = [1] * typeof(parts).ndim
    shape[axis] = size
    held = stretch(lax.reshape(held, shape), typeof(parts).shape)
    return choose(held, parts, cast_to(fill_value, typeof(a).dtype))


def extract(
    condition: ArrayLike,
    arr: ArrayLike,
    *,
    size: int | None = None,
    fill_value: ArrayLike = 0,
) -> Array:
    """The elements for which the condition of the same size holds, flattened.

    >>> import minijax.numpy as jnp
    >>> print(jnp.extract(jnp.arange(4) > 1, jnp.arange(4)))
    [2 3]
    """
    check_arrays("extract", condition, arr)
    flat = lax.reshape(condition, (typeof(condition).size,))
    return compress(flat, arr, size=size, fill_value=fill_value)


# --- sorted arrays --------------------------------------------------------------------

_METHODS = ("scan", "scan_unrolled", "sort", "compare_all")


def searchsorted(
    a: ArrayLike,
    v: ArrayLike,
    side: str = "left",
    sorter: ArrayLike | None = None,
    *,
    method: str = "scan",
) -> Array:
    """Where to insert `v` into the sorted `a` so that it stays sorted.

    side: before or after equal elements. sorter: an order that sorts `a`.

    >>> import minijax.numpy as jnp
    >>> print(jnp.searchsorted(jnp.array([1, 2, 2, 3]), 2))
    1

    Raises:
      ValueError: `a` of other than one axis; an unknown side or method.
    """
    if side not in ("left", "right"):
        raise ArgumentValueError("side is 'left' or 'right'.", f"Found {side!r}.")
    if method not in _METHODS:
        names = ", ".join(map(repr, _METHODS))
        raise ArgumentValueError(f"method is one of {names}.", f"Found {method!r}.")
    return _searchsorted(a, v, sorter, side, method)


@eager_jit(static_argnums=(3, 4))
def _searchsorted(a: Any, v: Any, sorter: Any, side: str, method: str) -> Any:
    check_arrays("searchsorted", a, v)
    if typeof(a).ndim != 1:
        raise ArgumentValueError(
            "The sorted array of searchsorted has one axis.", f"Found {typeof(a)}."
        )
    if sorter is not None:
        a = getitem(a, sorter)
    a, v = _one_dtype(a, v)
    size = typeof(a).shape[0]
    wide = np.dtype(np.int64 if size > 2**31 - 1 else np.int32)
    if not size:
        return lax.full(typeof(v).shape, 0, wide)
    if method == "compare_all":
        return _by_comparing(a, v, side, wide)
    return _by_halving(a, v, side, wide)


def _one_dtype(a: Any, v: Any) -> tuple[Any, Any]:
    dtype = dtypes.join_kinds(dtypes.kind_of(a), dtypes.kind_of(v))[0]
    return cast_to(a, dtype), cast_to(v, dtype)


def _precedes(x: Any, y: Any, side: str) -> Any:
    """Whether an element `x` of the array stands before the place of `y`."""
    if side == "right":
        return lax.bitwise_not(_below(y, x))
    return _below(x, y)


def _below(x: Any, y: Any) -> Any:
    """x < y where NaN is the largest number."""
    lower = less(x, y)
    if typeof(x).dtype not in dtypes.INEXACT:
        return lower
    only_y = lax.bitwise_and(lax.eq(x, x), lax.ne(y, y))
    return lax.bitwise_or(lower, only_y)


def _by_comparing(a: Any, v: Any, side: str, dtype: Any) -> Any:
    shape = typeof(v).shape
    rank = len(shape)
    values = lax.broadcast_in_dim(v, (*shape, typeof(a).size), tuple(range(rank)))
    elements = lax.broadcast_in_dim(a, (*shape, typeof(a).size), (rank,))
    before = lax.convert_element_type(_precedes(elements, values, side), dtype)
    return lax.reduce_sum(before, (rank,))


def _by_halving(a: Any, v: Any, side: str, dtype: Any) -> Any:
    """Binary search; all values at once, one halving of the ranges per step."""
    size = typeof(a).size
    low = lax.full(typeof(v).shape, 0, dtype)
    high = lax.full(typeof(v).shape, size, dtype)
    for _ in range(int(np.ceil(np.log2(size + 1)))):
        middle = lax.div(lax.add(low, high), dtype.type(2))
        element = take(a, middle, mode="clip")
        right = _precedes(element, v, side)
        low = lax.select(right, middle, low)
        high = lax.select(right, high, middle)
    return high


@eager_jit(static_argnames=("right", "method"))
def digitize(
    x: ArrayLike, bins: ArrayLike, right: bool = False, *, method: str | None = None
) -> Array:
    """Which bin each element falls into; bins rise or fall.

    >>> import minijax.numpy as jnp
    >>> print(jnp.digitize(jnp.array([0.5, 2.5]), jnp.array([0.0, 1.0, 2.0])))
    [1 3]

    Raises:
      ValueError: bins of other than one axis.
    """
    check_arrays("digitize", x, bins)
    if typeof(bins).ndim != 1:
        raise ArgumentValueError("The bins have one axis.", f"Found {typeof(bins)}.")
    size = typeof(bins).shape[0]
    if not size:
        return lax.full(typeof(x).shape, 0, np.int32)
    method = method or "scan"
    side = "left" if right else "right"
    rising = _searchsorted(bins, x, None, side, method)
    backwards = lax.rev(bins, (0,))
    falling = _searchsorted(backwards, x, None, side, method)
    falling = lax.sub(constant_like(falling, size), falling)
    edges: Any = bins
    is_rising = lax.ge(edges[size - 1], edges[0])
    return choose(is_rising, rising, falling)
