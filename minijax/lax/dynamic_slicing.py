"""Blocks whose place is computed: dynamic_slice and dynamic_update_slice.

The start of a block is one scalar operand per axis. It is clamped so that the block
stays inside the array, also under derivatives and vmap. Under vmap blocks start at
different places, so the primitives become a gather and a scatter that clamp.

Source: spec/primitives.md §7, spec/ad.md §4.2, spec/batching.md §3.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lowering
from ..base import dtypes
from ..base.errors import ArgumentTypeError, ArgumentValueError, ShapeMismatchError
from ..base.util import canonicalize_axis, tuple_replace
from ..core import Primitive, ShapedArray, canonical_shape, select_n_p, typeof
from ..interpreters import ad, batching
from .arithmetic import add
from .comparisons import lt
from .conversions import convert
from .definition import define
from .gathering import gather_batch
from .indexing import GatherDimensionNumbers, GatherScatterMode, ScatterDimensionNumbers
from .joining import concatenate, unstack
from .result_types import in_shape, joint_type, require_one_dtype
from .scatter_rules import scatter_batch
from .scattering import scatter_p
from .shapes import broadcast_in_dim, expand_dims, is_array, shape_of, squeeze
from .words import over_words

if TYPE_CHECKING:
    from .typing import Array, ArrayLike

__all__ = [
    "dynamic_index_in_dim",
    "dynamic_slice",
    "dynamic_slice_in_dim",
    "dynamic_slice_p",
    "dynamic_update_index_in_dim",
    "dynamic_update_slice",
    "dynamic_update_slice_in_dim",
    "dynamic_update_slice_p",
]

dynamic_slice_p = Primitive("dynamic_slice")
dynamic_update_slice_p = Primitive("dynamic_update_slice")


# --- the public functions -------------------------------------------------------------


def dynamic_slice(
    operand: ArrayLike,
    start_indices: Array | np.ndarray | Sequence[ArrayLike],
    slice_sizes: Sequence[int],
    *,
    allow_negative_indices: bool | Sequence[bool] = True,
) -> Array:
    """A block of known size at a computed place: T[*s], i[] per axis -> T[*sizes].

    A start that lies too far is moved so that the block fits. Negative starts count
    from the end, where `allow_negative_indices` says so.

    >>> import minijax as mj, numpy as np
    >>> mj.lax.dynamic_slice(np.arange(6), (4,), (3,))
    Array([3, 4, 5], dtype=int32)

    Raises:
      TypeError: starts are not integers of one dtype, or the block does not fit.
      ValueError: not one start and one size per axis.
    """
    indices = _starts(operand, start_indices, allow_negative_indices)
    sizes = canonical_shape(slice_sizes)
    if len(sizes) != len(indices):
        raise ArgumentValueError(
            "dynamic_slice: `slice_sizes` has one entry per axis of the operand.",
            f"Found {sizes} for shape {typeof(operand).shape}.",
        )
    return dynamic_slice_p.bind(operand, *indices, slice_sizes=sizes)


def dynamic_update_slice(
    operand: ArrayLike,
    update: ArrayLike,
    start_indices: Array | np.ndarray | Sequence[ArrayLike],
    *,
    allow_negative_indices: bool | Sequence[bool] = True,
) -> Array:
    """Replace a block at a computed place: T[*s], T[*t], i[] per axis -> T[*s].

    Starts are read as in `dynamic_slice`.

    >>> import minijax as mj, numpy as np
    >>> x = np.arange(4)
    >>> mj.lax.dynamic_update_slice(x, np.array([7, 8]), (1,))
    Array([0, 7, 8, 3], dtype=int32)

    Raises:
      TypeError: starts are not integers of one dtype, or the block does not fit.
      ValueError: not one start per axis.
    """
    indices = _starts(operand, start_indices, allow_negative_indices)
    return dynamic_update_slice_p.bind(operand, update, *indices)


def dynamic_slice_in_dim(
    operand: ArrayLike,
    start_index: ArrayLike,
    slice_size: int,
    axis: int = 0,
    *,
    allow_negative_indices: bool = True,
) -> Array:
    """`dynamic_slice` along one axis: T[*a, n, *b], i[] -> T[*a, slice_size, *b].

    >>> import minijax as mj, numpy as np
    >>> mj.lax.dynamic_slice_in_dim(np.arange(6), 2, 3)
    Array([2, 3, 4], dtype=int32)
    """
    shape = typeof(operand).shape
    axis = canonicalize_axis(axis, len(shape))
    starts, negative = _one_start(axis, len(shape), start_index, allow_negative_indices)
    sizes = tuple_replace(shape, axis, slice_size)
    return dynamic_slice(operand, starts, sizes, allow_negative_indices=negative)


def dynamic_index_in_dim(
    operand: ArrayLike,
    index: ArrayLike,
    axis: int = 0,
    keepdims: bool = True,
    *,
    allow_negative_indices: bool = True,
) -> Array:
    """The element of an axis at a computed index.

    keepdims: whether the axis stays, with size 1.

    >>> import minijax as mj, numpy as np
    >>> mj.lax.dynamic_index_in_dim(np.arange(6), 2, keepdims=False)
    Array(2, dtype=int32)
    """
    block = dynamic_slice_in_dim(
        operand, index, 1, axis, allow_negative_indices=allow_negative_indices
    )
    return block if keepdims else squeeze(block, (axis,))


def dynamic_update_slice_in_dim(
    operand: ArrayLike,
    update: ArrayLike,
    start_index: ArrayLike,
    axis: int,
    *,
    allow_negative_indices: bool = True,
) -> Array:
    """`dynamic_update_slice` along one axis; in the others it starts at 0.

    >>> import minijax as mj, numpy as np
    >>> x = np.arange(4)
    >>> mj.lax.dynamic_update_slice_in_dim(x, np.array([7, 8]), 2, 0)
    Array([0, 1, 7, 8], dtype=int32)
    """
    ndim = typeof(operand).ndim
    axis = canonicalize_axis(axis, ndim)
    starts, negative = _one_start(axis, ndim, start_index, allow_negative_indices)
    return dynamic_update_slice(
        operand, update, starts, allow_negative_indices=negative
    )


def dynamic_update_index_in_dim(
    operand: ArrayLike,
    update: ArrayLike,
    index: ArrayLike,
    axis: int,
    *,
    allow_negative_indices: bool = True,
) -> Array:
    """Replace the element of an axis at a computed index; `update` may lack the axis.

    >>> import minijax as mj, numpy as np
    >>> mj.lax.dynamic_update_index_in_dim(np.arange(3), 7, 1, 0)
    Array([0, 7, 2], dtype=int32)
    """
    ndim = typeof(operand).ndim
    axis = canonicalize_axis(axis, ndim)
    if typeof(update).ndim != ndim:
        update = expand_dims(update, (axis,))
    return dynamic_update_slice_in_dim(
        operand, update, index, axis, allow_negative_indices=allow_negative_indices
    )


# --- reading the starts ---------------------------------------------------------------


def _one_start(
    axis: int, ndim: int, start: Any, negative: bool
) -> tuple[list[Any], list[bool]]:
    """Starts that are 0 but in one axis, and in which of them negative ones count."""
    starts = [start if a == axis else 0 for a in range(ndim)]
    return starts, [negative and a == axis for a in range(ndim)]


def _starts(operand: Any, starts: Any, negative: bool | Sequence[bool]) -> list[Any]:
    """One integer scalar per axis of the operand, all of one dtype, none negative that
    is known or may not be."""
    shape = typeof(operand).shape
    starts = _as_scalars(starts)
    counting = (
        [negative] * len(starts) if isinstance(negative, bool) else list(negative)
    )
    if len(starts) != len(shape) or len(counting) != len(shape):
        raise ArgumentValueError(
            "A start is needed for each axis of the operand.",
            f"Found {len(starts)} for shape {shape}.",
        )
    if not starts:
        return []
    dtype = _index_dtype(starts, shape)
    return [
        _counted_from_start(_as_index(start, dtype), size, count)
        for start, size, count in zip(starts, shape, counting, strict=True)
    ]


def _as_scalars(starts: Any) -> Sequence[Any]:
    if not (is_array(starts) or isinstance(starts, np.ndarray)):
        return starts
    if starts.ndim != 1:
        raise ArgumentValueError(
            "The starts of a block are a sequence, or an array with one axis.",
            f"Found an array of shape {starts.shape}.",
        )
    return unstack(starts) if is_array(starts) else list(starts)


def _index_dtype(starts: Sequence[Any], shape: Sequence[int]) -> Any:
    """The dtype of all starts: Python ints adapt to the others."""
    given = {typeof(start).dtype for start in starts if not _is_python_int(start)}
    if len(given) > 1 or not all(dtype.kind in "iu" for dtype in given):
        raise ArgumentTypeError(
            "The starts of a block are integers of one dtype.",
            f"Found {', '.join(sorted(str(dtype) for dtype in given))}.",
        )
    dtype = next(iter(given), dtypes.default_int())
    if max(shape, default=0) > int(dtypes.iinfo(dtype).max):
        # Counting from the end would overflow.
        return dtypes.default_int()
    return dtype


def _is_python_int(x: Any) -> bool:
    return isinstance(x, int) and not isinstance(x, bool)


def _as_index(start: Any, dtype: Any) -> Any:
    if _is_python_int(start):
        dtypes.check_int_fits(start, dtype)
        return dtype.type(start)
    if isinstance(start, np.generic | np.ndarray) and not start.shape:
        return start.astype(dtype)[()]
    return start if typeof(start).dtype == dtype else convert(start, dtype)


def _counted_from_start(index: Any, size: int, may_be_negative: bool) -> Any:
    dtype = typeof(index).dtype
    if not may_be_negative or dtype.kind == "u":
        return index
    if isinstance(index, np.generic):
        known = int(index)
        return dtype.type(known + size) if known < 0 else index
    is_negative = lt(index, dtype.type(0))
    shifted = add(convert(index, dtype), dtype.type(size))
    return select_n_p.bind(is_negative, index, shifted)


def _check_starts(function: str, starts: Sequence[ShapedArray], ndim: int) -> None:
    if len(starts) != ndim:
        raise ArgumentValueError(
            f"{function} needs one start per axis.", f"Found {len(starts)}, not {ndim}."
        )
    if any(start.shape for start in starts):
        raise ShapeMismatchError(function, [s.shape for s in starts], "scalar starts")
    kinds = {start.dtype for start in starts}
    if len(kinds) > 1 or any(dtype.kind not in "iu" for dtype in kinds):
        raise ArgumentTypeError(
            f"{function} needs starts that are integers of one dtype.",
            f"Found {', '.join(sorted(str(dtype) for dtype in kinds))}.",
        )


def _stacked_starts(starts: Sequence[Any], axes: Sequence[Any]) -> tuple[Any, Any]:
    """The starts as one index vector, and its batch axis: i[n], None or i[b, n], 0."""
    batched = any(axis is not None for axis in axes)
    if not starts:
        return np.zeros((0,), np.int32), None
    lead = (batching.size_of(starts, axes),) if batched else ()
    columns = [
        broadcast_in_dim(start, (*lead, 1), () if axis is None else (0,))
        for start, axis in zip(starts, axes, strict=True)
    ]
    return concatenate(columns, len(lead)), 0 if batched else None


# --- dynamic_slice --------------------------------------------------------------------


def _dynamic_slice_type(
    operand: ShapedArray, *starts: ShapedArray, slice_sizes: Any
) -> ShapedArray:
    _check_starts("dynamic_slice", starts, operand.ndim)
    if len(slice_sizes) != operand.ndim or not all(
        0 <= taken <= size
        for taken, size in zip(slice_sizes, operand.shape, strict=True)
    ):
        raise ArgumentTypeError(
            "dynamic_slice: each slice size is from 0 to the size of its axis.",
            f"Found {slice_sizes} for shape {operand.shape}.",
        )
    return joint_type(
        [operand, *starts],
        slice_sizes,
        dtype=operand.dtype,
        weak_type=operand.weak_type,
    )


def _dynamic_slice_jvp(
    primals: Any, tangents: Any, *, slice_sizes: Any
) -> tuple[Any, Any]:
    x_dot, starts = tangents[0], primals[1:]
    if type(x_dot) is not ad.Zero:
        x_dot = dynamic_slice_p.bind(x_dot, *starts, slice_sizes=slice_sizes)
    out = dynamic_slice_p.bind(*primals, slice_sizes=slice_sizes)
    return out, ad.Zero.from_primal(out) if type(x_dot) is ad.Zero else x_dot


def _dynamic_slice_transpose(
    y_bar: Any, x: Any, *starts: Any, slice_sizes: Any
) -> list[Any]:
    zeros = ad.zeros_of(x.aval)
    return [dynamic_update_slice_p.bind(zeros, y_bar, *starts), *[None] * len(starts)]


def _dynamic_slice_batch(
    operands: Any, axes: Any, *, slice_sizes: Any
) -> tuple[Any, int]:
    x, *starts = operands
    indices, index_axis = _stacked_starts(starts, axes[1:])
    every = tuple(range(len(starts)))
    numbers = GatherDimensionNumbers(
        offset_dims=every, collapsed_slice_dims=(), start_index_map=every
    )
    return gather_batch(
        (x, indices),
        (axes[0], index_axis),
        dimension_numbers=numbers,
        slice_sizes=slice_sizes,
        unique_indices=True,
        indices_are_sorted=True,
        mode=GatherScatterMode.CLIP,
        fill_value=None,
    )


def _dynamic_slice_lower(ctx: Any, x: Any, *starts: Any, slice_sizes: Any) -> list[Any]:
    sizes = lowering.i64_array(slice_sizes)
    out = ctx.avals_out[0]
    return [ctx.op("stablehlo.dynamic_slice", [x, *starts], out, slice_sizes=sizes)]


define(
    dynamic_slice_p,
    abstract_eval=_dynamic_slice_type,
    jvp=_dynamic_slice_jvp,
    transpose=_dynamic_slice_transpose,
    batch=_dynamic_slice_batch,
    lower=over_words(_dynamic_slice_lower),
)


# --- dynamic_update_slice -------------------------------------------------------------


def _dynamic_update_slice_type(
    operand: ShapedArray, update: ShapedArray, *starts: ShapedArray
) -> ShapedArray:
    require_one_dtype("dynamic_update_slice", (operand, update))
    if update.ndim != operand.ndim or any(
        new > old for new, old in zip(update.shape, operand.shape, strict=True)
    ):
        shapes = (operand.shape, update.shape)
        rule = "an update of as many axes, none larger than the operand's"
        raise ShapeMismatchError("dynamic_update_slice", shapes, rule)
    _check_starts("dynamic_update_slice", starts, operand.ndim)
    return joint_type(
        [operand, update, *starts], operand.shape, dtype=operand.dtype, weak_type=False
    )


def _dynamic_update_slice_jvp(primals: Any, tangents: Any) -> tuple[Any, Any]:
    starts = primals[2:]
    out = dynamic_update_slice_p.bind(*primals)
    x_dot, update_dot = tangents[:2]
    if type(x_dot) is ad.Zero and type(update_dot) is ad.Zero:
        return out, ad.Zero.from_primal(out)
    moved = ad.instantiate_zeros(x_dot), ad.instantiate_zeros(update_dot)
    return out, dynamic_update_slice_p.bind(*moved, *starts)


def _dynamic_update_slice_transpose(
    y_bar: Any, x: Any, update: Any, *starts: Any
) -> list[Any]:
    x_bar = update_bar = None
    shape = shape_of(update)
    if ad.is_undefined_primal(x):  # what was overwritten has no influence
        zeros = ad.zeros_of(in_shape(typeof(y_bar), shape))
        x_bar = dynamic_update_slice_p.bind(y_bar, zeros, *starts)
    if ad.is_undefined_primal(update):
        update_bar = dynamic_slice_p.bind(y_bar, *starts, slice_sizes=shape)
    return [x_bar, update_bar, *[None] * len(starts)]


def _dynamic_update_slice_batch(axis: Any, operands: Any, axes: Any) -> tuple[Any, int]:
    x, update, *starts = operands
    indices, index_axis = _stacked_starts(starts, axes[2:])
    every = tuple(range(len(starts)))
    numbers = ScatterDimensionNumbers(
        update_window_dims=every,
        inserted_window_dims=(),
        scatter_dims_to_operand_dims=every,
    )
    return scatter_batch(scatter_p)(
        axis,
        (x, indices, update),
        (axes[0], index_axis, axes[1]),
        dimension_numbers=numbers,
        indices_are_sorted=True,
        unique_indices=True,
        mode=GatherScatterMode.CLIP,
        update_jaxpr=None,
        update_consts=(),
    )


def _dynamic_update_slice_lower(
    ctx: Any, x: Any, update: Any, *starts: Any
) -> list[Any]:
    operands = [x, update, *starts]
    return [ctx.op("stablehlo.dynamic_update_slice", operands, ctx.avals_out[0])]


define(
    dynamic_update_slice_p,
    abstract_eval=_dynamic_update_slice_type,
    jvp=_dynamic_update_slice_jvp,
    transpose=_dynamic_update_slice_transpose,
    batch=batching.with_axis(_dynamic_update_slice_batch),
    lower=over_words(_dynamic_update_slice_lower),
)
