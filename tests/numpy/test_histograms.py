"""Counting by value and interpolation."""

import pytest

from tests.numpy.expressions import evaluate

CASES = [
    "jnp.bincount(jnp.array([0, 2, 2]))",
    "jnp.bincount(jnp.array([0, -1, 9]), length=3)",
    "jnp.bincount(jnp.array([0, 2, 2]), minlength=5)",
    "jnp.bincount(jnp.array([0, 2, 2]), weights=f)",
    "jnp.bincount(b)",
    "J.jit(lambda v: jnp.bincount(v, length=4))(k)",
    "jnp.histogram(jnp.array([1, 2, 1]), bins=2)",
    "jnp.histogram(jnp.array([3.0, 3.0]), bins=2)",
    "jnp.histogram(x, bins=jnp.array([0.0, 3.0, 5.0, 9.0]))",
    "jnp.histogram(f, bins=4, range=(-1, 1))",
    "jnp.histogram(f, weights=g, bins=3)",
    "jnp.histogram(x, bins=3, density=True)",
    "jnp.histogram(jnp.array([1.0, jnp.nan]), bins=2, range=(0, 2))",
    "jnp.histogram_bin_edges(x, 4)",
    "jnp.histogram_bin_edges(i, 3)",
    "jnp.histogram2d(jnp.array([1.0, 2.0]), jnp.array([1.0, 2.0]), bins=2)",
    "jnp.histogram2d(f, g, bins=3, density=True)",
    "jnp.histogramdd(jnp.stack([f, g], 1), bins=2)",
    "jnp.histogramdd(jnp.stack([f, g], 1), bins=(2, 3), range=((-1, 1), (-2, 2)))",
    "jnp.interp(jnp.array([0.0, 1.5, 4.0]), jnp.array([1.0, 2.0, 3.0]), jnp.array([3.0, 2.0, 0.0]))",
    "jnp.interp(jnp.array([0.0, 4.0]), jnp.array([1.0, 2.0, 3.0]), jnp.array([3.0, 2.0, 0.0]), left=-1, right='extrapolate')",
    "jnp.interp(370.0, jnp.array([0.0, 180.0]), jnp.array([1.0, 2.0]), period=360.0)",
    "jnp.interp(x, jnp.array([2, 5]), jnp.array([1, 2]))",
    "jnp.interp(jnp.nan, jnp.array([1.0, 2.0]), jnp.array([1.0, 2.0]))",
    "jnp.interp(1.5, jnp.array([1.0, 1.0, 2.0]), jnp.array([1.0, 2.0, 3.0]))",
    "grad(lambda v: jnp.interp(v, jnp.array([1.0, 2.0]), jnp.array([3.0, 5.0])))(1.5)",
]
RAISES = [
    "J.jit(jnp.bincount)(i)",
    "jnp.bincount(f)",
    "jnp.bincount(ii)",
    "jnp.histogram(f, bins='auto')",
    "jnp.interp(c, f, g)",
    "jnp.interp(x, ff, ff)",
    "jnp.interp(x, f, g, left='a')",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)
