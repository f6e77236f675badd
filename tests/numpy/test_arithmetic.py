"""Sums, products, powers and signs against the oracle."""

import pytest

from tests.numpy.expressions import evaluate

UNARY = ("negative", "positive", "absolute", "fabs", "square", "reciprocal", "sign")
BINARY = ("add", "subtract", "multiply", "divide", "maximum", "minimum", "float_power")
CASES = [f"jnp.{name}({x})" for name in UNARY for x in ("f", "i", "h", "n", "s", "2.5")]
CASES += [f"jnp.{name}({x})" for name in ("absolute", "square", "sign") for x in "cu"]
CASES += [
    f"jnp.{name}({x})" for name in BINARY for x in ("f, g", "i, k", "ff, f", "f, 2")
]
CASES += [f"jnp.{name}({x})" for name in ("add", "multiply") for x in ("c, c", "b, b")]
CASES += [f"jnp.{name}(c, f)" for name in ("maximum", "minimum", "divide")]
CASES += [f"{x}**{n}" for x in ("f", "i", "b", "h", "c") for n in (0, 1, 2, 3, 5)]
CASES += [
    "f**-2",
    "f**2.0",
    "p**0.5",
    "2**f",
    "2**k",
    "i**2.0",
    "i**k",
    "u**u",
    "i**np.int32(2)",
    "i**jnp.asarray(2)",
    "p**k",
    "h**k",
    "i**p",
    "ff**k",
    "jnp.power(2, 3)",
    "jnp.power(0, 0)",
    "jnp.power(2.0, 3)",
    "jnp.pow(p, g)",
    "jnp.float_power(2, 3)",
    "abs(i8)",
    "+f",
    "-u",
    "jnp.maximum(jnp.nan, 1.0)",
    "jnp.maximum(0.0, -0.0)",
    "jnp.sign(jnp.array([-0.0, jnp.nan]))",
    "jnp.int32(2**31 - 1) + 1",
    "jaxpr(lambda x: x**2, f)",
    "jaxpr(lambda x: x**2.0, f)",
    "jaxpr(lambda x: x**2, b)",
    "jaxpr(lambda x: 2**x, f)",
    "jaxpr(jnp.reciprocal, i)",
    "jaxpr(jnp.add, b, b)",
    "grad(lambda v: jnp.sum(v**3))(f)",
    "grad(lambda v: jnp.sum(v**p))(p)",
    "grad(lambda v: jnp.sum(jnp.abs(v)))(f)",
    "vmap(lambda v: v**2 + v)(ff)",
]
RAISES = [
    "jnp.power(2, -1)",
    "i**-1",
    "jnp.sign(b)",
    "jnp.fabs(c)",
    "jnp.negative(b)",
    "jnp.square([1.0])",
    "pow(f, 2, 3)",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)
