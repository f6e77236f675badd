"""What an index means: from what stands in brackets to gather dimensions.

`parse` turns an index into entries, one per axis of the operand or of the result.
`arrange` turns entries into an `Arrangement`: where each axis of the result comes from,
which is what gathers and scatters need.

Rules:
1. Integers and arrays without axes among array indices count as arrays; the broadcast
   shape of all of them replaces them where they stand, or comes first if something
   stands between them.
2. Negative indices count from the end once. What is then out of bounds is up to the
   mode of the gather or scatter.
3. A boolean array must be known: it becomes the integer arrays of its true places.

Source: spec/numpy.md §5.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np

from .. import lax
from ..base import dtypes, flags
from ..base.errors import (
    ArgumentIndexError,
    ArgumentTypeError,
    ArgumentValueError,
    NonConcreteBooleanIndexError,
)
from ..core import Tracer, typeof
from ..runtime import Array
from .arithmetic import stretch

# --- entries --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DynamicSlice:
    """A window of known size at a place that may be computed. Made by `ds`."""

    start: Any
    size: int
    stride: int = 1


def ds(start: Any, size: int | None = None, stride: int = 1) -> DynamicSlice:
    """An index for a window of `size` elements from `start`, which may be traced.

    With one argument, the first so many elements.

    >>> import minijax as mj, minijax.numpy as jnp
    >>> print(jnp.arange(10)[mj.ds(3, 2)])
    [3 4]
    """
    if size is None:
        start, size = 0, start
    return DynamicSlice(start, operator.index(size), operator.index(stride))


@final
class New(NamedTuple):
    """A new axis of size 1."""


@final
class Take(NamedTuple):
    """One place of an axis, which is dropped: a Python int, in bounds or not."""

    place: int


@final
class Run(NamedTuple):
    """`length` places of an axis from `start` in steps; all known and in bounds."""

    start: int
    length: int
    step: int


@final
class Window(NamedTuple):
    """`length` neighbouring places from a computed start."""

    start: Any
    length: int


@final
class Places(NamedTuple):
    """Places given by an array of integers, or one without axes."""

    array: Any


@final
class Mask(NamedTuple):
    """A boolean without axes: a new axis of size 1 or 0."""

    value: bool


type Entry = New | Take | Run | Window | Places | Mask

_ADVANCED = (Places, Mask)


def parse(index: Any, shape: tuple[int, ...]) -> list[Entry]:
    """The entries of an index into an array of this shape; all axes are covered.

    Raises:
      IndexError: too many indices, two `...`, a mask that does not fit or is traced.
      TypeError: an index that is no integer, slice, array, None or `...`.
      ValueError: a slice of step 0.
    """
    given = index if type(index) is tuple else (index,)
    if isinstance(index, list) or (
        not isinstance(index, tuple) and isinstance(index, Sequence | str)
    ):
        raise ArgumentTypeError(
            "A sequence is no index.",
            f"Found {type(index).__name__} {index!r:.60}.",
            "Use a tuple for several axes, or an array: `x[jnp.array(index)]`.",
        )
    items = [_read(item) for item in given]
    used = sum(_axes_used(item) for item in items)
    if used > len(shape):
        raise ArgumentIndexError(
            f"An array of {len(shape)} axes takes at most as many indices.",
            f"Found {used}.",
        )
    items = _fill_ellipsis(items, len(shape) - used)
    entries: list[Entry] = []
    axis = 0
    for item in items:
        for entry in _entries(item, shape, axis):
            entries.append(entry)
        axis += _axes_used(item)
    return entries


def _read(item: Any) -> Any:
    """One index, with lists as arrays and NumPy integers as Python's."""
    kind = type(item)
    if kind in _PLAIN or item is None or item is Ellipsis:
        return item
    if isinstance(item, list | tuple):
        return _read(as_index_array(item))
    if isinstance(item, np.bool_):
        return bool(item)
    if isinstance(item, np.integer):
        return int(item)
    if isinstance(item, np.ndarray) and item.ndim == 0 and item.dtype.kind in "iu":
        return int(item)
    if isinstance(item, np.ndarray | Array | Tracer):
        return _checked_array(item)
    if hasattr(item, "__jax_array__"):
        return _checked_array(item.__jax_array__())
    if isinstance(item, float | complex | str | np.generic):
        raise ArgumentTypeError(
            "An index is made of integers, slices, `...`, None and integer arrays.",
            f"Found {item!r} of type {kind.__name__}.",
        )
    if isinstance(item, int):
        return int(item)
    raise ArgumentIndexError(
        "An index is made of integers, slices, `...`, None and integer arrays.",
        f"Found {item!r:.60} of type {kind.__name__}.",
    )


_PLAIN = frozenset((int, bool, slice, DynamicSlice))


def as_index_array(items: Any) -> Any:
    """A list of integers as an array; its items may be traced."""
    flat = list(items)
    if any(isinstance(item, Array | Tracer) for item in flat):
        return lax.stack([lax.convert_element_type(x, np.int32) for x in flat], 0)
    found = np.asarray(flat)
    return found.astype(np.int32) if found.size == 0 else found


def _checked_array(array: Any) -> Any:
    aval = typeof(array)
    if aval.dtype == dtypes.BOOL:
        if aval.ndim == 0 and not isinstance(array, Tracer):
            return bool(array)
        return _known_mask(array)
    if aval.dtype not in dtypes.INTEGERS:
        raise ArgumentTypeError(
            "An array index has an integer or boolean dtype.", f"Found {aval}."
        )
    return array


def _known_mask(mask: Any) -> np.ndarray:
    if isinstance(mask, Tracer):
        known = mask.concrete()
        if known is None:
            raise NonConcreteBooleanIndexError(mask)
        mask = known
    return np.asarray(mask)


def _is_mask(item: Any) -> bool:
    return isinstance(item, np.ndarray) and item.dtype == np.bool_


def _axes_used(item: Any) -> int:
    if item is None or item is Ellipsis or isinstance(item, bool):
        return 0
    return item.ndim if _is_mask(item) else 1


def _fill_ellipsis(items: list[Any], missing: int) -> list[Any]:
    places = [i for i, item in enumerate(items) if item is Ellipsis]
    if len(places) > 1:
        raise ArgumentIndexError("An index has at most one `...`.", f"Found {items}.")
    at = places[0] if places else len(items)
    return [*items[:at], *[slice(None)] * missing, *items[at + 1 :]]


def _entries(item: Any, shape: tuple[int, ...], axis: int) -> list[Entry]:
    if item is None:
        return [New()]
    if isinstance(item, bool):
        return [Mask(item)]
    if isinstance(item, int):
        return [_take(item, shape[axis], axis)]
    if isinstance(item, slice):
        return [_run(item, shape[axis])]
    if isinstance(item, DynamicSlice):
        return [_window(item)]
    if _is_mask(item):
        return _true_places(item, shape, axis)
    aval = typeof(item)
    if shape[axis] == 0 and aval.size:
        raise ArgumentTypeError(
            f"An axis of size 0 has no places: axis {axis} of shape {shape}.",
            f"Found indices {aval}.",
        )
    return [Places(item)]


def _take(place: int, size: int, axis: int) -> Take:
    if size == 0:
        raise ArgumentIndexError(
            "An axis of size 0 has no places.",
            f"Found the index {place} of axis {axis}.",
        )
    return Take(place + size if place < 0 else place)


def _run(item: slice, size: int) -> Run:
    try:
        start, stop, step = slice(
            *[_bound(x) for x in (item.start, item.stop, item.step)]
        ).indices(size)
    except TypeError as error:
        traced = [
            x for x in (item.start, item.stop, item.step) if isinstance(x, Tracer)
        ]
        if not traced:
            raise
        raise ArgumentIndexError(
            "The bounds of a slice are known when a program is traced.",
            f"Found {traced[0]}.\n{traced[0].origin_text()}".rstrip(),
            "Use `ds(start, size)`, or `lax.dynamic_slice`.",
        ) from error
    return Run(start, len(range(start, stop, step)), step)


def _bound(x: Any) -> Any:
    return None if x is None else operator.index(x)


def _window(item: DynamicSlice) -> Entry:
    if item.stride != 1:
        if isinstance(item.start, Tracer):
            steps = np.arange(item.size, dtype=np.int32) * np.int32(item.stride)
            start = lax.convert_element_type(item.start, np.int32)
            return Places(lax.add(start, steps))
        return Run(int(item.start), item.size, item.stride)
    return Window(item.start, item.size)


def _true_places(mask: np.ndarray, shape: tuple[int, ...], axis: int) -> list[Entry]:
    covered = shape[axis : axis + mask.ndim]
    if mask.shape != covered:
        raise ArgumentIndexError(
            f"A boolean index has the shape of the axes it covers, {covered}.",
            f"Found {mask.shape}.",
        )
    return [Places(places.astype(np.int32)) for places in np.nonzero(mask)]


def check_strict(entries: Sequence[Entry], shape: tuple[int, ...]) -> None:
    """Refuse integers out of bounds where options ask for it. Raises: IndexError."""
    if not (flags.check_static_indices.value or flags.strict_index.value):
        return
    axis = 0
    for entry in entries:
        if type(entry) is Take and not 0 <= entry.place < shape[axis]:
            raise ArgumentIndexError(
                f"Axis {axis} has {shape[axis]} places.",
                f"Found the index {entry.place}, which is none of them.",
            )
        axis += not isinstance(entry, New | Mask)


# --- from entries to gather dimensions ------------------------------------------------


class Component(NamedTuple):
    """What index vectors say of one axis of the operand.

    dims: the axes of the batch shape along which `value` varies.
    """

    axis: int
    value: Any
    dims: tuple[int, ...]


class Arrangement(NamedTuple):
    """An index as a gather: numbers of axes, all of the operand with `masked` axes.

    masked: new axes of the operand, of size 1, for booleans. batch_shape: of the
    indices. components: of index vectors. windows: sizes taken per axis. dropped: axes
    that do not appear as window axes. offsets: axes of the gathered result that walk
    through windows. new: axes of size 1 to add at the end. shape: of the final result.
    exact: no array repeats or reorders places, so they are sorted and unique.
    """

    masked: tuple[int, ...]
    batch_shape: tuple[int, ...]
    components: tuple[Component, ...]
    windows: tuple[int, ...]
    dropped: tuple[int, ...]
    offsets: tuple[int, ...]
    new: tuple[int, ...]
    shape: tuple[int, ...]
    exact: bool


class _Layout:
    """Collects the axes of the result from left to right."""

    def __init__(self) -> None:
        self.shape: list[int] = []
        self.new: list[int] = []
        self.offsets: list[int] = []
        self.batch: list[int] = []  # positions in the gathered result
        self.batch_shape: list[int] = []
        self.gathered = 0

    def add_batch(self, sizes: Sequence[int]) -> tuple[int, ...]:
        first = len(self.batch_shape)
        for size in sizes:
            self.batch.append(self.gathered)
            self.batch_shape.append(size)
            self.shape.append(size)
            self.gathered += 1
        return tuple(range(first, len(self.batch_shape)))

    def add_window(self, size: int) -> None:
        self.offsets.append(self.gathered)
        self.shape.append(size)
        self.gathered += 1

    def add_new(self) -> None:
        self.new.append(len(self.shape))
        self.shape.append(1)


def arrange(
    entries: Sequence[Entry], shape: tuple[int, ...], *, wrap: bool = True
) -> Arrangement:
    """The gather that an index means. `wrap`: negative places count from the end.

    Raises:
      ValueError: index arrays do not broadcast.
    """
    group = [i for i, e in enumerate(entries) if isinstance(e, Places | Mask | Take)]
    has_arrays = any(
        type(e) is Mask or (type(e) is Places and typeof(e.array).shape)
        for e in entries
    )
    joint = _joint_shape(entries) if has_arrays else ()
    split = group != list(range(group[0], group[-1] + 1)) if group else False
    layout, arrays_at = _Layout(), None
    if has_arrays and split:
        arrays_at = layout.add_batch(joint)
    components: list[tuple[int, Any, tuple[int, ...]]] = []
    masked, windows, dropped, axis = [], [], [], 0
    for entry in entries:
        if type(entry) is New:
            layout.add_new()
            continue
        size = 1
        if type(entry) is Mask:
            masked.append(axis)
        else:
            size = shape[axis - len(masked)]
        if isinstance(entry, Places | Mask | Take):
            if has_arrays and arrays_at is None:
                arrays_at = layout.add_batch(joint)
            value, rank = _value(entry, size, wrap)
            dims = (arrays_at or ()) if rank else ()
            components.append((axis, value, dims))
            windows.append(min(size, 1))
            dropped.append(axis)
        elif type(entry) is Run and entry.step == 1:
            windows.append(entry.length)
            layout.add_window(entry.length)
            if entry.length != size:
                components.append((axis, np.int32(entry.start), ()))
        elif type(entry) is Window:
            windows.append(entry.length)
            layout.add_window(entry.length)
            components.append((axis, _wrapped(entry.start, size, wrap), ()))
        else:
            places = entry.start + entry.step * np.arange(entry.length)
            dims = layout.add_batch((entry.length,))
            components.append((axis, places.astype(np.int32), dims))
            windows.append(min(size, 1))
            dropped.append(axis)
        axis += 1
    return Arrangement(
        tuple(masked),
        tuple(layout.batch_shape),
        tuple(Component(*c) for c in components),
        tuple(windows),
        tuple(dropped),
        tuple(layout.offsets),
        tuple(layout.new),
        tuple(layout.shape),
        not has_arrays,
    )


def _joint_shape(entries: Sequence[Entry]) -> tuple[int, ...]:
    shapes = [
        ((1 if e.value else 0),) if type(e) is Mask else typeof(e.array).shape
        for e in entries
        if isinstance(e, Places | Mask)
    ]
    try:
        return lax.broadcast_shapes(*shapes)
    except ValueError as error:
        raise ArgumentValueError(
            "The arrays of an index broadcast to one shape.", f"Found shapes {shapes}."
        ) from error


def _value(entry: Take | Mask | Places, size: int, wrap: bool) -> tuple[Any, int]:
    """The places an entry names along its axis, and their rank."""
    if type(entry) is Take:
        return np.int32(min(entry.place, 2**31 - 1)), 0
    if type(entry) is Mask:
        return np.zeros(1 if entry.value else 0, np.int32), 1
    return _wrapped(entry.array, size, wrap), typeof(entry.array).ndim


def _wrapped(places: Any, size: int, wrap: bool) -> Any:
    """Places in a dtype wide enough for the axis, counted from the start."""
    if isinstance(places, int):
        places = np.asarray(places)
    aval = typeof(places)
    wide = np.dtype(np.int64 if size > 2**31 - 1 else np.int32)
    signed = aval.dtype in dtypes.SIGNED
    if not isinstance(places, Array | Tracer):
        places = np.asarray(places)
        if wrap and signed:
            places = np.where(places < 0, places + size, places)
        return places.astype(wide)
    if aval.dtype != wide and dtypes.itemsize_bits(aval.dtype) <= dtypes.itemsize_bits(
        wide
    ):
        places = lax.convert_element_type(places, wide)
    if not (wrap and signed):
        return places
    dtype = typeof(places).dtype
    negative = lax.lt(places, dtype.type(0))
    return lax.select(negative, lax.add(places, dtype.type(size)), places)


def index_vectors(arrangement: Arrangement) -> Any:
    """i32[*batch, n]: the components side by side."""
    batch = arrangement.batch_shape
    if not arrangement.components:
        return np.zeros((*batch, 0), np.int32)
    values = [component.value for component in arrangement.components]
    known = all(isinstance(value, np.ndarray | np.generic) for value in values)
    if known and any(np.ndim(value) for value in values):
        columns = [_host_column(c, batch) for c in arrangement.components]
        return np.stack(columns, -1)
    wide = any(typeof(value).dtype.itemsize == 8 for value in values)
    common = np.int64 if wide else np.int32
    spread = [
        stretch(component.value, tuple(batch[d] for d in component.dims))
        if typeof(component.value).shape
        else component.value
        for component in arrangement.components
    ]
    columns = [
        lax.broadcast_in_dim(
            lax.convert_element_type(value, common), (*batch, 1), component.dims
        )
        for value, component in zip(spread, arrangement.components, strict=True)
    ]
    return columns[0] if len(columns) == 1 else lax.concatenate(columns, len(batch))


def _host_column(component: Component, batch: tuple[int, ...]) -> np.ndarray:
    value = np.asarray(component.value)
    sizes = tuple(batch[d] for d in component.dims)
    shape = [1] * len(batch)
    for dim, size in zip(component.dims, sizes, strict=True):
        shape[dim] = size
    return np.broadcast_to(np.broadcast_to(value, sizes).reshape(shape), batch)
