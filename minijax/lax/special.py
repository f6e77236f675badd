"""Error functions and logaddexp.

Source: spec/ad.md §4.1, spec/lowering.md §12.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lowering
from ..base import dtypes
from ..core import NOT_LINEAR, Primitive, hiding_unset, typeof
from ..interpreters import ad, batching
from .accuracies import AccuracyMode
from .arithmetic import add, mul, neg, spread, square, sub
from .bits import bitwise_and
from .comparisons import eq, lt, ne
from .complexes import complex, imag, real
from .conversions import bitcast_convert_type
from .definition import define
from .elementwise import abs, max, min, rem
from .exponentials import exp, log1p
from .generation import fill_like, scalar_like
from .selection import select_n
from .typing import COMPLEX, FLOATING, joined_shape, nary_type, unary_type

if TYPE_CHECKING:
    from .accuracies import Accuracy
    from .typing import Array, ArrayLike

__all__ = [
    "erf",
    "erf_inv",
    "erf_inv_p",
    "erf_p",
    "erfc",
    "erfc_p",
]

erf_p = Primitive("erf")
erfc_p = Primitive("erfc")
erf_inv_p = Primitive("erf_inv")
exp_neg_square_p = Primitive("exp_neg_square")


# --- erf ------------------------------------------------------------------------------


def erf(x: ArrayLike) -> Array:
    """The error function, 2/√π ∫₀ˣ exp(-t²) dt: f[*s] -> f[*s].

    >>> import minijax as mj
    >>> print(mj.lax.erf(0.0))
    0.0

    Raises:
      TypeError: no float.
    """
    return erf_p.bind(x)


def erfc(x: ArrayLike, *, accuracy: Accuracy = None) -> Array:
    """1 - erf(x), exact for large x: f[*s] -> f[*s].

    >>> import minijax as mj
    >>> print(mj.lax.erfc(0.0))
    1.0

    Raises:
      TypeError: no float.
    """
    return erfc_p.bind(x, accuracy=accuracy)


def erf_inv(x: ArrayLike) -> Array:
    """The inverse of erf: f[*s] -> f[*s]; NaN outside -1 to 1.

    >>> import minijax as mj
    >>> print(mj.lax.erf_inv(0.0))
    0.0

    Raises:
      TypeError: no float.
    """
    return erf_inv_p.bind(x)


def exp_neg_square(x: ArrayLike) -> Array:
    """exp(-x²) to full precision, for derivatives of erf: f[*s] -> f[*s].

    >>> import minijax as mj
    >>> print(mj.lax.exp_neg_square(0.0))
    1.0

    Raises:
      TypeError: no float.
    """
    return exp_neg_square_p.bind(x)


# For large x the rounding error of x², though relatively tiny, is absolutely large and
# lands in the exponent. So x is cut to h, short enough for h² to be exact, and
#   exp(-x²) = exp(-h²) · exp(-d),   d = x² - h² = (x - h)(x + h),
# where d is small: exp(-d) = 1 - d·p(-d) with the first terms of the Taylor series.
# Fields: beyond this x the result is 0; x as bits; how many are cut; terms of p.
_SPLITS: dict[Any, tuple[float, Any, int, int]] = {
    np.dtype(np.float32): (11.0, np.dtype(np.uint32), 12, 5),
    np.dtype(np.float64): (28.0, np.dtype(np.uint64), 27, 4),
}
_OTHERS_END = 28.0


def _exp_neg_square(x: Any) -> Any:
    dtype = typeof(x).dtype
    if dtype not in _SPLITS:
        return exp(neg(square(x)))
    end, bits, cut, terms = _SPLITS[dtype]
    x = min(abs(x), scalar_like(x, end))
    kept = (1 << 8 * bits.itemsize) - (1 << cut)
    short = bitwise_and(bitcast_convert_type(x, bits), bits.type(kept))
    h = bitcast_convert_type(short, dtype)
    main = exp(neg(mul(h, h)), accuracy=AccuracyMode.HIGHEST)
    rest = neg(mul(sub(x, h), add(x, h)))
    series = scalar_like(x, 1 / math.factorial(terms))
    for k in range(terms - 1, 0, -1):
        series = add(mul(series, rest), scalar_like(x, 1 / math.factorial(k)))
    return add(main, mul(main, mul(rest, series)))


def _exp_neg_square_partial(x_dot: Any, y: Any, x: Any) -> Any:
    end = _SPLITS.get(typeof(x).dtype, (_OTHERS_END,))[0]
    # Where y is 0, an infinite x would make the product NaN.
    inside = lt(abs(x), scalar_like(x, end))
    factor = mul(scalar_like(x, -2), select_n(inside, fill_like(x, 0), x))
    return mul(mul(factor, y), x_dot)


define(
    exp_neg_square_p,
    abstract_eval=unary_type(exp_neg_square_p, FLOATING),
    jvp=ad.partials_with_result(exp_neg_square_p, _exp_neg_square_partial),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(exp_neg_square_p),
    lower=lowering.lower_function(_exp_neg_square),
)

_2_BY_ROOT_PI = 2 / math.sqrt(math.pi)
_ROOT_PI_BY_2 = math.sqrt(math.pi) / 2

define(
    erf_p,
    abstract_eval=unary_type(erf_p, FLOATING),
    jvp=ad.partials(
        erf_p,
        lambda x_dot, x: mul(
            scalar_like(x, _2_BY_ROOT_PI), mul(x_dot, exp_neg_square(x))
        ),
    ),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(erf_p),
    lower=lowering.emit("chlo.erf"),
)
_emit_erfc = lowering.emit("chlo.erfc")

define(
    erfc_p,
    abstract_eval=unary_type(erfc_p, FLOATING),
    jvp=ad.partials(
        erfc_p,
        lambda x_dot, x, *, accuracy: mul(
            scalar_like(x, -_2_BY_ROOT_PI), mul(x_dot, exp_neg_square(x))
        ),
    ),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(erfc_p),
    lower=lambda ctx, x, *, accuracy: _emit_erfc(ctx, x),
    printing=hiding_unset("accuracy"),
)

define(
    erf_inv_p,
    abstract_eval=unary_type(erf_inv_p, FLOATING),
    jvp=ad.partials_with_result(
        erf_inv_p,
        lambda x_dot, y, x: mul(
            scalar_like(x, _ROOT_PI_BY_2), mul(x_dot, exp(square(y)))
        ),
    ),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(erf_inv_p),
    lower=lowering.emit("chlo.erf_inv"),
)


# --- logaddexp ------------------------------------------------------------------------

logaddexp_p = Primitive("logaddexp")


def logaddexp(x: ArrayLike, y: ArrayLike) -> Array:
    """log(e^x + e^y), without overflow: f[*s], f[*s] -> f[*s].

    >>> import minijax as mj
    >>> print(mj.lax.logaddexp(1000.0, 1000.0))
    1000.6932

    Raises:
      TypeError: integers or bool, differing dtypes, or shapes that do not fit.
    """
    return logaddexp_p.bind(x, y)


def _logaddexp(x: Any, y: Any) -> Any:
    shape = joined_shape("logaddexp", [typeof(x).shape, typeof(y).shape])
    x, y = spread(x, shape), spread(y, shape)
    larger = max(x, y)
    if typeof(x).dtype in dtypes.COMPLEXES:
        smaller = sub(add(x, y), mul(larger, scalar_like(larger, 2)))
        return _principal(add(larger, log1p(exp(smaller))))
    apart = sub(x, y)
    usual = add(larger, log1p(exp(neg(abs(apart)))))
    # Infinities of one sign have no difference; NaN has none either.
    return select_n(ne(apart, apart), usual, add(x, y))


def _principal(z: Any) -> Any:
    """`z` with its imaginary part brought between -π and π."""
    re, im = real(z), imag(z)
    pi, turn = scalar_like(im, math.pi), scalar_like(im, 2 * math.pi)
    angle = rem(add(im, pi), turn)
    is_negative = lt(angle, scalar_like(angle, 0))
    angle = select_n(is_negative, angle, add(angle, turn))
    return complex(re, sub(angle, pi))


def _logaddexp_jvp(primals: Any, tangents: Any) -> tuple[Any, Any]:
    out = logaddexp_p.bind(*primals)
    out_dot: Any = ad.Zero.from_primal(out)
    for x, x_dot in zip(primals, tangents, strict=True):
        if x_dot.__class__ is not ad.Zero:
            term = mul(x_dot, exp(_log_weight(x, out)))
            out_dot = term if out_dot.__class__ is ad.Zero else add(out_dot, term)
    return out, out_dot


def _log_weight(x: Any, out: Any) -> Any:
    """log(e^x / e^out), which is 0 for an infinite x though it is no difference."""
    shape = typeof(out).shape
    size = real(x) if typeof(x).dtype in dtypes.COMPLEXES else x
    at_infinity = spread(eq(size, scalar_like(size, np.inf)), shape)
    zeros = fill_like(out, 0)
    return sub(
        select_n(at_infinity, spread(x, shape), zeros),
        select_n(at_infinity, out, zeros),
    )


define(
    logaddexp_p,
    abstract_eval=nary_type(logaddexp_p, FLOATING | COMPLEX),
    jvp=_logaddexp_jvp,
    transpose=NOT_LINEAR,
    batch=batching.elementwise(logaddexp_p),
    lower=lowering.lower_function(_logaddexp),
)
