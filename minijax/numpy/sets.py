"""Arrays as sets: distinct elements, membership, unions and differences.

Everything is sorted first. How many distinct elements there are depends on values: they
are counted on the host, or `size` says how many to give.

Source: spec/numpy.md §§1.4, 11.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import lax
from ..base import dtypes
from ..base.errors import ArgumentValueError
from ..base.util import canonicalize_axis
from ..core import typeof
from ..transforms import eager_jit
from .arithmetic import stretch
from .array_making import asarray
from .getting import getitem, take
from .joining import concatenate
from .promotion import JOIN, as_is, cast_to, check_arrays, common_kind
from .reductions import static_axis
from .searching import checked_size, known, nonzero
from .selecting import where as choose
from .sorting import lexsort

if TYPE_CHECKING:
    from ..runtime import Array
    from .promotion import ArrayLike


class UniqueAll(NamedTuple):
    """What `unique_all` gives."""

    values: Any
    indices: Any
    inverse_indices: Any
    counts: Any


class UniqueCounts(NamedTuple):
    """What `unique_counts` gives."""

    values: Any
    counts: Any


class UniqueInverse(NamedTuple):
    """What `unique_inverse` gives."""

    values: Any
    inverse_indices: Any


def unique(
    ar: ArrayLike,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
    sorted: bool = True,
) -> Any:
    """The distinct elements in order; along an axis, the distinct parts.

    Also, if asked: the place of the first of each, the number of each element's group,
    and how many are in each group. size: how many to give; fill_value stands for
    missing ones, the smallest by default.

    >>> import minijax.numpy as jnp
    >>> print(jnp.unique(jnp.array([3, 1, 1])))
    [1 3]

    Raises:
      TypeError: ConcretizationTypeError for a traced array without a size.
      ValueError: a size for an empty array, and no fill value.
    """
    check_arrays("unique", ar)
    count = checked_size(size)
    axis = static_axis(axis)
    if count is None:
        known(ar, "unique", "give `size`.")
    found = _groups(ar, axis, bool(equal_nan))
    if count is None:
        firsts = np.nonzero(np.asarray(found.starts))[0].astype(np.int32)
        count, places = len(firsts), asarray(firsts)
        exact = True
    else:
        (places,) = (
            nonzero(found.starts, size=count)
            if typeof(found.starts).size
            else (lax.full((count,), 0, dtypes.default_int()),)
        )
        exact = False
    wanted = (bool(return_index), bool(return_inverse), bool(return_counts))
    results = _results(
        found, places, fill_value, count, exact, axis, wanted, _shape(ar)
    )
    return results[0] if len(results) == 1 else tuple(results)


def _shape(x: Any) -> tuple[int, ...]:
    return typeof(x).shape


class _Groups(NamedTuple):
    """A sorted array: its rows, their old places, and where a new group starts."""

    rows: Any
    order: Any
    starts: Any


@eager_jit(static_argnums=(1, 2))
def _groups(ar: Any, axis: Any, equal_nan: bool) -> Any:
    x = as_is(ar)
    if axis is None:
        rows = lax.reshape(x, (typeof(x).size,))
    else:
        axis = canonicalize_axis(axis, typeof(x).ndim)
        order = [axis, *(i for i in range(typeof(x).ndim) if i != axis)]
        rows = lax.transpose(x, order)
    count = typeof(rows).shape[0]
    width = int(np.prod(typeof(rows).shape[1:], dtype=np.int64))
    flat = lax.reshape(rows, (count, width))
    if not width:
        starts = lax.eq(lax.iota(np.dtype(np.int32), count), np.int32(0))
        return _Groups(rows, lax.iota(dtypes.default_int(), count), starts)
    keys = [lax.index_in_dim(flat, i, 1, keepdims=False) for i in range(width)]
    places = lexsort(keys[::-1])
    ordered = take(flat, places, 0, mode="clip")
    later = lax.slice_in_dim(ordered, 1, count, 1, 0) if count else ordered
    earlier = lax.slice_in_dim(ordered, 0, max(count - 1, 0), 1, 0)
    differs = lax.ne(later, earlier)
    if equal_nan and typeof(x).dtype in dtypes.INEXACT:
        both = lax.bitwise_and(lax.ne(later, later), lax.ne(earlier, earlier))
        differs = lax.bitwise_and(differs, lax.bitwise_not(both))
    changed = lax.reduce_or(differs, (1,))
    first = lax.full((min(count, 1),), True, dtypes.BOOL)
    starts = lax.concatenate([first, changed], 0) if count > 1 else first
    return _Groups(take(rows, places, 0, mode="clip"), places, starts)


def _results(
    found: Any, places: Any, fill_value: Any, size: int, exact: bool, axis: Any,
    wanted: tuple[bool, bool, bool], shape: tuple[int, ...],
) -> list[Any]:  # fmt: skip
    values = typeof(found.rows)
    if not values.shape[0] and size and fill_value is None:
        raise ArgumentValueError(
            "An empty array has no distinct elements.", f"Found size={size}.",
            "Give a fill value.",
        )  # fmt: skip
    return _extract(found, places, fill_value, size, exact, axis, wanted, shape)


@eager_jit(static_argnums=(3, 4, 5, 6, 7))
def _extract(
    found: Any, places: Any, fill_value: Any, size: int, exact: bool, axis: Any,
    wanted: tuple[bool, bool, bool], shape: tuple[int, ...],
) -> list[Any]:  # fmt: skip
    rows, order, starts = found
    count = typeof(rows).shape[0]
    index_dtype = dtypes.default_int()
    marks = lax.convert_element_type(starts, index_dtype)
    total = lax.reduce_sum(marks, (0,))
    missing = lax.ge(lax.iota(index_dtype, size), total)
    values = _values(rows, places, missing, fill_value, size, exact)
    if axis is not None:
        at = canonicalize_axis(axis, typeof(values).ndim)
        back = [*range(1, at + 1), 0, *range(at + 1, typeof(values).ndim)]
        values = lax.transpose(values, back)
    results = [values]
    if wanted[0]:
        first = order[0] if count else np.int32(0)
        index = take(order, places, 0, mode="clip") if count else places
        results.append(index if exact else choose(missing, first, index))
    if wanted[1]:
        group = lax.sub(lax.cumsum(marks, 0), index_dtype.type(1))
        _, inverse = lax.sort((order, group), 0, num_keys=1)
        results.append(lax.reshape(inverse, shape) if axis is None else inverse)
    if wanted[2]:
        ends = lax.concatenate([places, lax.full((1,), count, index_dtype)], 0)[1:]
        last = lax.eq(lax.iota(index_dtype, size), lax.sub(total, index_dtype.type(1)))
        ends = choose(last, index_dtype.type(count), ends)
        counts = lax.sub(ends, lax.convert_element_type(places, index_dtype))
        results.append(choose(missing, index_dtype.type(0), counts))
    return results


def _values(
    rows: Any, places: Any, missing: Any, fill_value: Any, size: int, exact: bool
) -> Any:
    count, rest = typeof(rows).shape[0], typeof(rows).shape[1:]
    if not count:
        filler = 0 if fill_value is None else fill_value
        return stretch(cast_to(filler, typeof(rows).dtype), (size, *rest))
    values = take(rows, places, 0, mode="clip")
    if exact:
        return values
    filler = rows[0] if fill_value is None else cast_to(fill_value, typeof(rows).dtype)
    mask = lax.broadcast_in_dim(missing, typeof(values).shape, (0,))
    return choose(mask, filler, values)


def unique_values(
    x: ArrayLike, /, *, size: int | None = None, fill_value: ArrayLike | None = None
) -> Array:
    """The distinct elements; every NaN is its own.

    >>> import minijax.numpy as jnp
    >>> print(jnp.unique_values(jnp.array([3, 1, 1])))
    [1 3]
    """
    return unique(x, equal_nan=False, size=size, fill_value=fill_value)


def unique_counts(
    x: ArrayLike, /, *, size: int | None = None, fill_value: ArrayLike | None = None
) -> UniqueCounts:
    """The distinct elements and how often each is there.

    >>> import minijax.numpy as jnp
    >>> print(jnp.unique_counts(jnp.array([3, 1, 1])).counts)
    [2 1]
    """
    found = unique(
        x, return_counts=True, equal_nan=False, size=size, fill_value=fill_value
    )
    return UniqueCounts(*found)


def unique_inverse(
    x: ArrayLike, /, *, size: int | None = None, fill_value: ArrayLike | None = None
) -> UniqueInverse:
    """The distinct elements and the number of each element among them.

    >>> import minijax.numpy as jnp
    >>> print(jnp.unique_inverse(jnp.array([3, 1, 1])).inverse_indices)
    [1 0 0]
    """
    found = unique(
        x, return_inverse=True, equal_nan=False, size=size, fill_value=fill_value
    )
    return UniqueInverse(*found)


def unique_all(
    x: ArrayLike, /, *, size: int | None = None, fill_value: ArrayLike | None = None
) -> UniqueAll:
    """The distinct elements, their first places, inverse numbers and counts.

    >>> import minijax.numpy as jnp
    >>> print(jnp.unique_all(jnp.array([3, 1, 1])).indices)
    [1 0]
    """
    return UniqueAll(
        *unique(
            x,
            return_index=True,
            return_inverse=True,
            return_counts=True,
            equal_nan=False,
            size=size,
            fill_value=fill_value,
        )
    )


# --- two sets -------------------------------------------------------------------------

_METHODS = ("auto", "compare_all", "binary_search", "sort")


def isin(
    element: ArrayLike,
    test_elements: ArrayLike,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    method: str = "auto",
) -> Array:
    """Which elements are among the test elements; NaN never is.

    >>> import minijax.numpy as jnp
    >>> print(jnp.isin(jnp.arange(3), jnp.array([0, 2])))
    [ True False  True]
    """
    if method not in _METHODS:
        names = ", ".join(map(repr, _METHODS))
        raise ArgumentValueError(f"method is one of {names}.", f"Found {method!r}.")
    return _isin(element, test_elements, bool(invert))


@eager_jit(static_argnums=2)
def _isin(element: Any, test_elements: Any, invert: bool) -> Any:
    check_arrays("isin", element, test_elements)
    dtype = common_kind(JOIN, element, test_elements)[0]
    x, tests = cast_to(element, dtype), cast_to(test_elements, dtype)
    shape, size = typeof(x).shape, typeof(tests).size
    full = (*shape, size)
    rank = len(shape)
    left = lax.broadcast_in_dim(x, full, tuple(range(rank)))
    right = lax.broadcast_in_dim(lax.reshape(tests, (size,)), full, (rank,))
    if invert:
        return lax.reduce_and(lax.ne(left, right), (rank,))
    return lax.reduce_or(lax.eq(left, right), (rank,))


def _flat(*arrays: Any) -> list[Any]:
    check_arrays("a set operation", *arrays)
    dtype = common_kind(JOIN, *arrays)[0]
    return [cast_to(lax.reshape(x, (typeof(x).size,)), dtype) for x in arrays]


def union1d(
    ar1: ArrayLike,
    ar2: ArrayLike,
    *,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
) -> Array:
    """The distinct elements of both arrays in order.

    >>> import minijax.numpy as jnp
    >>> print(jnp.union1d(jnp.array([1, 2]), jnp.array([2, 3])))
    [1 2 3]
    """
    return unique(concatenate(_flat(ar1, ar2)), size=size, fill_value=fill_value)


def setdiff1d(
    ar1: ArrayLike,
    ar2: ArrayLike,
    assume_unique: bool = False,
    *,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
) -> Array:
    """The distinct elements of `ar1` that are not in `ar2`; 0 fills a given size.

    >>> import minijax.numpy as jnp
    >>> print(jnp.setdiff1d(jnp.array([1, 2, 3]), jnp.array([2])))
    [1 3]
    """
    check_arrays("setdiff1d", ar1, ar2)
    count = checked_size(size)
    x = as_is(ar1)
    x = lax.reshape(x, (typeof(x).size,))
    if count is None:
        values = known(x, "setdiff1d", "give `size`.")
        values = values if assume_unique else np.unique(values)
        kept = asarray(values)
        return kept[np.asarray(isin(kept, ar2, invert=True))]
    if not assume_unique:
        x = unique(x, size=typeof(x).size)
        kept = lax.bitwise_and(_fresh(x), isin(x, ar2, invert=True))
    else:
        kept = isin(x, ar2, invert=True)
    return _compact(x, kept, count, 0 if fill_value is None else fill_value)


def _fresh(ordered: Any) -> Any:
    """Which elements differ from all before them; repetitions stand at the end."""
    size = typeof(ordered).size
    later, earlier = ordered[1:], ordered[:-1]
    grows = lax.gt(later, earlier)
    return lax.concatenate([lax.full((min(size, 1),), True, dtypes.BOOL), grows], 0)


def _compact(x: Any, kept: Any, size: int, fill: Any) -> Any:
    """The kept elements first, then the fill value, `size` in all."""
    (places,) = nonzero(kept, size=size)
    total = lax.reduce_sum(lax.convert_element_type(kept, dtypes.default_int()), (0,))
    missing = lax.ge(lax.iota(dtypes.default_int(), size), total)
    filler = cast_to(fill, typeof(x).dtype)
    if not typeof(x).size:
        return stretch(filler, (size,))
    return choose(missing, filler, take(x, places, 0, mode="clip"))


def intersect1d(
    ar1: ArrayLike,
    ar2: ArrayLike,
    assume_unique: bool = False,
    return_indices: bool = False,
    *,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
) -> Any:
    """The distinct elements that are in both arrays, in order.

    return_indices: also the first places in each array.

    >>> import minijax.numpy as jnp
    >>> print(jnp.intersect1d(jnp.array([1, 2, 3]), jnp.array([2, 3, 4])))
    [2 3]
    """
    x, y = _flat(ar1, ar2)
    count = checked_size(size)
    if count is None:
        known(x, "intersect1d", "give `size`.")
        known(y, "intersect1d", "give `size`.")
        values, first, second = np.intersect1d(
            np.asarray(x), np.asarray(y), assume_unique, return_indices=True
        )
        if not return_indices:
            return asarray(values)
        return tuple(asarray(v) for v in (values, *_as_index(first, second)))
    x_size, y_size = typeof(x).size, typeof(y).size
    values, index = unique(x, return_index=True, size=max(x_size, 1))
    common = lax.bitwise_and(_fresh(values), isin(values, y))
    low = _smallest(values, common)
    fill = low if fill_value is None else fill_value
    out = _compact(values, common, count, fill)
    if not return_indices:
        return out
    first = _compact(index, common, count, x_size)
    found, where_y = unique(y, return_index=True, size=max(y_size, 1))
    shared = lax.bitwise_and(_fresh(found), isin(found, x))
    return out, first, _compact(where_y, shared, count, y_size)


def _as_index(*arrays: Any) -> Sequence[Any]:
    return [x.astype(dtypes.default_int()) for x in arrays]


def _smallest(values: Any, kept: Any) -> Any:
    (place,) = nonzero(kept, size=1)
    return getitem(values, place[0])


def setxor1d(
    ar1: ArrayLike,
    ar2: ArrayLike,
    assume_unique: bool = False,
    *,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
) -> Array:
    """The distinct elements that are in exactly one of both arrays, in order.

    >>> import minijax.numpy as jnp
    >>> print(jnp.setxor1d(jnp.array([1, 2]), jnp.array([2, 4])))
    [1 4]
    """
    x, y = _flat(ar1, ar2)
    count = checked_size(size)
    if count is None:
        known(x, "setxor1d", "give `size`.")
        known(y, "setxor1d", "give `size`.")
        return asarray(np.setxor1d(np.asarray(x), np.asarray(y), assume_unique))
    both = lax.concatenate([x, y], 0)
    values = unique(both, size=max(typeof(both).size, 1))
    once = lax.ne(isin(values, x), isin(values, y))
    kept = lax.bitwise_and(_fresh(values), once)
    fill = _smallest(values, kept) if fill_value is None else fill_value
    return _compact(values, kept, count, fill)
