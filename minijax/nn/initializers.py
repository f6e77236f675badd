"""Initializers: functions `init(key, shape, dtype)` that make first parameters.

Source: spec/nn_scipy_linalg.md §4.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

import numpy as np

from .. import lax, random
from .. import numpy as jnp
from ..base import dtypes
from ..base.errors import ArgumentValueError, NotSupportedError
from ..runtime import Array

if TYPE_CHECKING:
    type ArrayLike = Array | np.ndarray | np.generic | bool | int | float | complex
    type DTypeLike = Any

__all__ = [
    "Initializer",
    "constant",
    "glorot_normal",
    "glorot_uniform",
    "he_normal",
    "he_uniform",
    "kaiming_normal",
    "kaiming_uniform",
    "lecun_normal",
    "lecun_uniform",
    "normal",
    "ones",
    "truncated_normal",
    "uniform",
    "variance_scaling",
    "xavier_normal",
    "xavier_uniform",
    "zeros",
]

type Axes = int | Sequence[int]


@runtime_checkable
class Initializer(Protocol):
    """What makes first parameters: key[] -> f[*shape]."""

    def __call__(
        self,
        key: Array,
        shape: Sequence[int],
        dtype: Any = None,
        out_sharding: Any = None,
    ) -> Array:
        """Parameters of a shape and a dtype."""
        raise NotImplementedError


def _settled(dtype: DTypeLike, default: DTypeLike, out_sharding: Any) -> np.dtype:
    if out_sharding is not None:
        raise NotSupportedError(
            "Parameters are made on the default device.",
            f"Found placement {out_sharding!r}.",
            "Move them with `device_put`.",
        )
    wanted = default if dtype is None else dtype
    wanted = dtypes.default_float() if wanted is None else wanted
    return dtypes.requested_dtype(wanted, "initializer")


# --- constants ------------------------------------------------------------------------


def zeros(
    key: Array, shape: Sequence[int], dtype: DTypeLike = None, out_sharding: Any = None
) -> Array:
    """All zeros.

    >>> import minijax as mj
    >>> mj.nn.initializers.zeros(mj.random.key(0), (2,))
    Array([0., 0.], dtype=float32)
    """
    return jnp.zeros(shape, _settled(dtype, None, out_sharding))


def ones(
    key: Array, shape: Sequence[int], dtype: DTypeLike = None, out_sharding: Any = None
) -> Array:
    """All ones.

    >>> import minijax as mj
    >>> mj.nn.initializers.ones(mj.random.key(0), (2,))
    Array([1., 1.], dtype=float32)
    """
    return jnp.ones(shape, _settled(dtype, None, out_sharding))


def constant(value: ArrayLike, dtype: DTypeLike = None) -> Initializer:
    """An initializer that fills with a value.

    >>> import minijax as mj
    >>> mj.nn.initializers.constant(3)(mj.random.key(0), (2,))
    Array([3., 3.], dtype=float32)
    """
    default = dtype

    def init(
        key: Array,
        shape: Sequence[int],
        dtype: DTypeLike = None,
        out_sharding: Any = None,
    ) -> Array:
        return jnp.full(shape, value, _settled(dtype, default, out_sharding))

    return init


# --- one distribution -----------------------------------------------------------------


def uniform(scale: float = 1e-2, dtype: DTypeLike = None) -> Initializer:
    """An initializer of numbers spread evenly over [0, scale)."""
    default = dtype

    def init(
        key: Array,
        shape: Sequence[int],
        dtype: DTypeLike = None,
        out_sharding: Any = None,
    ) -> Array:
        dtype = _settled(dtype, default, out_sharding)
        return random.uniform(key, shape, dtype) * _number(scale, dtype)

    return init


def normal(stddev: float = 1e-2, dtype: DTypeLike = None) -> Initializer:
    """An initializer of normal numbers with a standard deviation.

    >>> import minijax as mj
    >>> mj.nn.initializers.normal()(mj.random.key(0), (2,))
    Array([0.01622642, 0.02025265], dtype=float32)
    """
    default = dtype

    def init(
        key: Array,
        shape: Sequence[int],
        dtype: DTypeLike = None,
        out_sharding: Any = None,
    ) -> Array:
        dtype = _settled(dtype, default, out_sharding)
        if dtype not in dtypes.FLOATS:
            return random.normal(key, shape, dtype) * _number(stddev, dtype)
        return _scaled_normal(key, shape, dtype, stddev)

    return init


def _scaled_normal(key: Any, shape: Any, dtype: Any, stddev: Any) -> Any:
    """`stddev` times what `random.normal` draws; the constants are multiplied first."""
    one = np.ones((), dtype)[()]
    above = np.nextafter(-one, np.zeros((), dtype)[()], dtype=dtype)
    unit = random.uniform(key, shape, dtype, above, one)
    root = np.array(np.sqrt(2)).astype(dtype)[()]
    return lax.mul(root * _number(stddev, dtype), lax.erf_inv(unit))


def truncated_normal(
    stddev: float = 1e-2,
    dtype: DTypeLike = None,
    lower: float = -2.0,
    upper: float = 2.0,
) -> Initializer:
    """An initializer of normal numbers within bounds, scaled by `stddev` afterwards."""
    default = dtype

    def init(
        key: Array,
        shape: Sequence[int],
        dtype: DTypeLike = None,
        out_sharding: Any = None,
    ) -> Array:
        dtype = _settled(dtype, default, out_sharding)
        drawn = random.truncated_normal(key, lower, upper, shape, dtype)
        return drawn * _number(stddev, dtype)

    return init


def _number(value: Any, dtype: Any) -> Any:
    return jnp.asarray(value, dtype)


# --- scaled by the shape --------------------------------------------------------------

# Standard deviations of a normal number within two of its own, real and complex.
_TRUNCATED, _TRUNCATED_COMPLEX = 0.87962566103423978, 0.9531116438


def variance_scaling(
    scale: float,
    mode: Literal["fan_in", "fan_out", "fan_avg", "fan_geo_avg"],
    distribution: Literal["truncated_normal", "normal", "uniform"],
    in_axis: Axes = -2,
    out_axis: Axes = -1,
    batch_axis: Axes = (),
    dtype: DTypeLike = None,
) -> Initializer:
    """An initializer whose variance is `scale` over the number of connections.

    mode: which connections count, those into an output, those out of an input, or a
    mean of the two. in_axis, out_axis, batch_axis: what the axes of a shape are.

    Raises (where the initializer is called):
      ValueError: an unknown mode or distribution, or a shape with too few axes.
    """
    default, axes = dtype, (in_axis, out_axis, batch_axis)

    def init(
        key: Array,
        shape: Sequence[int],
        dtype: DTypeLike = None,
        out_sharding: Any = None,
    ) -> Array:
        dtype = _settled(dtype, default, out_sharding)
        count = _connections(mode, *_fans(tuple(shape), *axes))
        variance = _number(scale / count if count else 0.0, dtypes.to_real_dtype(dtype))
        return _scaled(key, shape, dtype, variance, distribution)

    return init


def _size(shape: tuple[int, ...], axes: Axes) -> int:
    if isinstance(axes, int):
        return shape[axes]
    return math.prod(shape[axis] for axis in axes)


def _fans(
    shape: tuple[int, ...], in_axis: Axes, out_axis: Axes, batch_axis: Axes
) -> tuple[float, float]:
    if len(shape) <= 1:
        raise ArgumentValueError(
            "Connections are counted between two axes of a shape.",
            f"Found shape {shape}.",
        )
    ins, outs = _size(shape, in_axis), _size(shape, out_axis)
    batches = _size(shape, batch_axis)
    if not ins * outs * batches:
        return 0.0, 0.0
    receptive = math.prod(shape) / ins / outs / batches
    return ins * receptive, outs * receptive


def _connections(mode: str, fan_in: float, fan_out: float) -> float:
    if mode == "fan_in":
        return fan_in
    if mode == "fan_out":
        return fan_out
    if mode == "fan_avg":
        return (fan_in + fan_out) / 2
    if mode == "fan_geo_avg":
        return math.sqrt(fan_in * fan_out)
    raise ArgumentValueError(
        "The mode of variance_scaling is fan_in, fan_out, fan_avg or fan_geo_avg.",
        f"Found {mode!r}.",
    )


def _scaled(key: Any, shape: Any, dtype: Any, variance: Any, distribution: str) -> Any:
    is_complex = dtype in dtypes.COMPLEXES
    if distribution == "normal":
        return random.normal(key, shape, dtype) * _root(variance, dtype)
    if distribution == "uniform":
        if is_complex:
            return _complex_uniform(key, shape, dtype) * _root(variance, dtype)
        drawn = random.uniform(key, shape, dtype, -1)
        return drawn * _root(3 * variance, dtype)
    if distribution != "truncated_normal":
        raise ArgumentValueError(
            "The distribution of variance_scaling is truncated_normal, normal or "
            "uniform.",
            f"Found {distribution!r}.",
        )
    if is_complex:
        deviation = jnp.sqrt(variance) / _number(_TRUNCATED_COMPLEX, variance.dtype)
        return _complex_truncated(key, 2, shape, dtype) * deviation.astype(dtype)
    deviation = jnp.sqrt(variance) / _number(_TRUNCATED, dtype)
    return random.truncated_normal(key, -2, 2, shape, dtype) * deviation


def _root(variance: Any, dtype: Any) -> Any:
    return jnp.sqrt(variance).astype(dtype)


def _complex_uniform(key: Any, shape: Any, dtype: Any) -> Any:
    """Points spread evenly in a disk, with variance one."""
    for_radius, for_angle = random.split(key)
    part = dtypes.to_real_dtype(dtype)
    radius = jnp.sqrt(2 * random.uniform(for_radius, shape, part)).astype(dtype)
    angle = 2 * np.pi * random.uniform(for_angle, shape, part).astype(dtype)
    return radius * jnp.exp(1j * angle)


def _complex_truncated(key: Any, upper: float, shape: Any, dtype: Any) -> Any:
    """Normal points of the plane within a radius."""
    for_radius, for_angle = random.split(key)
    part = dtypes.to_real_dtype(dtype)
    unit = 1 - jnp.exp(_number(-(upper**2), part))
    drawn = unit * random.uniform(for_radius, shape, part)
    radius = jnp.sqrt(-jnp.log(1 - drawn)).astype(dtype)
    angle = 2 * np.pi * random.uniform(for_angle, shape, part)
    return radius * jnp.exp(1j * angle).astype(dtype)


def glorot_uniform(
    in_axis: Axes = -2,
    out_axis: Axes = -1,
    batch_axis: Axes = (),
    dtype: DTypeLike = None,
) -> Initializer:
    """`variance_scaling` of scale 1, by the mean of both fans, uniform."""
    axes = (in_axis, out_axis, batch_axis)
    return variance_scaling(1.0, "fan_avg", "uniform", *axes, dtype)


def glorot_normal(
    in_axis: Axes = -2,
    out_axis: Axes = -1,
    batch_axis: Axes = (),
    dtype: DTypeLike = None,
) -> Initializer:
    """`variance_scaling` of scale 1, by the mean of both fans, truncated normal."""
    axes = (in_axis, out_axis, batch_axis)
    return variance_scaling(1.0, "fan_avg", "truncated_normal", *axes, dtype)


def lecun_uniform(
    in_axis: Axes = -2,
    out_axis: Axes = -1,
    batch_axis: Axes = (),
    dtype: DTypeLike = None,
) -> Initializer:
    """`variance_scaling` of scale 1, by the inputs, uniform."""
    axes = (in_axis, out_axis, batch_axis)
    return variance_scaling(1.0, "fan_in", "uniform", *axes, dtype)


def lecun_normal(
    in_axis: Axes = -2,
    out_axis: Axes = -1,
    batch_axis: Axes = (),
    dtype: DTypeLike = None,
) -> Initializer:
    """`variance_scaling` of scale 1, by the inputs, truncated normal."""
    axes = (in_axis, out_axis, batch_axis)
    return variance_scaling(1.0, "fan_in", "truncated_normal", *axes, dtype)


def he_uniform(
    in_axis: Axes = -2,
    out_axis: Axes = -1,
    batch_axis: Axes = (),
    dtype: DTypeLike = None,
) -> Initializer:
    """`variance_scaling` of scale 2, by the inputs, uniform: for rectifiers."""
    axes = (in_axis, out_axis, batch_axis)
    return variance_scaling(2.0, "fan_in", "uniform", *axes, dtype)


def he_normal(
    in_axis: Axes = -2,
    out_axis: Axes = -1,
    batch_axis: Axes = (),
    dtype: DTypeLike = None,
) -> Initializer:
    """`variance_scaling` of 2, by the inputs, truncated normal: for rectifiers."""
    axes = (in_axis, out_axis, batch_axis)
    return variance_scaling(2.0, "fan_in", "truncated_normal", *axes, dtype)


xavier_uniform, xavier_normal = glorot_uniform, glorot_normal
kaiming_uniform, kaiming_normal = he_uniform, he_normal
