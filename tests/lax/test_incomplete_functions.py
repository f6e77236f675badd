"""Incomplete gamma and beta functions: SciPy for values, jax for types and edges."""

import itertools

import numpy as np
import pytest

from tests.lax import calls

RNG = np.random.default_rng(0)
A = np.exp(RNG.uniform(-3, 3, 200))
X = A * np.exp(RNG.normal(size=200))
B = np.exp(RNG.uniform(-2, 3, 200))
Z = RNG.uniform(0, 1, 200)
GAMMA = ("igamma", "igammac", "igamma_grad_a")


def found(oracle, name, operands, dtype):
    x64 = dtype is np.float64
    operands = tuple(x.astype(dtype) for x in operands)
    record = oracle.run_here(calls.value, name, operands, {}, x64=x64)
    return np.frombuffer(record.array[2], dtype).astype(np.float64)


@pytest.mark.parametrize("dtype, atol", [(np.float32, 5e-6), (np.float64, 1e-13)])
def test_against_scipy(oracle, dtype, atol):
    from scipy import special

    a, x, b, z = (values.astype(dtype).astype(np.float64) for values in (A, X, B, Z))
    close = {"rtol": 0, "atol": atol}
    low, high = special.gammainc(a, x), special.gammaincc(a, x)
    np.testing.assert_allclose(found(oracle, "igamma", (A, X), dtype), low, **close)
    np.testing.assert_allclose(found(oracle, "igammac", (A, X), dtype), high, **close)
    beta = special.betainc(a, b, z)
    close = {"rtol": 0, "atol": 5 * atol}
    np.testing.assert_allclose(
        found(oracle, "betainc", (A, B, Z), dtype), beta, **close
    )


def test_small_values_keep_their_digits(oracle):
    from scipy import special

    a, x = np.array([2.0, 0.5, 5.0]), np.array([60.0, 40.0, 100.0])
    high = found(oracle, "igammac", (a, x), np.float64)
    np.testing.assert_allclose(high, special.gammaincc(a, x), rtol=1e-12)
    a, x = np.array([8.0, 20.0]), np.array([0.1, 1.0])
    low = found(oracle, "igamma", (a, x), np.float64)
    np.testing.assert_allclose(low, special.gammainc(a, x), rtol=1e-12)


def test_slope_in_a_against_differences(oracle):
    from scipy import special

    h = 1e-6 * A
    slope = (special.gammainc(A + h, X) - special.gammainc(A - h, X)) / (2 * h)
    ours = found(oracle, "igamma_grad_a", (A, X), np.float64)
    np.testing.assert_allclose(ours, slope, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("name", GAMMA)
def test_gamma_against_jax(oracle, name):
    operands = (A.astype(np.float32), X.astype(np.float32))
    oracle.compare(calls.value, name, operands, {}, rtol=3e-5, atol=1e-6)


def test_beta_against_jax(oracle):
    operands = tuple(values.astype(np.float32) for values in (A, B, Z))
    oracle.compare(calls.value, "betainc", operands, {}, rtol=1e-4, atol=1e-5)


EDGES = np.array(
    list(itertools.product([-1.0, 0.0, 1.0, 2.5, np.inf, np.nan], repeat=2)), np.float32
).T


@pytest.mark.parametrize("name", GAMMA)
def test_edges_of_gamma(oracle, name):
    operands = (EDGES[0].copy(), EDGES[1].copy())
    oracle.compare(calls.value, name, operands, {}, rtol=2e-6)


BETA_EDGES = np.array(
    list(
        itertools.product(
            [-1.0, 0.0, 1.0, 2.0, np.inf],
            [0.0, 1.0, 3.0, np.inf],
            [-0.1, 0.0, 0.3, 1.0, 1.1, np.nan],
        )
    ),
    np.float32,
).T


def test_edges_of_beta(oracle):
    operands = tuple(row.copy() for row in BETA_EDGES)
    oracle.compare(calls.value, "betainc", operands, {}, rtol=2e-6)


@pytest.mark.parametrize("name", ("igamma", "igammac"))
@pytest.mark.parametrize("moving", [(0,), (1,), (0, 1)], ids=str)
def test_jvp_jaxpr(oracle, name, moving):
    types = [((3,), "float32")] * 2
    oracle.compare(calls.jvp_text, name, types, {}, moving)


def test_jvp_jaxpr_of_beta(oracle):
    types = [((3,), "float32")] * 3
    oracle.compare(calls.jvp_text, "betainc", types, {}, (2,))


def test_check_48_slopes_of_igamma(oracle):
    operands = (np.float32(2), np.float32(1))
    one = np.float32(1)
    oracle.compare(calls.pullback, "igamma", operands, {}, (0, 1), one, rtol=1e-5)


@pytest.mark.parametrize("moving", [(0,), (1,)], ids=str)
def test_check_48_beta_has_no_slope_in_its_parameters(oracle, moving):
    operands = (np.float32(2), np.float32(1), np.float32(0.5))
    one = np.float32(1)
    oracle.compare(calls.pullback, "betainc", operands, {}, moving, one, raises=True)


def second(J):
    f = lambda a: J.lax.igamma_grad_a(a, np.float32(1))  # noqa: E731
    return J.jvp(f, (np.float32(2),), (np.float32(1),))


def test_check_48_no_second_order_in_a(oracle):
    oracle.compare(second, raises=True)


@pytest.mark.parametrize("shapes", [((), (3,)), ((3, 1), (1, 4))], ids=str)
@pytest.mark.parametrize("name", GAMMA)
def test_stretching(oracle, name, shapes):
    a, x = (np.linspace(0.5, 3, max(1, int(np.prod(s)))).reshape(s) for s in shapes)
    operands = (a.astype(np.float32), x.astype(np.float32))
    oracle.compare(calls.value, name, operands, {}, rtol=1e-5)


@pytest.mark.parametrize("name", ("igamma", "igammac"))
def test_short_floats(oracle, name):
    import ml_dtypes

    a = np.array([0.5, 1.0, 3.0], ml_dtypes.bfloat16)
    oracle.compare(calls.value, name, (a, a[::-1].copy()), {})


@pytest.mark.parametrize("name", ("igamma", "betainc"))
def test_vmap(oracle, name):
    a = np.linspace(0.5, 3, 6, dtype=np.float32).reshape(2, 3)
    operands = (a, a / 4) if name == "igamma" else (a, a + 1, a / 4)
    axes = (1, 1) if name == "igamma" else (1, 1, 1)
    oracle.compare(calls.mapped, name, operands, {}, axes, rtol=1e-5)


@pytest.mark.parametrize("name", (*GAMMA, "betainc"))
def test_operands_that_do_not_fit(oracle, name):
    count = 3 if name == "betainc" else 2
    oracle.compare(calls.value, name, (1,) * count, {}, raises=True)
    mixed = (np.float32(1), np.float16(1), np.float32(1))[:count]
    oracle.compare(calls.value, name, mixed, {}, raises=True)
