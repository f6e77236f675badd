"""lgamma, digamma, polygamma, zeta: values, accuracy, derivatives."""

import numpy as np
import pytest

from tests.lax import calls

X = np.array([0.1, 0.5, 1.0, 2.5, 7.0, -0.7, 30.0], np.float32)


def test_digamma(oracle):
    oracle.compare(calls.value, "digamma", (X,), {}, rtol=4e-6)


@pytest.mark.parametrize("x64", [False, True], ids=["f32", "f64"])
def test_lgamma(oracle, x64):
    x = X.astype(np.float64 if x64 else np.float32)
    rtol = 1e-14 if x64 else 2e-6
    oracle.compare(calls.value, "lgamma", (x,), {}, rtol=rtol, atol=rtol, x64=x64)


@pytest.mark.parametrize("name", ["lgamma", "digamma"])
@pytest.mark.parametrize("x", [0.0, -1.0, np.inf, np.nan])
def test_poles(oracle, name, x):
    oracle.compare(calls.value, name, (np.float32(x),), {})


@pytest.mark.parametrize("m", [0.0, 1.0, 3.0])
def test_polygamma(oracle, m):
    x = np.array([0.5, 1.0, 4.0], np.float32)
    oracle.compare(calls.value, "polygamma", (np.float32(m), x), {}, rtol=4e-6)


def test_polygamma_jvp_jaxpr(oracle):
    types = [((), "float32"), ((3,), "float32")]
    oracle.compare(calls.jvp_text, "polygamma", types, {}, (1,))


def test_check_48_polygamma_has_no_slope_in_its_order(oracle):
    operands = (np.float32(1), np.float32(2))
    one = np.float32(1)
    oracle.compare(calls.pullback, "polygamma", operands, {}, (0,), one, raises=True)


def test_zeta(oracle):
    operands = (np.array([2.0, 3.5], np.float32), np.array([1.0, 2.0], np.float32))
    oracle.compare(calls.value, "zeta", operands, {}, rtol=4e-6)


def test_check_48_zeta_has_no_derivative(oracle):
    operands = (np.float32(2), np.float32(2))
    one = np.float32(1)
    oracle.compare(calls.pullback, "zeta", operands, {}, (0,), one, raises=True)


@pytest.mark.parametrize("name", ["lgamma", "digamma"])
def test_jvp_jaxpr(oracle, name):
    oracle.compare(calls.jvp_text, name, [((3,), "float32")], {}, (0,))


def test_check_48_slope_of_lgamma_at_a_pole(oracle):
    operands = (np.float32(0),)
    oracle.compare(calls.pullback, "lgamma", operands, {}, (0,), np.float32(1))


RANGES = [(0.01, 0.95), (1.05, 1.95), (2.05, 10.0), (10.0, 1e3), (1e3, 1e30)]


@pytest.mark.parametrize("low, high", RANGES)
@pytest.mark.parametrize("x64", [False, True], ids=["f32", "f64"])
def test_lgamma_is_exact_to_a_few_digits_in_the_last_place(oracle, low, high, x64):
    from scipy.special import gammaln

    dtype = np.float64 if x64 else np.float32
    x = np.geomspace(low, high, 200).astype(dtype)
    record = oracle.run_here(calls.value, "lgamma", (x,), {}, x64=x64)
    found = np.frombuffer(record.array[2], dtype).astype(np.float64)
    exact = gammaln(x.astype(np.float64))
    assert found == pytest.approx(exact, rel=1e-13 if x64 else 6e-7)


@pytest.mark.parametrize("e", [1e-3, -1e-3, 1e-5, -1e-6])
@pytest.mark.parametrize("zero", [1, 2])
def test_lgamma_near_its_zeros(oracle, zero, e):
    # The series of lgamma around 1 and 2, of which jax keeps eight digits.
    x = np.float64(zero + e)
    z = float(x) - zero
    slope = -0.5772156649015329 + zero - 1
    second = np.pi**2 / 6 - (zero - 1)
    third = -2 * (1.2020569031595943 - (zero - 1))
    fourth = 6 * (np.pi**4 / 90 - (zero - 1))
    exact = z * (slope + z * (second / 2 + z * (third / 6 + z * fourth / 24)))
    record = oracle.run_here(calls.value, "lgamma", (x,), {}, x64=True)
    (found,) = np.frombuffer(record.array[2], np.float64)
    assert found == pytest.approx(exact, rel=1e-11 if abs(e) > 1e-4 else 1e-13)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_lgamma_of_short_floats(oracle, dtype):
    import ml_dtypes  # noqa: F401  names bfloat16 for numpy

    oracle.compare(calls.value, "lgamma", (np.abs(X).astype(dtype),), {})
