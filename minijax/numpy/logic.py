"""Comparisons, truth, tests of single values, and operations on bits.

Source: spec/numpy.md §8.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lax
from ..base import dtypes
from ..base.errors import ArgumentTypeError
from ..core import typeof
from ..transforms import eager_jit
from .arithmetic import joint_shape, stretch
from .promotion import (
    INEXACT,
    JOIN,
    NUMERIC,
    check_arrays,
    constant_like,
    numeric,
    refuse,
    to_scalar,
    two,
)

if TYPE_CHECKING:
    from ..runtime import Array
    from .promotion import ArrayLike


# --- comparisons ----------------------------------------------------------------------


@eager_jit
def equal(x: ArrayLike, y: ArrayLike, /) -> Array:
    """Where x == y.

    >>> import minijax.numpy as jnp
    >>> print(jnp.equal(jnp.arange(3), 1))
    [False  True False]
    """
    x, y, _ = two("equal", JOIN, x, y)
    return lax.eq(x, y)


@eager_jit
def not_equal(x: ArrayLike, y: ArrayLike, /) -> Array:
    """Where x != y.

    >>> import minijax.numpy as jnp
    >>> print(jnp.not_equal(jnp.arange(3), 1))
    [ True False  True]
    """
    x, y, _ = two("not_equal", JOIN, x, y)
    return lax.ne(x, y)


@eager_jit
def less(x: ArrayLike, y: ArrayLike, /) -> Array:
    """Where x < y; complex numbers compare by real part first.

    >>> import minijax.numpy as jnp
    >>> print(jnp.less(jnp.arange(3), 1))
    [ True False False]
    """
    x, y, dtype = two("less", JOIN, x, y)
    return _lexicographic(lax.lt, x, y) if dtype in dtypes.COMPLEXES else lax.lt(x, y)


@eager_jit
def less_equal(x: ArrayLike, y: ArrayLike, /) -> Array:
    """Where x <= y; complex numbers compare by real part first.

    >>> import minijax.numpy as jnp
    >>> print(jnp.less_equal(jnp.arange(3), 1))
    [ True  True False]
    """
    x, y, dtype = two("less_equal", JOIN, x, y)
    return _lexicographic(lax.le, x, y) if dtype in dtypes.COMPLEXES else lax.le(x, y)


@eager_jit
def greater(x: ArrayLike, y: ArrayLike, /) -> Array:
    """Where x > y; complex numbers compare by real part first.

    >>> import minijax.numpy as jnp
    >>> print(jnp.greater(jnp.arange(3), 1))
    [False False  True]
    """
    x, y, dtype = two("greater", JOIN, x, y)
    return _lexicographic(lax.gt, x, y) if dtype in dtypes.COMPLEXES else lax.gt(x, y)


@eager_jit
def greater_equal(x: ArrayLike, y: ArrayLike, /) -> Array:
    """Where x >= y; complex numbers compare by real part first.

    >>> import minijax.numpy as jnp
    >>> print(jnp.greater_equal(jnp.arange(3), 1))
    [False  True  True]
    """
    x, y, dtype = two("greater_equal", JOIN, x, y)
    return _lexicographic(lax.ge, x, y) if dtype in dtypes.COMPLEXES else lax.ge(x, y)


def _lexicographic(compare: Any, x: Any, y: Any) -> Any:
    same = lax.eq(lax.real(x), lax.real(y))
    by_imag = compare(lax.imag(x), lax.imag(y))
    return lax.select(same, by_imag, compare(lax.real(x), lax.real(y)))


# --- truth ----------------------------------------------------------------------------


def truth(x: Any) -> Any:
    """Where `x` is not zero: T[*s] -> bool[*s]."""
    aval = typeof(x)
    return x if aval.dtype == dtypes.BOOL else lax.ne(x, constant_like(x, 0))


def _truths(function: str, x: Any, y: Any) -> tuple[Any, Any]:
    check_arrays(function, x, y)
    x, y, _ = two(function, JOIN, truth(x), truth(y))
    return x, y


@eager_jit
def logical_and(x: ArrayLike, y: ArrayLike, /) -> Array:
    """Where both are not zero.

    >>> import minijax.numpy as jnp
    >>> print(jnp.logical_and(jnp.arange(3), True))
    [False  True  True]
    """
    return lax.bitwise_and(*_truths("logical_and", x, y))


@eager_jit
def logical_or(x: ArrayLike, y: ArrayLike, /) -> Array:
    """Where at least one is not zero.

    >>> import minijax.numpy as jnp
    >>> print(jnp.logical_or(jnp.arange(3), False))
    [False  True  True]
    """
    return lax.bitwise_or(*_truths("logical_or", x, y))


@eager_jit
def logical_xor(x: ArrayLike, y: ArrayLike, /) -> Array:
    """Where exactly one is not zero.

    >>> import minijax.numpy as jnp
    >>> print(jnp.logical_xor(jnp.arange(3), True))
    [ True False False]
    """
    return lax.bitwise_xor(*_truths("logical_xor", x, y))


@eager_jit
def logical_not(x: ArrayLike, /) -> Array:
    """Where x is zero.

    >>> import minijax.numpy as jnp
    >>> print(jnp.logical_not(jnp.arange(3)))
    [ True False False]
    """
    check_arrays("logical_not", x)
    return lax.bitwise_not(truth(x))


# --- tests of values ------------------------------------------------------------------


@eager_jit
def isnan(x: ArrayLike, /) -> Array:
    """Where x is not a number.

    >>> import minijax.numpy as jnp
    >>> print(jnp.isnan(jnp.nan))
    True
    """
    check_arrays("isnan", x)
    return lax.ne(x, x)


@eager_jit
def isfinite(x: ArrayLike, /) -> Array:
    """Where x is neither infinite nor NaN.

    >>> import minijax.numpy as jnp
    >>> print(jnp.isfinite(jnp.inf))
    False
    """
    aval = typeof(x)
    if aval.dtype in dtypes.FLOATS:
        return lax.is_finite(x)
    if aval.dtype in dtypes.COMPLEXES:
        return lax.bitwise_and(lax.is_finite(lax.real(x)), lax.is_finite(lax.imag(x)))
    return lax.full(aval.shape, True, dtypes.BOOL)


@eager_jit
def isinf(x: ArrayLike, /) -> Array:
    """Where x is an infinity of either sign.

    >>> import minijax.numpy as jnp
    >>> print(jnp.isinf(-jnp.inf))
    True
    """
    aval = typeof(x)
    if aval.dtype in dtypes.FLOATS:
        return _is_infinite(x)
    if aval.dtype in dtypes.COMPLEXES:
        return lax.bitwise_or(_is_infinite(lax.real(x)), _is_infinite(lax.imag(x)))
    return lax.full(aval.shape, False, dtypes.BOOL)


def _is_infinite(x: Any) -> Any:
    return lax.eq(lax.abs(x), to_scalar(np.inf, typeof(x).dtype))


def isposinf(x: ArrayLike, /, out: None = None) -> Array:
    """Where x is plus infinity. Raises: ValueError for complex numbers.

    >>> import minijax.numpy as jnp
    >>> print(jnp.isposinf(jnp.inf))
    True
    """
    refuse("isposinf", out=out)
    return _is_infinity(x, 1)


def isneginf(x: ArrayLike, /, out: None = None) -> Array:
    """Where x is minus infinity. Raises: ValueError for complex numbers.

    >>> import minijax.numpy as jnp
    >>> print(jnp.isneginf(jnp.inf))
    False
    """
    refuse("isneginf", out=out)
    return _is_infinity(x, -1)


@eager_jit(static_argnums=1)
def _is_infinity(x: ArrayLike, sign: int) -> Array:
    aval = typeof(x)
    if aval.dtype in dtypes.FLOATS:
        return lax.eq(x, constant_like(x, sign * np.inf))
    if aval.dtype in dtypes.COMPLEXES:
        raise ValueError(
            "a complex infinity has no sign.\n"
            f"Found {aval}.\nTest `real(x)` and `imag(x)`."
        )
    return lax.full(aval.shape, False, dtypes.BOOL)


@eager_jit(static_argnames="equal_nan")
def isclose(
    a: ArrayLike,
    b: ArrayLike,
    rtol: ArrayLike = 1e-05,
    atol: ArrayLike = 1e-08,
    equal_nan: bool = False,
) -> Array:
    """Where |a - b| <= atol + rtol * |b|; infinities are close to themselves.

    >>> import minijax.numpy as jnp
    >>> print(jnp.isclose(1.0, 1.000001))
    True
    """
    a, b, dtype = two("isclose", INEXACT, a, b)
    real = dtypes.to_real_dtype(dtype)
    rtol = lax.convert_element_type(rtol, real)
    atol = lax.convert_element_type(atol, real)
    finite = isfinite(b)
    bound = lax.add(atol, lax.mul(rtol, lax.abs(b)))
    near = lax.le(lax.abs(lax.sub(a, b)), bound)
    close = lax.bitwise_or(lax.eq(a, b), lax.bitwise_and(finite, near))
    if equal_nan:
        both = lax.bitwise_and(lax.ne(a, a), lax.ne(b, b))
        close = lax.bitwise_or(close, both)
    return close


@eager_jit(static_argnames="equal_nan")
def allclose(
    a: ArrayLike,
    b: ArrayLike,
    rtol: ArrayLike = 1e-05,
    atol: ArrayLike = 1e-08,
    equal_nan: bool = False,
) -> Array:
    """Whether all elements are close, as `isclose` has it: T[*s], T[*s] -> bool[].

    >>> import minijax.numpy as jnp
    >>> print(jnp.allclose(jnp.ones(2), 1.0))
    True
    """
    close = isclose(a, b, rtol, atol, equal_nan)
    return lax.reduce_and(close, tuple(range(typeof(close).ndim)))


# --- bits -----------------------------------------------------------------------------


@eager_jit
def bitwise_and(x: ArrayLike, y: ArrayLike, /) -> Array:
    """The bits that are set in both. Raises: TypeError for floats.

    >>> import minijax.numpy as jnp
    >>> print(jnp.bitwise_and(6, 3))
    2
    """
    x, y, _ = two("bitwise_and", JOIN, x, y)
    return lax.bitwise_and(x, y)


@eager_jit
def bitwise_or(x: ArrayLike, y: ArrayLike, /) -> Array:
    """The bits that are set in at least one. Raises: TypeError for floats.

    >>> import minijax.numpy as jnp
    >>> print(jnp.bitwise_or(6, 3))
    7
    """
    x, y, _ = two("bitwise_or", JOIN, x, y)
    return lax.bitwise_or(x, y)


@eager_jit
def bitwise_xor(x: ArrayLike, y: ArrayLike, /) -> Array:
    """The bits that are set in exactly one. Raises: TypeError for floats.

    >>> import minijax.numpy as jnp
    >>> print(jnp.bitwise_xor(6, 3))
    5
    """
    x, y, _ = two("bitwise_xor", JOIN, x, y)
    return lax.bitwise_xor(x, y)


@eager_jit
def invert(x: ArrayLike, /) -> Array:
    """All bits the other way. Raises: TypeError for floats.

    >>> import minijax.numpy as jnp
    >>> print(jnp.invert(0))
    -1
    """
    check_arrays("invert", x)
    return lax.bitwise_not(x)


@eager_jit
def left_shift(x: ArrayLike, y: ArrayLike, /) -> Array:
    """Bits moved up by y places; 0 beyond the width.

    >>> import minijax.numpy as jnp
    >>> print(jnp.left_shift(1, 3))
    8
    """
    x, y, _ = two("left_shift", NUMERIC, x, y)
    return lax.shift_left(x, y)


@eager_jit
def right_shift(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Bits moved down by x2 places; signed integers keep their sign.

    >>> import minijax.numpy as jnp
    >>> print(jnp.right_shift(-8, 1))
    -4
    """
    x, y, dtype = two("right_shift", NUMERIC, x1, x2)
    if dtype in dtypes.UNSIGNED:
        return lax.shift_right_logical(x, y)
    return lax.shift_right_arithmetic(x, y)


@eager_jit
def bitwise_count(x: ArrayLike, /) -> Array:
    """How many bits of |x| are set: i[*s] -> u8[*s].

    >>> import minijax.numpy as jnp
    >>> print(jnp.bitwise_count(7))
    3
    """
    x = numeric("bitwise_count", x)
    aval = typeof(x)
    if aval.dtype not in dtypes.INTEGERS:
        raise ArgumentTypeError(
            "bitwise_count counts bits of integers.", f"Found {aval}."
        )
    magnitude = lax.abs(x) if aval.dtype in dtypes.SIGNED else x
    return lax.convert_element_type(lax.population_count(magnitude), np.uint8)


def stretched(*xs: Any) -> list[Any]:
    """The operands repeated to their common shape."""
    shape = joint_shape(*xs)
    return [stretch(x, shape) for x in xs]
