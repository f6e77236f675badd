"""Error functions and logaddexp: values, derivatives, accuracy in the tails."""

import numpy as np
import pytest

from tests.lax import calls

X = np.array([0.1, 0.5, 1.0, 2.5, 7.0, -0.7, 30.0], np.float32)


@pytest.mark.parametrize("name", ["erf", "erfc"])
def test_value(oracle, name):
    oracle.compare(calls.value, name, (X,), {}, rtol=4e-6)


def test_jvp_jaxpr(oracle):
    oracle.compare(calls.jvp_text, "erf_inv", [((3,), "float32")], {}, (0,))


def test_check_48_slope_at_the_end(oracle):
    operands = (np.float32(1),)
    oracle.compare(calls.pullback, "erf_inv", operands, {}, (0,), np.float32(1))


@pytest.mark.parametrize("name", ["erf", "erfc"])
@pytest.mark.parametrize("x", [0.0, 0.3, 3.7, 8.5, 10.9, 12.0, np.inf, -5.0])
def test_slopes_in_the_tails(oracle, name, x):
    x, one = np.float32(x), np.float32(1)
    oracle.compare(calls.jvp_value, name, (x,), {}, (0,), (one,))
    oracle.compare(calls.second_derivative, name, x, {})


@pytest.mark.parametrize("dtype", ["float64", "float16", "bfloat16"])
def test_slope_in_other_dtypes(oracle, dtype):
    import ml_dtypes  # noqa: F401  names bfloat16 for numpy

    x = np.array([0.1, 1.5, 5.0], dtype)
    x64 = dtype == "float64"
    oracle.compare(calls.jvp_value, "erf", (x,), {}, (0,), (np.ones_like(x),), x64=x64)


def test_exp_neg_square_is_exact_in_float32(oracle):
    x = np.linspace(0, 10, 101, dtype=np.float32)
    record = oracle.run_here(calls.value, "exp_neg_square", (x,), {})
    found = np.frombuffer(record.array[2], np.float32).astype(np.float64)
    exact = np.exp(-(x.astype(np.float64) ** 2))
    normal = exact > np.finfo(np.float32).tiny
    assert np.max(np.abs(found - exact)[normal] / exact[normal]) < 3e-7


PAIRS = [(0.0, 0.0), (1000.0, 1000.0), (-np.inf, 0.0), (np.inf, np.inf), (-3.0, 2.0)]


@pytest.mark.parametrize("x, y", PAIRS)
def test_logaddexp_value(oracle, x, y):
    # lax of jax has no logaddexp; NumPy has the value.
    x, y = np.float32(x), np.float32(y)
    record = oracle.run_here(calls.value, "logaddexp", (x, y), {})
    (found,) = np.frombuffer(record.array[2], np.float32)
    assert found == pytest.approx(np.logaddexp(x, y), rel=2e-7)


@pytest.mark.parametrize(
    "x, y, slopes",
    [
        (0.0, 0.0, (0.5, 0.5)),
        (-np.inf, 0.0, (0.0, 1.0)),
        (np.inf, 0.0, (1.0, 0.0)),
        (np.inf, np.inf, (1.0, 1.0)),
    ],
)
def test_check_50_slopes_of_logaddexp(oracle, x, y, slopes):
    operands = (np.float32(x), np.float32(y))
    one = np.float32(1)
    record = oracle.run_here(calls.pullback, "logaddexp", operands, {}, (0, 1), one)
    found = [np.frombuffer(r.array[2], np.float32)[0] for _, r in record.children]
    assert found == pytest.approx(slopes)
