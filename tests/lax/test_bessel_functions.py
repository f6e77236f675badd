"""bessel_i0e and bessel_i1e: values against SciPy, derivatives against jax."""

import numpy as np
import pytest

from tests.lax import calls

X = np.array([-30.0, -8.0, -1.0, -0.0, 1e-10, 0.5, 7.9, 8.1, 100.0, 1e30], np.float32)
BOTH = ("bessel_i0e", "bessel_i1e")


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("x64", [False, True], ids=["f32", "f64"])
def test_value(oracle, name, x64):
    x = X.astype(np.float64 if x64 else np.float32)
    oracle.compare(calls.value, name, (x,), {}, x64=x64)


@pytest.mark.parametrize("x64", [False, True], ids=["f32", "f64"])
def test_against_scipy(oracle, x64):
    from scipy.special import i0e

    dtype = np.float64 if x64 else np.float32
    x = np.linspace(-25, 25, 501).astype(dtype)
    record = oracle.run_here(calls.value, "bessel_i0e", (x,), {}, x64=x64)
    found = np.frombuffer(record.array[2], dtype).astype(np.float64)
    rtol = 5e-14 if x64 else 5e-7
    np.testing.assert_allclose(found, i0e(x.astype(np.float64)), rtol=rtol)


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_short_floats(oracle, name, dtype):
    import ml_dtypes  # noqa: F401  names bfloat16 for numpy

    oracle.compare(calls.value, name, (X[:-1].astype(dtype),), {})


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("x", [np.inf, -np.inf, np.nan])
def test_edges(oracle, name, x):
    oracle.compare(calls.value, name, (np.float32(x),), {})


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("shape", [(), (3,)], ids=str)
def test_jvp_jaxpr(oracle, name, shape):
    oracle.compare(calls.jvp_text, name, [(shape, "float32")], {}, (0,))


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("x", [0.0, 1e-9, 0.5, -2.0, 20.0])
def test_slopes(oracle, name, x):
    operands = (np.float32(x),)
    one = np.float32(1)
    oracle.compare(calls.pullback, name, operands, {}, (0,), one, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("name", BOTH)
def test_wrong_dtype(oracle, name):
    oracle.compare(calls.value, name, (1,), {}, raises=True)
