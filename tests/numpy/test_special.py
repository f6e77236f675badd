"""i0, sinc, windows."""

import pytest

from tests.numpy.expressions import evaluate

NAMES = ("hanning", "hamming", "bartlett", "blackman")
CASES = [f"jnp.{name}({size})" for name in NAMES for size in (0, 1, 2, 7)]
CASES += [
    "jnp.kaiser(5, 14.0)",
    "jnp.kaiser(1, 14.0)",
    "jnp.i0(f)",
    "jnp.i0(i)",
    "jnp.sinc(jnp.array([0.0, 1.0, 2.0, jnp.inf]))",
    "jnp.sinc(f)",
    "jnp.sinc(x / 7)",
    "jnp.sinc(c)",
    "jnp.sinc(h)",
    "jnp.sinc(i)",
    "jnp.sinc(0.5)",
    "grad(lambda v: jnp.sum(jnp.sinc(v)))(f)",
    "grad(jnp.sinc)(0.0)",
    "grad(jnp.sinc)(1.0)",
    "grad(jnp.i0)(1.0)",
]
RAISES = [
    "jnp.i0(c)",
    "jnp.sinc([1.0])",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)
