"""Objects that make arrays from brackets."""

import pytest

from tests.numpy.expressions import evaluate

CASES = [
    "jnp.r_[1, 2:5, jnp.array([7, 8])]",
    "jnp.r_[0:1:5j]",
    "jnp.r_['0,2', [1, 2], [3, 4]]",
    "jnp.r_['r', 1, 2]",
    "jnp.r_['c', 1, 2]",
    "jnp.r_['1', ff, ff]",
    "jnp.c_[f, g]",
    "jnp.c_[ff, ff]",
    "jnp.c_[1:4, f]",
    "jnp.mgrid[0:2, 0:3]",
    "jnp.mgrid[0:4]",
    "jnp.mgrid[0:1:3j, 0:2]",
    "jnp.ogrid[0:2, 0:3]",
    "jnp.ix_(k, i)",
    "jnp.s_[1:2]",
    "jnp.index_exp[1:2]",
    "ff[jnp.ix_(jnp.array([0, 1]), jnp.array([0, 2]))]",
]
RAISES = [
    "jnp.ix_(b, k)",
    "jnp.ix_(ff)",
    "J.jit(lambda n: jnp.r_[0:n])(3)",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)
