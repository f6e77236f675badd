"""Comparisons, truth, tests of values, bits."""

import pytest

from tests.numpy.expressions import evaluate

COMPARISONS = (
    *("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"),
    *("logical_and", "logical_or", "logical_xor"),
)
PAIRS = (
    "f, g",
    "i, k",
    "n, 1.0",
    "c, c.real",
    "b, True",
    "ff, f",
    "h, f",
    "u, i",
    "f, i",
)
CASES = [f"jnp.{name}({x})" for name in COMPARISONS for x in PAIRS]
TESTS = ("isnan", "isfinite", "isinf", "logical_not")
CASES += [
    f"jnp.{name}({x})" for name in TESTS for x in ("f", "n", "i", "c", "b", "1.0")
]
CASES += [f"jnp.{name}({x})" for name in ("isposinf", "isneginf") for x in ("n", "i")]
BITS = ("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift")
CASES += [
    f"jnp.{name}({x})" for name in BITS for x in ("i, k", "u, 2", "i8, i8", "i, 33")
]
CASES += [
    "i & k",
    "b | b",
    "b ^ True",
    "~i",
    "~b",
    "i << 2",
    "i >> k",
    "1 << k",
    "b << 1",
    "u >> 1",
    "b & 1",
    "f < 1",
    "1 < f",
    "f == None",
    "f != 'a'",
    "f >= g",
    "jnp.bitwise_count(i)",
    "jnp.bitwise_count(u)",
    "jnp.bitwise_count(b)",
    "jnp.invert(i8)",
    "jnp.isclose(f, f + 1e-7)",
    "jnp.isclose(n, n)",
    "jnp.isclose(n, n, equal_nan=True)",
    "jnp.isclose(i, k)",
    "jnp.isclose(c, c)",
    "jnp.isclose(f, g, rtol=1.0, atol=0.5)",
    "jnp.isclose(1.0, 1)",
    "jnp.allclose(f, f)",
    "jnp.allclose(n, n)",
    "jnp.allclose(n, n, equal_nan=True)",
    "jnp.allclose(1, 1.0)",
    "jaxpr(jnp.less, c, c)",
    "jaxpr(jnp.logical_not, f)",
    "jaxpr(jnp.isfinite, i)",
]
RAISES = [
    "f == [1, 2]",
    "f < [1]",
    "~f",
    "f & 1.0",
    "jnp.isposinf(c)",
    "jnp.bitwise_count(f)",
    "f << 1",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)
