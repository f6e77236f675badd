"""Numbers made from one uniform number each, by the inverse of a distribution function.

Every operator rounds to the dtype of the result, in the order written: results are the
same bits wherever the same program is compiled.

Source: spec/random.md §11.4.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import lax
from ..base import dtypes
from ..base.errors import ArgumentValueError
from ..core import typeof
from ..runtime import Array
from ..transforms import eager_jit, jit
from .arguments import (
    cast,
    check_casts,
    check_placement,
    float_dtype,
    int_dtype,
    joint_shape,
    optional_shape,
    scalar,
    shape_of,
    stretch,
)
from .keys import one_key
from .uniforms import uniform_in


def _settled(
    function: str, key: Any, shape: Any, dtype: Any, out_sharding: Any
) -> tuple[Any, tuple[int, ...], Any]:
    """The checked arguments of a sampler without parameters."""
    key = one_key(function, key)
    check_placement(function, out_sharding)
    dtype = float_dtype(function, dtype)
    return key, shape_of(shape), dtype


# --- without parameters ---------------------------------------------------------------


def exponential(
    key: Any, shape: Any = (), dtype: Any = None, *, out_sharding: Any = None
) -> Array:
    """Waiting times of mean one: key[] -> f[*shape].

    >>> import minijax as mj
    >>> mj.random.exponential(mj.random.key(0), (2,))
    Array([2.950116, 3.843425], dtype=float32)

    Raises:
      TypeError: no key.
      ValueError: several keys, or a dtype that is not floating-point.
    """
    return exponential_in(*_settled("exponential", key, shape, dtype, out_sharding))


def _exponential(key: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    return lax.neg(lax.log1p(lax.neg(uniform_in(key, shape, dtype, 0.0, 1.0))))


exponential_in = jit(_exponential, static_argnums=(1, 2))


def laplace(
    key: Any, shape: Any = (), dtype: Any = None, *, out_sharding: Any = None
) -> Array:
    """Numbers of density exp(-|x|) / 2: key[] -> f[*shape].

    Raises:
      TypeError: no key.
      ValueError: several keys, or a dtype that is not floating-point.
    """
    return _laplace_in(*_settled("laplace", key, shape, dtype, out_sharding))


def _laplace(key: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    above = scalar(-1 + float(dtypes.finfo(dtype).epsneg), dtype)
    unit = uniform_in(key, shape, dtype, above, 1.0)
    return lax.mul(lax.sign(unit), lax.log1p(lax.neg(lax.abs(unit))))


_laplace_in = jit(_laplace, static_argnums=(1, 2))


def logistic(
    key: Any, shape: Any = (), dtype: Any = None, *, out_sharding: Any = None
) -> Array:
    """Numbers whose distribution is the logistic function: key[] -> f[*shape].

    Raises:
      TypeError: no key.
      ValueError: several keys, or a dtype that is not floating-point.
    """
    return _logistic_in(*_settled("logistic", key, shape, dtype, out_sharding))


def _logistic(key: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    unit = uniform_in(key, shape, dtype, dtypes.finfo(dtype).tiny, 1.0)
    return lax.sub(lax.log(unit), lax.log1p(lax.neg(unit)))


_logistic_in = jit(_logistic, static_argnums=(1, 2))


def cauchy(
    key: Any, shape: Any = (), dtype: Any = None, *, out_sharding: Any = None
) -> Array:
    """Quotients of two normal numbers: key[] -> f[*shape].

    Raises:
      TypeError: no key.
      ValueError: several keys, or a dtype that is not floating-point.
    """
    return _cauchy_in(*_settled("cauchy", key, shape, dtype, out_sharding))


def _cauchy(key: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    unit = uniform_in(key, shape, dtype, dtypes.finfo(dtype).eps, 1.0)
    centred = lax.sub(unit, scalar(0.5, dtype))
    return lax.tan(lax.mul(scalar(np.pi, dtype), centred))


_cauchy_in = jit(_cauchy, static_argnums=(1, 2))


# --- with parameters ------------------------------------------------------------------


def pareto(
    key: Any,
    b: Any,
    shape: Any = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Numbers above one of density b / x**(b + 1): key[] -> f[*shape].

    `b` broadcasts to `shape`, by default its own.

    Raises:
      TypeError: no key.
      ValueError: several keys, a dtype that is not floating-point or would round `b`,
        or a shape that `b` does not fit.
    """
    key = one_key("pareto", key)
    check_placement("pareto", out_sharding)
    dtype = float_dtype("pareto", dtype)
    check_casts("pareto", dtype, b)
    return _pareto_in(key, b, optional_shape(shape), dtype)


def _pareto(key: Any, b: Any, shape: tuple[int, ...] | None, dtype: Any) -> Any:
    shape = joint_shape("pareto", shape, b)
    b = cast(b, dtype)
    if typeof(b).shape:
        b = stretch(b, shape)
    return lax.exp(lax.div(exponential_in(key, shape, dtype), b))


_pareto_in = jit(_pareto, static_argnums=(2, 3))


def rayleigh(
    key: Any,
    scale: Any,
    shape: Any = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Lengths of two-dimensional normal vectors times `scale`: key[] -> f[*shape].

    Raises:
      TypeError: no key.
      ValueError: several keys, a dtype that is not floating-point or would round
        `scale`, or a shape that `scale` does not fit.
    """
    key = one_key("rayleigh", key)
    check_placement("rayleigh", out_sharding)
    dtype = float_dtype("rayleigh", dtype)
    check_casts("rayleigh", dtype, scale)
    return _rayleigh_in(key, scale, optional_shape(shape), dtype)


def _rayleigh(key: Any, scale: Any, shape: tuple[int, ...] | None, dtype: Any) -> Any:
    shape = joint_shape("rayleigh", shape, scale)
    unit = uniform_in(key, shape, dtype, 0.0, 1.0)
    scale = stretch(cast(scale, dtype), shape)
    squares = lax.mul(lax.log(unit), scalar(-2, dtype))
    return lax.mul(scale, lax.sqrt(squares))


_rayleigh_in = jit(_rayleigh, static_argnums=(2, 3))


def weibull_min(
    key: Any, scale: Any, concentration: Any, shape: Any = (), dtype: Any = None
) -> Array:
    """Weibull-distributed numbers: key[] -> f[*shape].

    The parameters broadcast against `shape`.

    Raises:
      TypeError: no key.
      ValueError: several keys, or a dtype that is not floating-point.
    """
    key = one_key("weibull_min", key)
    dtype = float_dtype("weibull_min", dtype)
    return _weibull_in(key, scale, concentration, shape_of(shape), dtype)


def _weibull_min(
    key: Any, scale: Any, concentration: Any, shape: tuple[int, ...], dtype: Any
) -> Any:
    unit = uniform_in(key, shape, dtype, 0, 1)
    waits = lax.neg(lax.log1p(lax.neg(unit)))
    exponent = _reciprocal(concentration)
    waits, exponent = _alike(waits, exponent)
    powers, scale = _alike(lax.pow(waits, exponent), scale)
    return lax.mul(powers, scale)


def _reciprocal(x: Any) -> Any:
    aval = typeof(x)
    if aval.dtype not in dtypes.INEXACT:
        x = cast(x, dtypes.default_float())
    dtype = typeof(x).dtype
    return lax.div(1.0 if aval.weak_type else scalar(1, dtype), x)


def _alike(x: Any, y: Any) -> tuple[Any, Any]:
    """Two arrays with one dtype and one shape, scalars excepted."""
    dtype = dtypes.result_type(x, y)
    shape = lax.broadcast_shapes(typeof(x).shape, typeof(y).shape)
    made = [
        stretch(cast(v, dtype), shape) if typeof(v).shape else cast(v, dtype)
        for v in (x, y)
    ]
    return made[0], made[1]


_weibull_in = jit(_weibull_min, static_argnums=(3, 4))


def triangular(
    key: Any,
    left: Any,
    mode: Any,
    right: Any,
    shape: Any = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Numbers in [left, right] whose density peaks at `mode`: key[] -> f[*shape].

    Raises:
      TypeError: no key.
      ValueError: several keys, a dtype that is not floating-point or would round a
        parameter, or a shape that the parameters do not fit.
    """
    key = one_key("triangular", key)
    check_placement("triangular", out_sharding)
    dtype = float_dtype("triangular", dtype)
    check_casts("triangular", dtype, left, mode, right)
    return _triangular_in(key, left, mode, right, optional_shape(shape), dtype)


def _triangular(
    key: Any, left: Any, mode: Any, right: Any, shape: Any, dtype: Any
) -> Any:
    shape = joint_shape("triangular", shape, left, mode, right)
    left, mode, right = (stretch(cast(x, dtype), shape) for x in (left, mode, right))
    below = lax.div(lax.sub(mode, left), lax.sub(right, left))
    unit = uniform_in(key, shape, dtype, 0.0, 1.0)
    area = lax.mul(lax.mul(unit, lax.sub(right, left)), lax.sub(mode, left))
    rest = lax.sub(scalar(1, dtype), unit)
    other = lax.mul(lax.mul(rest, lax.sub(right, left)), lax.sub(right, mode))
    falling = lax.sub(right, lax.sqrt(other))
    return lax.select(lax.lt(unit, below), lax.add(left, lax.sqrt(area)), falling)


_triangular_in = eager_jit(_triangular, static_argnums=(4, 5))


def geometric(
    key: Any,
    p: Any,
    shape: Any = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """How many trials until the first success, each of chance `p`: key[] -> i[*shape].

    Raises:
      TypeError: no key.
      ValueError: several keys, a dtype that is no integer, or a shape that `p` does
        not fit.
    """
    key = one_key("geometric", key)
    check_placement("geometric", out_sharding)
    dtype = int_dtype("geometric", dtype)
    if dtype not in dtypes.INTEGERS:
        raise ArgumentValueError(
            "random.geometric makes integers.",
            f"Found dtype {dtypes.name_of(dtype)}.",
        )
    return _geometric_in(key, p, optional_shape(shape), dtype)


def _geometric(key: Any, p: Any, shape: tuple[int, ...] | None, dtype: Any) -> Any:
    shape = joint_shape("geometric", shape, p)
    found = typeof(p).dtype
    if found not in dtypes.FLOATS:
        found = dtypes.default_float()
    p = cast(p, found)
    unit = uniform_in(key, shape, found, 0.0, 1.0)
    one = lax.full(shape, scalar(1, found))
    unit = lax.select(lax.eq(unit, scalar(0, found)), one, unit)
    failing = stretch(lax.log1p(lax.neg(p)), shape)
    trials = lax.add(lax.floor(lax.div(lax.log(unit), failing)), scalar(1, found))
    return cast(trials, dtype)


_geometric_in = jit(_geometric, static_argnums=(2, 3))
