"""Uniform numbers: floats between two bounds, integers between two bounds.

Source: spec/random.md §§11.1, 11.2.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import lax
from ..base import dtypes
from ..base.errors import ArgumentTypeError, IntegerOverflowError
from ..core import reshape_p, typeof
from ..runtime import Array
from ..transforms import jit
from .arguments import (
    cast,
    check_placement,
    float_dtype,
    int_dtype,
    joint_shape,
    scalar,
    shape_of,
)
from .keys import one_key
from .primitives import random_bits_p, random_split_p


def two_keys(key: Any) -> tuple[Any, Any]:
    """Two new keys from one."""
    first, second = split_keys(key, 2)
    return first, second


def split_keys(key: Any, num: int) -> tuple[Any, ...]:
    """New keys from one."""
    return lax.unstack(random_split_p.bind(key, shape=(num,)))


# --- uniform --------------------------------------------------------------------------


def uniform(
    key: Any,
    shape: Any = (),
    dtype: Any = None,
    minval: Any = 0.0,
    maxval: Any = 1.0,
    *,
    out_sharding: Any = None,
) -> Array:
    """Floats spread evenly over [minval, maxval): key[] -> f[*shape].

    The bounds broadcast against `shape`. Rounding may give `maxval` itself.

    >>> import minijax as mj
    >>> mj.random.uniform(mj.random.key(0), (2,))
    Array([0.947667  , 0.97857976], dtype=float32)

    Raises:
      TypeError: no key.
      ValueError: several keys, or a dtype that is not floating-point.
    """
    key = one_key("uniform", key)
    check_placement("uniform", out_sharding)
    dtype = float_dtype("uniform", dtype)
    return uniform_in(key, shape_of(shape), dtype, minval, maxval)


def _uniform(
    key: Any, shape: tuple[int, ...], dtype: Any, minval: Any, maxval: Any
) -> Any:
    minval, maxval = cast(minval, dtype), cast(maxval, dtype)
    low = lax.broadcast_to_rank(minval, len(shape))
    high = lax.broadcast_to_rank(maxval, len(shape))
    width = dtypes.itemsize_bits(dtype)
    fraction = dtypes.finfo(dtype).nmant
    if width < 8:
        raise ArgumentTypeError(
            "uniform makes floats of at least 8 bits.",
            f"Found {dtypes.name_of(dtype)}.",
        )
    drawn = 8 if fraction < 8 else width
    words = cast(random_bits_p.bind(key, bit_width=drawn, shape=shape), f"uint{width}")
    # The bits fill the fraction of a number in [1, 2).
    one = np.ones((), dtype)
    uint = np.dtype(f"uint{width}")
    words = lax.shift_right_logical(words, scalar(drawn - fraction, uint))
    words = lax.bitwise_or(words, one.view(uint)[()])
    unit = lax.sub(lax.bitcast_convert_type(words, dtype), one[()])
    spread = lax.add(lax.mul(unit, lax.sub(high, low)), low)
    if not shape:
        # A scalar keeps a place where bounds with axes are refused.
        return lax.max(low, _as_scalar(spread))
    return lax.max(low, lax.reshape(spread, shape))


def _as_scalar(x: Any) -> Any:
    return reshape_p.bind(x, new_sizes=(), dimensions=None, sharding=None)


uniform_in = jit(_uniform, static_argnums=(1, 2))


# --- randint --------------------------------------------------------------------------


def randint(
    key: Any,
    shape: Any,
    minval: Any,
    maxval: Any,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Integers from minval up to, not including, maxval: key[] -> i[*shape].

    The bounds broadcast to `shape`. Where maxval is not above minval, that is minval.

    >>> import minijax as mj
    >>> mj.random.randint(mj.random.key(0), (3,), 0, 10)
    Array([1, 6, 8], dtype=int32)

    Raises:
      TypeError: no key, or a dtype that is no integer.
      ValueError: several keys, or bounds that do not broadcast to `shape`.
      OverflowError: a Python int as bound that no default integer holds.
    """
    key = one_key("randint", key)
    check_placement("randint", out_sharding)
    dtype, shape = int_dtype("randint", dtype), shape_of(shape)
    if dtype not in dtypes.INTEGERS:
        raise ArgumentTypeError(
            "random.randint makes integers.", f"Found dtype {dtypes.name_of(dtype)}."
        )
    for bound in (minval, maxval):
        if type(bound) is int:
            _check_bound(bound)
    joint_shape("randint", shape, minval, maxval)
    info = dtypes.iinfo(dtype)
    if info.bits >= 32:
        return integers_in(key, shape, dtype, minval, maxval)
    # Narrow integers are drawn with 32 bits, so that `maxval` may be one too large.
    wide = np.dtype(np.int32)
    low = _clip(cast(minval, wide), info.min, info.max)
    high = _clip(cast(maxval, wide), info.min, info.max + 1)
    return cast(integers_in(key, shape, wide, low, high), dtype)


def _check_bound(bound: int) -> None:
    info = dtypes.iinfo(dtypes.default_int())
    if not info.min <= bound <= info.max:
        raise IntegerOverflowError(bound, str(dtypes.default_int()))


def _clip_to(x: Any, low: Any, high: Any) -> Any:
    return lax.min(high, lax.max(low, x))


_clip_to.__name__ = "clip"
_clip_jitted = jit(_clip_to)


def _clip(x: Any, low: int, high: int) -> Any:
    dtype = typeof(x).dtype
    return _clip_jitted(x, scalar(low, dtype), scalar(high, dtype))


def _saturate(x: Any, dtype: Any) -> Any:
    """Integers in another integer dtype; what it does not hold becomes its end."""
    have, want = dtypes.iinfo(typeof(x).dtype), dtypes.iinfo(dtype)
    low, high = max(have.min, want.min), min(have.max, want.max)
    return cast(_clip(x, low, high), dtype)


def _randint(
    key: Any, shape: tuple[int, ...], dtype: Any, minval: Any, maxval: Any
) -> Any:
    minval, maxval = _integer(minval), _integer(maxval)
    info = dtypes.iinfo(dtype)
    end = min(info.max, dtypes.iinfo(typeof(maxval).dtype).max)
    beyond = lax.gt(maxval, scalar(end, typeof(maxval).dtype))
    low = lax.broadcast_to_rank(_saturate(minval, dtype), len(shape))
    high = lax.broadcast_to_rank(_saturate(maxval, dtype), len(shape))
    first, second = two_keys(key)
    upper, lower = (
        random_bits_p.bind(k, bit_width=info.bits, shape=shape) for k in (first, second)
    )
    uint = np.dtype(f"uint{info.bits}")
    span = cast(lax.sub(high, low), uint)
    span_shape = typeof(span).shape
    span = lax.select(lax.le(high, low), lax.full(span_shape, scalar(1, uint)), span)
    # `maxval` one above the largest integer was saturated to it: the end belongs in.
    whole = lax.bitwise_and(_like(beyond, span_shape), lax.gt(high, low))
    span = lax.select(whole, lax.add(span, scalar(1, uint)), span)
    # A number of 2n bits modulo the span, by its halves: nearly no value is favoured.
    factor = lax.rem(scalar(2 ** (info.bits // 2), uint), span)
    factor = lax.rem(lax.mul(factor, factor), span)
    offset = lax.add(lax.mul(lax.rem(upper, span), factor), lax.rem(lower, span))
    offset = lax.rem(offset, span)
    return lax.add(low, cast(offset, dtype))


def _like(x: Any, shape: tuple[int, ...]) -> Any:
    """A flag of a parameter beside flags of `shape`: of equal rank, or a scalar."""
    return lax.broadcast_to_rank(x, len(shape)) if typeof(x).shape else x


def _integer(bound: Any) -> Any:
    """A bound as an array of integers; a fraction is cut off."""
    if typeof(bound).dtype in dtypes.INTEGERS:
        return bound
    return cast(bound, dtypes.default_int())


integers_in = jit(_randint, static_argnums=(1, 2))
