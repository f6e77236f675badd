"""From our types and static values to MLIR types and attributes.

Each answer is made once per session: `ctx.type` is a dictionary look-up by aval, and
the attribute makers are look-ups by value. The attribute makers serve the rules, which
may call them without a ctx.

Source: spec/lowering.md §10.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np

from ..base import dtypes
from ..base.errors import ArgumentTypeError
from ..core import AbstractToken, AbstractValue, ShapedArray
from .mlir import Session, Table, current_session

# --- Element types --------------------------------------------------------------------


def _signless(bits: int) -> Callable[[Any], Any]:
    return lambda ir: ir.IntegerType.get_signless(bits)


def _unsigned(bits: int) -> Callable[[Any], Any]:
    return lambda ir: ir.IntegerType.get_unsigned(bits)


def _named(name: str) -> Callable[[Any], Any]:
    return lambda ir: getattr(ir, name).get()


def _complex(name: str) -> Callable[[Any], Any]:
    return lambda ir: ir.ComplexType.get(getattr(ir, name).get())


# dtype -> maker of the MLIR element type
_element_makers: dict[Any, Callable[[Any], Any]] = {
    np.dtype(bool): _signless(1),
    np.dtype(dtypes.float0): _signless(1),
    np.dtype(np.float16): _named("F16Type"),
    np.dtype(np.float32): _named("F32Type"),
    np.dtype(np.float64): _named("F64Type"),
    np.dtype(np.complex64): _complex("F32Type"),
    np.dtype(np.complex128): _complex("F64Type"),
    np.dtype(ml_dtypes.bfloat16): _named("BF16Type"),
    np.dtype(ml_dtypes.float4_e2m1fn): _named("Float4E2M1FNType"),
    np.dtype(ml_dtypes.float6_e2m3fn): _named("Float6E2M3FNType"),
    np.dtype(ml_dtypes.float6_e3m2fn): _named("Float6E3M2FNType"),
    np.dtype(ml_dtypes.float8_e3m4): _named("Float8E3M4Type"),
    np.dtype(ml_dtypes.float8_e4m3): _named("Float8E4M3Type"),
    np.dtype(ml_dtypes.float8_e4m3b11fnuz): _named("Float8E4M3B11FNUZType"),
    np.dtype(ml_dtypes.float8_e4m3fn): _named("Float8E4M3FNType"),
    np.dtype(ml_dtypes.float8_e4m3fnuz): _named("Float8E4M3FNUZType"),
    np.dtype(ml_dtypes.float8_e5m2): _named("Float8E5M2Type"),
    np.dtype(ml_dtypes.float8_e5m2fnuz): _named("Float8E5M2FNUZType"),
    np.dtype(ml_dtypes.float8_e8m0fnu): _named("Float8E8M0FNUType"),
}
for _dtype in dtypes.INTEGERS:
    _kind = _signless if _dtype in dtypes.SIGNED else _unsigned
    _element_makers[_dtype] = _kind(dtypes.itemsize_bits(_dtype))


def _make_element(session: Session, dtype: Any) -> Any:
    maker = _element_makers.get(dtype)
    if maker is None:
        raise ArgumentTypeError(
            "A value is to be lowered to StableHLO.",
            f"Found dtype {dtype}, which StableHLO has no element type for.",
        )
    with session.context:
        return maker(session.ir)


def element_types(session: Session) -> Table:
    """dtype -> MLIR element type."""
    return session.table("element", _make_element)


def element_type(dtype: Any) -> Any:
    """The MLIR element type of a dtype. Raises: TypeError if there is none."""
    return element_types(current_session())[np.dtype(dtype)]


# --- Types of values ------------------------------------------------------------------


def physical_aval(aval: Any) -> Any:
    """The array that stands for `aval` in memory: `key<fry>[3]` -> `u32[3,2]`."""
    if isinstance(aval, ShapedArray) and dtypes.is_extended(aval.dtype):
        shape = dtypes.physical_shape(aval.shape, aval.dtype)
        return ShapedArray(shape, dtypes.physical_dtype(aval.dtype))
    return aval


def _token_type(session: Session, aval: AbstractValue) -> Any:
    return session.ir.Type.parse("!stablehlo.token", session.context)


def _array_type(session: Session, aval: Any) -> Any:
    aval = physical_aval(aval)
    element = element_types(session)[aval.dtype]
    with session.context, session.unknown_location:
        return session.ir.RankedTensorType.get(aval.shape, element)


# type of aval -> maker of the MLIR type; a new kind of aval enters itself here
type_makers: dict[type, Callable[[Session, Any], Any]] = {
    ShapedArray: _array_type,
    AbstractToken: _token_type,
}


def _make_types(session: Session, aval: Any) -> list[Any]:
    maker = type_makers.get(type(aval))
    if maker is None:
        raise ArgumentTypeError(
            "A value is to be lowered to StableHLO.",
            f"Found a value of type {aval}, which has no MLIR type.",
        )
    return [maker(session, aval)]


def value_types(session: Session) -> Table:
    """aval -> list that holds its MLIR type, as `Operation.create` takes it."""
    return session.table("type", _make_types)


def ir_type(aval: Any) -> Any:
    """The MLIR type of values of type `aval`."""
    return value_types(current_session())[aval][0]


def tensor_type(shape: Sequence[int], dtype: Any) -> Any:
    """The MLIR type `tensor<shape x dtype>`."""
    return ir_type(ShapedArray(tuple(shape), np.dtype(dtype)))


# --- Attributes -----------------------------------------------------------------------


def _make_i64_array(session: Session, values: tuple[int, ...]) -> Any:
    return session.ir.DenseI64ArrayAttr.get(values, session.context)


def i64_array(values: Sequence[int]) -> Any:
    """`array<i64: ...>`: dimensions, permutations, slice bounds."""
    return current_session().table("i64_array", _make_i64_array)[tuple(values)]


def _make_bool_array(session: Session, values: tuple[bool, ...]) -> Any:
    return session.ir.DenseBoolArrayAttr.get(values, session.context)


def bool_array(values: Sequence[bool]) -> Any:
    """`array<i1: ...>`."""
    key = tuple(map(bool, values))
    return current_session().table("bool_array", _make_bool_array)[key]


def _make_integer(session: Session, key: tuple[int, int]) -> Any:
    bits, value = key
    element = session.ir.IntegerType.get_signless(bits, session.context)
    return session.ir.IntegerAttr.get(element, value)


def i64_attr(value: int) -> Any:
    """`value : i64`."""
    return current_session().table("integer", _make_integer)[64, int(value)]


def i32_attr(value: int) -> Any:
    """`value : i32`."""
    return current_session().table("integer", _make_integer)[32, int(value)]


def _make_bool(session: Session, value: bool) -> Any:
    return session.ir.BoolAttr.get(value, session.context)


def bool_attr(value: bool) -> Any:
    """`true` or `false`."""
    return current_session().table("bool", _make_bool)[bool(value)]


def _make_string(session: Session, value: str) -> Any:
    return session.ir.StringAttr.get(value, session.context)


def string_attr(value: str) -> Any:
    """A text."""
    return current_session().table("string", _make_string)[value]


def _make_parsed(session: Session, text: str) -> Any:
    return session.ir.Attribute.parse(text, session.context)


def parse_attr(text: str) -> Any:
    """An attribute by its text, such as `#stablehlo<comparison_direction LT>`."""
    return current_session().table("parsed", _make_parsed)[text]


def _make_unit(session: Session, key: None) -> Any:
    return session.ir.UnitAttr.get(session.context)


def unit_attr() -> Any:
    """An attribute that says something by being there."""
    return current_session().table("unit", _make_unit)[None]


def _make_symbol(session: Session, name: str) -> Any:
    return session.ir.FlatSymbolRefAttr.get(name, session.context)


def symbol_attr(name: str) -> Any:
    """A reference to a symbol of the module: `@name`."""
    return current_session().table("symbol", _make_symbol)[name]


def dense_i64(values: Any) -> Any:
    """`dense<...> : tensor<s x i64>` of a nested sequence: padding, replica groups."""
    session = current_session()
    array = np.ascontiguousarray(values, np.int64)
    element = element_types(session)[array.dtype]
    with session.context:
        return session.ir.DenseElementsAttr.get(array, type=element, shape=array.shape)


def array_attr(attributes: Sequence[Any]) -> Any:
    """`[a, b, ...]`."""
    session = current_session()
    return session.ir.ArrayAttr.get(list(attributes), session.context)


def dict_attr(attributes: dict[str, Any]) -> Any:
    """`{name = attribute, ...}`."""
    session = current_session()
    return session.ir.DictAttr.get(attributes, session.context)


def type_attr(type_: Any) -> Any:
    """A type where an attribute is asked."""
    return current_session().ir.TypeAttr.get(type_)


def integer_attr(dtype: Any, value: int) -> Any:
    """`value` with the element type of `dtype`, such as `76 : ui8`."""
    return current_session().ir.IntegerAttr.get(element_type(dtype), int(value))


def float_attr(dtype: Any, value: float) -> Any:
    """`value` with the element type of `dtype`, such as `1.0 : f32`."""
    return current_session().ir.FloatAttr.get(element_type(dtype), float(value))
