"""Functions of floats that look at single values, at signs or at bits.

Source: spec/numpy.md §8.1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lax
from ..base import dtypes
from ..base.errors import ArgumentValueError, DTypeNotAcceptedError
from ..core import typeof
from ..transforms import custom_jvp, eager_jit
from .arithmetic import stretch
from .logic import greater, less, stretched
from .promotion import (
    INEXACT,
    JOIN,
    as_is,
    cast_to,
    check_arrays,
    constant_like,
    inexact,
    to_scalar,
    two,
)
from .selecting import where

if TYPE_CHECKING:
    from ..runtime import Array
    from .promotion import ArrayLike


# --- parts of complex numbers ---------------------------------------------------------


@eager_jit
def real(val: ArrayLike, /) -> Array:
    """The real part; real numbers are their own.

    >>> import minijax.numpy as jnp
    >>> print(jnp.real(1 + 2j))
    1.0
    """
    check_arrays("real", val)
    return lax.real(val) if typeof(val).dtype in dtypes.COMPLEXES else as_is(val)


@eager_jit
def imag(val: ArrayLike, /) -> Array:
    """The imaginary part; zero for real numbers.

    >>> import minijax.numpy as jnp
    >>> print(jnp.imag(1 + 2j))
    2.0
    """
    check_arrays("imag", val)
    if typeof(val).dtype in dtypes.COMPLEXES:
        return lax.imag(val)
    return lax.full_like(val, 0)


@eager_jit
def conjugate(x: ArrayLike, /) -> Array:
    """The complex conjugate; real numbers are their own.

    >>> import minijax.numpy as jnp
    >>> print(jnp.conj(1 + 2j))
    (1-2j)
    """
    check_arrays("conjugate", x)
    return lax.conj(x) if typeof(x).dtype in dtypes.COMPLEXES else as_is(x)


@eager_jit(static_argnames="deg")
def angle(z: ArrayLike, deg: bool = False) -> Array:
    """The angle of a complex number, in radians or degrees; pi for negative reals.

    >>> import minijax.numpy as jnp
    >>> print(jnp.angle(1.0))
    0.0
    """
    z = inexact("angle", z)
    if typeof(z).dtype in dtypes.COMPLEXES:
        ordinate, abscissa = lax.imag(z), lax.real(z)
    else:
        abscissa = cast_to(z, typeof(z).dtype)
        ordinate = lax.full_like(abscissa, 0)
    out = lax.atan2(ordinate, abscissa)
    return lax.mul(out, constant_like(out, 180 / np.pi)) if deg else out


@eager_jit
def iscomplex(x: ArrayLike) -> Array:
    """Where the imaginary part is not zero.

    >>> import minijax.numpy as jnp
    >>> print(jnp.iscomplex(1 + 2j))
    True
    """
    part = imag(x)
    return lax.ne(part, constant_like(part, 0))


@eager_jit
def isreal(x: ArrayLike) -> Array:
    """Where the imaginary part is zero.

    >>> import minijax.numpy as jnp
    >>> print(jnp.isreal(1 + 2j))
    False
    """
    part = imag(x)
    return lax.eq(part, constant_like(part, 0))


# --- signs ----------------------------------------------------------------------------

_SIGN_BITS = {16: (np.int16, 15), 32: (np.int32, 31), 64: (np.int64, 63)}


@eager_jit
def signbit(x: ArrayLike, /) -> Array:
    """Where the sign is minus, -0.0 and -NaN included.

    >>> import minijax.numpy as jnp
    >>> print(jnp.signbit(-0.0))
    True
    """
    check_arrays("signbit", x)
    dtype = typeof(x).dtype
    if dtype in dtypes.COMPLEXES:
        raise ArgumentValueError("A complex number has no sign.", f"Found {dtype}.")
    if dtype not in dtypes.FLOATS:
        return lax.lt(x, constant_like(x, 0))
    bits = dtypes.itemsize_bits(dtype)
    if bits not in _SIGN_BITS:
        raise ArgumentValueError(
            "signbit takes floats of 16, 32 or 64 bits.", f"Found {dtype}."
        )
    integer, last = _SIGN_BITS[bits]
    word = lax.bitcast_convert_type(x, integer)
    sign = lax.shift_right_arithmetic(word, integer(last))
    return lax.convert_element_type(sign, dtypes.BOOL)


@eager_jit
def copysign(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """x1 with the sign of x2.

    >>> import minijax.numpy as jnp
    >>> print(jnp.copysign(1.0, -0.0))
    -1.0
    """
    x, y, dtype = two("copysign", INEXACT, x1, x2)
    if dtype in dtypes.COMPLEXES:
        raise DTypeNotAcceptedError("copysign", dtypes.name_of(dtype), "real")
    return where(signbit(y), lax.neg(lax.abs(x)), lax.abs(x))


@eager_jit
def heaviside(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """0 below zero, x2 at zero, 1 above; NaN stays.

    >>> import minijax.numpy as jnp
    >>> print(jnp.heaviside(jnp.array([-1.0, 0.0, 2.0]), 0.5))
    [0.  0.5 1. ]
    """
    x, y, _ = two("heaviside", INEXACT, x1, x2)
    zero, one = constant_like(x, 0), constant_like(x, 1)
    out = where(lax.ne(x, x), x, y)
    out = where(lax.gt(x, zero), one, out)
    return where(lax.lt(x, zero), zero, out)


# --- neighbours -----------------------------------------------------------------------


@eager_jit
def nextafter(x: ArrayLike, y: ArrayLike, /) -> Array:
    """The next float after x on the way to y.

    >>> import minijax.numpy as jnp
    >>> print(jnp.nextafter(1.0, 2.0))
    1.0000001
    """
    x, y, _ = two("nextafter", INEXACT, x, y)
    return lax.nextafter(*stretched(x, y))


@eager_jit
def spacing(x: ArrayLike, /) -> Array:
    """The distance from x to the next float away from zero.

    >>> import minijax.numpy as jnp
    >>> print(jnp.spacing(1.0))
    1.1920929e-07
    """
    x = inexact("spacing", x)
    dtype = typeof(x).dtype
    if dtype in dtypes.COMPLEXES:
        raise ArgumentValueError("spacing takes real numbers.", f"Found {dtype}.")
    if dtype == np.float16:
        return lax.sub(lax.nextafter(*stretched(x, constant_like(x, np.inf))), x)
    beyond = copysign(constant_like(x, np.inf), x)
    gap = lax.sub(lax.nextafter(*stretched(x, beyond)), x)
    # The machine flushes the smallest differences to zero.
    least = to_scalar(dtypes.finfo(dtype).smallest_subnormal, dtype)
    return where(lax.eq(gap, constant_like(gap, 0)), copysign(least, x), gap)


# --- the larger and the smaller number ------------------------------------------------


@eager_jit
def fmax(x1: ArrayLike, x2: ArrayLike) -> Array:
    """The larger of two numbers; NaN only if both are.

    >>> import minijax.numpy as jnp
    >>> print(jnp.fmax(jnp.nan, 1.0))
    1.0
    """
    x, y, _ = two("fmax", JOIN, x1, x2)
    return where(lax.bitwise_or(greater(x, y), lax.ne(y, y)), x, y)


@eager_jit
def fmin(x1: ArrayLike, x2: ArrayLike) -> Array:
    """The smaller of two numbers; NaN only if both are.

    >>> import minijax.numpy as jnp
    >>> print(jnp.fmin(jnp.nan, 1.0))
    1.0
    """
    x, y, _ = two("fmin", JOIN, x1, x2)
    return where(lax.bitwise_or(less(x, y), lax.ne(y, y)), x, y)


@eager_jit
def clip(
    arr: ArrayLike | None = None,
    /,
    min: ArrayLike | None = None,
    max: ArrayLike | None = None,
) -> Array:
    """Elements moved into the range from min to max; max wins if they cross.

    >>> import minijax.numpy as jnp
    >>> print(jnp.clip(jnp.arange(5), 1, 3))
    [1 1 2 3 3]
    """
    if arr is None:
        raise ArgumentValueError("clip needs an array.", "Found none.")
    check_arrays("clip", arr)
    for x in (arr, min, max):
        if x is not None and typeof(x).dtype in dtypes.COMPLEXES:
            raise ArgumentValueError(
                "clip takes real numbers.",
                f"Found {typeof(x)}.",
                "Clip the real and the imaginary part.",
            )
    if min is not None:
        low, arr, _ = two("clip", JOIN, min, arr)
        arr = lax.max(low, arr)
    if max is not None:
        high, arr, _ = two("clip", JOIN, max, arr)
        arr = lax.min(high, arr)
    return as_is(arr)


@eager_jit(static_argnames="copy")
def nan_to_num(
    x: ArrayLike,
    copy: bool = True,
    nan: ArrayLike = 0.0,
    posinf: ArrayLike | None = None,
    neginf: ArrayLike | None = None,
) -> Array:
    """NaN replaced by `nan`, infinities by given numbers or the largest finite ones.

    >>> import minijax.numpy as jnp
    >>> print(jnp.nan_to_num(jnp.array([1.0, jnp.nan])))
    [1. 0.]
    """
    check_arrays("nan_to_num", x)
    dtype = typeof(x).dtype
    if dtype in dtypes.COMPLEXES:
        parts = [
            nan_to_num(part(x), copy, nan, posinf, neginf)
            for part in (lax.real, lax.imag)
        ]
        return lax.complex(*parts)
    if dtype not in dtypes.FLOATS:
        return as_is(x)
    limits = dtypes.finfo(dtype)
    high = constant_like(x, limits.max) if posinf is None else posinf
    low = constant_like(x, limits.min) if neginf is None else neginf
    out = where(lax.ne(x, x), _in(nan, dtype), x)
    out = where(lax.eq(out, constant_like(x, np.inf)), _in(high, dtype), out)
    return where(lax.eq(out, constant_like(x, -np.inf)), _in(low, dtype), out)


def _in(value: Any, dtype: Any) -> Any:
    return lax.convert_element_type(value, dtype)


# --- length of a vector ---------------------------------------------------------------


# bits of the dtype -> powers of two: from where legs are scaled down, up to where they
# are scaled up, and by how much
_HYPOT_SCALES = {
    np.dtype(np.float16): (7, -5, 12),
    dtypes.bfloat16: (63, -4, 67),
    np.dtype(np.float32): (63, -12, 75),
    np.dtype(np.float64): (511, -26, 537),
}


def _hypot_parts(x: Any, y: Any) -> tuple[Any, Any, Any]:
    """The length, and both legs divided by it.

    Legs whose squares would overflow or vanish are scaled by a power of two first.
    """
    large, small, scale = _HYPOT_SCALES[typeof(x).dtype]
    a, b = lax.abs(x), lax.abs(y)
    top = lax.max(a, b)
    is_large = lax.ge(top, constant_like(x, 2.0**large))
    is_small = lax.le(top, constant_like(x, 2.0**small))

    def pick(if_large: Any, if_small: Any, otherwise: Any) -> Any:
        return lax.select(is_large, if_large, lax.select(is_small, if_small, otherwise))

    shape = typeof(x).shape
    down, up, one, infinity = [
        stretch(constant_like(x, v), shape)
        for v in (2.0**-scale, 2.0**scale, 1.0, np.inf)
    ]
    x = pick(lax.mul(x, down), lax.mul(x, up), x)
    y = pick(lax.mul(y, down), lax.mul(y, up), y)
    length = lax.sqrt(lax.add(lax.square(x), lax.square(y)))
    endless = lax.bitwise_or(lax.eq(a, infinity), lax.eq(b, infinity))
    out = lax.select(endless, infinity, lax.mul(length, pick(up, down, one)))
    return out, lax.div(x, length), lax.div(y, length)


@custom_jvp
def _hypot(x: Any, y: Any) -> Any:
    return _hypot_parts(x, y)[0]


@_hypot.defjvp
def _hypot_jvp(primals: Any, tangents: Any) -> Any:
    out, x_share, y_share = _hypot_parts(*primals)
    x_dot, y_dot = tangents
    return out, lax.add(lax.mul(x_dot, x_share), lax.mul(y_dot, y_share))


@eager_jit
def hypot(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """sqrt(x1² + x2²) without overflow. Raises: ValueError for complex numbers.

    >>> import minijax.numpy as jnp
    >>> print(jnp.hypot(3.0, 4.0))
    5.0
    """
    x, y, dtype = two("hypot", INEXACT, x1, x2)
    if dtype in dtypes.COMPLEXES:
        raise ArgumentValueError("hypot takes real numbers.", f"Found {dtype}.")
    return _hypot(*stretched(x, y))
