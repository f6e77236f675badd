"""Bessel's i0, the cardinal sine, and window functions.

Source: spec/numpy.md §§4, 8.1.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lax
from ..base import dtypes
from ..base.errors import ArgumentValueError
from ..core import typeof
from ..transforms import custom_jvp, eager_jit
from .array_making import asarray
from .promotion import cast_to, constant_like, inexact
from .selecting import where as choose

if TYPE_CHECKING:
    from ..runtime import Array
    from .promotion import ArrayLike


@custom_jvp
def _i0(x: Any) -> Any:
    magnitude = lax.abs(x)
    return lax.mul(lax.exp(magnitude), lax.bessel_i0e(magnitude))


@_i0.defjvp
def _i0_jvp(primals: Any, tangents: Any) -> Any:
    (x,), (x_dot,) = primals, tangents
    i1 = lax.mul(lax.exp(lax.abs(x)), lax.bessel_i1e(x))
    return _i0(x), lax.mul(i1, x_dot)


@eager_jit
def i0(x: ArrayLike) -> Array:
    """The modified Bessel function of the first kind, of order 0.

    >>> import minijax.numpy as jnp
    >>> print(jnp.i0(0.0).round(3))
    1.0

    Raises:
      ValueError: complex numbers.
    """
    x = inexact("i0", x)
    if typeof(x).dtype in dtypes.COMPLEXES:
        raise ArgumentValueError("i0 takes real numbers.", f"Found {typeof(x)}.")
    return _i0(cast_to(x, typeof(x).dtype, weak=typeof(x).weak_type))


# --- sinc -----------------------------------------------------------------------------
#
# With n the integer nearest to x and r = x - n, sin(pi x) = (-1)^n sin(pi r), and
# sin(pi r) / pi = r (1 + r² Q(r²)) for |r| <= 1/2, where Q holds the Taylor
# coefficients: it is exact zero at r = 0 and needs no multiple of pi.

_SINE: dict[int, int] = {32: 6, 64: 11}  # bits -> terms that reach the last place


def _coefficients(terms: int) -> list[float]:
    found, term = [], 1.0
    for i in range(1, terms + 1):
        term *= -(np.pi**2) / ((2 * i) * (2 * i + 1))
        found.append(term)
    return found


def _polynomial(x: Any, coefficients: list[float]) -> Any:
    out = constant_like(x, coefficients[-1])
    for c in coefficients[-2::-1]:
        out = lax.add(lax.mul(out, x), constant_like(x, c))
    return out


def _real_sinc(x: Any) -> Any:
    bits = dtypes.itemsize_bits(typeof(x).dtype)
    even = lax.RoundingMethod.TO_NEAREST_EVEN
    n = lax.stop_gradient(lax.round(x, even))
    endless = lax.eq(lax.abs(x), constant_like(x, np.inf))
    r = choose(endless, constant_like(x, 0), lax.sub(x, n))
    square = lax.mul(r, r)
    tail = lax.mul(square, _polynomial(square, _coefficients(_SINE[bits])))
    near_zero = lax.add(constant_like(x, 1), tail)
    sine = lax.add(r, lax.mul(r, tail))
    half = lax.round(lax.mul(constant_like(x, 0.5), n), even)
    odd = lax.ne(lax.mul(constant_like(x, 2), half), n)
    at_zero = lax.eq(n, constant_like(n, 0))
    divisor = choose(odd, lax.neg(x), choose(at_zero, constant_like(x, 1), x))
    out = lax.div(sine, divisor)
    # At the other integers the value is exactly 0, with its derivative kept.
    exact = lax.eq(r, constant_like(r, 0))
    out = choose(exact, lax.sub(out, lax.stop_gradient(out)), out)
    return choose(at_zero, near_zero, out)


def _complex_sinc(x: Any) -> Any:
    endless = lax.eq(lax.abs(lax.real(x)), constant_like(lax.real(x), np.inf))
    vanishing = lax.bitwise_and(endless, lax.is_finite(lax.imag(x)))
    y = lax.mul(constant_like(x, np.pi), x)
    y = choose(vanishing, constant_like(x, 1), y)
    small = lax.lt(lax.abs(y), constant_like(lax.real(y), 1))
    near = choose(small, y, constant_like(y, 0))
    far = choose(small, constant_like(y, 1), y)
    series = [1.0]
    for i in range(1, 10):
        series.append(-series[-1] / ((2 * i) * (2 * i + 1)))
    out = choose(
        small, _polynomial(lax.square(near), series), lax.div(lax.sin(far), far)
    )
    return choose(vanishing, constant_like(out, 0), out)


@eager_jit
def sinc(x: ArrayLike, /) -> Array:
    """sin(pi x) / (pi x): 1 at zero, exactly 0 at the other integers.

    >>> import minijax.numpy as jnp
    >>> print(jnp.sinc(jnp.array([0.0, 1.0])))
    [1. 0.]
    """
    x = inexact("sinc", x)
    aval = typeof(x)
    if aval.dtype in dtypes.COMPLEXES:
        return _complex_sinc(x)
    wide = dtypes.itemsize_bits(aval.dtype) < 32
    work = lax.convert_element_type(x, np.float32) if wide else x
    return cast_to(_real_sinc(work), aval.dtype, weak=aval.weak_type)


# --- windows --------------------------------------------------------------------------


def _window(M: int, function: str, formula: Any) -> Array:
    count = operator.index(M)
    dtype = dtypes.default_float()
    if count <= 1:
        return asarray(np.ones(max(count, 0), dtype))
    return _windowed(count, function, formula)


@eager_jit(static_argnums=(0, 1, 2))
def _windowed(count: int, function: str, formula: Any) -> Any:
    n = lax.iota(dtypes.default_float(), count)
    return formula(n, count)


def _cosines(*weights: float) -> Any:
    def formula(n: Any, count: int) -> Any:
        angle = lax.div(
            lax.mul(n, constant_like(n, 2 * np.pi)), constant_like(n, count - 1)
        )
        out = constant_like(n, weights[0])
        for i, weight in enumerate(weights[1:], start=1):
            wave = lax.cos(lax.mul(angle, constant_like(n, i)))
            out = lax.add(out, lax.mul(wave, constant_like(n, weight)))
        return out

    return formula


def _triangle(n: Any, count: int) -> Any:
    middle = constant_like(n, count - 1)
    one, two = constant_like(n, 1), constant_like(n, 2)
    twice = lax.mul(two, n)
    distance = lax.abs(lax.sub(lax.add(twice, one), constant_like(n, count)))
    return lax.sub(one, lax.div(distance, middle))


_HANNING, _HAMMING = _cosines(0.5, -0.5), _cosines(0.54, -0.46)
_BLACKMAN = _cosines(0.42, -0.5, 0.08)


def hanning(M: int) -> Array:
    """The Hann window of M points.

    >>> import minijax.numpy as jnp
    >>> print(jnp.hanning(3))
    [0. 1. 0.]
    """
    return _window(M, "hanning", _HANNING)


def hamming(M: int) -> Array:
    """The Hamming window of M points.

    >>> import minijax.numpy as jnp
    >>> jnp.hamming(3).shape
    (3,)
    """
    return _window(M, "hamming", _HAMMING)


def blackman(M: int) -> Array:
    """The Blackman window of M points.

    >>> import minijax.numpy as jnp
    >>> jnp.blackman(3).shape
    (3,)
    """
    return _window(M, "blackman", _BLACKMAN)


def bartlett(M: int) -> Array:
    """The triangular window of M points.

    >>> import minijax.numpy as jnp
    >>> print(jnp.bartlett(3))
    [0. 1. 0.]
    """
    return _window(M, "bartlett", _triangle)


def kaiser(M: int, beta: ArrayLike) -> Array:
    """The Kaiser window of M points with the shape beta.

    >>> import minijax.numpy as jnp
    >>> jnp.kaiser(3, 14.0).shape
    (3,)
    """
    count = operator.index(M)
    if count <= 1:
        return asarray(np.ones(max(count, 0), dtypes.default_float()))
    return _kaiser(count, beta)


@eager_jit(static_argnums=0)
def _kaiser(count: int, beta: Any) -> Any:
    n = lax.iota(dtypes.default_float(), count)
    alpha = constant_like(n, 0.5 * (count - 1))
    beta = lax.convert_element_type(beta, typeof(n).dtype)
    place = lax.div(lax.sub(n, alpha), alpha)
    inner = lax.mul(beta, lax.sqrt(lax.sub(constant_like(n, 1), lax.square(place))))
    return lax.div(_i0(inner), _i0(beta))
