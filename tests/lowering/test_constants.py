"""Constants: spec/lowering.md §9."""

import ml_dtypes
import numpy as np
import pytest

from minijax import lowering
from minijax.base import dtypes
from minijax.core import ShapedArray
from tests.lowering.toys import KEY, add, call, f32, lower, mul, text, trace


def constant(value, aval=None):
    """The operation that `ctx.constant` emits, without its type."""
    with lowering.open_session() as session:
        module = lowering.ModuleContext(session, ("cpu",))
        ctx = lowering.LoweringContext(module)
        with session.ir.InsertionPoint(module.body):
            ctx.constant(value, aval)
        lines = lowering.as_text(module.operation).splitlines()[1:-1]
    return [line.strip().split(" = ", 1)[1] for line in lines if line.strip()]


def test_check_30_a_scalar_operand_is_a_constant_at_each_use():
    lines = text(lambda x: add(mul(x, 2.0), 2.0), f32(3)).splitlines()
    assert [line.strip() for line in lines[2:8]] == [
        "%cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>",
        "%0 = stablehlo.broadcast_in_dim %cst, dims = [] : "
        "(tensor<f32>) -> tensor<3xf32>",
        "%1 = stablehlo.multiply %arg0, %0 : tensor<3xf32>",
        "%cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>",
        "%2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : "
        "(tensor<f32>) -> tensor<3xf32>",
        "%3 = stablehlo.add %1, %2 : tensor<3xf32>",
    ]


def test_check_30_equal_elements_are_a_splat():
    assert constant(np.ones((2, 3), np.float32)) == [
        "stablehlo.constant dense<1.000000e+00> : tensor<2x3xf32>"
    ]


def test_check_30_repeated_data_is_stored_once():
    row = np.array([1, 2, 3, 4], np.float32)
    assert constant(np.broadcast_to(row, (3, 4))) == [
        "stablehlo.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, "
        "4.000000e+00]> : tensor<4xf32>",
        "stablehlo.broadcast_in_dim %cst, dims = [1] : "
        "(tensor<4xf32>) -> tensor<3x4xf32>",
    ]


def test_check_31_an_array_is_embedded_once_per_function():
    c = np.arange(3, dtype=np.float32)
    once = text(lambda x: add(add(x, c), c), f32(3))
    assert once.count("stablehlo.constant") == 1
    first = trace(lambda x: add(x, c), f32(3))
    second = trace(lambda x: mul(x, c), f32(3))
    twice = text(lambda x: call(second, call(first, x)[0])[0], f32(3))
    assert twice.count("stablehlo.constant dense<[0.000000e+00, 1.0") == 2


SPECIAL = [
    (
        np.float32([np.nan, np.inf, -np.inf]),
        "dense<[0x7FC00000, 0x7F800000, 0xFF800000]>",
    ),
    (
        np.complex64([1j, 0]),
        "dense<[(0.000000e+00,1.000000e+00), (0.000000e+00,0.000000e+00)]>",
    ),
    (np.array([True, False]), "dense<[true, false]>"),
    (np.float32(-0.0), "dense<-0.000000e+00>"),
    (np.float32(0.0), "dense<0.000000e+00>"),
    (np.int8([-1, 2]), "dense<[-1, 2]>"),
    (np.uint8([255, 2]), "dense<[255, 2]>"),
    (np.zeros((0, 2), np.float32), "dense<>"),
    (
        np.arange(6, dtype=np.float32).reshape(2, 3).T[:, :1],
        "dense<[[0.000000e+00], [1.000000e+00], [2.000000e+00]]>",
    ),
    (np.arange(4, dtype=np.int32)[::-1], "dense<[3, 2, 1, 0]>"),
    (np.array([1, -2, 7], ml_dtypes.int4), "dense<[1, -2, 7]>"),
    (np.array([1, 15], ml_dtypes.uint4), "dense<[1, 15]>"),
    (np.array([0.5, 3], ml_dtypes.bfloat16), "dense<[5.000000e-01, 3.000000e+00]>"),
    (
        np.array([0.5, 3], ml_dtypes.float8_e4m3fn),
        "dense<[5.000000e-01, 3.000000e+00]>",
    ),
    (
        np.array([0.5, 3], ml_dtypes.float4_e2m1fn),
        "dense<[5.000000e-01, 3.000000e+00]>",
    ),
]


@pytest.mark.parametrize(("value", "printed"), SPECIAL)
def test_check_32_special_values(value, printed):
    (line,) = constant(value)
    assert line.split(" : ")[0] == f"stablehlo.constant {printed}"


@pytest.mark.parametrize("value", [-0.0, 0.0])
def test_python_zeros_keep_their_sign(value):
    constant(1.0), constant(-0.0), constant(0.0)  # whatever a cache may hold by now
    sign = "-" if np.signbit(value) else ""
    assert constant(value, f32()) == [
        f"stablehlo.constant dense<{sign}0.000000e+00> : tensor<f32>"
    ]


def test_equal_scalars_of_different_types():
    assert constant(1, f32()) == [
        "stablehlo.constant dense<1.000000e+00> : tensor<f32>"
    ]
    i32 = ShapedArray((), np.int32)
    assert constant(True, i32) == ["stablehlo.constant dense<1> : tensor<i32>"]
    assert constant(True) == ["stablehlo.constant dense<true> : tensor<i1>"]


def test_a_scalar_fills_a_larger_type():
    assert constant(0, f32(2, 3)) == [
        "stablehlo.constant dense<0.000000e+00> : tensor<2x3xf32>"
    ]
    assert constant(2.5, f32(2, 3)) == [
        "stablehlo.constant dense<2.500000e+00> : tensor<2x3xf32>"
    ]


def test_a_dtype_in_place_of_a_type():
    assert constant(np.array([1, 2]), np.float32)[0].endswith("tensor<2xf32>")


def test_float0_is_false():
    aval = ShapedArray((2,), dtypes.float0)
    assert constant(np.zeros(2, dtypes.float0), aval) == [
        "stablehlo.constant dense<false> : tensor<2xi1>"
    ]


def test_keys_are_their_data():
    data = np.array([[1, 2], [3, 4]], np.uint32)
    assert constant(data, ShapedArray((2,), KEY)) == [
        "stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xui32>"
    ]


def test_masked_arrays_and_other_things_are_refused():
    masked = np.ma.MaskedArray([1.0, 2.0], [True, False])
    with pytest.raises(ValueError, match="masked array"):
        constant(masked, f32(2))
    with pytest.raises(TypeError, match="type object"):
        constant(object(), f32())


def test_data_of_another_shape_is_refused():
    with pytest.raises(ValueError, match=r"float32\[3\]"):
        constant(np.zeros(2, np.float32), f32(3))


def test_a_type_enters_its_own_reader():
    class Cell:
        value = np.float32(3)

    lowering.numpy_makers[Cell] = lambda cell: np.asarray(cell.value)
    try:
        assert constant(Cell(), f32()) == [
            "stablehlo.constant dense<3.000000e+00> : tensor<f32>"
        ]
    finally:
        del lowering.numpy_makers[Cell]


def test_large_data_is_counted_so_that_its_context_is_retired():
    big = np.arange(1 << 24, dtype=np.float32)  # 64 MiB
    first = lower(lambda x: add(x, big), f32(1 << 24)).module.context
    lower(lambda x: add(x, np.arange(8, dtype=np.float32)), f32(8))
    with lowering.open_session() as session:
        assert session.context is not first
        assert session.constant_bytes < 1 << 20
