"""Reductions that leave NaN out.

Source: spec/numpy.md §9.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lax
from ..base import dtypes
from ..core import typeof
from ..transforms import eager_jit
from .promotion import as_is, cast_to, check_arrays, constant_like, inexact, refuse
from .reductions import (
    Reduction,
    axes_of,
    keep_axes,
    place_of_extreme,
    reduce_max,
    reduce_min,
    reduce_prod,
    reduce_sum,
    static_axis,
)
from .selecting import where as choose
from .statistics import mean, var

if TYPE_CHECKING:
    from ..runtime import Array
    from .promotion import ArrayLike, Axis, DTypeLike

_REDUCTIONS: dict[str, tuple[Reduction, float]] = {
    "nansum": (reduce_sum, 0.0),
    "nanprod": (reduce_prod, 1.0),
    "nanmax": (reduce_max, -np.inf),
    "nanmin": (reduce_min, np.inf),
}


@eager_jit(static_argnames=("function", "axis", "dtype", "keepdims"))
def _without_nan(
    a: Any,
    function: str,
    axis: Any,
    dtype: Any,
    keepdims: bool,
    initial: Any,
    where: Any,
) -> Any:
    check_arrays(function, a)
    reduction, identity = _REDUCTIONS[function]
    options = {"keepdims": keepdims, "initial": initial, "where": where}
    if dtype is not None:
        options["dtype"] = dtype
    if typeof(a).dtype not in dtypes.INEXACT:
        return reduction(a, axis, **options)
    bad = lax.ne(a, a)
    out = reduction(choose(bad, constant_like(a, identity), a), axis, **options)
    if function in ("nansum", "nanprod") or initial is not None:
        return out
    axes = axes_of(a, axis)
    only_bad = lax.reduce_and(bad, axes)
    if keepdims:
        only_bad = keep_axes(only_bad, axes, typeof(a).shape)
    return choose(only_bad, constant_like(out, np.nan), out)


def nansum(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """The sum of the elements that are not NaN.

    >>> import minijax.numpy as jnp
    >>> print(jnp.nansum(jnp.array([1.0, jnp.nan])))
    1.0
    """
    refuse("nansum", out=out)
    axis = static_axis(axis)
    return _without_nan(a, "nansum", axis, dtype, bool(keepdims), initial, where)


def nanprod(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """The product of the elements that are not NaN.

    >>> import minijax.numpy as jnp
    >>> print(jnp.nanprod(jnp.array([2.0, jnp.nan])))
    2.0
    """
    refuse("nanprod", out=out)
    axis = static_axis(axis)
    return _without_nan(a, "nanprod", axis, dtype, bool(keepdims), initial, where)


def nanmax(
    a: ArrayLike,
    axis: Axis = None,
    out: None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """The largest element that is not NaN; NaN if there is none.

    >>> import minijax.numpy as jnp
    >>> print(jnp.nanmax(jnp.array([1.0, jnp.nan])))
    1.0
    """
    refuse("nanmax", out=out)
    axis = static_axis(axis)
    return _without_nan(a, "nanmax", axis, None, bool(keepdims), initial, where)


def nanmin(
    a: ArrayLike,
    axis: Axis = None,
    out: None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """The smallest element that is not NaN; NaN if there is none.

    >>> import minijax.numpy as jnp
    >>> print(jnp.nanmin(jnp.array([1.0, jnp.nan])))
    1.0
    """
    refuse("nanmin", out=out)
    axis = static_axis(axis)
    return _without_nan(a, "nanmin", axis, None, bool(keepdims), initial, where)


def _not_nan(a: Any, where: Any) -> Any:
    good = lax.eq(a, a)
    return good if where is None else choose(where, good, np.bool_(False))


def nanmean(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: None = None,
    keepdims: bool = False,
    where: ArrayLike | None = None,
) -> Array:
    """The mean of the elements that are not NaN.

    >>> import minijax.numpy as jnp
    >>> print(jnp.nanmean(jnp.array([1.0, jnp.nan, 3.0])))
    2.0
    """
    refuse("nanmean", out=out)
    return _nanmean(a, static_axis(axis), dtype, bool(keepdims), where)


@eager_jit(static_argnums=(1, 2, 3))
def _nanmean(a: Any, axis: Any, dtype: Any, keepdims: bool, where: Any) -> Any:
    check_arrays("nanmean", a)
    if typeof(a).dtype not in dtypes.INEXACT:
        return mean(a, axis, dtype, None, keepdims, where=where)
    x, good = as_is(a), _not_nan(a, where)
    work = (
        typeof(x).dtype if dtype is None else dtypes.requested_dtype(dtype, "nanmean")
    )
    zeroed = choose(lax.ne(x, x), constant_like(x, 0), x)
    counted = lax.convert_element_type(good, dtypes.default_int())
    count = reduce_sum(counted, axis, dtype=work, keepdims=keepdims)
    total = reduce_sum(zeroed, axis, dtype=dtype, keepdims=keepdims, where=where)
    return lax.div(cast_to(total, work), count)


def nanvar(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: None = None,
    ddof: int = 0,
    keepdims: bool = False,
    where: ArrayLike | None = None,
    mean: ArrayLike | None = None,
) -> Array:
    """The variance of the elements that are not NaN.

    >>> import minijax.numpy as jnp
    >>> print(jnp.nanvar(jnp.array([1.0, jnp.nan, 3.0])))
    1.0
    """
    refuse("nanvar", out=out)
    axis = static_axis(axis)
    return _nanvar(a, axis, dtype, bool(keepdims), ddof, where, mean)


@eager_jit(static_argnums=(1, 2, 3))
def _nanvar(
    a: Any, axis: Any, dtype: Any, keepdims: bool, ddof: Any, where: Any, mean: Any
) -> Any:
    check_arrays("nanvar", a)
    x = inexact("nanvar", a)
    good = _not_nan(x, where)
    zeroed = choose(lax.ne(x, x), constant_like(x, 0), x)
    return var(zeroed, axis, dtype, None, ddof, keepdims, where=good, mean=mean)


def nanstd(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: None = None,
    ddof: int = 0,
    keepdims: bool = False,
    where: ArrayLike | None = None,
    mean: ArrayLike | None = None,
) -> Array:
    """The square root of `nanvar`.

    >>> import minijax.numpy as jnp
    >>> print(jnp.nanstd(jnp.array([1.0, jnp.nan, 3.0])))
    1.0
    """
    refuse("nanstd", out=out)
    axis = static_axis(axis)
    return lax.sqrt(_nanvar(a, axis, dtype, bool(keepdims), ddof, where, mean))


def nanargmax(
    a: ArrayLike,
    axis: int | None = None,
    out: None = None,
    keepdims: bool | None = None,
) -> Array:
    """The place of the largest element that is not NaN; -1 if there is none.

    >>> import minijax.numpy as jnp
    >>> print(jnp.nanargmax(jnp.array([1.0, jnp.nan, 3.0])))
    2
    """
    refuse("nanargmax", out=out)
    return _nan_place(a, static_axis(axis), bool(keepdims), "argmax")


def nanargmin(
    a: ArrayLike,
    axis: int | None = None,
    out: None = None,
    keepdims: bool | None = None,
) -> Array:
    """The place of the smallest element that is not NaN; -1 if there is none.

    >>> import minijax.numpy as jnp
    >>> print(jnp.nanargmin(jnp.array([2.0, jnp.nan, 1.0])))
    2
    """
    refuse("nanargmin", out=out)
    return _nan_place(a, static_axis(axis), bool(keepdims), "argmin")


@eager_jit(static_argnums=(1, 2, 3))
def _nan_place(a: Any, axis: Any, keepdims: bool, function: str) -> Any:
    check_arrays(f"nan{function}", a)
    if typeof(a).dtype not in dtypes.INEXACT:
        return place_of_extreme(as_is(a), axis, keepdims, function)
    bad = lax.ne(a, a)
    worst = constant_like(a, -np.inf if function == "argmax" else np.inf)
    out = place_of_extreme(choose(bad, worst, a), axis, keepdims, function)
    axes = axes_of(a, axis)
    only_bad = lax.reduce_and(bad, axes)
    if keepdims:
        only_bad = keep_axes(only_bad, axes, typeof(a).shape)
    return choose(only_bad, constant_like(out, -1), out)
