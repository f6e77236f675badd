"""Elements taken out, put in, or repeated to another size.

Source: spec/numpy.md §14.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lax
from ..base import dtypes
from ..base.errors import ArgumentValueError
from ..base.util import canonicalize_axis
from ..core import typeof
from ..transforms import eager_jit
from .array_making import asarray
from .creation import checked_shape
from .floats import clip
from .getting import getitem, take
from .promotion import as_is, cast_to, check_arrays
from .reductions import static_axis
from .searching import known
from .selecting import where as choose
from .shaping import broadcast_to, moveaxis
from .sorting import argsort
from .updating import IndexedElements

if TYPE_CHECKING:
    from ..runtime import Array
    from .promotion import ArrayLike


def delete(
    arr: ArrayLike,
    obj: Any,
    axis: int | None = None,
    *,
    assume_unique_indices: bool = False,
) -> Array:
    """Without the places along an axis that an int, a slice, a mask or an array names.

    >>> import minijax.numpy as jnp
    >>> print(jnp.delete(jnp.arange(4), 1))
    [0 2 3]

    Raises:
      ValueError: an int that is no place.
      TypeError: ConcretizationTypeError for a traced array whose indices may repeat.
    """
    check_arrays("delete", arr)
    axis = static_axis(axis)
    if axis is None:
        arr, axis = lax.reshape(arr, (typeof(arr).size,)), 0
    axis = canonicalize_axis(axis, typeof(arr).ndim)
    size = typeof(arr).shape[axis]
    if isinstance(obj, slice):
        return _kept(arr, np.delete(np.arange(size), obj), axis)
    if assume_unique_indices and typeof(obj).ndim and typeof(obj).dtype != dtypes.BOOL:
        return _delete_distinct(arr, obj, axis)
    places = known(asarray(obj), "delete", "say `assume_unique_indices=True`.")
    if not places.ndim and places.dtype.kind in "iu":
        place = int(places)
        if not -size <= place < size:
            raise ArgumentValueError(
                f"Axis {axis} has {size} places.", f"Found the index {place}."
            )
    if places.dtype == np.bool_ and places.shape != (size,):
        raise ArgumentValueError(
            f"A mask for axis {axis} has {size} entries.", f"Found {places.shape}."
        )
    return _kept(arr, np.delete(np.arange(size), places), axis)


def _kept(arr: Any, places: Any, axis: int) -> Any:
    return take(arr, places.astype(np.int32), axis, mode="clip")


@eager_jit(static_argnums=2)
def _delete_distinct(arr: Any, obj: Any, axis: int) -> Any:
    size = typeof(arr).shape[axis]
    places = lax.reshape(obj, (typeof(obj).size,))
    count = typeof(places).size
    places = choose(lax.lt(places, _number(places, 0)), places + size, places)
    gone = IndexedElements(lax.full((size,), False, dtypes.BOOL), places).set(True)
    order = argsort(lax.convert_element_type(gone, np.int32))
    return take(arr, order[: size - count], axis, mode="clip")


def _number(x: Any, value: int) -> Any:
    return np.asarray(value).astype(typeof(x).dtype)[()]


def insert(
    arr: ArrayLike, obj: Any, values: ArrayLike, axis: int | None = None
) -> Array:
    """With values put before the places that an int, a slice or an array names.

    >>> import minijax.numpy as jnp
    >>> print(jnp.insert(jnp.arange(3), 1, 9))
    [0 9 1 2]
    """
    check_arrays("insert", arr, values)
    axis = static_axis(axis)
    if axis is None:
        arr, axis = lax.reshape(arr, (typeof(arr).size,)), 0
    axis = canonicalize_axis(axis, typeof(arr).ndim)
    size = typeof(arr).shape[axis]
    if isinstance(obj, slice):
        obj = np.arange(*obj.indices(size), dtype=np.int32)
    places = asarray(obj)
    if typeof(places).dtype == dtypes.BOOL:
        places = asarray(np.nonzero(known(places, "insert", "give numbers."))[0])
    return _insert(arr, places, values, axis)


@eager_jit(static_argnums=3)
def _insert(arr: Any, places: Any, values: Any, axis: int) -> Any:
    shape = typeof(arr).shape
    size = shape[axis]
    values = cast_to(values, typeof(arr).dtype)
    single = not typeof(places).shape or typeof(places).size == 1
    if typeof(values).ndim < len(shape):
        values = lax.broadcast_to_rank(values, len(shape))
        if not typeof(places).shape:
            values = moveaxis(values, 0, axis)
    places = lax.reshape(places, (typeof(places).size,))
    count = typeof(values).shape[axis] if single else typeof(places).size
    if single:
        places = broadcast_to(places, (count,))
    wanted = tuple(count if i == axis else n for i, n in enumerate(shape))
    values = broadcast_to(values, wanted)
    places = lax.convert_element_type(places, np.int32)
    places = clip(choose(places < 0, places + size, places), 0, size)
    # The i-th of the ordered places moves up by the i values that come before it.
    order = argsort(places)
    shift = lax.iota(np.dtype(np.int32), count)
    moved = IndexedElements(places, order).add(shift)
    total = size + count
    old = IndexedElements(lax.full((total,), True, dtypes.BOOL), moved).set(False)
    source = lax.cumsum(lax.convert_element_type(old, np.int32), 0) - np.int32(1)
    out = take(arr, source, axis, mode="clip") if size else _zeros(arr, total, axis)
    index = (slice(None),) * axis + (moved,)
    return IndexedElements(out, index).set(values)


def _zeros(arr: Any, total: int, axis: int) -> Any:
    shape = tuple(total if i == axis else n for i, n in enumerate(typeof(arr).shape))
    return lax.full(shape, 0, typeof(arr).dtype)


def resize(a: ArrayLike, new_shape: Any) -> Array:
    """The elements, repeated over and over, in another shape.

    >>> import minijax.numpy as jnp
    >>> print(jnp.resize(jnp.arange(3), 5))
    [0 1 2 0 1]

    Raises:
      ValueError: a negative size.
    """
    check_arrays("resize", a)
    sizes = new_shape if isinstance(new_shape, list | tuple) else (new_shape,)
    if any(operator.index(n) < 0 for n in sizes):
        raise ArgumentValueError("Sizes are not negative.", f"Found {new_shape}.")
    return _resize(a, checked_shape(new_shape, "resize"))


@eager_jit(static_argnums=1)
def _resize(a: Any, shape: tuple[int, ...]) -> Any:
    wanted, given = int(np.prod(shape, dtype=np.int64)), typeof(a).size
    if not wanted or not given:
        return lax.full(shape, 0, typeof(a).dtype)
    flat = lax.reshape(as_is(a), (given,))
    repeats = -(-wanted // given)
    flat = lax.tile(flat, (repeats,)) if repeats > 1 else flat
    return lax.reshape(lax.slice(flat, (0,), (wanted,)), shape)


def trim_zeros(filt: Any, trim: str = "fb", axis: Any = None) -> Array:
    """Without leading ("f") and trailing ("b") zeros along axes.

    >>> import minijax.numpy as jnp
    >>> print(jnp.trim_zeros(jnp.array([0, 1, 2, 0])))
    [1 2]

    Raises:
      TypeError: ConcretizationTypeError for a traced array.
    """
    check_arrays("trim_zeros", filt)
    values = known(filt, "trim_zeros", "it cannot be traced.")
    rank = values.ndim
    axes = range(rank) if axis is None else np.atleast_1d(axis)
    index: list[Any] = [slice(None)] * rank
    for one in axes:
        along = canonicalize_axis(int(one), rank)
        others = tuple(i for i in range(rank) if i != along)
        held = np.nonzero((values != 0).any(axis=others))[0]
        size = values.shape[along]
        first = int(held[0]) if held.size else size
        last = int(held[-1]) + 1 if held.size else 0
        start = first if "f" in trim.lower() else 0
        stop = last if "b" in trim.lower() else size
        index[along] = slice(start, max(stop, start))
    return getitem(asarray(filt), tuple(index))
