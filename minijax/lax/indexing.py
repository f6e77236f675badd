"""The vocabulary of gather and scatter: which axes an index vector speaks of.

Both read `indices` as vectors along its last axis, one per window. A window is a block
of the operand; some of its axes have size 1 and are dropped (collapsed, inserted), some
are walked through together with an axis of `indices` (batching).

Source: spec/primitives.md §7, spec/lowering.md §14.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..base.errors import ArgumentTypeError, ArgumentValueError
from ..core import Primitive, ShapedArray
from .result_types import plain_ints

__all__ = [
    "GatherDimensionNumbers",
    "GatherScatterMode",
    "ScatterDimensionNumbers",
    "scatter_add_p",
]

# Named here because gather's transpose is a scatter-add, whose own is a gather.
scatter_add_p = Primitive("scatter-add")


class GatherScatterMode(enum.Enum):
    """What happens to windows that are not wholly inside the operand.

    CLIP: they are moved to fit. FILL_OR_DROP: a gather fills them with one value, a
    scatter leaves them out. PROMISE_IN_BOUNDS: the caller knows there are none; if
    there are, the result is whatever the machine does. ONE_HOT: as PROMISE_IN_BOUNDS,
    and the compiler may multiply by a one-hot matrix instead.
    """

    CLIP = enum.auto()
    FILL_OR_DROP = enum.auto()
    PROMISE_IN_BOUNDS = enum.auto()
    ONE_HOT = enum.auto()

    @staticmethod
    def from_any(mode: str | GatherScatterMode | None) -> GatherScatterMode:
        """The mode of a name: clip, fill, drop, promise_in_bounds, one_hot.

        None is FILL_OR_DROP. Raises: ValueError for any other name.
        """
        if isinstance(mode, GatherScatterMode):
            return mode
        if mode in _MODES:
            return _MODES[mode]
        known = ", ".join(repr(name) for name in _MODES if name)
        raise ArgumentValueError(
            f"A mode of gather and scatter is one of {known}, or None.",
            f"Found {mode!r}.",
            "Wrap indices around yourself: `indices % size`.",
        )


_MODES: dict[str | None, GatherScatterMode] = {
    None: GatherScatterMode.FILL_OR_DROP,
    "clip": GatherScatterMode.CLIP,
    "fill": GatherScatterMode.FILL_OR_DROP,
    "drop": GatherScatterMode.FILL_OR_DROP,
    "promise_in_bounds": GatherScatterMode.PROMISE_IN_BOUNDS,
    "one_hot": GatherScatterMode.ONE_HOT,
}


type Axes = tuple[int, ...]


class GatherDimensionNumbers(NamedTuple):
    """What the axes of a gather mean."""

    # Axes of the result that walk through a window.
    offset_dims: Axes
    # Axes of the operand whose window size is 1 and that the result lacks.
    collapsed_slice_dims: Axes
    # The axis of the operand that each entry of an index vector speaks of.
    start_index_map: Axes
    # Axes of the operand and of the indices that are walked through together.
    operand_batching_dims: Axes = ()
    start_indices_batching_dims: Axes = ()


class ScatterDimensionNumbers(NamedTuple):
    """What the axes of a scatter mean."""

    # Axes of the updates that walk through a window.
    update_window_dims: Axes
    # Axes of the operand whose window size is 1 and that the updates lack.
    inserted_window_dims: Axes
    # The axis of the operand that each entry of an index vector speaks of.
    scatter_dims_to_operand_dims: Axes
    # Axes of the operand and of the indices that are walked through together.
    operand_batching_dims: Axes = ()
    scatter_indices_batching_dims: Axes = ()


type ModeLike = str | GatherScatterMode | None


def canonical_numbers(numbers: Any) -> Any:
    """Dimension numbers whose fields are tuples of Python ints."""
    if all(type(field) is tuple for field in numbers):
        return numbers
    return type(numbers)(*map(plain_ints, numbers))


def to_scatter(numbers: GatherDimensionNumbers) -> ScatterDimensionNumbers:
    """The scatter that puts windows where the gather took them from."""
    return ScatterDimensionNumbers(*numbers)


def to_gather(numbers: ScatterDimensionNumbers) -> GatherDimensionNumbers:
    """The gather that takes windows from where the scatter puts them."""
    return GatherDimensionNumbers(*numbers)


def mapped_numbers(numbers: Any, *, operand_mapped: bool, indices_mapped: bool) -> Any:
    """The numbers once a leading batch axis stands in the operand, the indices or both.

    If only one has it, the axis is a window axis of the operand, or one more axis of
    index vectors; if both have it, it is a batching axis.
    """
    kind = type(numbers)
    window, dropped, index_map, operand_batch, index_batch = numbers

    def up(axes: Sequence[int]) -> tuple[int, ...]:
        return tuple(axis + 1 for axis in axes)

    if operand_mapped and indices_mapped:
        return kind(
            up(window), up(dropped), up(index_map), (0, *up(operand_batch)),
            (0, *up(index_batch)),
        )  # fmt: skip
    if operand_mapped:
        return kind(
            (0, *up(window)), up(dropped), up(index_map), up(operand_batch),
            tuple(index_batch),
        )  # fmt: skip
    return kind(
        up(window), tuple(dropped), tuple(index_map), tuple(operand_batch),
        up(index_batch),
    )  # fmt: skip


# --- checks that both need ------------------------------------------------------------


def check_axes_of(
    function: str,
    name: str,
    axes: Sequence[int],
    ndim: int,
    *,
    in_order: bool = True,
) -> None:
    """Raises: TypeError unless `axes` are distinct axes of `ndim`, in rising order."""
    inside = all(0 <= axis < ndim for axis in axes)
    if not inside or len(set(axes)) != len(axes):
        raise ArgumentTypeError(
            f"{function}: `{name}` are distinct axes from 0 to {ndim - 1}.",
            f"Found {tuple(axes)}.",
        )
    if in_order and list(axes) != sorted(axes):
        raise ArgumentTypeError(
            f"{function}: `{name}` are in rising order.", f"Found {tuple(axes)}."
        )


def check_indices(
    function: str, operand: ShapedArray, indices: ShapedArray, numbers: Any
) -> None:
    """Raises: ValueError for indices that are no integers; TypeError for numbers that
    do not fit the operand and the indices."""
    if indices.dtype.kind not in "iu":
        raise ArgumentValueError(
            f"{function} needs indices of an integer dtype.", f"Found {indices.dtype}."
        )
    if indices.ndim < 1:
        raise ArgumentTypeError(
            f"{function} reads index vectors along the last axis of the indices.",
            "Found indices without axes.",
            "Give them the shape (1,).",
        )
    fields = numbers._fields
    _, dropped, index_map, operand_batch, index_batch = numbers
    check_axes_of(function, fields[1], dropped, operand.ndim)
    check_axes_of(function, fields[2], index_map, operand.ndim, in_order=False)
    check_axes_of(function, fields[3], operand_batch, operand.ndim)
    check_axes_of(function, fields[4], index_batch, indices.ndim - 1, in_order=False)
    _check_roles(function, operand, indices, numbers)


def _check_roles(
    function: str, operand: ShapedArray, indices: ShapedArray, numbers: Any
) -> None:
    fields = numbers._fields
    _, dropped, index_map, operand_batch, index_batch = numbers
    for position, axes in ((1, dropped), (2, index_map)):
        if set(axes) & set(operand_batch):
            raise ArgumentTypeError(
                f"{function}: no axis is in `{fields[position]}` and in `{fields[3]}`.",
                f"Found {tuple(axes)} and {tuple(operand_batch)}.",
            )
    if len(index_map) != indices.shape[-1]:
        raise ArgumentTypeError(
            f"{function}: `{fields[2]}` has one axis per entry of an index vector.",
            f"Found {len(index_map)} axes and indices of shape {indices.shape}.",
        )
    sizes = [operand.shape[axis] for axis in operand_batch]
    if sizes != [indices.shape[axis] for axis in index_batch]:
        raise ArgumentTypeError(
            f"{function}: `{fields[3]}` and `{fields[4]}` pair axes of equal size.",
            f"Found operand {operand.shape}, axes {tuple(operand_batch)}, and indices "
            f"{indices.shape}, axes {tuple(index_batch)}.",
        )
