"""Conversions of dtype: by value, by bits, of precision only."""

import ml_dtypes
import numpy as np
import pytest

from tests.lax import calls

F = np.array([0.0, -1.9, 2.5, 300.0, -0.0], np.float32)
KINDS = (
    *("bool", "int8", "int32", "uint8", "uint32", "float16", "bfloat16", "float32"),
    *("complex64", "float8_e4m3fn", "int4"),
)
SOURCES = {
    "f32": np.array([0.0, -1.9, 2.5, 3.0], np.float32),
    "c64": np.array([0j, 1 + 2j, 3j, -2.5], np.complex64),
    "i32": np.array([0, -1, 3, 7], np.int32),
    "bool": np.array([True, False]),
    "bf16": np.array([0.0, 1.5, -2.0], ml_dtypes.bfloat16),
    "u8": np.array([0, 7, 5], np.uint8),
}


def converted(J, x, dtype):
    return J.lax.convert_element_type(x, dtype)


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("source", SOURCES)
def test_value(oracle, source, dtype):
    if dtype.startswith("u") and source in ("f32", "c64", "bf16", "i32"):
        x = np.abs(SOURCES[source]).astype(SOURCES[source].dtype)
    else:
        x = SOURCES[source]
    oracle.compare(converted, x, dtype, exact=True)


@pytest.mark.parametrize("x", [1, 2.7, True, np.float64(2.5), np.int8(3)])
@pytest.mark.parametrize("dtype", ["int32", "float32", "bool", "float16"])
def test_scalars(oracle, x, dtype):
    oracle.compare(converted, x, dtype)


@pytest.mark.parametrize("dtype", [float, int, complex, bool])
def test_python_types_mean_the_default_width(oracle, dtype):
    oracle.compare(converted, np.arange(3, dtype=np.float32), dtype)


def constants(J, x):
    same = J.lax.convert_element_type(x, x.dtype)
    number = J.lax.convert_element_type(2.7, "int32")
    array = J.lax.convert_element_type(np.ones(2, np.float32), "int32")
    twice = J.lax.convert_element_type(J.lax.convert_element_type(1.0, "int8"), "f4")
    return same, number, array, twice


def test_constants_leave_no_equation(oracle):
    oracle.compare(constants_jaxpr)


def constants_jaxpr(J):
    x = J.ShapeDtypeStruct((3,), "float32")
    return str(J.make_jaxpr(lambda x: constants(J, x)[:3])(x))


def weak_program(J):
    return J.make_jaxpr(lambda x: J.lax.convert_element_type(x, "float32"))(1.0)


def test_a_weak_value_becomes_strong(oracle):
    oracle.compare(weak_program)


def identity_of_same_dtype(J, x):
    x = J.lax.neg(x)
    return J.lax.convert_element_type(x, "float32") is x


def test_nothing_to_convert(oracle):
    oracle.compare(identity_of_same_dtype, F)


@pytest.mark.parametrize("dtype", ["float16", "int32", "complex64", "bool"])
def test_jaxpr_and_derivative(oracle, dtype):
    params = {"new_dtype": dtype}
    name = "convert_element_type"
    oracle.compare(calls.text, name, [((3,), "float32")], params)
    if dtype in ("float16", "complex64"):
        types = [((3,), "float32")]
        oracle.compare(calls.jvp_text, name, types, params, (0,))
        oracle.compare(calls.transpose_text, name, (), params, 0, types[0])


def test_real_part_of_complex(oracle):
    params = {"new_dtype": "float32"}
    types = [((3,), "complex64")]
    oracle.compare(calls.jvp_text, "convert_element_type", types, params, (0,))
    oracle.compare(
        calls.transpose_text, "convert_element_type", (), params, 0, types[0]
    )


def there_and_back(J, x):
    def through_integers(x):
        return J.lax.convert_element_type(J.lax.convert_element_type(x, "int32"), "f4")

    y, pull = J.vjp(through_integers, x)
    return y, pull(y)


def test_check_45_integers_stop_derivatives(oracle):
    oracle.compare(there_and_back, F)


def gradient_dtype(J, x):
    y, pull = J.vjp(lambda x: J.lax.convert_element_type(x, "float16"), x)
    return pull(y)


def test_check_45_gradients_have_the_dtype_of_the_input(oracle):
    oracle.compare(gradient_dtype, F)


@pytest.mark.parametrize("dtype", [None, "no dtype", "datetime64[s]", object], ids=str)
def test_no_dtype(oracle, dtype):
    oracle.compare(converted, F, dtype, raises=True)


@pytest.mark.parametrize("dtype", ["int64", "float64", "complex128", "uint64"])
@pytest.mark.parametrize("x64", [False, True])
@pytest.mark.filterwarnings("ignore")
def test_64_bits(oracle, dtype, x64):
    oracle.compare(converted, np.array([1, 2, 3], np.int32), dtype, x64=x64)


def test_vmap(oracle):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    params = {"new_dtype": "int32"}
    oracle.compare(calls.mapped, "convert_element_type", (x,), params, (1,))


# --- bits -----------------------------------------------------------------------------

BITCASTS = [
    (F, "int32"),
    (F, "uint8"),
    (F, "float16"),
    (F, "float32"),
    (np.arange(8, dtype=np.uint8).reshape(2, 4), "float32"),
    (np.arange(8, dtype=np.uint8).reshape(2, 4), "int32"),
    (np.arange(4, dtype=np.int16), "bfloat16"),
    (np.float32(1), "uint32"),
    (np.array([True]), "bool"),
    (np.array([1j], np.complex64), "complex64"),
]


@pytest.mark.parametrize("case", range(len(BITCASTS)))
def test_bitcast(oracle, case):
    x, dtype = BITCASTS[case]
    params = {"new_dtype": dtype}
    oracle.compare(calls.value, "bitcast_convert_type", (x,), params, exact=True)


@pytest.mark.parametrize(
    "x, dtype",
    [
        (np.arange(3, dtype=np.int8), "int32"),
        (np.int8(1), "int32"),
        (np.array([1j], np.complex64), "int32"),
        (np.array([True]), "int8"),
    ],
    ids=str,
)
def test_bitcast_refuses(oracle, x, dtype):
    params = {"new_dtype": dtype}
    oracle.compare(calls.value, "bitcast_convert_type", (x,), params, raises=True)


@pytest.mark.parametrize("dtype", ["int32", "uint8"])
@pytest.mark.parametrize("axis", [0, 1])
def test_vmap_of_bitcast(oracle, dtype, axis):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    params = {"new_dtype": dtype}
    oracle.compare(
        calls.mapped, "bitcast_convert_type", (x,), params, (axis,), exact=True
    )


def widened_under_vmap(J, x):
    return J.vmap(lambda x: J.lax.bitcast_convert_type(x, "float32"), in_axes=1)(x)


def test_vmap_of_a_widening_bitcast_over_the_last_axis(oracle):
    # jax mistakes the batch axis for the axis of pieces; the loop is right.
    x = np.arange(8, dtype=np.uint8).reshape(4, 2)
    record = oracle.run_here(widened_under_vmap, x)
    loop = np.array([x[:, i].copy().view(np.float32)[0] for i in range(2)])
    assert record.array[2] == loop.tobytes()


def test_check_45_bits_have_no_derivative(oracle):
    types = [((3,), "float32")]
    params = {"new_dtype": "int32"}
    oracle.compare(calls.text, "bitcast_convert_type", types, params)
    oracle.compare(bits_pulled_back, F)


def bits_pulled_back(J, x):
    f = lambda x: J.lax.bitcast_convert_type(  # noqa: E731
        J.lax.bitcast_convert_type(x, "int32"), "float32"
    )
    return J.vjp(f, x)[1](x)


# --- precision ------------------------------------------------------------------------


@pytest.mark.parametrize("bits", [(5, 10), (8, 7), (4, 3), (1, 0)])
def test_reduce_precision(oracle, bits):
    x = np.array([1.0001, 3.14159, 1e-6, 70000.0, np.nan], np.float32)
    params = {"exponent_bits": bits[0], "mantissa_bits": bits[1]}
    oracle.compare(calls.value, "reduce_precision", (x,), params, exact=True)
    types = [((3,), "float32")]
    oracle.compare(calls.jvp_text, "reduce_precision", types, params, (0,))
    oracle.compare(calls.transpose_text, "reduce_precision", (), params, 0, types[0])


@pytest.mark.parametrize("bits", [(0, 10), (5, -1), (5.0, 1)], ids=str)
def test_reduce_precision_refuses(oracle, bits):
    params = {"exponent_bits": bits[0], "mantissa_bits": bits[1]}
    oracle.compare(calls.value, "reduce_precision", (F,), params, raises=True)


def test_reduce_precision_of_integers(oracle):
    params = {"exponent_bits": 5, "mantissa_bits": 10}
    oracle.compare(
        calls.value, "reduce_precision", (np.arange(3),), params, raises=True
    )
