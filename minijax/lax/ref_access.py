"""Elements of an array by an `Indexer`: reading them, and arrays in which they differ.

What a ref does to its value, as functions of values. Slices are known, so they are cut
out first; positions that are operands are then gathered from, or scattered into, what
was cut out.

Source: spec/tracing.md §18.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..base.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    NonConcreteBooleanIndexError,
)
from ..core import Indexer, Slice, Tracer, is_array_type, typeof
from .arithmetic import add
from .comparisons import lt
from .conversions import convert
from .dynamic_slicing import dynamic_update_slice
from .gathering import gather
from .indexing import (
    GatherDimensionNumbers,
    GatherScatterMode,
    ScatterDimensionNumbers,
)
from .joining import concatenate
from .scattering import scatter, scatter_add
from .selection import select, select_n
from .shapes import broadcast_in_dim, expand_dims, reshape, squeeze
from .slicing import pad, slice

_INT32 = np.dtype(np.int32)

# --- Reading what the user wrote ------------------------------------------------------


def parsed(shape: tuple[int, ...], idx: Any) -> tuple[Indexer, list[Any]]:
    """Which elements `idx` means in an array of `shape`; positions that are operands.

    Raises:
        ValueError: out of range, too many, or a kind of index that refs do not have.
        TypeError: no integer.
    """
    given = list(idx) if isinstance(idx, tuple) else [idx]
    given = _without_ellipsis(shape, given)
    if len(given) > len(shape):
        raise ArgumentValueError(
            f"A ref of shape {shape} takes at most {len(shape)} indices.",
            f"Found {len(given)}.",
        )
    given += [np.s_[:]] * (len(shape) - len(given))
    dims: list[Slice | None] = []
    points: list[Any] = []
    for one, size in zip(given, shape, strict=True):
        if isinstance(one, type(np.s_[:])):
            dims.append(_parsed_slice(one, size))
        else:
            dims.append(None)
            points.append(_parsed_point(one, size))
    if all(dim == Slice(0, size) for dim, size in zip(dims, shape, strict=True)):
        return Indexer(), []
    return Indexer(tuple(dims)), _broadcast(points)


def _without_ellipsis(shape: tuple[int, ...], given: list[Any]) -> list[Any]:
    if any(one is None for one in given):
        raise ArgumentValueError(
            "An index of a ref adds no axes.",
            f"Found None among {given}.",
            "Read the value and index that.",
        )
    where = [i for i, one in enumerate(given) if one is Ellipsis]
    if not where:
        return given
    if len(where) > 1:
        raise ArgumentValueError("An index has one `...`.", f"Found {len(where)}.")
    (place,) = where
    missing = len(shape) - len(given) + 1
    return [*given[:place], *[np.s_[:]] * missing, *given[place + 1 :]]


def _parsed_slice(one: Any, size: int) -> Slice:
    for bound in (one.start, one.stop, one.step):
        if isinstance(bound, Tracer):
            raise ArgumentTypeError(
                "The bounds of a slice of a ref are known numbers.", f"Found {bound}."
            )
    start, stop, step = one.indices(size)
    if step < 1:
        raise ArgumentValueError(
            "A slice of a ref goes forward.", f"Found a step of {step}."
        )
    return Slice(start, len(range(start, stop, step)), step)


def _parsed_point(one: Any, size: int) -> Any:
    if isinstance(one, bool | np.bool_) or not is_array_type(one):
        raise ArgumentTypeError(
            "A ref is indexed by integers, slices and `...`.",
            f"Found {one!r} of type {type(one).__name__}.",
        )
    aval = typeof(one)
    if aval.dtype == np.bool_:
        raise NonConcreteBooleanIndexError(
            one if isinstance(one, Tracer) else str(aval)
        )
    if aval.dtype.kind not in "iu":
        raise ArgumentTypeError(
            "A ref is indexed by integers, slices and `...`.", f"Found {aval}."
        )
    if aval.shape or isinstance(one, Tracer):
        return one
    number = int(one)
    if not -size <= number < size:
        raise ArgumentValueError(
            f"An index of an axis of size {size} is out of range.", f"Found {number}."
        )
    return _INT32.type(number)


def _broadcast(points: list[Any]) -> list[Any]:
    """Positions beside arrays of them have the shape of these."""
    shapes = [typeof(x).shape for x in points]
    shape = np.broadcast_shapes(*shapes)
    return [
        x
        if own == shape
        else broadcast_in_dim(x, shape, range(len(shape) - len(own), len(shape)))
        if len(own) == 0 or own == shape[len(shape) - len(own) :]
        else _stretched(x, own, shape)
        for x, own in zip(points, shapes, strict=True)
    ]


def _stretched(x: Any, own: tuple[int, ...], shape: tuple[int, ...]) -> Any:
    ahead = len(shape) - len(own)
    kept = [i for i, size in enumerate(own) if size != 1 or shape[ahead + i] == 1]
    x = reshape(x, tuple([own[i] for i in kept]))
    return broadcast_in_dim(x, shape, [ahead + i for i in kept])


# --- Types ----------------------------------------------------------------------------


def accessed_shape(
    shape: tuple[int, ...], indexer: Indexer, point_shape: tuple[int, ...]
) -> tuple[int, ...]:
    """The shape of the elements that an access touches."""
    if not indexer.dims:
        return shape
    sizes = [dim.size for dim in indexer.dims if dim is not None]
    place = _place_of_points(indexer)
    return (*sizes[:place], *point_shape, *sizes[place:])


def _place_of_points(indexer: Indexer) -> int:
    """Where the axes of positions stand: where they were, if they were together."""
    points = indexer.points
    if not points:
        return 0
    together = points[-1] - points[0] + 1 == len(points)
    return points[0] if together else 0


# --- Values ---------------------------------------------------------------------------


def read(x: Any, indexer: Indexer, points: Sequence[Any]) -> Any:
    """The elements of `x` that an access touches."""
    if not indexer.dims:
        return x
    shape = typeof(x).shape
    cuts, axes = _cuts(shape, indexer, points)
    block = _cut(x, cuts)
    if axes is not None:
        return squeeze(block, axes) if axes else block
    numbers = _gather_numbers(indexer, points)
    sizes = [1 if dim is None else dim.size for dim in indexer.dims]
    indices = _indices(shape, indexer, points)
    return gather(block, indices, numbers, sizes, mode=GatherScatterMode.CLIP)


def write(x: Any, indexer: Indexer, points: Sequence[Any], value: Any) -> Any:
    """`x` with `value` for the elements that an access touches."""
    return _changed(x, indexer, points, value, lambda old, new: new, scatter)


def accumulate(x: Any, indexer: Indexer, points: Sequence[Any], value: Any) -> Any:
    """`x` with `value` added to the elements that an access touches."""
    return _changed(x, indexer, points, value, add, scatter_add)


def _changed(
    x: Any, indexer: Indexer, points: Sequence[Any], value: Any, combine: Any, into: Any
) -> Any:
    if not indexer.dims:
        return combine(x, value)
    shape = typeof(x).shape
    cuts, axes = _cuts(shape, indexer, points)
    block = _cut(x, cuts)
    if axes is not None:
        new = combine(block, expand_dims(value, axes) if axes else value)
    else:
        gathers = _gather_numbers(indexer, points)
        numbers = ScatterDimensionNumbers(
            gathers.offset_dims, gathers.collapsed_slice_dims, gathers.start_index_map
        )
        indices = _indices(shape, indexer, points)
        mode = GatherScatterMode.FILL_OR_DROP
        new = into(block, indices, value, numbers, mode=mode)
    return _put_back(x, cuts, new)


def _cuts(
    shape: tuple[int, ...], indexer: Indexer, points: Sequence[Any]
) -> tuple[tuple[Slice, ...], tuple[int, ...] | None]:
    """What to cut out; and if all positions are known, which axes they were."""
    known = all(isinstance(x, int | np.integer) for x in points)
    given = iter(points)
    cuts = []
    for dim, size in zip(indexer.dims, shape, strict=True):
        if dim is not None:
            cuts.append(dim)
        elif known:
            cuts.append(Slice(int(next(given)) % size, 1))
        else:
            cuts.append(Slice(0, size))
    return tuple(cuts), indexer.points if known else None


def _cut(x: Any, cuts: tuple[Slice, ...]) -> Any:
    if _is_whole(x, cuts):
        return x
    ends = [c.start + (c.size - 1) * c.stride + 1 if c.size else c.start for c in cuts]
    return slice(x, [c.start for c in cuts], ends, [c.stride for c in cuts])


def _is_whole(x: Any, cuts: tuple[Slice, ...]) -> bool:
    return cuts == tuple([Slice(0, size) for size in typeof(x).shape])


def _put_back(x: Any, cuts: tuple[Slice, ...], block: Any) -> Any:
    if _is_whole(x, cuts):
        return block
    if any(cut.size == 0 for cut in cuts):
        return x
    if all(cut.stride == 1 for cut in cuts):
        return dynamic_update_slice(x, block, [_INT32.type(c.start) for c in cuts])
    shape = typeof(x).shape
    chosen = np.zeros(shape, bool)
    where = np.ix_(*[np.arange(c.size) * c.stride + c.start for c in cuts])
    chosen[where] = True
    gaps = [
        (c.start, size - c.start - (c.size - 1) * c.stride - 1, c.stride - 1)
        for c, size in zip(cuts, shape, strict=True)
    ]
    zero = np.zeros((), typeof(x).dtype)[()]
    return select(chosen, pad(block, zero, gaps), x)


def _gather_numbers(indexer: Indexer, points: Sequence[Any]) -> GatherDimensionNumbers:
    place, rank = _place_of_points(indexer), len(typeof(points[0]).shape)
    count = sum(dim is not None for dim in indexer.dims)
    offsets = [i if i < place else i + rank for i in range(count)]
    return GatherDimensionNumbers(tuple(offsets), indexer.points, indexer.points)


def _indices(shape: tuple[int, ...], indexer: Indexer, points: Sequence[Any]) -> Any:
    """Index vectors i32[*points, axes]; negative positions count from the end."""
    columns = []
    for axis, x in zip(indexer.points, points, strict=True):
        numbers = convert(x, _INT32)
        size = _INT32.type(shape[axis])
        before = lt(numbers, _INT32.type(0))
        numbers = select_n(before, numbers, add(numbers, size))
        columns.append(expand_dims(numbers, (len(typeof(numbers).shape),)))
    return concatenate(columns, len(typeof(columns[0]).shape) - 1)
