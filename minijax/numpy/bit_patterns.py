"""Functions of the bits of numbers: parts of floats, packed booleans; whole divisors.

Source: spec/numpy.md §8.1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lax
from ..base import dtypes
from ..base.errors import ArgumentTypeError, ArgumentValueError
from ..base.util import canonicalize_axis
from ..core import typeof
from ..transforms import custom_jvp, eager_jit
from .logic import stretched, truth
from .promotion import JOIN, as_is, cast_to, check_arrays, constant_like, inexact, two
from .reductions import reduce_sum, static_axis
from .selecting import where as choose

if TYPE_CHECKING:
    from ..runtime import Array
    from .promotion import ArrayLike


# --- parts of floats ------------------------------------------------------------------

# bits of a dtype -> the unsigned and the signed integer of that width
_WORDS = {
    16: (np.dtype(np.uint16), np.dtype(np.int16)),
    32: (np.dtype(np.uint32), np.dtype(np.int32)),
    64: (np.dtype(np.uint64), np.dtype(np.int64)),
}


def _layout(dtype: Any) -> tuple[Any, int, int]:
    """The signed integer of the width, bits of the mantissa, bias of the exponent."""
    limits = dtypes.finfo(dtype)
    return _WORDS[limits.bits][1], limits.nmant, limits.maxexp - 1


@custom_jvp
def _frexp(x: Any) -> tuple[Any, Any]:
    dtype = typeof(x).dtype
    word, mantissa_bits, bias = _layout(dtype)
    width = dtypes.itemsize_bits(dtype) - mantissa_bits - 1
    bits = lax.bitcast_convert_type(x, word)
    mask = word.type((1 << width) - 1)
    place = word.type(mantissa_bits)
    raw = lax.bitwise_and(lax.shift_right_logical(bits, place), mask)
    none, special = lax.eq(raw, word.type(0)), lax.eq(raw, mask)
    cleared = lax.bitwise_and(
        bits, word.type(~((1 << mantissa_bits) * ((1 << width) - 1)))
    )
    half = word.type((bias - 1) << mantissa_bits)
    mantissa = lax.bitcast_convert_type(lax.bitwise_or(cleared, half), dtype)
    exponent = lax.sub(lax.convert_element_type(raw, np.int32), np.int32(bias - 1))
    # Infinities and NaN keep their value; what the machine flushes to zero is zero.
    kept = lax.select(special, x, mantissa)
    kept = lax.select(none, lax.mul(x, lax.full_like(x, 0)), kept)
    zero = lax.full_like(exponent, 0)
    return kept, lax.select(lax.bitwise_or(none, special), zero, exponent)


@_frexp.defjvp
def _frexp_jvp(primals: Any, tangents: Any) -> Any:
    (x,), (x_dot,) = primals, tangents
    mantissa, exponent = _frexp(x)
    scaled = lax.mul(x_dot, _ldexp(lax.full_like(x, 1), lax.neg(exponent)))
    zero = np.zeros(typeof(exponent).shape, dtypes.float0)
    return (mantissa, exponent), (scaled, zero)


@eager_jit
def frexp(x: ArrayLike, /) -> tuple[Array, Array]:
    """x as mantissa * 2**exponent, the mantissa from 0.5 up to 1.

    >>> import minijax.numpy as jnp
    >>> print(*jnp.frexp(8.0))
    0.5 4

    Raises:
      TypeError: complex numbers.
    """
    x = inexact("frexp", x)
    if typeof(x).dtype in dtypes.COMPLEXES:
        raise ArgumentTypeError("frexp takes real numbers.", f"Found {typeof(x)}.")
    return _frexp(cast_to(x, typeof(x).dtype))


@custom_jvp
def _ldexp(x: Any, n: Any) -> Any:
    # The exponent is added in three parts, so that neither power of two overflows
    # before the product does.
    dtype = typeof(x).dtype
    word, mantissa_bits, bias = _layout(dtype)
    limit = np.int32(4 * bias)
    n = lax.clamp(np.int32(-limit), lax.convert_element_type(n, np.int32), limit)
    out, rest = x, n
    for _ in range(4):
        step = lax.clamp(np.int32(1 - bias), rest, np.int32(bias))
        power = lax.shift_left(
            lax.convert_element_type(lax.add(step, np.int32(bias)), word),
            word.type(mantissa_bits),
        )
        out = lax.mul(out, lax.bitcast_convert_type(power, dtype))
        rest = lax.sub(rest, step)
    return out


@_ldexp.defjvp
def _ldexp_jvp(primals: Any, tangents: Any) -> Any:
    (x, n), (x_dot, _) = primals, tangents
    return _ldexp(x, n), lax.mul(x_dot, _ldexp(lax.full_like(x, 1), n))


@eager_jit
def ldexp(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """x1 * 2**x2.

    >>> import minijax.numpy as jnp
    >>> print(jnp.ldexp(0.5, 4))
    8.0

    Raises:
      ValueError: a second argument that is no integer, or complex numbers.
    """
    check_arrays("ldexp", x1, x2)
    if typeof(x2).dtype not in dtypes.INTEGERS and typeof(x2).dtype != dtypes.BOOL:
        raise ArgumentValueError("The exponent is an integer.", f"Found {typeof(x2)}.")
    x = inexact("ldexp", x1)
    if typeof(x).dtype in dtypes.COMPLEXES:
        raise ArgumentValueError("ldexp takes real numbers.", f"Found {typeof(x)}.")
    x, n = stretched(x, cast_to(x2, np.dtype(np.int32)))
    return _ldexp(x, n)


# --- packed booleans ------------------------------------------------------------------


def packbits(a: ArrayLike, axis: int | None = None, bitorder: str = "big") -> Array:
    """Eight booleans (elements that are not zero) as one byte.

    >>> import minijax.numpy as jnp
    >>> print(jnp.packbits(jnp.array([1, 0, 1])))
    [160]

    Raises:
      TypeError: floats.
    """
    _check_order(bitorder)
    return _packbits(a, static_axis(axis), bitorder)


def _check_order(bitorder: str) -> None:
    if bitorder not in ("big", "little"):
        raise ArgumentValueError(
            "bitorder is 'big' or 'little'.", f"Found {bitorder!r}."
        )


@eager_jit(static_argnums=(1, 2))
def _packbits(a: Any, axis: Any, bitorder: str) -> Any:
    check_arrays("packbits", a)
    if typeof(a).dtype not in dtypes.INTEGERS and typeof(a).dtype != dtypes.BOOL:
        raise ArgumentTypeError("packbits packs integers.", f"Found {typeof(a)}.")
    x = as_is(a)
    if axis is None:
        x, axis = lax.reshape(x, (typeof(x).size,)), 0
    axis = canonicalize_axis(axis, typeof(x).ndim)
    bits = lax.convert_element_type(truth(x), np.uint8)
    rank = typeof(x).ndim
    order = [*(i for i in range(rank) if i != axis), axis]
    bits = lax.transpose(bits, order)
    size = typeof(bits).shape[-1]
    config = [(0, 0, 0)] * (rank - 1) + [(0, -size % 8, 0)]
    bits = lax.pad(bits, np.uint8(0), config)
    bits = lax.reshape(bits, (*typeof(bits).shape[:-1], -(-size // 8), 8))
    places = lax.broadcasted_iota(np.uint8, typeof(bits).shape, rank)
    if bitorder == "big":
        places = lax.sub(np.uint8(7), places)
    packed = reduce_sum(lax.shift_left(bits, places), (rank,), promote_integers=False)
    return lax.transpose(packed, [order.index(i) for i in range(rank)])


def unpackbits(
    a: ArrayLike,
    axis: int | None = None,
    count: int | None = None,
    bitorder: str = "big",
) -> Array:
    """The bits of bytes as elements 0 and 1; `count` of them.

    >>> import minijax.numpy as jnp
    >>> print(jnp.unpackbits(jnp.array([160], "uint8")))
    [1 0 1 0 0 0 0 0]

    Raises:
      TypeError: another dtype than uint8.
    """
    _check_order(bitorder)
    return _unpackbits(a, static_axis(axis), count, bitorder)


@eager_jit(static_argnums=(1, 2, 3))
def _unpackbits(a: Any, axis: Any, count: int | None, bitorder: str) -> Any:
    check_arrays("unpackbits", a)
    if typeof(a).dtype != np.uint8:
        raise ArgumentTypeError("unpackbits takes bytes, uint8.", f"Found {typeof(a)}.")
    x = as_is(a)
    if axis is None:
        x, axis = lax.reshape(x, (typeof(x).size,)), 0
    axis = canonicalize_axis(axis, typeof(x).ndim)
    rank = typeof(x).ndim
    order = [*(i for i in range(rank) if i != axis), axis]
    x = lax.transpose(x, order)
    shape = (*typeof(x).shape, 8)
    places = lax.broadcasted_iota(np.uint8, shape, rank)
    if bitorder == "big":
        places = lax.sub(np.uint8(7), places)
    wide = lax.broadcast_in_dim(x, shape, tuple(range(rank)))
    bits = lax.bitwise_and(lax.shift_right_logical(wide, places), np.uint8(1))
    bits = lax.reshape(bits, (*shape[:-2], shape[-2] * 8))
    if count is not None:
        size = typeof(bits).shape[-1]
        wanted = count if count >= 0 else size + count
        config = [(0, 0, 0)] * (rank - 1) + [(0, wanted - size, 0)]
        bits = lax.pad(bits, np.uint8(0), config)
    return lax.transpose(bits, [order.index(i) for i in range(rank)])


# --- whole divisors -------------------------------------------------------------------


@eager_jit
def gcd(x1: ArrayLike, x2: ArrayLike) -> Array:
    """The greatest common divisor. Raises: ValueError for floats.

    >>> import minijax.numpy as jnp
    >>> print(jnp.gcd(12, 18))
    6
    """
    x, y = _whole_pair("gcd", x1, x2)
    return _gcd(x, y)


def _whole_pair(function: str, x: Any, y: Any) -> list[Any]:
    check_arrays(function, x, y)
    x, y, dtype = two(function, JOIN, x, y)
    if dtype not in dtypes.INTEGERS:
        raise ArgumentValueError(f"{function} takes integers.", f"Found {dtype}.")
    return [v if dtype in dtypes.UNSIGNED else lax.abs(v) for v in stretched(x, y)]


def _gcd(x: Any, y: Any) -> Any:
    zero, aval = constant_like(x, 0), typeof(x)

    def goes_on(pair: Any) -> Any:
        return lax.reduce_or(lax.ne(pair[1], zero), tuple(range(aval.ndim)))

    def step(pair: Any) -> Any:
        a, b = pair
        done = lax.eq(b, zero)
        rest = lax.rem(a, choose(done, constant_like(b, 1), b))
        pair = choose(done, a, b), choose(done, zero, rest)
        return tuple(cast_to(v, aval.dtype, weak=aval.weak_type) for v in pair)

    start = tuple(cast_to(v, aval.dtype, weak=aval.weak_type) for v in (x, y))
    return lax.while_loop(goes_on, step, start)[0]


@eager_jit
def lcm(x1: ArrayLike, x2: ArrayLike) -> Array:
    """The least common multiple. Raises: ValueError for floats.

    >>> import minijax.numpy as jnp
    >>> print(jnp.lcm(4, 6))
    12
    """
    x, y = _whole_pair("lcm", x1, x2)
    divisor = _gcd(x, y)
    none = lax.eq(divisor, constant_like(divisor, 0))
    share = lax.div(y, choose(none, constant_like(y, 1), divisor))
    return choose(none, constant_like(x, 0), lax.mul(x, share))
