"""Diagonals, triangles and coordinates: arrays that depend on the places of elements.

Source: spec/numpy.md §4.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lax
from ..base import dtypes
from ..base.errors import ArgumentValueError
from ..base.util import canonicalize_axes
from ..core import typeof
from ..transforms import eager_jit
from .arithmetic import power, stretch
from .array_making import asarray, placed
from .creation import checked_shape, is_eager, on_device, ones
from .getting import getitem
from .promotion import as_is, cast_to, check_arrays, refuse
from .reductions import reduce_sum
from .searching import nonzero
from .sequences import arange, counted

if TYPE_CHECKING:
    from ..runtime import Array
    from .promotion import ArrayLike, DTypeLike


# --- diagonals and triangles ----------------------------------------------------------


def _diagonal_mask(
    compare: Any, rows: int, columns: int, k: Any, below: Any = None
) -> Any:
    """bool[rows, columns]: where `row + k` compares with `column`."""
    shape = (rows, columns)
    dtype = dtypes.default_int()
    row = lax.broadcasted_iota(dtype, shape, 0)
    shifted = lax.add(row, lax.convert_element_type(k, dtype))
    return compare(shifted, lax.broadcasted_iota(dtype, shape, 1))


def eye(
    N: int,
    M: int | None = None,
    k: ArrayLike = 0,
    dtype: DTypeLike | None = None,
    *,
    device: Any = None,
) -> Array:
    """Ones on the k-th diagonal, zeros elsewhere: dtype[N, M].

    >>> import minijax.numpy as jnp
    >>> print(jnp.eye(2))
    [[1. 0.]
     [0. 1.]]

    Raises:
      ValueError: a negative size.
    """
    rows = counted(N, "eye")
    columns = rows if M is None else counted(M, "eye")
    wanted = dtypes.requested_dtype(float if dtype is None else dtype, "eye")
    if is_eager() and k.__class__ is int:
        return placed(on_device(np.eye(rows, columns, k).astype(wanted)), device)
    mask = _diagonal_mask(lax.eq, rows, columns, k)
    return placed(cast_to(mask, wanted), device)


def identity(n: int, dtype: DTypeLike | None = None) -> Array:
    """The identity matrix: dtype[n, n].

    >>> import minijax.numpy as jnp
    >>> jnp.identity(3).shape
    (3, 3)
    """
    return eye(n, dtype=dtype)


def tri(
    N: int, M: int | None = None, k: ArrayLike = 0, dtype: DTypeLike | None = None
) -> Array:
    """Ones on and below the k-th diagonal: dtype[N, M].

    >>> import minijax.numpy as jnp
    >>> print(jnp.tri(2))
    [[1. 0.]
     [1. 1.]]
    """
    rows = counted(N, "tri")
    columns = rows if M is None else counted(M, "tri")
    wanted = dtypes.requested_dtype(float if dtype is None else dtype, "tri")
    if is_eager() and k.__class__ is int:
        return on_device(np.tri(rows, columns, k, bool).astype(wanted))
    return cast_to(_diagonal_mask(lax.ge, rows, columns, k), wanted)


def tril(m: ArrayLike, k: int = 0) -> Array:
    """The elements on and below the k-th diagonal, zeros above.

    >>> import minijax.numpy as jnp
    >>> print(jnp.tril(jnp.ones((2, 2))))
    [[1. 0.]
     [1. 1.]]

    Raises:
      ValueError: fewer than two axes.
    """
    return _triangle(m, operator.index(k), 1)


def triu(m: ArrayLike, k: int = 0) -> Array:
    """The elements on and above the k-th diagonal, zeros below.

    >>> import minijax.numpy as jnp
    >>> print(jnp.triu(jnp.ones((2, 2))))
    [[1. 1.]
     [0. 1.]]
    """
    return _triangle(m, operator.index(k), 0)


@eager_jit(static_argnums=(1, 2))
def _triangle(m: Any, k: int, lower: int) -> Any:
    check_arrays("tril", m)
    shape = typeof(m).shape
    if len(shape) < 2:
        raise ArgumentValueError(
            "A triangle is taken of arrays of two axes or more.", f"Found {typeof(m)}."
        )
    rows, columns = shape[-2:]
    kept = _diagonal_mask(lax.ge, rows, columns, k if lower else k - 1)
    mask, zero = stretch(kept, shape), lax.full_like(m, 0)
    return lax.select(mask, m, zero) if lower else lax.select(mask, zero, m)


def meshgrid(
    *xi: ArrayLike, copy: bool = True, sparse: bool = False, indexing: str = "xy"
) -> tuple[Array, ...]:
    """The coordinates of a grid from those along its axes, one array per axis.

    indexing: "ij" keeps the order of the axes, "xy" swaps the first two. sparse: with
    axes of size 1 instead of repetitions.

    >>> import minijax.numpy as jnp
    >>> x, y = jnp.meshgrid(jnp.arange(2), jnp.arange(3))
    >>> print(x.shape)
    (3, 2)

    Raises:
      ValueError: coordinates of several axes, `copy=False`, or another indexing.
    """
    if not copy:
        raise ArgumentValueError("meshgrid makes new arrays.", "Found copy=False.")
    if indexing not in ("xy", "ij"):
        raise ArgumentValueError("indexing is 'xy' or 'ij'.", f"Found {indexing!r}.")
    check_arrays("meshgrid", *xi)
    return tuple(_meshgrid(xi, bool(sparse), indexing))


@eager_jit(static_argnums=(1, 2))
def _meshgrid(xi: Any, sparse: bool, indexing: str) -> Any:
    if any(typeof(x).ndim != 1 for x in xi):
        raise ArgumentValueError(
            "meshgrid takes arrays of one axis.",
            f"Found {', '.join(str(typeof(x)) for x in xi)}.",
        )
    arrays = [lax.reshape(x, (typeof(x).size,)) for x in xi]
    axes = list(range(len(arrays)))
    if indexing == "xy" and len(axes) > 1:
        axes[0], axes[1] = 1, 0
    sizes = [1] * len(arrays)
    for x, axis in zip(arrays, axes, strict=True):
        sizes[axis] = typeof(x).shape[0]
    out = []
    for x, axis in zip(arrays, axes, strict=True):
        own = [n if i == axis else 1 for i, n in enumerate(sizes)] if sparse else sizes
        out.append(lax.broadcast_in_dim(x, own, (axis,)))
    return out


def indices(
    dimensions: Sequence[int], dtype: DTypeLike | None = None, sparse: bool = False
) -> Any:
    """The index of every element along every axis: i32[n, *dimensions].

    With `sparse`, a tuple of arrays with axes of size 1.

    >>> import minijax.numpy as jnp
    >>> jnp.indices((2, 3)).shape
    (2, 2, 3)
    """
    sizes = checked_shape(dimensions, "indices")
    wanted = dtypes.requested_dtype(int if dtype is None else dtype, "indices")
    numbers = [lax.iota(wanted, size) for size in sizes]
    out = []
    for axis, x in enumerate(numbers):
        own = [n if i == axis else 1 for i, n in enumerate(sizes)] if sparse else sizes
        out.append(lax.broadcast_in_dim(x, own, (axis,)))
    if sparse:
        return tuple(out)
    return lax.stack(out, 0) if out else lax.full((0,), 0, wanted)


# --- diagonals ------------------------------------------------------------------------


def diag(v: ArrayLike, k: int = 0) -> Array:
    """A matrix with `v` on its k-th diagonal; of a matrix, that diagonal.

    >>> import minijax.numpy as jnp
    >>> print(jnp.diag(jnp.array([1, 2])))
    [[1 0]
     [0 2]]

    Raises:
      ValueError: an array of no axes, or more than two.
    """
    return _diag(v, operator.index(k))


@eager_jit(static_argnums=1)
def _diag(v: Any, k: int) -> Any:
    check_arrays("diag", v)
    rank = typeof(v).ndim
    if rank == 2:
        return diagonal(v, k)
    if rank != 1:
        raise ArgumentValueError("diag takes one or two axes.", f"Found {typeof(v)}.")
    zero = np.zeros((), typeof(v).dtype)[()]
    n = typeof(v).shape[0] + abs(k)
    # Above the main diagonal an element stands in the row of its own number, below it
    # in the column.
    padded = lax.pad(v, zero, ((0, abs(k), 0),))
    spread = lax.broadcast_in_dim(padded, (n, n), (1 if k < 0 else 0,))
    mask = _diagonal_mask(lax.eq, n, n, k)
    return lax.select(mask, spread, lax.full_like(spread, 0))


def diagflat(v: ArrayLike, k: int = 0) -> Array:
    """A matrix with the elements of `v` on its k-th diagonal.

    >>> import minijax.numpy as jnp
    >>> jnp.diagflat(jnp.ones((2, 2))).shape
    (4, 4)
    """
    check_arrays("diagflat", v)
    return _diag(lax.reshape(v, (typeof(v).size,)), operator.index(k))


@eager_jit(static_argnames=("offset", "axis1", "axis2"))
def diagonal(a: ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """The diagonal of two axes, which become the last one.

    >>> import minijax.numpy as jnp
    >>> print(jnp.diagonal(jnp.arange(4).reshape(2, 2)))
    [0 3]

    Raises:
      ValueError: fewer than two axes, or twice the same.
    """
    check_arrays("diagonal", a)
    first, second = canonicalize_axes((axis1, axis2), typeof(a).ndim)
    order = [i for i in range(typeof(a).ndim) if i not in (first, second)]
    a = lax.transpose(as_is(a), [*order, first, second])
    rows, columns = typeof(a).shape[-2:]
    size = max(0, min(rows + min(offset, 0), columns - max(offset, 0)))
    places = lax.iota(dtypes.default_int(), size)
    dtype = typeof(places).dtype
    row = lax.sub(places, dtype.type(offset)) if offset < 0 else places
    column = lax.add(places, dtype.type(offset)) if offset > 0 else places
    return getitem(a, (Ellipsis, row, column))


def trace(
    a: ArrayLike,
    offset: ArrayLike = 0,
    axis1: int = 0,
    axis2: int = 1,
    dtype: DTypeLike | None = None,
    out: None = None,
) -> Array:
    """The sum of the diagonal of two axes.

    >>> import minijax.numpy as jnp
    >>> print(jnp.trace(jnp.arange(4).reshape(2, 2)))
    3
    """
    refuse("trace", out=out)
    return _trace(a, offset, axis1, axis2, dtype)


@eager_jit(static_argnums=(2, 3, 4))
def _trace(a: Any, offset: Any, axis1: int, axis2: int, dtype: Any) -> Any:
    check_arrays("trace", a)
    first, second = canonicalize_axes((axis1, axis2), typeof(a).ndim)
    order = [i for i in range(typeof(a).ndim) if i not in (first, second)]
    a = lax.transpose(as_is(a), [*order, first, second])
    shape = typeof(a).shape
    mask = _diagonal_mask(lax.eq, shape[-2], shape[-1], offset)
    kept = lax.select(stretch(mask, shape), a, lax.full_like(a, 0))
    return reduce_sum(kept, (-2, -1), dtype=dtype)


@eager_jit(static_argnames=("N", "increasing"))
def vander(x: ArrayLike, N: int | None = None, increasing: bool = False) -> Array:
    """Powers of the elements of x as columns, falling unless `increasing`.

    >>> import minijax.numpy as jnp
    >>> print(jnp.vander(jnp.array([2, 3]), 3))
    [[4 2 1]
     [9 3 1]]

    Raises:
      ValueError: x of other than one axis.
    """
    check_arrays("vander", x)
    if typeof(x).ndim != 1:
        raise ArgumentValueError("vander takes one axis.", f"Found {typeof(x)}.")
    count = typeof(x).shape[0] if N is None else counted(N, "vander")
    exponents = lax.iota(typeof(x).dtype, count)
    if not increasing:
        exponents = lax.sub(typeof(x).dtype.type(count - 1), exponents)
    column, row = lax.expand_dims(x, (1,)), lax.expand_dims(exponents, (0,))
    return power(column, row)


def diag_indices(n: int, ndim: int = 2) -> tuple[Array, ...]:
    """The index of the main diagonal of an array of `ndim` axes of size n.

    >>> import minijax.numpy as jnp
    >>> print(jnp.diag_indices(2)[0])
    [0 1]
    """
    count, rank = counted(n, "diag_indices"), counted(ndim, "diag_indices")
    return (arange(count),) * rank


def diag_indices_from(arr: ArrayLike) -> tuple[Array, ...]:
    """The index of the main diagonal of `arr`. Raises: ValueError if it is not square.

    >>> import minijax.numpy as jnp
    >>> print(jnp.diag_indices_from(jnp.ones((2, 2)))[0])
    [0 1]
    """
    check_arrays("diag_indices_from", arr)
    shape = typeof(arr).shape
    if len(shape) < 2 or len(set(shape)) > 1:
        raise ArgumentValueError("All axes must have one size.", f"Found {shape}.")
    return diag_indices(shape[0], len(shape))


def _triangle_indices(keep: Any, n: int, k: int, m: int | None) -> tuple[Array, ...]:
    rows = counted(n, "the triangle")
    columns = rows if m is None else counted(m, "the triangle")
    found = np.nonzero(keep(np.ones((rows, columns), bool), k))
    return tuple(asarray(x.astype(dtypes.default_int())) for x in found)


def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Array, Array]:
    """The index of the lower triangle of an (n, m) array.

    >>> import minijax.numpy as jnp
    >>> print(*jnp.tril_indices(2))
    [0 1 1] [0 0 1]
    """
    return _triangle_indices(np.tril, n, k, m)


def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Array, Array]:
    """The index of the upper triangle of an (n, m) array.

    >>> import minijax.numpy as jnp
    >>> print(*jnp.triu_indices(2))
    [0 0 1] [0 1 1]
    """
    return _triangle_indices(np.triu, n, k, m)


def tril_indices_from(arr: ArrayLike, k: int = 0) -> tuple[Array, Array]:
    """The index of the lower triangle of a matrix.

    >>> import minijax.numpy as jnp
    >>> print(jnp.tril_indices_from(jnp.ones((2, 2)))[0])
    [0 1 1]
    """
    return tril_indices(*_matrix_shape(arr, k))


def triu_indices_from(arr: ArrayLike, k: int = 0) -> tuple[Array, Array]:
    """The index of the upper triangle of a matrix.

    >>> import minijax.numpy as jnp
    >>> print(jnp.triu_indices_from(jnp.ones((2, 2)))[0])
    [0 0 1]
    """
    return triu_indices(*_matrix_shape(arr, k))


def mask_indices(
    n: int, mask_func: Callable[..., Any], k: int = 0, *, size: int | None = None
) -> tuple[Array, Array]:
    """The index of the elements of an (n, n) array that a function like `triu` keeps.

    >>> import minijax.numpy as jnp
    >>> print(*jnp.mask_indices(2, jnp.triu))
    [0 0 1] [0 1 1]
    """
    full = ones((counted(n, "mask_indices"),) * 2)
    return nonzero(mask_func(full, k) != 0, size=size)


def _matrix_shape(arr: Any, k: int) -> tuple[int, int, int]:
    shape = np.shape(arr) if not hasattr(arr, "shape") else arr.shape
    if len(shape) != 2:
        raise ArgumentValueError("A matrix is needed.", f"Found shape {shape}.")
    return shape[0], k, shape[1]
