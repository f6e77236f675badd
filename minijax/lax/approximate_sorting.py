"""approx_top_k: the largest elements, or nearly so, in one pass.

On a machine that has the operation for it (TPU) each bin of the operand keeps its best
element, and the best of those are returned: some of the true ones may be missing, on
average fewer than `1 - recall_target`. Elsewhere the answer is exact.

Source: spec/primitives.md §6, spec/lowering.md §13.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lowering
from ..base import dtypes, jaxlib_core
from ..base.errors import ArgumentIndexError, ArgumentTypeError, ArgumentValueError
from ..base.util import tuple_replace
from ..core import NOT_LINEAR, Primitive, ShapedArray, select_n_p, typeof
from ..interpreters import ad, batching
from .arithmetic import add
from .comparisons import lt
from .definition import define
from .indexing import GatherScatterMode
from .shapes import reshape
from .sorting import taken_along

if TYPE_CHECKING:
    from .typing import Array, ArrayLike

__all__ = ["approx_max_k", "approx_min_k", "approx_top_k_p"]

type Axis = int

approx_top_k_p = Primitive("approx_top_k", multiple_results=True)


def approx_max_k(
    operand: ArrayLike,
    k: int,
    reduction_dimension: Axis = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
) -> list[Array]:
    """The k largest elements along an axis, nearly: f[*s] -> f[*t], i32[*t].

    recall_target: which part of the true ones is to be found, on average.
    reduction_input_size_override: the size of the axis before it was cut in pieces.
    aggregate_to_topk: whether the best of the bins are reduced to k.

    >>> import minijax as mj, numpy as np
    >>> mj.lax.approx_max_k(np.arange(10.0), 3)[1]
    Array([9, 8, 7], dtype=int32)

    Raises:
      TypeError: the operand has no axes.
      ValueError: the operand is not floating, or k is out of range.
    """
    bins = reduction_input_size_override, aggregate_to_topk
    return _bind("max", operand, k, reduction_dimension, recall_target, *bins)


def approx_min_k(
    operand: ArrayLike,
    k: int,
    reduction_dimension: Axis = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
) -> list[Array]:
    """The k smallest elements along an axis, nearly; as `approx_max_k`.

    >>> import minijax as mj, numpy as np
    >>> mj.lax.approx_min_k(np.arange(10.0), 3)[1]
    Array([0, 1, 2], dtype=int32)
    """
    bins = reduction_input_size_override, aggregate_to_topk
    return _bind("min", operand, k, reduction_dimension, recall_target, *bins)


def _bind(
    wanted: str, operand: Any, k: int, axis: int, recall: float, size: int, reduce: bool
) -> list[Any]:
    return approx_top_k_p.bind(
        operand,
        k=k,
        reduction_dimension=axis,
        recall_target=recall,
        is_max_k=wanted == "max",
        reduction_input_size_override=size,
        aggregate_to_topk=reduce,
    )


def _type(
    operand: ShapedArray,
    *,
    k: int,
    reduction_dimension: int,
    recall_target: float,
    aggregate_to_topk: bool,
    reduction_input_size_override: int,
    **params: Any,
) -> list[ShapedArray]:
    if not operand.ndim:
        raise ArgumentTypeError("approx_top_k needs an axis.", "Found a scalar.")
    if operand.dtype not in dtypes.FLOATS:
        raise ArgumentValueError(
            "approx_top_k takes floating-point operands.", f"Found {operand.dtype}."
        )
    axis = _axis_of(operand, reduction_dimension)
    size = operand.shape[axis]
    if not 1 <= k <= size:
        raise ArgumentValueError(
            f"approx_top_k: k is from 1 to the size of axis {axis}, {size}.",
            f"Found {k}.",
        )
    kept, _ = jaxlib_core.approx_top_k_reduction_output_size(
        size,
        operand.ndim,
        k,
        recall_target,
        aggregate_to_topk,
        reduction_input_size_override,
    )
    values = operand.update(
        shape=tuple_replace(operand.shape, axis, kept), sharding=None
    )
    return [values, values.update(dtype=np.dtype(np.int32))]


def _axis_of(aval: ShapedArray, axis: int) -> int:
    if not -aval.ndim <= axis < aval.ndim:
        raise ArgumentIndexError(
            "approx_top_k looks along an axis of the operand.",
            f"Found axis {axis} of shape {aval.shape}.",
        )
    return axis % aval.ndim


def _jvp(
    primals: Any, tangents: Any, *, reduction_dimension: int, **params: Any
) -> tuple[list[Any], list[Any]]:
    (x,), (x_dot,) = primals, tangents
    values, indices = approx_top_k_p.bind(
        x, reduction_dimension=reduction_dimension, **params
    )
    values_dot = ad.Zero.from_primal(values)
    if type(x_dot) is not ad.Zero:
        axis = _axis_of(typeof(x), reduction_dimension)
        # A bin without elements has the index -1.
        size = np.int32(typeof(x).shape[axis])
        before = lt(indices, np.int32(0))
        places = select_n_p.bind(before, indices, add(indices, size))
        vectors = reshape(places, (*typeof(indices).shape, 1))
        mode = GatherScatterMode.FILL_OR_DROP
        values_dot = taken_along(x_dot, vectors, axis, mode)
    return [values, indices], [values_dot, ad.Zero.from_primal(indices)]


def _batch(
    operands: Any, axes: Any, *, reduction_dimension: int, **params: Any
) -> tuple[list[Any], list[int]]:
    (x,), (place,) = operands, axes
    axis = reduction_dimension % (typeof(x).ndim - 1)
    axis = batching.renumber(axis, past=place)
    outs = approx_top_k_p.bind(x, reduction_dimension=axis, **params)
    return outs, [place, place]


def _lower_on(*, is_fallback: bool) -> Callable[..., Any]:
    def rule(
        ctx: Any, x: Any, *, reduction_dimension: int, is_max_k: bool, **params: Any
    ) -> Sequence[Any]:
        (aval,) = ctx.avals_in
        axis = _axis_of(aval, reduction_dimension)
        positions = aval.update(dtype=np.dtype(np.int32), weak_type=False)
        worst = -np.inf if is_max_k else np.inf
        along = lowering.i64_attr(axis)
        config = {
            "aggregate_to_topk": lowering.bool_attr(params["aggregate_to_topk"]),
            "recall_target": lowering.float_attr(np.float32, params["recall_target"]),
            "reduction_dim": along,
            "reduction_input_size_override": lowering.i64_attr(
                params["reduction_input_size_override"]
            ),
            "top_k": lowering.i64_attr(params["k"]),
        }
        if is_fallback:
            config["is_fallback"] = lowering.bool_attr(True)
        comparator = _comparator(ctx, aval, positions, is_max_k)
        operands = [
            x,
            ctx.op(
                "stablehlo.iota", [], positions, iota_dimension=lowering.i64_attr(axis)
            ),
            ctx.constant(worst, aval.update(shape=(), weak_type=False)),
            ctx.constant(-1, positions.update(shape=())),
        ]
        attributes = {
            "call_target_name": lowering.string_attr("ApproxTopK"),
            "called_computations": lowering.array_attr([comparator]),
            "mhlo.backend_config": lowering.dict_attr(config),
        }
        return ctx.op("stablehlo.custom_call", operands, ctx.avals_out, **attributes)

    return rule


def _comparator(
    ctx: Any, aval: ShapedArray, positions: ShapedArray, is_max_k: bool
) -> Any:
    """The symbol of the function that says which of two elements is better."""
    direction = "GT" if is_max_k else "LT"
    value = aval.update(shape=(), weak_type=False)
    position = positions.update(shape=())

    def better(inner: Any, x: Any, y: Any, *_: Any) -> list[Any]:
        return [lowering.compare(inner, direction, x, y, value)]

    name = f"top_k_{direction.lower()}_{dtypes.short_name(aval.dtype)}_comparator"
    arguments = [value, value, position, position]
    return lowering.symbol_attr(ctx.computation(name, name, arguments, better))


define(
    approx_top_k_p,
    abstract_eval=_type,
    jvp=_jvp,
    transpose=NOT_LINEAR,
    batch=_batch,
    lower=lowering.by_platform(
        _lower_on(is_fallback=True), tpu=_lower_on(is_fallback=False)
    ),
)
