"""Common dtypes, weak types and ranks of operands, as numpy.md §2 has them."""

import pytest

from tests.numpy.expressions import evaluate

ARRAYS = ("f", "i", "u", "b", "c", "h", "bf", "i8", "s", "w", "wi")
SCALARS = ("2", "2.5", "True", "1j", "np.float32(2)", "np.int8(3)", "np.ones(3)")

# Every pair of dtypes, on both sides of an operator.
PAIRS = [f"{x} + {y}" for x in ARRAYS for y in ARRAYS if x <= y]
MIXED = [f"{x} * {y}" for x in ARRAYS for y in SCALARS]
MIXED += [f"{y} - {x}" for x in ("f", "i", "u", "h") for y in SCALARS]
CASES = [*PAIRS, *MIXED]
CASES += [
    "ff + f",
    "f + ff",
    "fff * ff[:, :, None]",
    "f[:, None] + f",
    "f + f[:1]",
    "i8 + 300",
    "u + 300",
    "i8 - (-300)",
    "u < 300",
    "i8 == 300",
    "u32 > i",
    "jnp.add(1, 2)",
    "jnp.add(True, True)",
    "jnp.add(1.0, 2)",
    "f + 1e40",
    "f * 0.0",
    "f * -0.0",
    "i * 2**20",
    "jnp.ones(3) + jaxarray",
    "jaxarray * jnp.ones(3)",
    "jnp.asarray(jaxarray)",
    "jnp.result_type(i8, 1.0)",
    "jnp.result_type(jnp.int8, jnp.uint8, 2)",
    "J.jit(lambda x, y: x + y)(f, 2.0)",
    "J.jit(lambda x, y: x + y)(i, 2.0)",
    "jaxpr(lambda x: x * 2.0, f)",
    "jaxpr(lambda x: 2 * x, f)",
    "jaxpr(lambda x: x * 2.0, i)",
    "jaxpr(lambda x, y: x + y, f, ff)",
    "jaxpr(lambda x, y: x + y, h, ff)",
    "jaxpr(lambda x, y: x + y, f, i)",
    "jaxpr(lambda x, y: x + y, f, 2.0)",
    "jaxpr(lambda x: x & 1, b)",
    "jaxpr(lambda x: x / 2, i)",
    "jaxpr(lambda x: x + 300, u)",
]
RAISES = [
    "i + 2**31",
    "f + 2**100",
    "f + ff[:, :2]",
    "jnp.ones(2) + jnp.ones(3)",
    "jnp.sin([1.0])",
    "jnp.add(f, None)",
    "jnp.add(f, 'a')",
    "jnp.sin(jaxarray)",
    "b - b",
    "-b",
    "~f",
    "f & f",
    "jnp.add(f)",
    "jnp.sin(x=1.0)",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)
