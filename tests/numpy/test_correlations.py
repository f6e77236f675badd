"""Convolution, correlation, covariance."""

import pytest

from tests.numpy.expressions import evaluate

MODES = ("full", "same", "valid")
CASES = [f"jnp.{n}(x, p, mode='{m}')" for n in ("convolve", "correlate") for m in MODES]
CASES += [
    f"jnp.{n}(p, x, mode='{m}')" for n in ("convolve", "correlate") for m in MODES
]
CASES += [
    "jnp.convolve(jnp.array([1, 2, 3]), jnp.array([0, 1]))",
    "jnp.convolve(jnp.array([1, 2]), jnp.array([1, 1]), preferred_element_type='int32')",
    "jnp.correlate(jnp.array([1, 2, 3]), jnp.array([0, 1, 0.5]))",
    "jnp.correlate(c, c, 'full')",
    "jnp.convolve(c, f)",
    "jnp.cov(f)",
    "jnp.cov(ff)",
    "jnp.cov(ff, rowvar=False)",
    "jnp.cov(f, g)",
    "jnp.cov(ff, bias=True)",
    "jnp.cov(ff, ddof=0)",
    "jnp.cov(f, fweights=jnp.array([1, 2, 3]))",
    "jnp.cov(ff, aweights=p)",
    "jnp.cov(ff, fweights=jnp.array([1, 2, 3]), aweights=p)",
    "jnp.cov(cc)",
    "jnp.cov(ii)",
    "jnp.corrcoef(ff)",
    "jnp.corrcoef(f, g)",
    "jnp.corrcoef(f)",
]
RAISES = [
    "jnp.convolve(jnp.ones((2, 2)), f)",
    "jnp.convolve(e, f)",
    "jnp.convolve(f, g, mode='bogus')",
    "jnp.cov(fff)",
    "jnp.cov(f, fweights=f)",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)
