"""The logarithm of a sum of exponentials, computed without overflow.

NumPy has none; `nn` and `scipy.special` show this one under their names.

Source: spec/nn_scipy_linalg.md §2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lax
from ..base import dtypes
from ..core import typeof
from ..runtime import Array
from ..transforms import eager_jit
from .promotion import INEXACT, several
from .reductions import axes_of, keep_axes
from .reductions import sum as sum_of
from .selecting import where as choose

if TYPE_CHECKING:
    from .promotion import ArrayLike, Axis


@eager_jit(static_argnames=("axis", "keepdims", "return_sign"))
def logsumexp(
    a: ArrayLike,
    axis: Axis = None,
    b: ArrayLike | None = None,
    keepdims: bool = False,
    return_sign: bool = False,
    where: ArrayLike | None = None,
) -> Array | tuple[Array, Array]:
    """log(sum(b * exp(a))) along `axis`: f[*s] -> f[*t].

    b: weights, by default 1. keepdims: keep the axes with size 1. return_sign: also
    return the sign of the sum, and the logarithm of its size; otherwise that of a
    negative sum is NaN. where: which elements take part.

    >>> import minijax as mj
    >>> print(mj.nn.logsumexp(mj.numpy.array([1.0, 2.0])))
    2.3132615

    Raises:
      TypeError: no arrays.
      ValueError: an axis that is not there.
    """
    given = (a,) if b is None else (a, b)
    (a, *weights), _ = several("logsumexp", INEXACT, *given)
    lowest = -np.inf
    if weights:
        # What weighs nothing must not decide what is divided out.
        a = choose(lax.ne(weights[0], _like(weights[0], 0)), a, lowest)
    if where is not None:
        a = choose(where, a, lowest)
    axes, shape = axes_of(a, axis), typeof(a).shape
    size = lax.real(a) if typeof(a).dtype in dtypes.COMPLEXES else a
    largest = _largest(size, axes)
    shift = lax.stop_gradient(largest)
    terms = lax.exp(lax.sub(a, _in(typeof(a).dtype, keep_axes(shift, axes, shape))))
    if weights:
        terms = lax.mul(terms, _stretched(weights[0], typeof(terms).shape))
    total = sum_of(terms, axis=axes, keepdims=keepdims, where=where)
    if keepdims:
        shift = keep_axes(shift, axes, shape)
    sign = lax.sign(total)
    is_real = typeof(total).dtype not in dtypes.COMPLEXES
    if return_sign or is_real:
        total = lax.abs(total)
    shift = _in(typeof(total).dtype, shift)
    out = lax.add(lax.log(total), shift)
    if return_sign:
        return out, sign
    if weights and is_real:
        return choose(lax.lt(sign, _like(sign, 0)), np.nan, out)
    return out


def _like(x: Any, value: float) -> Any:
    return np.array(value, typeof(x).dtype)[()]


def _in(dtype: Any, x: Any) -> Any:
    return x if typeof(x).dtype == dtype else lax.convert_element_type(x, dtype)


def _stretched(x: Any, shape: tuple[int, ...]) -> Any:
    return lax.broadcast_to_rank(x, len(shape)) if typeof(x).shape else x


def _largest(x: Any, axes: tuple[int, ...]) -> Any:
    """The largest element, or 0 where that is not finite."""
    largest = lax.max(_like(x, -np.inf), lax.reduce_max(x, axes))
    is_finite = lax.is_finite(largest)
    zeros = lax.full(typeof(largest).shape, _like(x, 0))
    return lax.select(is_finite, largest, zeros)
