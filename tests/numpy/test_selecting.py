"""`where` of three and `select`."""

import pytest

from tests.numpy.expressions import evaluate

CASES = [
    "jnp.where(b, f, g)",
    "jnp.where(b, f, 0)",
    "jnp.where(b, 1, 2)",
    "jnp.where(b, i, 1.0)",
    "jnp.where(i, f, g)",
    "jnp.where(True, f, 2)",
    "jnp.where(b, ff, f)",
    "jnp.where(bb, 1.0, f)",
    "jnp.where(b[0], f, 0)",
    "jnp.where(c, c, 0)",
    "jnp.where(b, h, f)",
    "jnp.where(1.5, 2, 3)",
    "jnp.select([b, ~b], [f, g])",
    "jnp.select([b, i > 0], [f, 2.0], 1)",
    "jnp.select([jnp.array([False])], [jnp.array([1])], default=7.5)",
    "jnp.select([bb, b], [ff, f], 0)",
    "jnp.select([i], [f])",
    "grad(lambda v: jnp.sum(jnp.where(v > 0, v**2, 0.0)))(f)",
    "vmap(lambda v: jnp.where(v > 0, v, 0))(ff)",
]
RAISES = [
    "jnp.where(b, [1, 2, 3], 0)",
    "jnp.select([], [])",
    "jnp.select([b], [f, g])",
    "jnp.where(b, f, ff[:, :2])",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)
