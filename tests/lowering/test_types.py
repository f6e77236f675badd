"""Types and attributes: spec/lowering.md §10."""

import ml_dtypes
import numpy as np
import pytest

from minijax import lowering
from minijax.base import dtypes
from minijax.core import ShapedArray, token_aval
from tests.lowering.toys import KEY, f32, lower

# dtype -> how MLIR prints the element type, as jax does
ELEMENTS = {
    "bool": "i1",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "uint8": "ui8",
    "uint16": "ui16",
    "uint32": "ui32",
    "uint64": "ui64",
    "float16": "f16",
    "float32": "f32",
    "float64": "f64",
    "complex64": "complex<f32>",
    "complex128": "complex<f64>",
    "bfloat16": "bf16",
    "int2": "i2",
    "int4": "i4",
    "uint2": "ui2",
    "uint4": "ui4",
    "float4_e2m1fn": "f4E2M1FN",
    "float8_e3m4": "f8E3M4",
    "float8_e4m3": "f8E4M3",
    "float8_e4m3b11fnuz": "f8E4M3B11FNUZ",
    "float8_e4m3fn": "f8E4M3FN",
    "float8_e4m3fnuz": "f8E4M3FNUZ",
    "float8_e5m2": "f8E5M2",
    "float8_e5m2fnuz": "f8E5M2FNUZ",
    "float8_e8m0fnu": "f8E8M0FNU",
}


@pytest.mark.parametrize(("name", "element"), ELEMENTS.items())
def test_check_33_dtypes_print_as_in_the_table(name, element):
    dtype = np.dtype(getattr(ml_dtypes, name, None) or name)
    with lowering.open_session():
        assert str(lowering.ir_type(ShapedArray((2, 3), dtype))) == (
            f"tensor<2x3x{element}>"
        )
        assert str(lowering.element_type(dtype)) == element


def test_every_array_dtype_has_an_element_type():
    with lowering.open_session():
        for dtype in dtypes.ARRAY_DTYPES:
            assert str(lowering.element_type(dtype))


def test_float0_is_a_boolean():
    assert (
        "tensor<2xi1>" in lower(lambda x: x, ShapedArray((2,), dtypes.float0)).as_text()
    )


def test_scalars_and_tokens():
    with lowering.open_session():
        assert str(lowering.ir_type(f32())) == "tensor<f32>"
        assert str(lowering.ir_type(token_aval)) == "!stablehlo.token"


def test_check_63_keys_are_their_data():
    aval = ShapedArray((3,), KEY)
    assert lowering.physical_aval(aval) is ShapedArray((3, 2), np.uint32)
    with lowering.open_session():
        assert str(lowering.ir_type(aval)) == "tensor<3x2xui32>"


def test_an_unknown_dtype_is_named():
    with pytest.raises(TypeError, match=r"dtype datetime64"):
        lower(lambda x: x, ShapedArray((2,), np.dtype("datetime64[s]")))


def test_types_are_made_once():
    with lowering.open_session() as session:
        first = lowering.ir_type(f32(7))
        assert lowering.ir_type(f32(7)) is first
        assert len(session.tables["type"][f32(7)]) == 1


ATTRIBUTES = [
    (lambda: lowering.i64_array((1, 2)), "array<i64: 1, 2>"),
    (lambda: lowering.i64_array([]), "array<i64>"),
    (lambda: lowering.bool_array([True, False]), "array<i1: true, false>"),
    (lambda: lowering.i64_attr(3), "3 : i64"),
    (lambda: lowering.i32_attr(np.int64(3)), "3 : i32"),
    (lambda: lowering.bool_attr(True), "true"),
    (lambda: lowering.string_attr('a"b'), '"a\\22b"'),
    (
        lambda: lowering.dense_i64([[0, 1], [2, 3]]),
        "dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>",
    ),
    (lambda: lowering.symbol_attr("f"), "@f"),
    (lambda: lowering.unit_attr(), "unit"),
    (lambda: lowering.integer_attr(np.uint8, 76), "76 : ui8"),
    (lambda: lowering.float_attr(np.float32, 1.5), "1.500000e+00 : f32"),
    (lambda: lowering.array_attr([lowering.i64_attr(1)]), "[1]"),
    (lambda: lowering.dict_attr({"k": lowering.bool_attr(True)}), "{k = true}"),
    (lambda: lowering.type_attr(lowering.tensor_type((2,), "int8")), "tensor<2xi8>"),
    (
        lambda: lowering.parse_attr("#stablehlo<comparison_direction LT>"),
        "#stablehlo<comparison_direction LT>",
    ),
]


@pytest.mark.parametrize(("make", "text"), ATTRIBUTES)
def test_attributes(make, text):
    with lowering.open_session():
        printed = str(make())
    assert printed in (text, text.replace("[1]", "[1 : i64]"))
