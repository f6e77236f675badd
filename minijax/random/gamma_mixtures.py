"""What is made from gamma-distributed numbers: beta, dirichlet, chisquare, t, f, ...

Source: spec/random.md §11.8, the table of derived samplers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import lax
from ..base import dtypes
from ..base.errors import ArgumentTypeError, ArgumentValueError, ConcretizationTypeError
from ..core import Tracer, typeof
from ..runtime import Array
from ..transforms import jit
from .arguments import (
    cast,
    check_array,
    check_casts,
    check_placement,
    float_dtype,
    joint_shape,
    optional_shape,
    scalar,
    shape_of,
    stretch,
    total_of,
)
from .choices import rademacher_in
from .gammas import check_method, gamma_in
from .inversions import exponential_in
from .keys import one_key
from .normals import normal_in
from .uniforms import two_keys


def _settled(
    function: str,
    key: Any,
    parameters: tuple[Any, ...],
    shape: Any,
    dtype: Any,
    out_sharding: Any,
) -> tuple[Any, Any, Any]:
    """Key, shape and dtype, checked along with the parameters."""
    key = one_key(function, key)
    check_placement(function, out_sharding)
    dtype = float_dtype(function, dtype)
    check_casts(function, dtype, *parameters)
    return key, optional_shape(shape), dtype


def _beside(x: Any, shape: tuple[int, ...]) -> Any:
    """A parameter beside an array of `shape`: of equal rank, or a scalar."""
    return lax.broadcast_to_rank(x, len(shape)) if typeof(x).shape else x


# --- beta -----------------------------------------------------------------------------


def beta(
    key: Any,
    a: Any,
    b: Any,
    shape: Any = None,
    dtype: Any = None,
    *,
    method: str = "exact",
    out_sharding: Any = None,
) -> Array:
    """Numbers in [0, 1] of density x**(a-1) (1-x)**(b-1): key[] -> f[*shape].

    method: of the gamma numbers behind, "exact" or "approximate".

    Raises:
      TypeError: no key.
      ValueError: several keys, an unknown method, a dtype that is not floating-point or
        would round a parameter, or a shape that the parameters do not fit.
    """
    check_method("beta", method)
    key, shape, dtype = _settled("beta", key, (a, b), shape, dtype, out_sharding)
    return _beta_in(key, a, b, shape, dtype, method)


def _beta(key: Any, a: Any, b: Any, shape: Any, dtype: Any, method: str) -> Any:
    shape = joint_shape("beta", shape, a, b)
    a, b = cast(a, dtype), cast(b, dtype)
    for_a, for_b = two_keys(key)
    a, b = stretch(a, shape), stretch(b, shape)
    log_a = gamma_in(for_a, a, shape, dtype, method=method, log_space=True)
    log_b = gamma_in(for_b, b, shape, dtype, method=method, log_space=True)
    # The larger one is divided out: both may underflow.
    largest = lax.max(log_a, log_b)
    part_a, part_b = lax.exp(log_a - largest), lax.exp(log_b - largest)
    return lax.div(part_a, part_a + part_b)


_beta_in = jit(_beta, static_argnums=(3, 4, 5))


# --- dirichlet ------------------------------------------------------------------------


def dirichlet(
    key: Any,
    alpha: Any,
    shape: Any = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Positive numbers that add up to one: key[], f[*s, n] -> f[*shape, n].

    Raises:
      TypeError: no key.
      ValueError: several keys, a dtype that is not floating-point, `alpha` without
        axes, or a shape that its leading axes do not fit.
    """
    key = one_key("dirichlet", key)
    check_placement("dirichlet", out_sharding)
    dtype = float_dtype("dirichlet", dtype)
    return _dirichlet_in(key, alpha, optional_shape(shape), dtype)


def _dirichlet(key: Any, alpha: Any, shape: Any, dtype: Any) -> Any:
    aval = typeof(alpha)
    if not aval.shape:
        raise ArgumentValueError(
            "dirichlet needs one parameter per part, along the last axis of `alpha`.",
            f"Found {aval}.",
        )
    batch = aval.shape[:-1]
    if shape is None:
        shape = batch
    elif lax.broadcast_shapes(shape, batch) != shape:
        raise ArgumentValueError(
            f"The leading axes of `alpha` must broadcast to shape {shape}.",
            f"Found {aval}.",
        )
    whole = (*shape, aval.shape[-1])
    alpha = cast(alpha, dtype)
    logs = gamma_in(key, alpha, whole, dtype, method="exact", log_space=True)
    last = len(whole) - 1
    largest = lax.max(scalar(-np.inf, dtype), lax.reduce_max(logs, (last,)))
    largest = lax.stop_gradient(lax.expand_dims(largest, (last,)))
    parts = lax.exp(logs - largest)
    total = lax.expand_dims(total_of(parts, last), (last,))
    return lax.div(parts, total)


_dirichlet_in = jit(_dirichlet, static_argnums=(2, 3))


# --- chisquare, t, f ------------------------------------------------------------------


def chisquare(
    key: Any,
    df: Any,
    shape: Any = None,
    dtype: Any = None,
    *,
    method: str = "exact",
    out_sharding: Any = None,
) -> Array:
    """Sums of `df` squares of normal numbers: key[] -> f[*shape].

    method: of the gamma numbers behind, "exact" or "approximate".

    Raises:
      TypeError: no key.
      ValueError: several keys, an unknown method, a dtype that is not floating-point or
        would round `df`, or a shape that it does not fit.
    """
    check_method("chisquare", method)
    key, shape, dtype = _settled("chisquare", key, (df,), shape, dtype, out_sharding)
    return _chisquare_in(key, df, shape, dtype, method)


def _chisquare(key: Any, df: Any, shape: Any, dtype: Any, method: str) -> Any:
    shape = joint_shape("chisquare", shape, df)
    half = lax.div(cast(df, dtype), scalar(2, dtype))
    logs = gamma_in(key, half, shape, dtype, method=method, log_space=True)
    return lax.mul(lax.exp(logs), scalar(2, dtype))


_chisquare_in = jit(_chisquare, static_argnums=(2, 3, 4))


def t(
    key: Any,
    df: Any,
    shape: Any = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Student's t with `df` degrees of freedom: key[] -> f[*shape].

    Raises:
      TypeError: no key.
      ValueError: several keys, a dtype that is not floating-point or would round `df`,
        or a shape that it does not fit.
    """
    return _t_in(*_with(_settled("t", key, (df,), shape, dtype, out_sharding), df))


def _with(settled: tuple[Any, Any, Any], *parameters: Any) -> tuple[Any, ...]:
    key, shape, dtype = settled
    return key, *parameters, shape, dtype


def _t(key: Any, df: Any, shape: Any, dtype: Any) -> Any:
    shape = joint_shape("t", shape, df)
    df = cast(df, dtype)
    for_normal, for_gamma = two_keys(key)
    normal = normal_in(for_normal, shape, dtype)
    half = lax.div(df, scalar(2, dtype))
    drawn = gamma_in(for_gamma, half, shape, dtype, method="exact", log_space=False)
    return lax.mul(normal, lax.sqrt(lax.div(_beside(half, shape), drawn)))


_t_in = jit(_t, static_argnums=(2, 3))


def f(
    key: Any,
    dfnum: Any,
    dfden: Any,
    shape: Any = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Quotients of two mean squares of normal numbers: key[] -> f[*shape].

    Raises:
      TypeError: no key.
      ValueError: several keys, a dtype that is not floating-point or would round a
        parameter, or a shape that the parameters do not fit.
    """
    settled = _settled("f", key, (dfnum, dfden), shape, dtype, out_sharding)
    return _f_in(*_with(settled, dfnum, dfden))


def _f(key: Any, dfnum: Any, dfden: Any, shape: Any, dtype: Any) -> Any:
    shape = joint_shape("f", shape, dfnum, dfden)
    dfnum, dfden = cast(dfnum, dtype), cast(dfden, dtype)
    for_den, for_num = two_keys(key)
    above = _chisquare_in(for_num, dfnum, shape, dtype, "exact")
    below = _chisquare_in(for_den, dfden, shape, dtype, "exact")
    above = lax.div(above, _beside(dfnum, shape))
    return lax.div(above, lax.div(below, _beside(dfden, shape)))


_f_in = jit(_f, static_argnums=(3, 4))


# --- generalized_normal, ball ---------------------------------------------------------


def generalized_normal(
    key: Any,
    p: Any,
    shape: Any = (),
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Numbers of density proportional to exp(-|x|**p): key[] -> f[*shape].

    Raises:
      TypeError: no key.
      ValueError: several keys, or a dtype that is not floating-point.
    """
    shape = shape_of(shape)
    key = one_key("generalized_normal", key)
    check_placement("generalized_normal", out_sharding)
    return _generalized_in(key, p, shape, float_dtype("generalized_normal", dtype))


def _generalized_normal(key: Any, p: Any, shape: Any, dtype: Any) -> Any:
    for_size, for_sign = two_keys(key)
    inverse = _inverse(p)
    drawn = gamma_in(for_size, inverse, shape, dtype, method="exact", log_space=False)
    sign = rademacher_in(for_sign, shape, dtype)
    return lax.mul(sign, lax.pow(drawn, _beside(cast(inverse, dtype), shape)))


def _inverse(p: Any) -> Any:
    found = typeof(p).dtype
    if found not in dtypes.INEXACT:
        found = dtypes.default_float()
        p = cast(p, found)
    return lax.div(scalar(1, found), cast(p, found))


_generalized_in = jit(_generalized_normal, static_argnums=(2, 3))


def ball(
    key: Any,
    d: int,
    p: Any = 2,
    shape: Any = (),
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Points spread evenly in the unit ball of the p-norm: key[] -> f[*shape, d].

    Raises:
      TypeError: no key, or `d` is no integer.
      ValueError: several keys, or a dtype that is not floating-point.
    """
    shape = shape_of(shape)
    key = one_key("ball", key)
    check_placement("ball", out_sharding)
    if isinstance(d, Tracer):
        raise ConcretizationTypeError(d, "`d` of random.ball is the size of an axis.")
    check_array("ball", "p", p)
    (size,) = shape_of(d) if not isinstance(d, tuple | list) else _refuse_axes(d)
    return _ball_in(key, p, size, shape, float_dtype("ball", dtype))


def _refuse_axes(d: Any) -> Any:
    raise ArgumentTypeError("`d` of random.ball is one integer.", f"Found {d!r}.")


def _ball(key: Any, p: Any, d: int, shape: Any, dtype: Any) -> Any:
    for_direction, for_radius = two_keys(key)
    direction = _generalized_in(for_direction, p, (*shape, d), dtype)
    wait = exponential_in(for_radius, shape, dtype)
    powers = _power(lax.abs(direction), p)
    total = total_of(powers, len(shape)) + wait
    inverse = _beside(cast(_inverse(p), dtype), shape)
    norm = lax.expand_dims(lax.pow(total, inverse), (len(shape),))
    return lax.div(direction, norm)


def _power(x: Any, p: Any) -> Any:
    aval = typeof(x)
    if typeof(p).dtype not in dtypes.INTEGERS:
        p = cast(p, aval.dtype)
    return lax.pow(x, _beside(p, aval.shape))


_ball_in = jit(_ball, static_argnums=(2, 3, 4))
