"""Numbers at regular distances."""

import pytest

import minijax.numpy as jnp
from tests.numpy.expressions import evaluate

CASES = [
    "jnp.arange(3)",
    "jnp.arange(3.5)",
    "jnp.arange(2, 8)",
    "jnp.arange(2, 8, 3)",
    "jnp.arange(5, 0, -2)",
    "jnp.arange(0.1, 0.5, 0.1)",
    "jnp.arange(0.0, 1.0, 0.1)",
    "jnp.arange(np.int8(3))",
    "jnp.arange(3, dtype='float16')",
    "jnp.arange(0, 3, 0.5, dtype='bfloat16')",
    "jnp.arange(-3)",
    "jnp.arange(2, 4.5)",
    "jnp.arange(0, 2, dtype=int)",
    "jnp.arange(jnp.array(3))",
    "jnp.arange(0, 300, 7, 'uint8')",
    "jnp.linspace(0, 1, 5)",
    "jnp.linspace(0, 10, 5, dtype=int)",
    "jnp.linspace(0, -1, 3, dtype=int)",
    "jnp.linspace(0, 1, 1, retstep=True)",
    "jnp.linspace(0, 1, 5, retstep=True)",
    "jnp.linspace(0, 1, 0)",
    "jnp.linspace(0.0, s, 5, endpoint=False)",
    "jnp.linspace(f, g, 3)",
    "jnp.linspace(f, g, 3, axis=1)",
    "jnp.linspace(f, g, 4, axis=-1, endpoint=False)",
    "jnp.linspace(0, 1, 3, dtype='float16')",
    "jnp.linspace(0, 1j, 3)",
    "jnp.linspace(c, 2 * c, 3)",
    "jnp.logspace(0, 2, 3)",
    "jnp.logspace(0, 2, 5, base=2)",
    "jnp.logspace(0, 1, 3, endpoint=False)",
    "jnp.geomspace(1, 8, 4)",
    "jnp.geomspace(-1, -8, 4)",
    "jnp.geomspace(p, 2 * p, 3, axis=1)",
    "jaxpr(lambda: jnp.arange(2, 5))",
    "jaxpr(lambda: jnp.arange(0.0, 1.0, 0.1))",
    "grad(lambda v: jnp.sum(jnp.linspace(0.0, v, 5)))(1.0)",
]
RAISES = [
    "jnp.arange(None)",
    "jnp.arange(0, 5, 0)",
    "jnp.arange(3, dtype=bool)",
    "jnp.arange(1j)",
    "jnp.arange(stop=3)",
    "jnp.arange(f)",
    "J.jit(jnp.arange)(3)",
    "jnp.linspace(0, 1, -1)",
    "jnp.linspace(0, 1, 2.0)",
    "J.jit(lambda n: jnp.linspace(0, 1, n))(3)",
    "jnp.linspace([0], 1, 3)",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)


def test_more_numbers_than_an_axis_has_places():
    with pytest.raises(ValueError, match="2\\*\\*63"):
        jnp.arange(1e20)
