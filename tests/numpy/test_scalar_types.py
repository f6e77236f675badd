"""Dtypes that are called."""

import pytest

from tests.numpy.expressions import evaluate

NAMES = (
    "int8",
    "uint8",
    "int32",
    "float16",
    "bfloat16",
    "float32",
    "complex64",
    "bool_",
)
CASES = [
    f"jnp.{name}({x})" for name in NAMES for x in ("1", "True", "[1, 0]", "np.ones(2)")
]
CASES += [
    "jnp.int32(3.7)",
    "jnp.float32(f) is f",
    "jnp.int8 == np.dtype('int8')",
    "jnp.int8 == np.int8",
    "hash(jnp.int8) == hash(np.int8)",
    "isinstance(np.int8(3), jnp.int8)",
    "isinstance(jnp.int8(3), jnp.int8)",
    "jnp.bool is jnp.bool_",
    "jnp.zeros(2, jnp.bfloat16)",
    "np.dtype(jnp.float16)",
    "jnp.float32.dtype",
    "jnp.single is jnp.float32",
    "{jnp.float32: 1}[jnp.float32]",
    "jnp.number is np.number",
    "jnp.int64(3)",
    "jnp.float64(2.0)",
    "jnp.float32('nan')",
    "jnp.float32('-inf')",
    "jnp.int32('3')",
    "jnp.complex64('1+2j')",
]
RAISES = [
    "jnp.uint8(300)",
    "jnp.float32(1j)",
    "jnp.int32('nan')",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)
