"""Quantiles and medians."""

import pytest

from tests.numpy.expressions import evaluate

METHODS = ("linear", "lower", "higher", "midpoint", "nearest", "inverted_cdf")
CASES = [f"jnp.quantile(x, 0.37, method='{m}')" for m in METHODS]
CASES += [f"jnp.nanquantile(n, 0.4, method='{m}')" for m in METHODS[:5]]
CASES += [
    "jnp.quantile(f, 0.3)",
    "jnp.quantile(ff, jnp.array([0.1, 0.5]), axis=1)",
    "jnp.quantile(fff, jnp.array([0.1, 0.5]), axis=(0, 2))",
    "jnp.quantile(ff, 0.5, axis=0, keepdims=True)",
    "jnp.quantile(ff, jnp.array([0.2]), keepdims=True)",
    "jnp.quantile(i, 0.5)",
    "jnp.quantile(h, 0.5)",
    "jnp.quantile(x, 1.5)",
    "jnp.quantile(jnp.array([1.0, jnp.nan]), 0.5)",
    "jnp.percentile(f, 30)",
    "jnp.percentile(ff, jnp.array([10, 90]), axis=1)",
    "jnp.nanpercentile(nn, 50, axis=1)",
    "jnp.median(f)",
    "jnp.median(ff, axis=1)",
    "jnp.median(fff, axis=(0, 1), keepdims=True)",
    "jnp.median(jnp.arange(4))",
    "jnp.nanmedian(nn, axis=1)",
    "jnp.nanmedian(n)",
    "jnp.quantile(f, 0.5, weights=p, method='inverted_cdf')",
    "grad(lambda v: jnp.median(v))(f)",
    "vmap(jnp.median)(ff)",
]
RAISES = [
    "jnp.quantile(x, 0.5, method='hazen')",
    "jnp.quantile(x, 0.5, weights=x)",
    "jnp.quantile(c, 0.5)",
    "jnp.quantile(f, ff)",
    "jnp.quantile(f, 0.5, out=f)",
    "jnp.quantile(e, 0.5)",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)
