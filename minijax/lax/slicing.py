"""slice and pad: taking a block of an array, and putting a border around one.

Each is what the other's transpose is made of, which is why they share a file. Blocks
whose place is computed are in `dynamic_slicing.py`.

Source: spec/primitives.md §§5, 7, spec/ad.md §4.2, spec/batching.md §3.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lowering
from ..base.errors import ArgumentIndexError, ArgumentTypeError, ArgumentValueError
from ..base.util import canonicalize_axis, ceil_of_ratio, tuple_insert
from ..core import Primitive, ShapedArray, select_n_p, typeof
from ..interpreters import ad, batching
from .arithmetic import sub
from .definition import define
from .result_types import in_shape, joint_type, plain_ints
from .shapes import broadcast_in_dim, reduced, shape_of, squeeze
from .words import over_words

if TYPE_CHECKING:
    from .typing import Array, ArrayLike

__all__ = [
    "index_in_dim",
    "pad",
    "pad_p",
    "slice",
    "slice_in_dim",
    "slice_p",
]

slice_p = Primitive("slice")
pad_p = Primitive("pad")


# --- slice ----------------------------------------------------------------------------


def slice(
    operand: ArrayLike,
    start_indices: Sequence[int],
    limit_indices: Sequence[int],
    strides: Sequence[int] | None = None,
) -> Array:
    """The elements from start to limit (exclusive) in every axis, by strides.

    >>> import minijax as mj, numpy as np
    >>> mj.lax.slice(np.arange(6), (1,), (6,), (2,))
    Array([1, 3, 5], dtype=int32)

    Raises:
      TypeError: not one entry per axis, or a range that is not inside the array.
    """
    return slice_p.bind(
        operand,
        start_indices=plain_ints(start_indices),
        limit_indices=plain_ints(limit_indices),
        strides=None if strides is None else plain_ints(strides),
    )


def slice_in_dim(
    operand: ArrayLike,
    start_index: int | None,
    limit_index: int | None,
    stride: int = 1,
    axis: int = 0,
) -> Array:
    """`slice` along one axis; None is the end, negative numbers count from it.

    >>> import minijax as mj, numpy as np
    >>> mj.lax.slice_in_dim(np.arange(6), 1, -1)
    Array([1, 2, 3, 4], dtype=int32)

    Raises:
      TypeError: the range is not inside the array.
      ValueError: the array has no such axis.
    """
    shape = typeof(operand).shape
    axis = canonicalize_axis(axis, len(shape))
    size = shape[axis]
    starts, limits, strides = [0] * len(shape), list(shape), [1] * len(shape)
    starts[axis] = _from_end(0 if start_index is None else start_index, size)
    limits[axis] = _from_end(size if limit_index is None else limit_index, size)
    strides[axis] = stride
    return slice(operand, starts, limits, strides)


def index_in_dim(
    operand: ArrayLike, index: int, axis: int = 0, keepdims: bool = True
) -> Array:
    """The element of an axis at a known index: T[*a, n, *b] -> T[*a, 1, *b].

    keepdims: whether the axis stays, with size 1.

    >>> import minijax as mj, numpy as np
    >>> mj.lax.index_in_dim(np.arange(6), -1)
    Array([5], dtype=int32)

    Raises:
      IndexError: the index is out of range.
    """
    shape = typeof(operand).shape
    axis, (index,) = canonicalize_axis(axis, len(shape)), plain_ints((index,))
    size = shape[axis]
    if not -size <= index < size:
        raise ArgumentIndexError(
            f"index_in_dim takes an index of axis {axis}, which has size {size}.",
            f"Found {index}.",
        )
    start = _from_end(index, size)
    block = slice_in_dim(operand, start, start + 1, axis=axis)
    return block if keepdims else squeeze(block, (axis,))


def _from_end(index: int, size: int) -> int:
    return index + size if index < 0 else index


def _slice_type(
    operand: ShapedArray, *, start_indices: Any, limit_indices: Any, strides: Any
) -> ShapedArray:
    shape = operand.shape
    steps = (1,) * len(shape) if strides is None else strides
    for name, values in (
        ("start_indices", start_indices),
        ("limit_indices", limit_indices),
        ("strides", steps),
    ):
        if len(values) != len(shape) or not all(type(v) is int for v in values):
            raise ArgumentTypeError(
                f"slice: `{name}` has one integer per axis of the operand.",
                f"Found {values} for shape {shape}.",
            )
    ranges = list(zip(start_indices, limit_indices, shape, strict=True))
    if not all(0 <= start <= limit <= size for start, limit, size in ranges):
        raise ArgumentTypeError(
            "slice: in every axis 0 <= start <= limit <= size.",
            f"Found {start_indices} to {limit_indices} for shape {shape}.",
        )
    if any(step < 1 for step in steps):
        raise ArgumentTypeError(
            "slice: every stride is at least 1.", f"Found {strides}."
        )
    sizes = [
        ceil_of_ratio(limit - start, step)
        for (start, limit, _), step in zip(ranges, steps, strict=True)
    ]
    return in_shape(operand, sizes)


def _slice_transpose(
    y_bar: Any, x: Any, *, start_indices: Any, limit_indices: Any, strides: Any
) -> list[Any]:
    # Back where it came from, with zeros around and between.
    steps = (1,) * len(start_indices) if strides is None else strides
    sizes = zip(shape_of(x), typeof(y_bar).shape, start_indices, steps, strict=True)
    config = [
        (start, size - start - _padded_size(taken, 0, 0, step - 1), step - 1)
        for size, taken, start, step in sizes
    ]
    return [pad(y_bar, _zero(typeof(y_bar)), config)]


def _slice_batch(
    operands: Any, axes: Any, *, start_indices: Any, limit_indices: Any, strides: Any
) -> tuple[Any, int]:
    (x,), (axis,) = operands, axes
    starts = tuple_insert(start_indices, axis, 0)
    limits = tuple_insert(limit_indices, axis, typeof(x).shape[axis])
    if strides is not None:
        strides = tuple_insert(strides, axis, 1)
    return slice(x, starts, limits, strides), axis


def _slice_lower(
    ctx: Any, x: Any, *, start_indices: Any, limit_indices: Any, strides: Any
) -> list[Any]:
    out = ctx.op(
        "stablehlo.slice",
        [x],
        ctx.avals_out[0],
        start_indices=lowering.i64_array(start_indices),
        limit_indices=lowering.i64_array(limit_indices),
        strides=lowering.i64_array(strides or [1] * len(start_indices)),
    )
    return [out]


define(
    slice_p,
    abstract_eval=_slice_type,
    jvp=ad.linear(slice_p),
    transpose=_slice_transpose,
    batch=_slice_batch,
    lower=over_words(_slice_lower),
)


# --- pad ------------------------------------------------------------------------------


def pad(
    operand: ArrayLike,
    padding_value: ArrayLike,
    padding_config: Sequence[tuple[int, int, int]],
) -> Array:
    """Surround and spread an array with one value: T[*s], T[] -> T[*t].

    padding_config: (low, high, interior) per axis: how many to add before, after, and
    between neighbours. A negative low or high cuts off instead.

    >>> import minijax as mj, numpy as np
    >>> mj.lax.pad(np.arange(3), 9, [(1, -1, 1)])
    Array([9, 0, 9, 1, 9], dtype=int32)

    Raises:
      TypeError: the dtypes differ.
      ValueError: not one entry per axis, a negative interior, or more is cut off than
        there is.
    """
    config = tuple(plain_ints(entry) for entry in padding_config)
    return pad_p.bind(operand, padding_value, padding_config=config)


def _padded_size(size: int, low: int, high: int, interior: int) -> int:
    return low + high + size + max(0, size - 1) * interior


def _pad_type(
    operand: ShapedArray, padding_value: ShapedArray, *, padding_config: Any
) -> ShapedArray:
    if operand.dtype != padding_value.dtype:
        raise ArgumentTypeError(
            "pad needs a padding value of the operand's dtype.",
            f"Found {padding_value.dtype} for an operand of {operand.dtype}.",
        )
    if padding_value.shape:
        raise ArgumentValueError(
            "pad needs a scalar padding value.", f"Found shape {padding_value.shape}."
        )
    if len(padding_config) != operand.ndim or {*map(len, padding_config)} - {3}:
        raise ArgumentValueError(
            "pad: `padding_config` has one (low, high, interior) per axis.",
            f"Found {padding_config} for shape {operand.shape}.",
        )
    if any(interior < 0 for _, _, interior in padding_config):
        raise ArgumentValueError(
            "pad: no interior padding is negative.", f"Found {padding_config}."
        )
    sizes = zip(operand.shape, padding_config, strict=True)
    shape = [_padded_size(size, *entry) for size, entry in sizes]
    if any(size < 0 for size in shape):
        raise ArgumentValueError(
            "pad: negative padding cuts off at most all there is.",
            f"Found {padding_config} for shape {operand.shape}, which leaves {shape}.",
        )
    return joint_type([operand, padding_value], shape)


def _pad_transpose(y_bar: Any, x: Any, value: Any, *, padding_config: Any) -> list[Any]:
    # The cotangent of the operand: cut the border off (or add what was cut, as zeros),
    # then take the elements that are not in the gaps.
    border = tuple((-low, -high, 0) for low, high, _ in padding_config)
    spread = pad(y_bar, _zero(typeof(y_bar)), border)
    strides = [interior + 1 for _, _, interior in padding_config]
    x_bar = slice(spread, [0] * len(border), typeof(spread).shape, strides)
    value_bar = None
    if ad.is_undefined_primal(value):
        # What is not the operand's is the border's.
        value_bar = sub(_total(y_bar), _total(x_bar))
    return [x_bar if ad.is_undefined_primal(x) else None, value_bar]


def _total(x: Any) -> Any:
    return reduced(x, range(typeof(x).ndim))


def _zero(aval: ShapedArray) -> Any:
    return aval.dtype.type(0)


def _pad_batch(operands: Any, axes: Any, *, padding_config: Any) -> tuple[Any, int]:
    x, value = operands
    x_axis, value_axis = axes
    if x_axis is None:
        x_axis = 0
        x = batching.broadcast(x, typeof(value).shape[value_axis], 0)
    config = tuple_insert(padding_config, x_axis, (0, 0, 0))
    if value_axis is None:
        return pad(x, value, config), x_axis
    # One value per example: pad with anything, and select by where the operand went.
    aval = typeof(x)
    padded = pad(x, _zero(aval), config)
    inside = pad(broadcast_in_dim(np.True_, aval.shape, ()), np.False_, config)
    border = broadcast_in_dim(value, typeof(padded).shape, (x_axis,))
    return select_n_p.bind(inside, border, padded), x_axis


def _pad_lower(ctx: Any, x: Any, value: Any, *, padding_config: Any) -> list[Any]:
    low, high, interior = zip(*padding_config) if padding_config else ((), (), ())
    out = ctx.op(
        "stablehlo.pad",
        [x, value],
        ctx.avals_out[0],
        edge_padding_low=lowering.i64_array(low),
        edge_padding_high=lowering.i64_array(high),
        interior_padding=lowering.i64_array(interior),
    )
    return [out]


define(
    pad_p,
    abstract_eval=_pad_type,
    jvp=ad.linear(pad_p),
    transpose=_pad_transpose,
    batch=_pad_batch,
    lower=over_words(_pad_lower),
)
