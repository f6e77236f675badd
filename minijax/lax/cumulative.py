"""Cumulative sums, products, extrema and log-sum-exps along one axis.

A compiler sees a window that reaches back to the start; the derivative, but for the
sum's, goes through an associative scan of the same step.

Source: spec/control_flow.md §7, spec/ad.md §4.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lowering
from ..base import dtypes
from ..base.errors import ArgumentValueError
from ..core import NOT_LINEAR, Primitive, ShapedArray, stage
from ..interpreters import ad, batching
from .arithmetic import add, mul
from .definition import define
from .elementwise import max, min
from .folding import jvp_of, scan_by_tree
from .reductions import combination, highest, lowest, one_of, zero_of
from .result_types import in_shape
from .special import logaddexp
from .typing import COMPLEX, FLOATING, NUMBER, Family, check_dtype

if TYPE_CHECKING:
    from .typing import Array

__all__ = [
    "cumlogsumexp",
    "cumlogsumexp_p",
    "cummax",
    "cummax_p",
    "cummin",
    "cummin_p",
    "cumprod",
    "cumprod_p",
    "cumsum",
    "cumsum_p",
]

cumsum_p = Primitive("cumsum")
cumprod_p = Primitive("cumprod")
cummax_p = Primitive("cummax")
cummin_p = Primitive("cummin")
cumlogsumexp_p = Primitive("cumlogsumexp")


def cumsum(operand: Array, axis: int = 0, reverse: bool = False) -> Array:
    """Sums of all elements up to each one, or from it on: T[*s] -> T[*s].

    >>> import minijax as mj, numpy as np
    >>> print(mj.lax.cumsum(np.array([1, 2, 3])))
    [1 3 6]

    Raises:
      TypeError: a bool.
      ValueError: the axis is negative or out of range.
    """
    return cumsum_p.bind(operand, axis=int(axis), reverse=bool(reverse))


def cumprod(operand: Array, axis: int = 0, reverse: bool = False) -> Array:
    """Products of all elements up to each one, or from it on: T[*s] -> T[*s].

    >>> import minijax as mj, numpy as np
    >>> print(mj.lax.cumprod(np.array([1, 2, 3])))
    [1 2 6]

    Raises:
      TypeError: a bool.
      ValueError: the axis is negative or out of range.
    """
    return cumprod_p.bind(operand, axis=int(axis), reverse=bool(reverse))


def cummax(operand: Array, axis: int = 0, reverse: bool = False) -> Array:
    """The largest of all elements up to each one, or from it on: T[*s] -> T[*s].

    >>> import minijax as mj, numpy as np
    >>> print(mj.lax.cummax(np.array([1, 3, 2])))
    [1 3 3]

    Raises:
      TypeError: a bool.
      ValueError: the axis is negative or out of range.
    """
    return cummax_p.bind(operand, axis=int(axis), reverse=bool(reverse))


def cummin(operand: Array, axis: int = 0, reverse: bool = False) -> Array:
    """The smallest of all elements up to each one, or from it on: T[*s] -> T[*s].

    >>> import minijax as mj, numpy as np
    >>> print(mj.lax.cummin(np.array([3, 1, 2])))
    [3 1 1]

    Raises:
      TypeError: a bool.
      ValueError: the axis is negative or out of range.
    """
    return cummin_p.bind(operand, axis=int(axis), reverse=bool(reverse))


def cumlogsumexp(operand: Array, axis: int = 0, reverse: bool = False) -> Array:
    """log of the sum of e^x over all elements up to each one, or from it on.

    >>> import minijax as mj, numpy as np
    >>> print(mj.lax.cumlogsumexp(np.array([0.0, 0.0], "float32")))
    [0.        0.6931472]

    Raises:
      TypeError: an integer or bool.
      ValueError: the axis is negative or out of range.
    """
    return cumlogsumexp_p.bind(operand, axis=int(axis), reverse=bool(reverse))


# --- rules ----------------------------------------------------------------------------


def _type_rule(primitive: Primitive, accepted: Family) -> Any:
    def rule(x: ShapedArray, *, axis: int, reverse: bool) -> ShapedArray:
        check_dtype(primitive.name, x.dtype, accepted)
        if not 0 <= axis < x.ndim:
            raise ArgumentValueError(
                f"{primitive.name} goes along an axis counted from the first.",
                f"Found axis {axis} for shape {x.shape}.",
            )
        return x

    return rule


def _batch_rule(primitive: Primitive) -> Any:
    def rule(operands: Any, axes: Any, *, axis: int, reverse: bool) -> Any:
        (x,), (batch_axis,) = operands, axes
        along = batching.renumber(axis, past=batch_axis)
        return primitive.bind(x, axis=along, reverse=reverse), batch_axis

    return rule


def _jvp_rule(combine: Any) -> Any:
    def rule(primals: Any, tangents: Any, *, axis: int, reverse: bool) -> Any:
        def scan(x: Any) -> list[Any]:
            return scan_by_tree(
                lambda a, b: [combine(*a, *b)], [x], axis, reverse=reverse
            )

        (out,), (out_dot,) = jvp_of(scan, primals, tangents)
        return out, out_dot

    return rule


def _window_lower(combine: Any, start: Any) -> lowering.Rule:
    def rule(ctx: Any, x: Any, *, axis: int, reverse: bool) -> Sequence[Any]:
        (aval,) = ctx.avals_in
        if not aval.size:
            return [x]
        size, scalar = aval.shape[axis], ShapedArray((), aval.dtype)
        step = combination(combine, scalar)
        window = [size if one == axis else 1 for one in range(aval.ndim)]
        padding = np.zeros((aval.ndim, 2), np.int64)
        padding[axis, int(reverse)] = size - 1
        ones = lowering.i64_array([1] * aval.ndim)
        attributes = {
            "window_dimensions": lowering.i64_array(window),
            "window_strides": ones,
            "base_dilations": ones,
            "window_dilations": ones,
            "padding": lowering.dense_i64(padding),
        }
        return ctx.op_with_regions(
            "stablehlo.reduce_window",
            [x, ctx.constant(start(aval.dtype), scalar)],
            ctx.avals_out,
            attributes,
            [([scalar, scalar], lambda inner, a, b: inner.inline(step, [a, b]))],
        )

    return rule


def _scan_lower(ctx: Any, x: Any, *, axis: int, reverse: bool) -> Sequence[Any]:
    """GPUs have a scan: linear work, where a window would be quadratic."""
    (aval,) = ctx.avals_in
    if reverse or not aval.size or aval.dtype in dtypes.COMPLEXES:
        return _window_sum(ctx, x, axis=axis, reverse=reverse)
    rest = [size for one, size in enumerate(aval.shape) if one != axis]
    row = in_shape(ShapedArray((), aval.dtype), rest)
    step = stage(lambda a, b: [add(a, b)], [row, row])
    attributes = {
        "dimension": lowering.i64_attr(axis),
        "is_reverse": lowering.bool_attr(False),
        "is_associative": lowering.bool_attr(True),
        "operandSegmentSizes": lowering.parse_attr("array<i32: 1, 1>"),
        "resultSegmentSizes": lowering.parse_attr("array<i32: 1, 1>"),
    }

    def body(inner: Any, x: Any, carry: Any) -> list[Any]:
        return inner.inline(step, [x, carry]) * 2

    sums = ctx.op_with_regions(
        "chlo.scan",
        [x, ctx.constant(0, row)],
        [aval, row],
        attributes,
        [([row, row], body)],
    )
    return sums[:1]


_window_sum = _window_lower(add, zero_of)

define(
    cumsum_p,
    abstract_eval=_type_rule(cumsum_p, NUMBER),
    jvp=ad.linear(cumsum_p),
    transpose=lambda y_bar, x, *, axis, reverse: [cumsum(y_bar, axis, not reverse)],
    batch=_batch_rule(cumsum_p),
    lower=lowering.by_platform(
        lowering.shared(_window_sum), gpu=lowering.shared(_scan_lower)
    ),
)


def _define_scan(
    primitive: Primitive, accepted: Family, combine: Any, start: Any
) -> None:
    define(
        primitive,
        abstract_eval=_type_rule(primitive, accepted),
        jvp=_jvp_rule(combine),
        transpose=NOT_LINEAR,
        batch=_batch_rule(primitive),
        lower=lowering.shared(_window_lower(combine, start)),
    )


_define_scan(cumprod_p, NUMBER, mul, one_of)
_define_scan(cummax_p, NUMBER, max, lowest)
_define_scan(cummin_p, NUMBER, min, highest)
_define_scan(cumlogsumexp_p, FLOATING | COMPLEX, logaddexp, lowest)
