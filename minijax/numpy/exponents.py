"""Exponentials, logarithms, roots, trigonometric and hyperbolic functions.

Each takes floats or complex numbers; integers and booleans become floats first.

Source: spec/numpy.md §8.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lax
from ..base import dtypes
from ..core import typeof
from ..transforms import custom_jvp, eager_jit
from .arithmetic import joint_shape, stretch
from .promotion import INEXACT, as_is, constant_like, inexact, refuse, to_scalar, two

if TYPE_CHECKING:
    from ..runtime import Array
    from .promotion import ArrayLike


# --- exponentials and logarithms ------------------------------------------------------


@eager_jit
def exp(x: ArrayLike, /) -> Array:
    """e to the power x.

    >>> import minijax.numpy as jnp
    >>> print(jnp.exp(0))
    1.0
    """
    return lax.exp(inexact("exp", x))


@eager_jit
def exp2(x: ArrayLike, /) -> Array:
    """2 to the power x.

    >>> import minijax.numpy as jnp
    >>> print(jnp.exp2(1.0))
    2.0
    """
    return lax.exp2(inexact("exp2", x))


@eager_jit
def expm1(x: ArrayLike, /) -> Array:
    """exp(x) - 1, exact near zero.

    >>> import minijax.numpy as jnp
    >>> print(jnp.expm1(0.0))
    0.0
    """
    return lax.expm1(inexact("expm1", x))


@eager_jit
def log(x: ArrayLike, /) -> Array:
    """The natural logarithm; NaN below zero.

    >>> import minijax.numpy as jnp
    >>> print(jnp.log(1.0))
    0.0
    """
    return lax.log(inexact("log", x))


@eager_jit
def log2(x: ArrayLike, /) -> Array:
    """The logarithm to base 2.

    >>> import minijax.numpy as jnp
    >>> print(jnp.log2(8.0))
    3.0
    """
    return lax.log2(inexact("log2", x))


@eager_jit
def log10(x: ArrayLike, /) -> Array:
    """The logarithm to base 10.

    >>> import minijax.numpy as jnp
    >>> print(jnp.log10(1.0))
    0.0
    """
    x = lax.log(inexact("log10", x))
    return lax.mul(x, to_scalar(1 / np.log(10), typeof(x).dtype))


@eager_jit
def log1p(x: ArrayLike, /) -> Array:
    """log(1 + x), exact near zero.

    >>> import minijax.numpy as jnp
    >>> print(jnp.log1p(0.0))
    0.0
    """
    return lax.log1p(inexact("log1p", x))


# d logaddexp = x_dot exp(x - out) + y_dot exp(y - out); infinities are taken out before
# the differences, so that inf - inf counts as 0.


def _without_infinity(x: Any) -> Any:
    part = lax.real(x) if typeof(x).dtype in dtypes.COMPLEXES else x
    endless = lax.eq(part, constant_like(part, np.inf))
    return lax.select(endless, stretch(constant_like(x, 0), typeof(x).shape), x)


@custom_jvp
def _logaddexp(x: Any, y: Any) -> Any:
    if typeof(x).dtype in dtypes.COMPLEXES:
        return _complex_logaddexp(x, y)
    largest, difference = lax.max(x, y), lax.sub(x, y)
    small = lax.log1p(lax.exp(lax.neg(lax.abs(difference))))
    return lax.select(
        lax.ne(difference, difference), lax.add(x, y), lax.add(largest, small)
    )


@custom_jvp
def _logaddexp2(x: Any, y: Any) -> Any:
    largest, difference = lax.max(x, y), lax.sub(x, y)
    small = lax.log1p(lax.exp2(lax.neg(lax.abs(difference))))
    small = lax.mul(constant_like(small, 1 / np.log(2)), small)
    return lax.select(
        lax.ne(difference, difference), lax.add(x, y), lax.add(largest, small)
    )


def _weighted(function: Any, raised: Any) -> Any:
    def rule(primals: Any, tangents: Any) -> Any:
        (x, y), (x_dot, y_dot) = primals, tangents
        out = function(x, y)
        kept = _without_infinity(out)
        x_weight = raised(lax.sub(_without_infinity(x), kept))
        y_weight = raised(lax.sub(_without_infinity(y), kept))
        out_dot = lax.add(lax.mul(x_dot, x_weight), lax.mul(y_dot, y_weight))
        return out, out_dot

    return rule


_logaddexp.defjvp(_weighted(_logaddexp, lax.exp))
_logaddexp2.defjvp(_weighted(_logaddexp2, lax.exp2))


def _complex_logaddexp(x: Any, y: Any) -> Any:
    large = lax.max(x, y)
    below = lax.sub(lax.add(x, y), lax.mul(large, constant_like(large, 2)))
    total = lax.add(large, lax.log1p(lax.exp(below)))
    # The phase is turned back into [-pi, pi).
    phase = lax.imag(total)
    half, full = constant_like(phase, np.pi), constant_like(phase, 2 * np.pi)
    phase = lax.rem(lax.add(phase, half), full)
    negative = lax.lt(phase, constant_like(phase, 0))
    phase = lax.select(negative, lax.add(phase, full), phase)
    return lax.complex(lax.real(total), lax.sub(phase, half))


def _same_shape(x: Any, y: Any) -> tuple[Any, Any]:
    shape = joint_shape(x, y)
    return stretch(x, shape), stretch(y, shape)


@eager_jit
def logaddexp(x: ArrayLike, y: ArrayLike, /) -> Array:
    """log(exp(x) + exp(y)) without overflow.

    >>> import minijax.numpy as jnp
    >>> print(jnp.logaddexp(0.0, -jnp.inf))
    0.0
    """
    x, y, _ = two("logaddexp", INEXACT, x, y)
    return _logaddexp(*_same_shape(x, y))


@eager_jit
def logaddexp2(x: ArrayLike, y: ArrayLike, /) -> Array:
    """log2(2**x + 2**y) without overflow.

    >>> import minijax.numpy as jnp
    >>> print(jnp.logaddexp2(0.0, 0.0))
    1.0
    """
    x, y, _ = two("logaddexp2", INEXACT, x, y)
    return _logaddexp2(*_same_shape(x, y))


# --- roots ----------------------------------------------------------------------------


@eager_jit
def sqrt(x: ArrayLike, /) -> Array:
    """The square root; NaN below zero.

    >>> import minijax.numpy as jnp
    >>> print(jnp.sqrt(4))
    2.0
    """
    return lax.sqrt(inexact("sqrt", x))


@eager_jit
def cbrt(x: ArrayLike, /) -> Array:
    """The real cube root.

    >>> import minijax.numpy as jnp
    >>> print(jnp.cbrt(-8.0))
    -2.0
    """
    return lax.cbrt(inexact("cbrt", x))


# --- trigonometric and hyperbolic -----------------------------------------------------


@eager_jit
def sin(x: ArrayLike, /) -> Array:
    """The sine of an angle in radians.

    >>> import minijax.numpy as jnp
    >>> print(jnp.sin(0.0))
    0.0
    """
    return lax.sin(inexact("sin", x))


@eager_jit
def cos(x: ArrayLike, /) -> Array:
    """The cosine of an angle in radians.

    >>> import minijax.numpy as jnp
    >>> print(jnp.cos(0.0))
    1.0
    """
    return lax.cos(inexact("cos", x))


@eager_jit
def tan(x: ArrayLike, /) -> Array:
    """The tangent of an angle in radians.

    >>> import minijax.numpy as jnp
    >>> print(jnp.tan(0.0))
    0.0
    """
    return lax.tan(inexact("tan", x))


@eager_jit
def arcsin(x: ArrayLike, /) -> Array:
    """The angle in radians whose sine is x.

    >>> import minijax.numpy as jnp
    >>> print(jnp.arcsin(0.0))
    0.0
    """
    return lax.asin(inexact("arcsin", x))


@eager_jit
def arccos(x: ArrayLike, /) -> Array:
    """The angle in radians whose cosine is x.

    >>> import minijax.numpy as jnp
    >>> print(jnp.arccos(1.0))
    0.0
    """
    return lax.acos(inexact("arccos", x))


@eager_jit
def arctan(x: ArrayLike, /) -> Array:
    """The angle in radians whose tangent is x.

    >>> import minijax.numpy as jnp
    >>> print(jnp.arctan(0.0))
    0.0
    """
    return lax.atan(inexact("arctan", x))


@eager_jit
def arctan2(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The angle of the point with ordinate x1 and abscissa x2, from -pi to pi.

    >>> import minijax.numpy as jnp
    >>> print(jnp.arctan2(0.0, 1.0))
    0.0
    """
    x, y, _ = two("arctan2", INEXACT, x1, x2)
    return lax.atan2(x, y)


@eager_jit
def sinh(x: ArrayLike, /) -> Array:
    """The hyperbolic sine.

    >>> import minijax.numpy as jnp
    >>> print(jnp.sinh(0.0))
    0.0
    """
    return lax.sinh(inexact("sinh", x))


@eager_jit
def cosh(x: ArrayLike, /) -> Array:
    """The hyperbolic cosine.

    >>> import minijax.numpy as jnp
    >>> print(jnp.cosh(0.0))
    1.0
    """
    return lax.cosh(inexact("cosh", x))


@eager_jit
def tanh(x: ArrayLike, /) -> Array:
    """The hyperbolic tangent.

    >>> import minijax.numpy as jnp
    >>> print(jnp.tanh(0.0))
    0.0
    """
    return lax.tanh(inexact("tanh", x))


@eager_jit
def arcsinh(x: ArrayLike, /) -> Array:
    """The inverse hyperbolic sine.

    >>> import minijax.numpy as jnp
    >>> print(jnp.arcsinh(0.0))
    0.0
    """
    return lax.asinh(inexact("arcsinh", x))


@eager_jit
def arccosh(x: ArrayLike, /) -> Array:
    """The inverse hyperbolic cosine; for complex numbers with a real part >= 0.

    >>> import minijax.numpy as jnp
    >>> print(jnp.arccosh(1.0))
    0.0
    """
    out = lax.acosh(inexact("arccosh", x))
    if typeof(out).dtype not in dtypes.COMPLEXES:
        return out
    zero = constant_like(lax.real(out), 0)
    return lax.select(lax.lt(lax.real(out), zero), lax.neg(out), out)


@eager_jit
def arctanh(x: ArrayLike, /) -> Array:
    """The inverse hyperbolic tangent.

    >>> import minijax.numpy as jnp
    >>> print(jnp.arctanh(0.0))
    0.0
    """
    return lax.atanh(inexact("arctanh", x))


@eager_jit
def deg2rad(x: ArrayLike, /) -> Array:
    """Degrees as radians.

    >>> import minijax.numpy as jnp
    >>> print(jnp.deg2rad(0.0))
    0.0
    """
    x = inexact("deg2rad", x)
    return lax.mul(x, constant_like(x, np.pi / 180))


@eager_jit
def rad2deg(x: ArrayLike, /) -> Array:
    """Radians as degrees.

    >>> import minijax.numpy as jnp
    >>> print(jnp.rad2deg(0.0))
    0.0
    """
    x = inexact("rad2deg", x)
    return lax.mul(x, constant_like(x, 180 / np.pi))


# --- rounding -------------------------------------------------------------------------


@eager_jit
def floor(x: ArrayLike, /) -> Array:
    """The largest integer that is not above x, in the dtype of x.

    >>> import minijax.numpy as jnp
    >>> print(jnp.floor(-1.5))
    -2.0
    """
    return _unless_whole(lax.floor, x)


@eager_jit
def ceil(x: ArrayLike, /) -> Array:
    """The smallest integer that is not below x, in the dtype of x.

    >>> import minijax.numpy as jnp
    >>> print(jnp.ceil(-1.5))
    -1.0
    """
    return _unless_whole(lax.ceil, x)


def _unless_whole(rounded: Any, x: Any) -> Any:
    aval = typeof(x)
    if aval.dtype in dtypes.INTEGERS or aval.dtype == dtypes.BOOL:
        return as_is(x)
    return rounded(x)


@eager_jit
def trunc(x: ArrayLike, /) -> Array:
    """The whole part: the nearest integer towards zero, in the dtype of x.

    >>> import minijax.numpy as jnp
    >>> print(jnp.trunc(-1.5))
    -1.0
    """

    def towards_zero(x: Any) -> Any:
        return lax.select(lax.lt(x, constant_like(x, 0)), lax.ceil(x), lax.floor(x))

    return _unless_whole(towards_zero, x)


@eager_jit
def rint(x: ArrayLike, /) -> Array:
    """The nearest integer as a float; halves go to the even one.

    >>> import minijax.numpy as jnp
    >>> print(jnp.rint(2.5))
    2.0
    """
    aval = typeof(x)
    if aval.dtype in dtypes.INTEGERS or aval.dtype == dtypes.BOOL:
        return inexact("rint", x)
    if aval.dtype in dtypes.COMPLEXES:
        return lax.complex(_to_even(lax.real(x)), _to_even(lax.imag(x)))
    return _to_even(x)


def _to_even(x: Any) -> Any:
    return lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN)


def round(a: ArrayLike, decimals: int = 0, out: None = None) -> Array:
    """Round to a number of decimals; halves go to the even digit.

    Raises: ValueError for booleans; NotImplementedError for tens of integers.

    >>> import minijax.numpy as jnp
    >>> print(jnp.round(jnp.array([0.5, 1.5, 2.5])))
    [0. 2. 2.]
    """
    refuse("round", out=out)
    return _round(a, decimals)


@eager_jit(static_argnames="decimals")
def _round(x: ArrayLike, decimals: int) -> Array:
    aval = typeof(x)
    if aval.dtype == dtypes.BOOL:
        raise ValueError("round needs numbers.\nFound booleans.")
    if aval.dtype in dtypes.INTEGERS:
        if decimals < 0:
            raise NotImplementedError(
                "rounding integers to tens is not offered; divide, round, multiply"
            )
        return as_is(x)
    if aval.dtype in dtypes.COMPLEXES:
        parts = [_round_float(part(x), decimals) for part in (lax.real, lax.imag)]
        return lax.complex(*parts)
    return _round_float(x, decimals)


def _round_float(x: Any, decimals: int) -> Any:
    if decimals == 0:
        return _to_even(x)
    aval = typeof(x)
    if decimals > dtypes.finfo(aval.dtype).maxexp:
        return x  # every digit is kept
    wide = aval.dtype in (np.float16, dtypes.bfloat16)
    work = lax.convert_element_type(x, np.float32) if wide else x
    factor = constant_like(work, 10.0**decimals)
    work = lax.div(_to_even(lax.mul(work, factor)), factor)
    return lax.convert_element_type(work, aval.dtype) if wide else work
