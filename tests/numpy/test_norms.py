"""Norms and powers of matrices."""

import pytest

from tests.numpy.expressions import evaluate

ORDERS = ("None", "1", "2", "3", "0", "-1", "np.inf", "-np.inf", "0.5")
CASES = [f"jnp.linalg.norm(f, ord={order})" for order in ORDERS]
CASES += [f"jnp.linalg.norm(ff, ord={order}, axis=1)" for order in ORDERS]
CASES += [
    f"jnp.linalg.norm(ff, ord={order})"
    for order in ("'fro'", "1", "-1", "np.inf", "-np.inf")
]
CASES += [
    "jnp.linalg.norm(c)",
    "jnp.linalg.norm(i)",
    "jnp.linalg.norm(fff, axis=(0, 2))",
    "jnp.linalg.norm(fff, axis=(0, 2), ord=1, keepdims=True)",
    "jnp.linalg.norm(ff, axis=0, keepdims=True)",
    "jnp.linalg.norm(ff)",
    "jnp.linalg.norm(fff)",
    "jnp.linalg.vector_norm(ff)",
    "jnp.linalg.vector_norm(ff, axis=1, ord=3)",
    "jnp.linalg.matrix_norm(fff)",
    "jnp.linalg.matrix_norm(fff, ord=1)",
    "jnp.linalg.matrix_power(sq, 3)",
    "jnp.linalg.matrix_power(sq, 0)",
    "jnp.linalg.multi_dot([ff, gg, gg.T])",
    "jnp.linalg.multi_dot([f, sq, g])",
    "jnp.linalg.cross(f, g)",
    "jnp.linalg.outer(f, g)",
    "jnp.linalg.trace(sq)",
    "jnp.linalg.diagonal(sq)",
    "jnp.linalg.matrix_transpose(ff)",
    "grad(jnp.linalg.norm)(f)",
]
RAISES = [
    "jnp.linalg.norm([1.0])",
    "jnp.linalg.norm(ff, ord='bogus')",
    "jnp.linalg.norm(f, ord='fro')",
    "jnp.linalg.matrix_power(sq, 1.5)",
    "jnp.linalg.matrix_power(ff, 2)",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)
