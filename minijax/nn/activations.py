"""Activation functions: one formula each, applied to every element.

Called on arrays each is one compiled program; traced, it is its formula.

Source: spec/nn_scipy_linalg.md §1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lax
from .. import numpy as jnp
from ..base import dtypes
from ..base.errors import ArgumentTypeError, ArgumentValueError
from ..base.util import canonicalize_axis
from ..core import typeof
from ..runtime import Array
from ..transforms import custom_jvp, eager_jit, jit

if TYPE_CHECKING:
    type ArrayLike = Array | np.ndarray | np.generic | bool | int | float | complex

# --- rectifiers -----------------------------------------------------------------------


@custom_jvp
@eager_jit
def relu(x: ArrayLike) -> Array:
    """max(x, 0): T[*s] -> T[*s]. Its derivative at 0 is 0.

    >>> import minijax as mj
    >>> print(mj.nn.relu(mj.numpy.array([-1.0, 2.0])))
    [0. 2.]

    Raises:
      TypeError: no array and no number.
    """
    return jnp.maximum(x, 0)


relu.defjvps(lambda x_dot, y, x: jnp.where(x > 0, x_dot, 0))


@custom_jvp
@eager_jit
def relu6(x: ArrayLike) -> Array:
    """min(max(x, 0), 6): T[*s] -> T[*s]. Its derivative at 0 and 6 is 0.

    Raises:
      TypeError: no array and no number.
    """
    return jnp.minimum(jnp.maximum(x, 0), 6.0)


relu6.defjvps(lambda x_dot, y, x: jnp.where((x > 0) & (x < 6), x_dot, 0))


@eager_jit
def leaky_relu(x: ArrayLike, negative_slope: ArrayLike = 1e-2) -> Array:
    """x where that is not negative, else negative_slope * x: f[*s] -> f[*s].

    Raises:
      TypeError: no array and no number.
    """
    x = _array("leaky_relu", x)
    return jnp.where(x >= 0, x, negative_slope * x)


@eager_jit
def elu(x: ArrayLike, alpha: ArrayLike = 1.0) -> Array:
    """x where that is positive, else alpha * (exp(x) - 1): f[*s] -> f[*s].

    Raises:
      TypeError: no array and no number.
    """
    x = _array("elu", x)
    # The branch that is not taken must not overflow: its derivative would be NaN.
    negative = jnp.where(x > 0, 0.0, x)
    return jnp.where(x > 0, x, alpha * jnp.expm1(negative))


_SELU_ALPHA, _SELU_SCALE = 1.6732632423543772, 1.0507009873554805


@eager_jit
def selu(x: ArrayLike) -> Array:
    """`elu`, scaled so that deep networks keep mean 0 and variance 1: f[*s] -> f[*s].

    Raises:
      TypeError: no array and no number.
    """
    return _SELU_SCALE * elu(x, _SELU_ALPHA)


@eager_jit
def celu(x: ArrayLike, alpha: ArrayLike = 1.0) -> Array:
    """max(x, 0) + alpha * (exp(min(x, 0) / alpha) - 1): f[*s] -> f[*s].

    Raises:
      TypeError: no array and no number.
    """
    negative = jnp.minimum(x, 0.0) / alpha
    return jnp.maximum(x, 0.0) + alpha * jnp.expm1(negative)


# --- gates and their kin --------------------------------------------------------------


@eager_jit
def sigmoid(x: ArrayLike) -> Array:
    """1 / (1 + exp(-x)): f[*s] -> f[*s].

    >>> import minijax as mj
    >>> print(mj.nn.sigmoid(0.0))
    0.5

    Raises:
      TypeError: no floats.
    """
    return lax.logistic(x)


@eager_jit
def silu(x: ArrayLike) -> Array:
    """x * sigmoid(x): f[*s] -> f[*s].

    Raises:
      TypeError: no floats.
    """
    return lax.mul(x, lax.logistic(x))


swish = silu


@eager_jit
def softplus(x: ArrayLike) -> Array:
    """log(1 + exp(x)): f[*s] -> f[*s].

    Raises:
      TypeError: no array and no number.
    """
    return jnp.logaddexp(x, 0.0)


@eager_jit
def log_sigmoid(x: ArrayLike) -> Array:
    """log(sigmoid(x)): f[*s] -> f[*s].

    Raises:
      TypeError: no array and no number.
    """
    return -softplus(jnp.negative(x))


@eager_jit
def mish(x: ArrayLike) -> Array:
    """x * tanh(softplus(x)): f[*s] -> f[*s].

    Raises:
      TypeError: no array and no number.
    """
    return _array("mish", x) * jnp.tanh(softplus(x))


@eager_jit(static_argnames="approximate")
def gelu(x: ArrayLike, approximate: bool = True) -> Array:
    """x times the chance that a normal number is below x: f[*s] -> f[*s].

    approximate: by a formula with tanh, instead of the error function.

    >>> import minijax as mj
    >>> print(mj.nn.gelu(1.0))
    0.841192

    Raises:
      TypeError: no array and no number.
    """
    dtype = dtypes.to_inexact_dtype(typeof(x).dtype)
    x = lax.convert_element_type(x, dtype)
    if approximate:
        scale = np.sqrt(2 / np.pi).astype(dtype)
        return x * (0.5 * (1.0 + jnp.tanh(scale * (x + 0.044715 * x**3))))
    return 0.5 * x * lax.erfc(-x * np.sqrt(0.5).astype(dtype))


@eager_jit(static_argnames="axis")
def glu(x: ArrayLike, axis: int = -1) -> Array:
    """The first half along an axis, gated by the sigmoid of the second.

    Raises:
      TypeError: no floats.
      ValueError: the size of the axis is odd, or there is no such axis.
    """
    shape = typeof(x).shape
    axis = canonicalize_axis(axis, len(shape))
    half, odd = divmod(shape[axis], 2)
    if odd:
        raise ArgumentValueError(
            "glu splits an axis into two halves.", f"Found size {shape[axis]}."
        )
    value, gate = lax.split(x, (half, half), axis)
    return lax.mul(value, lax.logistic(gate))


@eager_jit
def soft_sign(x: ArrayLike) -> Array:
    """x / (|x| + 1): f[*s] -> f[*s].

    Raises:
      TypeError: no array and no number.
    """
    return _array("soft_sign", x) / (jnp.absolute(x) + 1)


@eager_jit
def squareplus(x: ArrayLike, b: ArrayLike = 4) -> Array:
    """(x + sqrt(x**2 + b)) / 2: f[*s] -> f[*s].

    Raises:
      TypeError: no array and no number.
    """
    return (_array("squareplus", x) + jnp.sqrt(jnp.square(x) + b)) / 2


# --- piecewise ------------------------------------------------------------------------


@eager_jit
def hard_tanh(x: ArrayLike) -> Array:
    """x within [-1, 1], the nearer end outside: T[*s] -> T[*s].

    Raises:
      TypeError: no array and no number.
    """
    x = _array("hard_tanh", x)
    return jnp.where(x > 1, 1, jnp.where(x < -1, -1, x))


@eager_jit
def hard_sigmoid(x: ArrayLike) -> Array:
    """min(max(x + 3, 0), 6) / 6: f[*s] -> f[*s].

    Raises:
      TypeError: no array and no number.
    """
    return relu6(_array("hard_sigmoid", x) + 3.0) / 6.0


@eager_jit
def hard_silu(x: ArrayLike) -> Array:
    """x * hard_sigmoid(x): f[*s] -> f[*s].

    Raises:
      TypeError: no array and no number.
    """
    return _array("hard_silu", x) * hard_sigmoid(x)


hard_swish = hard_silu


@eager_jit
def sparse_plus(x: ArrayLike) -> Array:
    """0 up to -1, x from 1, and (x + 1)**2 / 4 between: f[*s] -> f[*s].

    Raises:
      TypeError: no array and no number.
    """
    x = _array("sparse_plus", x)
    between = (x + 1.0) ** 2 / 4.0
    return jnp.where(x <= -1.0, 0.0, jnp.where(x >= 1.0, x, between))


@eager_jit
def sparse_sigmoid(x: ArrayLike) -> Array:
    """The derivative of `sparse_plus`: f[*s] -> f[*s].

    Raises:
      TypeError: no array and no number.
    """
    return 0.5 * jnp.clip(_array("sparse_sigmoid", x) + 1.0, 0.0, 2.0)


# --- others ---------------------------------------------------------------------------


@custom_jvp
@eager_jit
def log1mexp(x: ArrayLike) -> Array:
    """log(1 - exp(-x)), exact for small and for large x > 0: f[*s] -> f[*s].

    Raises:
      TypeError: no array and no number, or booleans.
    """
    minus = jnp.negative(x)
    small = jnp.log(-jnp.expm1(minus))
    return jnp.where(x < np.log(2.0), small, jnp.log1p(-jnp.exp(minus)))


log1mexp.defjvps(lambda x_dot, y, x: x_dot / jnp.expm1(x))


@jit
def identity(x: ArrayLike) -> Array:
    """x itself, as an array: T[*s] -> T[*s].

    Raises:
      TypeError: no array and no number.
    """
    return _array("identity", x)


def _array(function: str, x: Any) -> Any:
    """`x` for operators: an array or a tracer, no number. Raises: TypeError."""
    if isinstance(x, list | tuple | dict):
        raise ArgumentTypeError(
            f"nn.{function} takes an array or a number.",
            f"Found a {type(x).__name__}.",
        )
    typeof(x)
    return jnp.asarray(x)
