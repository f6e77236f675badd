"""The elementwise functions of one operand: values, types, derivatives, errors."""

import ml_dtypes
import numpy as np
import pytest

from tests.lax import calls

F32 = np.array([-2.5, -1.0, -0.3, -0.0, 0.0, 0.4, 0.5, 1.0, 1.5, 3.0], np.float32)
EDGES = np.array([np.nan, np.inf, -np.inf, 1e-40, 3e38, -1e30], np.float32)
C64 = np.array(
    [1 + 2j, -0.5 + 0.1j, 0.3 - 2j, 0j, 2 + 0j, -3j, 1e-3 + 1e3j], np.complex64
)
INTS = np.array([-3, 0, 1, 7, 100], np.int32)
BYTES = np.array([0, 1, 200], np.uint8)
BF16 = F32.astype(ml_dtypes.bfloat16)

# Functions of floats and complex numbers.
INEXACT = (
    *("exp", "exp2", "expm1", "log", "log2", "log1p", "sqrt", "rsqrt", "logistic"),
    *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh"),
    *("acosh", "atanh", "reciprocal"),
)
# Functions of floats only.
REAL = ("cbrt", "floor", "ceil", "round", "is_finite", "erf", "erfc", "erf_inv")
NUMERIC = ("neg", "sign", "square", "one_minus_square")
ALL = (*INEXACT, *REAL, *NUMERIC, "abs")
# The derivative of erf goes through a primitive of ours where jax has a custom_jvp.
OWN_DERIVATIVE = ("erf", "erfc")


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("x", [F32, EDGES, BF16], ids=["f32", "edges", "bf16"])
def test_value(oracle, name, x):
    oracle.compare(calls.value, name, (x,), {})


@pytest.mark.parametrize("name", (*INEXACT, *NUMERIC, "abs", "real", "imag", "conj"))
def test_complex_value(oracle, name):
    oracle.compare(calls.value, name, (C64,), {}, rtol=3e-6)


@pytest.mark.parametrize("name", ALL)
def test_float64_value(oracle, name):
    oracle.compare(calls.value, name, (F32.astype(np.float64),), {}, x64=True)


@pytest.mark.parametrize("name", (*NUMERIC, "abs", "bitwise_not"))
def test_integer_value(oracle, name):
    oracle.compare(calls.value, name, (INTS,), {}, exact=True)


@pytest.mark.parametrize("name", ("population_count", "clz", "neg", "sign"))
@pytest.mark.parametrize("x", [INTS, BYTES], ids=["i32", "u8"])
def test_bits_of_integers(oracle, name, x):
    oracle.compare(calls.value, name, (x,), {}, exact=True)


@pytest.mark.parametrize("name", ALL)
def test_python_scalar_stays_weak(oracle, name):
    oracle.compare(calls.value, name, (0.5,), {})


@pytest.mark.parametrize("name", (*ALL, "conj"))
def test_jaxpr(oracle, name):
    oracle.compare(calls.text, name, [((3,), "float32")], {})


@pytest.mark.parametrize("name", sorted({*ALL} - {*OWN_DERIVATIVE, "is_finite"}))
@pytest.mark.parametrize("shape", [(), (3,)], ids=["scalar", "vector"])
def test_jvp_jaxpr(oracle, name, shape):
    oracle.compare(calls.jvp_text, name, [(shape, "float32")], {}, (0,))


def test_jvp_jaxpr_of_a_truth_value(oracle):
    oracle.compare(calls.jvp_text, "is_finite", [((), "float32")], {}, (0,))


@pytest.mark.parametrize("name", (*INEXACT, *NUMERIC, "abs", "real", "imag", "conj"))
def test_complex_jvp_jaxpr(oracle, name):
    oracle.compare(calls.jvp_text, name, [((3,), "complex64")], {}, (0,))


@pytest.mark.parametrize("name", sorted(set(ALL) - {"is_finite"}))
@pytest.mark.parametrize("x", [F32, EDGES], ids=["f32", "edges"])
def test_jvp_value(oracle, name, x):
    ones = np.ones_like(x)
    oracle.compare(calls.jvp_value, name, (x,), {}, (0,), (ones,), rtol=4e-6)


@pytest.mark.parametrize("name", sorted(set(ALL) - {"is_finite"}))
def test_pullback(oracle, name):
    x = np.array([0.2, 0.7], np.float32)
    oracle.compare(calls.pullback, name, (x,), {}, (0,), np.ones_like(x), rtol=4e-6)


@pytest.mark.parametrize("name", (*INEXACT, *NUMERIC, "abs", "real", "imag", "conj"))
def test_complex_pullback(oracle, name):
    x = np.array([0.2 + 0.3j, 0.7 - 1j], np.complex64)
    dtype = np.float32 if name in ("abs", "real", "imag") else np.complex64
    y_bar = np.ones(2, dtype)
    oracle.compare(calls.pullback, name, (x,), {}, (0,), y_bar, rtol=4e-6)


@pytest.mark.parametrize("name", sorted(set(ALL) - {"is_finite", "acosh"}))
@pytest.mark.parametrize("x", [0.3, -0.6])
def test_second_derivative(oracle, name, x):
    oracle.compare(
        calls.second_derivative, name, np.float32(x), {}, rtol=1e-5, atol=1e-6
    )


@pytest.mark.parametrize("name", ALL)
def test_vmap(oracle, name):
    x = np.abs(np.linspace(0.1, 0.9, 6, dtype=np.float32)).reshape(2, 3)
    oracle.compare(calls.mapped, name, (x,), {}, (1,))


@pytest.mark.parametrize("name", ALL)
def test_wrong_dtype(oracle, name):
    wrong = np.array([True]) if name in (*NUMERIC, "abs") else np.array([1])
    oracle.compare(calls.value, name, (wrong,), {}, raises=True)


@pytest.mark.parametrize("name", ("real", "imag", "cbrt", "erf", "floor", "clz"))
def test_wrong_family(oracle, name):
    x = F32 if name in ("real", "imag", "clz") else C64
    oracle.compare(calls.value, name, (x,), {}, raises=True)


@pytest.mark.parametrize("x", ["text", None, [1.0], object], ids=str)
def test_not_an_array(oracle, x):
    oracle.compare(calls.value, "sin", (x,), {}, raises=True)


def test_float0_has_no_functions(oracle):
    x = np.zeros(3, np.dtype([("float0", np.void, 0)]))
    oracle.compare(calls.value, "sin", (x,), {}, raises=True)


# --- rounding and powers --------------------------------------------------------------


@pytest.mark.parametrize("method", ["AWAY_FROM_ZERO", "TO_NEAREST_EVEN"])
def test_round(oracle, method):
    params = {"rounding_method": f"lax.RoundingMethod.{method}"}
    x = np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 0.49999997], np.float32)
    oracle.compare(calls.value, "round", (x,), params, exact=True)
    oracle.compare(calls.text, "round", [((2,), "float32")], params)


def test_round_by_no_method(oracle):
    oracle.compare(calls.value, "round", (F32,), {"rounding_method": 3}, raises=True)


@pytest.mark.parametrize("y", [0, 1, 2, 3, 7, -1, -2, -3])
def test_integer_pow(oracle, y):
    oracle.compare(calls.value, "integer_pow", (F32,), {"y": y})
    oracle.compare(calls.text, "integer_pow", [((3,), "float32")], {"y": y})
    types = [((3,), "float32")]
    oracle.compare(calls.jvp_text, "integer_pow", types, {"y": y}, (0,))


@pytest.mark.parametrize("y", [0, 1, 2, 5])
def test_integer_pow_of_integers(oracle, y):
    oracle.compare(calls.value, "integer_pow", (INTS,), {"y": y}, exact=True)


@pytest.mark.parametrize("y", [0, 1, 2, 3, -1])
@pytest.mark.parametrize("x", [0.0, 2.0])
def test_integer_pow_derivative(oracle, x, y):
    x = np.float32(x)
    one = np.float32(1)
    oracle.compare(calls.jvp_value, "integer_pow", (x,), {"y": y}, (0,), (one,))


def test_integer_pow_refuses_reciprocals_of_integers(oracle):
    oracle.compare(calls.value, "integer_pow", (INTS,), {"y": -1}, raises=True)


def test_integer_pow_of_numpy_power(oracle):
    params = {"y": np.int64(3)}
    oracle.compare(calls.text, "integer_pow", [((3,), "float32")], params)


# --- conventions at kinks (spec/ad.md, checks 30 and 56) ------------------------------


@pytest.mark.parametrize("x", [0.0, -0.0, np.nan, 2.0, -2.0])
def test_check_30_slope_of_abs(oracle, x):
    x = np.float32(x)
    oracle.compare(calls.pullback, "abs", (x,), {}, (0,), np.float32(1), exact=True)


@pytest.mark.parametrize("z", [0j, 3 + 4j])
def test_check_30_slope_of_complex_abs(oracle, z):
    z = np.complex64(z)
    oracle.compare(calls.pullback, "abs", (z,), {}, (0,), np.float32(1))


@pytest.mark.parametrize(
    "name, y_bar", [("conj", 1j), ("real", 1.0), ("imag", 1.0)], ids=str
)
def test_check_56_pullbacks_of_parts(oracle, name, y_bar):
    z = np.complex64(1 + 2j)
    y_bar = np.complex64(y_bar) if name == "conj" else np.float32(y_bar)
    oracle.compare(calls.pullback, name, (z,), {}, (0,), y_bar, exact=True)


@pytest.mark.parametrize("name", ["real", "imag", "conj", "neg"])
def test_transpose_jaxpr(oracle, name):
    like = ((3,), "complex64")
    oracle.compare(calls.transpose_text, name, (), {}, 0, like)


def test_transpose_jaxpr_of_conj_of_reals(oracle):
    oracle.compare(calls.transpose_text, "conj", (), {}, 0, ((3,), "float32"))


@pytest.mark.parametrize("x", [1e30, -1e30, 1e-30, np.inf])
def test_slope_of_asinh_where_squares_overflow(oracle, x):
    x, one = np.float32(x), np.float32(1)
    oracle.compare(calls.jvp_value, "asinh", (x,), {}, (0,), (one,))


@pytest.mark.parametrize("x", [1e19, 1e-20, 3e38 + 3e38j, 1e-40 + 1e-40j, np.inf + 1j])
def test_complex_abs_neither_overflows_nor_underflows(oracle, x):
    oracle.compare(calls.value, "abs", (np.complex64(x),), {})


# --- two operands: rem, nextafter, max, min -------------------------------------------

P = np.array([5.0, -5.0, 5.5, 0.0, 1.0], np.float32)
Q = np.array([2.0, 2.0, -2.0, 3.0, 1.0], np.float32)
PAIRS = ("rem", "nextafter", "max", "min")


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("operands", [(P, Q), (P, 2.0), (2.0, P), (1.0, 2.0)], ids=str)
def test_pair_value(oracle, name, operands):
    oracle.compare(calls.value, name, operands, {}, exact=True)


@pytest.mark.parametrize("name", ("max", "min"))
@pytest.mark.parametrize(
    "x, y",
    [
        (INTS, INTS[::-1].copy()),
        (np.array([True, False]), np.array([False, False])),
        (C64, C64[::-1].copy()),
        (np.array([np.nan, 1.0], np.float32), np.array([1.0, np.nan], np.float32)),
    ],
    ids=["i32", "bool", "c64", "nan"],
)
def test_extremum_value(oracle, name, x, y):
    oracle.compare(calls.value, name, (x, y), {}, exact=True)


@pytest.mark.parametrize("operands", [(-7, 3), (7, -3), (INTS, 2)], ids=str)
def test_integer_remainder(oracle, operands):
    oracle.compare(calls.value, "rem", operands, {}, exact=True)


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("shapes", [((), ()), ((3,), (3,)), ((3,), ()), ((), (3,))])
@pytest.mark.parametrize("moving", [(0,), (0, 1)], ids=str)
def test_pair_jvp_jaxpr(oracle, name, shapes, moving):
    types = [(shape, "float32") for shape in shapes]
    oracle.compare(calls.jvp_text, name, types, {}, moving)


@pytest.mark.parametrize("name", ("rem", "max", "min"))
def test_pair_jvp_jaxpr_in_the_second(oracle, name):
    oracle.compare(calls.jvp_text, name, [((3,), "float32")] * 2, {}, (1,))


@pytest.mark.parametrize("name", ("rem", "max", "min", "nextafter"))
@pytest.mark.parametrize("x, y", [(5.0, 2.0), (-5.0, 2.0), (1.0, 1.0), (np.nan, 1.0)])
def test_check_46_slopes_of_pairs(oracle, name, x, y):
    operands = (np.float32(x), np.float32(y))
    one = np.float32(1)
    oracle.compare(calls.pullback, name, operands, {}, (0, 1), one, exact=True)


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("operands", [(P, 1), (P, P[:2]), (1, 1.0)], ids=str)
def test_pairs_that_do_not_fit(oracle, name, operands):
    oracle.compare(calls.value, name, operands, {}, raises=True)


@pytest.mark.parametrize("name", ("rem", "nextafter"))
def test_pairs_of_complex_numbers(oracle, name):
    oracle.compare(calls.value, name, (1j, 1j), {}, raises=True)


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("in_axes", [(0, None), (1, 0)], ids=str)
def test_vmap_of_pairs(oracle, name, in_axes):
    x = np.arange(1, 10, dtype=np.float32).reshape(3, 3)
    oracle.compare(calls.mapped, name, (x, x + 1), {}, in_axes)
