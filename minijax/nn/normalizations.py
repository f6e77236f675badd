"""Functions that make the elements along an axis comparable: softmax and its kin.

Source: spec/nn_scipy_linalg.md §§2, 3.
"""

from __future__ import annotations

import operator
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lax
from .. import numpy as jnp
from ..base import dtypes, flags
from ..base.errors import (
    ArgumentValueError,
    ConcretizationTypeError,
    NotSupportedError,
)
from ..base.util import canonicalize_axis
from ..core import Tracer, typeof
from ..numpy import logsumexp
from ..runtime import Array
from ..transforms import custom_jvp, eager_jit

if TYPE_CHECKING:
    type ArrayLike = Array | np.ndarray | np.generic | bool | int | float | complex
    type Axis = int | tuple[int, ...] | None
    type DTypeLike = Any


# --- softmax --------------------------------------------------------------------------


@eager_jit(static_argnames="axis")
def softmax(x: ArrayLike, axis: Axis = -1, where: ArrayLike | None = None) -> Array:
    """exp(x), scaled so that the sum along `axis` is one: f[*s] -> f[*s].

    where: which elements take part; the others are 0.

    >>> import minijax as mj
    >>> print(mj.nn.softmax(mj.numpy.array([1.0, 2.0, 3.0])))
    [0.09003057 0.24472848 0.66524094]

    Raises:
      TypeError: no array.
      ValueError: an axis that is not there.
    """
    if flags.softmax_custom_jvp.value:
        return _softmax_with_rule(axis)(x, where)
    return _softmax(x, axis, where)


def _shifted(x: Any, axis: Axis, where: Any) -> Any:
    """x less its largest element along `axis`, as floats."""
    largest = jnp.max(x, axis, where=where, initial=-np.inf, keepdims=True)
    kept = x if where is None else jnp.where(where, x, -np.inf)
    return kept - lax.stop_gradient(largest)


def _softmax(x: Any, axis: Axis, where: Any) -> Any:
    raised = jnp.exp(_shifted(x, axis, where))
    out = raised / jnp.sum(raised, axis, where=where, keepdims=True)
    return out if where is None else jnp.where(where, out, 0)


def _softmax_with_rule(axis: Axis) -> Any:
    @custom_jvp
    def with_rule(x: Any, where: Any) -> Any:
        return _softmax(x, axis, where)

    def jvp(primals: Any, tangents: Any) -> Any:
        (x, where), (x_dot, _) = primals, tangents
        y = _softmax(x, axis, where)
        mean = jnp.sum(y * x_dot, axis, where=where, keepdims=True)
        return y, y * (x_dot - mean)

    with_rule.defjvp(jvp)
    return with_rule


@eager_jit(static_argnames="axis")
def log_softmax(x: ArrayLike, axis: Axis = -1, where: ArrayLike | None = None) -> Array:
    """The logarithm of `softmax`, without overflow: f[*s] -> f[*s].

    where: which elements take part; the others are -inf.

    Raises:
      TypeError: no array.
      ValueError: an axis that is not there.
    """
    shifted = _shifted(x, axis, where)
    total = jnp.sum(jnp.exp(shifted), axis, where=where, keepdims=True)
    out = shifted - jnp.log(total)
    return out if where is None else jnp.where(where, out, -np.inf)


@eager_jit(static_argnames=("axis", "keepdims"))
def logmeanexp(
    x: ArrayLike,
    axis: Axis = None,
    where: ArrayLike | None = None,
    keepdims: bool = False,
) -> Array:
    """log(mean(exp(x))) along `axis`, without overflow: f[*s] -> f[*t].

    where: which elements take part.

    Raises:
      TypeError: no array.
      ValueError: an axis that is not there.
    """
    total = logsumexp(x, axis, where=where, keepdims=keepdims)
    shape = typeof(x).shape
    axes = range(len(shape)) if axis is None else np.atleast_1d(axis)
    if where is None:
        count: Any = float(np.prod([shape[i] for i in axes]))
    else:
        count = jnp.sum(where, axis, keepdims=keepdims)
    return total - jnp.log(count)


# --- standardize ----------------------------------------------------------------------


@eager_jit(static_argnames=("axis", "algorithm"))
def standardize(
    x: ArrayLike,
    axis: Axis = -1,
    mean: ArrayLike | None = None,
    variance: ArrayLike | None = None,
    epsilon: ArrayLike = 1e-5,
    where: ArrayLike | None = None,
    *,
    algorithm: str = "fast",
) -> Array:
    """x moved and scaled to mean 0 and variance 1 along `axis`: f[*s] -> f[*s].

    mean, variance: used instead of those of x. algorithm: how the variance is found,
    "fast" from the mean of squares, "stable" from the squares of differences.

    Raises:
      TypeError: no array.
      ValueError: an unknown algorithm, or an axis that is not there.
    """
    if algorithm not in ("fast", "stable"):
        raise ArgumentValueError(
            "The algorithm of standardize is 'fast' or 'stable'.",
            f"Found {algorithm!r}.",
        )
    if mean is None:
        mean = jnp.mean(x, axis, keepdims=True, where=where)
    if variance is None:
        if algorithm == "stable":
            squares = jnp.square(jnp.subtract(x, mean))
            variance = jnp.mean(squares, axis, keepdims=True, where=where)
        else:
            squares = jnp.mean(jnp.square(x), axis, keepdims=True, where=where)
            # Rounding must not make it negative.
            variance = jnp.maximum(squares - jnp.square(mean), 0)
    return jnp.subtract(x, mean) * lax.rsqrt(jnp.add(variance, epsilon))


# --- one_hot --------------------------------------------------------------------------


def one_hot(
    x: Any,
    num_classes: int,
    *,
    dtype: DTypeLike | None = None,
    axis: int = -1,
    out_sharding: Any = None,
) -> Array:
    """Each number as a vector that is 1 at its place: i[*s] -> f[*s, num_classes].

    A number outside the range makes a vector of zeros. axis: where the new axis stands.

    >>> import minijax as mj
    >>> print(mj.nn.one_hot(mj.numpy.array([0, 2]), 3))
    [[1. 0. 0.]
     [0. 0. 1.]]

    Raises:
      TypeError: `num_classes` is no integer, or is traced.
      ValueError: `axis` is no axis of the result.
    """
    if isinstance(num_classes, Tracer):
        raise ConcretizationTypeError(
            num_classes, "`num_classes` of one_hot is the size of an axis."
        )
    if out_sharding is not None or isinstance(axis, str):
        raise NotSupportedError(
            "one_hot puts its new axis at a position, wherever `x` lies.",
            f"Found axis {axis!r} and placement {out_sharding!r}.",
        )
    found = dtypes.default_float() if dtype is None else dtype
    return _one_hot(
        x,
        operator.index(num_classes),
        dtypes.requested_dtype(found, "one_hot"),
        operator.index(axis),
    )


@eager_jit(static_argnums=(1, 2, 3))
def _one_hot(x: Any, num_classes: int, dtype: Any, axis: int) -> Any:
    x = jnp.asarray(x)
    aval = typeof(x)
    if aval.dtype not in dtypes.INTEGERS:
        warnings.warn(
            f"one_hot takes integers; {aval} is deprecated.",
            DeprecationWarning,
            stacklevel=2,
        )
    axis = canonicalize_axis(axis, aval.ndim + 1)
    shape = [1] * (aval.ndim + 1)
    shape[axis] = num_classes
    counted = aval.dtype if aval.dtype in dtypes.NUMERIC else np.dtype(np.int32)
    places = lax.broadcasted_iota(counted, shape, axis)
    return lax.convert_element_type(jnp.expand_dims(x, axis) == places, dtype)
