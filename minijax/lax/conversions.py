"""Changing the dtype of an array: by value, by bits, or only its precision.

Source: spec/primitives.md §3, spec/ad.md §4.1.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lowering
from ..base import dtypes
from ..base.errors import ArgumentTypeError, ArgumentValueError
from ..core import (
    NOT_LINEAR,
    Literal,
    Primitive,
    ShapedArray,
    StagedTracer,
    convert_element_type_p,
    hiding,
    make_literal,
    typeof,
)
from ..interpreters import ad, batching
from .definition import define
from .typing import FLOATING, check_dtype

if TYPE_CHECKING:
    from .typing import Array, ArrayLike, DTypeLike

__all__ = [
    "bitcast_convert_type",
    "bitcast_convert_type_p",
    "convert_element_type",
    "reduce_precision",
    "reduce_precision_p",
]


# --- convert_element_type -------------------------------------------------------------


def convert_element_type(operand: ArrayLike, new_dtype: DTypeLike) -> Array:
    """Convert every element to a dtype: T[*s] -> new_dtype[*s], never weakly typed.

    Floats lose their fraction on the way to integers, complex numbers their imaginary
    part on the way to reals; anything but zero becomes True.

    >>> import minijax as mj
    >>> print(mj.lax.convert_element_type(2.7, "int32"))
    2

    Raises:
      TypeError: `new_dtype` is no dtype.
      ValueError: it is None.
    """
    if new_dtype is None:
        raise ArgumentValueError("convert_element_type needs a dtype.", "Found None.")
    dtype = dtypes.requested_dtype(new_dtype, "convert_element_type")
    return convert(operand, dtype)


def convert(x: ArrayLike, dtype: Any, weak_type: bool = False) -> Array:
    """`x` in a canonical dtype, and weakly typed or not; itself if nothing changes."""
    aval = typeof(x)
    is_same = aval.dtype == dtype and aval.weak_type is weak_type
    if is_same and not isinstance(x, HOST_TYPES):
        return x
    return convert_element_type_p.bind(
        x, new_dtype=dtype, weak_type=weak_type, sharding=None
    )


def _convert_type(
    x: ShapedArray, *, new_dtype: Any, weak_type: bool, sharding: Any
) -> ShapedArray:
    has_keys = dtypes.is_extended(x.dtype) or dtypes.is_extended(new_dtype)
    if has_keys and x.dtype is not new_dtype:
        raise ArgumentTypeError(
            "convert_element_type converts between numeric dtypes.",
            f"Found {x.dtype} to {new_dtype}.",
            "Use `random.key_data` and `random.wrap_key_data` for keys.",
        )
    out = x.update(dtype=new_dtype, weak_type=weak_type)
    return out if sharding is None else out.update(sharding=sharding)


def _convert_jvp(
    primals: tuple[Any], tangents: tuple[Any], **params: Any
) -> tuple[Any, Any]:
    (x,), (x_dot,) = primals, tangents
    out = convert_element_type_p.bind(x, **params)
    out_aval = typeof(out).to_tangent_aval()
    if isinstance(x_dot, ad.Zero) or out_aval.dtype == dtypes.float0:
        return out, ad.Zero(out_aval)
    return out, convert_element_type_p.bind(x_dot, **params)


def _convert_transpose(y_bar: Any, x: Any, **params: Any) -> list[Any]:
    return [
        convert_element_type_p.bind(
            y_bar, new_dtype=x.aval.dtype, weak_type=x.aval.weak_type, sharding=None
        )
    ]


def _convert_batch(
    operands: tuple[Any], axes: tuple[int], **params: Any
) -> tuple[Any, int]:
    return convert_element_type_p.bind(*operands, **params), axes[0]


def _convert_staging(trace: Any, args: tuple[Any], params: dict[str, Any]) -> Any:
    # A converted scalar is a literal of the other dtype, and a converted NumPy array
    # a constant: neither leaves an equation.
    (x,) = args
    if x.__class__ is StagedTracer and x.owner is trace and type(x.atom) is Literal:
        x = x.atom.val
    if not isinstance(x, HOST_TYPES):
        return NotImplemented
    converted = convert_on_host(x, params["new_dtype"], params["weak_type"])
    if np.shape(converted):
        return trace.wrap(converted)
    return StagedTracer(trace, make_literal(converted))  # type: ignore[arg-type]


def convert_on_host(x: Any, dtype: Any, weak_type: bool) -> Any:
    """What Python or NumPy holds, in another dtype; weak scalars are Python numbers."""
    with np.errstate(all="ignore"):
        converted = np.asarray(x).astype(dtype)
    if converted.shape:
        return converted
    return converted.item() if weak_type else converted[()]


# What Python and NumPy hold: no array of ours, no tracer.
HOST_TYPES = (np.ndarray, np.generic, bool, int, float, complex)


def _convert_lower(
    ctx: Any, x: Any, *, new_dtype: Any, weak_type: bool, sharding: Any
) -> list[Any]:
    (aval,), (out,) = ctx.avals_in, ctx.avals_out
    if aval.dtype == out.dtype:
        return [x]
    if out.dtype == dtypes.BOOL:
        return [lowering.compare(ctx, "NE", x, ctx.constant(0, aval), aval)]
    if aval.dtype in dtypes.COMPLEXES and out.dtype not in dtypes.COMPLEXES:
        aval = aval.update(dtype=dtypes.to_real_dtype(aval.dtype))
        x = ctx.op("stablehlo.real", [x], aval)
    return [ctx.op("stablehlo.convert", [x], out)]


def comparison_type(aval: ShapedArray, *, total_order: bool = False) -> str:
    """How StableHLO compares elements of this type."""
    if aval.dtype in dtypes.INEXACT:
        return "TOTALORDER" if total_order else "FLOAT"
    return "SIGNED" if aval.dtype in dtypes.SIGNED else "UNSIGNED"


define(
    convert_element_type_p,
    abstract_eval=_convert_type,
    jvp=_convert_jvp,
    transpose=_convert_transpose,
    batch=_convert_batch,
    lower=_convert_lower,
    printing=hiding("sharding"),
    staging=_convert_staging,
)


# --- bitcast_convert_type -------------------------------------------------------------

bitcast_convert_type_p = Primitive("bitcast_convert_type")


def bitcast_convert_type(operand: ArrayLike, new_dtype: DTypeLike) -> Array:
    """The bits of each element read as another dtype.

    Same width: T[*s] -> new_dtype[*s]. A narrower dtype adds a last axis that holds the
    pieces, lowest bits first; a wider one needs that axis and drops it.

    >>> import minijax as mj, numpy as np
    >>> print(mj.lax.bitcast_convert_type(np.float32(1.0), "int32"))
    1065353216

    Raises:
      TypeError: booleans or complex numbers.
      ValueError: the last axis does not fit.
    """
    dtype = dtypes.requested_dtype(new_dtype, "bitcast_convert_type")
    return bitcast_convert_type_p.bind(operand, new_dtype=dtype)


def _bitcast_type(x: ShapedArray, *, new_dtype: Any) -> ShapedArray:
    old = x.dtype
    castable = (dtypes.INTEGERS | dtypes.FLOATS).__contains__
    if old != new_dtype and not (castable(old) and castable(new_dtype)):
        raise ArgumentTypeError(
            "bitcast_convert_type reads the bits of integers and floats.",
            f"Found {dtypes.name_of(old)} to {dtypes.name_of(new_dtype)}.",
            "For complex numbers and booleans use `x.view(dtype)`.",
        )
    shape = x.shape
    if old != new_dtype:
        old_bits, new_bits = dtypes.itemsize_bits(old), dtypes.itemsize_bits(new_dtype)
        if new_bits < old_bits:
            shape = (*shape, old_bits // new_bits)
        elif new_bits > old_bits:
            ratio = new_bits // old_bits
            if not shape or shape[-1] != ratio:
                raise ArgumentValueError(
                    f"{ratio} elements of {old} make one of {new_dtype}: the last axis "
                    f"must have size {ratio}.",
                    f"Found shape {shape}.",
                )
            shape = shape[:-1]
    return x.update(shape=shape, dtype=new_dtype, weak_type=False)


def _bitcast_batch(
    operands: tuple[Any], axes: tuple[int], *, new_dtype: Any
) -> tuple[Any, int]:
    (x,), (axis,) = operands, axes
    # A last axis may hold the pieces of an element: the batch must not stand there.
    if axis == typeof(x).ndim - 1:
        x, axis = batching.moveaxis(x, axis, 0), 0
    return bitcast_convert_type_p.bind(x, new_dtype=new_dtype), axis


def _bitcast_lower(ctx: Any, x: Any, *, new_dtype: Any) -> list[Any]:
    return [ctx.op("stablehlo.bitcast_convert", [x], ctx.avals_out[0])]


define(
    bitcast_convert_type_p,
    abstract_eval=_bitcast_type,
    jvp=ad.zero_jvp(bitcast_convert_type_p),
    transpose=NOT_LINEAR,
    batch=_bitcast_batch,
    lower=_bitcast_lower,
)


# --- reduce_precision -----------------------------------------------------------------

reduce_precision_p = Primitive("reduce_precision")


def reduce_precision(
    operand: ArrayLike, exponent_bits: int, mantissa_bits: int
) -> Array:
    """Round each element as if it were stored with fewer bits: f[*s] -> f[*s].

    >>> import minijax as mj
    >>> print(mj.lax.reduce_precision(1.001, exponent_bits=5, mantissa_bits=3))
    1.0

    Raises:
      ValueError: `exponent_bits` < 1 or `mantissa_bits` < 0.
    """
    return reduce_precision_p.bind(
        operand,
        exponent_bits=operator.index(exponent_bits),
        mantissa_bits=operator.index(mantissa_bits),
    )


def _reduce_precision_type(
    x: ShapedArray, *, exponent_bits: int, mantissa_bits: int
) -> ShapedArray:
    check_dtype("reduce_precision", x.dtype, FLOATING)
    if exponent_bits < 1 or mantissa_bits < 0:
        raise ArgumentValueError(
            "reduce_precision needs exponent_bits > 0 and mantissa_bits >= 0.",
            f"Found {exponent_bits} and {mantissa_bits}.",
        )
    return x


def _reduce_precision_lower(
    ctx: Any, x: Any, *, exponent_bits: int, mantissa_bits: int
) -> list[Any]:
    out = ctx.op(
        "stablehlo.reduce_precision",
        [x],
        ctx.avals_out[0],
        exponent_bits=lowering.i32_attr(exponent_bits),
        mantissa_bits=lowering.i32_attr(mantissa_bits),
    )
    return [out]


define(
    reduce_precision_p,
    abstract_eval=_reduce_precision_type,
    jvp=ad.linear(reduce_precision_p),
    transpose=lambda y_bar, x, **params: [reduce_precision(y_bar, **params)],
    batch=batching.elementwise(reduce_precision_p),
    lower=_reduce_precision_lower,
)
