"""Polynomials as coefficients."""

import pytest

from tests.numpy.expressions import evaluate

CASES = [
    "jnp.polyval(jnp.array([1, 2, 3]), 2)",
    "jnp.polyval(f, g)",
    "jnp.polyval(f, ff)",
    "jnp.polyval(f, i)",
    "jnp.polyadd(f, g[:2])",
    "jnp.polyadd(i, k)",
    "jnp.polysub(i[:1], k)",
    "jnp.polymul(i, k)",
    "jnp.polymul(f, g[:2])",
    "jnp.polydiv(jnp.array([1.0, 3.0, 2.0]), jnp.array([1.0, 1.0]))",
    "jnp.polydiv(f[:1], g)",
    "jnp.polyder(i)",
    "jnp.polyder(f, 2)",
    "jnp.polyint(f)",
    "jnp.polyint(f, 2, k=jnp.array([1.0, 2.0]))",
    "jnp.polyint(i, k=3)",
    "jnp.poly(jnp.array([1.0, 2.0]))",
    "jnp.poly(f)",
    "grad(lambda v: jnp.polyval(v, 2.0))(f)",
]
RAISES = [
    "jnp.polyder(f, -1)",
    "jnp.polyint(f, -1)",
    "jnp.polyval([1], 2)",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)
