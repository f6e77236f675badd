"""Incomplete gamma and beta functions.

They are sums and continued fractions that run until every element has converged, so
they are loops, and stand above `control_flow`.

Source: spec/ad.md §4.1; the expansions are those of any handbook of functions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import lowering
from ..base.errors import ArgumentValueError
from ..core import NOT_DIFFERENTIABLE, NOT_LINEAR, Primitive, typeof
from ..interpreters import ad, batching
from .arithmetic import add, div, mul, neg, spread, sub
from .bits import bitwise_and, bitwise_not, bitwise_or
from .comparisons import eq, ge, gt, le, lt, ne
from .control_flow import while_loop
from .conversions import convert_element_type
from .definition import define
from .elementwise import abs, max
from .exponentials import exp, log, log1p
from .gamma_functions import lgamma
from .gamma_gradients import random_gamma_grad
from .generation import fill_like, scalar_like
from .reductions import reduce_or
from .selection import select_n
from .typing import FLOATING, joined_shape, nary_type

if TYPE_CHECKING:
    from .typing import Array, ArrayLike

__all__ = [
    "betainc",
    "igamma",
    "igamma_grad_a",
    "igamma_grad_a_p",
    "igamma_p",
    "igammac",
    "igammac_p",
    "regularized_incomplete_beta_p",
]

igamma_p = Primitive("igamma")
igammac_p = Primitive("igammac")
igamma_grad_a_p = Primitive("igamma_grad_a")
regularized_incomplete_beta_p = Primitive("regularized_incomplete_beta")

# A fraction that has not converged by then never will.
_MOST_STEPS = 2000
# Stands for a zero in a denominator of a continued fraction.
_TINY = 1e-30


def igamma(a: ArrayLike, x: ArrayLike) -> Array:
    """P(a, x) = 1/Γ(a) ∫₀ˣ t^(a-1) e^-t dt, from 0 to 1: f[*s], f[*s] -> f[*s].

    >>> import minijax as mj
    >>> print(f"{mj.lax.igamma(1.0, 1.0):.5f}")
    0.63212

    Raises:
      TypeError: no floats, differing dtypes, or shapes that do not fit.
    """
    return igamma_p.bind(a, x)


def igammac(a: ArrayLike, x: ArrayLike) -> Array:
    """1 - P(a, x), exact where P is near 1: f[*s], f[*s] -> f[*s].

    >>> import minijax as mj
    >>> print(f"{mj.lax.igammac(1.0, 1.0):.5f}")
    0.36788

    Raises:
      TypeError: no floats, differing dtypes, or shapes that do not fit.
    """
    return igammac_p.bind(a, x)


def igamma_grad_a(a: ArrayLike, x: ArrayLike) -> Array:
    """The derivative of `igamma` with respect to a: f[*s], f[*s] -> f[*s].

    >>> import minijax as mj
    >>> print(f"{mj.lax.igamma_grad_a(1.0, 1.0):.5f}")
    -0.43173

    Raises:
      TypeError: no floats, differing dtypes, or shapes that do not fit.
    """
    return igamma_grad_a_p.bind(a, x)


def betainc(a: ArrayLike, b: ArrayLike, x: ArrayLike) -> Array:
    """The regularized incomplete beta function I_x(a, b), from 0 to 1.

    >>> import minijax as mj
    >>> print(f"{mj.lax.betainc(2.0, 3.0, 0.5):.4f}")
    0.6875

    Raises:
      TypeError: no floats, differing dtypes, or shapes that do not fit.
    """
    return regularized_incomplete_beta_p.bind(a, b, x)


# --- what all share -------------------------------------------------------------------


def _in_float32(fun: Callable[..., Any]) -> Callable[..., Any]:
    """`fun` of operands of one shape, short floats computed in float32."""

    def rule(*operands: Any) -> Any:
        shape = joined_shape(fun.__name__, [typeof(x).shape for x in operands])
        operands = tuple(spread(x, shape) for x in operands)
        dtype = typeof(operands[0]).dtype
        if dtype in (np.float32, np.float64):
            return fun(*operands)
        wide = [convert_element_type(x, np.float32) for x in operands]
        return convert_element_type(fun(*wide), dtype)

    return rule


def _any(mask: Any) -> Any:
    return reduce_or(mask, tuple(range(typeof(mask).ndim)))


def _precision(x: Any) -> Any:
    """What a relative change must exceed to be more than rounding."""
    return scalar_like(x, 2 * np.finfo(typeof(x).dtype).eps)


def _replace(value: Any, *cases: tuple[Any, float]) -> Any:
    """`value`, but a constant where a mask holds; later cases win."""
    for mask, constant in cases:
        value = select_n(mask, value, fill_like(value, constant))
    return value


def _counts(part: Any, whole: Any) -> Any:
    """Whether a contribution is more than rounding."""
    return gt(abs(part), mul(_precision(whole), abs(whole)))


def _no_zero(x: Any) -> Any:
    return select_n(lt(abs(x), scalar_like(x, _TINY)), x, fill_like(x, _TINY))


# --- incomplete gamma -----------------------------------------------------------------

# For x <= 1 or x <= a a sum, elsewhere a continued fraction, both times the weight
# w = x^a e^-x / Γ(a):
#   P(a, x) = w/a · Σ x^n / ((a + 1)…(a + n))
#   1 - P(a, x) = w · 1/(x + 1 - a - 1(1 - a)/(x + 3 - a - 2(2 - a)/(x + 5 - a - …)))


def _gamma_sum(a: Any, x: Any, active: Any) -> Any:
    def goes_on(state: Any) -> Any:
        _, term, whole = state
        return _any(bitwise_and(active, _counts(term, whole)))

    def step(state: Any) -> Any:
        r, term, whole = state
        r = add(r, scalar_like(r, 1))
        term = mul(term, div(x, r))
        return r, term, add(whole, term)

    one = fill_like(x, 1)
    return while_loop(goes_on, step, (a, one, one))[2]


def _gamma_fraction(a: Any, x: Any, active: Any) -> Any:
    one = scalar_like(x, 1)

    def goes_on(state: Any) -> Any:
        i, *_, running = state
        return bitwise_and(lt(i, np.int32(_MOST_STEPS)), _any(running))

    def step(state: Any) -> Any:
        i, b, c, d, h, running = state
        i = add(i, np.int32(1))
        k = convert_element_type(i, typeof(x).dtype)
        b = add(b, scalar_like(b, 2))
        top = mul(k, sub(a, k))
        d = div(one, _no_zero(add(b, mul(top, d))))
        c = _no_zero(add(b, div(top, c)))
        return i, b, c, d, *_advanced(h, mul(c, d), running)

    b = add(sub(x, a), one)
    d = div(one, b)
    state = (np.int32(0), b, fill_like(x, 1 / _TINY), d, d, active)
    return while_loop(goes_on, step, state)[-2]


def _advanced(h: Any, factor: Any, running: Any) -> tuple[Any, Any]:
    """The next convergent, and which elements go on."""
    # What has converged stays: every further factor would add its rounding error.
    new = select_n(running, h, mul(h, factor))
    return new, bitwise_and(running, _counts(sub(new, h), new))


class Region(NamedTuple):
    """Where the functions of (a, x) are what, as masks."""

    outside: Any  # no value
    by_fraction: Any
    by_sum: Any
    log_weight: Any


def _gamma_region(a: Any, x: Any) -> Region:
    infinity, zero = scalar_like(x, np.inf), scalar_like(x, 0)
    is_nan = bitwise_or(ne(a, a), ne(x, x))
    outside = bitwise_or(is_nan, bitwise_or(lt(a, zero), lt(x, zero)))
    both_zero = bitwise_and(eq(a, zero), eq(x, zero))
    both_infinite = bitwise_and(eq(a, infinity), eq(x, infinity))
    outside = bitwise_or(outside, bitwise_or(both_zero, both_infinite))
    inner = bitwise_and(gt(a, zero), gt(x, zero))
    inner = bitwise_and(inner, bitwise_and(lt(a, infinity), lt(x, infinity)))
    far = bitwise_and(gt(x, scalar_like(x, 1)), gt(x, a))
    log_weight = sub(sub(mul(a, log(x)), x), lgamma(a))
    # Where the weight underflows there is nothing to sum up.
    limit = scalar_like(x, -np.log(np.finfo(typeof(x).dtype).max))
    inner = bitwise_and(inner, gt(log_weight, limit))
    return Region(
        outside,
        bitwise_and(inner, far),
        bitwise_and(inner, bitwise_not(far)),
        log_weight,
    )


def _gamma_parts(a: Any, x: Any) -> tuple[Region, Any, Any]:
    """The region, P by the sum and 1 - P by the fraction, each right in its place."""
    region = _gamma_region(a, x)
    weight = exp(region.log_weight)
    low = _gamma_sum(a, x, region.by_sum)
    high = _gamma_fraction(a, x, region.by_fraction)
    return region, div(mul(weight, low), a), mul(weight, high)


def _edges(a: Any, x: Any) -> tuple[Any, Any]:
    """Where P is 0, and where it is 1, without a computation."""
    zero, infinity = scalar_like(x, 0), scalar_like(x, np.inf)
    at_zero = bitwise_or(eq(x, zero), eq(a, infinity))
    at_one = bitwise_or(eq(a, zero), eq(x, infinity))
    return at_zero, at_one


def _igamma(a: Any, x: Any) -> Any:
    region, low, high = _gamma_parts(a, x)
    at_zero, at_one = _edges(a, x)
    vanishing = gt(x, max(a, scalar_like(a, 1)))
    rest = select_n(vanishing, fill_like(x, 0), fill_like(x, 1))
    value = select_n(region.by_sum, rest, low)
    value = select_n(region.by_fraction, value, sub(scalar_like(x, 1), high))
    return _replace(value, (at_one, 1.0), (at_zero, 0.0), (region.outside, np.nan))


def _igammac(a: Any, x: Any) -> Any:
    region, low, high = _gamma_parts(a, x)
    at_zero, at_one = _edges(a, x)
    vanishing = gt(x, max(a, scalar_like(a, 1)))
    rest = select_n(vanishing, fill_like(x, 1), fill_like(x, 0))
    value = select_n(region.by_sum, rest, sub(scalar_like(x, 1), low))
    value = select_n(region.by_fraction, value, high)
    return _replace(value, (at_one, 0.0), (at_zero, 1.0), (region.outside, np.nan))


def _igamma_grad_a(a: Any, x: Any) -> Any:
    # A sample x of rank P moves with a so that P stays: dP/da = -x' · dP/dx.
    slope = neg(mul(random_gamma_grad(a, x), _gamma_density(a, x)))
    infinity = scalar_like(x, np.inf)
    at_infinity = bitwise_or(eq(a, infinity), eq(x, infinity))
    outside = bitwise_or(le(a, scalar_like(a, 0)), lt(x, scalar_like(x, 0)))
    outside = bitwise_or(outside, bitwise_or(ne(a, a), ne(x, x)))
    return _replace(
        slope,
        (at_infinity, np.nan),
        (eq(x, scalar_like(x, 0)), 0.0),
        (outside, np.nan),
    )


def _gamma_density(a: Any, x: Any) -> Any:
    """dP/dx = x^(a - 1) e^-x / Γ(a)."""
    decay = neg(x)
    power = mul(sub(a, fill_like(a, 1)), log(x))
    return exp(sub(add(decay, power), lgamma(a)))


define(
    igamma_p,
    abstract_eval=nary_type(igamma_p, FLOATING),
    jvp=ad.partials(
        igamma_p,
        lambda a_dot, a, x: mul(a_dot, igamma_grad_a(a, x)),
        lambda x_dot, a, x: mul(x_dot, _gamma_density(a, x)),
    ),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(igamma_p),
    lower=lowering.shared(lowering.lower_function(_in_float32(_igamma))),
)
define(
    igammac_p,
    abstract_eval=nary_type(igammac_p, FLOATING),
    jvp=ad.partials(
        igammac_p,
        lambda a_dot, a, x: neg(mul(a_dot, igamma_grad_a(a, x))),
        lambda x_dot, a, x: neg(mul(x_dot, _gamma_density(a, x))),
    ),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(igammac_p),
    lower=lowering.shared(lowering.lower_function(_in_float32(_igammac))),
)
define(
    igamma_grad_a_p,
    abstract_eval=nary_type(igamma_grad_a_p, FLOATING),
    jvp=NOT_DIFFERENTIABLE,
    transpose=NOT_LINEAR,
    batch=batching.elementwise(igamma_grad_a_p),
    lower=lowering.shared(lowering.lower_function(_in_float32(_igamma_grad_a))),
)


# --- incomplete beta ------------------------------------------------------------------

# I_x(a, b) = x^a (1 - x)^b / (a B(a, b)) · 1/(1 + d₁/(1 + d₂/(1 + …))) with
#   d_2m = m(b - m)x / ((a + 2m - 1)(a + 2m)),
#   d_2m+1 = -(a + m)(a + b + m)x / ((a + 2m)(a + 2m + 1)),
# which converges fast for x < (a + 1)/(a + b + 2); elsewhere 1 - I_1-x(b, a) is taken.


def _beta_fraction(a: Any, b: Any, x: Any, active: Any) -> Any:
    one = scalar_like(x, 1)

    def goes_on(state: Any) -> Any:
        m, *_, running = state
        return bitwise_and(lt(m, np.int32(_MOST_STEPS)), _any(running))

    def advance(top: Any, c: Any, d: Any) -> tuple[Any, Any]:
        d = div(one, _no_zero(add(one, mul(top, d))))
        return _no_zero(add(one, div(top, c))), d

    def step(state: Any) -> Any:
        m, c, d, h, running = state
        m = add(m, np.int32(1))
        k = convert_element_type(m, typeof(x).dtype)
        ak = add(a, add(k, k))
        even = div(mul(mul(k, sub(b, k)), x), mul(sub(ak, one), ak))
        c, d = advance(even, c, d)
        factor = mul(c, d)
        odd = mul(mul(add(a, k), add(add(a, b), k)), x)
        c, d = advance(neg(div(odd, mul(ak, add(ak, one)))), c, d)
        return m, c, d, *_advanced(h, mul(factor, mul(c, d)), running)

    first = div(mul(add(a, b), x), add(a, one))
    d = div(one, _no_zero(sub(one, first)))
    state = (np.int32(0), fill_like(x, 1), d, d, active)
    return while_loop(goes_on, step, state)[-2]


def _log_beta_weight(a: Any, b: Any, x: Any) -> Any:
    """log(x^a (1 - x)^b / B(a, b))."""
    log_beta = sub(add(lgamma(a), lgamma(b)), lgamma(add(a, b)))
    return sub(add(mul(b, log1p(neg(x))), mul(a, log(x))), log_beta)


def _betainc(a: Any, b: Any, x: Any) -> Any:
    zero, one = scalar_like(x, 0), scalar_like(x, 1)
    infinity = scalar_like(x, np.inf)
    outside = bitwise_or(bitwise_not(ge(x, zero)), bitwise_not(le(x, one)))
    outside = bitwise_or(outside, bitwise_not(ge(a, zero)))
    outside = bitwise_or(outside, bitwise_not(ge(b, zero)))
    for limit in (zero, infinity):
        outside = bitwise_or(outside, bitwise_and(eq(a, limit), eq(b, limit)))
    at_zero = bitwise_or(eq(b, zero), eq(a, infinity))
    at_one = bitwise_or(eq(a, zero), eq(b, infinity))
    edges = bitwise_or(bitwise_or(at_zero, at_one), outside)
    active = bitwise_and(bitwise_not(edges), bitwise_and(gt(x, zero), lt(x, one)))
    turned = gt(x, div(add(a, one), add(add(a, b), scalar_like(x, 2))))
    p, q = select_n(turned, a, b), select_n(turned, b, a)
    y = select_n(turned, x, sub(one, x))
    weight = exp(_log_beta_weight(a, b, x))
    part = div(mul(weight, _beta_fraction(p, q, y, active)), p)
    value = select_n(turned, part, sub(one, part))
    return _replace(
        value,
        *((at_zero, 0.0), (at_one, 1.0)),
        *((eq(x, zero), 0.0), (eq(x, one), 1.0)),
        (outside, np.nan),
    )


def _beta_density(a: Any, b: Any, x: Any) -> Any:
    """dI/dx = x^(a - 1) (1 - x)^(b - 1) / B(a, b)."""
    log_beta = sub(add(lgamma(a), lgamma(b)), lgamma(add(a, b)))
    right = mul(sub(b, scalar_like(b, 1)), log1p(neg(x)))
    left = mul(sub(a, scalar_like(a, 1)), log(x))
    return exp(sub(add(right, left), log_beta))


def _refuse_parameter(*args: Any) -> Any:
    raise ArgumentValueError(
        "betainc(a, b, x) is differentiated with respect to x.",
        "Found a derivative with respect to a or b.",
    )


define(
    regularized_incomplete_beta_p,
    abstract_eval=nary_type(regularized_incomplete_beta_p, FLOATING),
    jvp=ad.partials(
        regularized_incomplete_beta_p,
        _refuse_parameter,
        _refuse_parameter,
        lambda x_dot, a, b, x: mul(_beta_density(a, b, x), x_dot),
    ),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(regularized_incomplete_beta_p),
    lower=lowering.shared(lowering.lower_function(_in_float32(_betainc))),
)
