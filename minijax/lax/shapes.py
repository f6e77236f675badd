"""Primitives that arrange the axes of one array: nothing is computed, nothing selected.

Each takes one operand and is linear, so its tangent is itself and its transpose is the
arrangement that leads back. Joining and cutting arrays is in `joining.py`, blocks and
borders are in `slicing.py`.

Source: spec/primitives.md §5, spec/ad.md §4.2, spec/batching.md §3.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import lowering
from ..base.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    BroadcastError,
    ShapeMismatchError,
)
from ..base.util import canonicalize_axes
from ..core import (
    Primitive,
    ShapedArray,
    Tracer,
    broadcast_in_dim_p,
    canonical_shape,
    copy_p,
    reduce_sum_p,
    reshape_p,
    squeeze_p,
    transpose_p,
    typeof,
)
from ..interpreters import ad, batching
from ..runtime import Array
from .definition import define
from .result_types import in_shape, plain_ints
from .words import over_words

__all__ = [
    "broadcast",
    "broadcast_in_dim",
    "broadcast_like",
    "broadcast_shapes",
    "broadcast_to_rank",
    "collapse",
    "expand_dims",
    "reshape",
    "rev",
    "rev_p",
    "squeeze",
    "tile",
    "tile_p",
    "transpose",
]

ArrayLike = Any


def is_array(x: Any) -> bool:
    """Whether `x` is an array or a tracer, so that it can be returned as it is."""
    return isinstance(x, Tracer | Array)


def shape_of(x: Any) -> tuple[int, ...]:
    """The shape of an operand, known or still to be found by transposition."""
    return x.aval.shape if ad.is_undefined_primal(x) else typeof(x).shape


def inverse_permutation(permutation: Sequence[int]) -> tuple[int, ...]:
    """The permutation that undoes `permutation`."""
    inverse = [0] * len(permutation)
    for position, axis in enumerate(permutation):
        inverse[axis] = position
    return tuple(inverse)


def reduced(x: Any, axes: Sequence[int]) -> Any:
    """T[*s] -> T[*s without axes]: sums, for transposes of whatever repeats values."""
    return reduce_sum_p.bind(x, axes=tuple(axes), out_sharding=None)


# --- broadcast_in_dim -----------------------------------------------------------------


def broadcast_in_dim(
    operand: ArrayLike,
    shape: Sequence[int],
    broadcast_dimensions: Sequence[int],
    *,
    out_sharding: Any = None,
) -> Array:
    """Repeat an array along new axes and along axes of size 1: T[*s] -> T[*shape].

    Axis i of the operand becomes axis `broadcast_dimensions[i]` of the result, whose
    size is equal, or whatever is wanted where the operand has size 1.

    >>> import minijax as mj, numpy as np
    >>> mj.lax.broadcast_in_dim(np.arange(2), (2, 3), (0,))
    Array([[0, 0, 0],
           [1, 1, 1]], dtype=int32)

    Raises:
      TypeError: the shapes do not fit.
    """
    shape = canonical_shape(shape)
    same = out_sharding is None and is_array(operand) and operand.shape == shape
    if same and tuple(broadcast_dimensions) == tuple(range(len(shape))):
        return operand
    return broadcast_in_dim_p.bind(
        operand,
        shape=shape,
        broadcast_dimensions=plain_ints(broadcast_dimensions),
        sharding=out_sharding,
    )


def broadcast(
    operand: ArrayLike, sizes: Sequence[int], *, out_sharding: Any = None
) -> Array:
    """Add leading axes of the given sizes: T[*s] -> T[*sizes, *s].

    >>> import minijax as mj, numpy as np
    >>> mj.lax.broadcast(np.arange(2), (3,)).shape
    (3, 2)
    """
    shape = typeof(operand).shape
    added = len(sizes)
    dims = tuple(range(added, added + len(shape)))
    target = (*canonical_shape(sizes), *shape)
    return broadcast_in_dim(operand, target, dims, out_sharding=out_sharding)


def broadcast_to_rank(x: ArrayLike, rank: int) -> Array:
    """Add leading axes of size 1 until `x` has `rank` axes.

    >>> import minijax as mj, numpy as np
    >>> mj.lax.broadcast_to_rank(np.arange(2), 3).shape
    (1, 1, 2)
    """
    return expand_dims(x, range(max(0, rank - typeof(x).ndim)))


def broadcast_like(x: ArrayLike, like: ArrayLike) -> Array:
    """Broadcast `x` to the shape of `like`, lining shapes up from the last axis.

    >>> import minijax as mj, numpy as np
    >>> mj.lax.broadcast_like(1.0, np.ones((2, 3))).shape
    (2, 3)

    Raises:
      ValueError: `x` does not broadcast to that shape.
    """
    shape, target = typeof(x).shape, typeof(like).shape
    if broadcast_shapes(shape, target) != target:
        raise BroadcastError([shape, target], "broadcast_like")
    dims = tuple(range(len(target) - len(shape), len(target)))
    return broadcast_in_dim(x, target, dims)


def broadcast_shapes(*shapes: Sequence[int]) -> tuple[int, ...]:
    """The shape that all shapes broadcast to, lined up from the last axis.

    >>> import minijax as mj, numpy as np
    >>> mj.lax.broadcast_shapes((2, 3), (1,), (2, 1))
    (2, 3)

    Raises:
      ValueError: two sizes differ and neither is 1.
    """
    given = [canonical_shape(shape) for shape in shapes]
    rank = max(map(len, given), default=0)
    result = [1] * rank
    for shape in given:
        for axis, size in enumerate(shape, start=rank - len(shape)):
            if size != 1 and result[axis] not in (1, size):
                raise BroadcastError(given)
            if size != 1:
                result[axis] = size
    return tuple(result)


def _broadcast_in_dim_type(
    operand: ShapedArray, *, shape: Any, broadcast_dimensions: Any, sharding: Any
) -> ShapedArray:
    dims = broadcast_dimensions
    if any(size < 0 for size in shape):
        raise ArgumentTypeError(
            "broadcast_in_dim: no size is negative.", f"Found {shape}."
        )
    if len(dims) != operand.ndim:
        raise ArgumentTypeError(
            "broadcast_in_dim: `broadcast_dimensions` has one entry per operand axis.",
            f"Found {dims} for operand shape {operand.shape}.",
        )
    if len(set(dims)) != len(dims) or not all(0 <= axis < len(shape) for axis in dims):
        raise ArgumentTypeError(
            "broadcast_in_dim: `broadcast_dimensions` are distinct axes of the result.",
            f"Found {dims} for result shape {shape}.",
        )
    if not all(
        size in (1, shape[axis]) for size, axis in zip(operand.shape, dims, strict=True)
    ):
        raise ArgumentTypeError(
            "broadcast_in_dim: each operand size is 1 or that of its result axis.",
            f"Found operand {operand.shape}, result {shape}, dimensions {dims}.",
        )
    return in_shape(operand, shape, sharding)


def _broadcast_in_dim_transpose(
    y_bar: Any, x: Any, *, shape: Any, broadcast_dimensions: Any, sharding: Any
) -> list[Any]:
    if not ad.is_undefined_primal(x):
        return [None]
    operand_shape = x.aval.shape
    kept = [axis for axis, size in enumerate(operand_shape) if size != 1]
    # Every place of the operand was repeated along the other axes of the result.
    kept_out = {broadcast_dimensions[axis] for axis in kept}
    summed = [axis for axis in range(len(shape)) if axis not in kept_out]
    x_bar = reduced(y_bar, summed)
    order = sorted(kept, key=lambda axis: broadcast_dimensions[axis])
    return [broadcast_in_dim(x_bar, operand_shape, order)]


def _broadcast_in_dim_batch(
    operands: Any, axes: Any, *, shape: Any, broadcast_dimensions: Any, sharding: Any
) -> tuple[Any, int]:
    (x,), (axis,) = operands, axes
    x = batching.moveaxis(x, axis, 0)
    dims = (0, *(d + 1 for d in broadcast_dimensions))
    return broadcast_in_dim(x, (x.shape[0], *shape), dims, out_sharding=sharding), 0


def _broadcast_in_dim_lower(
    ctx: Any, x: Any, *, shape: Any, broadcast_dimensions: Any, sharding: Any
) -> list[Any]:
    dims = lowering.i64_array(broadcast_dimensions)
    out = ctx.avals_out[0]
    return [ctx.op("stablehlo.broadcast_in_dim", [x], out, broadcast_dimensions=dims)]


def _broadcast_in_dim_printing(eqn: Any) -> dict[str, Any]:
    dims = eqn.params["broadcast_dimensions"]
    return {"broadcast_dimensions": dims} if dims else {}


define(
    broadcast_in_dim_p,
    abstract_eval=_broadcast_in_dim_type,
    jvp=ad.linear(broadcast_in_dim_p),
    transpose=_broadcast_in_dim_transpose,
    batch=_broadcast_in_dim_batch,
    lower=over_words(_broadcast_in_dim_lower),
    printing=_broadcast_in_dim_printing,
)


# --- reshape --------------------------------------------------------------------------


def reshape(
    operand: ArrayLike,
    new_sizes: Sequence[int],
    dimensions: Sequence[int] | None = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Lay the elements out in another shape, last axis fastest: T[*s] -> T[*new_sizes].

    dimensions: an order of the operand's axes in which they are read, if not their own.

    >>> import minijax as mj, numpy as np
    >>> mj.lax.reshape(np.arange(6), (2, 3))
    Array([[0, 1, 2],
           [3, 4, 5]], dtype=int32)

    Raises:
      TypeError: the number of elements differs.
    """
    new_sizes = canonical_shape(new_sizes)
    if dimensions is not None:
        dimensions = plain_ints(dimensions)
        if dimensions == tuple(range(len(dimensions))) == _axes_of(operand):
            dimensions = None
    plain = dimensions is None and out_sharding is None
    if plain and is_array(operand) and operand.shape == new_sizes:
        return operand
    return reshape_p.bind(
        operand, new_sizes=new_sizes, dimensions=dimensions, sharding=out_sharding
    )


def collapse(
    operand: Array, start_dimension: int, stop_dimension: int | None = None
) -> Array:
    """Merge the axes from start to stop (exclusive) into one.

    Positions are read as Python slices read them.

    >>> import minijax as mj, numpy as np
    >>> mj.lax.collapse(np.ones((2, 3, 4)), 1).shape
    (2, 12)

    Raises:
      ValueError: stop is before start.
    """
    shape = typeof(operand).shape
    start, stop, _ = slice(start_dimension, stop_dimension).indices(len(shape))
    if stop < start:
        raise ArgumentValueError(
            "collapse merges axes from `start_dimension` to `stop_dimension`.",
            f"Found {start_dimension} and {stop_dimension} for shape {shape}.",
        )
    merged = int(np.prod(shape[start:stop], dtype=np.int64))
    return reshape(operand, (*shape[:start], merged, *shape[stop:]))


def _axes_of(operand: Any) -> tuple[int, ...]:
    return tuple(range(typeof(operand).ndim))


def _reshape_type(
    operand: ShapedArray, *, new_sizes: Any, dimensions: Any, sharding: Any
) -> ShapedArray:
    if any(size < 0 for size in new_sizes):
        raise ArgumentTypeError(
            "reshape: no size is negative.",
            f"Found {new_sizes}.",
            "`minijax.numpy.reshape` takes one -1 and works it out.",
        )
    if np.prod(new_sizes, dtype=np.int64) != operand.size:
        rule = f"as many elements as the operand, {operand.size}"
        raise ShapeMismatchError("reshape", [operand.shape, new_sizes], rule)
    if dimensions is not None and sorted(dimensions) != list(range(operand.ndim)):
        raise ArgumentTypeError(
            "reshape: `dimensions` is a permutation of the operand's axes.",
            f"Found {dimensions} for shape {operand.shape}.",
        )
    return in_shape(operand, new_sizes, sharding)


def _reshape_transpose(
    y_bar: Any, x: Any, *, new_sizes: Any, dimensions: Any, sharding: Any
) -> list[Any]:
    shape = x.aval.shape
    if dimensions is None:
        return [reshape(y_bar, shape)]
    x_bar = reshape(y_bar, [shape[axis] for axis in dimensions])
    return [transpose(x_bar, inverse_permutation(dimensions))]


def _reshape_batch(
    operands: Any, axes: Any, *, new_sizes: Any, dimensions: Any, sharding: Any
) -> tuple[Any, int]:
    (x,), (axis,) = operands, axes
    x = batching.moveaxis(x, axis, 0)
    if dimensions is not None:
        dimensions = (0, *(d + 1 for d in dimensions))
    sizes = (x.shape[0], *new_sizes)
    return reshape(x, sizes, dimensions, out_sharding=sharding), 0


def _reshape_lower(
    ctx: Any, x: Any, *, new_sizes: Any, dimensions: Any, sharding: Any
) -> list[Any]:
    if dimensions is not None:
        aval = ctx.avals_in[0]
        read = in_shape(aval, [aval.shape[axis] for axis in dimensions])
        order = lowering.i64_array(dimensions)
        x = ctx.op("stablehlo.transpose", [x], read, permutation=order)
    return [ctx.op("stablehlo.reshape", [x], ctx.avals_out[0])]


define(
    reshape_p,
    abstract_eval=_reshape_type,
    jvp=ad.linear(reshape_p),
    transpose=_reshape_transpose,
    batch=_reshape_batch,
    lower=over_words(_reshape_lower),
)


# --- transpose ------------------------------------------------------------------------


def transpose(operand: ArrayLike, permutation: Sequence[int] | np.ndarray) -> Array:
    """Reorder the axes: axis i of the result is axis `permutation[i]` of the operand.

    >>> import minijax as mj, numpy as np
    >>> mj.lax.transpose(np.ones((2, 3, 4)), (2, 0, 1)).shape
    (4, 2, 3)

    Raises:
      TypeError: `permutation` does not list every axis once.
    """
    permutation = plain_ints(permutation)
    if is_array(operand) and permutation == tuple(range(operand.ndim)):
        return operand
    return transpose_p.bind(operand, permutation=permutation)


def _transpose_type(operand: ShapedArray, *, permutation: Any) -> ShapedArray:
    if sorted(permutation) != list(range(operand.ndim)):
        raise ArgumentTypeError(
            "transpose: `permutation` lists every axis of the operand once.",
            f"Found {permutation} for shape {operand.shape}.",
        )
    return in_shape(operand, [operand.shape[axis] for axis in permutation])


def _transpose_batch(operands: Any, axes: Any, *, permutation: Any) -> tuple[Any, int]:
    # One reordering does both: the batch axis comes to the front on the way.
    (x,), (axis,) = operands, axes
    return transpose(x, (axis, *batching.renumber(permutation, past=axis))), 0


def _transpose_lower(ctx: Any, x: Any, *, permutation: Any) -> list[Any]:
    order = lowering.i64_array(permutation)
    return [ctx.op("stablehlo.transpose", [x], ctx.avals_out[0], permutation=order)]


define(
    transpose_p,
    abstract_eval=_transpose_type,
    jvp=ad.linear(transpose_p),
    transpose=lambda y_bar, x, *, permutation: [
        transpose(y_bar, inverse_permutation(permutation))
    ],
    batch=_transpose_batch,
    lower=over_words(_transpose_lower),
)


# --- squeeze and expand_dims ----------------------------------------------------------


def squeeze(array: ArrayLike, dimensions: Sequence[int]) -> Array:
    """Drop axes of size 1; negative numbers count from the end.

    >>> import minijax as mj, numpy as np
    >>> mj.lax.squeeze(np.ones((2, 1, 3)), (1,)).shape
    (2, 3)

    Raises:
      ValueError: an axis has another size, or is not there.
    """
    aval = typeof(array)
    axes = canonicalize_axes(tuple(dimensions), aval.ndim, "dimension")
    if not axes and is_array(array):
        return array
    for axis in axes:
        if aval.shape[axis] != 1:
            raise ArgumentValueError(
                "squeeze drops axes of size 1.",
                f"Found axis {axis} of shape {aval.shape}.",
            )
    return squeeze_p.bind(array, dimensions=tuple(sorted(axes)))


def expand_dims(array: ArrayLike, dimensions: Sequence[int]) -> Array:
    """Insert axes of size 1 at the given places of the result.

    >>> import minijax as mj, numpy as np
    >>> mj.lax.expand_dims(np.ones((2, 3)), (0, -1)).shape
    (1, 2, 3, 1)

    Raises:
      ValueError: a place is given twice or is out of range.
    """
    shape = typeof(array).shape
    rank = len(shape) + len(dimensions)
    added = canonicalize_axes(tuple(dimensions), rank, "dimension")
    kept = tuple(axis for axis in range(rank) if axis not in added)
    sizes = iter(shape)
    target = [1 if axis in added else next(sizes) for axis in range(rank)]
    return broadcast_in_dim(array, target, kept)


def _squeeze_type(array: ShapedArray, *, dimensions: Any) -> ShapedArray:
    kept = [size for axis, size in enumerate(array.shape) if axis not in dimensions]
    return in_shape(array, kept)


def _squeeze_batch(operands: Any, axes: Any, *, dimensions: Any) -> tuple[Any, int]:
    (x,), (axis,) = operands, axes
    x = batching.moveaxis(x, axis, 0)
    return squeeze(x, [d + 1 for d in dimensions]), 0


define(
    squeeze_p,
    abstract_eval=_squeeze_type,
    jvp=ad.linear(squeeze_p),
    transpose=lambda y_bar, x, *, dimensions: [expand_dims(y_bar, dimensions)],
    batch=_squeeze_batch,
    lower=over_words(
        lambda ctx, x, *, dimensions: [
            ctx.op("stablehlo.reshape", [x], ctx.avals_out[0])
        ]
    ),
)


# --- rev ------------------------------------------------------------------------------

rev_p = Primitive("rev")


def rev(operand: ArrayLike, dimensions: Sequence[int]) -> Array:
    """Reverse the order along some axes: T[*s] -> T[*s].

    >>> import minijax as mj, numpy as np
    >>> mj.lax.rev(np.arange(3), (0,))
    Array([2, 1, 0], dtype=int32)

    Raises:
      TypeError: an axis is listed twice or out of range.
    """
    return rev_p.bind(operand, dimensions=plain_ints(dimensions))


def _rev_type(operand: ShapedArray, *, dimensions: Any) -> ShapedArray:
    inside = all(0 <= axis < operand.ndim for axis in dimensions)
    if not inside or len(set(dimensions)) != len(dimensions):
        raise ArgumentTypeError(
            "rev: `dimensions` are distinct axes of the operand, none negative.",
            f"Found {dimensions} for shape {operand.shape}.",
        )
    return operand


def _rev_batch(operands: Any, axes: Any, *, dimensions: Any) -> tuple[Any, int]:
    (x,), (axis,) = operands, axes
    return rev(x, batching.renumber(dimensions, past=axis)), axis


def _rev_lower(ctx: Any, x: Any, *, dimensions: Any) -> list[Any]:
    axes = lowering.i64_array(dimensions)
    return [ctx.op("stablehlo.reverse", [x], ctx.avals_out[0], dimensions=axes)]


define(
    rev_p,
    abstract_eval=_rev_type,
    jvp=ad.linear(rev_p),
    transpose=lambda y_bar, x, *, dimensions: [rev(y_bar, dimensions)],  # own inverse
    batch=_rev_batch,
    lower=over_words(_rev_lower),
)


# --- tile -----------------------------------------------------------------------------

tile_p = Primitive("tile")


def tile(operand: ArrayLike, reps: Sequence[int]) -> Array:
    """Repeat the whole array `reps[i]` times along each axis i.

    >>> import minijax as mj, numpy as np
    >>> mj.lax.tile(np.arange(2), (3,))
    Array([0, 1, 0, 1, 0, 1], dtype=int32)

    Raises:
      TypeError: not one number, at least 0, per axis.
    """
    return tile_p.bind(operand, reps=plain_ints(reps))


def _tile_type(operand: ShapedArray, *, reps: Any) -> ShapedArray:
    if len(reps) != operand.ndim or any(count < 0 for count in reps):
        raise ArgumentTypeError(
            "tile: `reps` has one number, at least 0, per axis of the operand.",
            f"Found {reps} for shape {operand.shape}.",
        )
    return in_shape(operand, [c * size for c, size in zip(reps, operand.shape)])


def _interleaved(reps: Sequence[int], shape: Sequence[int]) -> tuple[int, ...]:
    """(rep, size) of each axis in turn: the tiled shape with its copies apart."""
    return tuple(n for pair in zip(reps, shape, strict=True) for n in pair)


def _tile_transpose(y_bar: Any, x: Any, *, reps: Any) -> list[Any]:
    copies = reshape_p.bind(
        y_bar,
        new_sizes=_interleaved(reps, x.aval.shape),
        dimensions=None,
        sharding=None,
    )
    return [reduced(copies, range(0, 2 * len(reps), 2))]


def _tile_batch(operands: Any, axes: Any, *, reps: Any) -> tuple[Any, int]:
    (x,), (axis,) = operands, axes
    return tile(x, (*reps[:axis], 1, *reps[axis:])), axis


def _tile_lower(ctx: Any, x: Any, *, reps: Any) -> list[Any]:
    aval = ctx.avals_in[0]
    apart = _interleaved([1] * len(reps), aval.shape)
    copies = in_shape(aval, _interleaved(reps, aval.shape))
    x = ctx.op("stablehlo.reshape", [x], in_shape(aval, apart))
    dims = lowering.i64_array(range(len(apart)))
    x = ctx.op("stablehlo.broadcast_in_dim", [x], copies, broadcast_dimensions=dims)
    return [ctx.op("stablehlo.reshape", [x], ctx.avals_out[0])]


define(
    tile_p,
    abstract_eval=_tile_type,
    jvp=ad.linear(tile_p),
    transpose=_tile_transpose,
    batch=_tile_batch,
    lower=over_words(_tile_lower),
)


# --- copy -----------------------------------------------------------------------------


def copy(x: ArrayLike) -> Array:
    """The same values in memory of their own: T[*s] -> T[*s].

    >>> import numpy as np
    >>> from minijax.lax.shapes import copy
    >>> copy(np.arange(2))
    Array([0, 1], dtype=int32)
    """
    return copy_p.bind(x)


define(
    copy_p,
    abstract_eval=lambda x: x,
    jvp=ad.linear(copy_p),
    transpose=lambda y_bar, x: [copy(y_bar)],
    batch=batching.elementwise(copy_p),
    lower=lambda ctx, x: [x],
)
