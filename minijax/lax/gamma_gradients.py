"""How a gamma-distributed sample moves with its shape parameter.

With P the distribution function of the sample x and p its density, the derivative is
-(dP/da) / p, whichever way the sample was drawn. P and its derivative come from a power
series below the bulk of the distribution and from a continued fraction above it; both
are summed until their derivatives settle.

Source: spec/random.md §12; M. Figurnov, S. Mohamed, A. Mnih, Implicit
Reparameterization Gradients, 2018; Numerical recipes of the incomplete gamma function.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..base import dtypes
from ..base.errors import ArgumentTypeError
from ..core import typeof
from .arithmetic import add, div, mul, neg, spread, sub
from .bits import bitwise_and, bitwise_not, bitwise_or
from .comparisons import eq, gt, le, lt, ne
from .control_flow import while_loop
from .conversions import convert_element_type
from .elementwise import abs as absolute
from .exponentials import log
from .gamma_functions import digamma, lgamma
from .generation import full
from .reductions import reduce_or
from .selection import select
from .shapes import broadcast_shapes
from .typing import FLOATING, check_dtype

if TYPE_CHECKING:
    from .typing import Array

__all__ = ["random_gamma_grad"]

# The continued fraction has settled long before, or never does.
_MOST_TERMS = 2000


def random_gamma_grad(a: Array, x: Array) -> Array:
    """The derivative of a sample `x` by its parameter `a`: f[*s], f[*t] -> f[*u].

    0 where the sample is 0; NaN where `a` is not positive or `x` is negative.

    >>> import minijax as mj, numpy as np
    >>> print(mj.lax.random_gamma_grad(np.float32(2.0), np.float32(1.0)))
    0.6362484

    Raises:
      TypeError: no floats, or differing dtypes.
      ValueError: shapes that do not broadcast.
    """
    a_aval, x_aval = typeof(a), typeof(x)
    check_dtype("random_gamma_grad", a_aval.dtype, FLOATING)
    if a_aval.dtype != x_aval.dtype:
        raise ArgumentTypeError(
            "random_gamma_grad takes two arrays of one dtype.",
            f"Found {a_aval} and {x_aval}.",
        )
    shape = broadcast_shapes(a_aval.shape, x_aval.shape)
    a, x, dtype = spread(a, shape), spread(x, shape), a_aval.dtype
    if dtypes.itemsize_bits(dtype) >= 32:
        return _gradient(a, x)
    wide = np.dtype(np.float32)
    a, x = convert_element_type(a, wide), convert_element_type(x, wide)
    return convert_element_type(_gradient(a, x), dtype)


class _Numbers:
    """Constants in the dtype and shape of the operands."""

    def __init__(self, x: Any) -> None:
        aval = typeof(x)
        self.dtype, self.shape = aval.dtype, aval.shape
        self.eps = float(dtypes.finfo(aval.dtype).eps)

    def __call__(self, value: float) -> Any:
        return self.dtype.type(value)

    def full(self, value: float) -> Any:
        return full(self.shape, self(value))


def _gradient(a: Any, x: Any) -> Any:
    number = _Numbers(a)
    is_nan = bitwise_or(ne(a, a), ne(x, x))
    is_zero = eq(x, number(0))
    is_wrong = bitwise_or(lt(x, number(0)), le(a, number(0)))
    is_above = bitwise_and(gt(x, number(1)), gt(x, a))
    size = sub(sub(mul(a, log(x)), x), lgamma(a))
    vanishes = lt(size, neg(log(number(float(dtypes.finfo(number.dtype).max)))))
    skipped = bitwise_or(bitwise_or(bitwise_or(is_zero, is_wrong), vanishes), is_nan)
    wanted = bitwise_not(skipped)
    above = _by_fraction(a, x, bitwise_and(wanted, is_above), number)
    below = _by_series(a, x, bitwise_and(wanted, bitwise_not(is_above)), number)
    out = select(is_above, above, below)
    out = select(is_zero, number.full(0), out)
    return select(bitwise_or(is_wrong, is_nan), number.full(np.nan), out)


def _any(mask: Any) -> Any:
    return reduce_or(mask, tuple(range(typeof(mask).ndim)))


def _kept(active: Any, new: Sequence[Any], old: Sequence[Any]) -> list[Any]:
    """New values where an element is active, old ones where it has settled."""
    return [select(active, x, y) for x, y in zip(new, old, strict=True)]


# --- the power series -----------------------------------------------------------------


def _by_series(a: Any, x: Any, active: Any, number: _Numbers) -> Any:
    def step(state: Any) -> Any:
        active, r, c, total, c_dot, total_dot = state
        new_r = add(r, number(1))
        ratio = div(x, new_r)
        new_c_dot = sub(mul(c_dot, ratio), div(mul(c, x), mul(new_r, new_r)))
        new_total_dot = add(total_dot, new_c_dot)
        new_c = mul(c, div(x, new_r))
        new_total = add(total, new_c)
        moves = gt(absolute(div(new_c_dot, new_total_dot)), number(number.eps))
        new = (new_r, new_c, new_total, new_c_dot, new_total_dot)
        return (bitwise_and(active, moves), *_kept(active, new, state[1:]))

    one, zero = number.full(1), number.full(0)
    start = (active, a, one, one, zero, zero)
    _, _, _, total, _, total_dot = while_loop(lambda state: _any(state[0]), step, start)
    slope = sub(log(x), digamma(add(a, number(1))))
    return div(mul(neg(add(total_dot, mul(total, slope))), x), a)


# --- the continued fraction -----------------------------------------------------------


class _Fraction(NamedTuple):
    """Numerator p and denominator q of the last two convergents, their derivatives."""

    total: Any
    y: Any
    z: Any
    p1: Any
    q1: Any
    p2: Any
    q2: Any
    p2_dot: Any
    q2_dot: Any
    p1_dot: Any
    q1_dot: Any
    total_dot: Any


def _by_fraction(a: Any, x: Any, active: Any, number: _Numbers) -> Any:
    y = sub(number(1), a)
    z = add(add(x, y), number(1))
    p1, q1 = add(x, number(1)), mul(z, x)
    total = div(p1, q1)
    zero, q1_dot = number.full(0), neg(x)
    total_dot = div(sub(zero, mul(total, q1_dot)), q1)
    one = number.full(1)
    first = _Fraction(total, y, z, p1, q1, one, x, zero, zero, zero, q1_dot, total_dot)

    def goes_on(state: Any) -> Any:
        active, count, _ = state
        return bitwise_and(lt(count, number(_MOST_TERMS)), _any(active))

    def step(state: Any) -> Any:
        active, count, old = state
        count = add(count, number(1))
        new, moves = _next(old, count, number)
        kept = _Fraction(*_kept(active, new, old))
        return bitwise_and(active, moves), count, kept

    _, _, last = while_loop(goes_on, step, (active, number(0), first))
    slope = sub(log(x), digamma(a))
    return mul(add(last.total_dot, mul(last.total, slope)), x)


def _next(f: _Fraction, count: Any, number: _Numbers) -> tuple[_Fraction, Any]:
    """The next convergent, and where the derivative has not settled."""
    y, z = add(f.y, number(1)), add(f.z, number(2))
    yc = mul(y, count)
    p = sub(mul(f.p1, z), mul(f.p2, yc))
    q = sub(mul(f.q1, z), mul(f.q2, yc))
    is_sound = ne(q, number(0))
    total = select(is_sound, div(p, q), f.total)
    p_dot = add(sub(sub(mul(f.p1_dot, z), f.p1), mul(f.p2_dot, yc)), mul(f.p2, count))
    q_dot = add(sub(sub(mul(f.q1_dot, z), f.q1), mul(f.q2_dot, yc)), mul(f.q2, count))
    slope = div(sub(p_dot, mul(total, q_dot)), q)
    total_dot = select(is_sound, slope, f.total_dot)
    change = absolute(sub(total_dot, f.total_dot))
    change = select(is_sound, change, number.full(1))
    large = gt(absolute(p), number(1 / number.eps))
    scaled = _scaler(large, number)
    new = _Fraction(
        total=total,
        y=y,
        z=z,
        p1=scaled(p),
        q1=scaled(q),
        p2=scaled(f.p1),
        q2=scaled(f.q1),
        p2_dot=scaled(f.p1_dot),
        q2_dot=scaled(f.q1_dot),
        p1_dot=scaled(p_dot),
        q1_dot=scaled(q_dot),
        total_dot=total_dot,
    )
    return new, gt(change, number(number.eps))


def _scaler(large: Any, number: _Numbers) -> Callable[[Any], Any]:
    return lambda v: select(large, mul(v, number(number.eps)), v)
