"""sort and top_k.

Sorting puts numbers in a total order: -0 equals 0, every NaN is the same and comes
last; complex numbers go by real part, then imaginary part. Derivatives follow the
permutation: it is found by sorting the positions along, and applied to the tangents.

Source: spec/primitives.md §6, spec/ad.md §4.3, spec/lowering.md §13.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lowering
from ..base import dtypes
from ..base.errors import ArgumentTypeError, ArgumentValueError, ShapeMismatchError
from ..base.util import canonicalize_axis, tuple_replace
from ..core import NOT_LINEAR, Primitive, ShapedArray, reshape_p, typeof
from ..interpreters import ad, batching
from .conversions import comparison_type
from .definition import define
from .gathering import gather
from .generation import broadcasted_iota
from .indexing import GatherDimensionNumbers, GatherScatterMode
from .result_types import plain_ints
from .shapes import expand_dims, inverse_permutation

if TYPE_CHECKING:
    from .typing import Array, ArrayLike

__all__ = [
    "sort",
    "sort_key_val",
    "sort_p",
    "top_k",
    "top_k_p",
]

sort_p = Primitive("sort", multiple_results=True)
top_k_p = Primitive("top_k", multiple_results=True)


# --- sort -----------------------------------------------------------------------------


def sort(
    operand: Array | Sequence[Array],
    dimension: int = -1,
    is_stable: bool = True,
    num_keys: int = 1,
) -> Array | tuple[Array, ...]:
    """Sort along an axis, smallest first: T[*s] -> T[*s].

    Several operands of one shape are rearranged alike: the first `num_keys` decide, the
    earlier first. is_stable: equal elements keep their order.

    >>> import minijax as mj, numpy as np
    >>> mj.lax.sort(np.array([3, 1, 2]))
    Array([1, 2, 3], dtype=int32)

    Raises:
      TypeError: shapes differ, or there is nothing to sort.
      ValueError: no such axis, or more keys than operands.
    """
    several = isinstance(operand, Sequence)
    operands = tuple(operand) if several else (operand,)
    if not operands:
        raise ArgumentTypeError("sort needs at least one operand.", "Found none.")
    if not 1 <= num_keys <= len(operands):
        raise ArgumentValueError(
            f"sort: `num_keys` is from 1 to the number of operands, {len(operands)}.",
            f"Found {num_keys}.",
        )
    out = sort_p.bind(
        *operands,
        dimension=canonicalize_axis(dimension, typeof(operands[0]).ndim, "dimension"),
        is_stable=bool(is_stable),
        num_keys=num_keys,
    )
    return tuple(out) if several else out[0]


def sort_key_val(
    keys: Array, values: ArrayLike, dimension: int = -1, is_stable: bool = True
) -> tuple[Array, Array]:
    """Sort keys along an axis and rearrange values alike: K[*s], T[*s] -> K[*s], T[*s].

    >>> import minijax as mj, numpy as np
    >>> keys, values = np.array([3, 1, 2]), np.arange(3)
    >>> mj.lax.sort_key_val(keys, values)
    (Array([1, 2, 3], dtype=int32), Array([1, 2, 0], dtype=int32))
    """
    return sort((keys, values), dimension, is_stable)


def _sort_type(*operands: ShapedArray, **params: Any) -> list[ShapedArray]:
    shapes = [operand.shape for operand in operands]
    if len(set(shapes)) > 1:
        raise ShapeMismatchError("sort", shapes)
    return list(operands)


def _sort_jvp(
    primals: Any, tangents: Any, *, dimension: int, **params: Any
) -> tuple[list[Any], list[Any]]:
    shape = typeof(primals[0]).shape
    positions = broadcasted_iota(_position_dtype(shape[dimension]), shape, dimension)
    *outs, order = sort_p.bind(*primals, positions, dimension=dimension, **params)
    vectors = expand_dims(order, (len(shape),))
    return outs, [
        ad.Zero.from_primal(out)
        if type(x_dot) is ad.Zero
        else taken_along(x_dot, vectors, dimension)
        for out, x_dot in zip(outs, tangents, strict=True)
    ]


def _position_dtype(size: int) -> np.dtype:
    return np.dtype(np.uint32 if size < 2**32 else np.uint64)


def taken_along(
    x: Any,
    vectors: Any,
    axis: int,
    mode: GatherScatterMode = GatherScatterMode.PROMISE_IN_BOUNDS,
) -> Any:
    """The elements of `x` at positions along an axis: T[*s], u[*t, 1] -> T[*t]."""
    ndim = typeof(x).ndim
    others = tuple(other for other in range(ndim) if other != axis)
    numbers = GatherDimensionNumbers(
        offset_dims=(),
        collapsed_slice_dims=(axis,),
        start_index_map=(axis,),
        operand_batching_dims=others,
        start_indices_batching_dims=others,
    )
    return gather(x, vectors, numbers, (1,) * ndim, mode=mode)


def _sort_batch(
    axis: Any, operands: Any, axes: Any, *, dimension: int, **params: Any
) -> tuple[list[Any], list[int]]:
    # All operands are rearranged alike, so all need the axis, at one place.
    place = next(one for one in axes if one is not None)
    moved = [
        batching.broadcast(x, axis.size, place)
        if one is None
        else batching.moveaxis(x, one, place)
        for x, one in zip(operands, axes, strict=True)
    ]
    dimension = batching.renumber(dimension, past=place)
    return sort_p.bind(*moved, dimension=dimension, **params), [place] * len(moved)


def _sort_lower(
    ctx: Any, *operands: Any, dimension: int, is_stable: bool, num_keys: int
) -> Sequence[Any]:
    scalars = [aval.strip_weak_type().update(shape=()) for aval in ctx.avals_in]

    def less(inner: Any, *values: Any) -> list[Any]:
        pairs = [
            pair
            for key in range(num_keys)
            for pair in _key_pairs(inner, scalars[key], *values[2 * key : 2 * key + 2])
        ]
        return [_lexicographic(inner, pairs)]

    attributes = {
        "dimension": lowering.i64_attr(dimension),
        "is_stable": lowering.bool_attr(is_stable),
    }
    arguments = [scalar for scalar in scalars for _ in range(2)]
    return ctx.op_with_regions(
        "stablehlo.sort", operands, ctx.avals_out, attributes, [(arguments, less)]
    )


Pair = tuple[ShapedArray, Any, Any]


def _key_pairs(ctx: Any, aval: ShapedArray, left: Any, right: Any) -> list[Pair]:
    """What a pair of keys is compared by, most important first: (type, left, right)."""
    if aval.dtype in dtypes.FLOATS:
        return [(aval, _canonical(ctx, aval, left), _canonical(ctx, aval, right))]
    if aval.dtype not in dtypes.COMPLEXES:
        return [(aval, left, right)]
    part = aval.update(dtype=dtypes.to_real_dtype(aval.dtype))
    names = ("stablehlo.real", "stablehlo.imag")
    lefts = [_canonical(ctx, part, ctx.op(name, [left], part)) for name in names]
    rights = [_canonical(ctx, part, ctx.op(name, [right], part)) for name in names]
    return [(part, x, y) for x, y in zip(lefts, rights)]


def _canonical(ctx: Any, aval: ShapedArray, x: Any) -> Any:
    """`x` with one zero and one NaN, which the total order would tell apart."""
    zero = ctx.constant(0, aval)
    x = ctx.op(
        "stablehlo.select", [_compare(ctx, "EQ", "FLOAT", x, zero), zero, x], aval
    )
    nan = ctx.constant(float("nan"), aval)
    return ctx.op(
        "stablehlo.select", [_compare(ctx, "NE", "FLOAT", x, x), nan, x], aval
    )


def _compare(ctx: Any, direction: str, kind: str, x: Any, y: Any) -> Any:
    return ctx.op(
        "stablehlo.compare",
        [x, y],
        _FLAG,
        comparison_direction=lowering.parse_attr(
            f"#stablehlo<comparison_direction {direction}>"
        ),
        compare_type=lowering.parse_attr(f"#stablehlo<comparison_type {kind}>"),
    )


_FLAG = ShapedArray((), bool)


def _lexicographic(ctx: Any, pairs: Sequence[Pair]) -> Any:
    """x < y: less in the first pair, or equal there and less in the others."""
    result = None
    for aval, x, y in reversed(pairs):
        kind = comparison_type(aval, total_order=True)
        less = _compare(ctx, "LT", kind, x, y)
        if result is not None:
            equal = _compare(ctx, "EQ", kind, x, y)
            tie = ctx.op("stablehlo.and", [equal, result], _FLAG)
            less = ctx.op("stablehlo.or", [less, tie], _FLAG)
        result = less
    return result


define(
    sort_p,
    abstract_eval=_sort_type,
    jvp=_sort_jvp,
    transpose=NOT_LINEAR,
    batch=batching.with_axis(_sort_batch),
    lower=_sort_lower,
)


# --- top_k ----------------------------------------------------------------------------


def top_k(
    operand: ArrayLike, k: int, *, axis: int = -1, is_stable: bool = True
) -> list[Array]:
    """The k largest along an axis, largest first, and their positions as int32.

    is_stable: of equal elements the earlier comes first.

    >>> import minijax as mj, numpy as np
    >>> mj.lax.top_k(np.array([3, 1, 2]), 2)
    [Array([3, 2], dtype=int32), Array([0, 2], dtype=int32)]

    Raises:
      TypeError: k is not an integer.
      ValueError: k is negative or larger than the axis; complex operands; no such axis.
    """
    (k,) = plain_ints((k,))
    if type(k) is not int:
        raise ArgumentTypeError("top_k needs an integer k.", f"Found {k!r}.")
    axis = canonicalize_axis(axis, typeof(operand).ndim)
    return top_k_p.bind(operand, k=k, axis=axis, is_stable=bool(is_stable))


def _top_k_type(
    operand: ShapedArray, *, k: int, axis: int, is_stable: bool
) -> list[ShapedArray]:
    if operand.dtype in dtypes.COMPLEXES:
        raise ArgumentValueError(
            "top_k compares elements by size.",
            f"Found {operand.dtype}, which has no order.",
            "Choose by `abs` or by a part.",
        )
    if not 0 <= k <= operand.shape[axis]:
        raise ArgumentValueError(
            f"top_k: k is from 0 to the size of axis {axis}.",
            f"Found {k} for shape {operand.shape}.",
        )
    values = operand.update(shape=tuple_replace(operand.shape, axis, k), sharding=None)
    return [values, values.update(dtype=np.dtype(np.int32))]


def _top_k_jvp(
    primals: Any, tangents: Any, *, k: int, axis: int, is_stable: bool
) -> tuple[list[Any], list[Any]]:
    (x,), (x_dot,) = primals, tangents
    values, indices = top_k_p.bind(x, k=k, axis=axis, is_stable=is_stable)
    values_dot = ad.Zero.from_primal(values)
    if type(x_dot) is not ad.Zero:
        sizes = (*typeof(indices).shape, 1)
        vectors = reshape_p.bind(
            indices, new_sizes=sizes, dimensions=None, sharding=None
        )
        values_dot = taken_along(x_dot, vectors, axis)
    return [values, indices], [values_dot, ad.Zero.from_primal(indices)]


def _top_k_batch(
    operands: Any, axes: Any, *, k: int, axis: int, is_stable: bool
) -> tuple[list[Any], list[int]]:
    (x,), (place,) = operands, axes
    axis = batching.renumber(axis, past=place)
    return top_k_p.bind(x, k=k, axis=axis, is_stable=is_stable), [place, place]


def _top_k_lower(
    ctx: Any, x: Any, *, k: int, axis: int, is_stable: bool
) -> Sequence[Any]:
    (aval,), outs = ctx.avals_in, ctx.avals_out
    attributes = {"k": lowering.i64_attr(k)}
    if not is_stable:
        attributes["is_stable"] = lowering.bool_attr(False)
    if axis == aval.ndim - 1:
        return ctx.op("chlo.top_k", [x], outs, **attributes)
    # The operation looks along the last axis only.
    order = [*(other for other in range(aval.ndim) if other != axis), axis]
    x = _reordered(ctx, x, aval, order)
    last = [
        out.update(shape=tuple(out.shape[other] for other in order)) for out in outs
    ]
    results = ctx.op("chlo.top_k", [x], last, **attributes)
    back = inverse_permutation(order)
    return [_reordered(ctx, y, one, back) for y, one in zip(results, last)]


def _reordered(ctx: Any, x: Any, aval: ShapedArray, order: Sequence[int]) -> Any:
    out = aval.update(shape=tuple(aval.shape[axis] for axis in order))
    permutation = lowering.i64_array(order)
    return ctx.op("stablehlo.transpose", [x], out, permutation=permutation)


define(
    top_k_p,
    abstract_eval=_top_k_type,
    jvp=_top_k_jvp,
    transpose=NOT_LINEAR,
    batch=_top_k_batch,
    lower=_top_k_lower,
)
