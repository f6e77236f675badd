"""`pad` in all its modes."""

import pytest

from tests.numpy.expressions import evaluate

MODES = ("edge", "reflect", "symmetric", "wrap", "mean", "maximum", "minimum", "median")
CASES = [f"jnp.pad(x, (2, 3), mode='{mode}')" for mode in MODES]
CASES += [f"jnp.pad(f, 7, mode='{mode}')" for mode in MODES]
CASES += [f"jnp.pad(ii, ((1, 0), (2, 1)), mode='{mode}')" for mode in MODES]
CASES += [
    "jnp.pad(f, 1)",
    "jnp.pad(ff, ((0, 1), (2, 0)))",
    "jnp.pad(ff, 1, constant_values=3)",
    "jnp.pad(jnp.arange(3), (1, 2), constant_values=(8, 9))",
    "jnp.pad(ff, 1, constant_values=((1, 2), (3, 4)))",
    "jnp.pad(f, 2, mode='linear_ramp')",
    "jnp.pad(ff, 2, mode='linear_ramp', end_values=5)",
    "jnp.pad(f, 2, mode='empty')",
    "jnp.pad(f, 2, mode='reflect', reflect_type='odd')",
    "jnp.pad(f, 2, mode='symmetric', reflect_type='odd')",
    "jnp.pad(x, 2, mode='mean', stat_length=2)",
    "jnp.pad(x, 2, mode='maximum', stat_length=3)",
    "jnp.pad(i, 1, 'mean')",
    "jnp.pad(c, 1)",
    "jnp.pad(b, 1)",
    "jnp.pad(ff, ((1, 1),), mode='edge')",
    "grad(lambda v: jnp.sum(jnp.pad(v, 2, mode='reflect') ** 2))(f)",
    "vmap(lambda v: jnp.pad(v, 1))(ff)",
]
RAISES = [
    "jnp.pad(f, 1, 'bogus')",
    "jnp.pad(f, -1)",
    "jnp.pad(f, 1.5)",
    "jnp.pad(f, 1, 'edge', constant_values=1)",
    "jnp.pad(f, {0: 1})",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)
