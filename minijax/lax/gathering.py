"""gather: windows of an array at computed places.

Source: spec/primitives.md §7, spec/ad.md §4.2, spec/batching.md §3.5,
spec/lowering.md §14.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lowering
from ..base import dtypes
from ..base.errors import ArgumentTypeError
from ..base.util import canonicalize_axes
from ..core import Primitive, ShapedArray, select_n_p, typeof
from ..interpreters import ad, batching
from .arithmetic import add
from .bits import bitwise_and
from .comparisons import ge, le, lt
from .conversions import convert
from .definition import define
from .elementwise import rem
from .indexing import (
    GatherDimensionNumbers,
    GatherScatterMode,
    ModeLike,
    canonical_numbers,
    check_axes_of,
    check_indices,
    mapped_numbers,
    scatter_add_p,
    to_scatter,
)
from .joining import concatenate, unstack
from .reductions import reduce_and
from .result_types import joint_type, plain_ints
from .shapes import broadcast_in_dim, expand_dims
from .updates import update_program
from .words import over_words

if TYPE_CHECKING:
    from .typing import Array, ArrayLike

__all__ = [
    "gather",
    "gather_p",
    "index_take",
]

gather_p = Primitive("gather")

# One object: params are compared, and NaN equals only itself by identity.
_NAN = float("nan")


def gather(
    operand: ArrayLike,
    start_indices: ArrayLike,
    dimension_numbers: GatherDimensionNumbers,
    slice_sizes: Sequence[int],
    *,
    unique_indices: bool = False,
    indices_are_sorted: bool = False,
    mode: ModeLike = None,
    fill_value: Any = None,
) -> Array:
    """Windows of known size at computed places: T[*s], i[*b, n] -> T[*b and offsets].

    dimension_numbers: what the axes mean. unique_indices, indices_are_sorted: promises
    that make it faster. mode: what to do with windows that stick out; by default they
    are promised not to. fill_value: what fills them in mode "fill"; by default NaN, the
    smallest integer, the largest unsigned one, or True.

    >>> import minijax as mj, numpy as np
    >>> rows = mj.lax.GatherDimensionNumbers((1,), (0,), (0,))
    >>> x = np.arange(6).reshape(3, 2)
    >>> mj.lax.gather(x, np.array([[2], [0]]), rows, (1, 2))
    Array([[4, 5],
           [0, 1]], dtype=int32)

    Raises:
      TypeError: dimension numbers and shapes do not fit.
      ValueError: indices are no integers, or the mode is unknown.
    """
    parsed = (
        GatherScatterMode.PROMISE_IN_BOUNDS
        if mode is None
        else GatherScatterMode.from_any(mode)
    )
    fill = None
    if parsed is GatherScatterMode.FILL_OR_DROP:
        dtype = typeof(operand).dtype
        fill = _default_fill(dtype) if fill_value is None else _host_scalar(fill_value)
    return gather_p.bind(
        operand,
        start_indices,
        dimension_numbers=canonical_numbers(dimension_numbers),
        slice_sizes=plain_ints(slice_sizes),
        unique_indices=bool(unique_indices),
        indices_are_sorted=bool(indices_are_sorted),
        mode=parsed,
        fill_value=fill,
    )


def index_take(src: Array, idxs: Array, axes: Sequence[int]) -> Array:
    """Elements at positions along some axes: T[*s], i[len(axes), n] -> T[n, *others].

    Positions wrap around. The axes taken are replaced by one, which comes first.

    >>> import minijax as mj, numpy as np
    >>> x = np.arange(6).reshape(2, 3)
    >>> mj.lax.index_take(x, np.array([[1, 0], [2, -1]]), (0, 1))
    Array([5, 2], dtype=int32)
    """
    shape = typeof(src).shape
    axes = canonicalize_axes(axes, len(shape))
    rows = idxs if isinstance(idxs, Sequence) else unstack(idxs)
    columns = [expand_dims(positions, (1,)) for positions in rows]
    indices = concatenate(columns, 1)
    dtype = typeof(indices).dtype
    sizes = np.array([[shape[axis] for axis in axes]], dtype)
    wrapped = rem(indices, sizes)
    before = lt(wrapped, dtype.type(0))
    wrapped = select_n_p.bind(before, wrapped, add(wrapped, sizes))
    numbers = GatherDimensionNumbers(
        offset_dims=tuple(range(1, len(shape) - len(axes) + 1)),
        collapsed_slice_dims=tuple(sorted(axes)),
        start_index_map=axes,
    )
    windows = [1 if axis in axes else size for axis, size in enumerate(shape)]
    return gather(src, wrapped, numbers, windows)


def _default_fill(dtype: Any) -> Any:
    if dtype in dtypes.INEXACT:
        return _NAN
    if dtype == dtypes.BOOL:
        return True
    limits = dtypes.iinfo(dtypes.physical_dtype(dtype))
    return int(limits.min if dtype in dtypes.SIGNED else limits.max)


def _host_scalar(value: Any) -> Any:
    """A Python number for an array without axes: params are hashable."""
    if isinstance(value, np.generic | np.ndarray):
        value = value.item()
    return _NAN if isinstance(value, float) and value != value else value


# --- the type -------------------------------------------------------------------------


def _gather_type(
    operand: ShapedArray,
    indices: ShapedArray,
    *,
    dimension_numbers: GatherDimensionNumbers,
    slice_sizes: tuple[int, ...],
    **params: Any,
) -> ShapedArray:
    check_indices("gather", operand, indices, dimension_numbers)
    offset_dims = dimension_numbers.offset_dims
    ndim = len(offset_dims) + indices.ndim - 1
    check_axes_of("gather", "offset_dims", offset_dims, ndim)
    sizes = _offset_sizes(operand, dimension_numbers, slice_sizes)
    windows, places = iter(sizes), iter(indices.shape[:-1])
    shape = [next(windows if axis in offset_dims else places) for axis in range(ndim)]
    return joint_type(
        [operand, indices], shape, dtype=operand.dtype, weak_type=operand.weak_type
    )


def _offset_sizes(
    operand: ShapedArray, numbers: GatherDimensionNumbers, slice_sizes: tuple[int, ...]
) -> list[int]:
    """The sizes of the window axes that the result keeps. Raises: TypeError."""
    if len(slice_sizes) != operand.ndim or not all(
        0 <= taken <= size
        for taken, size in zip(slice_sizes, operand.shape, strict=True)
    ):
        raise ArgumentTypeError(
            "gather: each slice size is from 0 to the size of its axis.",
            f"Found {slice_sizes} for shape {operand.shape}.",
        )
    dropped = {*numbers.collapsed_slice_dims, *numbers.operand_batching_dims}
    if any(slice_sizes[axis] > 1 for axis in dropped):
        raise ArgumentTypeError(
            "gather: the slice size of a collapsed or batching axis is at most 1.",
            f"Found {slice_sizes} and axes {sorted(dropped)}.",
        )
    sizes = [size for axis, size in enumerate(slice_sizes) if axis not in dropped]
    if len(sizes) != len(numbers.offset_dims):
        raise ArgumentTypeError(
            "gather: `offset_dims` has one axis per window axis that is kept.",
            f"Found {numbers.offset_dims} for windows {tuple(sizes)}.",
        )
    return sizes


# --- derivatives ----------------------------------------------------------------------


def _gather_partial(x_dot: Any, x: Any, indices: Any, **params: Any) -> Any:
    # Windows that are filled do not move.
    fill = 0 if params["mode"] is GatherScatterMode.FILL_OR_DROP else None
    return gather_p.bind(x_dot, indices, **{**params, "fill_value": fill})


def _gather_transpose(
    y_bar: Any,
    x: Any,
    indices: Any,
    *,
    dimension_numbers: GatherDimensionNumbers,
    slice_sizes: Any,
    unique_indices: bool,
    indices_are_sorted: bool,
    mode: GatherScatterMode,
    fill_value: Any,
) -> list[Any]:
    x_bar = scatter_add_p.bind(
        ad.zeros_of(x.aval),
        indices,
        y_bar,
        dimension_numbers=to_scatter(dimension_numbers),
        indices_are_sorted=indices_are_sorted,
        unique_indices=unique_indices,
        mode=mode,
        update_jaxpr=update_program("add", x.aval.dtype),
        update_consts=(),
    )
    return [x_bar, None]


# --- vmap -----------------------------------------------------------------------------


def gather_batch(
    operands: Any, axes: Any, *, dimension_numbers: Any, slice_sizes: Any, **params: Any
) -> tuple[Any, int]:
    """The batch rule of gather, for primitives that become one under vmap."""
    (x, indices), (x_axis, index_axis) = operands, axes
    numbers = mapped_numbers(
        dimension_numbers,
        operand_mapped=x_axis is not None,
        indices_mapped=index_axis is not None,
    )
    if x_axis is not None:
        x = batching.moveaxis(x, x_axis, 0)
    if index_axis is not None:
        indices = batching.moveaxis(indices, index_axis, 0)
    if x_axis is None:
        # Windows of different examples may be the same or in any order.
        params = {**params, "unique_indices": False, "indices_are_sorted": False}
    else:
        size = typeof(x).shape[0]
        slice_sizes = (min(size, 1) if index_axis is not None else size, *slice_sizes)
    out = gather_p.bind(
        x, indices, dimension_numbers=numbers, slice_sizes=slice_sizes, **params
    )
    return out, 0


# --- lowering -------------------------------------------------------------------------


def _in_bounds(x: Any, indices: Any, numbers: Any, slice_sizes: Any) -> Any:
    """bool[*b]: which windows lie inside the operand."""
    shape = typeof(x).shape
    limits = [shape[axis] - slice_sizes[axis] for axis in numbers.start_index_map]
    dtype = typeof(indices).dtype
    last = typeof(indices).ndim - 1
    upper = broadcast_in_dim(np.array(limits, dtype), typeof(indices).shape, (last,))
    inside = bitwise_and(ge(indices, dtype.type(0)), le(indices, upper))
    return reduce_and(inside, (last,))


def _wide_enough(indices: Any, shape: Sequence[int]) -> Any:
    """Indices in a dtype that can name every place of an operand of this shape."""
    dtype = typeof(indices).dtype
    largest = max(shape, default=0)
    if largest <= dtypes.iinfo(dtype).max:
        return indices
    wide = np.int32 if largest <= dtypes.iinfo(np.int32).max else np.int64
    return convert(indices, np.dtype(wide))


def _filled_gather(
    x: Any, indices: Any, *, dimension_numbers: Any, fill_value: Any, **params: Any
) -> Any:
    indices = _wide_enough(indices, typeof(x).shape)
    inside = _in_bounds(x, indices, dimension_numbers, params["slice_sizes"])
    params["mode"] = GatherScatterMode.CLIP
    out = gather_p.bind(
        x, indices, dimension_numbers=dimension_numbers, fill_value=None, **params
    )
    aval = typeof(out)
    windows = dimension_numbers.offset_dims
    places = [axis for axis in range(aval.ndim) if axis not in windows]
    mask = broadcast_in_dim(inside, aval.shape, places)
    fill = broadcast_in_dim(aval.dtype.type(fill_value), aval.shape, ())
    return select_n_p.bind(mask, fill, out)


_filled_gather_lower = lowering.lower_function(_filled_gather)


def _gather_lower(ctx: Any, x: Any, indices: Any, **params: Any) -> Sequence[Any]:
    if params["mode"] is GatherScatterMode.FILL_OR_DROP:
        return _filled_gather_lower(ctx, x, indices, **params)
    numbers = params["dimension_numbers"]
    out = ctx.op(
        "stablehlo.gather",
        [x, indices],
        ctx.avals_out[0],
        dimension_numbers=_gather_attribute(numbers, ctx.avals_in[1].ndim - 1),
        slice_sizes=lowering.i64_array(params["slice_sizes"]),
        indices_are_sorted=lowering.bool_attr(params["indices_are_sorted"]),
    )
    return [out]


def _gather_attribute(numbers: GatherDimensionNumbers, vector_dim: int) -> Any:
    fields = ", ".join(
        f"{name} = {list(axes)}" for name, axes in zip(numbers._fields, numbers)
    )
    return lowering.parse_attr(
        f"#stablehlo.gather<{fields}, index_vector_dim = {vector_dim}>"
    )


define(
    gather_p,
    abstract_eval=_gather_type,
    jvp=ad.partials(gather_p, _gather_partial, None),
    transpose=_gather_transpose,
    batch=gather_batch,
    lower=over_words(_gather_lower),
)
