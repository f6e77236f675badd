"""Reductions along axes: sums, products, extrema and their positions, logic.

Source: spec/primitives.md §6, spec/ad.md §4.3, spec/control_flow.md §8.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import ml_dtypes
import numpy as np

from .. import lowering
from ..base import dtypes
from ..base.errors import ArgumentTypeError, ArgumentValueError
from ..core import (
    NOT_DIFFERENTIABLE,
    NOT_LINEAR,
    Primitive,
    ShapedArray,
    broadcast_in_dim_p,
    reduce_sum_p,
    stage,
    typeof,
)
from ..interpreters import ad, batching
from .arithmetic import add, div, mul
from .bits import bitwise_and, bitwise_or, bitwise_xor
from .comparisons import eq, gt, lt, ne
from .conversions import convert_element_type
from .definition import define
from .elementwise import max, min
from .folding import jvp_of, reduce_by_tree
from .generation import scalar_like
from .result_types import in_shape, plain_ints
from .selection import select_n
from .shapes import reshape
from .typing import ANY, BITS, NUMBER, ORDERED, Family, check_axes, check_dtype

if TYPE_CHECKING:
    from .typing import Array, ArrayLike, DTypeLike

__all__ = [
    "argmax",
    "argmax_p",
    "argmin",
    "argmin_p",
    "reduce_and",
    "reduce_and_p",
    "reduce_max",
    "reduce_max_p",
    "reduce_min",
    "reduce_min_p",
    "reduce_or",
    "reduce_or_p",
    "reduce_prod",
    "reduce_prod_p",
    "reduce_sum",
    "reduce_xor",
    "reduce_xor_p",
]

reduce_prod_p = Primitive("reduce_prod")
reduce_max_p = Primitive("reduce_max")
reduce_min_p = Primitive("reduce_min")
reduce_and_p = Primitive("reduce_and")
reduce_or_p = Primitive("reduce_or")
reduce_xor_p = Primitive("reduce_xor")
argmax_p = Primitive("argmax")
argmin_p = Primitive("argmin")


# --- the functions --------------------------------------------------------------------


def reduce_sum(
    operand: ArrayLike, axes: Sequence[int], *, out_sharding: Any = None
) -> Array:
    """The sum along axes: T[*s] -> T[*s without axes].

    >>> import minijax as mj, numpy as np
    >>> print(mj.lax.reduce_sum(np.array([1, 2, 3]), (0,)))
    6

    Raises:
      TypeError: a bool.
      ValueError: an axis is out of range, negative, or listed twice.
    """
    return reduce_sum_p.bind(operand, axes=plain_ints(axes), out_sharding=out_sharding)


def reduce_prod(operand: ArrayLike, axes: Sequence[int]) -> Array:
    """The product along axes: T[*s] -> T[*s without axes].

    >>> import minijax as mj, numpy as np
    >>> print(mj.lax.reduce_prod(np.array([2, 3, 4]), (0,)))
    24

    Raises:
      TypeError: a bool.
      ValueError: an axis is out of range, negative, or listed twice.
    """
    return reduce_prod_p.bind(operand, axes=plain_ints(axes))


def reduce_max(
    operand: ArrayLike, axes: Sequence[int], *, out_sharding: Any = None
) -> Array:
    """The largest element along axes: T[*s] -> T[*s without axes]; NaN wins.

    Elements that are equally large share the derivative.

    >>> import minijax as mj, numpy as np
    >>> print(mj.lax.reduce_max(np.array([2, 3, 1]), (0,)))
    3

    Raises:
      ValueError: an axis is out of range, negative, or listed twice.
    """
    return reduce_max_p.bind(operand, axes=plain_ints(axes), out_sharding=out_sharding)


def reduce_min(
    operand: ArrayLike, axes: Sequence[int], *, out_sharding: Any = None
) -> Array:
    """The smallest element along axes: T[*s] -> T[*s without axes]; NaN wins.

    Elements that are equally small share the derivative.

    >>> import minijax as mj, numpy as np
    >>> print(mj.lax.reduce_min(np.array([2, 3, 1]), (0,)))
    1

    Raises:
      ValueError: an axis is out of range, negative, or listed twice.
    """
    return reduce_min_p.bind(operand, axes=plain_ints(axes), out_sharding=out_sharding)


def reduce_and(operand: ArrayLike, axes: Sequence[int]) -> Array:
    """Bitwise and along axes: T[*s] -> T[*s without axes], integers and bool.

    >>> import minijax as mj, numpy as np
    >>> print(mj.lax.reduce_and(np.array([True, False]), (0,)))
    False

    Raises:
      TypeError: another dtype.
      ValueError: an axis is out of range, negative, or listed twice.
    """
    return reduce_and_p.bind(operand, axes=plain_ints(axes))


def reduce_or(operand: ArrayLike, axes: Sequence[int]) -> Array:
    """Bitwise or along axes: T[*s] -> T[*s without axes], integers and bool.

    >>> import minijax as mj, numpy as np
    >>> print(mj.lax.reduce_or(np.array([True, False]), (0,)))
    True

    Raises:
      TypeError: another dtype.
      ValueError: an axis is out of range, negative, or listed twice.
    """
    return reduce_or_p.bind(operand, axes=plain_ints(axes))


def reduce_xor(operand: ArrayLike, axes: Sequence[int]) -> Array:
    """Bitwise exclusive or along axes: T[*s] -> T[*s without axes], integers and bool.

    >>> import minijax as mj, numpy as np
    >>> print(mj.lax.reduce_xor(np.array([5, 1]), (0,)))
    4

    Raises:
      TypeError: another dtype.
      ValueError: an axis is out of range, negative, or listed twice.
    """
    return reduce_xor_p.bind(operand, axes=plain_ints(axes))


def argmax(operand: ArrayLike, axis: int, index_dtype: DTypeLike) -> Array:
    """Where the largest element along an axis is: T[*s] -> i[*s without axis].

    The first of equal ones; a NaN counts as the largest.

    >>> import minijax as mj, numpy as np
    >>> print(mj.lax.argmax(np.array([2, 3, 1]), 0, "int32"))
    1

    Raises:
      TypeError: `index_dtype` is no integer dtype, or the elements have no order.
      ValueError: the axis is out of range, or empty.
    """
    return argmax_p.bind(
        operand,
        axes=plain_ints((axis,)),
        index_dtype=dtypes.requested_dtype(index_dtype, "argmax"),
    )


def argmin(operand: ArrayLike, axis: int, index_dtype: DTypeLike) -> Array:
    """Where the smallest element along an axis is: T[*s] -> i[*s without axis].

    The first of equal ones; a NaN counts as the smallest.

    >>> import minijax as mj, numpy as np
    >>> print(mj.lax.argmin(np.array([2, 3, 1]), 0, "int32"))
    2

    Raises:
      TypeError: `index_dtype` is no integer dtype, or the elements have no order.
      ValueError: the axis is out of range, or empty.
    """
    return argmin_p.bind(
        operand,
        axes=plain_ints((axis,)),
        index_dtype=dtypes.requested_dtype(index_dtype, "argmin"),
    )


# --- where reductions start -----------------------------------------------------------


def lowest(dtype: Any) -> Any:
    """The element that is never larger than another of its dtype."""
    return _extreme(dtype, -np.inf)


def highest(dtype: Any) -> Any:
    """The element that is never smaller than another of its dtype."""
    return _extreme(dtype, np.inf)


@cache
def _extreme(dtype: Any, limit: float) -> Any:
    if dtype == dtypes.BOOL:
        return np.bool_(limit > 0)
    if dtype in dtypes.INTEGERS:
        bounds = ml_dtypes.iinfo(dtype)
        return dtype.type(bounds.max if limit > 0 else bounds.min)
    if dtype in dtypes.COMPLEXES:
        return dtype.type(complex(limit, 0))
    with np.errstate(all="ignore"):
        infinite = np.asarray(limit).astype(dtype)
    if np.isinf(infinite.astype(np.float64)):
        return infinite[()]
    finite = ml_dtypes.finfo(dtype)  # a small float without infinities
    return dtype.type(finite.max if limit > 0 else finite.min)


def zero_of(dtype: Any) -> Any:
    return np.zeros((), dtype)[()]


def one_of(dtype: Any) -> Any:
    return np.ones((), dtype)[()]


def all_bits_of(dtype: Any) -> Any:
    if dtype == dtypes.BOOL:
        return np.bool_(True)
    return np.asarray(-1).astype(dtype)[()]


# --- rules they share -----------------------------------------------------------------


def reduced_type(x: ShapedArray, axes: Sequence[int], sharding: Any) -> ShapedArray:
    """T[*s] -> T[*s without axes]."""
    kept = [size for axis, size in enumerate(x.shape) if axis not in axes]
    return in_shape(x, kept, sharding)


def _reduction_type(primitive: Primitive, accepted: Family) -> Any:
    def rule(
        x: ShapedArray, *, axes: tuple[int, ...], out_sharding: Any = None
    ) -> ShapedArray:
        check_dtype(primitive.name, x.dtype, accepted)
        check_axes(primitive.name, axes, x.ndim)
        return reduced_type(x, axes, out_sharding)

    return rule


@cache
def combination(combine: Any, scalar: ShapedArray) -> Any:
    """One step of a reduction as a program on scalars."""
    return stage(lambda x, y: [combine(x, y)], [scalar, scalar])


# What combines two scalars in one operation; others are inlined as programs.
_SINGLE_OPS = {"add": "stablehlo.add", "mul": "stablehlo.multiply"}


def _reduction_lower(combine: Any, start: Any) -> lowering.Rule:
    single = _SINGLE_OPS.get(combine.__name__)

    def rule(ctx: Any, x: Any, *, axes: Sequence[int], **params: Any) -> Sequence[Any]:
        (aval,), outs = ctx.avals_in, ctx.avals_out
        scalar = ShapedArray((), aval.dtype)
        start_value = ctx.constant(start(aval.dtype), scalar)

        def body(inner: Any, *pair: Any) -> Sequence[Any]:
            if single is not None:
                return [inner.op(single, pair, scalar)]
            return inner.inline(combination(combine, scalar), pair)

        return lowering.reduce(ctx, [x], [start_value], axes, outs, body)

    return rule


# --- sum ------------------------------------------------------------------------------


def _reduce_sum_transpose(
    y_bar: Any, x: Any, *, axes: tuple[int, ...], out_sharding: Any
) -> list[Any]:
    shape = x.aval.shape
    kept = tuple(axis for axis in range(len(shape)) if axis not in axes)
    x_bar = broadcast_in_dim_p.bind(
        y_bar, shape=shape, broadcast_dimensions=kept, sharding=None
    )
    return [x_bar]


define(
    reduce_sum_p,
    abstract_eval=_reduction_type(reduce_sum_p, NUMBER),
    jvp=ad.linear(reduce_sum_p),
    transpose=_reduce_sum_transpose,
    batch=batching.reducer(reduce_sum_p),
    lower=_reduction_lower(add, zero_of),
)


# --- max and min ----------------------------------------------------------------------


def _extremum_partial(
    x_dot: Any, y: Any, x: Any, *, axes: tuple[int, ...], out_sharding: Any
) -> Any:
    aval = typeof(x)
    kept = [1 if axis in axes else size for axis, size in enumerate(aval.shape)]
    winners = convert_element_type(eq(x, reshape(y, kept)), aval.dtype)
    count = reduce_sum(winners, axes)
    return div(reduce_sum(mul(x_dot, winners), axes), count)


def _define_extremum(primitive: Primitive, combine: Any, start: Any) -> None:
    define(
        primitive,
        abstract_eval=_reduction_type(primitive, ANY),
        jvp=ad.partials_with_result(primitive, _extremum_partial),
        transpose=NOT_LINEAR,
        batch=batching.reducer(primitive),
        lower=_reduction_lower(combine, start),
    )


_define_extremum(reduce_max_p, max, lowest)
_define_extremum(reduce_min_p, min, highest)


# --- prod -----------------------------------------------------------------------------


def _reduce_prod_jvp(
    primals: Any, tangents: Any, *, axes: tuple[int, ...]
) -> tuple[Any, Any]:
    # The formula "product / x" fails at zeros; a tree of products does not divide.
    def tree(x: Any) -> list[Any]:
        one = scalar_like(x, 1)
        return reduce_by_tree(lambda a, b: [mul(*a, *b)], [x], [one], axes)

    (out,), (out_dot,) = jvp_of(tree, primals, tangents)
    return out, out_dot


define(
    reduce_prod_p,
    abstract_eval=_reduction_type(reduce_prod_p, NUMBER),
    jvp=_reduce_prod_jvp,
    transpose=NOT_LINEAR,
    batch=batching.reducer(reduce_prod_p),
    lower=_reduction_lower(mul, one_of),
)


# --- logic ----------------------------------------------------------------------------


def _define_logic(primitive: Primitive, combine: Any, start: Any, jvp: Any) -> None:
    define(
        primitive,
        abstract_eval=_reduction_type(primitive, BITS),
        jvp=jvp,
        transpose=NOT_LINEAR,
        batch=batching.reducer(primitive),
        lower=_reduction_lower(combine, start),
    )


_define_logic(reduce_and_p, bitwise_and, all_bits_of, NOT_DIFFERENTIABLE)
_define_logic(reduce_or_p, bitwise_or, zero_of, ad.ZERO(reduce_or_p))
_define_logic(reduce_xor_p, bitwise_xor, zero_of, NOT_DIFFERENTIABLE)


# --- argmax and argmin ----------------------------------------------------------------


def _position_type(primitive: Primitive) -> Any:
    def rule(x: ShapedArray, *, axes: tuple[int, ...], index_dtype: Any) -> ShapedArray:
        check_dtype(primitive.name, x.dtype, ORDERED)
        check_axes(primitive.name, axes, x.ndim)
        if index_dtype not in dtypes.INTEGERS:
            raise ArgumentTypeError(
                f"{primitive.name} needs an integer `index_dtype`.",
                f"Found {dtypes.name_of(index_dtype)}.",
            )
        if any(x.shape[axis] == 0 for axis in axes):
            raise ArgumentValueError(
                f"{primitive.name} needs an element to point at.",
                f"Found shape {x.shape}, empty along axis {axes[0]}.",
            )
        out = reduced_type(x, axes, None)
        return out.update(dtype=index_dtype, weak_type=False)

    return rule


@cache
def _position_step(better: Any, value: ShapedArray, index: ShapedArray) -> Any:
    """Of two (value, index) pairs the better: NaN beats all, then the lower index."""

    def choose(x: Any, i: Any, y: Any, j: Any) -> list[Any]:
        wins = bitwise_or(better(x, y), ne(x, x))
        first = bitwise_or(wins, bitwise_and(eq(x, y), lt(i, j)))
        return [select_n(wins, y, x), select_n(first, j, i)]

    return stage(choose, [value, index, value, index])


def _position_lower(better: Any, start: Any) -> lowering.Rule:
    def rule(
        ctx: Any, x: Any, *, axes: tuple[int, ...], index_dtype: Any
    ) -> Sequence[Any]:
        (aval,), (out,) = ctx.avals_in, ctx.avals_out
        value, index = ShapedArray((), aval.dtype), ShapedArray((), index_dtype)
        step = _position_step(better, value, index)
        along, indices = lowering.i64_attr(axes[0]), aval.update(dtype=index_dtype)
        positions = ctx.op("stablehlo.iota", [], indices, iota_dimension=along)
        starts = [ctx.constant(start(aval.dtype), value), ctx.constant(0, index)]
        outs = [out.update(dtype=aval.dtype), out]

        def body(inner: Any, *pairs: Any) -> Sequence[Any]:
            return inner.inline(step, pairs)

        return lowering.reduce(ctx, [x, positions], starts, axes, outs, body)[1:]

    return lowering.shared(rule)


def _define_position(primitive: Primitive, better: Any, start: Any) -> None:
    define(
        primitive,
        abstract_eval=_position_type(primitive),
        jvp=ad.ZERO(primitive),
        transpose=NOT_LINEAR,
        batch=batching.reducer(primitive),
        lower=_position_lower(better, start),
    )


_define_position(argmax_p, gt, lowest)
_define_position(argmin_p, lt, highest)
