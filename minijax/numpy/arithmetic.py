"""The operations that Python has operators for, apart from division with remainder.

Source: spec/numpy.md §8.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lax
from ..base import dtypes
from ..base.errors import ArgumentTypeError, DTypeNotAcceptedError
from ..core import Tracer, broadcast_in_dim_p, typeof
from ..runtime import Array
from ..transforms import eager_jit
from .promotion import (
    INEXACT,
    JOIN,
    NUMERIC,
    as_is,
    check_arrays,
    inexact,
    numeric,
    two,
    with_rank,
)

if TYPE_CHECKING:
    from .promotion import ArrayLike

BOOL = dtypes.BOOL


@eager_jit
def add(x: ArrayLike, y: ArrayLike, /) -> Array:
    """x + y; for booleans "or".

    >>> import minijax.numpy as jnp
    >>> print(jnp.add(jnp.arange(3), 1))
    [1 2 3]
    """
    x, y, dtype = two("add", JOIN, x, y)
    return lax.bitwise_or(x, y) if dtype == BOOL else lax.add(x, y)


@eager_jit
def subtract(x: ArrayLike, y: ArrayLike, /) -> Array:
    """x - y. Raises: TypeError for booleans.

    >>> import minijax.numpy as jnp
    >>> print(jnp.subtract(jnp.arange(3), 1))
    [-1  0  1]
    """
    x, y, _ = two("subtract", JOIN, x, y)
    return lax.sub(x, y)


@eager_jit
def multiply(x: ArrayLike, y: ArrayLike, /) -> Array:
    """x * y; for booleans "and".

    >>> import minijax.numpy as jnp
    >>> print(jnp.multiply(jnp.arange(3), 2))
    [0 2 4]
    """
    x, y, dtype = two("multiply", JOIN, x, y)
    return lax.bitwise_and(x, y) if dtype == BOOL else lax.mul(x, y)


@eager_jit
def true_divide(x: ArrayLike, y: ArrayLike, /) -> Array:
    """x / y, in floats even for integers.

    >>> import minijax.numpy as jnp
    >>> print(jnp.divide(jnp.arange(3), 2))
    [0.  0.5 1. ]
    """
    x, y, _ = two("divide", INEXACT, x, y)
    return lax.div(x, y)


@eager_jit
def negative(x: ArrayLike, /) -> Array:
    """-x. Raises: TypeError for booleans.

    >>> import minijax.numpy as jnp
    >>> print(jnp.negative(jnp.arange(3)))
    [ 0 -1 -2]
    """
    return lax.neg(x)


@eager_jit
def positive(x: ArrayLike, /) -> Array:
    """The elements as they are.

    >>> import minijax.numpy as jnp
    >>> print(jnp.positive(-1.0))
    -1.0
    """
    check_arrays("positive", x)
    return as_is(x)


@eager_jit
def absolute(x: ArrayLike, /) -> Array:
    """The distance of each element from zero; real for complex numbers.

    >>> import minijax.numpy as jnp
    >>> print(jnp.abs(3 - 4j))
    5.0
    """
    check_arrays("absolute", x)
    if typeof(x).dtype in dtypes.UNSIGNED or typeof(x).dtype == BOOL:
        return as_is(x)
    return lax.abs(x)


@eager_jit
def fabs(x: ArrayLike, /) -> Array:
    """The absolute value as a float. Raises: TypeError for complex numbers.

    >>> import minijax.numpy as jnp
    >>> print(jnp.fabs(-2))
    2.0
    """
    x = inexact("fabs", x)
    if typeof(x).dtype in dtypes.COMPLEXES:
        name = dtypes.name_of(typeof(x).dtype)
        raise DTypeNotAcceptedError("fabs", name, "real", "Use `abs`.")
    return lax.abs(x)


@eager_jit
def square(x: ArrayLike, /) -> Array:
    """x * x.

    >>> import minijax.numpy as jnp
    >>> print(jnp.square(3))
    9
    """
    return lax.square(numeric("square", x))


@eager_jit
def reciprocal(x: ArrayLike, /) -> Array:
    """1 / x, in floats even for integers.

    >>> import minijax.numpy as jnp
    >>> print(jnp.reciprocal(4))
    0.25
    """
    return lax.integer_pow(inexact("reciprocal", x), -1)


@eager_jit
def sign(x: ArrayLike, /) -> Array:
    """-1, 0 or 1; for complex numbers x / |x|. Raises: TypeError for booleans.

    >>> import minijax.numpy as jnp
    >>> print(jnp.sign(-2.5))
    -1.0
    """
    return lax.sign(x)


@eager_jit
def maximum(x: ArrayLike, y: ArrayLike, /) -> Array:
    """The larger of two elements; NaN if one is. Complex numbers by real part first.

    >>> import minijax.numpy as jnp
    >>> print(jnp.maximum(jnp.arange(3), 1))
    [1 1 2]
    """
    x, y, _ = two("maximum", JOIN, x, y)
    return lax.max(x, y)


@eager_jit
def minimum(x: ArrayLike, y: ArrayLike, /) -> Array:
    """The smaller of two elements; NaN if one is. Complex numbers by real part first.

    >>> import minijax.numpy as jnp
    >>> print(jnp.minimum(jnp.arange(3), 1))
    [0 1 1]
    """
    x, y, _ = two("minimum", JOIN, x, y)
    return lax.min(x, y)


# --- powers ---------------------------------------------------------------------------


def power(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """x1 to the power x2.

    A power that is an integer known in advance is a chain of products, exact for
    integers. Raises: TypeError for a negative one of integers.

    >>> import minijax.numpy as jnp
    >>> print(jnp.power(jnp.arange(4), 2))
    [0 1 4 9]
    """
    check_arrays("power", x1, x2)
    exponent = _known_integer(x2)
    if exponent is None:
        return _power(x1, x2)
    return integer_power(x1, exponent)


def _known_integer(x: Any) -> int | None:
    """The value of an integer scalar that is known now."""
    if x.__class__ is int:
        return x
    if isinstance(x, bool | Tracer):
        return None
    if not isinstance(x, np.integer | np.ndarray | Array):
        return None
    return int(x) if x.ndim == 0 and x.dtype in dtypes.INTEGERS else None


@eager_jit(static_argnums=1)
def integer_power(x: ArrayLike, n: int, /) -> Array:
    """x to a power that is a Python int; T[*s] -> T[*s], booleans as integers."""
    x = numeric("power", x)
    aval = typeof(x)
    if n < 0 and aval.dtype in dtypes.INTEGERS:
        raise ArgumentTypeError(
            f"The power {n} of integers is no integer.",
            f"Found {aval}.",
            "Convert to floats first, or write `x ** float(n)`.",
        )
    if n == 0:
        return lax.full_like(x, 1)
    if n == 1:
        return as_is(x)
    return lax.integer_pow(x, n)


@eager_jit
def _power(x: ArrayLike, y: ArrayLike, /) -> Array:
    base, exponent, dtype = two("power", NUMERIC, x, y)
    if dtype in dtypes.INTEGERS:
        return _integer_power_of_array(base, exponent, dtype)
    if typeof(y).dtype in dtypes.INTEGERS and not isinstance(y, int | np.integer):
        # The power of a float to integers that are not known takes them as they are.
        exponent = with_rank(y, max(typeof(x).ndim, typeof(y).ndim))
    return lax.pow(base, exponent)


def _integer_power_of_array(x: Any, n: Any, dtype: Any) -> Any:
    """x**n by repeated squaring over the bits of n, which no int64 result exceeds."""
    steps = 6
    zero, one = np.asarray(0, dtype)[()], np.asarray(1, dtype)[()]
    shape = joint_shape(x, n)
    result = _choose(
        lax.bitwise_and(lax.eq(x, zero), lax.ne(n, zero)), zero, one, shape
    )
    for step in range(steps):
        bit = lax.ne(lax.bitwise_and(n, one), zero)
        result = _choose(bit, lax.mul(result, x), result, shape)
        if step < steps - 1:
            x, n = lax.mul(x, x), lax.shift_right_logical(n, one)
    return result


def _choose(mask: Any, on_true: Any, on_false: Any, shape: tuple[int, ...]) -> Any:
    return lax.select(
        stretch(mask, shape), stretch(on_true, shape), stretch(on_false, shape)
    )


def stretch(x: Any, shape: tuple[int, ...]) -> Any:
    """`x` repeated to `shape`, lined up from the last axis, which it must fit."""
    given = typeof(x).shape
    if given == shape:
        return x
    dims = tuple(range(len(shape) - len(given), len(shape)))
    return broadcast_in_dim_p.bind(
        x, shape=shape, broadcast_dimensions=dims, sharding=None
    )


def joint_shape(*xs: Any) -> tuple[int, ...]:
    """The shape that operands broadcast to. Raises: ValueError if there is none."""
    shapes = {typeof(x).shape for x in xs}
    shapes.discard(())
    if len(shapes) < 2:
        return shapes.pop() if shapes else ()
    return lax.broadcast_shapes(*shapes)


def float_power(x: ArrayLike, y: ArrayLike, /) -> Array:
    """x to the power y in floats, or complex numbers, whatever the operands.

    >>> import minijax.numpy as jnp
    >>> print(jnp.float_power(2, 3))
    8.0
    """
    return _float_power(x, y)


@eager_jit
def _float_power(x: ArrayLike, y: ArrayLike, /) -> Array:
    x, y, _ = two("float_power", INEXACT, x, y)
    return lax.pow(x, y)


# --- products of whole numbers --------------------------------------------------------


def index_of(x: Any, function: str, name: str) -> int:
    """A Python int from an argument that must be known now. Raises: TypeError."""
    try:
        return operator.index(x)
    except TypeError as error:
        if isinstance(x, Tracer):
            raise
        raise ArgumentTypeError(
            f"`{name}` of {function} is an integer.",
            f"Found {x!r} of type {type(x).__name__}.",
        ) from error
