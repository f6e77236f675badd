"""Joining arrays and cutting them apart: concatenate and split, stack and unstack.

Each pair is its own transpose, which is why they share a file.

Source: spec/primitives.md §5, spec/ad.md §4.2, spec/batching.md §3.5.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from .. import lowering
from ..base.errors import ArgumentTypeError, ArgumentValueError, ShapeMismatchError
from ..base.util import canonicalize_axis, tuple_delete, tuple_insert, tuple_replace
from ..core import Primitive, ShapedArray, typeof
from ..interpreters import ad, batching
from ..runtime import Array
from .definition import define
from .result_types import in_shape, joint_type, plain_ints, require_one_dtype
from .shapes import ArrayLike, is_array, shape_of
from .words import over_words

__all__ = [
    "concatenate",
    "concatenate_p",
    "split",
    "split_p",
    "stack",
    "stack_p",
    "unstack",
    "unstack_p",
]

concatenate_p = Primitive("concatenate")
split_p = Primitive("split", multiple_results=True)
stack_p = Primitive("stack")
unstack_p = Primitive("unstack", multiple_results=True)


def _as_operands(function: str, operands: Any) -> Sequence[Any]:
    """A sequence of operands; an array stands for its slices along axis 0."""
    if is_array(operands):
        return unstack(operands)
    if len(operands) == 0:
        raise ArgumentValueError(f"{function} needs at least one array.", "Found none.")
    return operands


def _at_front(axis: Any, operands: Any, axes: Any) -> list[Any]:
    # Nothing broadcasts inside a join: an operand without the axis is repeated.
    return [batching.at_front(x, a, axis.size) for x, a in zip(operands, axes)]


def _wanted(parts: Sequence[Any], operands: Sequence[Any]) -> list[Any]:
    """The cotangents of the linear operands, None for the others."""
    return [
        part if ad.is_undefined_primal(x) else None
        for part, x in zip(parts, operands, strict=True)
    ]


# --- concatenate and split ------------------------------------------------------------


def concatenate(operands: Array | Sequence[ArrayLike], dimension: int) -> Array:
    """Join arrays along an axis: T[*a, n, *b], T[*a, m, *b] -> T[*a, n + m, *b].

    >>> import minijax as mj, numpy as np
    >>> mj.lax.concatenate([np.arange(2), np.arange(3)], 0)
    Array([0, 1, 0, 1, 2], dtype=int32)

    Raises:
      TypeError: dtypes differ, or sizes of other axes.
      ValueError: there is nothing to join.
    """
    operands = _as_operands("concatenate", operands)
    if len(operands) == 1 and is_array(operands[0]) and operands[0].ndim:
        return operands[0]
    return concatenate_p.bind(*operands, dimension=_plain(dimension))


def split(operand: ArrayLike, sizes: Sequence[int], axis: int = 0) -> Sequence[Array]:
    """Cut an array along an axis into pieces of the given sizes.

    >>> import minijax as mj, numpy as np
    >>> mj.lax.split(np.arange(5), (2, 3))
    [Array([0, 1], dtype=int32), Array([2, 3, 4], dtype=int32)]

    Raises:
      ValueError: the sizes do not add up to that of the axis.
    """
    axis = canonicalize_axis(axis, typeof(operand).ndim)
    return split_p.bind(operand, sizes=plain_ints(sizes), axis=axis)


def _plain(number: Any) -> Any:
    return plain_ints((number,))[0]


def _concatenate_type(*operands: ShapedArray, dimension: Any) -> ShapedArray:
    shapes = [operand.shape for operand in operands]
    if not 0 <= dimension < len(shapes[0]):
        raise ArgumentTypeError(
            "concatenate: `dimension` is an axis of the operands, not negative.",
            f"Found {dimension} for shape {shapes[0]}.",
        )
    if len({len(shape) for shape in shapes}) > 1:
        raise ShapeMismatchError("concatenate", shapes, "equally many axes")
    if len({tuple_delete(shape, dimension) for shape in shapes}) > 1:
        rule = f"equal sizes in every axis but {dimension}"
        raise ShapeMismatchError("concatenate", shapes, rule)
    require_one_dtype("concatenate", operands)
    total = sum(shape[dimension] for shape in shapes)
    return joint_type(operands, tuple_replace(shapes[0], dimension, total))


def _concatenate_transpose(y_bar: Any, *operands: Any, dimension: int) -> list[Any]:
    sizes = [shape_of(x)[dimension] for x in operands]
    return _wanted(split(y_bar, sizes, dimension), operands)


def _concatenate_batch(
    axis: Any, operands: Any, axes: Any, *, dimension: int
) -> tuple[Any, int]:
    return concatenate(_at_front(axis, operands, axes), dimension + 1), 0


def _concatenate_lower(ctx: Any, *operands: Any, dimension: int) -> list[Any]:
    along = lowering.i64_attr(dimension)
    out = ctx.avals_out[0]
    return [ctx.op("stablehlo.concatenate", operands, out, dimension=along)]


define(
    concatenate_p,
    abstract_eval=_concatenate_type,
    jvp=ad.linear(concatenate_p),
    transpose=_concatenate_transpose,
    batch=batching.with_axis(_concatenate_batch),
    lower=over_words(_concatenate_lower),
)


def _split_type(operand: ShapedArray, *, sizes: Any, axis: int) -> list[ShapedArray]:
    if any(size < 0 for size in sizes) or sum(sizes) != operand.shape[axis]:
        raise ArgumentValueError(
            f"split: `sizes` are at least 0 and add up to the size of axis {axis}.",
            f"Found {sizes} for shape {operand.shape}.",
        )
    shape = operand.shape
    return [in_shape(operand, tuple_replace(shape, axis, size)) for size in sizes]


def _split_transpose(y_bars: Any, x: Any, *, sizes: Any, axis: int) -> list[Any]:
    parts = [ad.instantiate_zeros(part) for part in y_bars]
    return [concatenate(parts, axis)]


def _split_batch(
    operands: Any, axes: Any, *, sizes: Any, axis: int
) -> tuple[list[Any], list[int]]:
    (x,), (batch_axis,) = operands, axes
    (axis,) = batching.renumber((axis,), past=batch_axis)
    parts = split_p.bind(x, sizes=sizes, axis=axis)
    return parts, [batch_axis] * len(sizes)


def _split_lower(ctx: Any, x: Any, *, sizes: Any, axis: int) -> list[Any]:
    shape = ctx.avals_in[0].shape
    ends = itertools.accumulate(sizes)
    return [
        lower_slice(ctx, x, out, {axis: (end - size, end)}, shape)
        for size, end, out in zip(sizes, ends, ctx.avals_out)
    ]


def lower_slice(
    ctx: Any,
    x: Any,
    out: Any,
    ranges: dict[int, tuple[int, int]],
    shape: Sequence[int],
) -> Any:
    """The IR value of the part of `x` within `ranges` (axis -> start, stop)."""
    limits = [ranges.get(axis, (0, size)) for axis, size in enumerate(shape)]
    return ctx.op(
        "stablehlo.slice",
        [x],
        out,
        start_indices=lowering.i64_array([start for start, _ in limits]),
        limit_indices=lowering.i64_array([stop for _, stop in limits]),
        strides=lowering.i64_array([1] * len(limits)),
    )


define(
    split_p,
    abstract_eval=_split_type,
    jvp=ad.linear(split_p),
    transpose=_split_transpose,
    batch=_split_batch,
    lower=over_words(_split_lower),
)


# --- stack and unstack ----------------------------------------------------------------


def stack(operands: Sequence[ArrayLike], axis: int = 0) -> Array:
    """Join arrays of one shape along a new axis: T[*s], … -> T[*s with n at axis].

    >>> import minijax as mj, numpy as np
    >>> mj.lax.stack([np.arange(2), np.arange(2)], axis=1).shape
    (2, 2)

    Raises:
      TypeError: dtypes differ.
      ValueError: shapes differ, or there is nothing to join.
    """
    operands = _as_operands("stack", operands)
    axis = canonicalize_axis(axis, typeof(operands[0]).ndim + 1)
    return stack_p.bind(*operands, axis=axis)


def unstack(x: ArrayLike, axis: int = 0) -> tuple[Array, ...]:
    """The slices of an array along an axis, without that axis.

    >>> import minijax as mj, numpy as np
    >>> mj.lax.unstack(np.arange(2))
    (Array(0, dtype=int32), Array(1, dtype=int32))

    Raises:
      ValueError: the array has no such axis.
    """
    axis = canonicalize_axis(axis, typeof(x).ndim)
    return tuple(unstack_p.bind(x, axis=axis))


def _stack_type(*operands: ShapedArray, axis: int) -> ShapedArray:
    shapes = [operand.shape for operand in operands]
    if len(set(shapes)) > 1:
        raise ArgumentValueError("stack needs arrays of one shape.", f"Found {shapes}.")
    require_one_dtype("stack", operands)
    return joint_type(operands, tuple_insert(shapes[0], axis, len(operands)))


def _stack_batch(
    batch_axis: Any, operands: Any, axes: Any, *, axis: int
) -> tuple[Any, int]:
    if len(set(axes)) == 1:
        # The new axis goes in before or after the batch axis; neither needs to move.
        place = axes[0]
        if axis <= place:
            return stack_p.bind(*operands, axis=axis), place + 1
        return stack_p.bind(*operands, axis=axis + 1), place
    return stack(_at_front(batch_axis, operands, axes), axis + 1), 0


def _stack_lower(ctx: Any, *operands: Any, axis: int) -> list[Any]:
    aval = ctx.avals_in[0]
    slot = in_shape(aval, tuple_insert(aval.shape, axis, 1))
    kept = lowering.i64_array([d for d in range(slot.ndim) if d != axis])
    slots = [
        ctx.op("stablehlo.broadcast_in_dim", [x], slot, broadcast_dimensions=kept)
        for x in operands
    ]
    along = lowering.i64_attr(axis)
    return [ctx.op("stablehlo.concatenate", slots, ctx.avals_out[0], dimension=along)]


define(
    stack_p,
    abstract_eval=_stack_type,
    jvp=ad.linear(stack_p),
    transpose=lambda y_bar, *operands, axis: _wanted(unstack(y_bar, axis), operands),
    batch=batching.with_axis(_stack_batch),
    lower=over_words(_stack_lower),
)


def _unstack_type(x: ShapedArray, *, axis: int) -> list[ShapedArray]:
    return [in_shape(x, tuple_delete(x.shape, axis))] * x.shape[axis]


def _unstack_transpose(y_bars: Any, x: Any, *, axis: int) -> list[Any]:
    if not y_bars:  # an axis of size 0: there is nothing to be linear in
        return [ad.Zero(x.aval)]
    return [stack([ad.instantiate_zeros(part) for part in y_bars], axis)]


def _unstack_batch(
    operands: Any, axes: Any, *, axis: int
) -> tuple[list[Any], list[int]]:
    (x,), (place,) = operands, axes
    (axis,) = batching.renumber((axis,), past=place)
    parts = unstack_p.bind(x, axis=axis)
    return parts, [place - 1 if axis < place else place] * len(parts)


def _unstack_lower(ctx: Any, x: Any, *, axis: int) -> list[Any]:
    aval = ctx.avals_in[0]
    slot = in_shape(aval, tuple_replace(aval.shape, axis, 1))
    parts = [
        lower_slice(ctx, x, slot, {axis: (index, index + 1)}, aval.shape)
        for index in range(aval.shape[axis])
    ]
    return [
        ctx.op("stablehlo.reshape", [part], out)
        for part, out in zip(parts, ctx.avals_out)
    ]


define(
    unstack_p,
    abstract_eval=_unstack_type,
    jvp=ad.linear(unstack_p),
    transpose=_unstack_transpose,
    batch=_unstack_batch,
    lower=over_words(_unstack_lower),
)
