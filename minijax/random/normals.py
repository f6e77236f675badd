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
from ..transforms import eager_jit, jit
from .arguments import (
    cast,
    check_casts,
    check_placement,
    float_dtype,
    inexact_dtype,
    joint_shape,
    optional_shape,
    scalar,
    shape_of,
    stretch,
    total_of,
)
from .choices import rademacher_in
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


# --- made from normal numbers ---------------------------------------------------------


def lognormal(
    key: Any,
    sigma: Any = np.float32(1),  # noqa: B008  (immutable)
    shape: Any = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """exp of normal numbers with standard deviation `sigma`: key[] -> f[*shape].

    Raises:
      TypeError: no key.
      ValueError: several keys, a dtype that is neither floating-point nor complex or
        would round `sigma`, or a shape that `sigma` does not fit.
    """
    key = one_key("lognormal", key)
    check_placement("lognormal", out_sharding)
    dtype = inexact_dtype("lognormal", dtype)
    check_casts("lognormal", dtype, sigma)
    return _lognormal_in(key, sigma, optional_shape(shape), dtype)


def _lognormal(key: Any, sigma: Any, shape: tuple[int, ...] | None, dtype: Any) -> Any:
    shape = joint_shape("lognormal", shape, sigma)
    sigma = cast(sigma, dtype)
    if typeof(sigma).shape:
        sigma = stretch(sigma, shape)
    return lax.exp(lax.mul(normal_in(key, shape, dtype), sigma))


_lognormal_in = eager_jit(_lognormal, static_argnums=(2, 3))


def maxwell(
    key: Any, shape: Any = (), dtype: Any = None, *, out_sharding: Any = None
) -> Array:
    """Lengths of three-dimensional normal vectors: key[] -> f[*shape].

    Raises:
      TypeError: no key.
      ValueError: several keys, or a dtype that is not floating-point.
    """
    key = one_key("maxwell", key)
    check_placement("maxwell", out_sharding)
    return _maxwell_in(key, shape_of(shape), float_dtype("maxwell", dtype))


def _maxwell(key: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    return _norm(normal_in(key, (*shape, 3), dtype))


def _norm(x: Any) -> Any:
    return lax.sqrt(total_of(lax.mul(x, x), typeof(x).ndim - 1))


_norm.__name__ = "norm"
_norm = jit(_norm)
_maxwell_in = jit(_maxwell, static_argnums=(1, 2))


def double_sided_maxwell(
    key: Any, loc: Any, scale: Any, shape: Any = (), dtype: Any = None
) -> Array:
    """Maxwell-distributed numbers of either sign, scaled and moved: key[] -> f[..].

    The parameters' joint shape is appended to `shape`; to itself, where that is ().

    Raises:
      TypeError: no key.
      ValueError: several keys, or a dtype that is not floating-point.
    """
    key = one_key("double_sided_maxwell", key)
    dtype = float_dtype("double_sided_maxwell", dtype)
    return _double_sided_in(key, loc, scale, shape_of(shape), dtype)


def _double_sided_maxwell(
    key: Any, loc: Any, scale: Any, shape: tuple[int, ...], dtype: Any
) -> Any:
    inner = lax.broadcast_shapes(typeof(loc).shape, typeof(scale).shape)
    shape = (*(shape or inner), *inner)
    for_length, for_sign = two_keys(key)
    length = _maxwell_in(for_length, shape, dtype)
    sign = rademacher_in(for_sign, shape, dtype)
    scale, loc = (stretch(cast(x, dtype), shape) for x in (scale, loc))
    return lax.add(lax.mul(lax.mul(sign, length), scale), loc)


_double_sided_in = jit(_double_sided_maxwell, static_argnums=(3, 4))


def wald(
    key: Any,
    mean: Any,
    shape: Any = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Times at which a drifting random walk first reaches one: key[] -> f[*shape].

    Raises:
      TypeError: no key.
      ValueError: several keys, a dtype that is not floating-point or would round
        `mean`, or a shape that `mean` does not fit.
    """
    key = one_key("wald", key)
    check_placement("wald", out_sharding)
    dtype = float_dtype("wald", dtype)
    check_casts("wald", dtype, mean)
    return _wald_in(key, mean, optional_shape(shape), dtype)


def _wald(key: Any, mean: Any, shape: tuple[int, ...] | None, dtype: Any) -> Any:
    shape = joint_shape("wald", shape, mean)
    mean = stretch(cast(mean, dtype), shape)
    for_normal, for_side = two_keys(key)
    drawn = normal_in(for_normal, shape, dtype)
    side = uniform_in(for_side, shape, dtype, 0.0, 1.0)
    y = lax.integer_pow(drawn, 2)
    y_square, mean_square = lax.integer_pow(y, 2), lax.integer_pow(mean, 2)
    four, two = scalar(4, dtype), scalar(2, dtype)
    inner = lax.mul(lax.mul(four, mean), y)
    root = lax.sqrt(lax.add(inner, lax.mul(mean_square, y_square)))
    middle = lax.add(mean, lax.div(lax.mul(mean_square, y), two))
    x = lax.sub(middle, lax.mul(lax.div(mean, two), root))
    is_first = lax.le(side, lax.div(mean, lax.add(mean, x)))
    return lax.select(is_first, x, lax.div(mean_square, x))


_wald_in = jit(_wald, static_argnums=(2, 3))
