"""Reading elements: `x[index]`, `x.at[index].get()` and `take`.

Inside a trace an index becomes the cheapest primitive that can express it: a slice, a
dynamic slice, a gather. Outside, the index is split into a static layout and the
numbers in it, so that `x[i]` and `x[a:b]` compile once per layout, not per number.

Source: spec/numpy.md §§5, 7.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import lax
from ..base import dtypes, flags
from ..base.errors import ArgumentTypeError, ArgumentValueError, NotSupportedError
from ..base.util import register_cache
from ..core import (
    EVAL,
    Primitive,
    Tracer,
    broadcast_in_dim_p,
    current,
    squeeze_p,
    typeof,
)
from ..lax import GatherDimensionNumbers, GatherScatterMode
from ..runtime import Array, ArrayImpl
from ..transforms import eager_jit
from .constants import device_scalar
from .indexing import (
    Arrangement,
    Entry,
    Mask,
    New,
    Places,
    Run,
    Take,
    Window,
    arrange,
    check_strict,
    index_vectors,
    parse,
)

_CLAMPING = (GatherScatterMode.CLIP, GatherScatterMode.PROMISE_IN_BOUNDS)
STRATEGIES = ("auto", "gather", "static_slice", "dynamic_slice")


# --- inside a trace -------------------------------------------------------------------


def take_entries(
    x: Any,
    entries: Sequence[Entry],
    *,
    mode: GatherScatterMode = GatherScatterMode.PROMISE_IN_BOUNDS,
    fill_value: Any = None,
    sorted_: bool = False,
    unique: bool = False,
    wrap: bool = True,
    strategy: str = "auto",
) -> Any:
    """The elements of `x` that the entries of an index name."""
    kinds = {type(entry) for entry in entries}
    is_static = mode in _CLAMPING and kinds <= {Take, Run, New}
    if is_static and strategy in ("auto", "static_slice") and wrap:
        return _static(x, entries)
    if strategy == "static_slice":
        raise ArgumentTypeError(
            "The strategy 'static_slice' is for integers and slices that are known.",
            "Found an index array or another mode.",
        )
    shape = typeof(x).shape
    if mode in _CLAMPING and strategy in ("auto", "dynamic_slice"):
        if _is_window(entries):
            return _dynamic(x, entries, wrap)
        if strategy == "dynamic_slice":
            raise ArgumentTypeError(
                "The strategy 'dynamic_slice' is for one window.",
                "Found index arrays or slices with steps.",
            )
    found = arrange(entries, shape, wrap=wrap)
    return _gather(x, found, mode, fill_value, sorted_, unique)


def _static(x: Any, entries: Sequence[Entry]) -> Any:
    for primitive, params in _static_steps(typeof(x).shape, entries):
        x = primitive.bind(x, **params)
    return x


type Steps = list[tuple[Primitive, dict[str, Any]]]


def _static_steps(shape: tuple[int, ...], entries: Sequence[Entry]) -> Steps:
    """A slice, a reversal, dropped axes, new axes: what is needed of it."""
    starts: list[int] = []
    limits, strides = [], []
    reversed_axes, dropped, new, ndim = [], [], [], 0
    entry: Any  # Run where it is nothing else
    for entry in entries:
        axis = len(starts)
        if type(entry) is New:
            new.append(ndim)
            ndim += 1
            continue
        if type(entry) is Take:
            place = min(max(entry.place, 0), shape[axis] - 1)
            start, count, stride = place, 1, 1
            dropped.append(axis)
        else:
            start, count, stride = entry
            ndim += 1
            if stride < 0:
                if count:
                    reversed_axes.append(axis)
                start = start + (count - 1) * stride if count else 0
                stride = -stride
        starts.append(start)
        stride = stride if count > 1 else 1
        limits.append(min(start + count * stride, shape[axis]))
        strides.append(stride)
    steps: Steps = []
    whole = all(stride == 1 for stride in strides)
    if any(starts) or tuple(limits) != shape or not whole:
        window = {"start_indices": tuple(starts), "limit_indices": tuple(limits)}
        steps.append(
            (lax.slice_p, {**window, "strides": None if whole else tuple(strides)})
        )
    if reversed_axes:
        steps.append((lax.rev_p, {"dimensions": tuple(reversed_axes)}))
    if dropped:
        steps.append((squeeze_p, {"dimensions": tuple(dropped)}))
    if new:
        steps.append((broadcast_in_dim_p, _new_axes(shape, entries, new, ndim)))
    return steps


def _new_axes(
    shape: tuple[int, ...], entries: Sequence[Entry], new: list[int], ndim: int
) -> dict[str, Any]:
    sizes = [
        e.length if isinstance(e, Run) else 1 for e in entries if type(e) is not Take
    ]
    return {
        "shape": tuple(sizes),
        "broadcast_dimensions": tuple(i for i in range(ndim) if i not in new),
        "sharding": None,
    }


def _is_window(entries: Sequence[Entry]) -> bool:
    for entry in entries:
        if type(entry) is Mask or (type(entry) is Run and entry.step != 1):
            return False
        if type(entry) is Places and typeof(entry.array).shape:
            return False
    return True


def _dynamic(x: Any, entries: Sequence[Entry], wrap: bool) -> Any:
    shape = typeof(x).shape
    starts: list[Any] = []
    sizes, dropped, new, ndim = [], [], [], 0
    entry: Any  # its class is looked up once
    for entry in entries:
        kind, axis = type(entry), len(starts)
        if kind is New:
            new.append(ndim)
            ndim += 1
            continue
        if kind is Take:
            starts.append(entry.place)
        elif kind is Places:
            starts.append(_start(entry.array, shape[axis], wrap))
        elif kind is Window:
            starts.append(_start(entry.start, shape[axis], wrap))
        else:
            starts.append(entry.start)
        if kind is Take or kind is Places:
            sizes.append(1)
            dropped.append(axis)
        else:
            sizes.append(entry.length)
            ndim += 1
    x = lax.dynamic_slice_p.bind(x, *_one_dtype(starts), slice_sizes=tuple(sizes))
    if dropped:
        x = lax.squeeze(x, dropped)
    return lax.expand_dims(x, new) if new else x


def _start(start: Any, size: int, wrap: bool) -> Any:
    aval = typeof(start)
    if isinstance(start, int):
        return start + size if wrap and start < 0 else start
    if not wrap or aval.dtype not in dtypes.SIGNED:
        return start
    if aval.dtype.itemsize < 4:
        start = lax.convert_element_type(start, np.int32)
    dtype = typeof(start).dtype
    negative = lax.lt(start, dtype.type(0))
    return lax.select(negative, lax.add(start, dtype.type(size)), start)


def _one_dtype(starts: list[Any]) -> list[Any]:
    """Start indices share a dtype: that of the computed ones if they agree."""
    computed = [s for s in starts if isinstance(s, Array | Tracer)]
    found = {typeof(s).dtype for s in computed}
    dtype = found.pop() if len(found) == 1 else np.dtype(np.int32)
    return [
        lax.convert_element_type(s, dtype)
        if isinstance(s, Array | Tracer)
        else dtype.type(s)
        for s in starts
    ]


def _gather(
    x: Any,
    found: Arrangement,
    mode: GatherScatterMode,
    fill_value: Any,
    sorted_: bool,
    unique: bool,
) -> Any:
    if found.masked:
        x = lax.expand_dims(x, found.masked)
    numbers = GatherDimensionNumbers(
        offset_dims=found.offsets,
        collapsed_slice_dims=found.dropped,
        start_index_map=tuple(c.axis for c in found.components),
    )
    out = lax.gather(
        x,
        index_vectors(found),
        numbers,
        found.windows,
        unique_indices=unique or found.exact,
        indices_are_sorted=sorted_ or found.exact,
        mode=mode,
        fill_value=fill_value,
    )
    return lax.expand_dims(out, found.new) if found.new else out


def read_mode(mode: Any) -> GatherScatterMode:
    """The mode of a read; None promises that places are in bounds."""
    if mode is None:
        return GatherScatterMode.PROMISE_IN_BOUNDS
    return GatherScatterMode.from_any(mode)


# --- layouts: an index without its numbers --------------------------------------------

type Layout = tuple[tuple[Any, ...], ...]


def split_entries(
    entries: Sequence[Entry], shape: tuple[int, ...], *, clamp: bool
) -> tuple[Layout, list[Any]]:
    """A hashable layout, and the numbers and arrays that fill it.

    The layout holds ints and texts only: its parts are compared by `==` alone. `clamp`:
    places that are out of bounds are moved to the edge.
    """
    layout: list[tuple[Any, ...]] = []
    values: list[Any] = []
    axis = 0
    entry: Any  # its class is looked up once
    for entry in entries:
        kind = type(entry)
        if kind is New:
            layout.append(("new",))
            continue
        if kind is Mask:
            layout.append(("mask", int(entry.value)))
            continue
        if kind is Take:
            place = entry.place
            if clamp:
                place = min(max(place, 0), shape[axis] - 1)
            layout.append(("take",))
            values.append(device_scalar(max(min(place, 2**31 - 1), -(2**31))))
        elif kind is Run:
            if entry.step == 1 and 0 < entry.length < shape[axis]:
                layout.append(("run", entry.length))
                values.append(device_scalar(entry.start))
            else:
                layout.append(("steps", *entry))
        elif kind is Window:
            layout.append(("window", entry.length))
            values.append(_on_device(entry.start))
        else:
            layout.append(("places",))
            values.append(_on_device(entry.array))
        axis += 1
    return tuple(layout), values


def _on_device(x: Any) -> Any:
    return device_scalar(x) if x.__class__ is int else x


def join_entries(layout: Layout, values: Sequence[Any]) -> list[Entry]:
    """The entries of a layout filled with values."""
    rest = iter(values)
    entries: list[Entry] = []
    for kind, *numbers in layout:
        if kind == "new":
            entries.append(New())
        elif kind == "mask":
            entries.append(Mask(bool(numbers[0])))
        elif kind == "steps":
            entries.append(Run(*numbers))
        elif kind in ("run", "window"):
            entries.append(Window(next(rest), numbers[0]))
        else:
            entries.append(Places(next(rest)))
    return entries


# --- x[index] -------------------------------------------------------------------------


# (shape, types, index) -> the steps of an index of ints, slices, None and `...`
_known_steps: dict[Any, Steps] = {}
_MOST_STEPS = 4096
register_cache("numpy indexing", _known_steps.clear)


def getitem(x: Any, index: Any) -> Any:
    """`x[index]`: what operators of tracers call, and arrays where it is not eager."""
    shape = typeof(x).shape
    key = _steps_key(shape, index)
    if key is not None:
        steps = _known_steps.get(key)
        if steps is None:
            steps = _remember_steps(key, shape, index)
        for primitive, params in steps:
            x = primitive.bind(x, **params)
        return x
    entries = parse(index, shape)
    check_strict(entries, shape)
    return take_entries(x, entries)


def _steps_key(shape: tuple[int, ...], index: Any) -> Any:
    """A key for an index that is known whole, or None. 1 and True have two keys."""
    if flags.check_static_indices.value or flags.strict_index.value:
        return None
    kind = index.__class__
    if kind is int:
        return shape, int, index
    if kind is slice:
        return (shape, slice, index) if _is_plain(index) else None
    if kind is not tuple:
        return None
    kinds = tuple([item.__class__ for item in index])
    for item, item_kind in zip(index, kinds):
        if item_kind is slice:
            if not _is_plain(item):
                return None
        elif item_kind not in _PLAIN_ITEMS:
            return None
    return shape, kinds, index


_PLAIN_ITEMS = frozenset((int, type(None), type(Ellipsis)))


def _is_plain(item: slice) -> bool:
    return (
        (item.start is None or item.start.__class__ is int)
        and (item.stop is None or item.stop.__class__ is int)
        and (item.step is None or item.step.__class__ is int)
    )


def _remember_steps(key: Any, shape: tuple[int, ...], index: Any) -> Steps:
    if len(_known_steps) >= _MOST_STEPS:
        _known_steps.clear()
    steps = _known_steps[key] = _static_steps(shape, parse(index, shape))
    return steps


def getitem_of_array(x: Any, index: Any) -> Any:
    """`x[index]` for arrays: one compiled program per layout of indices."""
    if current.value is not EVAL:
        return getitem(x, index)
    kind = index.__class__
    shape = x.shape
    if kind is int and shape and 0 <= index < shape[0]:
        return _row(x, device_scalar(index))
    rows = kind is ArrayImpl and shape and index.dtype.kind in "iu" and index.ndim
    if rows and shape[0]:
        return _indexed(x, _ROWS, index)
    key = _steps_key(shape, index)
    plan = None if key is None else _known_plans.get(key)
    if plan is None:
        plan = _plan(shape, index)
        if key is not None:
            _remember_plan(key, plan)
    layout, values = plan
    return x if layout is None else _indexed(x, layout, *values)


Plan = tuple[Layout | None, Sequence[Any]]
_known_plans: dict[Any, Plan] = {}
register_cache("numpy eager indexing", _known_plans.clear)


def _plan(shape: tuple[int, ...], index: Any) -> Plan:
    """The layout of an index and its values; no layout if it takes all as it is."""
    entries = parse(index, shape)
    check_strict(entries, shape)
    if len(entries) == len(shape) and all(
        type(e) is Run and e.step == 1 and e.length == n for e, n in zip(entries, shape)
    ):
        return None, ()
    return split_entries(entries, shape, clamp=True)


def _remember_plan(key: Any, plan: Plan) -> None:
    if len(_known_plans) >= _MOST_STEPS:
        _known_plans.clear()
    _known_plans[key] = plan


_ROWS: Layout = (("places",),)


@eager_jit
def _row(x: Any, place: Any) -> Any:
    shape = typeof(x).shape
    zero = np.int32(0)
    starts = (place, *[zero] * (len(shape) - 1))
    row = lax.dynamic_slice_p.bind(
        x, *_one_dtype(list(starts)), slice_sizes=(1, *shape[1:])
    )
    return lax.squeeze(row, (0,))


@eager_jit(static_argnums=1)
def _indexed(x: Any, layout: Layout, *values: Any) -> Any:
    return take_entries(x, _covering(layout, values, typeof(x).shape))


def _covering(
    layout: Layout, values: Sequence[Any], shape: tuple[int, ...]
) -> list[Entry]:
    entries = join_entries(layout, values)
    used = sum(not isinstance(entry, New | Mask) for entry in entries)
    return [*entries, *[Run(0, size, 1) for size in shape[used:]]]


def get(
    x: Any,
    index: Any,
    *,
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    mode: Any = None,
    fill_value: Any = None,
    wrap_negative_indices: bool = True,
    strategy: str = "auto",
) -> Any:
    """`x.at[index].get(...)`.

    Raises:
      ValueError: an unknown mode or strategy, or a fill value with axes.
    """
    if strategy not in STRATEGIES:
        raise ArgumentValueError(
            f"The strategies of indexing are {', '.join(map(repr, STRATEGIES))}.",
            f"Found {strategy!r}.",
        )
    if fill_value is not None and np.ndim(fill_value):
        raise ArgumentValueError(
            "A fill value is one number.", f"Found shape {np.shape(fill_value)}."
        )
    parsed, shape = read_mode(mode), typeof(x).shape
    entries = parse(index, shape)
    if mode is None and wrap_negative_indices:
        check_strict(entries, shape)
    if not wrap_negative_indices:
        entries = _unwrapped(index, entries)
    fill = _known_fill(x, fill_value)
    layout, values = split_entries(entries, shape, clamp=False)
    options = (
        parsed.name,
        str(fill),
        int(indices_are_sorted),
        int(unique_indices),
        int(wrap_negative_indices),
        strategy,
    )
    if current.value is not EVAL:
        return _take_with(x, entries, options, fill)
    if strategy == "static_slice":
        return _take_with(x, entries, options, fill)
    return _got(x, layout, options, fill, *values)


def _unwrapped(index: Any, entries: list[Entry]) -> list[Entry]:
    """Entries whose Python ints are as the user wrote them."""
    items = iter(index if isinstance(index, tuple) else (index,))
    written = [item for item in items if isinstance(item, int | np.integer)]
    found = iter(written)
    return [Take(int(next(found))) if type(e) is Take else e for e in entries]


def _known_fill(x: Any, fill_value: Any) -> Any:
    if fill_value is None:
        return None
    if isinstance(fill_value, Tracer):
        raise ArgumentTypeError(
            "A fill value is a known number.", f"Found {fill_value}."
        )
    return np.asarray(fill_value).item()


@eager_jit(static_argnums=(1, 2, 3))
def _got(x: Any, layout: Layout, options: Any, fill: Any, *values: Any) -> Any:
    entries = _covering(layout, values, typeof(x).shape)
    return _take_with(x, entries, options, fill)


def _take_with(x: Any, entries: Sequence[Entry], options: Any, fill: Any) -> Any:
    mode, _, sorted_, unique, wrap, strategy = options
    return take_entries(
        x,
        entries,
        mode=GatherScatterMode[mode],
        fill_value=fill,
        sorted_=bool(sorted_),
        unique=bool(unique),
        wrap=bool(wrap),
        strategy=strategy,
    )


# --- take -----------------------------------------------------------------------------


def take(
    a: Any,
    indices: Any,
    axis: int | None = None,
    out: None = None,
    mode: str | None = None,
    unique_indices: bool = False,
    indices_are_sorted: bool = False,
    fill_value: Any = None,
) -> Any:
    """Elements of `a` along an axis, or of the flattened array.

    Places out of bounds give NaN or the smallest integer; with mode "clip" the edge,
    with "wrap" the place modulo the size.

    >>> import minijax.numpy as jnp
    >>> print(jnp.take(jnp.array([3, 4, 5]), jnp.array([2, 0])))
    [5 3]

    Raises:
      NotImplementedError: mode "raise", or `out`.
    """
    if out is not None or mode == "raise":
        what = "`out`" if out is not None else "mode 'raise'"
        raise NotSupportedError("take returns a new array.", f"Found {what}.")
    fill = _known_fill(a, fill_value)
    options = (mode, str(fill), int(unique_indices), int(indices_are_sorted))
    return _take(a, indices, axis, options, fill)


@eager_jit(static_argnums=(2, 3, 4))
def _take(a: Any, indices: Any, axis: int | None, options: Any, fill: Any) -> Any:
    mode, _, unique, sorted_ = options
    shape = typeof(a).shape
    if axis is None:
        a, axis = lax.reshape(a, (typeof(a).size,)), 0
        shape = typeof(a).shape
    axis = axis + len(shape) if axis < 0 else axis
    if not 0 <= axis < len(shape):
        raise ArgumentValueError(
            f"An axis of an array of {len(shape)} axes is needed.", f"Found {axis}."
        )
    aval = typeof(indices)
    if aval.dtype not in dtypes.INTEGERS and aval.dtype != dtypes.BOOL:
        raise ArgumentValueError("take needs integer indices.", f"Found {aval}.")
    size = shape[axis]
    if size == 0 and aval.size:
        raise IndexError(f"an axis of size 0 has no elements to take: axis {axis}")
    indices = lax.convert_element_type(indices, np.int32)
    if mode == "wrap":
        indices = _modulo(indices, size)
        parsed = GatherScatterMode.PROMISE_IN_BOUNDS
    elif mode == "clip":
        parsed = GatherScatterMode.CLIP
    else:
        parsed = GatherScatterMode.from_any(mode)
    entries: list[Entry] = [Run(0, n, 1) for n in shape]
    entries[axis] = Places(indices)
    found = arrange(entries, shape, wrap=mode not in ("wrap", "clip"))
    return _gather(
        a, found._replace(exact=False), parsed, fill, bool(sorted_), bool(unique)
    )


def _modulo(x: Any, size: int) -> Any:
    n, zero = np.int32(max(size, 1)), np.int32(0)
    rest = lax.rem(x, n)
    return lax.select(lax.lt(rest, zero), lax.add(rest, n), rest)
