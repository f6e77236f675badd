"""Exponentials, logarithms, roots, trigonometry, rounding."""

import pytest

from tests.numpy.expressions import evaluate

UNARY = (
    *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "cbrt"),
    *("sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh"),
    *("arcsinh", "arccosh", "arctanh", "deg2rad", "rad2deg"),
)
COMPLEX = tuple(name for name in UNARY if name not in ("cbrt", "deg2rad", "rad2deg"))
ROUNDING = ("floor", "ceil", "trunc", "rint", "round")
CASES = [f"jnp.{name}({x})" for name in UNARY for x in ("f", "p", "i", "h", "n", "0.5")]
CASES += [f"jnp.{name}(c)" for name in COMPLEX]
CASES += [f"jnp.{name}({x})" for name in ROUNDING for x in ("f", "i", "n", "h", "u")]
CASES += [f"grad(lambda v: jnp.sum(jnp.{name}(v)))(p / 2)" for name in UNARY[:-4]]
CASES += [
    "jnp.arctan2(f, g)",
    "jnp.arctan2(i, k)",
    "jnp.logaddexp(f, g)",
    "jnp.logaddexp(n, 1.0)",
    "jnp.logaddexp(-jnp.inf, -jnp.inf)",
    "jnp.logaddexp(ff, f)",
    "jnp.logaddexp2(f, g)",
    "jnp.logaddexp(c, c + 1)",
    "grad(lambda v: jnp.sum(jnp.logaddexp(v, g)))(f)",
    "grad(lambda v: jnp.sum(jnp.logaddexp2(v, g)))(f)",
    "jnp.round(f, 2)",
    "jnp.round(h, 1)",
    "jnp.round(f, -1)",
    "jnp.round(c)",
    "jnp.round(c, 1)",
    "jnp.round(jnp.array([0.5, 1.5, 2.5, -0.5]))",
    "jnp.round(f, 200)",
    "jnp.around(f, 1)",
    "round(s)",
    "round(f, 1)",
    "f.round(1)",
    "jnp.sin(True)",
    "jnp.floor(b)",
    "jnp.rint(i)",
    "jaxpr(jnp.sin, i)",
    "jaxpr(jnp.exp2, f)",
    "jaxpr(jnp.log10, f)",
    "vmap(jnp.sin)(ff)",
]
RAISES = [
    "jnp.round(jnp.int32(15), -1)",
    "jnp.round(b)",
    "jnp.floor(c)",
    "jnp.sin('a')",
    "jnp.exp(None)",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)
