"""atan2, and complex numbers where sines and cosines are delicate."""

import numpy as np
import pytest

from tests.lax import calls

X = np.array([0.0, 1.0, -1.0, -0.0, 0.5], np.float32)
Y = np.array([1.0, -1.0, -2.0, -1.0, 0.0], np.float32)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_atan2(oracle, dtype):
    oracle.compare(calls.value, "atan2", (X.astype(dtype), Y.astype(dtype)), {})


def test_complex_atan2_types(oracle):
    types = [((3,), "complex64")] * 2
    oracle.compare(calls.jvp_text, "atan2", types, {}, (0, 1))


@pytest.mark.parametrize("shapes", [((), ()), ((3,), (3,)), ((), (3,))], ids=str)
@pytest.mark.parametrize("moving", [(0,), (1,), (0, 1)], ids=str)
def test_atan2_jvp_jaxpr(oracle, shapes, moving):
    types = [(shape, "float32") for shape in shapes]
    oracle.compare(calls.jvp_text, "atan2", types, {}, moving)


@pytest.mark.parametrize("x, y", [(0.0, 0.0), (1.0, 2.0)])
def test_check_36_slopes_of_atan2(oracle, x, y):
    operands = (np.float32(x), np.float32(y))
    oracle.compare(calls.pullback, "atan2", operands, {}, (0, 1), np.float32(1))


@pytest.mark.parametrize("operands", [(1, 1), (X, 1), (X, X[:2])], ids=str)
def test_atan2_refuses(oracle, operands):
    oracle.compare(calls.value, "atan2", operands, {}, raises=True)


@pytest.mark.parametrize("name", ["sin", "cos", "tan", "tanh"])
@pytest.mark.parametrize("z", [200j, 1 + 100j, 1e-6 + 1e-6j, -0.0 + 0j, 1e30 + 1j])
def test_far_from_the_real_axis(oracle, name, z):
    oracle.compare(calls.value, name, (np.complex64(z),), {}, rtol=4e-6)


@pytest.mark.parametrize("z", [1e25 + 1e25j, 1 + 1j, 1e-20j, np.inf + 1j])
def test_complex_asinh_slope(oracle, z):
    z, one = np.complex64(z), np.complex64(1)
    oracle.compare(calls.jvp_value, "asinh", (z,), {}, (0,), (one,), rtol=4e-6)


def asin_module(J, platform):
    lowered = (
        J.jit(J.lax.asin)
        .trace(np.ones(3, np.float32))
        .lower(lowering_platforms=(platform,))
    )
    return "chlo.asin" in lowered.as_text()


@pytest.mark.parametrize("platform", ["cpu", "cuda"])
def test_asin_by_platform(oracle, platform):
    oracle.compare(asin_module, platform)
