"""Means, variances, averages."""

import pytest

from tests.numpy.expressions import evaluate

NAMES = ("mean", "var", "std")
AXES = ("", ", axis=0", ", axis=-1, keepdims=True", ", axis=(0, 1)")
CASES = [f"jnp.{name}(ff{axis})" for name in NAMES for axis in AXES]
CASES += [
    f"jnp.{name}({x})" for name in NAMES for x in ("ii", "u", "bb", "h", "c", "n", "w")
]
CASES += [f"jnp.{name}(ff, axis=1, where=bb)" for name in NAMES]
CASES += [f"jnp.{name}(f, dtype='float16')" for name in NAMES]
CASES += [
    "jnp.mean(jnp.array([60000.0, 60000.0], 'float16'))",
    "jnp.mean(jnp.array([60000.0, 60000.0], 'float16'), dtype='float16')",
    "jnp.mean(e)",
    "jnp.mean(ii, dtype=int)",
    "jnp.mean(f, dtype=int)",
    "jnp.var(f, ddof=1)",
    "jnp.var(f, correction=1)",
    "jnp.std(ff, axis=1, ddof=1)",
    "jnp.var(jnp.ones(1), ddof=1)",
    "jnp.var(ff, axis=1, mean=jnp.mean(ff, axis=1, keepdims=True))",
    "jnp.var(bf)",
    "jnp.average(ff)",
    "jnp.average(ff, axis=1, weights=p)",
    "jnp.average(ff, axis=1, weights=p, returned=True)",
    "jnp.average(ff, weights=jnp.abs(ff))",
    "jnp.average(ii, axis=0)",
    "jnp.average(h)",
    "jnp.average(f, returned=True)",
    "jnp.average(ff, axis=0, keepdims=True)",
    "ff.mean(0)",
    "ff.var(axis=1)",
    "ff.std()",
    "grad(lambda v: jnp.var(v))(f)",
    "grad(lambda v: jnp.std(v))(f)",
    "grad(lambda v: jnp.mean(v**2))(f)",
    "vmap(jnp.mean)(ff)",
    "jaxpr(lambda v: jnp.mean(v, axis=0), ff)",
    "jaxpr(lambda v: jnp.mean(v, axis=0), jnp.ones((2, 3), 'float16'))",
]
RAISES = [
    "jnp.var(f, ddof=1, correction=1)",
    "jnp.std(i, dtype=int)",
    "jnp.average(ff, weights=f)",
    "jnp.var(c, dtype='float32')",
    "jnp.mean([1.0])",
    "jnp.mean(f, out=f)",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)
