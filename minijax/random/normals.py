"""Normally distributed numbers, and what is made from them.

Source: spec/random.md §11.3.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import lax
from ..base import dtypes
from ..core import typeof
from ..runtime import Array
from ..transforms import jit
from .arguments import (
    cast,
    check_placement,
    float_dtype,
    inexact_dtype,
    joint_shape,
    optional_shape,
    scalar,
    shape_of,
)
from .keys import one_key
from .uniforms import two_keys, uniform_in

# --- normal ---------------------------------------------------------------------------


def normal(
    key: Any, shape: Any = (), dtype: Any = None, *, out_sharding: Any = None
) -> Array:
    """Numbers from the standard normal distribution: key[] -> f[*shape].

    A complex dtype has both parts with variance 1/2.

    >>> import minijax as mj
    >>> mj.random.normal(mj.random.key(0), (2,))
    Array([1.6226422, 2.0252647], dtype=float32)

    Raises:
      TypeError: no key.
      ValueError: several keys, or a dtype that is neither floating-point nor complex.
    """
    key = one_key("normal", key)
    check_placement("normal", out_sharding)
    return normal_in(key, shape_of(shape), inexact_dtype("normal", dtype))


def _normal(key: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    if dtype not in dtypes.COMPLEXES:
        return real_normal_in(key, shape, dtype)
    for_real, for_imag = two_keys(key)
    part = dtypes.to_real_dtype(dtype)
    real = cast(real_normal_in(for_real, shape, part), dtype)
    imag = cast(real_normal_in(for_imag, shape, part), dtype)
    both = lax.add(real, lax.mul(scalar(1j, dtype), imag))
    return lax.div(both, scalar(np.sqrt(2).astype(part), dtype))


def _normal_real(key: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    one = scalar(1, dtype)
    above = np.nextafter(-one, scalar(0, dtype), dtype=dtype)
    unit = uniform_in(key, shape, dtype, above, one)
    return lax.mul(scalar(np.sqrt(2), dtype), lax.erf_inv(unit))


normal_in = jit(_normal, static_argnums=(1, 2))
real_normal_in = jit(_normal_real, static_argnums=(1, 2))


# --- truncated normal -----------------------------------------------------------------


def truncated_normal(
    key: Any,
    lower: Any,
    upper: Any,
    shape: Any = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Normal numbers within (lower, upper): key[] -> f[*shape].

    The bounds broadcast to `shape`, which is by default what they broadcast to.

    >>> import minijax as mj
    >>> mj.random.truncated_normal(mj.random.key(0), -2.0, 2.0, (2,))
    Array([1.4559592, 1.7147487], dtype=float32)

    Raises:
      TypeError: no key.
      ValueError: several keys, a dtype that is not floating-point, or bounds that do
        not broadcast to `shape`.
    """
    shape = optional_shape(shape)
    key = one_key("truncated_normal", key)
    check_placement("truncated_normal", out_sharding)
    dtype = float_dtype("truncated_normal", dtype)
    return _truncated_in(key, lower, upper, shape, dtype)


def _truncated_normal(
    key: Any, lower: Any, upper: Any, shape: tuple[int, ...] | None, dtype: Any
) -> Any:
    shape = joint_shape("truncated_normal", shape, lower, upper)
    root = scalar(np.sqrt(2), dtype)
    lower, upper = cast(lower, dtype), cast(upper, dtype)
    low, high = lax.erf(lax.div(lower, root)), lax.erf(lax.div(upper, root))
    unit = uniform_in(key, shape, dtype, minval=low, maxval=high)
    out = lax.mul(root, lax.erf_inv(unit))
    # Rounding can leave the interval; the ends are no part of it.
    first = lax.nextafter(lax.stop_gradient(lower), _like(lower, np.inf))
    last = lax.nextafter(lax.stop_gradient(upper), _like(upper, -np.inf))
    first, last = (
        x if not typeof(x).shape else lax.broadcast_to_rank(x, len(shape))
        for x in (first, last)
    )
    return lax.min(last, lax.max(first, out))


def _like(x: Any, value: float) -> Any:
    return scalar(value, typeof(x).dtype)


_truncated_in = jit(_truncated_normal, static_argnums=(3, 4))
