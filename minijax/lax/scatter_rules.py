"""What all scatters answer alike: types, vmap and lowering.

They differ in how an old and a new element are combined, which `update_jaxpr` says, and
in their derivatives, which are in `scattering.py`.

Source: spec/primitives.md §7, spec/batching.md §3.5, spec/lowering.md §14.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import lowering
from ..base import dtypes
from ..base.errors import ArgumentTypeError
from ..core import Primitive, ShapedArray, typeof
from ..interpreters import batching
from .gathering import gather
from .indexing import (
    GatherScatterMode,
    ScatterDimensionNumbers,
    check_axes_of,
    check_indices,
    mapped_numbers,
    to_gather,
)
from .result_types import joint_type, require_one_dtype
from .selection import clamp
from .shapes import broadcast_in_dim

# --- the type -------------------------------------------------------------------------


def scatter_type(
    operand: ShapedArray,
    indices: ShapedArray,
    updates: ShapedArray,
    *,
    dimension_numbers: ScatterDimensionNumbers,
    **params: Any,
) -> ShapedArray:
    require_one_dtype("scatter", (operand, updates))
    check_indices("scatter", operand, indices, dimension_numbers)
    _check_updates(operand, indices, updates, dimension_numbers)
    return joint_type(
        [operand, indices, updates],
        operand.shape,
        dtype=operand.dtype,
        weak_type=operand.weak_type,
    )


def _check_updates(
    operand: ShapedArray,
    indices: ShapedArray,
    updates: ShapedArray,
    numbers: ScatterDimensionNumbers,
) -> None:
    """Raises: TypeError unless the updates are one window per index vector."""
    windows = numbers.update_window_dims
    ndim = indices.ndim - 1 + len(windows)
    check_axes_of("scatter", "update_window_dims", windows, ndim)
    kept = _window_axes(operand.ndim, numbers)
    if updates.ndim != ndim or len(kept) != len(windows):
        raise ArgumentTypeError(
            "scatter: the updates have the axes of the indices but the last, and one "
            "per window axis of the operand.",
            f"Found updates {updates.shape} for operand {operand.shape}, indices "
            f"{indices.shape} and {numbers}.",
        )
    sizes = [(updates.shape[w], operand.shape[k]) for w, k in zip(windows, kept)]
    if any(new > old for new, old in sizes):
        raise ArgumentTypeError(
            "scatter: no window is larger than the operand.",
            f"Found updates {updates.shape} for operand {operand.shape}.",
        )
    places = [n for axis, n in enumerate(updates.shape) if axis not in windows]
    if places != list(indices.shape[:-1]):
        raise ArgumentTypeError(
            "scatter: the updates have one window per index vector.",
            f"Found updates {updates.shape} for indices {indices.shape}.",
        )


def _window_axes(ndim: int, numbers: ScatterDimensionNumbers) -> list[int]:
    """The axes of the operand that the windows of the updates have."""
    dropped = {*numbers.inserted_window_dims, *numbers.operand_batching_dims}
    return [axis for axis in range(ndim) if axis not in dropped]


def windows_at(
    x: Any,
    indices: Any,
    updates_shape: Sequence[int],
    numbers: ScatterDimensionNumbers,
    mode: GatherScatterMode | None = None,
    fill_value: Any = None,
) -> Any:
    """The elements of `x` where a scatter puts updates of this shape."""
    ndim = typeof(x).ndim
    sizes = [1] * ndim
    windows = numbers.update_window_dims
    for axis, window in zip(_window_axes(ndim, numbers), windows, strict=True):
        sizes[axis] = updates_shape[window]
    return gather(
        x, indices, to_gather(numbers), sizes, mode=mode, fill_value=fill_value
    )


# --- vmap -----------------------------------------------------------------------------


def scatter_batch(primitive: Primitive) -> Callable[..., tuple[Any, int]]:
    """The batch rule of a scatter; for primitives that become one under vmap too.

    The examples write into different slices of the operand, so whatever was promised
    about the indices stays true.
    """

    def rule(
        axis: Any, operands: Any, axes: Any, *, dimension_numbers: Any, **params: Any
    ) -> tuple[Any, int]:
        (x, indices, updates), (x_axis, index_axis, update_axis) = operands, axes
        numbers = mapped_numbers(
            dimension_numbers,
            operand_mapped=True,
            indices_mapped=index_axis is not None,
        )
        x = batching.at_front(x, x_axis, axis.size)
        updates = batching.at_front(updates, update_axis, axis.size)
        if index_axis is not None:
            indices = batching.moveaxis(indices, index_axis, 0)
        out = primitive.bind(x, indices, updates, dimension_numbers=numbers, **params)
        return out, 0

    return rule


# --- lowering -------------------------------------------------------------------------


def _clipped(
    x: Any, indices: Any, updates: Any, *, dimension_numbers: ScatterDimensionNumbers
) -> Any:
    """The indices, moved so that every window lies inside the operand."""
    shape, dtype = typeof(x).shape, typeof(indices).dtype
    windows = dict.fromkeys(range(len(shape)), 1)
    kept = _window_axes(len(shape), dimension_numbers)
    for axis, window in zip(kept, dimension_numbers.update_window_dims):
        windows[axis] = typeof(updates).shape[window]
    largest = int(dtypes.iinfo(dtype).max)
    limits = [
        min(shape[axis] - windows[axis], largest)
        for axis in dimension_numbers.scatter_dims_to_operand_dims
    ]
    aval = typeof(indices)
    upper = broadcast_in_dim(np.array(limits, dtype), aval.shape, (aval.ndim - 1,))
    return clamp(dtype.type(0), indices, upper)


_clipped_lower = lowering.lower_function(_clipped)


def scatter_lower(
    ctx: Any,
    x: Any,
    indices: Any,
    updates: Any,
    *,
    dimension_numbers: ScatterDimensionNumbers,
    indices_are_sorted: bool,
    unique_indices: bool,
    mode: GatherScatterMode,
    update_jaxpr: Any,
    update_consts: Any,
) -> Sequence[Any]:
    if mode is GatherScatterMode.CLIP:
        (indices,) = _clipped_lower(
            ctx, x, indices, updates, dimension_numbers=dimension_numbers
        )
    operand_type, indices_type, _ = ctx.avals_in
    element = operand_type.strip_weak_type().update(shape=())

    def combine(inner: Any, old: Any, new: Any) -> Sequence[Any]:
        if update_jaxpr is None:
            return [new]
        consts = [
            inner.constant(const, var.aval)
            for const, var in zip(update_jaxpr.consts, update_jaxpr.constvars)
        ]
        return inner.inline(update_jaxpr, [*consts, old, new])

    attributes = {
        "scatter_dimension_numbers": _scatter_attribute(
            dimension_numbers, indices_type.ndim - 1
        ),
        "indices_are_sorted": lowering.bool_attr(indices_are_sorted),
        "unique_indices": lowering.bool_attr(unique_indices),
    }
    return ctx.op_with_regions(
        "stablehlo.scatter",
        [x, indices, updates],
        [ctx.avals_out[0]],
        attributes,
        [([element, element], combine)],
    )


def _scatter_attribute(numbers: ScatterDimensionNumbers, vector_dim: int) -> Any:
    names = (
        "update_window_dims",
        "inserted_window_dims",
        "scatter_dims_to_operand_dims",
        "input_batching_dims",
        "scatter_indices_batching_dims",
    )
    fields = ", ".join(f"{name} = {list(axes)}" for name, axes in zip(names, numbers))
    return lowering.parse_attr(
        f"#stablehlo.scatter<{fields}, index_vector_dim = {vector_dim}>"
    )
