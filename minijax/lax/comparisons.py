"""Comparisons: two operands of one dtype to bool, element by element.

The `_to` forms follow IEEE's total order, in which -0 < +0 and NaN equals itself; sorts
and searches need them.

Source: spec/primitives.md §4.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .. import lowering
from ..base import dtypes
from ..base.errors import DTypeNotAcceptedError
from ..core import NOT_LINEAR, Primitive, ShapedArray
from ..interpreters import ad, batching
from .conversions import comparison_type
from .definition import define
from .result_types import in_shape, require_one_dtype
from .typing import ANY, ORDERED, joined_type, nary_type

if TYPE_CHECKING:
    from .typing import Array, ArrayLike

__all__ = [
    "eq",
    "eq_p",
    "eq_to_p",
    "ge",
    "ge_p",
    "gt",
    "gt_p",
    "le",
    "le_p",
    "le_to_p",
    "lt",
    "lt_p",
    "lt_to_p",
    "ne",
    "ne_p",
]

eq_p = Primitive("eq")
ne_p = Primitive("ne")
lt_p = Primitive("lt")
le_p = Primitive("le")
gt_p = Primitive("gt")
ge_p = Primitive("ge")
eq_to_p = Primitive("eq_to")
lt_to_p = Primitive("lt_to")
le_to_p = Primitive("le_to")


def eq(x: ArrayLike, y: ArrayLike) -> Array:
    """Whether elements are equal: T[*s], T[*s] -> bool[*s]. NaN equals nothing.

    >>> import minijax as mj
    >>> print(mj.lax.eq(1.0, 1.0))
    True

    Raises:
      TypeError: dtypes differ or shapes do not fit.
    """
    return eq_p.bind(x, y)


def ne(x: ArrayLike, y: ArrayLike) -> Array:
    """Whether elements differ: T[*s], T[*s] -> bool[*s].

    >>> import minijax as mj
    >>> print(mj.lax.ne(1.0, 1.0))
    False

    Raises:
      TypeError: dtypes differ or shapes do not fit.
    """
    return ne_p.bind(x, y)


def lt(x: ArrayLike, y: ArrayLike) -> Array:
    """Whether x < y: T[*s], T[*s] -> bool[*s], not for complex numbers.

    >>> import minijax as mj
    >>> print(mj.lax.lt(1, 2))
    True

    Raises:
      TypeError: dtypes differ, have no order, or shapes do not fit.
    """
    return lt_p.bind(x, y)


def le(x: ArrayLike, y: ArrayLike) -> Array:
    """Whether x <= y: T[*s], T[*s] -> bool[*s], not for complex numbers.

    >>> import minijax as mj
    >>> print(mj.lax.le(2, 2))
    True

    Raises:
      TypeError: dtypes differ, have no order, or shapes do not fit.
    """
    return le_p.bind(x, y)


def gt(x: ArrayLike, y: ArrayLike) -> Array:
    """Whether x > y: T[*s], T[*s] -> bool[*s], not for complex numbers.

    >>> import minijax as mj
    >>> print(mj.lax.gt(1, 2))
    False

    Raises:
      TypeError: dtypes differ, have no order, or shapes do not fit.
    """
    return gt_p.bind(x, y)


def ge(x: ArrayLike, y: ArrayLike) -> Array:
    """Whether x >= y: T[*s], T[*s] -> bool[*s], not for complex numbers.

    >>> import minijax as mj
    >>> print(mj.lax.ge(2, 2))
    True

    Raises:
      TypeError: dtypes differ, have no order, or shapes do not fit.
    """
    return ge_p.bind(x, y)


# --- rules ----------------------------------------------------------------------------


def _to_bool(dtype: Any) -> Any:
    return dtypes.BOOL


def _equality_type(primitive: Primitive) -> Any:
    numeric = nary_type(primitive, ANY, result=_to_bool)

    def rule(x: ShapedArray, y: ShapedArray) -> ShapedArray:
        # Random keys can be told apart, which is all one can do with them.
        if not dtypes.is_extended(x.dtype) or not dtypes.is_extended(y.dtype):
            return numeric(x, y)
        require_one_dtype(primitive.name, (x, y))
        if not dtypes.issubdtype(x.dtype, dtypes.prng_key):
            raise DTypeNotAcceptedError(primitive.name, str(x.dtype), ANY.names)
        return joined_type(primitive.name, (x, y), dtypes.BOOL)

    return rule


def _comparison(direction: str, *, total_order: bool = False) -> lowering.Rule:
    def rule(ctx: Any, *operands: Any) -> Sequence[Any]:
        (aval, _), (out,) = ctx.avals_in, ctx.avals_out
        x, y = lowering.broadcast_operands(ctx, operands)
        kind = comparison_type(lowering.physical_aval(aval), total_order=total_order)
        result = lowering.compare(ctx, direction, x, y, in_shape(aval, out.shape), kind)
        if dtypes.is_extended(aval.dtype):
            result = _any_or_all(ctx, result, direction, out)
        return [result]

    return rule


def _any_or_all(ctx: Any, words: Any, direction: str, out: ShapedArray) -> Any:
    """Keys are equal if all their words are, and differ if any does."""
    op = "stablehlo.and" if direction == "EQ" else "stablehlo.or"
    scalar = in_shape(out, ())
    start = ctx.constant(direction == "EQ", scalar)

    def step(inner: Any, x: Any, y: Any) -> list[Any]:
        return [inner.op(op, [x, y], scalar)]

    summed = range(out.ndim, words.type.rank)
    return lowering.reduce(ctx, [words], [start], summed, [out], step)[0]


def _define_equality(primitive: Primitive, direction: str) -> None:
    define(
        primitive,
        abstract_eval=_equality_type(primitive),
        jvp=ad.ZERO(primitive),
        transpose=NOT_LINEAR,
        batch=batching.elementwise(primitive),
        lower=_comparison(direction),
    )


def _define_order(
    primitive: Primitive, direction: str, *, total_order: bool = False
) -> None:
    define(
        primitive,
        abstract_eval=nary_type(primitive, ORDERED, result=_to_bool),
        jvp=ad.ZERO(primitive),
        transpose=NOT_LINEAR,
        batch=batching.elementwise(primitive),
        lower=_comparison(direction, total_order=total_order),
    )


_define_equality(eq_p, "EQ")
_define_equality(ne_p, "NE")
_define_order(lt_p, "LT")
_define_order(le_p, "LE")
_define_order(gt_p, "GT")
_define_order(ge_p, "GE")
_define_order(eq_to_p, "EQ", total_order=True)
_define_order(lt_to_p, "LT", total_order=True)
_define_order(le_to_p, "LE", total_order=True)
