"""Elements by arrays of numbers: along an axis, from several arrays, by flat place.

Source: spec/numpy.md §7.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lax
from ..base import dtypes
from ..base.errors import ArgumentTypeError, ArgumentValueError, NotSupportedError
from ..base.util import canonicalize_axis
from ..core import typeof
from ..lax import GatherDimensionNumbers, GatherScatterMode
from ..transforms import eager_jit
from .arithmetic import stretch
from .creation import checked_shape
from .division import divmod as divide_with_rest
from .division import remainder
from .floats import clip
from .getting import getitem
from .joining import stack
from .promotion import as_is, cast_to, check_arrays, refuse
from .reductions import static_axis
from .searching import known
from .selecting import where as choose_by_mask
from .shaping import broadcast_arrays
from .updating import IndexedElements

if TYPE_CHECKING:
    from ..runtime import Array
    from .promotion import ArrayLike


# --- along an axis --------------------------------------------------------------------


def take_along_axis(
    arr: ArrayLike,
    indices: ArrayLike,
    axis: int | None = -1,
    mode: Any = None,
    fill_value: Any = None,
    *,
    wrap_negative_indices: bool = True,
) -> Array:
    """One element along an axis for every entry of `indices`; other axes go together.

    Places out of bounds give NaN or the smallest integer, unless `mode` says otherwise.

    >>> import minijax.numpy as jnp
    >>> x = jnp.array([[3, 1], [2, 4]])
    >>> print(jnp.take_along_axis(x, jnp.argsort(x, axis=1), axis=1))
    [[1 3]
     [2 4]]

    Raises:
      ValueError: arrays of different ranks. TypeError: float indices.
    """
    check_arrays("take_along_axis", arr, indices)
    if typeof(indices).dtype not in dtypes.INTEGERS:
        raise ArgumentTypeError(
            "take_along_axis needs integer indices.", f"Found {typeof(indices)}."
        )
    if axis is None and typeof(indices).ndim != 1:
        raise ArgumentValueError(
            "Without an axis the indices have one.", f"Found {typeof(indices)}."
        )
    parsed = GatherScatterMode.from_any(mode)
    fill = None if fill_value is None else np.asarray(fill_value).item()
    options = (parsed.name, str(fill), int(wrap_negative_indices))
    return _take_along(arr, indices, static_axis(axis), options, fill)


@eager_jit(static_argnums=(2, 3, 4))
def _take_along(arr: Any, indices: Any, axis: Any, options: Any, fill: Any) -> Any:
    mode, _, wrap = options
    if axis is None:
        arr, axis = lax.reshape(arr, (typeof(arr).size,)), 0
    shape, wanted = typeof(arr).shape, typeof(indices).shape
    if len(shape) != len(wanted):
        raise ArgumentValueError(
            "The array and the indices of take_along_axis have as many axes.",
            f"Found {typeof(arr)} and {typeof(indices)}.",
        )
    axis = canonicalize_axis(axis, len(shape))
    size = shape[axis]
    places = cast_to(indices, _index_dtype(typeof(indices).dtype, size))
    dtype = typeof(places).dtype
    if wrap and dtype in dtypes.SIGNED:
        negative = lax.lt(places, dtype.type(0))
        places = lax.select(negative, lax.add(places, dtype.type(size)), places)
    if GatherScatterMode[mode] is GatherScatterMode.ONE_HOT:
        return _by_one_hot(arr, places, axis)
    return _gather_along(arr, places, axis, GatherScatterMode[mode], fill)


def _index_dtype(dtype: Any, size: int) -> Any:
    wide = np.dtype(np.int64 if size > 2**31 - 1 else np.int32)
    return dtype if dtypes.itemsize_bits(dtype) >= 32 else wide


def _gather_along(arr: Any, places: Any, axis: int, mode: Any, fill: Any) -> Any:
    shape, wanted = typeof(arr).shape, typeof(places).shape
    joint = lax.broadcast_shapes(_without(shape, axis), _without(wanted, axis))
    # Axes that both have run together; one that is 1 here is dropped and repeated.
    shared = [i for i in range(len(shape)) if i != axis]
    batch = [i for i in shared if shape[i] != 1 or wanted[i] == 1]
    dropped = [i for i in shared if i not in batch]
    full = [
        joint[shared.index(i)] if i != axis else wanted[axis] for i in range(len(shape))
    ]
    places = stretch(places, tuple(full))
    numbers = GatherDimensionNumbers(
        offset_dims=(),
        collapsed_slice_dims=tuple(sorted([axis, *dropped])),
        start_index_map=(axis,),
        operand_batching_dims=tuple(batch),
        start_indices_batching_dims=tuple(batch),
    )
    return lax.gather(
        arr,
        lax.reshape(places, (*full, 1)),
        numbers,
        [min(1, n) for n in shape],
        mode=mode,
        fill_value=fill,
    )


def _without(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return shape[:axis] + shape[axis + 1 :]


def _by_one_hot(arr: Any, places: Any, axis: int) -> Any:
    rank, size = typeof(arr).ndim, typeof(arr).shape[axis]
    order = [*(i for i in range(rank) if i != axis), axis]
    x, where = lax.transpose(arr, order), lax.transpose(places, order)
    lead = lax.broadcast_shapes(typeof(x).shape[:-1], typeof(where).shape[:-1])
    x = stretch(x, (*lead, size))
    where = stretch(where, (*lead, typeof(where).shape[-1]))
    counted = lax.broadcasted_iota(
        typeof(where).dtype, (*typeof(where).shape, size), rank
    )
    hot = lax.eq(counted, lax.broadcast_in_dim(
        where, typeof(counted).shape, tuple(range(rank))
    ))  # fmt: skip
    batch = list(range(rank - 1))
    numbers = (([rank], [rank - 1]), (batch, batch))
    out = lax.dot_general(
        cast_to(hot, typeof(x).dtype), x, numbers, lax.Precision.HIGHEST
    )
    return lax.transpose(out, [order.index(i) for i in range(rank)])


def put_along_axis(
    arr: ArrayLike,
    indices: ArrayLike,
    values: ArrayLike,
    axis: int | None,
    inplace: bool = True,
    *,
    mode: Any = None,
) -> Array:
    """A copy with one element along an axis replaced for every entry of `indices`.

    >>> import minijax.numpy as jnp
    >>> print(jnp.put_along_axis(jnp.zeros(3), jnp.array([1]), 5.0, 0, inplace=False))
    [0. 5. 0.]

    Raises:
      ValueError: `inplace`, which arrays do not allow.
    """
    _refuse_inplace("put_along_axis", inplace)
    check_arrays("put_along_axis", arr, indices, values)
    shape = typeof(arr).shape
    if axis is None:
        flat = lax.reshape(as_is(arr), (typeof(arr).size,))
        out = IndexedElements(flat, indices).set(values, mode=mode)
        return lax.reshape(out, shape)
    axis = canonicalize_axis(static_axis(axis), len(shape))
    full = lax.broadcast_shapes(
        _without(shape, axis), _without(typeof(indices).shape, axis)
    )
    full = (*full[:axis], typeof(indices).shape[axis], *full[axis:])
    index = tuple(
        stretch(indices, full)
        if i == axis
        else lax.broadcasted_iota(np.dtype(np.int32), full, i)
        for i in range(len(shape))
    )
    return IndexedElements(arr, index).set(values, mode=mode)


def _refuse_inplace(function: str, inplace: bool) -> None:
    if inplace:
        raise ArgumentValueError(
            f"{function} cannot change an array in place.",
            "Found inplace=True, the default of NumPy.",
            "Say `inplace=False` and use the result.",
        )


# --- flat places ----------------------------------------------------------------------


def unravel_index(indices: ArrayLike, shape: Any) -> tuple[Array, ...]:
    """Flat places as one index per axis; those out of bounds go to the edge.

    >>> import minijax.numpy as jnp
    >>> print(*jnp.unravel_index(jnp.array([5, 0]), (2, 3)))
    [1 0] [2 0]
    """
    check_arrays("unravel_index", indices)
    sizes = checked_shape(shape, "unravel_index")
    return tuple(_unravel(indices, sizes))


@eager_jit(static_argnums=1)
def _unravel(indices: Any, sizes: tuple[int, ...]) -> Any:
    total = int(np.prod(sizes, dtype=np.int64))
    places, rest = as_is(indices), []
    for size in reversed(sizes):
        places, inner = divide_with_rest(places, size)
        rest.append(inner)
    # What is left says how far beyond the ends the place was.
    out = []
    for size, inner in zip(sizes, reversed(rest), strict=True):
        inner = choose_by_mask(lax.gt(places, _like(places, 0)), size - 1, inner)
        out.append(choose_by_mask(lax.lt(places, _like(places, -1)), 0, inner))
    return out if total or not sizes else [lax.full_like(x, 0) for x in out]


def _like(x: Any, value: int) -> Any:
    return np.asarray(value).astype(typeof(x).dtype)[()]


def ravel_multi_index(
    multi_index: Sequence[ArrayLike],
    dims: Sequence[int],
    mode: str = "raise",
    order: str = "C",
    *,
    dtype: Any = None,
) -> Array:
    """One index per axis as flat places.

    >>> import minijax.numpy as jnp
    >>> print(jnp.ravel_multi_index((jnp.array([1]), jnp.array([2])), (2, 3)))
    [5]

    Raises:
      ValueError: an index out of bounds in mode "raise", or another mode.
    """
    sizes = checked_shape(dims, "ravel_multi_index")
    if len(multi_index) != len(sizes):
        raise ArgumentValueError(
            "ravel_multi_index takes one index per axis.",
            f"Found {len(multi_index)} for {len(sizes)} axes.",
        )
    check_arrays("ravel_multi_index", *multi_index)
    if order not in ("C", "F"):
        raise ArgumentValueError("order is 'C' or 'F'.", f"Found {order!r}.")
    parts = [
        _in_mode("ravel_multi_index", x, size, mode)
        for x, size in zip(multi_index, sizes, strict=True)
    ]
    wanted = (
        dtypes.default_int() if dtype is None else dtypes.requested_dtype(dtype, "")
    )
    if int(np.prod(sizes, dtype=np.float64)) > dtypes.iinfo(wanted).max:
        raise ArgumentValueError(
            f"Flat places of shape {sizes} need a wider dtype.", f"Found {wanted}."
        )
    steps, stride = [], 1
    for size in sizes[::-1] if order == "C" else sizes:
        steps.append(stride)
        stride *= size
    steps = steps[::-1] if order == "C" else steps
    out: Any = 0
    for x, step in zip(broadcast_arrays(*parts), steps, strict=True):
        out = cast_to(x, wanted) * wanted.type(step) + out
    return out


def _in_mode(function: str, x: Any, size: int, mode: str) -> Any:
    if mode == "raise":
        values = known(x, function, "say mode='clip' or 'wrap'.")
        if ((values < 0) | (values >= size)).any():
            raise ArgumentValueError(
                f"{function}: an index lies from 0 to {size - 1}.", f"Found {values}."
            )
        return x
    if mode == "clip":
        return clip(x, 0, size - 1)
    if mode == "wrap":
        return remainder(x, size)
    if mode == "ignore":
        return x
    raise ArgumentValueError(
        "The mode is 'raise', 'clip' or 'wrap'.", f"Found {mode!r}."
    )


def choose(a: ArrayLike, choices: Any, out: None = None, mode: str = "raise") -> Array:
    """For each element of `a` the element of the choice with that number.

    >>> import minijax.numpy as jnp
    >>> print(jnp.choose(jnp.array([1, 0]), [jnp.array([1, 2]), jnp.array([3, 4])]))
    [3 2]

    Raises:
      ValueError: a number that names no choice, in mode "raise".
    """
    refuse("choose", out=out)
    check_arrays("choose", a, *choices)
    if typeof(a).dtype not in dtypes.INTEGERS:
        raise ArgumentValueError("choose needs integers.", f"Found {typeof(a)}.")
    if mode not in ("raise", "clip", "wrap"):
        raise ArgumentValueError(
            "The mode is 'raise', 'clip' or 'wrap'.", f"Found {mode!r}."
        )
    number = _in_mode("choose", a, len(choices), mode)
    number, *arrays = broadcast_arrays(number, *choices)
    shape = typeof(number).shape
    index = [
        lax.broadcasted_iota(np.dtype(np.int32), shape, i) for i in range(len(shape))
    ]
    chosen = getitem(stack(arrays), (number, *index))
    return cast_to(chosen, typeof(chosen).dtype)


def put(
    a: ArrayLike,
    ind: ArrayLike,
    v: ArrayLike,
    mode: str | None = None,
    *,
    inplace: bool = True,
) -> Array:
    """A copy with elements at flat places replaced; values are used over and over.

    >>> import minijax.numpy as jnp
    >>> print(jnp.put(jnp.zeros(3), jnp.array([1]), 5.0, inplace=False))
    [0. 5. 0.]

    Raises:
      ValueError: `inplace`, which arrays do not allow.
    """
    _refuse_inplace("put", inplace)
    check_arrays("put", a, ind, v)
    if mode == "raise":
        raise NotSupportedError("put replaces what is there.", "Found mode='raise'.")
    shape, size = typeof(a).shape, typeof(a).size
    places = lax.reshape(as_is(ind), (typeof(ind).size,))
    if not typeof(places).size or not typeof(v).size:
        return as_is(a)
    values = lax.reshape(as_is(v), (typeof(v).size,))
    count = typeof(places).size
    repeats = -(-count // typeof(values).size)
    values = lax.tile(values, (repeats,))[:count]
    if mode == "wrap":
        places = remainder(places, size)
    else:
        places = clip(choose_by_mask(places < 0, places + size, places), 0, size - 1)
    flat = IndexedElements(lax.reshape(as_is(a), (size,)), places).set(values)
    return lax.reshape(flat, shape)


def place(
    arr: ArrayLike, mask: ArrayLike, vals: ArrayLike, *, inplace: bool = True
) -> Array:
    """A copy with elements under a mask replaced by values, used over and over.

    >>> import minijax.numpy as jnp
    >>> mask = jnp.array([1, 0, 1])
    >>> print(jnp.place(jnp.zeros(3), mask, jnp.array([5.0]), inplace=False))
    [5. 0. 5.]
    """
    _refuse_inplace("place", inplace)
    check_arrays("place", arr, mask, vals)
    shape, size = typeof(arr).shape, typeof(arr).size
    if typeof(mask).size != size:
        raise ArgumentValueError(
            "The mask of place has as many elements as the array.",
            f"Found {typeof(mask)} for {typeof(arr)}.",
        )
    values = lax.reshape(as_is(vals), (typeof(vals).size,))
    if not typeof(values).size:
        raise ArgumentValueError("place needs a value.", "Found none.")
    held = lax.reshape(as_is(mask), (size,)) != 0
    rank = lax.cumsum(lax.convert_element_type(held, np.int32), 0) - 1
    chosen = getitem(values, remainder(rank, typeof(values).size))
    flat = lax.reshape(as_is(arr), (size,))
    out = choose_by_mask(held, cast_to(chosen, typeof(arr).dtype), flat)
    return lax.reshape(out, shape)


def fill_diagonal(
    a: ArrayLike, val: ArrayLike, wrap: bool = False, *, inplace: bool = True
) -> Array:
    """A copy with the main diagonal replaced.

    >>> import minijax.numpy as jnp
    >>> print(jnp.fill_diagonal(jnp.zeros((2, 2)), 5.0, inplace=False))
    [[5. 0.]
     [0. 5.]]

    Raises:
      NotImplementedError: `inplace` or `wrap`.
      ValueError: fewer than two axes, or more of different sizes.
    """
    if inplace or wrap:
        what = "inplace=True" if inplace else "wrap=True"
        raise NotSupportedError("fill_diagonal gives a changed copy.", f"Found {what}.")
    check_arrays("fill_diagonal", a, val)
    shape = typeof(a).shape
    if len(shape) < 2 or (len(shape) > 2 and len(set(shape)) > 1):
        raise ArgumentValueError(
            "fill_diagonal takes a matrix, or axes of one size.", f"Found {shape}."
        )
    n = min(shape)
    values = val if not typeof(val).shape else _cycled(val, n)
    index = lax.iota(np.dtype(np.int32), n)
    return IndexedElements(a, (index,) * len(shape)).set(values)


def _cycled(x: Any, count: int) -> Any:
    flat = lax.reshape(as_is(x), (typeof(x).size,))
    return lax.tile(flat, (-(-count // typeof(flat).size),))[:count]
