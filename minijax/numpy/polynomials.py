"""Polynomials as arrays of coefficients, the highest power first.

Source: spec/numpy.md §12.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lax
from ..base.errors import ArgumentValueError
from ..core import typeof
from ..transforms import eager_jit
from .correlations import convolve
from .editing import trim_zeros
from .promotion import (
    INEXACT,
    JOIN,
    as_is,
    check_arrays,
    constant_like,
    inexact,
    several,
    two,
)

if TYPE_CHECKING:
    from ..runtime import Array
    from .promotion import ArrayLike


def _one_axis(function: str, *xs: Any) -> None:
    check_arrays(function, *xs)
    for x in xs:
        if typeof(x).ndim != 1:
            raise ArgumentValueError(
                f"The coefficients of {function} have one axis.", f"Found {typeof(x)}."
            )


def polyval(p: ArrayLike, x: ArrayLike, *, unroll: int | None = None) -> Array:
    """The value of a polynomial at x, by Horner's rule.

    >>> import minijax.numpy as jnp
    >>> print(jnp.polyval(jnp.array([1, 2, 3]), 2))
    11
    """
    return _polyval(p, x)


@eager_jit
def _polyval(p: Any, x: Any) -> Any:
    check_arrays("polyval", p, x)
    (p, x), dtype = several("polyval", JOIN, p, as_is(x))
    p = lax.reshape(p, (typeof(p).size,))
    shape = typeof(x).shape
    out = lax.full(shape, 0, dtype)
    for i in range(typeof(p).size):
        coefficient = lax.index_in_dim(p, i, 0, keepdims=False)
        out = lax.add(lax.mul(out, x), coefficient)
    return out


def _aligned(x: Any, y: Any) -> tuple[Any, Any]:
    size = max(typeof(x).size, typeof(y).size)
    out = []
    for v in (x, y):
        zero = np.zeros((), typeof(v).dtype)[()]
        out.append(lax.pad(v, zero, ((size - typeof(v).size, 0, 0),)))
    return out[0], out[1]


@eager_jit
def polyadd(a1: ArrayLike, a2: ArrayLike) -> Array:
    """The sum of two polynomials.

    >>> import minijax.numpy as jnp
    >>> print(jnp.polyadd(jnp.array([1, 2]), jnp.array([3])))
    [1 5]
    """
    check_arrays("polyadd", a1, a2)
    x, y, _ = two("polyadd", JOIN, a1, a2)
    return lax.add(*_aligned(x, y))


@eager_jit
def polysub(a1: ArrayLike, a2: ArrayLike) -> Array:
    """The difference of two polynomials.

    >>> import minijax.numpy as jnp
    >>> print(jnp.polysub(jnp.array([1, 2]), jnp.array([3])))
    [ 1 -1]
    """
    check_arrays("polysub", a1, a2)
    x, y, _ = two("polysub", JOIN, a1, a2)
    return lax.sub(*_aligned(x, y))


def polymul(a1: ArrayLike, a2: ArrayLike, *, trim_leading_zeros: bool = False) -> Array:
    """The product of two polynomials, in floats.

    >>> import minijax.numpy as jnp
    >>> print(jnp.polymul(jnp.array([1, 2]), jnp.array([1, 3])))
    [1. 5. 6.]
    """
    check_arrays("polymul", a1, a2)
    if trim_leading_zeros:
        a1, a2 = _trimmed(a1), _trimmed(a2)
    x, y, _ = two("polymul", INEXACT, a1, a2)
    if not typeof(x).size:
        x = lax.full((1,), 0, typeof(x).dtype)
    if not typeof(y).size:
        y = lax.full((1,), 0, typeof(y).dtype)
    return convolve(x, y)


def _trimmed(x: Any) -> Any:
    found = trim_zeros(x, "f")
    return found if typeof(found).size else lax.full((1,), 0, typeof(x).dtype)


def polydiv(
    u: ArrayLike, v: ArrayLike, *, trim_leading_zeros: bool = False
) -> tuple[Array, Array]:
    """Quotient and remainder of two polynomials, the remainder as long as u.

    >>> import minijax.numpy as jnp
    >>> print(jnp.polydiv(jnp.array([1.0, 3.0, 2.0]), jnp.array([1.0, 1.0]))[0])
    [1. 2.]
    """
    quotient, rest = _polydiv(u, v)
    return quotient, _trimmed(rest) if trim_leading_zeros else rest


@eager_jit
def _polydiv(u: Any, v: Any) -> Any:
    _one_axis("polydiv", u, v)
    u, v, dtype = two("polydiv", INEXACT, u, v)
    steps, size = typeof(u).size - typeof(v).size + 1, typeof(v).size
    if steps < 1:
        return lax.full((1,), 0, dtype), u
    scale = lax.div(constant_like(v, 1), lax.index_in_dim(v, 0, 0, keepdims=False))
    parts = []
    for i in range(steps):
        factor = lax.mul(lax.index_in_dim(u, i, 0, keepdims=False), scale)
        parts.append(factor)
        piece = lax.sub(lax.slice(u, (i,), (i + size,)), lax.mul(factor, v))
        u = lax.dynamic_update_slice(u, piece, (i,))
    return lax.stack(parts, 0), u


@eager_jit(static_argnames="m")
def polyder(p: ArrayLike, m: int = 1) -> Array:
    """The m-th derivative of a polynomial.

    >>> import minijax.numpy as jnp
    >>> print(jnp.polyder(jnp.array([1, 2, 3])))
    [2. 2.]
    """
    check_arrays("polyder", p)
    p = inexact("polyder", p)
    order = operator.index(m)
    if order < 0:
        raise ArgumentValueError("A derivative has an order >= 0.", f"Found {m}.")
    count = typeof(p).size
    if order == 0:
        return as_is(p)
    kept = max(count - order, 0)
    powers = np.arange(count - 1, count - 1 - kept, -1)
    factors = np.ones(kept)
    for i in range(order):
        factors = factors * (powers - i)
    return lax.mul(lax.slice(p, (0,), (kept,)), factors.astype(typeof(p).dtype))


@eager_jit(static_argnames="m")
def polyint(p: ArrayLike, m: int = 1, k: ArrayLike | None = None) -> Array:
    """The m-th antiderivative of a polynomial, with constants k.

    >>> import minijax.numpy as jnp
    >>> print(jnp.polyint(jnp.array([2.0, 2.0])))
    [1. 2. 0.]
    """
    order = operator.index(m)
    k = 0 if k is None else k
    check_arrays("polyint", p, k)
    if order < 0:
        raise ArgumentValueError("An antiderivative has an order >= 0.", f"Found {m}.")
    p, k, dtype = two("polyint", INEXACT, p, k)
    if order == 0:
        return as_is(p)
    k = lax.reshape(k, (typeof(k).size,))
    if typeof(k).size == 1:
        k = lax.broadcast_in_dim(k, (order,), (0,))
    if typeof(k).size != order:
        raise ArgumentValueError(
            "polyint takes one constant per integration, or one for all.",
            f"Found {typeof(k)} for m = {order}.",
        )
    joined = lax.concatenate([p, k], 0)
    count = typeof(joined).size
    powers = np.arange(count - 1, -1, -1)
    divisors = np.ones(count)
    for i in range(order):
        held = powers - i
        divisors = divisors * np.where(held > 0, held, 1)
    return lax.div(joined, divisors.astype(dtype))


@eager_jit
def poly(seq_of_zeros: ArrayLike) -> Array:
    """The coefficients of the polynomial with the given roots.

    >>> import minijax.numpy as jnp
    >>> print(jnp.poly(jnp.array([1.0, 2.0])))
    [ 1. -3.  2.]
    """
    _one_axis("poly", seq_of_zeros)
    roots = inexact("poly", seq_of_zeros)
    dtype = typeof(roots).dtype
    out = lax.full((1,), 1, dtype)
    for i in range(typeof(roots).size):
        root = lax.slice(roots, (i,), (i + 1,))
        factor = lax.concatenate([lax.full((1,), 1, dtype), lax.neg(root)], 0)
        out = convolve(out, factor)
    return out
