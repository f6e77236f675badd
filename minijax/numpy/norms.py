"""Norms of vectors and matrices, powers and chains of matrices.

Source: spec/numpy.md §16.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lax
from ..base import dtypes
from ..base.errors import ArgumentTypeError, ArgumentValueError, NotSupportedError
from ..base.util import canonicalize_axes
from ..core import typeof
from ..transforms import eager_jit
from .contractions import matmul
from .einsums import einsum
from .grids import eye
from .promotion import as_is, cast_to, check_arrays, constant_like, inexact
from .reductions import reduce_max, reduce_min, reduce_sum, static_axis

if TYPE_CHECKING:
    from ..runtime import Array
    from .promotion import ArrayLike, Axis


def norm(
    x: ArrayLike, ord: Any = None, axis: Axis = None, keepdims: bool = False
) -> Array:
    """The norm of vectors (one axis) or matrices (two axes), by default of Euclid.

    ord: of vectors any number, 0, or ±inf; of matrices "fro", ±1, ±inf, and with
    singular values "nuc" and ±2.

    >>> import minijax.numpy as jnp
    >>> print(jnp.linalg.norm(jnp.array([3.0, 4.0])))
    5.0

    Raises:
      ValueError: an order that the norm does not have.
    """
    return _norm(x, ord, static_axis(axis), bool(keepdims))


@eager_jit(static_argnums=(1, 2, 3))
def _norm(x: Any, ord: Any, axis: Any, keepdims: bool) -> Any:
    check_arrays("norm", x)
    x = as_is(inexact("norm", x))
    rank = typeof(x).ndim
    if axis is None and ord is None:
        return _euclidean(x, tuple(range(rank)), keepdims)
    axes = tuple(range(rank)) if axis is None else canonicalize_axes(axis, rank)
    if len(axes) == 1:
        return _vector_norm(x, 2 if ord is None else ord, axes, keepdims)
    if len(axes) == 2:
        return _matrix_norm(x, "fro" if ord is None else ord, axes, keepdims)
    raise ArgumentValueError(
        "A norm is of one axis, or of two.", f"Found {len(axes)} for {typeof(x)}."
    )


def _squares(x: Any) -> Any:
    if typeof(x).dtype in dtypes.COMPLEXES:
        return lax.real(lax.mul(x, lax.conj(x)))
    return lax.mul(x, x)


def _euclidean(x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    return lax.sqrt(reduce_sum(_squares(x), axes, keepdims=keepdims))


def _vector_norm(x: Any, ord: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    if isinstance(ord, str):
        raise ArgumentValueError(
            "The order of a vector norm is a number.", f"Found {ord!r}."
        )
    if ord == 2:
        return _euclidean(x, axes, keepdims)
    if ord == np.inf:
        return reduce_max(lax.abs(x), axes, keepdims=keepdims, initial=0)
    if ord == -np.inf:
        return reduce_min(lax.abs(x), axes, keepdims=keepdims)
    if ord == 0:
        held = lax.ne(x, constant_like(x, 0))
        real = dtypes.to_real_dtype(typeof(x).dtype)
        return reduce_sum(cast_to(held, real), axes, keepdims=keepdims)
    magnitude = lax.abs(x)
    if ord == 1:
        return reduce_sum(magnitude, axes, keepdims=keepdims)
    powers = lax.pow(magnitude, constant_like(magnitude, ord))
    total = reduce_sum(powers, axes, keepdims=keepdims)
    return lax.pow(total, constant_like(total, 1 / ord))


def _matrix_norm(x: Any, ord: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    rows, columns = axes
    if ord == "fro":
        return _euclidean(x, axes, keepdims)
    if ord in (1, -1, np.inf, -np.inf):
        summed, kept = (rows, columns) if ord in (1, -1) else (columns, rows)
        sums = reduce_sum(lax.abs(x), summed, keepdims=True)
        if ord in (1, np.inf):
            out = reduce_max(sums, kept, keepdims=True, initial=0)
        else:
            out = reduce_min(sums, kept, keepdims=True)
        return out if keepdims else lax.squeeze(out, axes)
    if ord in ("nuc", 2, -2):
        raise NotSupportedError(
            "A nuclear or spectral norm is made of singular values.",
            f"Found order {ord!r}; factorizations are not part of this version.",
            "Use 'fro', ±1 or ±inf.",
        )
    raise ArgumentValueError(
        "The order of a matrix norm is 'fro', 'nuc', ±1, ±2 or ±inf.", f"Found {ord!r}."
    )


def vector_norm(
    x: ArrayLike, /, *, axis: Axis = None, keepdims: bool = False, ord: Any = 2
) -> Array:
    """The norm of vectors along axes, which are taken together; of all elements.

    >>> import minijax.numpy as jnp
    >>> print(jnp.linalg.vector_norm(jnp.array([3.0, 4.0])))
    5.0
    """
    return _vector(x, ord, static_axis(axis), bool(keepdims))


@eager_jit(static_argnums=(1, 2, 3))
def _vector(x: Any, ord: Any, axis: Any, keepdims: bool) -> Any:
    check_arrays("vector_norm", x)
    x = as_is(inexact("vector_norm", x))
    rank = typeof(x).ndim
    axes = tuple(range(rank)) if axis is None else canonicalize_axes(axis, rank)
    return _vector_norm(x, ord, axes, keepdims)


def matrix_norm(x: ArrayLike, /, *, keepdims: bool = False, ord: Any = "fro") -> Array:
    """The norm of matrices in the last two axes.

    >>> import minijax.numpy as jnp
    >>> print(jnp.linalg.matrix_norm(jnp.array([[3.0, 4.0]])))
    5.0
    """
    return norm(x, ord, (-2, -1), keepdims)


def matrix_power(a: ArrayLike, n: int) -> Array:
    """A square matrix multiplied by itself n times; by repeated squaring.

    >>> import minijax.numpy as jnp
    >>> print(jnp.linalg.matrix_power(jnp.array([[1, 1], [0, 1]]), 3))
    [[1 3]
     [0 1]]

    Raises:
      TypeError: n is no integer, or the matrix is not square.
    """
    check_arrays("matrix_power", a)
    try:
        power = operator.index(n)
    except TypeError as error:
        raise ArgumentTypeError("The power is an integer.", f"Found {n!r}.") from error
    if power < 0:
        raise NotSupportedError(
            "Negative powers need the inverse.",
            f"Found {power}.",
            "Invert first: `matrix_power(inv(a), -n)`.",
        )
    return _matrix_power(a, power)


@eager_jit(static_argnums=1)
def _matrix_power(a: Any, n: int) -> Any:
    shape = typeof(a).shape
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise ArgumentTypeError("A square matrix is needed.", f"Found {typeof(a)}.")
    if n == 0:
        one = eye(shape[-1], dtype=typeof(a).dtype)
        dims = (len(shape) - 2, len(shape) - 1)
        return lax.broadcast_in_dim(one, shape, dims)
    out, factor = None, as_is(a)
    while n:
        if n & 1:
            out = factor if out is None else matmul(out, factor)
        n >>= 1
        if n:
            factor = matmul(factor, factor)
    return out


def multi_dot(arrays: Sequence[ArrayLike], *, precision: Any = None) -> Array:
    """The product of a chain of matrices in the cheapest order.

    >>> import minijax.numpy as jnp
    >>> chain = [jnp.ones((2, 3)), jnp.ones((3, 4)), jnp.ones((4, 1))]
    >>> jnp.linalg.multi_dot(chain).shape
    (2, 1)
    """
    chain = list(arrays)
    check_arrays("multi_dot", *chain)
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    terms = [letters[i : i + 2] for i in range(len(chain))]
    if typeof(chain[0]).ndim == 1:
        terms[0] = terms[0][1:]
    if typeof(chain[-1]).ndim == 1:
        terms[-1] = terms[-1][:1]
    left = terms[0][0] if typeof(chain[0]).ndim == 2 else ""
    right = terms[-1][-1] if typeof(chain[-1]).ndim == 2 else ""
    text = f"{','.join(terms)}->{left}{right}"
    return einsum(text, *chain, precision=precision)
