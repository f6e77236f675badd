"""Taking out, putting in, resizing."""

import pytest

from tests.numpy.expressions import evaluate

CASES = [
    "jnp.delete(jnp.arange(4), jnp.array([1, 1]))",
    "jnp.delete(x, 3)",
    "jnp.delete(x, -1)",
    "jnp.delete(ff, 1, axis=1)",
    "jnp.delete(x, slice(1, 5, 2))",
    "jnp.delete(x, x > 3)",
    "jnp.delete(ff, 0)",
    "J.jit(lambda v, j: jnp.delete(v, j, assume_unique_indices=True))(x, k)",
    "jnp.insert(jnp.arange(3), 1, 2.7)",
    "jnp.insert(x, 3, 7)",
    "jnp.insert(f, jnp.array([0, 2]), jnp.array([1.0, 2.0]))",
    "jnp.insert(f, slice(0, 2), 9)",
    "jnp.insert(ff, 1, 0.0, axis=1)",
    "jnp.insert(ff, 1, f, axis=0)",
    "jnp.insert(ff, 1, jnp.array([7.0, 8.0]), axis=1)",
    "jnp.insert(f, -1, 5)",
    "jnp.insert(x, jnp.array([5, 1, 1]), jnp.array([1.0, 2.0, 3.0]))",
    "jnp.resize(jnp.arange(3), 5)",
    "jnp.resize(ff, (2, 2))",
    "jnp.resize(ff, (3, 3))",
    "jnp.trim_zeros(jnp.array([0, 1, 2, 0]))",
    "jnp.trim_zeros(jnp.array([0, 1, 0, 2, 0]), 'f')",
    "jnp.trim_zeros(jnp.array([0, 0]))",
]
RAISES = [
    "jnp.delete(jnp.arange(4), 9)",
    "J.jit(jnp.delete)(x, k)",
    "jnp.resize(f, (-1,))",
    "J.jit(jnp.trim_zeros)(f)",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)
