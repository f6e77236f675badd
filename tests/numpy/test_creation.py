"""Fills."""

import pytest

from tests.numpy.expressions import evaluate

NAMES = ("zeros", "ones", "empty")
SHAPES = ("3", "(2, 3)", "()", "[2]", "0", "np.int64(2)", "(jnp.array(2), 1)")
CASES = [f"jnp.{name}({shape})" for name in NAMES for shape in SHAPES]
CASES += [
    f"jnp.{name}(2, {t})"
    for name in NAMES
    for t in ("int", "'int8'", "bool", "complex")
]
CASES += [
    f"jnp.{n}_like({x})"
    for n in NAMES
    for x in ("f", "ii", "w", "3.0", "c", "np.ones(2)")
]
CASES += [
    "jnp.zeros_like(f, dtype=int)",
    "jnp.zeros_like(f, shape=(2,))",
    "jnp.zeros_like(J.ShapeDtypeStruct((2,), 'int8'))",
    "jnp.full((2,), 3)",
    "jnp.full(2, 1.0)",
    "jnp.full(2, 1.5, int)",
    "jnp.full((2, 3), f)",
    "jnp.full((), True)",
    "jnp.full(2, s)",
    "jnp.full_like(f, 2)",
    "jnp.full_like(i, 2.7)",
    "jnp.full_like(ff, f)",
    "jnp.full_like(w, 1)",
    "jnp.full_like(f, 2, dtype=int, shape=(4,))",
    "jnp.zeros(2, 'float64')",
    "jaxpr(lambda: jnp.zeros((2,)))",
    "jaxpr(lambda: jnp.full((2,), 3))",
    "jaxpr(lambda v: jnp.zeros_like(v), f)",
    "jaxpr(lambda v: jnp.full((2,), v), s)",
]
RAISES = [
    "jnp.zeros(3, 4)",
    "jnp.zeros((2, -1))",
    "jnp.zeros(2.5)",
    "jnp.zeros('a')",
    "jnp.zeros(n for n in (1, 2))",
    "J.jit(lambda n: jnp.zeros((n,)))(3)",
    "jnp.full((2,), f)",
    "jnp.zeros_like([1, 2])",
    "jnp.full(2, [1, 2])",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)
