"""Division with remainder: one rounding rule, four functions.

Floats: r is what `lax.rem` leaves, with the sign of the dividend; quotient and
remainder are corrected by one where it differs from the divisor's. Integers divided by
zero give what the machine gives; their remainder is 0.

Source: spec/numpy.md §8.1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import lax
from ..base import dtypes
from ..base.errors import DTypeNotAcceptedError
from ..core import typeof
from ..transforms import eager_jit
from .arithmetic import joint_shape, stretch
from .promotion import NUMERIC, constant_like, inexact, two

if TYPE_CHECKING:
    from ..runtime import Array
    from .promotion import ArrayLike


def _real_pair(function: str, x: Any, y: Any) -> tuple[Any, Any, Any]:
    x, y, dtype = two(function, NUMERIC, x, y)
    if dtype in dtypes.COMPLEXES:
        raise DTypeNotAcceptedError(function, dtypes.name_of(dtype), "real")
    return x, y, dtype


def _where(mask: Any, x: Any, y: Any) -> Any:
    shape = joint_shape(mask, x, y)
    return lax.select(stretch(mask, shape), stretch(x, shape), stretch(y, shape))


@eager_jit
def floor_divide(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The largest integer that is not above x1 / x2. Raises: TypeError for complex.

    >>> import minijax.numpy as jnp
    >>> print(jnp.floor_divide(jnp.array([7, -7]), 2))
    [ 3 -4]
    """
    x, y, dtype = _real_pair("floor_divide", x1, x2)
    if dtype in dtypes.UNSIGNED:
        return lax.div(x, y)
    if dtype in dtypes.INTEGERS:
        return _integer_quotient(x, y, dtype)
    return _float_divmod(x, y, dtype)[0]


def _integer_quotient(x: Any, y: Any, dtype: Any) -> Any:
    quotient = lax.div(x, y)
    has_rest = lax.ne(lax.rem(x, y), constant_like(x, 0))
    below = lax.bitwise_and(lax.ne(lax.sign(x), lax.sign(y)), has_rest)
    return _where(below, lax.sub(quotient, constant_like(x, 1)), quotient)


def _float_divmod(x: Any, y: Any, dtype: Any) -> tuple[Any, Any]:
    zero, one = constant_like(x, 0), constant_like(x, 1)
    rest = lax.rem(x, y)
    # Division by zero must give an infinity, which NaN - NaN would not.
    whole = _where(lax.eq(y, zero), x, lax.sub(x, rest))
    quotient = lax.div(whole, y)
    wrong_side = lax.bitwise_and(
        lax.ne(rest, zero), lax.ne(lax.sign(y), lax.sign(rest))
    )
    rest = _where(wrong_side, lax.add(rest, y), rest)
    quotient = _where(wrong_side, lax.sub(quotient, one), quotient)
    return lax.round(quotient, lax.RoundingMethod.AWAY_FROM_ZERO), rest


@eager_jit
def remainder(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """What is left of x1 after floor division by x2, with the sign of x2.

    >>> import minijax.numpy as jnp
    >>> print(jnp.remainder(jnp.array([7, -7]), 3))
    [1 2]
    """
    x, y, dtype = _real_pair("remainder", x1, x2)
    return _remainder(x, y, dtype)


def _divisor(y: Any, dtype: Any) -> Any:
    """Integers without zeros, by which the remainder is not defined."""
    if dtype not in dtypes.INTEGERS:
        return y
    return _where(lax.eq(y, constant_like(y, 0)), constant_like(y, 1), y)


def _remainder(x: Any, y: Any, dtype: Any) -> Any:
    y, zero = _divisor(y, dtype), constant_like(x, 0)
    rest = lax.rem(x, y)
    wrong_side = lax.bitwise_and(
        lax.ne(lax.lt(rest, zero), lax.lt(y, zero)), lax.ne(rest, zero)
    )
    return _where(wrong_side, lax.add(rest, y), rest)


@eager_jit
def fmod(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """What is left of x1 after division by x2, with the sign of x1.

    >>> import minijax.numpy as jnp
    >>> print(jnp.fmod(jnp.array([7, -7]), 3))
    [ 1 -1]
    """
    x, y, dtype = _real_pair("fmod", x1, x2)
    return lax.rem(x, _divisor(y, dtype))


@eager_jit
def divmod(x1: ArrayLike, x2: ArrayLike, /) -> tuple[Array, Array]:
    """Floor division and its remainder.

    >>> import minijax.numpy as jnp
    >>> print(*jnp.divmod(7, 3))
    2 1
    """
    x, y, dtype = _real_pair("divmod", x1, x2)
    if dtype in dtypes.INTEGERS:
        if dtype in dtypes.UNSIGNED:
            return lax.div(x, y), _remainder(x, y, dtype)
        return _integer_quotient(x, y, dtype), _remainder(x, y, dtype)
    return _float_divmod(x, y, dtype)


@eager_jit
def modf(x: ArrayLike, /, out: None = None) -> tuple[Array, Array]:
    """The fractional and the whole part, both with the sign of x.

    >>> import minijax.numpy as jnp
    >>> print(*jnp.modf(-2.5))
    -0.5 -2.0
    """
    x = inexact("modf", x)
    if typeof(x).dtype in dtypes.COMPLEXES:
        raise DTypeNotAcceptedError("modf", dtypes.name_of(typeof(x).dtype), "real")
    whole = _where(lax.ge(x, constant_like(x, 0)), lax.floor(x), lax.ceil(x))
    return lax.sub(x, whole), whole
