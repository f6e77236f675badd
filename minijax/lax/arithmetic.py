"""The four operations, integer powers, and what derivatives are summed with.

Operands stretch: a scalar, or an axis of size 1, is repeated. A derivative rule of a
linear operation must repeat the tangent likewise, and a transpose must sum over what
was repeated: `spread` and `unspread`.

Source: spec/ad.md §§2.6, 4.1.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .. import lowering
from ..base import dtypes
from ..base.errors import ArgumentTypeError, DTypeNotAcceptedError, StateError
from ..core import (
    NOT_LINEAR,
    Primitive,
    ShapedArray,
    add_any_p,
    broadcast_in_dim_p,
    hiding_unset,
    mul_p,
    reduce_sum_p,
    reshape_p,
    typeof,
)
from ..interpreters import ad, batching
from .definition import define
from .generation import scalar_like
from .typing import NUMBER, check_dtype, joined_type, nary_type, unary_type

if TYPE_CHECKING:
    from .typing import Array, ArrayLike, DTypeLike

__all__ = [
    "add",
    "add_p",
    "div",
    "div_p",
    "integer_pow",
    "integer_pow_p",
    "mul",
    "neg",
    "neg_p",
    "one_minus_square",
    "one_minus_square_p",
    "reciprocal",
    "square",
    "square_p",
    "sub",
    "sub_p",
]

neg_p = Primitive("neg")
add_p = Primitive("add")
sub_p = Primitive("sub")
div_p = Primitive("div")
square_p = Primitive("square")
one_minus_square_p = Primitive("one_minus_square")
integer_pow_p = Primitive("integer_pow")


# --- stretching -----------------------------------------------------------------------


def spread(x: Any, shape: tuple[int, ...]) -> Any:
    """`x` repeated to `shape`: a scalar, or an array whose axes of size 1 stretch."""
    given = typeof(x).shape
    if given == shape:
        return x
    kept = tuple(axis for axis, size in enumerate(given) if size == shape[axis])
    if len(kept) < len(given):
        x = _reshaped(x, tuple(given[axis] for axis in kept))
    return broadcast_in_dim_p.bind(
        x, shape=shape, broadcast_dimensions=kept, sharding=None
    )


def unspread(y_bar: Any, aval: ShapedArray) -> Any:
    """The transpose of `spread` from type `aval`: sums over what was repeated."""
    shape = typeof(y_bar).shape
    if shape == aval.shape:
        return y_bar
    summed = [
        axis
        for axis, size in enumerate(shape)
        if not aval.shape or aval.shape[axis] != size
    ]
    x_bar = reduce_sum_p.bind(y_bar, axes=tuple(summed), out_sharding=None)
    return _reshaped(x_bar, aval.shape) if aval.shape else x_bar


def _reshaped(x: Any, shape: tuple[int, ...]) -> Any:
    return reshape_p.bind(x, new_sizes=shape, dimensions=None, sharding=None)


# --- neg ------------------------------------------------------------------------------


def neg(x: ArrayLike) -> Array:
    """-x, modulo 2^n for unsigned integers: T[*s] -> T[*s].

    >>> import minijax as mj
    >>> print(mj.lax.neg(3.0))
    -3.0

    Raises:
      TypeError: a bool.
    """
    return neg_p.bind(x)


define(
    neg_p,
    abstract_eval=unary_type(neg_p, NUMBER),
    jvp=ad.linear(neg_p),
    transpose=lambda y_bar, x: [neg(y_bar)],
    batch=batching.elementwise(neg_p),
    lower=lowering.emit("stablehlo.negate"),
)


# --- add and sub ----------------------------------------------------------------------


def add(x: ArrayLike, y: ArrayLike) -> Array:
    """x + y: T[*s], T[*s] -> T[*s].

    >>> import minijax as mj
    >>> print(mj.lax.add(1.0, 2.0))
    3.0

    Raises:
      TypeError: dtypes differ or are bool, or shapes do not fit.
    """
    return add_p.bind(x, y)


def sub(x: ArrayLike, y: ArrayLike) -> Array:
    """x - y: T[*s], T[*s] -> T[*s].

    >>> import minijax as mj
    >>> print(mj.lax.sub(1.0, 2.0))
    -1.0

    Raises:
      TypeError: dtypes differ or are bool, or shapes do not fit.
    """
    return sub_p.bind(x, y)


def _add_jvp(primals: Any, tangents: Any) -> tuple[Any, Any]:
    x_dot, y_dot = tangents
    out = add_p.bind(*primals)
    if x_dot.__class__ is not ad.Zero and y_dot.__class__ is not ad.Zero:
        return out, add_p.bind(x_dot, y_dot)
    moving = y_dot if x_dot.__class__ is ad.Zero else x_dot
    return out, _spread_tangent(moving, out)


def _sub_jvp(primals: Any, tangents: Any) -> tuple[Any, Any]:
    x_dot, y_dot = tangents
    out = sub_p.bind(*primals)
    if y_dot.__class__ is ad.Zero:
        return out, _spread_tangent(x_dot, out)
    if x_dot.__class__ is ad.Zero:
        return out, _spread_tangent(neg(y_dot), out)
    return out, sub_p.bind(x_dot, y_dot)


def _spread_tangent(x_dot: Any, out: Any) -> Any:
    if x_dot.__class__ is ad.Zero:
        return ad.Zero.from_primal(out)
    return spread(x_dot, typeof(out).shape)


def _add_transpose(z_bar: Any, x: Any, y: Any) -> list[Any]:
    return [
        unspread(z_bar, operand.aval) if ad.is_undefined_primal(operand) else None
        for operand in (x, y)
    ]


def _sub_transpose(z_bar: Any, x: Any, y: Any) -> list[Any]:
    return [
        unspread(z_bar, x.aval) if ad.is_undefined_primal(x) else None,
        unspread(neg(z_bar), y.aval) if ad.is_undefined_primal(y) else None,
    ]


define(
    add_p,
    abstract_eval=nary_type(add_p, NUMBER),
    jvp=_add_jvp,
    transpose=_add_transpose,
    batch=batching.elementwise(add_p),
    lower=lowering.emit("stablehlo.add"),
)
define(
    sub_p,
    abstract_eval=nary_type(sub_p, NUMBER),
    jvp=_sub_jvp,
    transpose=_sub_transpose,
    batch=batching.elementwise(sub_p),
    lower=lowering.emit("stablehlo.subtract"),
)


# --- add_any --------------------------------------------------------------------------


def _add_any_type(x: ShapedArray, y: ShapedArray) -> ShapedArray:
    if x is y or (x.shape == y.shape and x.dtype == y.dtype):
        return x if x is y else joined_type("add_any", (x, y), x.dtype)
    raise ArgumentTypeError(
        "Contributions to one tangent or cotangent have one type.",
        f"Found {x} and {y}.",
    )


def _add_any_batch(operands: Any, axes: Any) -> tuple[Any, int]:
    aligned, axis = batching.align(operands, axes)
    return add_any_p.bind(*aligned), axis


define(
    add_any_p,
    abstract_eval=_add_any_type,
    jvp=ad.linear(add_any_p),
    transpose=lambda z_bar, x, y: [
        z_bar if ad.is_undefined_primal(operand) else None for operand in (x, y)
    ],
    batch=_add_any_batch,
    lower=lowering.emit("stablehlo.add"),
)


# --- mul ------------------------------------------------------------------------------


def mul(x: ArrayLike, y: ArrayLike, *, out_dtype: DTypeLike | None = None) -> Array:
    """x * y: T[*s], T[*s] -> T[*s], or computed in `out_dtype`: -> out_dtype[*s].

    >>> import minijax as mj
    >>> print(mj.lax.mul(2.0, 3.0))
    6.0

    Raises:
      TypeError: dtypes differ or are bool, or shapes do not fit.
    """
    if out_dtype is not None:
        out_dtype = dtypes.requested_dtype(out_dtype, "mul")
    return mul_p.bind(x, y, out_dtype=out_dtype)


_same_dtype_product = nary_type(mul_p, NUMBER)


def _mul_type(x: ShapedArray, y: ShapedArray, *, out_dtype: Any) -> ShapedArray:
    if out_dtype is None:
        return _same_dtype_product(x, y)
    for position, aval in enumerate((x, y)):
        check_dtype("mul", aval.dtype, NUMBER, position)
    return joined_type("mul", (x, y), out_dtype)


def _mul_transpose_left(z_bar: Any, x: Any, y: Any, *, out_dtype: Any) -> Any:
    wanted = None if out_dtype is None else x.aval.dtype
    return unspread(mul_p.bind(z_bar, y, out_dtype=wanted), x.aval)


def _mul_transpose_right(z_bar: Any, x: Any, y: Any, *, out_dtype: Any) -> Any:
    wanted = None if out_dtype is None else y.aval.dtype
    return unspread(mul_p.bind(x, z_bar, out_dtype=wanted), y.aval)


_emit_product = lowering.emit("stablehlo.multiply")


def _mul_lower(ctx: Any, x: Any, y: Any, *, out_dtype: Any) -> Sequence[Any]:
    if out_dtype is None:
        return _emit_product(ctx, x, y)
    (out,) = ctx.avals_out
    factors = []
    for factor, aval in zip((x, y), ctx.avals_in, strict=True):
        converted = aval.update(dtype=out_dtype)
        if aval.dtype != out_dtype:
            factor = ctx.op("stablehlo.convert", [factor], converted)
        factors.append(lowering.broadcast_to(ctx, factor, converted, out.shape))
    return [ctx.op("stablehlo.multiply", factors, out)]


define(
    mul_p,
    abstract_eval=_mul_type,
    jvp=ad.bilinear(mul_p),
    transpose=ad.bilinear_transpose(_mul_transpose_left, _mul_transpose_right),
    batch=batching.elementwise(mul_p),
    lower=_mul_lower,
    printing=hiding_unset("out_dtype"),
)


# --- div ------------------------------------------------------------------------------


def div(x: ArrayLike, y: ArrayLike) -> Array:
    """x / y; integers are cut off towards zero: T[*s], T[*s] -> T[*s].

    >>> import minijax as mj
    >>> print(mj.lax.div(-7, 2))
    -3

    Raises:
      TypeError: dtypes differ or are bool, or shapes do not fit.
    """
    return div_p.bind(x, y)


def reciprocal(x: ArrayLike) -> Array:
    """1 / x: f[*s] -> f[*s].

    >>> import minijax as mj
    >>> print(mj.lax.reciprocal(4.0))
    0.25

    Raises:
      TypeError: an integer or bool.
    """
    return integer_pow(x, -1)


def _div_transpose(z_bar: Any, x: Any, y: Any) -> list[Any]:
    if ad.is_undefined_primal(y):
        raise StateError(
            "A transpose needs a function that is linear in its input.",
            "Found a division by a value that depends on it.",
        )
    return [unspread(div(z_bar, y), x.aval), None]


define(
    div_p,
    abstract_eval=nary_type(div_p, NUMBER),
    jvp=ad.partials(
        div_p,
        lambda x_dot, x, y: div(x_dot, y),
        lambda y_dot, x, y: mul(mul(neg(y_dot), x), integer_pow(y, -2)),
    ),
    transpose=_div_transpose,
    batch=batching.elementwise(div_p),
    lower=lowering.emit("stablehlo.divide"),
)


# --- powers ---------------------------------------------------------------------------


def square(x: ArrayLike) -> Array:
    """x * x: T[*s] -> T[*s].

    >>> import minijax as mj
    >>> print(mj.lax.square(3))
    9

    Raises:
      TypeError: a bool.
    """
    return square_p.bind(x)


_emit_square = lowering.emit("chlo.square")


def _square_lower(ctx: Any, x: Any) -> Sequence[Any]:
    if ctx.avals_in[0].dtype in dtypes.INTEGERS:  # chlo knows inexact squares only
        return [ctx.op("stablehlo.multiply", [x, x], ctx.avals_out[0])]
    return _emit_square(ctx, x)


define(
    square_p,
    abstract_eval=unary_type(square_p, NUMBER),
    jvp=ad.partials(square_p, lambda x_dot, x: mul(x_dot, mul(scalar_like(x, 2), x))),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(square_p),
    lower=_square_lower,
)


def one_minus_square(x: ArrayLike) -> Array:
    """1 - x², exact near |x| = 1 where the difference would cancel: T[*s] -> T[*s].

    >>> import minijax as mj
    >>> print(mj.lax.one_minus_square(0.5))
    0.75

    Raises:
      TypeError: a bool.
    """
    return one_minus_square_p.bind(x)


def _one_minus_square(x: Any) -> Any:
    return mul(add(scalar_like(x, 1), x), sub(scalar_like(x, 1), x))


define(
    one_minus_square_p,
    abstract_eval=unary_type(one_minus_square_p, NUMBER),
    jvp=ad.partials(
        one_minus_square_p, lambda x_dot, x: mul(x_dot, mul(scalar_like(x, -2), x))
    ),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(one_minus_square_p),
    lower=lowering.lower_function(_one_minus_square),
)


def integer_pow(x: ArrayLike, y: int) -> Array:
    """x to a power known in advance: T[*s] -> T[*s].

    >>> import minijax as mj
    >>> print(mj.lax.integer_pow(2.0, -2))
    0.25

    Raises:
      TypeError: a bool, or a negative power of an integer.
    """
    if not isinstance(y, int):
        whole = isinstance(y, float) and y.is_integer()
        y = int(y) if whole else operator.index(y)
    return integer_pow_p.bind(x, y=y)


_power_type = unary_type(integer_pow_p, NUMBER)


def _integer_pow_type(x: ShapedArray, *, y: int) -> ShapedArray:
    out = _power_type(x)
    if y < 0 and x.dtype in dtypes.INTEGERS:
        raise DTypeNotAcceptedError(
            f"integer_pow with a negative power ({y})",
            dtypes.name_of(x.dtype),
            "floating-point or complex",
            "Convert to a float first.",
        )
    return out


def _integer_pow_partial(x_dot: Any, x: Any, *, y: int) -> Any:
    if y == 0:
        return ad.Zero.from_primal(x)
    if y == 1:
        return x_dot
    power = x if y == 2 else integer_pow(x, y - 1)
    return mul(x_dot, mul(scalar_like(x, y), power))


def _power(x: Any, y: int) -> Any:
    """x**y by repeated squaring."""
    if y == 0:
        return spread(scalar_like(x, 1), typeof(x).shape)
    result, base, bits = None, x, abs(y)
    while bits:
        if bits & 1:
            result = base if result is None else mul(result, base)
        bits >>= 1
        if bits:
            base = mul(base, base)
    return result if y > 0 else div(scalar_like(x, 1), result)


define(
    integer_pow_p,
    abstract_eval=_integer_pow_type,
    jvp=ad.partials(integer_pow_p, _integer_pow_partial),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(integer_pow_p),
    lower=lowering.lower_function(_power),
)
