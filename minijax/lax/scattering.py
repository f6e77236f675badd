"""scatter and its kin: putting windows into an array at computed places.

They differ in how an old and a new element are combined; `update_jaxpr` says it as a
program (None: the new one). Where windows overlap, all of them count: sums, products
and extrema do not depend on the order, plain `scatter` leaves it open who wins.

What all of them answer alike is in `scatter_rules.py`.

Source: spec/primitives.md §7, spec/ad.md §4.2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.errors import NotSupportedError
from ..core import (
    NOT_LINEAR,
    Primitive,
    canonical_shape,
    reshape_p,
    select_n_p,
    typeof,
)
from ..interpreters import ad, batching
from .arithmetic import add, div, mul, neg
from .comparisons import eq
from .definition import define
from .generation import fill, fill_like, iota, scalar_like
from .indexing import (
    GatherScatterMode,
    ModeLike,
    ScatterDimensionNumbers,
    canonical_numbers,
    scatter_add_p,
)
from .scatter_rules import scatter_batch, scatter_lower, scatter_type, windows_at
from .updates import applied_program, update_program
from .words import over_words

if TYPE_CHECKING:
    from .typing import Array, ArrayLike

__all__ = [
    "scatter",
    "scatter_add",
    "scatter_apply",
    "scatter_max",
    "scatter_max_p",
    "scatter_min",
    "scatter_min_p",
    "scatter_mul",
    "scatter_mul_p",
    "scatter_p",
    "scatter_sub",
    "scatter_sub_p",
]

type Indices = ArrayLike
type Numbers = ScatterDimensionNumbers

scatter_p = Primitive("scatter")
scatter_sub_p = Primitive("scatter-sub")
scatter_mul_p = Primitive("scatter-mul")
scatter_min_p = Primitive("scatter-min")
scatter_max_p = Primitive("scatter-max")


# --- the public functions -------------------------------------------------------------


def scatter(
    operand: ArrayLike,
    scatter_indices: Indices,
    updates: ArrayLike,
    dimension_numbers: Numbers,
    *,
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    mode: ModeLike = None,
) -> Array:
    """Replace windows at computed places: T[*s], i[*b, n], T[*b and windows] -> T[*s].

    dimension_numbers: what the axes mean. indices_are_sorted, unique_indices: promises;
    the latter also makes derivatives cheaper. mode: what to do with windows that stick
    out; by default they are left out.

    >>> import minijax as mj, numpy as np
    >>> rows = mj.lax.ScatterDimensionNumbers((), (0,), (0,))
    >>> x, new = np.zeros(3), np.ones(1)
    >>> mj.lax.scatter(x, np.array([[2]]), new, rows)
    Array([0., 0., 1.], dtype=float32)

    Raises:
      TypeError: dtypes, dimension numbers or shapes do not fit.
      ValueError: indices are no integers, or the mode is unknown.
    """
    return scatter_p.bind(
        operand,
        scatter_indices,
        updates,
        dimension_numbers=canonical_numbers(dimension_numbers),
        indices_are_sorted=bool(indices_are_sorted),
        unique_indices=bool(unique_indices),
        mode=GatherScatterMode.from_any(mode),
        update_jaxpr=None,
        update_consts=(),
    )


def _combining(
    primitive: Primitive, combination: str, words: str
) -> Callable[..., Any]:
    def scatter_combined(
        operand: ArrayLike,
        scatter_indices: Indices,
        updates: ArrayLike,
        dimension_numbers: Numbers,
        *,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
        mode: ModeLike = None,
    ) -> Array:
        return primitive.bind(
            operand,
            scatter_indices,
            updates,
            dimension_numbers=canonical_numbers(dimension_numbers),
            indices_are_sorted=bool(indices_are_sorted),
            unique_indices=bool(unique_indices),
            mode=GatherScatterMode.from_any(mode),
            update_jaxpr=update_program(combination, typeof(operand).dtype),
            update_consts=(),
        )

    name = f"scatter_{combination}"
    scatter_combined.__name__ = scatter_combined.__qualname__ = name
    scatter_combined.__doc__ = f"""{words} T[*s], i[*b, n], T[*b and windows] -> T[*s].

    Arguments and errors as in `scatter`. Windows that overlap all count.

    >>> import minijax as mj, numpy as np
    >>> places = mj.lax.ScatterDimensionNumbers((), (0,), (0,))
    >>> x, new = np.ones(3), np.array([2.0])
    >>> mj.lax.{name}(x, np.array([[2]]), new, places).shape
    (3,)
    """
    return scatter_combined


scatter_add = _combining(scatter_add_p, "add", "Add windows at computed places:")
scatter_sub = _combining(scatter_sub_p, "sub", "Subtract windows at computed places:")
scatter_mul = _combining(
    scatter_mul_p, "mul", "Multiply by windows at computed places:"
)
scatter_min = _combining(
    scatter_min_p, "min", "Take the minimum with windows at computed places:"
)
scatter_max = _combining(
    scatter_max_p, "max", "Take the maximum with windows at computed places:"
)


def scatter_apply(
    operand: ArrayLike,
    scatter_indices: Indices,
    func: Callable[[Any], Any],
    dimension_numbers: Numbers,
    *,
    update_shape: Sequence[int] = (),
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    mode: ModeLike = None,
) -> Array:
    """Apply a function to the elements of windows at computed places.

    func: T[] -> T[], of the old element alone. update_shape: the shape that updates
    would have. Where windows overlap it is applied several times. Not differentiable.

    >>> import minijax as mj, numpy as np
    >>> places = mj.lax.ScatterDimensionNumbers((), (0,), (0,))
    >>> x, at = np.ones(3), np.array([[2]])
    >>> mj.lax.scatter_apply(x, at, mj.lax.neg, places, update_shape=(1,))
    Array([ 1.,  1., -1.], dtype=float32)

    Raises:
      NotImplementedError: `func` uses a traced value of its surroundings.
      TypeError: dimension numbers or shapes do not fit.
      ValueError: indices are no integers, or the mode is unknown.
    """
    dtype = typeof(operand).dtype
    return scatter_p.bind(
        operand,
        scatter_indices,
        fill(dtype.type(0), canonical_shape(update_shape)),
        dimension_numbers=canonical_numbers(dimension_numbers),
        indices_are_sorted=bool(indices_are_sorted),
        unique_indices=bool(unique_indices),
        mode=GatherScatterMode.from_any(mode),
        update_jaxpr=applied_program(func, dtype),
        update_consts=(),
    )


# --- derivatives of scatter -----------------------------------------------------------


def _scatter_jvp(
    primals: Any, tangents: Any, *, update_jaxpr: Any, **params: Any
) -> tuple[Any, Any]:
    if update_jaxpr is not None:
        raise NotSupportedError(
            "A scatter that applies a function is to be differentiated.",
            "Found scatter_apply.",
            "Gather the elements, apply the function, and scatter the results.",
        )
    x, indices, updates = primals
    if all(type(x_dot) is ad.Zero for x_dot in tangents):
        out = scatter_p.bind(x, indices, updates, update_jaxpr=None, **params)
        return out, ad.Zero.from_primal(out)
    x_dot = ad.instantiate_zeros(tangents[0])
    updates_dot = ad.instantiate_zeros(tangents[2])
    if params["unique_indices"]:
        out = scatter_p.bind(x, indices, updates, update_jaxpr=None, **params)
        out_dot = scatter_p.bind(
            x_dot, indices, updates_dot, update_jaxpr=None, **params
        )
        return out, out_dot
    return _scatter_with_winners(x, indices, updates, x_dot, updates_dot, params)


def _scatter_with_winners(
    x: Any, indices: Any, updates: Any, x_dot: Any, updates_dot: Any, params: Any
) -> tuple[Any, Any]:
    """scatter and its tangent where several updates may claim one element.

    Who wins is open, but the tangent must follow the same winner. So the updates are
    numbered from 1, the numbers are scattered, and whoever finds its own number at its
    place has won. With the losers and what was overwritten set to zero, both results
    are sums, in which every element has at most one term.
    """
    numbers = params["dimension_numbers"]
    ids = _update_ids(typeof(updates).shape, numbers)
    winners = scatter_p.bind(
        fill(ids.dtype.type(0), typeof(x).shape),
        indices,
        ids,
        update_jaxpr=None,
        **params,
    )
    found = windows_at(
        winners,
        indices,
        typeof(updates).shape,
        numbers,
        GatherScatterMode.PROMISE_IN_BOUNDS,
    )

    def masked(old: Any, new: Any) -> tuple[Any, Any]:
        untouched = eq(winners, fill_like(winners, 0))
        old = select_n_p.bind(untouched, fill_like(old, 0), old)
        return old, select_n_p.bind(eq(ids, found), fill_like(new, 0), new)

    x, updates = masked(x, updates)
    x_dot, updates_dot = masked(x_dot, updates_dot)
    program = update_program("add", typeof(x).dtype)
    out = scatter_add_p.bind(x, indices, updates, update_jaxpr=program, **params)
    out_dot = scatter_add_p.bind(
        x_dot, indices, updates_dot, update_jaxpr=program, **params
    )
    return out, out_dot


def _update_ids(shape: Sequence[int], numbers: ScatterDimensionNumbers) -> Any:
    """u[*shape]: a number from 1 per window, the same in all its elements."""
    windows = numbers.update_window_dims
    places = tuple(1 if axis in windows else n for axis, n in enumerate(shape))
    count = int(np.prod(places, dtype=np.int64))
    dtype = np.dtype(np.uint32 if count < 2**32 else np.uint64)
    ids = reshape_p.bind(
        iota(dtype, count), new_sizes=places, dimensions=None, sharding=None
    )
    return add(ids, fill(dtype.type(1), tuple(shape)))


def _scatter_transpose(
    y_bar: Any, x: Any, indices: Any, updates: Any, **params: Any
) -> list[Any]:
    if not params["unique_indices"]:
        raise NotSupportedError(
            "A scatter is linear in its updates only if no two claim one element.",
            "Found `unique_indices=False`.",
            "Promise it with `unique_indices=True`, or use scatter_add.",
        )
    x_bar = updates_bar = None
    updates_aval = _aval_of(updates)
    if ad.is_undefined_primal(x):  # what was overwritten has no influence
        zeros = ad.zeros_of(updates_aval)
        x_bar = scatter_p.bind(y_bar, indices, zeros, **params)
    if ad.is_undefined_primal(updates):
        updates_bar = _updates_bar(y_bar, indices, updates_aval, params)
    return [x_bar, None, updates_bar]


def _aval_of(x: Any) -> Any:
    return x.aval if ad.is_undefined_primal(x) else typeof(x)


def _updates_bar(y_bar: Any, indices: Any, aval: Any, params: Any) -> Any:
    """What arrives where the updates went; nothing for those that were left out."""
    numbers, mode = params["dimension_numbers"], params["mode"]
    return windows_at(y_bar, indices, aval.shape, numbers, mode, fill_value=0)


define(
    scatter_p,
    abstract_eval=scatter_type,
    jvp=_scatter_jvp,
    transpose=_scatter_transpose,
    batch=batching.with_axis(scatter_batch(scatter_p)),
    lower=over_words(scatter_lower),
)


# --- scatter-add and scatter-sub ------------------------------------------------------


def _linear_jvp(primitive: Primitive) -> Callable[..., tuple[Any, Any]]:
    """Linear in operand and updates together; the indices do not move."""

    def rule(primals: Any, tangents: Any, **params: Any) -> tuple[Any, Any]:
        out = primitive.bind(*primals, **params)
        x_dot, _, updates_dot = tangents
        if type(x_dot) is ad.Zero and type(updates_dot) is ad.Zero:
            return out, ad.Zero.from_primal(out)
        x_dot = ad.instantiate_zeros(x_dot)
        updates_dot = ad.instantiate_zeros(updates_dot)
        return out, primitive.bind(x_dot, primals[1], updates_dot, **params)

    return rule


def _linear_transpose(sign: Callable[[Any], Any]) -> Callable[..., list[Any]]:
    def rule(
        y_bar: Any, x: Any, indices: Any, updates: Any, **params: Any
    ) -> list[Any]:
        x_bar = y_bar if ad.is_undefined_primal(x) else None
        updates_bar = None
        if ad.is_undefined_primal(updates):
            updates_bar = sign(_updates_bar(y_bar, indices, updates.aval, params))
        return [x_bar, None, updates_bar]

    return rule


define(
    scatter_add_p,
    abstract_eval=scatter_type,
    jvp=_linear_jvp(scatter_add_p),
    transpose=_linear_transpose(lambda u_bar: u_bar),
    batch=batching.with_axis(scatter_batch(scatter_add_p)),
    lower=scatter_lower,
)

define(
    scatter_sub_p,
    abstract_eval=scatter_type,
    jvp=_linear_jvp(scatter_sub_p),
    transpose=_linear_transpose(neg),
    batch=batching.with_axis(scatter_batch(scatter_sub_p)),
    lower=scatter_lower,
)


# --- scatter-mul ----------------------------------------------------------------------


def _mul_by_x_dot(x_dot: Any, x: Any, indices: Any, updates: Any, **params: Any) -> Any:
    return scatter_mul_p.bind(x_dot, indices, updates, **params)


def _mul_by_updates_dot(
    updates_dot: Any, x: Any, indices: Any, updates: Any, **params: Any
) -> Any:
    _require_unique(params)
    aval = typeof(x)
    params = {**params, "update_jaxpr": update_program("add", aval.dtype)}
    spread = scatter_add_p.bind(fill_like(x, 0), indices, updates_dot, **params)
    return mul(x, spread)


def _require_unique(params: Any) -> None:
    if not params["unique_indices"]:
        raise NotSupportedError(
            "The derivative of scatter_mul in its updates needs the product of all the "
            "others that claim an element.",
            "Found `unique_indices=False`.",
            "Promise with `unique_indices=True` that there are no others.",
        )


def _scatter_mul_transpose(
    y_bar: Any, x: Any, indices: Any, updates: Any, **params: Any
) -> list[Any]:
    if ad.is_undefined_primal(x):
        return [scatter_mul_p.bind(y_bar, indices, updates, **params), None, None]
    _require_unique(params)
    return [None, None, _updates_bar(mul(y_bar, x), indices, updates.aval, params)]


define(
    scatter_mul_p,
    abstract_eval=scatter_type,
    jvp=ad.partials(scatter_mul_p, _mul_by_x_dot, None, _mul_by_updates_dot),
    transpose=_scatter_mul_transpose,
    batch=batching.with_axis(scatter_batch(scatter_mul_p)),
    lower=scatter_lower,
)


# --- scatter-min and scatter-max ------------------------------------------------------


def _extremal_jvp(primitive: Primitive) -> Callable[..., tuple[Any, Any]]:
    """All that reach the extremum share its tangent: the updates, and the old element.

    With n the number of updates that reach it, and m = n + 1 or n as the old element
    does or does not, the tangent is (Σ updates_dot over those + x_dot if it does) / m.
    It is added to x_dot, so the old element's part is corrected by -1, once per
    element: every update that claims it brings its share of the correction.
    """

    def rule(
        primals: Any, tangents: Any, *, update_jaxpr: Any, **params: Any
    ) -> tuple[Any, Any]:
        x, indices, updates = primals
        out = primitive.bind(*primals, update_jaxpr=update_jaxpr, **params)
        if all(type(x_dot) is ad.Zero for x_dot in tangents):
            return out, ad.Zero.from_primal(out)
        x_dot = ad.instantiate_zeros(tangents[0])
        updates_dot = ad.instantiate_zeros(tangents[2])
        adds = {**params, "update_jaxpr": update_program("add", typeof(x).dtype)}

        def gathered(value: Any) -> Any:
            return windows_at(
                value, indices, typeof(updates).shape, params["dimension_numbers"],
                params["mode"],
            )  # fmt: skip

        def counted(choose: Callable[[Any], Any]) -> Any:
            """How many of the updates that claim an element are chosen."""
            zeros = fill_like(x, 0)
            chosen = choose(fill_like(updates, 1))
            return gathered(scatter_add_p.bind(zeros, indices, chosen, **adds))

        old, extremum = gathered(x), gathered(out)
        reaches, old_reaches = eq(updates, extremum), eq(old, extremum)
        winners = counted(lambda u: select_n_p.bind(reaches, fill_like(u, 0), u))
        claims = counted(lambda u: u)
        one = scalar_like(updates, 1)
        shared = div(one, add(winners, one))
        share = select_n_p.bind(old_reaches, div(one, winners), shared)
        share = select_n_p.bind(reaches, fill_like(share, 0), share)
        kept = div(one, add(winners, one))
        kept = select_n_p.bind(old_reaches, fill_like(kept, 0), kept)
        correction = div(add(scalar_like(updates, -1), kept), claims)
        moved = add(mul(gathered(x_dot), correction), mul(updates_dot, share))
        return out, scatter_add_p.bind(x_dot, indices, moved, **adds)

    return rule


for _primitive in (scatter_min_p, scatter_max_p):
    define(
        _primitive,
        abstract_eval=scatter_type,
        jvp=_extremal_jvp(_primitive),
        transpose=NOT_LINEAR,
        batch=batching.with_axis(scatter_batch(_primitive)),
        lower=scatter_lower,
    )
