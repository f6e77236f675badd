"""Modified Bessel functions of the first kind, scaled: e^-|x| I_n(x) for n = 0, 1.

XLA has the one of order 1. The one of order 0 is composed here of two Chebyshev series,
whose coefficients are computed from the power series and the asymptotic series when
they are first needed.

Source: spec/ad.md §4.1; the series are those of any handbook of functions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lowering
from ..core import NOT_LINEAR, Primitive, typeof
from ..interpreters import ad, batching
from .arithmetic import add, div, mul, reciprocal, sub
from .comparisons import gt, le
from .conversions import convert_element_type
from .definition import define
from .elementwise import abs, sign
from .exponentials import sqrt
from .generation import fill_like, scalar_like
from .selection import select_n
from .typing import FLOATING, unary_type

if TYPE_CHECKING:
    from .typing import Array, ArrayLike

__all__ = ["bessel_i0e", "bessel_i0e_p", "bessel_i1e", "bessel_i1e_p"]

bessel_i0e_p = Primitive("bessel_i0e")
bessel_i1e_p = Primitive("bessel_i1e")


def bessel_i0e(x: ArrayLike) -> Array:
    """e^-|x| I₀(x), the modified Bessel function of order 0: f[*s] -> f[*s].

    >>> import minijax as mj
    >>> print(f"{mj.lax.bessel_i0e(0.0):.5f}")
    1.00000

    Raises:
      TypeError: no float.
    """
    return bessel_i0e_p.bind(x)


def bessel_i1e(x: ArrayLike) -> Array:
    """e^-|x| I₁(x), the modified Bessel function of order 1: f[*s] -> f[*s].

    >>> import minijax as mj
    >>> print(mj.lax.bessel_i1e(0.0))
    0.0

    Raises:
      TypeError: no float.
    """
    return bessel_i1e_p.bind(x)


# --- order 0 --------------------------------------------------------------------------

# Up to |x| = 8 as a function of |x|/4 - 1, from there √|x|·I₀e as one of 16/|x| - 1.
_SPLIT = 8.0
# How many Chebyshev coefficients a dtype needs.
_TERMS = {np.dtype(np.float32): 18, np.dtype(np.float64): 32}


def _i0e(x: float) -> float:
    """e^-x I₀(x) in double precision, for x >= 0."""
    if x > 40:
        total, term, k = 1.0, 1.0, 1
        while k < 40 and term > 1e-18:
            term *= (2 * k - 1) ** 2 / (8 * x * k)
            total += term
            k += 1
        return total / math.sqrt(2 * math.pi * x)
    terms = [1.0]
    while terms[-1] > 1e-18 * terms[0] or len(terms) < x:
        terms.append(terms[-1] * (x / 2 / len(terms)) ** 2)
    return math.fsum(terms) * math.exp(-x)


def _chebyshev(f: Callable[[float], float], count: int) -> list[float]:
    """The coefficients of Σ c_k T_k(t) that equals f at the nodes in (-1, 1)."""
    angles = [math.pi * (j + 0.5) / count for j in range(count)]
    values = [f(math.cos(angle)) for angle in angles]
    return [
        (2 - (k == 0))
        / count
        * math.fsum(v * math.cos(k * a) for v, a in zip(values, angles, strict=True))
        for k in range(count)
    ]


@cache
def _series(dtype: np.dtype) -> tuple[list[float], list[float]]:
    count = _TERMS[dtype]
    near = _chebyshev(lambda t: _i0e(_SPLIT / 2 * (t + 1)), count)

    def beyond(t: float) -> float:
        x = 2 * _SPLIT / (t + 1)
        return math.sqrt(x) * _i0e(x)

    return near, _chebyshev(beyond, count)


def _clenshaw(t: Any, coefficients: list[float]) -> Any:
    """Σ c_k T_k(t), from the highest term down."""
    double, ahead, beyond = mul(scalar_like(t, 2), t), fill_like(t, 0), fill_like(t, 0)
    for c in reversed(coefficients[1:]):
        ahead, beyond = add(sub(mul(double, ahead), beyond), scalar_like(t, c)), ahead
    return add(sub(mul(t, ahead), beyond), scalar_like(t, coefficients[0]))


def _bessel_i0e(x: Any) -> Any:
    dtype = typeof(x).dtype
    if dtype not in _TERMS:
        wide = _bessel_i0e(convert_element_type(x, np.float32))
        return convert_element_type(wide, dtype)
    near, beyond = _series(dtype)
    size = abs(x)
    one = scalar_like(x, 1)
    inner = _clenshaw(sub(div(size, scalar_like(x, _SPLIT / 2)), one), near)
    outer = _clenshaw(sub(div(scalar_like(x, 2 * _SPLIT), size), one), beyond)
    is_near = le(size, scalar_like(x, _SPLIT))
    return select_n(is_near, div(outer, sqrt(size)), inner)


define(
    bessel_i0e_p,
    abstract_eval=unary_type(bessel_i0e_p, FLOATING),
    jvp=ad.partials_with_result(
        bessel_i0e_p,
        lambda x_dot, y, x: mul(x_dot, sub(bessel_i1e(x), mul(sign(x), y))),
    ),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(bessel_i0e_p),
    lower=lowering.shared(lowering.lower_function(_bessel_i0e)),
)


# --- order 1 --------------------------------------------------------------------------


def _bessel_i1e_partial(x_dot: Any, y: Any, x: Any) -> Any:
    # I₁e' = I₀e - I₁e·(sign x + 1/x), and ½ at 0, where the quotient has no value.
    is_double = typeof(x).dtype == np.float64
    epsilon = float(np.finfo(np.float64 if is_double else np.float32).eps)
    has_quotient = gt(abs(x), scalar_like(x, epsilon))
    safe = select_n(has_quotient, fill_like(x, epsilon), x)
    slope = sub(bessel_i0e(safe), mul(y, add(sign(safe), reciprocal(safe))))
    return mul(x_dot, select_n(has_quotient, fill_like(x, 0.5), slope))


define(
    bessel_i1e_p,
    abstract_eval=unary_type(bessel_i1e_p, FLOATING),
    jvp=ad.partials_with_result(bessel_i1e_p, _bessel_i1e_partial),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(bessel_i1e_p),
    lower=lowering.emit("chlo.bessel_i1e"),
)
