"""Bitwise logic, shifts and counts of bits. Nothing here has a derivative.

Source: spec/primitives.md §§3, 4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import lowering
from ..core import NOT_DIFFERENTIABLE, NOT_LINEAR, Primitive
from ..interpreters import ad, batching
from .definition import define
from .typing import BITS, INTEGER, Family, nary_type, unary_type

if TYPE_CHECKING:
    from .typing import Array, ArrayLike

__all__ = [
    "and_p",
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "clz",
    "clz_p",
    "mulhi",
    "mulhi_p",
    "not_p",
    "or_p",
    "population_count",
    "population_count_p",
    "shift_left",
    "shift_left_p",
    "shift_right_arithmetic",
    "shift_right_arithmetic_p",
    "shift_right_logical",
    "shift_right_logical_p",
    "xor_p",
]

not_p = Primitive("not")
and_p = Primitive("and")
or_p = Primitive("or")
xor_p = Primitive("xor")
shift_left_p = Primitive("shift_left")
shift_right_logical_p = Primitive("shift_right_logical")
shift_right_arithmetic_p = Primitive("shift_right_arithmetic")
population_count_p = Primitive("population_count")
clz_p = Primitive("clz")
mulhi_p = Primitive("mulhi")


def bitwise_not(x: ArrayLike) -> Array:
    """Each bit inverted, or each truth value: T[*s] -> T[*s], integers and bool.

    >>> import minijax as mj
    >>> print(mj.lax.bitwise_not(5))
    -6

    Raises:
      TypeError: another dtype.
    """
    return not_p.bind(x)


def bitwise_and(x: ArrayLike, y: ArrayLike) -> Array:
    """Bits set in both operands: T[*s], T[*s] -> T[*s], integers and bool.

    >>> import minijax as mj
    >>> print(mj.lax.bitwise_and(6, 3))
    2

    Raises:
      TypeError: other dtypes, differing ones, or shapes that do not fit.
    """
    return and_p.bind(x, y)


def bitwise_or(x: ArrayLike, y: ArrayLike) -> Array:
    """Bits set in an operand: T[*s], T[*s] -> T[*s], integers and bool.

    >>> import minijax as mj
    >>> print(mj.lax.bitwise_or(6, 3))
    7

    Raises:
      TypeError: other dtypes, differing ones, or shapes that do not fit.
    """
    return or_p.bind(x, y)


def bitwise_xor(x: ArrayLike, y: ArrayLike) -> Array:
    """Bits set in exactly one operand: T[*s], T[*s] -> T[*s], integers and bool.

    >>> import minijax as mj
    >>> print(mj.lax.bitwise_xor(6, 3))
    5

    Raises:
      TypeError: other dtypes, differing ones, or shapes that do not fit.
    """
    return xor_p.bind(x, y)


def shift_left(x: ArrayLike, y: ArrayLike) -> Array:
    """x moved up by y bits, zeros coming in: i[*s], i[*s] -> i[*s].

    >>> import minijax as mj
    >>> print(mj.lax.shift_left(3, 2))
    12

    Raises:
      TypeError: no integers, differing dtypes, or shapes that do not fit.
    """
    return shift_left_p.bind(x, y)


def shift_right_logical(x: ArrayLike, y: ArrayLike) -> Array:
    """x moved down by y bits, zeros coming in: i[*s], i[*s] -> i[*s].

    >>> import minijax as mj
    >>> print(mj.lax.shift_right_logical(-1, 28))
    15

    Raises:
      TypeError: no integers, differing dtypes, or shapes that do not fit.
    """
    return shift_right_logical_p.bind(x, y)


def shift_right_arithmetic(x: ArrayLike, y: ArrayLike) -> Array:
    """x moved down by y bits, the sign coming in: i[*s], i[*s] -> i[*s].

    >>> import minijax as mj
    >>> print(mj.lax.shift_right_arithmetic(-8, 1))
    -4

    Raises:
      TypeError: no integers, differing dtypes, or shapes that do not fit.
    """
    return shift_right_arithmetic_p.bind(x, y)


def population_count(x: ArrayLike) -> Array:
    """How many bits are set in each element: i[*s] -> i[*s].

    >>> import minijax as mj
    >>> print(mj.lax.population_count(7))
    3

    Raises:
      TypeError: no integers.
    """
    return population_count_p.bind(x)


def clz(x: ArrayLike) -> Array:
    """How many bits above the highest set one are zero, per element: i[*s] -> i[*s].

    >>> import minijax as mj
    >>> print(mj.lax.clz(1))
    31

    Raises:
      TypeError: no integers.
    """
    return clz_p.bind(x)


def mulhi(x: ArrayLike, y: ArrayLike, /) -> Array:
    """The upper half of the double-width product: i[*s], i[*s] -> i[*s].

    >>> import minijax as mj
    >>> print(mj.lax.mulhi(1 << 30, 8))
    2

    Raises:
      TypeError: no integers, differing dtypes, or shapes that do not fit.
    """
    return mulhi_p.bind(x, y)


# --- rules ----------------------------------------------------------------------------


def _define_binary(primitive: Primitive, accepted: Family, op: str) -> None:
    define(
        primitive,
        abstract_eval=nary_type(primitive, accepted),
        jvp=ad.ZERO(primitive),
        transpose=NOT_LINEAR,
        batch=batching.elementwise(primitive),
        lower=lowering.emit(op),
    )


define(
    not_p,
    abstract_eval=unary_type(not_p, BITS),
    jvp=ad.ZERO(not_p),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(not_p),
    lower=lowering.emit("stablehlo.not"),
)
_define_binary(and_p, BITS, "stablehlo.and")
_define_binary(or_p, BITS, "stablehlo.or")
_define_binary(xor_p, BITS, "stablehlo.xor")
_define_binary(shift_left_p, INTEGER, "stablehlo.shift_left")
_define_binary(shift_right_logical_p, INTEGER, "stablehlo.shift_right_logical")
_define_binary(shift_right_arithmetic_p, INTEGER, "stablehlo.shift_right_arithmetic")
_define_binary(mulhi_p, INTEGER, "chlo.mulhi")

define(
    population_count_p,
    abstract_eval=unary_type(population_count_p, INTEGER),
    jvp=NOT_DIFFERENTIABLE,
    transpose=NOT_LINEAR,
    batch=batching.elementwise(population_count_p),
    lower=lowering.emit("stablehlo.popcnt"),
)
define(
    clz_p,
    abstract_eval=unary_type(clz_p, INTEGER),
    jvp=NOT_DIFFERENTIABLE,
    transpose=NOT_LINEAR,
    batch=batching.elementwise(clz_p),
    lower=lowering.emit("stablehlo.count_leading_zeros"),
)
