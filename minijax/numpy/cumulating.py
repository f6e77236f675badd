"""Running sums and products, and differences of neighbours.

Source: spec/numpy.md §10.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lax
from ..base import dtypes
from ..base.errors import ArgumentTypeError, ArgumentValueError, NotSupportedError
from ..base.util import canonicalize_axes, canonicalize_axis
from ..core import typeof
from ..transforms import eager_jit
from .arithmetic import multiply, stretch, subtract
from .getting import getitem
from .joining import concatenate
from .promotion import as_is, cast_to, check_arrays, constant_like, inexact, refuse
from .reductions import reduce_sum, static_axis, widened
from .selecting import where as choose

if TYPE_CHECKING:
    from ..runtime import Array
    from .promotion import ArrayLike, DTypeLike


def _running(
    function: str, a: Any, axis: Any, dtype: Any, run: Any, *, nan_as: Any = None
) -> Any:
    check_arrays(function, a)
    wanted = None if dtype is None else dtypes.requested_dtype(dtype, function)
    aval = typeof(a)
    if nan_as is not None and aval.dtype in dtypes.INEXACT:
        a = choose(lax.ne(a, a), constant_like(a, nan_as), a)
    if axis is None or not aval.shape:
        a, axis = lax.reshape(as_is(a), (aval.size,)), 0
    axis = canonicalize_axis(axis, typeof(a).ndim)
    if wanted is None and aval.dtype == dtypes.BOOL:
        wanted = dtypes.default_int()
    if wanted == dtypes.BOOL:
        counted = run(cast_to(a, dtypes.default_int()), axis)
        return lax.ne(counted, constant_like(counted, 0))
    return run(cast_to(a, aval.dtype if wanted is None else wanted), axis)


def cumsum(
    a: ArrayLike,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    out: None = None,
) -> Array:
    """Running sums along an axis, or of the flattened array; small integers stay.

    >>> import minijax.numpy as jnp
    >>> print(jnp.cumsum(jnp.arange(4)))
    [0 1 3 6]
    """
    refuse("cumsum", out=out)
    return _cumsum(a, static_axis(axis), dtype)


@eager_jit(static_argnums=(1, 2))
def _cumsum(a: Any, axis: Any, dtype: Any) -> Any:
    return _running("cumsum", a, axis, dtype, lax.cumsum)


def cumprod(
    a: ArrayLike,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    out: None = None,
) -> Array:
    """Running products along an axis, or of the flattened array.

    >>> import minijax.numpy as jnp
    >>> print(jnp.cumprod(jnp.array([1, 2, 3])))
    [1 2 6]
    """
    refuse("cumprod", out=out)
    return _cumprod(a, static_axis(axis), dtype)


@eager_jit(static_argnums=(1, 2))
def _cumprod(a: Any, axis: Any, dtype: Any) -> Any:
    return _running("cumprod", a, axis, dtype, lax.cumprod)


def nancumsum(
    a: ArrayLike,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    out: None = None,
) -> Array:
    """Running sums in which NaN counts as 0.

    >>> import minijax.numpy as jnp
    >>> print(jnp.nancumsum(jnp.array([1.0, jnp.nan, 2.0])))
    [1. 1. 3.]
    """
    refuse("nancumsum", out=out)
    return _nan_running(a, static_axis(axis), dtype, "nancumsum")


def nancumprod(
    a: ArrayLike,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    out: None = None,
) -> Array:
    """Running products in which NaN counts as 1.

    >>> import minijax.numpy as jnp
    >>> print(jnp.nancumprod(jnp.array([2.0, jnp.nan, 3.0])))
    [2. 2. 6.]
    """
    refuse("nancumprod", out=out)
    return _nan_running(a, static_axis(axis), dtype, "nancumprod")


@eager_jit(static_argnums=(1, 2, 3))
def _nan_running(a: Any, axis: Any, dtype: Any, function: str) -> Any:
    if function == "nancumsum":
        return _running(function, a, axis, dtype, lax.cumsum, nan_as=0)
    return _running(function, a, axis, dtype, lax.cumprod, nan_as=1)


def cumulative_sum(
    x: ArrayLike,
    /,
    *,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    include_initial: bool = False,
) -> Array:
    """Running sums along an axis, in the dtype of `sum`; optionally from zero on.

    >>> import minijax.numpy as jnp
    >>> print(jnp.cumulative_sum(jnp.array([1, 2]), include_initial=True))
    [0 1 3]

    Raises:
      ValueError: no axis for an array of several; a scalar.
    """
    axis = static_axis(axis)
    return _cumulative(x, axis, dtype, bool(include_initial), "cumulative_sum")


def cumulative_prod(
    x: ArrayLike,
    /,
    *,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    include_initial: bool = False,
) -> Array:
    """Running products along an axis; optionally from one on.

    >>> import minijax.numpy as jnp
    >>> print(jnp.cumulative_prod(jnp.array([2, 3])))
    [2 6]
    """
    axis = static_axis(axis)
    return _cumulative(x, axis, dtype, bool(include_initial), "cumulative_prod")


@eager_jit(static_argnums=(1, 2, 3, 4))
def _cumulative(x: Any, axis: Any, dtype: Any, initial: bool, function: str) -> Any:
    check_arrays(function, x)
    shape = typeof(x).shape
    if not shape or (axis is None and len(shape) > 1):
        raise ArgumentValueError(
            f"{function} needs an axis to go along.",
            f"Found {typeof(x)} and axis {axis}.",
        )
    axis = canonicalize_axis(axis or 0, len(shape))
    is_sum = function == "cumulative_sum"
    if is_sum and dtype is None:
        dtype = widened(typeof(x).dtype)
    out = _running(function, x, axis, dtype, lax.cumsum if is_sum else lax.cumprod)
    if not initial:
        return out
    sizes = [1 if i == axis else n for i, n in enumerate(typeof(out).shape)]
    first = stretch(constant_like(out, 0 if is_sum else 1), tuple(sizes))
    return lax.concatenate([first, out], axis)


# --- differences ----------------------------------------------------------------------


def diff(
    a: ArrayLike,
    n: int = 1,
    axis: int = -1,
    prepend: ArrayLike | None = None,
    append: ArrayLike | None = None,
) -> Array:
    """Differences of neighbours along an axis, n times over.

    prepend, append: elements to put before and after. Booleans differ or not.

    >>> import minijax.numpy as jnp
    >>> print(jnp.diff(jnp.array([1, 4, 9])))
    [3 5]

    Raises:
      ValueError: a scalar, or n below 0.
    """
    return _diff(a, operator.index(n), static_axis(axis), prepend, append)


@eager_jit(static_argnums=(1, 2))
def _diff(a: Any, n: int, axis: int, prepend: Any, append: Any) -> Any:
    check_arrays("diff", a)
    if not typeof(a).shape:
        raise ArgumentValueError("diff takes an array with axes.", "Found a scalar.")
    if n < 0:
        raise ArgumentValueError("diff is done n >= 0 times.", f"Found {n}.")
    axis = canonicalize_axis(axis, typeof(a).ndim)
    x = _between(a, axis, prepend, append)
    for _ in range(n):
        size = typeof(x).shape[axis]
        if not size:
            break
        later = lax.slice_in_dim(x, 1, size, 1, axis)
        earlier = lax.slice_in_dim(x, 0, size - 1, 1, axis)
        is_bool = typeof(x).dtype == dtypes.BOOL
        x = lax.ne(later, earlier) if is_bool else lax.sub(later, earlier)
    return as_is(x)


def _between(x: Any, axis: int, prepend: Any, append: Any) -> Any:
    shape = typeof(x).shape

    def edge(values: Any) -> Any:
        if typeof(values).shape:
            return values
        return stretch(values, (*shape[:axis], 1, *shape[axis + 1 :]))

    parts = [x]
    if prepend is not None:
        parts.insert(0, edge(prepend))
    if append is not None:
        parts.append(edge(append))
    return concatenate(parts, axis) if len(parts) > 1 else x


@eager_jit
def ediff1d(
    ary: ArrayLike, to_end: ArrayLike | None = None, to_begin: ArrayLike | None = None
) -> Array:
    """Differences of neighbours of the flattened array, with elements around them.

    >>> import minijax.numpy as jnp
    >>> print(jnp.ediff1d(jnp.array([1, 4, 9])))
    [3 5]
    """
    check_arrays("ediff1d", ary)
    flat = lax.reshape(as_is(ary), (typeof(ary).size,))
    size = typeof(flat).size
    parts = [
        lax.sub(lax.slice(flat, (1,), (size,)), lax.slice(flat, (0,), (size - 1,)))
    ]
    for extra, place in ((to_begin, 0), (to_end, len(parts) + 1)):
        if extra is not None:
            values = cast_to(extra, typeof(flat).dtype)
            parts.insert(place, lax.reshape(values, (typeof(values).size,)))
    return parts[0] if len(parts) == 1 else lax.concatenate(parts, 0)


def gradient(
    f: ArrayLike, *varargs: ArrayLike, axis: Any = None, edge_order: int | None = None
) -> Any:
    """Central differences inside, one-sided ones at the ends; in floats.

    varargs: the distances, one for all axes or one per axis, or coordinates. A list
    for several axes.

    >>> import minijax.numpy as jnp
    >>> print(jnp.gradient(jnp.array([1.0, 2.0, 4.0])))
    [1.  1.5 2. ]

    Raises:
      ValueError: an axis of fewer than two elements.
      NotImplementedError: `edge_order`.
    """
    if edge_order is not None:
        raise NotSupportedError(
            "gradient takes one-sided differences at the ends.", "Found an edge_order."
        )
    return _gradient(f, varargs, static_axis(axis))


@eager_jit(static_argnums=2)
def _gradient(f: Any, spacings: Any, axis: Any) -> Any:
    check_arrays("gradient", f, *spacings)
    x = inexact("gradient", f)
    rank = typeof(x).ndim
    axes = tuple(range(rank)) if axis is None else canonicalize_axes(axis, rank)
    if not spacings:
        spacings = (constant_like(x, 1),) * len(axes)
    elif len(spacings) == 1:
        spacings = tuple(spacings) * len(axes)
    elif len(spacings) != len(axes):
        raise ArgumentTypeError(
            "gradient takes one distance, or one per axis.",
            f"Found {len(spacings)} for {len(axes)} axes.",
        )
    if any(typeof(x).shape[a] < 2 for a in axes):
        raise ArgumentValueError(
            "gradient needs two elements along each axis.", f"Found {typeof(x)}."
        )
    out = [_slopes(x, cast_to(h, typeof(x).dtype), a) for h, a in zip(spacings, axes)]
    return out[0] if len(out) == 1 else out


def _slopes(x: Any, h: Any, axis: int) -> Any:
    size = typeof(x).shape[axis]

    def part(start: int, stop: int) -> Any:
        return lax.slice_in_dim(x, start, stop, 1, axis)

    if typeof(h).shape:
        return _uneven_slopes(part, h, size, axis, typeof(x).ndim)
    first = lax.sub(part(1, 2), part(0, 1))
    last = lax.sub(part(size - 1, size), part(size - 2, size - 1))
    parts = [first, last]
    if size > 2:
        wide = lax.sub(part(2, size), part(0, size - 2))
        parts.insert(1, lax.mul(wide, constant_like(wide, 0.5)))
    return lax.concatenate([lax.div(p, h) for p in parts], axis)


def _uneven_slopes(part: Any, places: Any, size: int, axis: int, rank: int) -> Any:
    steps = lax.sub(
        lax.slice(places, (1,), (size,)), lax.slice(places, (0,), (size - 1,))
    )

    def along(v: Any) -> Any:
        sizes = [typeof(v).size if i == axis else 1 for i in range(rank)]
        return lax.reshape(v, sizes)

    first = lax.div(lax.sub(part(1, 2), part(0, 1)), along(steps[0:1]))
    last = lax.div(
        lax.sub(part(size - 1, size), part(size - 2, size - 1)),
        along(steps[size - 2 : size - 1]),
    )
    left, right = along(steps[: size - 2]), along(steps[1:])
    # The parabola through three neighbours.
    both = lax.add(left, right)
    a = lax.neg(lax.div(right, lax.mul(left, both)))
    b = lax.div(lax.sub(right, left), lax.mul(left, right))
    c = lax.div(left, lax.mul(right, both))
    middle = lax.add(
        lax.add(lax.mul(a, part(0, size - 2)), lax.mul(b, part(1, size - 1))),
        lax.mul(c, part(2, size)),
    )
    return lax.concatenate([first, middle, last], axis)


@eager_jit(static_argnames="axis")
def trapezoid(
    y: ArrayLike, x: ArrayLike | None = None, dx: ArrayLike = 1.0, axis: int = -1
) -> Array:
    """The integral of y by the trapezoidal rule, at places x or at distances dx.

    >>> import minijax.numpy as jnp
    >>> print(jnp.trapezoid(jnp.array([0.0, 1.0, 4.0])))
    3.0
    """
    check_arrays("trapezoid", y)
    y = inexact("trapezoid", y)
    axis = canonicalize_axis(axis, typeof(y).ndim)
    order = [*(i for i in range(typeof(y).ndim) if i != axis), axis]
    y = lax.transpose(y, order)
    if x is None:
        ends = lax.add(getitem(y, (Ellipsis, 0)), getitem(y, (Ellipsis, -1)))
        inner = lax.sub(reduce_sum(y, -1), lax.mul(constant_like(ends, 0.5), ends))
        return multiply(dx, inner)
    if typeof(x).ndim > 1:
        x = lax.transpose(x, order)
    x = inexact("trapezoid", x)
    gaps = subtract(
        getitem(x, (Ellipsis, slice(1, None))), getitem(x, (Ellipsis, slice(-1)))
    )
    heights = lax.add(
        getitem(y, (Ellipsis, slice(1, None))), getitem(y, (Ellipsis, slice(-1)))
    )
    half = multiply(gaps, heights)
    return lax.mul(constant_like(half, 0.5), reduce_sum(half, -1))


@eager_jit(static_argnames="axis")
def unwrap(
    p: ArrayLike,
    discont: ArrayLike | None = None,
    axis: int = -1,
    period: ArrayLike = 2 * np.pi,
) -> Array:
    """Jumps of more than half a period taken out by adding multiples of the period.

    >>> import minijax.numpy as jnp
    >>> print(jnp.unwrap(jnp.array([0, 3, 6, 1]), period=8))
    [0 3 6 9]
    """
    check_arrays("unwrap", p)
    return _unwrap(p, discont, canonicalize_axis(axis, typeof(p).ndim), period)


def _unwrap(p: Any, discont: Any, axis: int, period: Any) -> Any:
    p, period, dtype = _with_period(p, period)
    whole = dtype in dtypes.INTEGERS
    two_ = constant_like(period, 2)
    half = lax.div(period, two_)
    odd = lax.rem(period, two_) if whole else None
    size = typeof(p).shape[axis]
    later = lax.slice_in_dim(p, 1, size, 1, axis)
    step = lax.sub(later, lax.slice_in_dim(p, 0, size - 1, 1, axis))
    low = lax.neg(half)
    shifted = lax.sub(step, low)
    rest = lax.rem(shifted, period)
    negative = lax.lt(rest, constant_like(rest, 0))
    turned = lax.add(choose(negative, lax.add(rest, period), rest), low)
    if odd is None:
        at_edge = lax.bitwise_and(
            lax.eq(turned, stretch(low, typeof(turned).shape)),
            lax.gt(step, constant_like(step, 0)),
        )
        turned = choose(at_edge, half, turned)
    limit = half if discont is None else discont
    correction = lax.sub(turned, step)
    small = lax.lt(*_pair(lax.abs(step), limit))
    correction = choose(small, constant_like(correction, 0), correction)
    first = lax.slice_in_dim(p, 0, 1, 1, axis)
    return lax.concatenate([first, lax.add(later, lax.cumsum(correction, axis))], axis)


def _pair(x: Any, y: Any) -> tuple[Any, Any]:
    return x, cast_to(y, typeof(x).dtype)


def _with_period(p: Any, period: Any) -> tuple[Any, Any, Any]:
    joined = dtypes.join_kinds(dtypes.kind_of(p), dtypes.kind_of(period))[0]
    if joined == dtypes.BOOL:
        joined = dtypes.default_int()
    return cast_to(p, joined), cast_to(period, joined), joined
