"""Choosing, element by element, between arrays: select_n and clamp.

Source: spec/control_flow.md §1.6, spec/ad.md §4.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, reduce
from typing import TYPE_CHECKING, Any

from .. import lowering
from ..base import dtypes
from ..base.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    DTypeNotAcceptedError,
    ShapeMismatchError,
)
from ..core import NOT_LINEAR, Primitive, ShapedArray, select_n_p, typeof
from ..interpreters import ad, batching
from .bits import bitwise_and
from .comparisons import eq, gt, lt
from .definition import define
from .generation import fill_like, scalar_like
from .result_types import in_shape, joint_type, require_one_dtype
from .shapes import broadcast_in_dim
from .typing import ANY, check_dtype

if TYPE_CHECKING:
    from .typing import Array, ArrayLike

__all__ = ["clamp", "clamp_p", "select", "select_n"]


# --- select_n -------------------------------------------------------------------------


def select_n(which: ArrayLike, *cases: ArrayLike) -> Array:
    """Element by element, the case that `which` numbers: bool or i, T[*s]… -> T[*s].

    which: a scalar or an array of the cases' shape. False is case 0, True case 1; an
    integer out of range means the first or last case.

    >>> import minijax as mj, numpy as np
    >>> print(mj.lax.select_n(np.array([0, 1]), np.array([1, 2]), np.array([3, 4])))
    [1 4]

    Raises:
      TypeError: `which` is no bool or integer, or shapes or dtypes of the cases differ.
      ValueError: there is no case.
    """
    if not cases:
        raise ArgumentValueError("select_n chooses among cases.", "Found none.")
    return select_n_p.bind(which, *cases)


def select(pred: ArrayLike, on_true: ArrayLike, on_false: ArrayLike) -> Array:
    """Element by element, one of two arrays: bool, T[*s], T[*s] -> T[*s].

    >>> import minijax as mj
    >>> print(mj.lax.select(True, 1.0, 2.0))
    1.0

    Raises:
      TypeError: `pred` is no bool, or shapes or dtypes differ.
    """
    return select_n_p.bind(pred, on_false, on_true)


def _select_n_type(which: ShapedArray, *cases: ShapedArray) -> ShapedArray:
    if which.dtype == dtypes.BOOL:
        if len(cases) > 2:
            raise ArgumentTypeError(
                "A bool `which` chooses between two cases.",
                f"Found {len(cases)} cases.",
                "Number them with integers.",
            )
    elif which.dtype not in dtypes.INTEGERS:
        name = dtypes.name_of(which.dtype)
        raise DTypeNotAcceptedError("select_n (`which`)", name, "integer or bool")
    shape = cases[0].shape
    if any(case.shape != shape for case in cases):
        raise ShapeMismatchError("select_n", [case.shape for case in cases])
    if which.shape and which.shape != shape:
        rule = "the same shape for `which` and the cases, or a scalar `which`"
        raise ShapeMismatchError("select_n", [which.shape, shape], rule)
    require_one_dtype("select_n", cases)
    sharding = cases[0].sharding
    weak = all(case.weak_type for case in cases)
    return joint_type(
        (which, *cases),
        shape,
        dtype=cases[0].dtype,
        weak_type=weak,
        sharding=sharding,
    )


def _select_n_jvp(primals: Any, tangents: Any) -> tuple[Any, Any]:
    which, *cases = primals
    _, *case_dots = tangents
    out = select_n_p.bind(which, *cases)
    still = [case_dot.__class__ is ad.Zero for case_dot in case_dots]
    if all(still):
        return out, ad.Zero.from_primal(out)
    if any(still):
        zeros = fill_like(cases[still.index(True)], 0)
        case_dots = [
            zeros if is_still else case_dot
            for is_still, case_dot in zip(still, case_dots, strict=True)
        ]
    return out, select_n_p.bind(which, *case_dots)


def _select_n_transpose(y_bar: Any, which: Any, *cases: Any) -> list[Any]:
    if len(cases) == 1:
        return [None, y_bar]
    zeros = fill_like(y_bar, 0)
    if typeof(which).dtype == dtypes.BOOL:
        chosen = [
            lambda: select_n_p.bind(which, y_bar, zeros),
            lambda: select_n_p.bind(which, zeros, y_bar),
        ]
    else:
        last = scalar_like(which, len(cases) - 1)
        number = clamp(scalar_like(which, 0), which, last)
        chosen = [
            partial(_where_equal, number, i, y_bar, zeros) for i in range(len(cases))
        ]
    return [None] + [
        case_bar() if ad.is_undefined_primal(case) else None
        for case, case_bar in zip(cases, chosen, strict=True)
    ]


def _where_equal(number: Any, i: int, y_bar: Any, zeros: Any) -> Any:
    return select_n_p.bind(eq(number, scalar_like(number, i)), zeros, y_bar)


def _select_n_batch(operands: Any, axes: Any) -> tuple[Any, int]:
    which, *cases = operands
    which_axis, *case_axes = axes
    one_for_all = which_axis is None and not typeof(which).shape
    alike = one_for_all or typeof(which).ndim == typeof(cases[0]).ndim
    if alike and len(set(case_axes if one_for_all else axes)) == 1:
        return select_n_p.bind(which, *cases), case_axes[0]
    if one_for_all:
        cases, axis = batching.align(cases, case_axes)
        return select_n_p.bind(which, *cases), axis
    if which_axis is not None and typeof(which).ndim == 1:
        # One decision per example: it is repeated over the example's elements.
        size = typeof(which).shape[0]
        cases = [
            batching.at_front(case, case_axis, size)
            for case, case_axis in zip(cases, case_axes, strict=True)
        ]
        shape = typeof(cases[0]).shape
        which = broadcast_in_dim(which, shape, (0,))
        return select_n_p.bind(which, *cases), 0
    aligned, axis = batching.align(operands, axes)
    return select_n_p.bind(*aligned), axis


def _select_n_lower(ctx: Any, which: Any, *cases: Any) -> list[Any]:
    which_aval, *_ = ctx.avals_in
    if len(cases) == 1:
        return list(cases)
    if which_aval.dtype == dtypes.BOOL:
        return [_lower_choice(ctx, which, which_aval, cases[1], cases[0])]
    return [_lower_search(ctx, which, which_aval, cases, 0)]


def _lower_choice(
    ctx: Any, pred: Any, pred_aval: ShapedArray, on_true: Any, on_false: Any
) -> Any:
    (out,) = ctx.avals_out
    if pred_aval.shape and dtypes.is_extended(out.dtype):
        # A key is several words, all chosen alike.
        words = lowering.physical_aval(out).shape
        pred = ctx.op(
            "stablehlo.broadcast_in_dim",
            [pred],
            in_shape(pred_aval, words),
            broadcast_dimensions=lowering.i64_array(range(pred_aval.ndim)),
        )
    return ctx.op("stablehlo.select", [pred, on_true, on_false], out)


def _lower_search(
    ctx: Any, which: Any, aval: ShapedArray, cases: Sequence[Any], first: int
) -> Any:
    """The case numbered `which`, of those numbered from `first`: a binary search."""
    if len(cases) == 1:
        return cases[0]
    half = len(cases) // 2
    pred_aval = aval.update(dtype=dtypes.BOOL)
    limit = ctx.constant(first + half, aval)
    below = lowering.compare(ctx, "LT", which, limit, aval)
    low = _lower_search(ctx, which, aval, cases[:half], first)
    high = _lower_search(ctx, which, aval, cases[half:], first + half)
    return _lower_choice(ctx, below, pred_aval, low, high)


define(
    select_n_p,
    abstract_eval=_select_n_type,
    jvp=_select_n_jvp,
    transpose=_select_n_transpose,
    batch=_select_n_batch,
    lower=_select_n_lower,
)


# --- clamp ----------------------------------------------------------------------------

clamp_p = Primitive("clamp")


def clamp(min: ArrayLike, x: ArrayLike, max: ArrayLike) -> Array:
    """Each element of x moved into the range from min to max: T[*s] -> T[*s].

    min, max: of the shape of x, or scalars. Its derivative at the bounds is zero.

    >>> import minijax as mj, numpy as np
    >>> print(mj.lax.clamp(0, np.array([-1, 1, 3]), 2))
    [0 1 2]

    Raises:
      TypeError: dtypes differ or shapes do not fit.
    """
    return clamp_p.bind(min, x, max)


def _clamp_type(low: ShapedArray, x: ShapedArray, high: ShapedArray) -> ShapedArray:
    for position, aval in enumerate((low, x, high)):
        check_dtype("clamp", aval.dtype, ANY, position)
    require_one_dtype("clamp", (low, x, high))
    for bound in (low, high):
        if bound.shape and bound.shape != x.shape:
            rule = "the shape of `x`, or scalar bounds"
            raise ShapeMismatchError("clamp", [low.shape, x.shape, high.shape], rule)
    return joint_type((x, low, high), x.shape, sharding=x.sharding)


def _clamp_jvp(primals: Any, tangents: Any) -> tuple[Any, Any]:
    low, x, high = primals
    out = clamp_p.bind(low, x, high)
    # Only what is strictly selected moves: the result stands still at the bounds.
    masks = (
        lambda: bitwise_and(gt(low, x), lt(low, high)),
        lambda: bitwise_and(gt(x, low), lt(x, high)),
        lambda: lt(high, x),
    )
    moved = [
        _masked(mask(), x_dot, typeof(out).shape)
        for mask, x_dot in zip(masks, tangents, strict=True)
        if x_dot.__class__ is not ad.Zero
    ]
    if not moved:
        return out, ad.Zero.from_primal(out)
    return out, reduce(ad.add_tangents, moved)


def _masked(mask: Any, x_dot: Any, shape: tuple[int, ...]) -> Any:
    aval = typeof(x_dot)
    if aval.shape != shape:
        x_dot = broadcast_in_dim(x_dot, shape, range(aval.ndim))
    if typeof(mask).shape != shape:
        mask = broadcast_in_dim(mask, shape, range(typeof(mask).ndim))
    return select_n(mask, fill_like(x_dot, 0), x_dot)


def _clamp_batch(operands: Any, axes: Any) -> tuple[Any, int]:
    (low, x, high), (low_axis, x_axis, high_axis) = operands, axes
    shape = typeof(x).shape
    bounds = ((low, low_axis), (high, high_axis))
    if x_axis is not None and all(
        (axis is None and not typeof(bound).shape)
        or (axis == x_axis and typeof(bound).shape == shape)
        for bound, axis in bounds
    ):
        return clamp_p.bind(low, x, high), x_axis
    size = batching.size_of(operands, axes)
    x = batching.at_front(x, x_axis, size)
    shape = typeof(x).shape
    # Both bounds get the full shape, the upper one first: so does jax's program.
    high, low = [_bound_at_front(bound, axis, shape) for bound, axis in bounds[::-1]]
    return clamp_p.bind(low, x, high), 0


def _bound_at_front(bound: Any, axis: int | None, shape: tuple[int, ...]) -> Any:
    if axis is None and not typeof(bound).shape:
        return broadcast_in_dim(bound, shape, ())
    bound = batching.at_front(bound, axis, shape[0])
    if typeof(bound).shape == shape:
        return bound
    return broadcast_in_dim(bound, shape, (0,))  # one bound per example


define(
    clamp_p,
    abstract_eval=_clamp_type,
    jvp=_clamp_jvp,
    transpose=NOT_LINEAR,
    batch=_clamp_batch,
    lower=lowering.emit("stablehlo.clamp"),
)
