"""Where elements are, and where they belong."""

import pytest

from tests.numpy.expressions import evaluate

CASES = [
    "jnp.nonzero(jnp.array([0, 3, 0, 4]))",
    "jnp.nonzero(ii)",
    "jnp.nonzero(jnp.array([0, 3, 0, 4]), size=3, fill_value=-1)",
    "jnp.nonzero(jnp.array([0, 3]), size=2, fill_value=1.5)",
    "jnp.nonzero(ii, size=3)",
    "jnp.nonzero(ii, size=8, fill_value=(7, 8))",
    "jnp.nonzero(e, size=2)",
    "J.jit(lambda v: jnp.nonzero(v, size=2))(b)",
    "b.nonzero()",
    "jnp.flatnonzero(bb)",
    "jnp.flatnonzero(bb, size=5, fill_value=-1)",
    "jnp.argwhere(bb)",
    "jnp.argwhere(jnp.array([0, 1, 1]), size=3, fill_value=9)",
    "jnp.argwhere(2.0)",
    "jnp.where(b)",
    "jnp.where(bb, size=2)",
    "jnp.where(b, f, 0.0)",
    "jnp.compress(b, f)",
    "jnp.compress(b, ff, axis=1)",
    "jnp.compress(jnp.array([True]), ff, axis=0)",
    "jnp.compress(b, f, size=3, fill_value=7)",
    "jnp.compress(b, ff, axis=1, size=2)",
    "jnp.extract(ff > 0, ff)",
    "jnp.extract(f > 0, f, size=2)",
    "f.compress(b)",
    "jnp.searchsorted(jnp.array([1, 2, 2, 3]), jnp.array([2, 0, 9]))",
    "jnp.searchsorted(jnp.array([1, 2, 2, 3]), 2, side='right')",
    "jnp.searchsorted(jnp.array([1.0, jnp.nan]), jnp.nan)",
    "jnp.searchsorted(jnp.sort(f), ff)",
    "jnp.searchsorted(jnp.sort(f), ff, method='compare_all')",
    "jnp.searchsorted(jnp.sort(f), ff, method='sort', side='right')",
    "jnp.searchsorted(f, 0.5, sorter=jnp.argsort(f))",
    "jnp.searchsorted(e, 1.0)",
    "jnp.searchsorted(x, 3)",
    "x.searchsorted(2.5)",
    "jnp.digitize(jnp.array([0.5, 1.0, 9.0]), jnp.array([2.0, 1.0, 0.0]))",
    "jnp.digitize(f, jnp.array([-1.0, 0.0, 1.0]))",
    "jnp.digitize(f, jnp.array([-1.0, 0.0, 1.0]), right=True)",
    "vmap(lambda v: jnp.searchsorted(jnp.sort(f), v))(ff)",
]
RAISES = [
    "jnp.nonzero(3)",
    "J.jit(jnp.nonzero)(f)",
    "jnp.where(f, 1, 2, size=2)",
    "jnp.where(f, 1)",
    "jnp.nonzero(f, size=-1)",
    "jnp.nonzero(f, size=2.0)",
    "jnp.searchsorted(f, 1.0, method='x')",
    "jnp.searchsorted(f, 1.0, side='x')",
    "jnp.searchsorted(ff, 1.0)",
    "jnp.digitize(f, ff)",
    "jnp.compress(bb, f)",
    "jnp.compress(b, f, size=9)",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)
