"""Size, sign, rounding, remainder, and the larger of two: piecewise simple functions.

Their derivatives are constants where they exist; at a kink a convention decides, which
is written next to each rule.

Source: spec/ad.md §4.1, spec/lowering.md §12.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lowering
from ..base import dtypes
from ..core import NOT_LINEAR, Primitive, typeof
from ..interpreters import ad, batching
from .arithmetic import add, div, mul, neg, spread, square
from .bits import bitwise_or
from .comparisons import eq, ge, gt, le, lt
from .complexes import complex, conj, imag, real
from .conversions import convert_element_type
from .definition import define
from .exponentials import sqrt
from .generation import fill, fill_like, scalar_like, strong_scalar
from .selection import select_n
from .typing import (
    ANY,
    COMPLEX,
    FLOATING,
    INTEGER,
    NUMBER,
    SIGNED,
    joined_shape,
    nary_type,
    unary_type,
)

if TYPE_CHECKING:
    from .typing import Array, ArrayLike

__all__ = [
    "RoundingMethod",
    "abs",
    "abs_p",
    "ceil",
    "ceil_p",
    "floor",
    "floor_p",
    "is_finite",
    "is_finite_p",
    "max",
    "max_p",
    "min",
    "min_p",
    "nextafter",
    "nextafter_p",
    "rem",
    "rem_p",
    "round",
    "round_p",
    "sign",
    "sign_p",
]

abs_p = Primitive("abs")
sign_p = Primitive("sign")
floor_p = Primitive("floor")
ceil_p = Primitive("ceil")
round_p = Primitive("round")
is_finite_p = Primitive("is_finite")
rem_p = Primitive("rem")
max_p = Primitive("max")
min_p = Primitive("min")
nextafter_p = Primitive("nextafter")


# --- abs ------------------------------------------------------------------------------


def abs(x: ArrayLike) -> Array:
    """Absolute value: T[*s] -> T[*s], complex to its real dtype.

    Its derivative at 0 is +1, of complex numbers 0.

    >>> import minijax as mj
    >>> print(mj.lax.abs(-3.0))
    3.0

    Raises:
      TypeError: a bool or an unsigned integer.
    """
    return abs_p.bind(x)


def _abs_partial(x_dot: Any, y: Any, x: Any) -> Any:
    if typeof(x).dtype not in dtypes.COMPLEXES:
        return select_n(ge(x, scalar_like(x, 0)), neg(x_dot), x_dot)
    # |x|' = Re(x_dot · conj(x)) / |x|, and 0 at 0.
    x_bar, size = conj(x), convert_element_type(y, typeof(x).dtype)
    is_zero = eq(size, scalar_like(size, 0))
    return real(mul(x_dot, div(x_bar, select_n(is_zero, size, fill_like(size, 1)))))


def _complex_abs(x: Any) -> Any:
    """√(re² + im²), scaled by a power of two so that no square over- or underflows."""
    re, im = real(x), imag(x)
    re_abs, im_abs = abs(re), abs(im)
    larger = max(re_abs, im_abs)
    limits = np.finfo(typeof(re).dtype)
    huge = 2.0 ** (limits.maxexp // 2 - 1)  # above, a square may overflow
    tiny = 2.0 ** -((limits.nmant + 1) // 2)  # below, a square may lose bits
    is_huge, is_tiny = ge(larger, fill_like(re, huge)), le(larger, fill_like(re, tiny))
    one, up, down = (fill_like(re, v) for v in (1, huge / tiny, tiny / huge))
    scale = select_n(is_huge, select_n(is_tiny, one, up), down)
    unscale = select_n(is_huge, select_n(is_tiny, one, down), up)
    squares = add(square(mul(re, scale)), square(mul(im, scale)))
    infinity = fill_like(re, np.inf)
    is_infinite = bitwise_or(eq(re_abs, infinity), eq(im_abs, infinity))
    return select_n(is_infinite, mul(sqrt(squares), unscale), infinity)


_emit_abs = lowering.emit("stablehlo.abs")
_lower_complex_abs = lowering.lower_function(_complex_abs)


def _abs_lower(ctx: Any, x: Any) -> Sequence[Any]:
    is_complex = ctx.avals_in[0].dtype in dtypes.COMPLEXES
    return (_lower_complex_abs if is_complex else _emit_abs)(ctx, x)


define(
    abs_p,
    abstract_eval=unary_type(
        abs_p, SIGNED | FLOATING | COMPLEX, result=dtypes.to_real_dtype
    ),
    jvp=ad.partials_with_result(abs_p, _abs_partial),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(abs_p),
    lower=_abs_lower,
)


# --- sign -----------------------------------------------------------------------------


def sign(x: ArrayLike) -> Array:
    """-1, 0 or 1; of complex numbers x / |x|, or 0: T[*s] -> T[*s].

    >>> import minijax as mj
    >>> print(mj.lax.sign(-3.0))
    -1.0

    Raises:
      TypeError: a bool.
    """
    return sign_p.bind(x)


def _sign_partial(x_dot: Any, y: Any, x: Any) -> Any:
    if typeof(x).dtype not in dtypes.COMPLEXES:
        return ad.Zero.from_primal(x)
    # Only the part of x_dot across x turns it: y' = i·y·Im(conj(y)·x_dot) / |x|.
    across = imag(mul(conj(y), x_dot))
    size = abs(x)
    is_zero = eq(size, scalar_like(size, 0))
    turn = div(across, select_n(is_zero, size, fill_like(size, 1)))
    return mul(y, complex(fill_like(turn, 0), turn))


_emit_sign = lowering.emit("stablehlo.sign")
_lower_unsigned_sign = lowering.lower_function(
    lambda x: select_n(eq(x, scalar_like(x, 0)), fill_like(x, 1), fill_like(x, 0))
)


def _sign_lower(ctx: Any, x: Any) -> Sequence[Any]:
    is_unsigned = ctx.avals_in[0].dtype in dtypes.UNSIGNED
    return (_lower_unsigned_sign if is_unsigned else _emit_sign)(ctx, x)


define(
    sign_p,
    abstract_eval=unary_type(sign_p, NUMBER),
    jvp=ad.partials_with_result(sign_p, _sign_partial),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(sign_p),
    lower=_sign_lower,
)


# --- rounding -------------------------------------------------------------------------


class RoundingMethod(enum.IntEnum):
    """Where a number halfway between two integers goes."""

    AWAY_FROM_ZERO = 0
    TO_NEAREST_EVEN = 1


def floor(x: ArrayLike) -> Array:
    """The largest integer that is not above x: f[*s] -> f[*s].

    >>> import minijax as mj
    >>> print(mj.lax.floor(-1.5))
    -2.0

    Raises:
      TypeError: no float.
    """
    return floor_p.bind(x)


def ceil(x: ArrayLike) -> Array:
    """The smallest integer that is not below x: f[*s] -> f[*s].

    >>> import minijax as mj
    >>> print(mj.lax.ceil(-1.5))
    -1.0

    Raises:
      TypeError: no float.
    """
    return ceil_p.bind(x)


def round(
    x: ArrayLike, rounding_method: RoundingMethod = RoundingMethod.AWAY_FROM_ZERO
) -> Array:
    """The nearest integer: f[*s] -> f[*s].

    >>> import minijax as mj
    >>> print(mj.lax.round(2.5))
    3.0
    >>> print(mj.lax.round(2.5, mj.lax.RoundingMethod.TO_NEAREST_EVEN))
    2.0

    Raises:
      TypeError: no float.
      ValueError: no rounding method.
    """
    return round_p.bind(x, rounding_method=RoundingMethod(rounding_method))


def is_finite(x: ArrayLike) -> Array:
    """Whether each element is neither infinite nor NaN: f[*s] -> bool[*s].

    >>> import minijax as mj
    >>> print(mj.lax.is_finite(1.0))
    True

    Raises:
      TypeError: no float.
    """
    return is_finite_p.bind(x)


define(
    floor_p,
    abstract_eval=unary_type(floor_p, FLOATING),
    jvp=ad.ZERO(floor_p),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(floor_p),
    lower=lowering.emit("stablehlo.floor"),
)
define(
    ceil_p,
    abstract_eval=unary_type(ceil_p, FLOATING),
    jvp=ad.ZERO(ceil_p),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(ceil_p),
    lower=lowering.emit("stablehlo.ceil"),
)

_emit_round = {
    RoundingMethod.AWAY_FROM_ZERO: lowering.emit("stablehlo.round_nearest_afz"),
    RoundingMethod.TO_NEAREST_EVEN: lowering.emit("stablehlo.round_nearest_even"),
}
define(
    round_p,
    abstract_eval=unary_type(round_p, FLOATING),
    jvp=ad.ZERO(round_p),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(round_p),
    lower=lambda ctx, x, *, rounding_method: _emit_round[rounding_method](ctx, x),
)
define(
    is_finite_p,
    abstract_eval=unary_type(is_finite_p, FLOATING, result=lambda dtype: dtypes.BOOL),
    jvp=ad.ZERO(is_finite_p),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(is_finite_p),
    lower=lowering.emit("stablehlo.is_finite"),
)


# --- rem and nextafter ----------------------------------------------------------------


def rem(x: ArrayLike, y: ArrayLike) -> Array:
    """The remainder of x / y, with the sign of x: T[*s], T[*s] -> T[*s].

    >>> import minijax as mj
    >>> print(mj.lax.rem(-7, 3))
    -1

    Raises:
      TypeError: bool or complex, differing dtypes, or shapes that do not fit.
    """
    return rem_p.bind(x, y)


def nextafter(x1: ArrayLike, x2: ArrayLike) -> Array:
    """The float next to x1 on the way to x2: f[*s], f[*s] -> f[*s].

    >>> import minijax as mj
    >>> print(mj.lax.nextafter(1.0, 2.0))
    1.0000001

    Raises:
      TypeError: no floats, differing dtypes, or shapes that do not fit.
    """
    return nextafter_p.bind(x1, x2)


define(
    rem_p,
    abstract_eval=nary_type(rem_p, INTEGER | FLOATING),
    jvp=ad.partials_with_result(
        rem_p,
        lambda x_dot, out, x, y: spread(x_dot, typeof(out).shape),
        # x - y·trunc(x / y): between jumps the quotient is a constant.
        lambda y_dot, out, x, y: mul(
            neg(y_dot), mul(sign(div(x, y)), floor(abs(div(x, y))))
        ),
    ),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(rem_p),
    lower=lowering.emit("stablehlo.remainder"),
)
define(
    nextafter_p,
    abstract_eval=nary_type(nextafter_p, FLOATING),
    jvp=ad.partials_with_result(
        nextafter_p,
        lambda x_dot, out, x, y: spread(x_dot, typeof(out).shape),
        None,
    ),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(nextafter_p),
    lower=lowering.emit("chlo.next_after"),
)


# --- max and min ----------------------------------------------------------------------


def max(x: ArrayLike, y: ArrayLike) -> Array:
    """The larger of two: T[*s], T[*s] -> T[*s]; NaN wins.

    Complex numbers are compared by real part, then by imaginary part.
    Where both are equal the derivative is shared in halves.

    >>> import minijax as mj
    >>> print(mj.lax.max(1.0, 2.0))
    2.0

    Raises:
      TypeError: dtypes differ or shapes do not fit.
    """
    return max_p.bind(x, y)


def min(x: ArrayLike, y: ArrayLike) -> Array:
    """The smaller of two: T[*s], T[*s] -> T[*s]; NaN wins.

    Complex numbers are compared by real part, then by imaginary part.
    Where both are equal the derivative is shared in halves.

    >>> import minijax as mj
    >>> print(mj.lax.min(1.0, 2.0))
    1.0

    Raises:
      TypeError: dtypes differ or shapes do not fit.
    """
    return min_p.bind(x, y)


def _share(x: Any, y: Any) -> Any:
    """1 where x > y, ½ where they are equal, else 0 (and 0 for NaN)."""
    above, equal = gt(x, y), eq(x, y)
    shape, dtype = typeof(above).shape, typeof(x).dtype
    # Not weak, as in jax: the derivative of a weak value is strong here.
    one, zero, half = (fill(strong_scalar(n, dtype), shape) for n in (1, 0, 0.5))
    return select_n(above, select_n(equal, zero, half), one)


def _lexicographic(better: Any) -> Any:
    def choose(x: Any, y: Any) -> Any:
        shape = joined_shape("max", [typeof(x).shape, typeof(y).shape])
        x, y = spread(x, shape), spread(y, shape)
        re_x, re_y = real(x), real(y)
        by_real, by_imag = better(re_x, re_y), better(imag(x), imag(y))
        return select_n(select_n(eq(re_x, re_y), by_real, by_imag), y, x)

    return lowering.lower_function(choose)


def _extremum_lower(op: str, better: Any) -> Any:
    plain, by_parts = lowering.emit(op), _lexicographic(better)

    def rule(ctx: Any, x: Any, y: Any) -> Sequence[Any]:
        is_complex = ctx.avals_in[0].dtype in dtypes.COMPLEXES
        return (by_parts if is_complex else plain)(ctx, x, y)

    return rule


define(
    max_p,
    abstract_eval=nary_type(max_p, ANY),
    jvp=ad.partials(
        max_p,
        lambda x_dot, x, y: mul(x_dot, _share(x, y)),
        lambda y_dot, x, y: mul(y_dot, _share(y, x)),
    ),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(max_p),
    lower=_extremum_lower("stablehlo.maximum", gt),
)
define(
    min_p,
    abstract_eval=nary_type(min_p, ANY),
    jvp=ad.partials(
        min_p,
        lambda x_dot, x, y: mul(x_dot, _share(y, x)),
        lambda y_dot, x, y: mul(y_dot, _share(x, y)),
    ),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(min_p),
    lower=_extremum_lower("stablehlo.minimum", lt),
)
