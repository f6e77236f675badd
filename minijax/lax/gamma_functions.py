"""lgamma, digamma, polygamma and zeta.

XLA has the last three; its lgamma has an absolute error that shows near the zeros at 1
and 2, so ours is composed here.

Source: spec/ad.md §4.1; the series are those of any handbook of functions.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lowering
from ..base.errors import ArgumentValueError
from ..core import NOT_DIFFERENTIABLE, NOT_LINEAR, Primitive, typeof
from ..interpreters import ad, batching
from .arithmetic import add, div, mul, neg, square, sub
from .comparisons import eq, gt, lt
from .conversions import convert_element_type
from .definition import define
from .elementwise import RoundingMethod, abs, round
from .exponentials import log, log1p
from .generation import fill_like, scalar_like
from .selection import select_n
from .trigonometry import sin
from .typing import FLOATING, nary_type, unary_type

if TYPE_CHECKING:
    from .typing import Array, ArrayLike

__all__ = [
    "digamma",
    "digamma_p",
    "lgamma",
    "lgamma_p",
    "polygamma",
    "polygamma_p",
    "zeta",
    "zeta_p",
]

lgamma_p = Primitive("lgamma")
digamma_p = Primitive("digamma")
polygamma_p = Primitive("polygamma")
zeta_p = Primitive("zeta")


def lgamma(x: ArrayLike) -> Array:
    """log |Γ(x)|: f[*s] -> f[*s]; infinite at 0, -1, -2, …

    >>> import minijax as mj
    >>> print(mj.lax.lgamma(1.0))
    0.0

    Raises:
      TypeError: no float.
    """
    return lgamma_p.bind(x)


def digamma(x: ArrayLike) -> Array:
    """The derivative of lgamma: f[*s] -> f[*s].

    >>> import minijax as mj
    >>> print(f"{mj.lax.digamma(1.0):.5f}")
    -0.57722

    Raises:
      TypeError: no float.
    """
    return digamma_p.bind(x)


def polygamma(m: ArrayLike, x: ArrayLike) -> Array:
    """The m-th derivative of digamma, for a whole m >= 0: f[*s], f[*s] -> f[*s].

    >>> import minijax as mj
    >>> print(f"{mj.lax.polygamma(1.0, 1.0):.5f}")
    1.64493

    Raises:
      TypeError: no floats, differing dtypes, or shapes that do not fit.
    """
    return polygamma_p.bind(m, x)


def zeta(x: ArrayLike, q: ArrayLike) -> Array:
    """Hurwitz's ζ(x, q) = Σ (q + k)^-x over k >= 0, for x > 1: f[*s], f[*s] -> f[*s].

    >>> import minijax as mj
    >>> print(f"{mj.lax.zeta(2.0, 1.0):.5f}")
    1.64493

    Raises:
      TypeError: no floats, differing dtypes, or shapes that do not fit.
    """
    return zeta_p.bind(x, q)


# --- lgamma ---------------------------------------------------------------------------

# Around 2, with u = 2 + z and |z| <= ½,
#   lgamma(u) = (1 - γ)·z + Σ_{k >= 2} (-1)^k (ζ(k) - 1)/k · z^k,
# whose terms fall like (z/2)^k. Every 0.5 <= t < 8 is a few whole steps away from such
# a u, and each step adds or subtracts a logarithm. From 8 on, Stirling's series
#   (t - ½)(log t - 1) + ½(log 2π - 1) + Σ B_2k / (2k(2k - 1) t^(2k - 1))
# is exact to all digits. What is left of ½ is reflected:
#   lgamma(x) = log(π / |sin πx|) - lgamma(1 - x).

# How many terms of the two series a dtype needs.
_TERMS = {np.dtype(np.float32): (13, 3), np.dtype(np.float64): (27, 8)}
_STIRLING_FROM = 8
_EULER = 0.57721566490153286
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)


@cache
def _zeta_minus_one(k: int) -> float:
    """ζ(k) - 1, by Euler and Maclaurin from the 40th summand on."""
    n, falling = 40, k * (k + 1) * (k + 2)
    tail = n ** (1 - k) / (k - 1) + n**-k / 2 + k * n ** (-k - 1) / 12
    tail -= falling * n ** (-k - 3) / 720
    tail += falling * (k + 3) * (k + 4) * n ** (-k - 5) / 30240
    return math.fsum([*(m**-k for m in range(2, n)), tail])


def _around_two(count: int) -> list[float]:
    """The coefficients of lgamma(2 + z) / z, lowest first."""
    rest = [(-1) ** k * _zeta_minus_one(k) / k for k in range(2, count + 1)]
    return [1 - _EULER, *rest]


def _stirling_series(count: int) -> list[float]:
    """The coefficients of Stirling's sum over 1/t, in powers of 1/t², lowest first."""
    return [
        b / (2 * k * (2 * k - 1)) for k, b in enumerate(_BERNOULLI[:count], start=1)
    ]


def _polynomial(x: Any, coefficients: list[float]) -> Any:
    """Horner's scheme, coefficients lowest first."""
    value = fill_like(x, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        value = add(mul(value, x), scalar_like(x, coefficient))
    return value


def _lgamma(x: Any) -> Any:
    dtype = typeof(x).dtype
    if dtype not in _TERMS:
        return convert_element_type(_lgamma(convert_element_type(x, np.float32)), dtype)
    is_left = lt(x, scalar_like(x, 0.5))
    t = select_n(is_left, x, sub(scalar_like(x, 1), x))
    is_small = lt(t, scalar_like(t, _STIRLING_FROM))
    right = select_n(is_small, _lgamma_large(t), _lgamma_small(t))
    from_integer = sub(x, round(x, RoundingMethod.TO_NEAREST_EVEN))
    sine = sin(mul(scalar_like(x, math.pi), abs(from_integer)))
    left = sub(sub(scalar_like(x, math.log(math.pi)), log(sine)), right)
    value = select_n(is_left, right, left)
    infinity = fill_like(x, np.inf)
    return select_n(eq(abs(x), infinity), value, infinity)


def _lgamma_small(t: Any) -> Any:
    one, terms = scalar_like(t, 1), _TERMS[typeof(t).dtype][0]
    is_below = lt(t, scalar_like(t, 1.5))
    u = select_n(is_below, t, add(t, one))
    product = fill_like(t, 1)
    for _ in range(_STIRLING_FROM - 2):
        is_above = gt(u, scalar_like(u, 2.5))
        u = select_n(is_above, u, sub(u, one))
        product = select_n(is_above, product, mul(product, u))
    # By log1p: near 1 and 2 both terms are small, and their error must be smaller yet.
    logarithm = log1p(sub(select_n(is_below, product, t), one))
    steps = select_n(is_below, logarithm, neg(logarithm))
    z = sub(
        select_n(is_below, u, t), select_n(is_below, fill_like(t, 2), fill_like(t, 1))
    )
    return add(mul(z, _polynomial(z, _around_two(terms))), steps)


def _lgamma_large(t: Any) -> Any:
    inverse = div(scalar_like(t, 1), t)
    series = _polynomial(square(inverse), _stirling_series(_TERMS[typeof(t).dtype][1]))
    main = mul(sub(t, scalar_like(t, 0.5)), sub(log(t), scalar_like(t, 1)))
    constant = scalar_like(t, (math.log(2 * math.pi) - 1) / 2)
    return add(main, add(constant, mul(inverse, series)))


define(
    lgamma_p,
    abstract_eval=unary_type(lgamma_p, FLOATING),
    jvp=ad.partials(lgamma_p, lambda x_dot, x: mul(x_dot, digamma(x))),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(lgamma_p),
    lower=lowering.shared(lowering.lower_function(_lgamma)),
)
define(
    digamma_p,
    abstract_eval=unary_type(digamma_p, FLOATING),
    jvp=ad.partials(
        digamma_p, lambda x_dot, x: mul(x_dot, polygamma(scalar_like(x, 1), x))
    ),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(digamma_p),
    lower=lowering.emit("chlo.digamma"),
)


# --- polygamma and zeta ---------------------------------------------------------------


def _refuse_order(*args: Any) -> Any:
    raise ArgumentValueError(
        "polygamma(m, x) is differentiated with respect to x.",
        "Found a derivative with respect to its order m, which is a whole number.",
    )


define(
    polygamma_p,
    abstract_eval=nary_type(polygamma_p, FLOATING),
    jvp=ad.partials(
        polygamma_p,
        _refuse_order,
        lambda x_dot, m, x: mul(x_dot, polygamma(add(m, scalar_like(m, 1)), x)),
    ),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(polygamma_p),
    lower=lowering.emit("chlo.polygamma"),
)
define(
    zeta_p,
    abstract_eval=nary_type(zeta_p, FLOATING),
    jvp=NOT_DIFFERENTIABLE,
    transpose=NOT_LINEAR,
    batch=batching.elementwise(zeta_p),
    lower=lowering.emit("chlo.zeta"),
)
