"""Running sums, differences, gradients."""

import pytest

from tests.numpy.expressions import evaluate

NAMES = ("cumsum", "cumprod", "nancumsum", "nancumprod")
CASES = [
    f"jnp.{name}({x})" for name in NAMES for x in ("f", "ff", "i", "u", "b", "h", "n")
]
CASES += [f"jnp.{name}(ff, axis=1)" for name in NAMES]
CASES += [f"jnp.{name}(f, dtype=int)" for name in NAMES]
CASES += [
    "jnp.cumsum(b, dtype=bool)",
    "jnp.cumsum(2.0)",
    "jnp.cumulative_sum(u, include_initial=True)",
    "jnp.cumulative_sum(i8)",
    "jnp.cumulative_sum(ff, axis=0)",
    "jnp.cumulative_prod(i8)",
    "jnp.cumulative_prod(f, include_initial=True)",
    "f.cumsum()",
    "ff.cumprod(1)",
    "jnp.diff(f)",
    "jnp.diff(ff, axis=0)",
    "jnp.diff(x, n=2)",
    "jnp.diff(b)",
    "jnp.diff(u)",
    "jnp.diff(f, prepend=0.0)",
    "jnp.diff(f, append=f)",
    "jnp.diff(ff, n=0)",
    "jnp.diff(ff, prepend=1, axis=1)",
    "jnp.ediff1d(f)",
    "jnp.ediff1d(i, to_end=5)",
    "jnp.ediff1d(f, to_begin=g, to_end=1.0)",
    "jnp.gradient(x**2)",
    "jnp.gradient(ff, axis=1)",
    "jnp.gradient(ff)",
    "jnp.gradient(x, 2.0)",
    "jnp.gradient(ff, 1.0, 2.0)",
    "jnp.gradient(x**2, jnp.cumsum(jnp.ones(10)))",
    "jnp.gradient(i)",
    "jnp.trapezoid(f)",
    "jnp.trapezoid(f, dx=0.5)",
    "jnp.trapezoid(ff, jnp.arange(3.0), axis=1)",
    "jnp.trapezoid(ff, axis=0)",
    "jnp.unwrap(jnp.array([0.0, 3.0, 6.5, -6.0]))",
    "jnp.unwrap(jnp.array([0, 3, 6, 1]), period=8)",
    "jnp.unwrap(4 * ff, axis=0)",
    "grad(lambda v: jnp.cumsum(v)[1])(f)",
    "grad(lambda v: jnp.sum(jnp.cumprod(v)))(f)",
    "vmap(jnp.cumsum)(ff)",
]
RAISES = [
    "jnp.cumulative_sum(2.0)",
    "jnp.cumulative_sum(ff)",
    "jnp.diff(f, n=-1)",
    "jnp.diff(2.0)",
    "jnp.gradient(f, edge_order=1)",
    "jnp.gradient(jnp.ones(1))",
    "jnp.cumsum(f, axis=2)",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)
