"""Sorting, ordering and partitioning.

NaN is the largest number, all NaNs are equal, and -0.0 equals 0.0.

Source: spec/numpy.md §11.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lax
from ..base import dtypes
from ..base.errors import ArgumentTypeError, ArgumentValueError
from ..base.util import canonicalize_axis
from ..core import typeof
from ..transforms import eager_jit
from .promotion import as_is, cast_to, check_arrays, constant_like
from .reductions import static_axis
from .updating import IndexedElements

if TYPE_CHECKING:
    from ..runtime import Array
    from .promotion import ArrayLike


def _refuse_kinds(function: str, kind: Any, order: Any) -> None:
    if kind is not None or order is not None:
        raise ArgumentTypeError(
            f"{function} takes neither `kind` nor `order`.",
            f"Found kind={kind!r}, order={order!r}.",
            "Use `stable` and `descending`.",
        )


def _flattened(function: str, a: Any, axis: int | None) -> tuple[Any, int]:
    check_arrays(function, a)
    if axis is None:
        return lax.reshape(as_is(a), (typeof(a).size,)), 0
    if not typeof(a).shape:
        raise ArgumentValueError(f"{function} needs an axis.", "Found a scalar.")
    return as_is(a), canonicalize_axis(axis, typeof(a).ndim)


def sort(
    a: ArrayLike,
    axis: int | None = -1,
    *,
    kind: None = None,
    order: None = None,
    stable: bool = True,
    descending: bool = False,
) -> Array:
    """The elements in order along an axis, or of the flattened array.

    >>> import minijax.numpy as jnp
    >>> print(jnp.sort(jnp.array([3, 1, 2])))
    [1 2 3]

    Raises:
      ValueError: a scalar.
    """
    _refuse_kinds("sort", kind, order)
    return _sort(a, static_axis(axis), bool(stable), bool(descending))


@eager_jit(static_argnums=(1, 2, 3))
def _sort(a: Any, axis: Any, stable: bool, descending: bool) -> Any:
    x, axis = _flattened("sort", a, axis)
    out = lax.sort(x, axis, is_stable=stable)
    return lax.rev(out, (axis,)) if descending else out


def argsort(
    a: ArrayLike,
    axis: int | None = -1,
    *,
    kind: None = None,
    order: None = None,
    stable: bool = True,
    descending: bool = False,
    dtype: Any = None,
) -> Array:
    """The places of the elements in order along an axis.

    Equal elements keep their order if the sort is stable, also when descending.

    >>> import minijax.numpy as jnp
    >>> print(jnp.argsort(jnp.array([3, 1, 2])))
    [1 2 0]
    """
    _refuse_kinds("argsort", kind, order)
    wanted = None if dtype is None else dtypes.requested_dtype(dtype, "argsort")
    return _argsort(a, static_axis(axis), bool(stable), bool(descending), wanted)


@eager_jit(static_argnums=(1, 2, 3, 4))
def _argsort(a: Any, axis: Any, stable: bool, descending: bool, dtype: Any) -> Any:
    x, axis = _flattened("argsort", a, axis)
    return ordering(x, axis, stable, descending, dtype or dtypes.default_int())


def ordering(x: Any, axis: int, stable: bool, descending: bool, dtype: Any) -> Any:
    """The places of the elements in order, of a traced array."""
    places = lax.broadcasted_iota(dtype, typeof(x).shape, axis)
    # To keep equal elements in order, the reversed array is sorted and read backwards.
    backwards = descending and stable
    if backwards:
        x, places = lax.rev(x, (axis,)), lax.rev(places, (axis,))
    _, out = lax.sort((x, places), axis, is_stable=stable, num_keys=1)
    return lax.rev(out, (axis,)) if descending else out


def lexsort(keys: Any, axis: int = -1, *, batch_size: int | None = 16) -> Array:
    """The places of the elements in order of the last key, then of the one before it.

    >>> import minijax.numpy as jnp
    >>> print(jnp.lexsort((jnp.array([1, 0, 0]), jnp.array([1, 1, 0]))))
    [2 1 0]

    Raises:
      TypeError: no keys.
      ValueError: keys of different shapes.
    """
    keys = tuple(keys)
    if not keys:
        raise ArgumentTypeError("lexsort needs at least one key.", "Found none.")
    return _lexsort(keys, static_axis(axis))


@eager_jit(static_argnums=1)
def _lexsort(keys: Sequence[Any], axis: int) -> Any:
    check_arrays("lexsort", *keys)
    if len({typeof(key).shape for key in keys}) > 1:
        raise ArgumentValueError(
            "The keys of lexsort have one shape.",
            f"Found {', '.join(str(typeof(key)) for key in keys)}.",
        )
    shape = typeof(keys[0]).shape
    if not shape:
        return lax.full((), 0, dtypes.default_int())
    axis = canonicalize_axis(axis, len(shape))
    places = lax.broadcasted_iota(dtypes.default_int(), shape, axis)
    return lax.sort((*keys[::-1], places), axis, num_keys=len(keys))[-1]


@eager_jit
def sort_complex(a: ArrayLike) -> Array:
    """The elements as complex numbers in order of real, then imaginary part.

    >>> import minijax.numpy as jnp
    >>> print(jnp.sort_complex(jnp.array([2, 1])))
    [1.+0.j 2.+0.j]
    """
    check_arrays("sort_complex", a)
    x = cast_to(a, dtypes.to_complex_dtype(typeof(a).dtype))
    return lax.sort(x, typeof(x).ndim - 1)


# --- partitions -----------------------------------------------------------------------


def top_k(
    a: ArrayLike,
    k: int,
    /,
    *,
    axis: int = -1,
    mode: str = "largest",
    sorted: bool = True,
) -> tuple[Array, Array]:
    """The k largest (or smallest) elements along an axis in order, and their places.

    >>> import minijax.numpy as jnp
    >>> print(*jnp.top_k(jnp.array([1, 3, 2]), 2))
    [3 2] [1 2]

    Raises:
      ValueError: k is more than there are, or the mode is unknown.
    """
    if mode not in ("largest", "smallest"):
        raise ArgumentValueError(
            "The mode is 'largest' or 'smallest'.", f"Found {mode!r}."
        )
    return _top_k(a, operator.index(k), static_axis(axis), mode)


@eager_jit(static_argnums=(1, 2, 3))
def _top_k(a: Any, k: int, axis: int, mode: str) -> Any:
    x, axis = _flattened("top_k", a, axis)
    if mode == "largest":
        return lax.top_k(x, k, axis=axis)
    values, places = lax.top_k(_opposite(x), k, axis=axis)
    return _opposite(values), places


def _opposite(x: Any) -> Any:
    """An order-reversing map that is its own inverse."""
    if typeof(x).dtype in dtypes.FLOATS:
        return lax.neg(x)
    return lax.bitwise_not(x)


def partition(a: ArrayLike, kth: int, axis: int = -1) -> Array:
    """Smaller elements before the kth in order, larger ones after it.

    >>> import minijax.numpy as jnp
    >>> print(jnp.partition(jnp.array([3, 1, 2, 0]), 1)[1])
    1
    """
    return _partition(a, operator.index(kth), static_axis(axis))


@eager_jit(static_argnums=(1, 2))
def _partition(a: Any, kth: int, axis: int) -> Any:
    x, axis, kth, size = _partition_arguments("partition", a, kth, axis)
    low, _ = lax.top_k(_opposite(x), kth + 1, axis=axis)
    high, _ = lax.top_k(x, size - kth - 1, axis=axis)
    return lax.concatenate([_opposite(low), high], axis)


def _partition_arguments(function: str, a: Any, kth: int, axis: int) -> Any:
    x, axis = _flattened(function, a, axis)
    if typeof(x).dtype in dtypes.COMPLEXES:
        raise NotImplementedError(f"{function} of complex numbers is not offered")
    size = typeof(x).shape[axis]
    return x, axis, canonicalize_axis(kth, size, "kth"), size


def argpartition(a: ArrayLike, kth: int, axis: int = -1) -> Array:
    """The places that `partition` takes its elements from.

    >>> import minijax.numpy as jnp
    >>> print(jnp.argpartition(jnp.array([3, 1, 2, 0]), 1)[1])
    1
    """
    return _argpartition(a, operator.index(kth), static_axis(axis))


@eager_jit(static_argnums=(1, 2))
def _argpartition(a: Any, kth: int, axis: int) -> Any:
    x, axis, kth, size = _partition_arguments("argpartition", a, kth, axis)
    rank = typeof(x).ndim
    order = [*(i for i in range(rank) if i != axis), axis]
    x = lax.transpose(x, order)
    low = lax.top_k(_opposite(x), kth + 1)[1]
    # The others: places that are not taken come first in a sort of marks.
    index = [
        lax.broadcasted_iota(np.dtype(np.int32), typeof(low).shape, i)
        for i in range(rank - 1)
    ]
    free = lax.full(typeof(x).shape, 1, np.float32)
    free = IndexedElements(free, (*index, low)).set(constant_like(free, 0))
    high = lax.top_k(free, size - kth - 1)[1]
    out = lax.concatenate([low, high], rank - 1)
    back = [order.index(i) for i in range(rank)]
    return lax.transpose(out, back)
