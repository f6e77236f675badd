"""Values known while lowering: Python scalars, NumPy arrays, device arrays.

`numpy_makers` says, by type, how to read a value's data; whoever owns a type enters it.
Large data goes to MLIR as bytes, never as text.

Source: spec/lowering.md §9.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..base import dtypes
from ..base.errors import ArgumentTypeError, ArgumentValueError
from ..core import ShapedArray, typeof
from .mlir import Session
from .types import element_types, i64_array, physical_aval, value_types


def _refuse_masked(x: Any) -> None:
    raise ArgumentValueError(
        "A constant of a program must be a plain array.",
        f"Found a NumPy masked array of shape {x.shape}.",
        "Fill it first: `x.filled(0)`.",
    )


def _as_array(x: Any) -> np.ndarray:
    # Asked by name: `np.ma` is loaded by whoever has a masked array, not by us.
    if type(x).__module__.startswith("numpy.ma"):
        _refuse_masked(x)
    return np.asarray(x)


# type -> function that gives a value's data as a NumPy array: physical data where the
# value's dtype is an extended one
numpy_makers: dict[type, Callable[[Any], np.ndarray]] = {
    np.ndarray: _as_array,
    np.generic: _as_array,
    bool: _as_array,
    int: _as_array,
    float: _as_array,
    complex: _as_array,
}


def data_of(value: Any) -> np.ndarray:
    """The data of a constant. Raises: TypeError for a value that has none."""
    for base in type(value).__mro__:
        maker = numpy_makers.get(base)
        if maker is not None:
            return maker(value)
    raise ArgumentTypeError(
        "A constant of a program must be an array or a number.",
        f"Found a value of type {type(value).__name__}.",
    )


def constant_aval(value: Any, aval_or_dtype: Any) -> Any:
    """The type of a constant: as given, with a given dtype, or the value's own."""
    if aval_or_dtype is None:
        return typeof(value)
    if isinstance(aval_or_dtype, ShapedArray):
        return aval_or_dtype
    return ShapedArray(np.shape(value), aval_or_dtype)


_ZEROS = {repr(zero): zero for zero in (False, 0, 0.0, -0.0)}
_HASHED_SCALARS = frozenset((bool, int, float))  # a complex zero has four signs


def emit_constant(session: Session, value: Any, aval: Any, location: Any) -> Any:
    """The IR value of `value` at the current insertion point.

    A scalar `value` of a larger `aval` fills it.
    """
    # NaN differs from itself and cannot be a key; zeros differ in sign, which only
    # their text tells.
    if type(value) in _HASHED_SCALARS and value == value:
        key = aval, value or repr(value)
        types, attributes = session.table("scalar", _make_scalar)[key]
        name, create = "stablehlo.constant", session.create
        return create(name, types, (), attributes, None, 0, location).result
    data = _canonical(data_of(value), physical_aval(aval))
    if data.ndim == 0:
        made = session.table("bits", _make_bits)
        types, attributes = made[aval, data.dtype, data.tobytes()]
        name, create = "stablehlo.constant", session.create
        return create(name, types, (), attributes, None, 0, location).result
    if any(stride == 0 for stride in data.strides) and data.size > 1:
        return _emit_repeated(session, data, aval, location)
    return _emit_dense(session, data, aval, location)


def _make_scalar(session: Session, key: tuple[Any, Any]) -> Any:
    aval, value = key
    number = _ZEROS[value] if isinstance(value, str) else value
    return _filled(session, aval, np.asarray(number))


def _make_bits(session: Session, key: tuple[Any, np.dtype, bytes]) -> Any:
    aval, dtype, data = key
    return _filled(session, aval, np.frombuffer(data, dtype)[0])


def _filled(session: Session, aval: Any, number: Any) -> Any:
    physical = physical_aval(aval)
    data = _canonical(np.asarray(number), physical)
    return value_types(session)[aval], {"value": _dense(session, data, physical.shape)}


def _canonical(data: np.ndarray, aval: Any) -> np.ndarray:
    if aval.dtype == dtypes.float0:
        return np.zeros(aval.shape, bool)
    return data if data.dtype == aval.dtype else data.astype(aval.dtype)


def _dense(session: Session, data: np.ndarray, shape: tuple[int, ...]) -> Any:
    element = element_types(session)[data.dtype]
    session.constant_bytes += data.nbytes
    data = np.asarray(data, order="C")
    with session.context:
        get = session.ir.DenseElementsAttr.get
        return get(data, type=element, shape=shape)


def _emit_dense(session: Session, data: np.ndarray, aval: Any, location: Any) -> Any:
    shape = physical_aval(aval).shape
    if data.shape != shape and data.size != 1:
        raise ArgumentValueError(
            f"A constant of type {aval} is to be made.",
            f"Found data of shape {data.shape}.",
        )
    types = value_types(session)[aval]
    attributes = {"value": _dense(session, data, shape)}
    name, create = "stablehlo.constant", session.create
    return create(name, types, (), attributes, None, 0, location).result


def _emit_repeated(session: Session, data: np.ndarray, aval: Any, location: Any) -> Any:
    """Only the distinct part becomes a constant: `np.broadcast_to` costs nothing."""
    kept = tuple(i for i, stride in enumerate(data.strides) if stride != 0)
    distinct = data[tuple(slice(None) if i in kept else 0 for i in range(data.ndim))]
    part_aval = ShapedArray(distinct.shape, data.dtype)
    part = _emit_dense(session, distinct, part_aval, location)
    attributes = {"broadcast_dimensions": i64_array(kept)}
    types = value_types(session)[aval]
    name, create = "stablehlo.broadcast_in_dim", session.create
    return create(name, types, (part,), attributes, None, 0, location).result
