"""Products that sum over axes: one `dot_general` each.

Operands are not converted to a common dtype: the product is asked for in it. A result
is weakly typed if both operands are.

Source: spec/numpy.md §13.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import lax
from ..base import dtypes
from ..base.errors import ArgumentTypeError, ArgumentValueError
from ..base.util import canonicalize_axis, memoize
from ..core import typeof
from ..transforms import eager_jit
from .promotion import JOIN, as_is, cast_to, check_arrays, common_kind, refuse, two

if TYPE_CHECKING:
    from ..runtime import Array
    from .promotion import ArrayLike

type Axes = Sequence[int]

_OPTIONS = ("precision", "preferred_element_type", "out_sharding")


def product(
    x: Any,
    y: Any,
    contracted: tuple[Axes, Axes],
    batch: tuple[Axes, Axes] = ((), ()),
    *,
    precision: Any = None,
    preferred_element_type: Any = None,
    out_sharding: Any = None,
) -> Any:
    """`dot_general` in the common dtype of the operands, or in the one asked for."""
    dtype, weak = common_kind(JOIN, x, y)
    if preferred_element_type is not None:
        dtype = dtypes.requested_dtype(preferred_element_type, "a product")
        weak = False
    out = lax.dot_general(
        x,
        y,
        (contracted, batch),
        precision,
        dtype,
        out_sharding=out_sharding,
    )
    return cast_to(out, dtype, weak=weak) if weak else out


@eager_jit(static_argnames=_OPTIONS)
def matmul(
    a: ArrayLike,
    b: ArrayLike,
    *,
    precision: Any = None,
    preferred_element_type: Any = None,
    out_sharding: Any = None,
) -> Array:
    """The matrix product: T[*b, n, k], T[*b, k, m] -> T[*b, n, m]; *b broadcast.

    A vector is a row on the left and a column on the right, and its axis goes.

    >>> import minijax.numpy as jnp
    >>> print(jnp.matmul(jnp.ones((2, 3)), jnp.arange(3.0)))
    [3. 3.]

    Raises:
      ValueError: an operand without axes, or leading axes that do not broadcast.
      TypeError: sizes that do not match.
    """
    check_arrays("matmul", a, b)
    x_shape, y_shape = typeof(a).shape, typeof(b).shape
    if not x_shape or not y_shape:
        raise ArgumentValueError(
            "matmul multiplies matrices and vectors.",
            f"Found shapes {x_shape} and {y_shape}.",
            "Multiply by a scalar with `*`.",
        )
    plan = _align(x_shape, y_shape)
    if plan.x_dropped:
        a = lax.squeeze(a, plan.x_dropped)
    if plan.y_dropped:
        b = lax.squeeze(b, plan.y_dropped)
    out = product(
        a,
        b,
        plan.contracted,
        plan.batch,
        precision=precision,
        preferred_element_type=preferred_element_type,
        out_sharding=out_sharding,
    )
    return out if plan.order is None else lax.transpose(out, plan.order)


class _Alignment(NamedTuple):
    """How two operands meet in one product.

    dropped: axes of size 1 that the other operand repeats. contracted, batch: as of
    `dot_general`, without those. order: of the result's axes, None if it is right.
    """

    x_dropped: tuple[int, ...]
    y_dropped: tuple[int, ...]
    contracted: tuple[Axes, Axes]
    batch: tuple[Axes, Axes]
    order: tuple[int, ...] | None


@memoize()
def _align(x_shape: tuple[int, ...], y_shape: tuple[int, ...]) -> _Alignment:
    x_rank, y_rank = max(len(x_shape) - 2, 0), max(len(y_shape) - 2, 0)
    rank = max(x_rank, y_rank)
    owners: list[str] = []
    x_dropped, y_dropped, x_batch, y_batch = [], [], [], []
    x_kept = y_kept = 0
    for place in range(rank):
        i, j = place - (rank - x_rank), place - (rank - y_rank)
        m = x_shape[i] if i >= 0 else None
        n = y_shape[j] if j >= 0 else None
        if m == n:
            x_batch.append(x_kept)
            y_batch.append(y_kept)
            owners.append("both")
            x_kept, y_kept = x_kept + 1, y_kept + 1
        elif m is None or m == 1:
            if m == 1:
                x_dropped.append(i)
            owners.append("y")
            y_kept += 1
        elif n is None or n == 1:
            if n == 1:
                y_dropped.append(j)
            owners.append("x")
            x_kept += 1
        else:
            raise ArgumentValueError(
                "The leading axes of matmul broadcast to one shape.",
                f"Found shapes {x_shape} and {y_shape}.",
            )
    order = _result_order(owners, len(x_shape) > 1, len(y_shape) > 1)
    x_axes, y_axes = len(x_shape) - len(x_dropped), len(y_shape) - len(y_dropped)
    return _Alignment(
        tuple(x_dropped),
        tuple(y_dropped),
        ((x_axes - 1,), (max(y_axes - 2, 0),)),
        (tuple(x_batch), tuple(y_batch)),
        order,
    )


def _result_order(
    owners: list[str], has_row: bool, has_column: bool
) -> tuple[int, ...] | None:
    """From batch, other axes of x, other axes of y, to the order of matmul."""
    rank = len(owners)
    both, of_x, of_y = [
        [i for i, owner in enumerate(owners) if owner == who]
        for who in ("both", "x", "y")
    ]
    given = [*both, *of_x, *([rank] if has_row else []), *of_y]
    if has_column:
        given.append(rank + 1)
    order = tuple(given.index(axis) for axis in sorted(given))
    return None if order == tuple(range(len(order))) else order


@eager_jit(static_argnames=_OPTIONS)
def dot(
    a: ArrayLike,
    b: ArrayLike,
    *,
    precision: Any = None,
    preferred_element_type: Any = None,
    out_sharding: Any = None,
) -> Array:
    """Sum over the last axis of a and the second last of b; scalars multiply.

    >>> import minijax.numpy as jnp
    >>> print(jnp.dot(jnp.arange(3), jnp.arange(3)))
    5
    """
    check_arrays("dot", a, b)
    x_rank, y_rank = typeof(a).ndim, typeof(b).ndim
    contracted: tuple[Axes, Axes] = ((), ())
    if x_rank and y_rank:
        contracted = ((x_rank - 1,), (max(y_rank - 2, 0),))
    return product(
        a,
        b,
        contracted,
        precision=precision,
        preferred_element_type=preferred_element_type,
        out_sharding=out_sharding,
    )


def tensordot(
    a: ArrayLike,
    b: ArrayLike,
    axes: int | Sequence[int] | Sequence[Sequence[int]] = 2,
    *,
    precision: Any = None,
    preferred_element_type: Any = None,
    out_sharding: Any = None,
) -> Array:
    """Sum over pairs of axes: so many last of a and first of b, or listed ones.

    >>> import minijax.numpy as jnp
    >>> print(jnp.tensordot(jnp.ones((2, 3)), jnp.ones((3, 4)), 1).shape)
    (2, 4)

    Raises:
      TypeError: axes that do not pair up.
    """
    check_arrays("tensordot", a, b)
    contracted = _paired_axes(axes, typeof(a).ndim, typeof(b).ndim)
    return _tensordot(a, b, contracted, precision, preferred_element_type, out_sharding)


def _paired_axes(axes: Any, x_rank: int, y_rank: int) -> tuple[Any, Any]:
    error = ArgumentTypeError(
        "The axes of tensordot are a number, or one list of axes per operand.",
        f"Found {axes!r} for operands of {x_rank} and {y_rank} axes.",
    )
    if isinstance(axes, int | np.integer):
        count = operator.index(axes)
        if not 0 <= count <= min(x_rank, y_rank):
            raise error
        return tuple(range(x_rank - count, x_rank)), tuple(range(count))
    if not isinstance(axes, list | tuple | np.ndarray) or len(axes) != 2:
        raise error
    pair = [
        tuple(canonicalize_axis(axis, rank) for axis in np.atleast_1d(listed))
        for listed, rank in zip(axes, (x_rank, y_rank), strict=True)
    ]
    if len(pair[0]) != len(pair[1]):
        raise error
    return pair[0], pair[1]


@eager_jit(static_argnums=(2, 3, 4, 5))
def _tensordot(
    a: Any, b: Any, contracted: Any, precision: Any, preferred: Any, sharding: Any
) -> Any:
    return product(
        a,
        b,
        contracted,
        precision=precision,
        preferred_element_type=preferred,
        out_sharding=sharding,
    )


@eager_jit(static_argnames=_OPTIONS)
def inner(
    a: ArrayLike,
    b: ArrayLike,
    *,
    precision: Any = None,
    preferred_element_type: Any = None,
    out_sharding: Any = None,
) -> Array:
    """Sum over the last axes; scalars multiply.

    >>> import minijax.numpy as jnp
    >>> print(jnp.inner(jnp.arange(3), jnp.arange(3)))
    5
    """
    check_arrays("inner", a, b)
    x_rank, y_rank = typeof(a).ndim, typeof(b).ndim
    contracted: tuple[Axes, Axes] = ((), ())
    if x_rank and y_rank:
        contracted = ((x_rank - 1,), (y_rank - 1,))
    return product(
        a,
        b,
        contracted,
        precision=precision,
        preferred_element_type=preferred_element_type,
        out_sharding=out_sharding,
    )


@eager_jit(static_argnames=_OPTIONS)
def vdot(
    a: ArrayLike,
    b: ArrayLike,
    *,
    precision: Any = None,
    preferred_element_type: Any = None,
    out_sharding: Any = None,
) -> Array:
    """Sum of conj(a) * b over all elements.

    >>> import minijax.numpy as jnp
    >>> print(jnp.vdot(jnp.arange(3), jnp.arange(3)))
    5
    """
    check_arrays("vdot", a, b)
    if typeof(a).dtype in dtypes.COMPLEXES:
        a = lax.conj(a)
    return product(
        lax.reshape(a, (typeof(a).size,)),
        lax.reshape(b, (typeof(b).size,)),
        ((0,), (0,)),
        precision=precision,
        preferred_element_type=preferred_element_type,
        out_sharding=out_sharding,
    )


def outer(a: ArrayLike, b: ArrayLike, out: None = None) -> Array:
    """All products of an element of a and one of b: T[n], T[m] -> T[n, m].

    >>> import minijax.numpy as jnp
    >>> print(jnp.outer(jnp.arange(2), jnp.arange(3)))
    [[0 0 0]
     [0 1 2]]
    """
    refuse("outer", out=out)
    return _outer(a, b)


@eager_jit
def _outer(a: Any, b: Any) -> Any:
    check_arrays("outer", a, b)
    x, y, dtype = two("outer", JOIN, a, b)
    x = lax.expand_dims(lax.reshape(x, (typeof(x).size,)), (1,))
    y = lax.expand_dims(lax.reshape(y, (typeof(y).size,)), (0,))
    return lax.bitwise_and(x, y) if dtype == dtypes.BOOL else lax.mul(x, y)


@eager_jit(static_argnames=("axis", "precision", "preferred_element_type"))
def vecdot(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    *,
    axis: int = -1,
    precision: Any = None,
    preferred_element_type: Any = None,
) -> Array:
    """Sum of conj(x1) * x2 over one axis; the others broadcast.

    >>> import minijax.numpy as jnp
    >>> print(jnp.vecdot(jnp.ones((2, 3)), jnp.arange(3.0)))
    [3. 3.]

    Raises:
      ValueError: an operand without axes, or sizes that differ.
    """
    check_arrays("vecdot", x1, x2)
    x1, x2 = [_axis_last("vecdot", x, axis) for x in (x1, x2)]
    if typeof(x1).shape[-1] != typeof(x2).shape[-1]:
        raise ArgumentValueError(
            "vecdot sums over axes of one size.",
            f"Found shapes {typeof(x1).shape} and {typeof(x2).shape}.",
        )
    if typeof(x1).dtype in dtypes.COMPLEXES:
        x1 = lax.conj(x1)
    row = lax.expand_dims(x1, (typeof(x1).ndim - 1,))
    column = lax.expand_dims(x2, (typeof(x2).ndim,))
    out = matmul(
        row, column, precision=precision, preferred_element_type=preferred_element_type
    )
    rank = typeof(out).ndim
    return lax.squeeze(out, (rank - 2, rank - 1))


def _axis_last(function: str, x: Any, axis: int) -> Any:
    rank = typeof(x).ndim
    if not rank:
        raise ArgumentValueError(f"{function} needs axes.", "Found a scalar.")
    axis = canonicalize_axis(axis, rank)
    order = [*(i for i in range(rank) if i != axis), axis]
    return lax.transpose(as_is(x), order)


@eager_jit
def matvec(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Matrices times vectors: T[*b, n, k], T[*b, k] -> T[*b, n].

    >>> import minijax.numpy as jnp
    >>> print(jnp.matvec(jnp.ones((2, 3)), jnp.arange(3.0)))
    [3. 3.]
    """
    check_arrays("matvec", x1, x2)
    _require_rank("matvec", x1, 2)
    _require_rank("matvec", x2, 1)
    if typeof(x2).ndim == 1:
        return matmul(x1, x2)
    out = matmul(x1, lax.expand_dims(x2, (typeof(x2).ndim,)))
    return lax.squeeze(out, (typeof(out).ndim - 1,))


@eager_jit
def vecmat(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Conjugated vectors times matrices: T[*b, k], T[*b, k, m] -> T[*b, m].

    >>> import minijax.numpy as jnp
    >>> print(jnp.vecmat(jnp.arange(3.0), jnp.ones((3, 2))))
    [3. 3.]
    """
    check_arrays("vecmat", x1, x2)
    _require_rank("vecmat", x1, 1)
    _require_rank("vecmat", x2, 2)
    if typeof(x1).dtype in dtypes.COMPLEXES:
        x1 = lax.conj(x1)
    if typeof(x1).ndim == 1:
        return matmul(x1, x2)
    out = matmul(lax.expand_dims(x1, (typeof(x1).ndim - 1,)), x2)
    return lax.squeeze(out, (typeof(out).ndim - 2,))


def _require_rank(function: str, x: Any, rank: int) -> None:
    if typeof(x).ndim < rank:
        raise ArgumentValueError(
            f"{function} needs at least {rank} axes here.", f"Found {typeof(x)}."
        )


@eager_jit
def kron(a: ArrayLike, b: ArrayLike) -> Array:
    """The Kronecker product: b in place of every element of a, multiplied by it.

    >>> import minijax.numpy as jnp
    >>> print(jnp.kron(jnp.array([1, 2]), jnp.ones(2)))
    [1. 1. 2. 2.]
    """
    check_arrays("kron", a, b)
    x, y, dtype = two("kron", JOIN, a, b)
    rank = max(typeof(x).ndim, typeof(y).ndim)
    if not rank:
        return lax.mul(x, y)
    x, y = [lax.broadcast_to_rank(v, rank) for v in (x, y)]
    x_shape, y_shape = typeof(x).shape, typeof(y).shape
    x = lax.expand_dims(x, range(1, 2 * rank, 2))
    y = lax.expand_dims(y, range(0, 2 * rank, 2))
    out = lax.bitwise_and(x, y) if dtype == dtypes.BOOL else lax.mul(x, y)
    return lax.reshape(out, [m * n for m, n in zip(x_shape, y_shape, strict=True)])


@eager_jit(static_argnames=("axisa", "axisb", "axisc", "axis"))
def cross(
    a: ArrayLike,
    b: ArrayLike,
    axisa: int = -1,
    axisb: int = -1,
    axisc: int = -1,
    axis: int | None = None,
) -> Array:
    """The vector product of vectors of three elements.

    >>> import minijax.numpy as jnp
    >>> print(jnp.cross(jnp.array([1, 0, 0]), jnp.array([0, 1, 0])))
    [0 0 1]

    Raises:
      ValueError: vectors of another length.
    """
    check_arrays("cross", a, b)
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = _axis_last("cross", a, axisa), _axis_last("cross", b, axisb)
    if typeof(a).shape[-1] != 3 or typeof(b).shape[-1] != 3:
        raise ArgumentValueError(
            "cross multiplies vectors of three elements.",
            f"Found shapes {typeof(a).shape} and {typeof(b).shape}.",
        )
    x, y, _ = two("cross", JOIN, a, b)
    xs, ys = [[_component(v, i) for i in range(3)] for v in (x, y)]
    parts = [
        lax.sub(lax.mul(xs[i], ys[j]), lax.mul(xs[j], ys[i]))
        for i, j in ((1, 2), (2, 0), (0, 1))
    ]
    rank = typeof(parts[0]).ndim + 1
    return lax.stack(parts, canonicalize_axis(axisc, rank))


def _component(x: Any, i: int) -> Any:
    return lax.index_in_dim(x, i, typeof(x).ndim - 1, keepdims=False)
