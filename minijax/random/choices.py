"""Decisions and categories: bernoulli, rademacher, gumbel, categorical.

Source: spec/random.md §§11.5, 11.6.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import lax
from ..base import dtypes, flags
from ..base.errors import ArgumentTypeError, ArgumentValueError, AxisOutOfRangeError
from ..core import typeof
from ..runtime import Array
from ..transforms import eager_jit, jit
from .arguments import (
    cast,
    check_array,
    check_placement,
    float_dtype,
    int_dtype,
    joint_shape,
    optional_shape,
    scalar,
    shape_of,
)
from .keys import one_key
from .primitives import random_bits_p
from .uniforms import uniform_in


def _check_mode(function: str, mode: Any, known: tuple[str, ...]) -> None:
    if mode not in known:
        raise ArgumentValueError(
            f"The mode of random.{function} is one of {', '.join(known)}.",
            f"Found {mode!r}.",
        )


# --- bernoulli, rademacher ------------------------------------------------------------


def bernoulli(
    key: Any,
    p: Any = 0.5,
    shape: Any = None,
    mode: str = "low",
    *,
    out_sharding: Any = None,
) -> Array:
    """True with chance `p`: key[], f[*s] -> bool[*shape].

    mode: "low", or "high", which resolves chances below the precision of the dtype.

    >>> import minijax as mj
    >>> mj.random.bernoulli(mj.random.key(0), 0.96, (2,))
    Array([ True, False], dtype=bool)

    Raises:
      TypeError: no key, or `p` has no floating dtype.
      ValueError: several keys, an unknown mode, or a shape that `p` does not fit.
    """
    shape = optional_shape(shape)
    _check_mode("bernoulli", mode, ("low", "high"))
    key = one_key("bernoulli", key)
    check_placement("bernoulli", out_sharding)
    aval = check_array("bernoulli", "p", p)
    if aval.dtype not in dtypes.FLOATS:
        raise ArgumentTypeError("The chance `p` is a float.", f"Found {aval}.")
    return bernoulli_in(key, p, aval.shape if shape is None else shape, mode)


def _bernoulli(key: Any, p: Any, shape: tuple[int, ...], mode: str) -> Any:
    shape = joint_shape("bernoulli", shape, p)
    dtype = typeof(p).dtype
    if typeof(p).weak_type:
        dtype = dtypes.canonicalize_dtype(dtype)
    if mode == "low":
        return lax.lt(uniform_in(key, shape, dtype, 0.0, 1.0), _beside(p, shape))
    upper, lower = lax.unstack(uniform_in(key, (2, *shape), dtype, 0.0, 1.0))
    rest = lax.mul(lower, scalar(dtypes.finfo(dtype).eps, dtype))
    return lax.lt(rest, lax.sub(_beside(p, shape), upper))


def _beside(x: Any, shape: tuple[int, ...]) -> Any:
    """A parameter beside an array of `shape`: of equal rank, or a scalar."""
    return lax.broadcast_to_rank(x, len(shape)) if typeof(x).shape else x


bernoulli_in = jit(_bernoulli, static_argnums=(2, 3))


def rademacher(
    key: Any, shape: Any = (), dtype: Any = None, *, out_sharding: Any = None
) -> Array:
    """-1 or 1, with equal chances: key[] -> i[*shape].

    Raises:
      TypeError: no key.
      ValueError: several keys.
    """
    key = one_key("rademacher", key)
    check_placement("rademacher", out_sharding)
    return rademacher_in(key, shape_of(shape), int_dtype("rademacher", dtype))


def _rademacher(key: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    half = scalar(0.5, dtypes.default_float())
    heads = bernoulli_in(key, half, shape, "low")
    counted = dtype if dtype in dtypes.NUMERIC else dtypes.default_int()
    doubled = lax.mul(scalar(2, counted), cast(heads, counted))
    return cast(lax.sub(doubled, scalar(1, counted)), dtype)


rademacher_in = jit(_rademacher, static_argnums=(1, 2))


# --- gumbel ---------------------------------------------------------------------------

_MODES = ("low", "high", "highest")


def gumbel(
    key: Any,
    shape: Any = (),
    dtype: Any = None,
    mode: str | None = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Numbers of the standard Gumbel distribution: key[] -> f[*shape].

    mode: how far the tails reach: "low", "high" or "highest"; by default "low", or what
    `jax_high_dynamic_range_gumbel` says.

    Raises:
      TypeError: no key.
      ValueError: several keys, a dtype that is not floating-point, an unknown mode.
    """
    key = one_key("gumbel", key)
    check_placement("gumbel", out_sharding)
    dtype = float_dtype("gumbel", dtype)
    return gumbel_in(key, shape_of(shape), dtype, gumbel_mode(mode))


def gumbel_mode(mode: str | None) -> str:
    """The mode that is meant. Raises: ValueError, if there is none of this name."""
    if mode is None:
        return "high" if flags.high_dynamic_range_gumbel.value else "low"
    _check_mode("gumbel", mode, _MODES)
    return mode


def _gumbel(key: Any, shape: tuple[int, ...], dtype: Any, mode: str) -> Any:
    info = dtypes.finfo(dtype)
    if mode == "low":
        unit = uniform_in(key, shape, dtype, minval=info.tiny, maxval=1.0)
        return lax.neg(lax.log(lax.neg(lax.log(unit))))
    if mode == "highest" and dtype == np.float32:
        return _gumbel_of_words(key, shape)
    drawn = uniform_in(key, (2, *shape), dtype, minval=0.0, maxval=1.0)
    high, low = lax.unstack(drawn)
    # Below one half there is room for more bits: they come from the second number.
    eps, tiny = float(info.eps), float(info.tiny)
    finer = lax.add(high, lax.mul(scalar(eps, dtype), low))
    finer = lax.add(finer, scalar(max(eps * eps / 2, tiny), dtype))
    unit = lax.select(lax.ge(high, scalar(0.5, dtype)), high, finer)
    return lax.neg(lax.log(lax.neg(lax.log1p(lax.neg(unit)))))


def _gumbel_of_words(key: Any, shape: tuple[int, ...]) -> Any:
    """From 64 bits z: the smaller of z and 2**64 - z, scaled, as f32 of its own."""
    u32 = np.uint32
    high, low = lax.unstack(random_bits_p.bind(key, bit_width=32, shape=(2, *shape)))
    is_small = lax.lt(high, u32(2**31))
    minus_low = lax.add(lax.bitwise_not(low), u32(1))
    carry = cast(lax.eq(minus_low, u32(0)), u32)
    minus_high = lax.add(lax.bitwise_not(high), carry)
    high = lax.select(is_small, high, minus_high)
    low = lax.select(is_small, low, minus_low)
    unit = _scaled(high, low)
    small = lax.neg(lax.log(lax.neg(lax.log1p(lax.neg(unit)))))
    large = lax.neg(lax.log(lax.neg(lax.log(unit))))
    return lax.select(is_small, small, large)


def _scaled(high: Any, low: Any) -> Any:
    """(high * 2**32 + low) / 2**64 cut off to the 24 bits of a float: f32[*s]."""
    u32 = np.uint32
    zeros = lax.clz(high)
    only_low = lax.eq(zeros, u32(32))
    below = lax.shift_right_logical(low, lax.sub(u32(32), zeros))
    low_zeros = lax.clz(low)
    below = lax.select(only_low, lax.shift_left(low, low_zeros), below)
    leading = lax.bitwise_or(lax.shift_left(high, zeros), below)
    fraction = lax.shift_right_logical(leading, u32(8))
    fraction = lax.bitwise_and(fraction, u32(2**23 - 1))
    zeros = lax.select(only_low, lax.add(u32(32), low_zeros), zeros)
    exponent = lax.shift_left(lax.sub(u32(126), zeros), u32(23))
    exponent = lax.bitwise_and(exponent, u32(0x3FC00000))
    return lax.bitcast_convert_type(lax.bitwise_or(exponent, fraction), np.float32)


gumbel_in = jit(_gumbel, static_argnums=(1, 2, 3))


# --- categorical ----------------------------------------------------------------------


def categorical(
    key: Any,
    logits: Any,
    axis: int = -1,
    shape: Any = None,
    replace: bool = True,
    mode: str | None = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Categories by their logarithmic chances: key[], f[*s] -> i[*shape].

    axis: of `logits`, along which the categories lie. shape: ends with the other axes
    of `logits` or broadcasts with them; leading axes are further draws. replace:
    whether those may repeat a category.

    >>> import minijax as mj
    >>> mj.random.categorical(mj.random.key(0), mj.numpy.array([0.0, 5.0]), shape=(3,))
    Array([1, 1, 1], dtype=int32)

    Raises:
      TypeError: no key, or `logits` is no array.
      ValueError: several keys, logits that are no floats, a shape that does not fit,
        or more draws without replacement than categories.
      IndexError: `axis` is none of `logits`.
    """
    key = one_key("categorical", key)
    check_placement("categorical", out_sharding)
    aval = check_array("categorical", "logits", logits)
    if not -aval.ndim <= axis < aval.ndim:
        raise IndexError(str(AxisOutOfRangeError(axis, aval.ndim)))
    axis = axis % aval.ndim
    dtype = float_dtype("categorical", aval.dtype)
    mode = gumbel_mode(mode)
    batch = (*aval.shape[:axis], *aval.shape[axis + 1 :])
    shape = _batched(optional_shape(shape), batch)
    prefix = shape[: len(shape) - len(batch)]
    if replace:
        sizes = list(shape[len(prefix) :])
        sizes.insert(axis, aval.shape[axis])
        settings = ((*prefix, *sizes), dtype, mode, len(prefix) + axis)
        return _draw(key, logits, *settings)
    count = math.prod(prefix)
    if count > aval.shape[axis]:
        raise ArgumentValueError(
            "Draws without replacement are no more than there are categories.",
            f"Found {count} draws from {aval.shape[axis]} categories.",
        )
    return _draw_distinct(key, logits, dtype, mode, axis, count, shape)


def _batched(shape: Any, batch: tuple[int, ...]) -> tuple[int, ...]:
    if shape is None:
        return batch
    try:
        fits = lax.broadcast_shapes(shape, batch) == shape
    except (TypeError, ValueError):
        fits = False
    if not fits:
        raise ArgumentValueError(
            f"`shape` of random.categorical ends with {batch}, the axes of `logits` "
            "without their categories.",
            f"Found {shape}.",
        )
    return shape


def _draw_categories(
    key: Any, logits: Any, shape: tuple[int, ...], dtype: Any, mode: str, axis: int
) -> Any:
    noise = gumbel_in(key, shape, dtype, mode)
    logits = lax.broadcast_to_rank(cast(logits, dtype), len(shape))
    return lax.argmax(lax.add(noise, logits), axis, dtypes.default_int())


def _draw_distinct_categories(
    key: Any, logits: Any, dtype: Any, mode: str, axis: int, count: int, shape: Any
) -> Any:
    logits = cast(logits, dtype)
    noise = gumbel_in(key, typeof(logits).shape, dtype, mode)
    _, found = lax.top_k(lax.add(logits, noise), count, axis=axis)
    order = (axis, *(i for i in range(found.ndim) if i != axis))
    return lax.reshape(lax.transpose(found, order), shape)


# Inside a program they leave no equation of their own.
_draw = eager_jit(_draw_categories, static_argnums=(2, 3, 4, 5))
_draw_distinct = eager_jit(_draw_distinct_categories, static_argnums=(2, 3, 4, 5, 6))
