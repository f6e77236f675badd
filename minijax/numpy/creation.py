"""Arrays made from shapes and numbers.

Outside of traces, arrays whose elements are exact (fills, counters, diagonals) are made
by NumPy and handed over without a copy: nothing is compiled for their shape.

Source: spec/numpy.md §4.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lax
from ..base import dtypes
from ..base.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    ConcretizationTypeError,
    TracedShapeError,
)
from ..core import EVAL, ShapeDtypeStruct, Tracer, abstractify, current, shaped, typeof
from ..runtime import Array, default_placement, put_on
from ..transforms import eager_jit
from .array_making import asarray, placed
from .arithmetic import stretch
from .exponents import constant_like
from .promotion import INEXACT, PYTHON_SCALARS, cast_to, check_arrays, common_kind

if TYPE_CHECKING:
    from .promotion import ArrayLike, DTypeLike, Shape


def is_eager() -> bool:
    """Whether nothing is traced in this thread."""
    return current.value is EVAL


def on_device(data: np.ndarray, *, weak: bool = False) -> Array:
    """An array that takes over fresh NumPy data."""
    aval = shaped(data.shape, data.dtype, weak)
    return put_on(data, aval, default_placement(), committed=False)


def checked_shape(shape: Any, function: str) -> tuple[int, ...]:
    """A shape argument as a tuple of ints.

    Raises:
      TypeError: it holds something else, a negative size, or a traced value.
    """
    if isinstance(shape, int | np.integer) and not isinstance(shape, bool):
        shape = (shape,)
    elif isinstance(shape, Array | Tracer | np.ndarray) and not typeof(shape).shape:
        shape = (shape,)
    if isinstance(shape, np.ndarray):
        shape = shape.tolist()
    if not isinstance(shape, Sequence | Array) or isinstance(shape, str):
        raise ArgumentTypeError(
            f"{function} takes a shape: an int or a sequence of ints.",
            f"Found {shape!r:.60} of type {type(shape).__name__}.",
        )
    sizes = []
    for size in shape:
        if isinstance(size, Tracer) and size.concrete() is None:
            raise TracedShapeError(tuple(shape), function, size.origin_text())
        try:
            sizes.append(operator.index(size))
        except TypeError as error:
            raise ArgumentTypeError(
                f"The sizes of {function} are ints.", f"Found {tuple(shape)}."
            ) from error
    if any(size < 0 for size in sizes):
        raise ArgumentTypeError(
            f"The sizes of {function} are not negative.", f"Found {tuple(sizes)}."
        )
    return tuple(sizes)


# --- fills ----------------------------------------------------------------------------


def _filled(
    shape: Any, value: int, dtype: Any, function: str, device: Any, out_sharding: Any
) -> Any:
    if dtype is not None and _looks_like_size(dtype):
        raise ArgumentTypeError(
            f"The second argument of {function} is a dtype.",
            f"Found {dtype!r}.",
            f"Write the shape as a tuple: `{function}(({shape}, {dtype}))`.",
        )
    wanted = dtypes.requested_dtype(float if dtype is None else dtype, function)
    sizes = checked_shape(shape, function)
    where = device if device is not None else out_sharding
    if is_eager():
        return placed(on_device(np.full(sizes, value, wanted)), where)
    return lax.full(sizes, value, wanted)


def _looks_like_size(dtype: Any) -> bool:
    return isinstance(dtype, int | np.integer) and not isinstance(dtype, bool)


def zeros(
    shape: Shape,
    dtype: DTypeLike | None = None,
    *,
    device: Any = None,
    out_sharding: Any = None,
) -> Array:
    """An array of zeros; float32 without a dtype.

    >>> import minijax.numpy as jnp
    >>> print(jnp.zeros((2, 2)))
    [[0. 0.]
     [0. 0.]]

    Raises:
      TypeError: `shape` is no shape, or a size is negative.
    """
    return _filled(shape, 0, dtype, "zeros", device, out_sharding)


def ones(
    shape: Shape,
    dtype: DTypeLike | None = None,
    *,
    device: Any = None,
    out_sharding: Any = None,
) -> Array:
    """An array of ones; float32 without a dtype.

    >>> import minijax.numpy as jnp
    >>> print(jnp.ones(3, int))
    [1 1 1]
    """
    return _filled(shape, 1, dtype, "ones", device, out_sharding)


def empty(
    shape: Shape,
    dtype: DTypeLike | None = None,
    *,
    device: Any = None,
    out_sharding: Any = None,
) -> Array:
    """An array of unspecified elements: of zeros.

    >>> import minijax.numpy as jnp
    >>> jnp.empty((2, 3)).shape
    (2, 3)
    """
    return _filled(shape, 0, dtype, "empty", device, out_sharding)


def full(
    shape: Shape,
    fill_value: ArrayLike,
    dtype: DTypeLike | None = None,
    *,
    device: Any = None,
    out_sharding: Any = None,
) -> Array:
    """An array filled with a number, or with an array that broadcasts to its shape.

    Without a dtype, that of the value; a Python number makes a weakly typed array.

    >>> import minijax.numpy as jnp
    >>> print(jnp.full((2,), 7))
    [7 7]
    """
    check_arrays("full", fill_value)
    wanted = None if dtype is None else dtypes.requested_dtype(dtype, "full")
    sizes = checked_shape(shape, "full")
    where = device if device is not None else out_sharding
    if is_eager() and fill_value.__class__ in PYTHON_SCALARS:
        value = asarray(fill_value, wanted)
        data = np.full(sizes, np.asarray(value), value.dtype)
        return placed(on_device(data, weak=value.weak_type), where)
    if not typeof(fill_value).shape:
        return placed(lax.full(sizes, fill_value, wanted), where)
    value = asarray(fill_value, wanted)
    return placed(_spread(value, sizes), where)


def _spread(x: Any, shape: tuple[int, ...]) -> Any:
    if lax.broadcast_shapes(typeof(x).shape, shape) != shape:
        raise ArgumentValueError(
            f"The value broadcasts to shape {shape}.", f"Found {typeof(x)}."
        )
    return stretch(x, shape)


def _like(
    a: Any, value: Any, dtype: Any, shape: Any, function: str, device: Any
) -> Any:
    if not hasattr(a, "shape") or not hasattr(a, "dtype"):
        check_arrays(function, a)
    aval = abstractify(a)
    sizes = aval.shape if shape is None else checked_shape(shape, function)
    wanted = aval.dtype if dtype is None else dtypes.requested_dtype(dtype, function)
    weak = dtype is None and aval.weak_type and not isinstance(a, ShapeDtypeStruct)
    if dtypes.is_extended(wanted):
        return lax.full_like(a, value, None, sizes)
    if is_eager() and (value.__class__ in PYTHON_SCALARS):
        data = np.full(sizes, np.asarray(value).astype(wanted), wanted)
        return placed(on_device(data, weak=weak), device)
    if typeof(value).shape:
        return placed(_spread(asarray(value, wanted), sizes), device)
    scalar = cast_to(value, wanted, weak=weak)
    return placed(stretch(scalar, sizes), device)


def zeros_like(
    a: Any,
    dtype: DTypeLike | None = None,
    shape: Shape | None = None,
    *,
    device: Any = None,
    out_sharding: Any = None,
) -> Array:
    """Zeros in the shape and dtype of `a`, which only has to have both.

    >>> import minijax.numpy as jnp
    >>> print(jnp.zeros_like(jnp.arange(3)))
    [0 0 0]
    """
    return _like(a, 0, dtype, shape, "zeros_like", device or out_sharding)


def ones_like(
    a: Any,
    dtype: DTypeLike | None = None,
    shape: Shape | None = None,
    *,
    device: Any = None,
    out_sharding: Any = None,
) -> Array:
    """Ones in the shape and dtype of `a`, which only has to have both.

    >>> import minijax.numpy as jnp
    >>> print(jnp.ones_like(jnp.arange(3)))
    [1 1 1]
    """
    return _like(a, 1, dtype, shape, "ones_like", device or out_sharding)


def empty_like(
    prototype: Any,
    dtype: DTypeLike | None = None,
    shape: Shape | None = None,
    *,
    device: Any = None,
) -> Array:
    """Unspecified elements, zeros, in the shape and dtype of `prototype`.

    >>> import minijax.numpy as jnp
    >>> jnp.empty_like(jnp.arange(3)).shape
    (3,)
    """
    return _like(prototype, 0, dtype, shape, "empty_like", device)


def full_like(
    a: Any,
    fill_value: ArrayLike,
    dtype: DTypeLike | None = None,
    shape: Shape | None = None,
    *,
    device: Any = None,
) -> Array:
    """A number, or an array that broadcasts, in the shape and dtype of `a`.

    >>> import minijax.numpy as jnp
    >>> print(jnp.full_like(jnp.arange(3), 7))
    [7 7 7]
    """
    check_arrays("full_like", fill_value)
    return _like(a, fill_value, dtype, shape, "full_like", device)


# --- sequences ------------------------------------------------------------------------


def arange(
    start: Any,
    stop: Any = None,
    step: Any = None,
    dtype: DTypeLike | None = None,
    *,
    device: Any = None,
    out_sharding: Any = None,
) -> Array:
    """Numbers from start up to stop, stop excluded, in steps.

    With one argument, from zero up to it. The dtype is the common one of the arguments.

    >>> import minijax.numpy as jnp
    >>> print(jnp.arange(2, 8, 3))
    [2 5]

    Raises:
      TypeError: ConcretizationTypeError for a traced argument; a boolean dtype.
      ValueError: complex numbers.
      ZeroDivisionError: a step of zero.
    """
    given = [x for x in (start, stop, step) if x is not None]
    for x in given:
        check_arrays("arange", x)
        if isinstance(x, Tracer) and x.concrete() is None:
            raise ConcretizationTypeError(
                x, "The length of `arange` is known when a program is traced."
            )
        if typeof(x).shape:
            raise ArgumentValueError("arange takes scalars.", f"Found {typeof(x)}.")
    joined = common_kind("join", *given)[0]
    wanted = joined if dtype is None else dtypes.requested_dtype(dtype, "arange")
    if wanted in dtypes.COMPLEXES or joined in dtypes.COMPLEXES:
        raise ArgumentValueError("arange counts real numbers.", f"Found {wanted}.")
    if wanted == dtypes.BOOL:
        raise ArgumentTypeError("arange counts numbers.", "Found the dtype bool.")
    first, last, width = [
        None if x is None else np.asarray(x).item() for x in (start, stop, step)
    ]
    if last is None:
        first, last = 0, first
    return placed(
        _arange(first, last, width, wanted), device if device is not None else out_sharding
    )


def _arange(start: Any, stop: Any, step: Any, dtype: Any) -> Any:
    size = max(0, math.ceil((stop - start) / (1 if step is None else step)))
    whole = dtype in dtypes.INTEGERS
    if is_eager() and whole:
        if step is None or all(isinstance(x, int) for x in (start, step)):
            counted = np.arange(size, dtype=np.int64) * (step or 1) + int(start)
            return on_device(counted.astype(dtype))
    if step is None:
        counted = lax.iota(dtype, size)
        if start == 0:
            return counted
        return lax.add(np.asarray(start).astype(dtype)[()], counted)
    return _stepped(start, step, dtype, size)


def _stepped(start: Any, step: Any, dtype: Any, size: int) -> Any:
    work = dtype
    if dtype in dtypes.FLOATS and dtypes.itemsize_bits(dtype) < 32:
        work = np.dtype(np.float32)
    first, width = [np.asarray(x).astype(work)[()] for x in (start, step)]
    out = _progression(first, width, str(work), size)
    return cast_to(out, dtype)


@eager_jit(static_argnums=(2, 3))
def _progression(first: Any, width: Any, dtype: str, size: int) -> Any:
    return lax.add(first, lax.mul(width, lax.iota(dtype, size)))


def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike | None = None,
    axis: int = 0,
    *,
    device: Any = None,
) -> Any:
    """`num` numbers at equal distances from start to stop, both arrays if wished.

    Integer dtypes round down. With `retstep`, the distance as well.

    >>> import minijax.numpy as jnp
    >>> print(jnp.linspace(0, 1, 5))
    [0.   0.25 0.5  0.75 1.  ]

    Raises:
      ValueError: a negative `num`. TypeError: one that is no integer.
    """
    count = _count(num, "linspace")
    wanted = None if dtype is None else dtypes.requested_dtype(dtype, "linspace")
    out, step = _linspace(start, stop, count, bool(endpoint), wanted, axis)
    out = placed(out, device)
    return (out, step) if retstep else out


def _count(num: Any, function: str) -> int:
    if isinstance(num, Tracer) and num.concrete() is None:
        raise ConcretizationTypeError(num, f"`num` of {function} decides a shape.")
    try:
        count = operator.index(num)
    except TypeError as error:
        raise ArgumentTypeError(
            f"`num` of {function} is an integer.", f"Found {num!r}."
        ) from error
    if count < 0:
        raise ArgumentValueError(
            f"`num` of {function} is not negative.", f"Found {count}."
        )
    return count


@eager_jit(static_argnums=(2, 3, 4, 5))
def _linspace(
    start: Any, stop: Any, num: int, endpoint: bool, dtype: Any, axis: int
) -> Any:
    check_arrays("linspace", start, stop)
    joined = common_kind(INEXACT, start, stop)[0]
    wanted = joined if dtype is None else dtype
    work = common_kind(INEXACT, np.zeros((), wanted), np.zeros((), joined))[0]
    shape = lax.broadcast_shapes(typeof(start).shape, typeof(stop).shape)
    first, last = [
        stretch(lax.convert_element_type(x, work), shape) for x in (start, stop)
    ]
    rank = len(shape) + 1
    at = axis + rank if axis < 0 else axis
    divisions = num - 1 if endpoint else num
    step = lax.full_like(first, np.nan)
    if divisions > 0:
        step = lax.div(lax.sub(last, first), constant_like(first, divisions))
    if num > 1:
        out = _interpolated(first, last, divisions, work, at, rank)
        if endpoint:
            out = lax.concatenate([out, lax.expand_dims(last, (at,))], at)
    elif num == 1:
        out = lax.expand_dims(first, (at,))
    else:
        out = lax.full((*shape[:at], 0, *shape[at:]), 0, work)
    if wanted in dtypes.INTEGERS and work not in dtypes.INTEGERS:
        out = lax.floor(out)
    return lax.convert_element_type(out, wanted), step


def _interpolated(
    first: Any, last: Any, divisions: int, dtype: Any, at: int, rank: int
) -> Any:
    count = constant_like(first, divisions)
    sizes = [divisions if axis == at else 1 for axis in range(rank)]
    steps = lax.reshape(lax.iota(_real(dtype), divisions), sizes)
    steps = lax.convert_element_type(steps, dtype)
    share = lax.div(steps, count)
    first, last = [lax.expand_dims(x, (at,)) for x in (first, last)]
    down = lax.mul(first, lax.sub(constant_like(first, 1), share))
    return lax.add(down, lax.mul(lax.div(last, count), steps))


def _real(dtype: Any) -> Any:
    return dtypes.to_real_dtype(dtype)


def logspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    base: ArrayLike = 10.0,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Array:
    """`base` to the power of equally spaced numbers from start to stop.

    >>> import minijax.numpy as jnp
    >>> print(jnp.logspace(0, 2, 3, base=2))
    [1. 2. 4.]
    """
    count = _count(num, "logspace")
    wanted = None if dtype is None else dtypes.requested_dtype(dtype, "logspace")
    return _logspace(start, stop, base, count, bool(endpoint), wanted, axis)


@eager_jit(static_argnums=(3, 4, 5, 6))
def _logspace(
    start: Any, stop: Any, base: Any, num: int, endpoint: bool, dtype: Any, axis: int
) -> Any:
    joined = common_kind(INEXACT, start, stop)[0]
    exponents, _ = _linspace(start, stop, num, endpoint, joined, axis)
    out = lax.pow(lax.convert_element_type(base, joined), exponents)
    return out if dtype is None else lax.convert_element_type(out, dtype)


def geomspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Array:
    """`num` numbers from start to stop with equal ratios.

    >>> import minijax.numpy as jnp
    >>> print(jnp.geomspace(1, 4, 3).round(3))
    [1. 2. 4.]
    """
    count = _count(num, "geomspace")
    wanted = None if dtype is None else dtypes.requested_dtype(dtype, "geomspace")
    return _geomspace(start, stop, count, bool(endpoint), wanted, axis)


@eager_jit(static_argnums=(2, 3, 4, 5))
def _geomspace(
    start: Any, stop: Any, num: int, endpoint: bool, dtype: Any, axis: int
) -> Any:
    joined = common_kind(INEXACT, start, stop)[0]
    first, last = [lax.convert_element_type(x, joined) for x in (start, stop)]
    signs = lax.sign(first)
    digit = constant_like(first, 1 / np.log(10))
    logs = [lax.mul(lax.log(lax.div(x, signs)), digit) for x in (first, last)]
    out = _logspace(*logs, 10.0, num, endpoint, joined, 0)
    out = lax.mul(signs, out) if not typeof(signs).shape else _signed(signs, out)
    if axis:
        rank = typeof(out).ndim
        order = list(range(1, rank))
        order.insert(axis + rank if axis < 0 else axis, 0)
        out = lax.transpose(out, order)
    return out if dtype is None else lax.convert_element_type(out, dtype)


def _signed(signs: Any, out: Any) -> Any:
    return lax.mul(lax.expand_dims(signs, (0,)), out)


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
    rows = _count(N, "eye")
    columns = rows if M is None else _count(M, "eye")
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
    rows = _count(N, "tri")
    columns = rows if M is None else _count(M, "tri")
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
    kept = _diagonal_mask(lax.ge, *shape[-2:], k if lower else k - 1)
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
    if any(typeof(x).ndim > 1 for x in xi):
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
    counted = [lax.iota(wanted, size) for size in sizes]
    out = []
    for axis, x in enumerate(counted):
        own = [n if i == axis else 1 for i, n in enumerate(sizes)] if sparse else sizes
        out.append(lax.broadcast_in_dim(x, own, (axis,)))
    if sparse:
        return tuple(out)
    return lax.stack(out, 0) if out else lax.full((0,), 0, wanted)
