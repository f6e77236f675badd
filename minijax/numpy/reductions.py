"""Sums, products, extremes and truth along axes.

A reduction joins what is special about each in one place: which dtype it computes in,
what stands for elements that are masked out, and how an initial value enters.

Source: spec/numpy.md §9.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lax
from ..base import dtypes
from ..base.errors import ArgumentTypeError, ArgumentValueError, ConcretizationTypeError
from ..base.util import canonicalize_axes
from ..core import Tracer, broadcast_in_dim_p, typeof
from ..runtime import Array
from ..transforms import eager_jit
from .promotion import as_is, cast_to, check_arrays, constant_like, refuse, two
from .selecting import where as choose

if TYPE_CHECKING:
    from .promotion import ArrayLike, Axis, DTypeLike


# --- axes -----------------------------------------------------------------------------


def static_axis(axis: Any) -> Any:
    """An axis argument as None, an int or a tuple: hashable, and known now.

    Raises:
      TypeError: it is no integer; ConcretizationTypeError if it is traced.
    """
    if axis is None or axis.__class__ is int:
        return axis
    if isinstance(axis, list | tuple):
        return tuple(x if isinstance(x, str) else _axis_number(x) for x in axis)
    if isinstance(axis, np.ndarray) and axis.ndim == 1:
        return tuple(int(x) for x in axis)
    return axis if isinstance(axis, str) else _axis_number(axis)


def _axis_number(axis: Any) -> int:
    if isinstance(axis, Tracer) and axis.concrete() is None:
        raise ConcretizationTypeError(
            axis, "An axis is known when a program is traced."
        )
    try:
        return operator.index(axis)
    except TypeError as error:
        raise ArgumentTypeError(
            "An axis is an integer.", f"Found {axis!r} of type {type(axis).__name__}."
        ) from error


def axes_of(x: Any, axis: Any) -> tuple[int, ...]:
    """The axes a reduction goes along; None means all. Raises: ValueError."""
    rank = typeof(x).ndim
    return tuple(range(rank)) if axis is None else canonicalize_axes(axis, rank)


def keep_axes(out: Any, axes: Sequence[int], shape: Sequence[int]) -> Any:
    """A reduced array with the axes it lost as axes of size 1."""
    if not axes:
        return out
    kept = tuple([axis for axis in range(len(shape)) if axis not in axes])
    sizes = tuple([1 if axis in axes else size for axis, size in enumerate(shape)])
    return broadcast_in_dim_p.bind(
        out, shape=sizes, broadcast_dimensions=kept, sharding=None
    )


# --- the common part ------------------------------------------------------------------


class Reduction:
    """What distinguishes one reduction from another.

    reduce: the primitive's function. combine: of an initial value and the result.
    identity: of a dtype, or None if there is none. widen: small integers become wide.
    upcast: 16-bit floats are summed in 32 bits.
    """

    def __init__(
        self,
        name: str,
        reduce: Callable[..., Any],
        combine: Callable[..., Any],
        identity: Callable[[Any], Any],
        *,
        has_identity: bool = True,
        widen: bool = False,
        upcast: bool = False,
    ) -> None:
        self.name, self.reduce, self.combine = name, reduce, combine
        self.identity, self.has_identity = identity, has_identity
        self.widen, self.upcast = widen, upcast

    def __call__(
        self,
        x: Any,
        axis: Any,
        *,
        dtype: Any = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = None,
        promote_integers: bool = True,
    ) -> Any:
        check_arrays(self.name, x)
        aval = typeof(x)
        axes = axes_of(x, axis)
        self._check(aval, axes, initial, where)
        result = self._result_dtype(aval, dtype, promote_integers)
        wide = self.upcast and dtype is None
        x = cast_to(x, _computing(result) if wide else result)
        if where is not None:
            x = choose(where, x, self.identity(typeof(x).dtype))
        out = self.reduce(x, axes)
        if initial is not None:
            initial = lax.convert_element_type(initial, typeof(out).dtype)
            out = self.combine(initial, out)
        if keepdims:
            out = keep_axes(out, axes, typeof(x).shape)
        return cast_to(out, result)

    def _check(self, aval: Any, axes: Any, initial: Any, where: Any) -> None:
        if initial is not None and typeof(initial).shape:
            raise ArgumentValueError(
                f"The initial value of {self.name} is a scalar.",
                f"Found shape {typeof(initial).shape}.",
            )
        if where is not None and typeof(where).dtype != dtypes.BOOL:
            raise ArgumentValueError(
                f"`where` of {self.name} is boolean.", f"Found {typeof(where)}."
            )
        if self.has_identity or initial is not None:
            return
        if where is not None:
            raise ArgumentValueError(
                f"{self.name} of masked elements needs an initial value.",
                "Found `where` without `initial`.",
            )
        if 0 in [aval.shape[axis] for axis in axes]:
            raise ArgumentValueError(
                f"{self.name} of no elements needs an initial value.",
                f"Found {aval}, reduced along {axes}.",
            )

    def _result_dtype(self, aval: Any, dtype: Any, promote: bool) -> Any:
        if dtype is not None:
            return dtypes.requested_dtype(dtype, self.name)
        return widened(aval.dtype) if self.widen and promote else aval.dtype


def widened(dtype: Any) -> Any:
    """The dtype of sums of integers and booleans: of the default width at least."""
    if dtype == dtypes.BOOL:
        return dtypes.default_int()
    if dtype in dtypes.INTEGERS:
        wide = dtypes.default_int()
        if dtypes.itemsize_bits(dtype) < dtypes.itemsize_bits(wide):
            if dtypes.itemsize_bits(dtype) < 8:
                raise ArgumentValueError(
                    "Integers of fewer than 8 bits have no wider sum.",
                    f"Found {dtype}.",
                )
            return np.dtype(f"u{wide.name}") if dtype in dtypes.UNSIGNED else wide
    return dtype


def _computing(dtype: Any) -> Any:
    if dtype in (np.float16, dtypes.bfloat16):
        return np.dtype(np.float32)
    return dtype


def _typed(value: Any) -> Callable[[Any], Any]:
    return lambda dtype: np.asarray(value).astype(dtype)[()]


def _lowest(dtype: Any) -> Any:
    if dtype in dtypes.INEXACT:
        return np.asarray(-np.inf).astype(dtype)[()]
    return (
        _typed(False)(dtype)
        if dtype == dtypes.BOOL
        else dtype.type(dtypes.iinfo(dtype).min)
    )


def _highest(dtype: Any) -> Any:
    if dtype in dtypes.INEXACT:
        return np.asarray(np.inf).astype(dtype)[()]
    return (
        _typed(True)(dtype)
        if dtype == dtypes.BOOL
        else dtype.type(dtypes.iinfo(dtype).max)
    )


def _multiply(x: Any, y: Any) -> Any:
    return lax.bitwise_and(x, y) if typeof(y).dtype == dtypes.BOOL else lax.mul(x, y)


def _add(x: Any, y: Any) -> Any:
    return lax.bitwise_or(x, y) if typeof(y).dtype == dtypes.BOOL else lax.add(x, y)


def _reduce_sum(x: Any, axes: Any) -> Any:
    reduce = lax.reduce_or if typeof(x).dtype == dtypes.BOOL else lax.reduce_sum
    return reduce(x, axes)


def _reduce_prod(x: Any, axes: Any) -> Any:
    reduce = lax.reduce_and if typeof(x).dtype == dtypes.BOOL else lax.reduce_prod
    return reduce(x, axes)


reduce_sum = Reduction("sum", _reduce_sum, _add, _typed(0), widen=True, upcast=True)
reduce_prod = Reduction(
    "prod", _reduce_prod, _multiply, _typed(1), widen=True, upcast=True
)
reduce_max = Reduction("max", lax.reduce_max, lax.max, _lowest, has_identity=False)
reduce_min = Reduction("min", lax.reduce_min, lax.min, _highest, has_identity=False)


# --- the functions --------------------------------------------------------------------

_STATIC = ("axis", "dtype", "keepdims", "promote_integers")


@eager_jit(static_argnames=_STATIC)
def _sum(
    a: Any,
    axis: Any,
    dtype: Any,
    keepdims: bool,
    initial: Any,
    where: Any,
    promote_integers: bool,
) -> Any:
    return reduce_sum(
        a, axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where,
        promote_integers=promote_integers,
    )  # fmt: skip


@eager_jit(static_argnames=_STATIC)
def _prod(
    a: Any,
    axis: Any,
    dtype: Any,
    keepdims: bool,
    initial: Any,
    where: Any,
    promote_integers: bool,
) -> Any:
    return reduce_prod(
        a, axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where,
        promote_integers=promote_integers,
    )  # fmt: skip


@eager_jit(static_argnames=("axis", "keepdims"))
def _max(a: Any, axis: Any, keepdims: bool, initial: Any, where: Any) -> Any:
    return reduce_max(a, axis, keepdims=keepdims, initial=initial, where=where)


@eager_jit(static_argnames=("axis", "keepdims"))
def _min(a: Any, axis: Any, keepdims: bool, initial: Any, where: Any) -> Any:
    return reduce_min(a, axis, keepdims=keepdims, initial=initial, where=where)


def sum(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
    promote_integers: bool = True,
) -> Array:
    """The sum along axes, or of all elements: T[*s] -> T[*s without axes].

    Small integers and booleans are summed as default integers unless a dtype is given
    or `promote_integers` is false. where: which elements count.

    >>> import minijax.numpy as jnp
    >>> print(jnp.sum(jnp.arange(4)))
    6

    Raises:
      ValueError: an axis that is not there or listed twice; a mask that is not boolean.
    """
    refuse("sum", out=out)
    axis = static_axis(axis)
    return _sum(a, axis, dtype, bool(keepdims), initial, where, promote_integers)


def prod(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
    promote_integers: bool = True,
) -> Array:
    """The product along axes, or of all elements; dtypes as in `sum`.

    >>> import minijax.numpy as jnp
    >>> print(jnp.prod(jnp.array([2, 3, 4])))
    24
    """
    refuse("prod", out=out)
    axis = static_axis(axis)
    return _prod(a, axis, dtype, bool(keepdims), initial, where, promote_integers)


def max(
    a: ArrayLike,
    axis: Axis = None,
    out: None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """The largest element along axes; NaN if there is one.

    >>> import minijax.numpy as jnp
    >>> print(jnp.max(jnp.arange(4)))
    3

    Raises:
      ValueError: no elements, or a mask, without an initial value.
    """
    refuse("max", out=out)
    return _max(a, static_axis(axis), bool(keepdims), initial, where)


def min(
    a: ArrayLike,
    axis: Axis = None,
    out: None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """The smallest element along axes; NaN if there is one.

    >>> import minijax.numpy as jnp
    >>> print(jnp.min(jnp.arange(4)))
    0

    Raises:
      ValueError: no elements, or a mask, without an initial value.
    """
    refuse("min", out=out)
    return _min(a, static_axis(axis), bool(keepdims), initial, where)


def minmax(
    a: ArrayLike,
    axis: Axis = None,
    *,
    keepdims: bool = False,
    initial: Any = None,
    where: ArrayLike | None = None,
) -> tuple[Array, Array]:
    """The smallest and the largest element along axes. `initial` may be a pair.

    >>> import minijax.numpy as jnp
    >>> print(*jnp.minmax(jnp.arange(4)))
    0 3
    """
    low, high = initial if isinstance(initial, tuple | list) else (initial, initial)
    return (
        min(a, axis, None, keepdims, low, where),
        max(a, axis, None, keepdims, high, where),
    )


def _booleans(x: Any) -> Any:
    check_arrays("any", x)
    aval = typeof(x)
    if aval.dtype in dtypes.COMPLEXES:
        x = lax.real(x)  # the imaginary part is not asked
    return cast_to(x, dtypes.BOOL)


@eager_jit(static_argnames=("axis", "keepdims", "is_all"))
def _truth(a: Any, axis: Any, keepdims: bool, where: Any, is_all: bool) -> Any:
    x, axes = _booleans(a), axes_of(a, axis)
    if where is not None:
        if typeof(where).dtype != dtypes.BOOL:
            raise ArgumentValueError("`where` is boolean.", f"Found {typeof(where)}.")
        x = choose(where, x, np.bool_(is_all))
    out = lax.reduce_and(x, axes) if is_all else lax.reduce_or(x, axes)
    return keep_axes(out, axes, typeof(x).shape) if keepdims else out


def all(
    a: ArrayLike,
    axis: Axis = None,
    out: None = None,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = None,
) -> Array:
    """Whether all elements along axes differ from zero: T[*s] -> bool[*s without axes].

    >>> import minijax.numpy as jnp
    >>> print(jnp.all(jnp.arange(4)))
    False
    """
    refuse("all", out=out)
    return _truth(a, static_axis(axis), bool(keepdims), where, True)


def any(
    a: ArrayLike,
    axis: Axis = None,
    out: None = None,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = None,
) -> Array:
    """Whether an element along axes differs from zero: T[*s] -> bool[*s without axes].

    >>> import minijax.numpy as jnp
    >>> print(jnp.any(jnp.arange(4)))
    True
    """
    refuse("any", out=out)
    return _truth(a, static_axis(axis), bool(keepdims), where, False)


@eager_jit(static_argnames=("axis", "keepdims"))
def count_nonzero(a: ArrayLike, axis: Axis = None, keepdims: bool = False) -> Array:
    """How many elements along axes differ from zero: T[*s] -> i32[*s without axes].

    >>> import minijax.numpy as jnp
    >>> print(jnp.count_nonzero(jnp.arange(4)))
    3
    """
    check_arrays("count_nonzero", a)
    counted = lax.ne(a, constant_like(a, 0))
    return reduce_sum(counted, axis, dtype=dtypes.default_int(), keepdims=keepdims)


def ptp(
    a: ArrayLike, axis: Axis = None, out: None = None, keepdims: bool = False
) -> Array:
    """The largest minus the smallest element. Raises: TypeError for booleans.

    >>> import minijax.numpy as jnp
    >>> print(jnp.ptp(jnp.array([2, 7, 3])))
    5
    """
    refuse("ptp", out=out)
    return _ptp(a, static_axis(axis), bool(keepdims))


@eager_jit(static_argnums=(1, 2))
def _ptp(a: Any, axis: Any, keepdims: bool) -> Any:
    return lax.sub(
        reduce_max(a, axis, keepdims=keepdims), reduce_min(a, axis, keepdims=keepdims)
    )


# --- places of extremes ---------------------------------------------------------------


def argmax(
    a: ArrayLike,
    axis: int | None = None,
    out: None = None,
    keepdims: bool | None = None,
) -> Array:
    """The place of the first largest element along an axis, NaN being the largest.

    >>> import minijax.numpy as jnp
    >>> print(jnp.argmax(jnp.array([2, 7, 3])))
    1

    Raises:
      ValueError: no elements.
    """
    refuse("argmax", out=out)
    return _place(a, static_axis(axis), bool(keepdims), "argmax")


def argmin(
    a: ArrayLike,
    axis: int | None = None,
    out: None = None,
    keepdims: bool | None = None,
) -> Array:
    """The place of the first smallest element along an axis, NaN being the smallest.

    >>> import minijax.numpy as jnp
    >>> print(jnp.argmin(jnp.array([2, 7, 3])))
    0

    Raises:
      ValueError: no elements.
    """
    refuse("argmin", out=out)
    return _place(a, static_axis(axis), bool(keepdims), "argmin")


@eager_jit(static_argnums=(1, 2, 3))
def _place(a: Any, axis: int | None, keepdims: bool, function: str) -> Any:
    check_arrays(function, a)
    return place_of_extreme(a, axis, keepdims, function)


def place_of_extreme(a: Any, axis: Any, keepdims: bool, function: str) -> Any:
    """argmax or argmin of a traced array."""
    shape, rank = typeof(a).shape, typeof(a).ndim
    if axis is None:
        a, chosen = lax.reshape(as_is(a), (typeof(a).size,)), 0
    else:
        chosen = axis + rank if axis < 0 else axis
        if not 0 <= chosen < rank:
            raise IndexError(f"axis {axis} is asked of an array of {rank} axes")
    if typeof(a).shape[chosen] == 0:
        raise ArgumentValueError(
            f"{function} of no elements has no answer.", f"Found {typeof(a)}."
        )
    place = lax.argmax if function == "argmax" else lax.argmin
    out = place(a, chosen, dtypes.default_int())
    if not keepdims:
        return out
    return keep_axes(out, range(rank) if axis is None else (chosen,), shape)


__all__ = [
    "all",
    "any",
    "argmax",
    "argmin",
    "count_nonzero",
    "max",
    "min",
    "minmax",
    "prod",
    "ptp",
    "sum",
    "two",
]
