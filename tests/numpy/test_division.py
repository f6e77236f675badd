"""Division with remainder, by all signs and by zero."""

import pytest

from tests.numpy.expressions import evaluate

OPERANDS = (
    "i, k",
    "i, 3",
    "i, -3",
    "i, 0",
    "u, 7",
    "u, 0",
    "f, g",
    "n, 1.5",
    "n, -2.0",
    "n, jnp.inf",
    "f, 0.0",
    "h, 0.3",
    "b, 2",
    "b, b",
    "7, 3",
    "-7.0, 3",
    "i8, i8",
    "ff, f",
)
NAMES = ("floor_divide", "remainder", "fmod", "divmod", "mod")
CASES = [f"jnp.{name}({x})" for name in NAMES for x in OPERANDS]
CASES += [
    "jnp.modf(n)",
    "jnp.modf(i)",
    "jnp.modf(f)",
    "f // 2",
    "7 // i",
    "f % 2",
    "divmod(f, 2)",
    "divmod(7, i)",
    "jnp.array([-1e-30]) % 1.0",
    "grad(lambda v: jnp.sum(v % 0.7))(p)",
    "grad(lambda v: jnp.sum(jnp.fmod(3.0, v)))(p)",
]
RAISES = [
    "jnp.floor_divide(1j, 2)",
    "jnp.remainder(c, 2)",
    "f // None",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)
