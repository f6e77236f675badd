"""Dtypes as callable types: `float32(1)` is an array, `float32` stands for a dtype.

Source: spec/numpy.md §2.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import dtypes
from .array_making import asarray


class ScalarType(type):
    """The type of `float32` and its like.

    They hash and compare as NumPy's scalar types do, and make arrays when called.
    """

    dtype: np.dtype

    def __call__(cls, x: Any = 0) -> Any:  # type: ignore[override]
        if isinstance(x, str):  # "nan", "-inf", "3": NumPy reads them
            x = cls.dtype.type(x)
        return asarray(x, dtype=cls.dtype)

    def __hash__(cls) -> int:
        return hash(cls.dtype.type)

    def __eq__(cls, other: object) -> bool:
        if cls is other:
            return True
        if isinstance(other, ScalarType):
            return cls.dtype == other.dtype
        if isinstance(other, np.dtype):
            return cls.dtype == other
        return other is cls.dtype.type

    def __ne__(cls, other: object) -> bool:
        return not cls == other

    def __instancecheck__(cls, x: object) -> bool:
        return isinstance(x, cls.dtype.type)

    def __repr__(cls) -> str:
        return f"<class 'minijax.numpy.{cls.__name__}'>"


def _scalar_type(name: str, dtype: Any = None) -> ScalarType:
    found = dtypes.to_dtype(dtype or name)
    doc = f"The dtype {found}, and a function that makes arrays of it."
    return ScalarType(
        name, (), {"dtype": found, "__doc__": doc, "__module__": __name__}
    )


bool_ = _scalar_type("bool_", "bool")
int2, int4 = _scalar_type("int2"), _scalar_type("int4")
int8, int16 = _scalar_type("int8"), _scalar_type("int16")
int32, int64 = _scalar_type("int32"), _scalar_type("int64")
uint2, uint4 = _scalar_type("uint2"), _scalar_type("uint4")
uint8, uint16 = _scalar_type("uint8"), _scalar_type("uint16")
uint32, uint64 = _scalar_type("uint32"), _scalar_type("uint64")
float4_e2m1fn = _scalar_type("float4_e2m1fn")
float6_e2m3fn = _scalar_type("float6_e2m3fn")
float6_e3m2fn = _scalar_type("float6_e3m2fn")
float8_e3m4, float8_e4m3 = _scalar_type("float8_e3m4"), _scalar_type("float8_e4m3")
float8_e4m3b11fnuz = _scalar_type("float8_e4m3b11fnuz")
float8_e4m3fn = _scalar_type("float8_e4m3fn")
float8_e4m3fnuz = _scalar_type("float8_e4m3fnuz")
float8_e5m2 = _scalar_type("float8_e5m2")
float8_e5m2fnuz = _scalar_type("float8_e5m2fnuz")
float8_e8m0fnu = _scalar_type("float8_e8m0fnu")
bfloat16, float16 = _scalar_type("bfloat16"), _scalar_type("float16")
float32, float64 = _scalar_type("float32"), _scalar_type("float64")
complex64, complex128 = _scalar_type("complex64"), _scalar_type("complex128")

int_, uint, float_, complex_ = int64, uint64, float64, complex128
single, double, csingle, cdouble = float32, float64, complex64, complex128

# Kinds of dtypes, for `issubdtype`: NumPy's own.
generic, number, inexact, flexible = np.generic, np.number, np.inexact, np.flexible
character, object_ = np.character, np.object_
integer, signedinteger, unsignedinteger = (
    np.integer,
    np.signedinteger,
    np.unsignedinteger,
)
floating, complexfloating = np.floating, np.complexfloating
dtype = np.dtype
