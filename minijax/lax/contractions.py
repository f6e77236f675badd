"""dot_general: products summed over axes, and the simpler names for it.

The axes of the result are the batch axes, then what is left of the left operand, then
what is left of the right one. All rules are about which axis is where.

Source: spec/primitives.md §6, spec/ad.md §4.4, spec/batching.md §3.5,
spec/lowering.md §15.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .. import lowering
from ..base import dtypes
from ..base.errors import ArgumentTypeError, ArgumentValueError
from ..core import Primitive, ShapedArray, typeof
from ..interpreters import ad, batching
from .conversions import convert
from .definition import define
from .precisions import (
    CanonicalPrecision,
    PrecisionLike,
    algorithm_types,
    canonical_precision,
    precision_config,
)
from .result_types import joint_type, plain_ints
from .shapes import inverse_permutation, transpose
from .typing import ANY, check_dtype

if TYPE_CHECKING:
    from .typing import Array, ArrayLike, DTypeLike

__all__ = [
    "DotDimensionNumbers",
    "batch_matmul",
    "dot",
    "dot_general",
    "dot_general_p",
]

type Axes = tuple[int, ...]
type DotDimensionNumbers = tuple[
    tuple[Sequence[int], Sequence[int]], tuple[Sequence[int], Sequence[int]]
]

dot_general_p = Primitive("dot_general")


# --- the public functions -------------------------------------------------------------


def dot_general(
    lhs: ArrayLike,
    rhs: ArrayLike,
    dimension_numbers: DotDimensionNumbers,
    precision: PrecisionLike = None,
    preferred_element_type: DTypeLike | None = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Multiply and sum over pairs of axes: the product behind every other product.

    dimension_numbers: ((contracting of lhs, of rhs), (batch of lhs, of rhs)). The
    result has the batch axes, then the other axes of lhs, then those of rhs.
    preferred_element_type: the dtype of sums and result; without it the larger dtype of
    the operands. precision: how exact; see `Precision` and `DotAlgorithmPreset`.

    >>> import minijax as mj, numpy as np
    >>> x = np.ones((7, 2, 3))
    >>> y = np.ones((7, 3, 4))
    >>> mj.lax.dot_general(x, y, (((2,), (1,)), ((0,), (0,)))).shape
    (7, 2, 4)

    Raises:
      TypeError: the dimension numbers do not fit the operands.
      ValueError: the precision is unknown.
    """
    if preferred_element_type is not None:
        preferred_element_type = dtypes.requested_dtype(
            preferred_element_type, "dot_general"
        )
    return dot_general_p.bind(
        lhs,
        rhs,
        dimension_numbers=canonical_dot_numbers(dimension_numbers),
        precision=canonical_precision(precision),
        preferred_element_type=preferred_element_type,
        out_sharding=out_sharding,
    )


def dot(
    lhs: ArrayLike,
    rhs: ArrayLike,
    *,
    dimension_numbers: DotDimensionNumbers | None = None,
    precision: PrecisionLike = None,
    preferred_element_type: DTypeLike | None = None,
    out_sharding: Any = None,
) -> Array:
    """The product of two vectors, of a matrix and a vector, or of two matrices.

    With `dimension_numbers` it is `dot_general`.

    >>> import minijax as mj, numpy as np
    >>> mj.lax.dot(np.ones((2, 3)), np.ones((3, 4))).shape
    (2, 4)

    Raises:
      TypeError: the axes that are summed over differ in size.
      ValueError: there are other numbers of axes.
    """
    if dimension_numbers is None:
        left, right = typeof(lhs), typeof(rhs)
        if (
            left.ndim not in (1, 2)
            or right.ndim not in (1, 2)
            or (left.shape[-1] != right.shape[0])
        ):
            raise ArgumentValueError(
                "dot multiplies vectors and matrices, the last axis of the left "
                "operand with the first of the right.",
                f"Found shapes {left.shape} and {right.shape}.",
                "Give `dimension_numbers`, as to dot_general.",
            )
        dimension_numbers = (((left.ndim - 1,), (0,)), ((), ()))
    return dot_general(
        lhs,
        rhs,
        dimension_numbers,
        precision,
        preferred_element_type,
        out_sharding=out_sharding,
    )


def batch_matmul(lhs: Array, rhs: Array, precision: PrecisionLike = None) -> Array:
    """Matrix products in the last two axes: T[*b, n, k], T[*b, k, m] -> T[*b, n, m].

    >>> import minijax as mj, numpy as np
    >>> mj.lax.batch_matmul(np.ones((7, 2, 3)), np.ones((7, 3, 4))).shape
    (7, 2, 4)

    Raises:
      ValueError: different numbers of axes, or fewer than two.
    """
    ndim = typeof(lhs).ndim
    if ndim < 2 or typeof(rhs).ndim != ndim:
        raise ArgumentValueError(
            "batch_matmul needs operands of one number of axes, at least two.",
            f"Found shapes {typeof(lhs).shape} and {typeof(rhs).shape}.",
        )
    batch = tuple(range(ndim - 2))
    numbers = (((ndim - 1,), (ndim - 2,)), (batch, batch))
    return dot_general(lhs, rhs, numbers, precision)


def canonical_dot_numbers(numbers: Any) -> tuple[tuple[Axes, Axes], tuple[Axes, Axes]]:
    """The numbers as tuples of ints; a bare int is one axis."""
    (lhs_contract, rhs_contract), (lhs_batch, rhs_batch) = numbers
    return (
        (_as_axes(lhs_contract), _as_axes(rhs_contract)),
        (_as_axes(lhs_batch), _as_axes(rhs_batch)),
    )


def _as_axes(axes: Any) -> Axes:
    return (axes,) if isinstance(axes, int) else plain_ints(axes)


def other_axes(ndim: int, *taken: Sequence[int]) -> Axes:
    """The axes that are in none of the lists."""
    used = {axis for axes in taken for axis in axes}
    return tuple(axis for axis in range(ndim) if axis not in used)


# --- the type -------------------------------------------------------------------------


def _dot_general_type(
    lhs: ShapedArray,
    rhs: ShapedArray,
    *,
    dimension_numbers: Any,
    precision: CanonicalPrecision,
    preferred_element_type: Any,
    out_sharding: Any,
) -> ShapedArray:
    shape = dot_shape(lhs, rhs, dimension_numbers)
    dtype = product_dtype(lhs.dtype, rhs.dtype, preferred_element_type)
    return joint_type([lhs, rhs], shape, dtype=dtype, sharding=out_sharding)


def dot_shape(lhs: ShapedArray, rhs: ShapedArray, numbers: Any) -> list[int]:
    """The shape of a product. Raises: TypeError, if the numbers do not fit."""
    (lhs_contract, rhs_contract), (lhs_batch, rhs_batch) = numbers
    _check_side("lhs", lhs, lhs_contract, lhs_batch)
    _check_side("rhs", rhs, rhs_contract, rhs_batch)
    _check_pairs("contracting", lhs, lhs_contract, rhs, rhs_contract)
    _check_pairs("batch", lhs, lhs_batch, rhs, rhs_batch)
    shape = [lhs.shape[axis] for axis in lhs_batch]
    shape += [lhs.shape[axis] for axis in other_axes(lhs.ndim, lhs_batch, lhs_contract)]
    shape += [rhs.shape[axis] for axis in other_axes(rhs.ndim, rhs_batch, rhs_contract)]
    return shape


def _check_side(side: str, aval: ShapedArray, contract: Axes, batch: Axes) -> None:
    axes = (*contract, *batch)
    inside = all(0 <= axis < aval.ndim for axis in axes)
    if not inside or len(set(axes)) != len(axes):
        raise ArgumentTypeError(
            f"dot_general: the dimension numbers of {side} are distinct axes of it, "
            "none negative.",
            f"Found contracting {contract} and batch {batch} for shape {aval.shape}.",
        )


def _check_pairs(
    kind: str, lhs: ShapedArray, lhs_axes: Axes, rhs: ShapedArray, rhs_axes: Axes
) -> None:
    sizes = (
        [lhs.shape[axis] for axis in lhs_axes],
        [rhs.shape[axis] for axis in rhs_axes],
    )
    if sizes[0] != sizes[1]:
        raise ArgumentTypeError(
            f"dot_general: {kind} axes pair up, with equal sizes.",
            f"Found axes {lhs_axes} of {lhs.shape} and {rhs_axes} of {rhs.shape}.",
        )


def product_dtype(lhs: Any, rhs: Any, preferred: Any) -> Any:
    """The dtype of a product of these dtypes. Raises: TypeError."""
    check_dtype("dot_general", lhs, ANY, 0)
    check_dtype("dot_general", rhs, ANY, 1)
    dtype = max(lhs, rhs, key=_rank)
    if preferred is None:
        return dtype
    # A sum of floats may be rounded to fewer bits, a sum of integers would overflow.
    if dtype not in dtypes.FLOATS and _bits(preferred) < _bits(dtype):
        raise ArgumentTypeError(
            f"dot_general: the product of {lhs} and {rhs} needs the bits of {dtype}.",
            f"Found preferred_element_type {preferred}.",
        )
    return preferred


def _bits(dtype: Any) -> int:
    """The bits of a number, or of one part of a complex one."""
    if dtype == dtypes.BOOL:
        return 1
    return dtypes.itemsize_bits(dtypes.to_real_dtype(dtype))


def _rank(dtype: Any) -> tuple[int, int, float]:
    """Where a dtype stands among mixed operands: the largest is the result's."""
    if dtype in dtypes.COMPLEXES:
        return 3, _bits(dtype), 0
    if dtype in dtypes.FLOATS:
        return 2, _bits(dtype), float(dtypes.finfo(dtype).max)
    if dtype == dtypes.BOOL:
        return 0, 1, 0
    return 1, _bits(dtype), dtype in dtypes.SIGNED


# --- transposition --------------------------------------------------------------------


def _cotangent(
    y_bar: Any,
    aval: ShapedArray,
    contract: Axes,
    batch: Axes,
    other: Any,
    other_contract: Axes,
    other_batch: Axes,
    y_free: Axes,
    params: Any,
) -> Any:
    """The cotangent of one operand: y_bar times the other operand.

    The free axes of the other operand, which y_bar has at `y_free`, are summed over.
    The product has the batch axes, this operand's free axes, and the axes that were
    contracted, in the order of the other operand; a transpose puts them in place.
    """
    ndim = typeof(other).ndim
    other_free = other_axes(ndim, other_batch, other_contract)
    y_batch = tuple(range(len(batch)))
    product = dot_general_p.bind(
        y_bar,
        other,
        dimension_numbers=((y_free, other_free), (y_batch, other_batch)),
        **params,
    )
    pairs = sorted(zip(other_contract, contract, strict=True))
    free = other_axes(aval.ndim, batch, contract)
    order = (*batch, *free, *(axis for _, axis in pairs))
    x_bar = transpose(product, inverse_permutation(order))
    return x_bar if typeof(x_bar).dtype == aval.dtype else convert(x_bar, aval.dtype)


def _without_sharding(params: Any) -> Any:
    return {**params, "out_sharding": None}


def _lhs_bar(
    y_bar: Any, lhs: Any, rhs: Any, *, dimension_numbers: Any, **params: Any
) -> Any:
    (lhs_contract, rhs_contract), (lhs_batch, rhs_batch) = dimension_numbers
    ndim = typeof(y_bar).ndim
    taken = lhs.aval.ndim - len(lhs_contract)
    return _cotangent(
        y_bar, lhs.aval, lhs_contract, lhs_batch, rhs, rhs_contract, rhs_batch,
        tuple(range(taken, ndim)), _without_sharding(params),
    )  # fmt: skip


def _rhs_bar(
    y_bar: Any, lhs: Any, rhs: Any, *, dimension_numbers: Any, **params: Any
) -> Any:
    (lhs_contract, rhs_contract), (lhs_batch, rhs_batch) = dimension_numbers
    taken = typeof(lhs).ndim - len(lhs_contract)
    return _cotangent(
        y_bar, rhs.aval, rhs_contract, rhs_batch, lhs, lhs_contract, lhs_batch,
        tuple(range(len(lhs_batch), taken)), _without_sharding(params),
    )  # fmt: skip


# --- vmap -----------------------------------------------------------------------------


def _dot_general_batch(
    operands: Any, axes: Any, *, dimension_numbers: Any, **params: Any
) -> tuple[Any, int]:
    (lhs, rhs), (lhs_axis, rhs_axis) = operands, axes
    (lhs_contract, rhs_contract), (lhs_batch, rhs_batch) = dimension_numbers
    if lhs_axis is not None:
        lhs_contract = batching.renumber(lhs_contract, past=lhs_axis)
        lhs_batch = batching.renumber(lhs_batch, past=lhs_axis)
    if rhs_axis is not None:
        rhs_contract = batching.renumber(rhs_contract, past=rhs_axis)
        rhs_batch = batching.renumber(rhs_batch, past=rhs_axis)
    # An axis of both is one more batch axis; an axis of one stays among its free axes.
    if lhs_axis is not None and rhs_axis is not None:
        lhs_batch, rhs_batch = (lhs_axis, *lhs_batch), (rhs_axis, *rhs_batch)
        out_axis = 0
    elif lhs_axis is not None:
        free = other_axes(typeof(lhs).ndim, lhs_batch, lhs_contract)
        out_axis = len(lhs_batch) + free.index(lhs_axis)
    else:
        free = other_axes(typeof(rhs).ndim, rhs_batch, rhs_contract)
        lhs_left = typeof(lhs).ndim - len(lhs_contract)
        out_axis = lhs_left + free.index(rhs_axis)
    out = dot_general_p.bind(
        lhs,
        rhs,
        dimension_numbers=((lhs_contract, rhs_contract), (lhs_batch, rhs_batch)),
        **params,
    )
    return out, out_axis


# --- lowering -------------------------------------------------------------------------


def _lower_on(platform: str) -> Any:
    def rule(
        ctx: Any,
        lhs: Any,
        rhs: Any,
        *,
        dimension_numbers: Any,
        precision: CanonicalPrecision,
        preferred_element_type: Any,
        out_sharding: Any,
    ) -> list[Any]:
        (lhs_type, rhs_type), (out,) = ctx.avals_in, ctx.avals_out
        attributes = {
            "dot_dimension_numbers": _dot_attribute(dimension_numbers),
            "precision_config": precision_config(precision),
        }
        kinds = lhs_type.dtype, rhs_type.dtype
        types = algorithm_types(precision, *kinds, platform)
        if types is None:
            product, kinds = out, _plain_types(*kinds, out.dtype, platform)
        else:
            product = out.update(dtype=types.result(out.dtype))
            kinds = types.lhs, types.rhs
            attributes["algorithm"] = lowering.parse_attr(types.attribute)
        lhs = _converted(ctx, lhs, lhs_type, kinds[0])
        rhs = _converted(ctx, rhs, rhs_type, kinds[1])
        value = ctx.op("stablehlo.dot_general", [lhs, rhs], product, **attributes)
        return [_converted(ctx, value, product, out.dtype)]

    return rule


def _plain_types(lhs: Any, rhs: Any, out: Any, platform: str) -> tuple[Any, Any]:
    """The dtypes that operands are multiplied in, where no algorithm says so."""
    small = lhs in dtypes.SMALL_FLOATS and rhs in dtypes.SMALL_FLOATS
    mixes = platform == "tpu" and lhs in dtypes.FLOATS and rhs in dtypes.FLOATS
    return (lhs, rhs) if lhs == rhs or small or mixes else (out, out)


def _converted(ctx: Any, x: Any, aval: ShapedArray, dtype: Any) -> Any:
    if aval.dtype == dtype:
        return x
    if aval.dtype in dtypes.COMPLEXES and dtype not in dtypes.COMPLEXES:
        aval = aval.update(dtype=dtypes.to_real_dtype(aval.dtype))
        x = ctx.op("stablehlo.real", [x], aval)
    return ctx.op("stablehlo.convert", [x], aval.update(dtype=dtype))


def _dot_attribute(numbers: Any) -> Any:
    (lhs_contract, rhs_contract), (lhs_batch, rhs_batch) = numbers
    return lowering.parse_attr(
        "#stablehlo.dot<"
        f"lhs_batching_dimensions = {list(lhs_batch)}, "
        f"rhs_batching_dimensions = {list(rhs_batch)}, "
        f"lhs_contracting_dimensions = {list(lhs_contract)}, "
        f"rhs_contracting_dimensions = {list(rhs_contract)}>"
    )


def _dot_printing(eqn: Any) -> dict[str, Any]:
    """Lists instead of tuples, and nothing that is None."""
    (contract, batch) = eqn.params["dimension_numbers"]
    shown = {"dimension_numbers": (tuple(map(list, contract)), tuple(map(list, batch)))}
    for name in ("precision", "preferred_element_type"):
        if eqn.params[name] is not None:
            shown[name] = eqn.params[name]
    return shown


define(
    dot_general_p,
    abstract_eval=_dot_general_type,
    jvp=ad.bilinear(dot_general_p),
    transpose=ad.bilinear_transpose(_lhs_bar, _rhs_bar),
    batch=_dot_general_batch,
    lower=lowering.by_platform(
        _lower_on("gpu"), cpu=_lower_on("cpu"), tpu=_lower_on("tpu")
    ),
    printing=_dot_printing,
)
