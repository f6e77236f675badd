"""Numbers with names."""

import pytest

from tests.numpy.expressions import evaluate

CASES = [
    "(jnp.pi, jnp.e, jnp.euler_gamma, jnp.inf, jnp.newaxis)",
    "jnp.isnan(jnp.nan)",
    "f * jnp.pi",
    "f * 0.0",
    "f * -0.0",
    "jnp.array([2**31 - 1]) * 1",
]
RAISES = [
    "i + 2**31",
    "i - 2**31",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)
