"""Several arrays as one, one as several, and repetition.

Source: spec/numpy.md §14.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lax
from ..base import dtypes
from ..base.errors import (
    ArgumentIndexError,
    ArgumentTypeError,
    ArgumentValueError,
    ConcretizationTypeError,
)
from ..base.util import canonicalize_axis
from ..core import Tracer, typeof
from ..runtime import Array
from ..transforms import eager_jit
from .creation import checked_shape
from .getting import take
from .promotion import (
    JOIN,
    as_is,
    cast_to,
    check_arrays,
    common_kind,
    refuse,
    require_sequence,
)
from .reductions import static_axis
from .shaping import atleast_1d, atleast_2d, atleast_3d
from .updating import IndexedElements

if TYPE_CHECKING:
    from .promotion import ArrayLike, DTypeLike

# How many arrays one primitive joins: very wide ones compile slowly.
_GROUP = 16


# --- joining --------------------------------------------------------------------------


def _same_dtype(function: str, arrays: Sequence[Any], dtype: Any) -> list[Any]:
    check_arrays(function, *arrays)
    if dtype is None:
        wanted, weak = common_kind(JOIN, *arrays)
    else:
        wanted, weak = dtypes.requested_dtype(dtype, function), False
    return [cast_to(x, wanted, weak=weak) for x in arrays]


def concatenate(
    arrays: Any, axis: int | None = 0, dtype: DTypeLike | None = None
) -> Array:
    """Arrays one after the other along an axis; flattened first if it is None.

    >>> import minijax.numpy as jnp
    >>> print(jnp.concatenate([jnp.arange(2), jnp.ones(1)]))
    [0. 1. 1.]

    Raises:
      ValueError: no arrays, or one without axes.
      TypeError: shapes that differ elsewhere; parts that are no arrays.
    """
    parts = tuple(require_sequence("concatenate", arrays))
    if not parts:
        raise ArgumentValueError("concatenate takes at least one array.", "Found none.")
    return _concatenate(parts, static_axis(axis), dtype)


@eager_jit(static_argnums=(1, 2))
def _concatenate(arrays: Sequence[Any], axis: int | None, dtype: Any) -> Any:
    check_arrays("concatenate", *arrays)
    if axis is None:
        arrays = [lax.reshape(x, (typeof(x).size,)) for x in arrays]
        axis = 0
    if any(not typeof(x).shape for x in arrays):
        raise ArgumentValueError(
            "concatenate joins arrays along an axis they have.",
            "Found an array without axes.",
            "Use `stack`.",
        )
    axis = canonicalize_axis(axis, typeof(arrays[0]).ndim)
    return _joined(_same_dtype("concatenate", arrays, dtype), axis)


def _joined(parts: Sequence[Any], axis: int) -> Any:
    parts = list(parts)
    while len(parts) > _GROUP:
        groups = [parts[i : i + _GROUP] for i in range(0, len(parts), _GROUP)]
        parts = [g[0] if len(g) == 1 else lax.concatenate(g, axis) for g in groups]
    return parts[0] if len(parts) == 1 else lax.concatenate(parts, axis)


def concat(arrays: Sequence[ArrayLike], /, *, axis: int | None = 0) -> Array:
    """As `concatenate`.

    >>> import minijax.numpy as jnp
    >>> print(jnp.concat([jnp.arange(2), jnp.arange(1)]))
    [0 1 0]
    """
    return concatenate(arrays, axis)


def stack(
    arrays: Any, axis: int = 0, out: None = None, dtype: DTypeLike | None = None
) -> Array:
    """Arrays of one shape along a new axis.

    >>> import minijax.numpy as jnp
    >>> print(jnp.stack([jnp.arange(2), jnp.arange(2)], axis=1))
    [[0 0]
     [1 1]]

    Raises:
      ValueError: no arrays, or shapes that differ.
    """
    refuse("stack", out=out)
    parts = tuple(require_sequence("stack", arrays))
    if not parts:
        raise ArgumentValueError("stack takes at least one array.", "Found none.")
    return _stack(parts, static_axis(axis), dtype)


@eager_jit(static_argnums=(1, 2))
def _stack(arrays: Sequence[Any], axis: int, dtype: Any) -> Any:
    parts = _same_dtype("stack", arrays, dtype)
    shapes = {typeof(x).shape for x in parts}
    if len(shapes) > 1:
        raise ArgumentValueError(
            "stack takes arrays of one shape.", f"Found {sorted(shapes)}."
        )
    return lax.stack(parts, canonicalize_axis(axis, typeof(parts[0]).ndim + 1))


def _raised(function: str, tup: Any, raise_one: Any) -> list[Any]:
    parts = require_sequence(function, tup)
    if not len(parts):
        raise ArgumentValueError(f"{function} takes at least one array.", "Found none.")
    check_arrays(function, *parts)
    return [raise_one(x) for x in parts]


def vstack(tup: Any, dtype: DTypeLike | None = None) -> Array:
    """Arrays as rows, one below the other.

    >>> import minijax.numpy as jnp
    >>> jnp.vstack([jnp.ones(3), jnp.ones(3)]).shape
    (2, 3)
    """
    return concatenate(_raised("vstack", tup, atleast_2d), 0, dtype)


def hstack(tup: Any, dtype: DTypeLike | None = None) -> Array:
    """Arrays side by side: along the second axis, or the only one.

    >>> import minijax.numpy as jnp
    >>> jnp.hstack([jnp.ones(3), jnp.ones(2)]).shape
    (5,)
    """
    parts = _raised("hstack", tup, atleast_1d)
    return concatenate(parts, 0 if typeof(parts[0]).ndim == 1 else 1, dtype)


def dstack(tup: Any, dtype: DTypeLike | None = None) -> Array:
    """Arrays one behind the other, along the third axis.

    >>> import minijax.numpy as jnp
    >>> jnp.dstack([jnp.ones(3), jnp.ones(3)]).shape
    (1, 3, 2)
    """
    return concatenate(_raised("dstack", tup, atleast_3d), 2, dtype)


def column_stack(tup: Any) -> Array:
    """Vectors as columns beside matrices.

    >>> import minijax.numpy as jnp
    >>> jnp.column_stack([jnp.ones(3), jnp.ones((3, 2))]).shape
    (3, 3)
    """

    def as_columns(x: Any) -> Any:
        if typeof(x).ndim >= 2:
            return x
        column = atleast_2d(x)
        return lax.transpose(column, (1, 0))

    return concatenate(_raised("column_stack", tup, as_columns), 1)


def append(arr: ArrayLike, values: ArrayLike, axis: int | None = None) -> Array:
    """`values` after `arr` along an axis; both flattened without one.

    >>> import minijax.numpy as jnp
    >>> print(jnp.append(jnp.arange(2), 5))
    [0 1 5]
    """
    check_arrays("append", arr, values)
    return concatenate([arr, values], axis)


def block(arrays: Any) -> Array:
    """Nested lists of arrays put together: the innermost along the last axis.

    >>> import minijax.numpy as jnp
    >>> jnp.block([[jnp.ones((2, 2)), jnp.ones((2, 1))]]).shape
    (2, 3)

    Raises:
      ValueError: lists of different depths; a tuple.
    """
    return _block(arrays)


@eager_jit
def _block(arrays: Any) -> Any:
    depth = _depth(arrays)
    rank = max([depth, *[typeof(x).ndim for x in _flat(arrays)]])
    return _assembled(arrays, depth, rank)


def _depth(arrays: Any) -> int:
    if isinstance(arrays, tuple):
        raise ArgumentValueError("block takes lists.", "Found a tuple.")
    if not isinstance(arrays, list):
        check_arrays("block", arrays)
        return 0
    depths = {_depth(item) for item in arrays}
    if len(depths) != 1:
        raise ArgumentValueError(
            "The lists of block have one depth and are not empty.",
            f"Found depths {sorted(depths)}.",
        )
    return depths.pop() + 1


def _flat(arrays: Any) -> list[Any]:
    if not isinstance(arrays, list):
        return [arrays]
    return [x for item in arrays for x in _flat(item)]


def _assembled(arrays: Any, depth: int, rank: int) -> Any:
    if depth == 0:
        return lax.broadcast_to_rank(as_is(arrays), rank)
    parts = [_assembled(item, depth - 1, rank) for item in arrays]
    return _joined(_same_dtype("block", parts, None), rank - depth)


# --- splitting ------------------------------------------------------------------------


def split(ary: ArrayLike, indices_or_sections: Any, axis: int = 0) -> list[Array]:
    """Pieces along an axis: so many equal ones, or cut at the given places.

    >>> import minijax.numpy as jnp
    >>> print(*jnp.split(jnp.arange(4), 2))
    [0 1] [2 3]

    Raises:
      ValueError: the axis cannot be cut into so many equal pieces.
    """
    return _pieces("split", ary, indices_or_sections, axis)


def array_split(ary: ArrayLike, indices_or_sections: Any, axis: int = 0) -> list[Array]:
    """As `split`, with pieces whose sizes may differ by one.

    >>> import minijax.numpy as jnp
    >>> print(*jnp.array_split(jnp.arange(3), 2))
    [0 1] [2]
    """
    return _pieces("array_split", ary, indices_or_sections, axis)


def _pieces(function: str, ary: Any, sections: Any, axis: int) -> list[Any]:
    check_arrays(function, ary)
    rank = typeof(ary).ndim
    axis = static_axis(axis)
    if not -rank <= axis < rank:
        raise ArgumentIndexError(
            f"{function} cuts an array along one of its {rank} axes.", f"Found {axis}."
        )
    axis = axis + rank if axis < 0 else axis
    size = typeof(ary).shape[axis]
    sizes = _piece_sizes(function, sections, size)
    return list(_split(ary, sizes, axis))


def _piece_sizes(function: str, sections: Any, size: int) -> tuple[int, ...]:
    if isinstance(sections, Tracer) and sections.concrete() is None:
        raise ConcretizationTypeError(sections, f"{function} decides shapes by it.")
    if isinstance(sections, list | tuple) or np.ndim(sections):
        cuts = [0, *[_bound(operator.index(x), size) for x in sections], size]
        return tuple(max(0, b - a) for a, b in itertools.pairwise(cuts))
    count = operator.index(sections)
    if count <= 0:
        raise ArgumentValueError(f"{function} makes pieces.", f"Found {count} of them.")
    even, rest = divmod(size, count)
    if rest and function != "array_split":
        raise ArgumentValueError(
            f"{function} makes pieces of one size.",
            f"Found {count} pieces of an axis of {size}.",
            "Use `array_split`.",
        )
    return (even + 1,) * rest + (even,) * (count - rest)


def _bound(place: int, size: int) -> int:
    return max(0, min(place + size if place < 0 else place, size))


@eager_jit(static_argnums=(1, 2))
def _split(ary: Any, sizes: tuple[int, ...], axis: int) -> Any:
    if sum(sizes) != typeof(ary).shape[axis]:
        starts = np.minimum(np.cumsum((0, *sizes[:-1])), typeof(ary).shape[axis])
        return [
            lax.slice_in_dim(ary, int(start), int(start) + size, 1, axis)
            for start, size in zip(starts, sizes, strict=True)
        ]
    return lax.split(as_is(ary), sizes, axis)


def vsplit(ary: ArrayLike, indices_or_sections: Any) -> list[Array]:
    """`split` along the first axis.

    >>> import minijax.numpy as jnp
    >>> len(jnp.vsplit(jnp.ones((4, 2)), 2))
    2
    """
    return split(ary, indices_or_sections, 0)


def hsplit(ary: ArrayLike, indices_or_sections: Any) -> list[Array]:
    """`split` along the second axis, or the only one.

    >>> import minijax.numpy as jnp
    >>> len(jnp.hsplit(jnp.ones((4, 2)), 2))
    2
    """
    check_arrays("hsplit", ary)
    return split(ary, indices_or_sections, min(1, typeof(ary).ndim - 1))


def dsplit(ary: ArrayLike, indices_or_sections: Any) -> list[Array]:
    """`split` along the third axis.

    >>> import minijax.numpy as jnp
    >>> len(jnp.dsplit(jnp.ones((1, 1, 2)), 2))
    2
    """
    return split(ary, indices_or_sections, 2)


@eager_jit(static_argnames="axis")
def unstack(x: ArrayLike, /, *, axis: int = 0) -> tuple[Array, ...]:
    """The parts along an axis, which is dropped. Raises: ValueError for a scalar.

    >>> import minijax.numpy as jnp
    >>> print(*jnp.unstack(jnp.arange(4).reshape(2, 2)))
    [0 1] [2 3]
    """
    check_arrays("unstack", x)
    if not typeof(x).shape:
        raise ArgumentValueError("unstack takes an array with axes.", "Found a scalar.")
    return tuple(lax.unstack(as_is(x), canonicalize_axis(axis, typeof(x).ndim)))


# --- repetition -----------------------------------------------------------------------


def tile(A: ArrayLike, reps: Any) -> Array:
    """The whole array repeated along axes.

    >>> import minijax.numpy as jnp
    >>> print(jnp.tile(jnp.arange(2), 2))
    [0 1 0 1]
    """
    check_arrays("tile", A)
    counts = checked_shape(reps, "tile")
    return _tile(A, counts)


@eager_jit(static_argnums=1)
def _tile(a: Any, reps: tuple[int, ...]) -> Any:
    rank = max(typeof(a).ndim, len(reps))
    a = lax.broadcast_to_rank(as_is(a), rank)
    return lax.tile(a, (1,) * (rank - len(reps)) + reps)


def repeat(
    a: ArrayLike,
    repeats: ArrayLike,
    axis: int | None = None,
    *,
    total_repeat_length: int | None = None,
    out_sharding: Any = None,
) -> Array:
    """Every element repeated, all as often or each its own number of times.

    total_repeat_length: of the result, where the numbers are traced; the last element
    fills what is missing.

    >>> import minijax.numpy as jnp
    >>> print(jnp.repeat(jnp.arange(3), 2))
    [0 0 1 1 2 2]

    Raises:
      TypeError: ConcretizationTypeError for traced numbers without a total.
    """
    check_arrays("repeat", a)
    if isinstance(repeats, list | tuple):
        raise ArgumentTypeError("`repeats` is an array.", f"Found {repeats!r:.60}.")
    axis = static_axis(axis)
    if axis is None:
        a, axis = lax.reshape(a, (typeof(a).size,)), 0
    axis = canonicalize_axis(axis, typeof(a).ndim)
    if total_repeat_length is not None:
        return _repeat_each(a, repeats, operator.index(total_repeat_length), axis)
    if isinstance(repeats, Tracer) and repeats.concrete() is None:
        raise ConcretizationTypeError(
            repeats, "The length of `repeat` is known: give `total_repeat_length`."
        )
    counts: Any = repeats
    if not typeof(counts).shape:
        return _repeat_all(a, operator.index(counts), axis)
    size = typeof(a).shape[axis]
    known = np.broadcast_to(np.asarray(counts), (size,))
    places = np.repeat(np.arange(size, dtype=np.int32), known)
    return take(a, places, axis, mode="clip")


@eager_jit(static_argnums=(1, 2))
def _repeat_all(a: Any, count: int, axis: int) -> Any:
    shape = typeof(a).shape
    dims = [*range(axis + 1), *range(axis + 2, len(shape) + 1)]
    wide = lax.broadcast_in_dim(
        a, (*shape[: axis + 1], count, *shape[axis + 1 :]), dims
    )
    return lax.reshape(wide, (*shape[:axis], shape[axis] * count, *shape[axis + 1 :]))


@eager_jit(static_argnums=(2, 3))
def _repeat_each(a: Any, repeats: Any, total: int, axis: int) -> Any:
    size = typeof(a).shape[axis]
    counts = lax.convert_element_type(repeats, np.int32)
    if not typeof(counts).shape or typeof(counts).shape == (1,):
        flat = lax.reshape(counts, ())
        counts = lax.broadcast_in_dim(flat, (size,), ())
    # Where an element starts, the number of the element goes up by one.
    starts = lax.sub(lax.cumsum(counts, 0), counts)
    marks = IndexedElements(lax.full((total,), 0, np.int32), starts).add(np.int32(1))
    source = lax.sub(lax.cumsum(marks, 0), np.int32(1))
    return take(a, source, axis, mode="clip")
