"""Arrays as sets."""

import pytest

from tests.numpy.expressions import evaluate

NAMES = ("unique", "unique_values")
CASES = [
    f"jnp.{n}({x})"
    for n in NAMES
    for x in ("jnp.array([3, 1, 1, 2])", "f", "n", "b", "c")
]
CASES += [
    "jnp.unique(jnp.array([3, 1, 1, 2]), size=5)",
    "jnp.unique(jnp.array([3, 1, 1, 2]), size=5, fill_value=-1)",
    "jnp.unique(jnp.array([3, 1, 1, 2]), size=2)",
    "jnp.unique(jnp.array([3, 1, 1]), return_index=True, return_inverse=True, return_counts=True, size=3)",
    "jnp.unique(jnp.array([3, 1, 1]), return_index=True, return_inverse=True, return_counts=True)",
    "jnp.unique(ii, return_inverse=True, return_counts=True)",
    "jnp.unique(jnp.array([[1, 2], [1, 2], [0, 5]]), axis=0)",
    "jnp.unique(jnp.array([[1, 2], [1, 2], [0, 5]]), axis=0, return_index=True, return_inverse=True)",
    "jnp.unique(jnp.array([[1, 1, 2], [0, 0, 5]]), axis=1)",
    "jnp.unique(jnp.array([jnp.nan, jnp.nan]), equal_nan=False)",
    "jnp.unique(e)",
    "jnp.unique(e, size=2, fill_value=3)",
    "J.jit(lambda v: jnp.unique(v, size=2))(i)",
    "jnp.unique_counts(jnp.array([3, 1, 1])).counts",
    "jnp.unique_inverse(ii).inverse_indices",
    "jnp.unique_all(jnp.array([3, 1, 1])).indices",
    "jnp.isin(jnp.arange(3), jnp.array([0, 2]))",
    "jnp.isin(ii, 3)",
    "jnp.isin(ii, i, invert=True)",
    "jnp.isin(n, n)",
    "jnp.isin(f, i, method='sort')",
    "jnp.union1d(jnp.array([1, 2]), jnp.array([2, 3]), size=4)",
    "jnp.union1d(i, k)",
    "jnp.union1d(i, f)",
    "jnp.setdiff1d(jnp.array([1, 2, 3, 3]), jnp.array([2]), size=4)",
    "jnp.setdiff1d(jnp.array([1, 2, 3, 3]), jnp.array([2]))",
    "jnp.setdiff1d(jnp.array([3, 1]), jnp.array([2]), assume_unique=True)",
    "jnp.setdiff1d(i, k, size=4, fill_value=-1)",
    "jnp.intersect1d(jnp.array([1, 2, 3]), jnp.array([2, 3, 4]), size=4)",
    "jnp.intersect1d(jnp.array([1, 2, 3]), jnp.array([2, 3, 4]))",
    "jnp.intersect1d(jnp.array([1, 2, 3]), jnp.array([4, 3, 2]), return_indices=True)",
    "jnp.setxor1d(jnp.array([1, 2]), jnp.array([2, 4]), size=3)",
    "jnp.setxor1d(jnp.array([1, 2]), jnp.array([2, 4]))",
]
RAISES = [
    "J.jit(jnp.setdiff1d)(i, i)",
    "J.jit(jnp.unique)(i)",
    "jnp.unique(e, size=2)",
    "jnp.isin(1, [1, 2])",
    "jnp.isin(i, i, method='bogus')",
    "jnp.unique([1, 2])",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)
