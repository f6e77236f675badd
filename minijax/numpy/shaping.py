"""The same elements in another arrangement: shapes, axes, order.

Source: spec/numpy.md §14.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lax
from ..base.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    BroadcastError,
    NotSupportedError,
    TracedShapeError,
)
from ..base.util import canonicalize_axes, canonicalize_axis
from ..core import Tracer, typeof
from ..transforms import eager_jit
from .arithmetic import stretch
from .creation import checked_shape
from .promotion import as_is, check_arrays
from .reductions import static_axis

if TYPE_CHECKING:
    from ..runtime import Array
    from .promotion import ArrayLike, Axis, Shape


# --- shapes ---------------------------------------------------------------------------


def reshape(
    a: ArrayLike,
    shape: Shape,
    order: str = "C",
    *,
    copy: bool | None = None,
    out_sharding: Any = None,
) -> Array:
    """The elements in another shape; one size may be -1 and is worked out.

    order: "C" runs through the last axis fastest, "F" through the first.

    >>> import minijax.numpy as jnp
    >>> print(jnp.reshape(jnp.arange(4), (2, -1)))
    [[0 1]
     [2 3]]

    Raises:
      TypeError: the number of elements does not fit.
    """
    check_arrays("reshape", a)
    sizes = _whole_shape(shape, typeof(a).shape, typeof(a).size)
    if order == "C":
        return _reshape(a, sizes, out_sharding)
    if order == "F":
        return _reshape_fortran(a, sizes)
    if order == "A":
        raise NotSupportedError("Arrays have no memory order.", "Found order='A'.")
    raise ArgumentValueError("order is 'C' or 'F'.", f"Found {order!r}.")


def _whole_shape(shape: Any, old: tuple[int, ...], elements: int) -> tuple[int, ...]:
    if not isinstance(shape, list | tuple | np.ndarray):
        shape = (shape,)
    sizes = []
    for size in shape:
        if isinstance(size, Tracer) and size.concrete() is None:
            raise TracedShapeError(str(tuple(shape)), "reshape", size.origin_text())
        sizes.append(operator.index(size))
    missing = [i for i, size in enumerate(sizes) if size == -1]
    if len(missing) > 1 or any(size < -1 for size in sizes):
        raise ArgumentTypeError(
            "The sizes of a shape are not negative, and at most one is -1.",
            f"Found {tuple(sizes)}.",
        )
    known = math.prod(size for size in sizes if size != -1)
    if missing:
        if known == 0 or elements % known:
            raise ArgumentTypeError(
                f"An array of shape {old} has {elements} elements.",
                f"Found the shape {tuple(sizes)}.",
            )
        sizes[missing[0]] = elements // known
    elif known != elements:
        raise ArgumentTypeError(
            f"An array of shape {old} has {elements} elements.",
            f"Found the shape {tuple(sizes)} for {known}.",
        )
    return tuple(sizes)


@eager_jit(static_argnums=(1, 2))
def _reshape(a: Any, sizes: tuple[int, ...], sharding: Any) -> Any:
    return lax.reshape(as_is(a), sizes, out_sharding=sharding)


@eager_jit(static_argnums=1)
def _reshape_fortran(a: Any, sizes: tuple[int, ...]) -> Any:
    rank = typeof(a).ndim
    out = lax.reshape(a, sizes[::-1], tuple(range(rank))[::-1])
    return lax.transpose(out, tuple(range(len(sizes)))[::-1])


def ravel(a: ArrayLike, order: str = "C", *, out_sharding: Any = None) -> Array:
    """All elements along one axis.

    >>> import minijax.numpy as jnp
    >>> print(jnp.ravel(jnp.ones((2, 2))))
    [1. 1. 1. 1.]
    """
    check_arrays("ravel", a)
    if order == "K":
        raise NotSupportedError("Arrays have no memory order.", "Found order='K'.")
    return reshape(a, (typeof(a).size,), order, out_sharding=out_sharding)


def squeeze(a: ArrayLike, axis: Axis = None) -> Array:
    """Without axes of size 1: all of them, or the given ones.

    >>> import minijax.numpy as jnp
    >>> jnp.squeeze(jnp.ones((1, 2, 1))).shape
    (2,)

    Raises:
      ValueError: an axis of another size.
    """
    check_arrays("squeeze", a)
    return _squeeze(a, static_axis(axis))


@eager_jit(static_argnums=1)
def _squeeze(a: Any, axis: Any) -> Any:
    shape = typeof(a).shape
    if axis is None:
        axes = tuple([i for i, size in enumerate(shape) if size == 1])
    else:
        axes = canonicalize_axes(axis, len(shape))
    return lax.squeeze(as_is(a), axes)


def expand_dims(a: ArrayLike, axis: int | Sequence[int]) -> Array:
    """With new axes of size 1 at the given places of the result.

    >>> import minijax.numpy as jnp
    >>> jnp.expand_dims(jnp.ones(3), (0, 2)).shape
    (1, 3, 1)
    """
    check_arrays("expand_dims", a)
    axis = static_axis(axis)
    return _expand(a, axis if isinstance(axis, tuple) else (axis,))


@eager_jit(static_argnums=1)
def _expand(a: Any, axes: tuple[int, ...]) -> Any:
    return lax.expand_dims(
        as_is(a), canonicalize_axes(axes, typeof(a).ndim + len(axes))
    )


# --- order of axes --------------------------------------------------------------------


def transpose(a: ArrayLike, axes: Sequence[int] | None = None) -> Array:
    """The axes in another order, reversed by default.

    >>> import minijax.numpy as jnp
    >>> jnp.transpose(jnp.ones((2, 3, 4))).shape
    (4, 3, 2)

    Raises:
      TypeError: `axes` does not list every axis once.
    """
    check_arrays("transpose", a)
    rank = typeof(a).ndim
    if axes is None:
        order = tuple(range(rank))[::-1]
    else:
        given = static_axis(axes)
        given = given if isinstance(given, tuple) else (given,)
        order = tuple(canonicalize_axis(axis, rank) for axis in given)
    return _transpose(a, order)


@eager_jit(static_argnums=1)
def _transpose(a: Any, order: tuple[int, ...]) -> Any:
    return lax.transpose(as_is(a), order)


def permute_dims(a: ArrayLike, /, axes: tuple[int, ...]) -> Array:
    """The axes in the given order. Raises: ValueError unless each is listed once.

    >>> import minijax.numpy as jnp
    >>> jnp.permute_dims(jnp.ones((2, 3)), (1, 0)).shape
    (3, 2)
    """
    check_arrays("permute_dims", a)
    order = canonicalize_axes(static_axis(axes), typeof(a).ndim)
    if len(order) != typeof(a).ndim:
        raise ArgumentValueError("`axes` lists every axis once.", f"Found {axes}.")
    return _transpose(a, order)


def matrix_transpose(x: ArrayLike, /) -> Array:
    """The last two axes exchanged. Raises: ValueError for fewer than two.

    >>> import minijax.numpy as jnp
    >>> jnp.matrix_transpose(jnp.ones((2, 3, 4))).shape
    (2, 4, 3)
    """
    check_arrays("matrix_transpose", x)
    rank = typeof(x).ndim
    if rank < 2:
        raise ArgumentValueError("A matrix has two axes.", f"Found {typeof(x)}.")
    return _transpose(x, (*range(rank - 2), rank - 1, rank - 2))


def swapaxes(a: ArrayLike, axis1: int, axis2: int) -> Array:
    """Two axes exchanged.

    >>> import minijax.numpy as jnp
    >>> jnp.swapaxes(jnp.ones((2, 3, 4)), 0, 2).shape
    (4, 3, 2)

    Raises:
      IndexError: an axis that is not there.
    """
    check_arrays("swapaxes", a)
    rank = typeof(a).ndim
    order = list(range(rank))
    pair = [static_axis(axis) for axis in (axis1, axis2)]
    for axis in pair:
        if not -rank <= axis < rank:
            raise IndexError(f"axis {axis} is asked of an array of {rank} axes")
    first, second = pair
    order[first], order[second] = order[second], order[first]
    return _transpose(a, tuple(order))


def moveaxis(
    a: ArrayLike, source: int | Sequence[int], destination: int | Sequence[int]
) -> Array:
    """Axes moved to new places; the others keep their order.

    >>> import minijax.numpy as jnp
    >>> jnp.moveaxis(jnp.ones((2, 3, 4)), 0, -1).shape
    (3, 4, 2)

    Raises:
      ValueError: not as many places as axes, or one twice.
    """
    check_arrays("moveaxis", a)
    rank = typeof(a).ndim
    sources = canonicalize_axes(static_axis(source), rank, "source")
    places = canonicalize_axes(static_axis(destination), rank, "destination")
    if len(sources) != len(places):
        raise ArgumentValueError(
            "moveaxis takes one place per axis.", f"Found {source} and {destination}."
        )
    order = [axis for axis in range(rank) if axis not in sources]
    for place, axis in sorted(zip(places, sources, strict=True)):
        order.insert(place, axis)
    return _transpose(a, tuple(order))


def rollaxis(a: ArrayLike, axis: int, start: int = 0) -> Array:
    """One axis moved before the axis that stood at `start`.

    >>> import minijax.numpy as jnp
    >>> jnp.rollaxis(jnp.ones((2, 3, 4)), 2).shape
    (4, 2, 3)
    """
    check_arrays("rollaxis", a)
    rank = typeof(a).ndim
    axis = canonicalize_axis(axis, rank)
    if not -rank <= start <= rank:
        raise ArgumentValueError(
            f"start lies from {-rank} to {rank}.", f"Found {start}."
        )
    start = start + rank if start < 0 else start
    return moveaxis(a, axis, start - 1 if axis < start else start)


# --- order of elements ----------------------------------------------------------------


def flip(m: ArrayLike, axis: Axis = None) -> Array:
    """The elements in reverse along axes, along all by default.

    >>> import minijax.numpy as jnp
    >>> print(jnp.flip(jnp.arange(3)))
    [2 1 0]
    """
    check_arrays("flip", m)
    return _flip(m, static_axis(axis))


@eager_jit(static_argnums=1)
def _flip(m: Any, axis: Any) -> Any:
    rank = typeof(m).ndim
    axes = range(rank) if axis is None else canonicalize_axes(axis, rank)
    return lax.rev(as_is(m), tuple(axes))


def flipud(m: ArrayLike) -> Array:
    """The elements in reverse along the first axis.

    >>> import minijax.numpy as jnp
    >>> print(jnp.flipud(jnp.arange(3)))
    [2 1 0]
    """
    return flip(m, 0)


def fliplr(m: ArrayLike) -> Array:
    """The elements in reverse along the second axis.

    >>> import minijax.numpy as jnp
    >>> print(jnp.fliplr(jnp.arange(4).reshape(2, 2)))
    [[1 0]
     [3 2]]
    """
    return flip(m, 1)


@eager_jit(static_argnames=("k", "axes"))
def rot90(m: ArrayLike, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Array:
    """Turned by k right angles in the plane of two axes, from the first to the second.

    >>> import minijax.numpy as jnp
    >>> print(jnp.rot90(jnp.arange(4).reshape(2, 2)))
    [[1 3]
     [0 2]]
    """
    check_arrays("rot90", m)
    first, second = canonicalize_axes(axes, typeof(m).ndim)
    quarter = k % 4
    if quarter == 0:
        return as_is(m)
    if quarter == 2:
        return lax.rev(m, (first, second))
    order = list(range(typeof(m).ndim))
    order[first], order[second] = second, first
    if quarter == 1:
        return lax.transpose(lax.rev(m, (second,)), order)
    return lax.rev(lax.transpose(m, order), (second,))


def roll(a: ArrayLike, shift: ArrayLike, axis: Axis = None) -> Array:
    """The elements shifted along axes; those that fall off come in at the other end.

    Without an axis, the flattened array is shifted. `shift` may be traced.

    >>> import minijax.numpy as jnp
    >>> print(jnp.roll(jnp.arange(4), 1))
    [3 0 1 2]
    """
    check_arrays("roll", a)
    axis = static_axis(axis)
    shifts: Sequence[Any] = shift if isinstance(shift, list | tuple) else [shift]
    if any(isinstance(s, Tracer) or np.ndim(s) for s in shifts):
        return _roll_traced(
            a, shift if not isinstance(shift, list) else tuple(shift), axis
        )
    return _roll(a, tuple(operator.index(s) for s in shifts), axis)


@eager_jit(static_argnums=(1, 2))
def _roll(a: Any, shifts: tuple[int, ...], axis: Any) -> Any:
    shape = typeof(a).shape
    if axis is None:
        flat = lax.reshape(as_is(a), (typeof(a).size,))
        return lax.reshape(_rolled(flat, shifts, (0,) * len(shifts)), shape)
    axes = axis if isinstance(axis, tuple) else (axis,)
    count = max(len(axes), len(shifts))
    axes = axes * count if len(axes) == 1 else axes
    shifts = shifts * count if len(shifts) == 1 else shifts
    if len(axes) != len(shifts):
        raise ArgumentValueError(
            "roll takes one shift per axis.", f"Found {shifts} for {axes}."
        )
    return _rolled(as_is(a), shifts, [canonicalize_axis(x, len(shape)) for x in axes])


def _rolled(x: Any, shifts: Sequence[int], axes: Sequence[int]) -> Any:
    for shift, axis in zip(shifts, axes, strict=True):
        size = typeof(x).shape[axis]
        if size and shift % size:
            cut = size - shift % size
            tail = lax.slice_in_dim(x, cut, size, 1, axis)
            x = lax.concatenate([tail, lax.slice_in_dim(x, 0, cut, 1, axis)], axis)
    return x


@eager_jit(static_argnums=2)
def _roll_traced(a: Any, shift: Any, axis: Any) -> Any:
    shape = typeof(a).shape
    if axis is None:
        flat = lax.reshape(as_is(a), (typeof(a).size,))
        return lax.reshape(_roll_traced(flat, shift, 0), shape)
    axes = axis if isinstance(axis, tuple) else (axis,)
    if isinstance(shift, tuple):
        shifts = list(shift)
    else:
        rank = typeof(shift).ndim
        shifts = [shift] if not rank else list(lax.unstack(shift))
    count = max(len(axes), len(shifts))
    axes = axes * count if len(axes) == 1 else axes
    shifts = shifts * count if len(shifts) == 1 else shifts
    x = as_is(a)
    for one, along in zip(shifts, axes, strict=True):
        at = canonicalize_axis(along, len(shape))
        size = np.int32(max(shape[at], 1))
        rest = lax.rem(lax.convert_element_type(one, np.int32), size)
        start = lax.rem(lax.sub(size, rest), size)
        doubled = lax.concatenate([x, x], at)
        x = lax.dynamic_slice_in_dim(doubled, start, shape[at], at)
    return x


# --- repetition by broadcasting -------------------------------------------------------


def broadcast_to(array: ArrayLike, shape: Shape, *, out_sharding: Any = None) -> Array:
    """Repeated to a shape, lined up from the last axis.

    >>> import minijax.numpy as jnp
    >>> jnp.broadcast_to(jnp.ones(3), (2, 3)).shape
    (2, 3)

    Raises:
      ValueError: the array does not broadcast to it.
    """
    check_arrays("broadcast_to", array)
    return _broadcast_to(array, checked_shape(shape, "broadcast_to"), out_sharding)


@eager_jit(static_argnums=(1, 2))
def _broadcast_to(array: Any, shape: tuple[int, ...], sharding: Any) -> Any:
    given = typeof(array).shape
    if len(given) > len(shape) or any(
        size not in (1, wanted)
        for size, wanted in zip(given[::-1], shape[::-1], strict=False)
    ):
        raise BroadcastError([given, shape], "broadcast_to")
    return stretch(as_is(array), shape)


def broadcast_arrays(*args: ArrayLike) -> tuple[Array, ...]:
    """All arrays repeated to their common shape. Raises: ValueError if there is none.

    >>> import minijax.numpy as jnp
    >>> [x.shape for x in jnp.broadcast_arrays(jnp.ones(3), jnp.ones((2, 1)))]
    [(2, 3), (2, 3)]
    """
    check_arrays("broadcast_arrays", *args)
    return tuple(_broadcast_arrays(*args))


@eager_jit
def _broadcast_arrays(*args: Any) -> Any:
    shape = lax.broadcast_shapes(*[typeof(x).shape for x in args])
    return [stretch(as_is(x), shape) for x in args]


def broadcast_shapes(*shapes: Any) -> tuple[int, ...]:
    """The shape that shapes broadcast to. Raises: ValueError if there is none.

    >>> import minijax.numpy as jnp
    >>> jnp.broadcast_shapes((2, 1), (3,))
    (2, 3)
    """
    return lax.broadcast_shapes(
        *[(s,) if isinstance(s, int) else tuple(s) for s in shapes]
    )


@eager_jit
def atleast_1d(*arys: ArrayLike) -> Any:
    """Scalars as arrays of one axis; a tuple for several arguments.

    >>> import minijax.numpy as jnp
    >>> jnp.atleast_1d(1.0).shape
    (1,)
    """
    return _at_least(arys, lambda x: lax.broadcast_to_rank(x, 1))


@eager_jit
def atleast_2d(*arys: ArrayLike) -> Any:
    """With leading axes up to two; a tuple for several arguments.

    >>> import minijax.numpy as jnp
    >>> jnp.atleast_2d(jnp.ones(3)).shape
    (1, 3)
    """
    return _at_least(arys, lambda x: lax.broadcast_to_rank(x, 2))


@eager_jit
def atleast_3d(*arys: ArrayLike) -> Any:
    """With axes around up to three; a tuple for several arguments.

    >>> import minijax.numpy as jnp
    >>> jnp.atleast_3d(jnp.ones(3)).shape
    (1, 3, 1)
    """

    def to_three(x: Any) -> Any:
        rank = typeof(x).ndim
        new = {0: (0, 1, 2), 1: (0, 2), 2: (2,)}.get(rank, ())
        return lax.expand_dims(x, new) if new else x

    return _at_least(arys, to_three)


def _at_least(arys: Sequence[Any], raised: Any) -> Any:
    check_arrays("atleast", *arys)
    out = tuple(raised(as_is(x)) for x in arys)
    return out[0] if len(out) == 1 else out
