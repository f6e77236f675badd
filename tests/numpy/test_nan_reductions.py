"""Reductions that leave NaN out."""

import pytest

from tests.numpy.expressions import evaluate

NAMES = ("nansum", "nanprod", "nanmax", "nanmin", "nanmean", "nanvar", "nanstd")
CASES = [f"jnp.{name}({x})" for name in NAMES for x in ("n", "nn", "ii", "f", "bb")]
CASES += [f"jnp.{name}(nn, axis=1, keepdims=True)" for name in NAMES]
CASES += [
    f"jnp.{name}({x})" for name in ("nanargmax", "nanargmin") for x in ("n", "ii")
]
CASES += [f"jnp.{name}(nn, axis=1)" for name in ("nanargmax", "nanargmin")]
CASES += [
    "jnp.nanmax(jnp.array([jnp.nan]))",
    "jnp.nansum(jnp.array([jnp.nan]))",
    "jnp.nanmean(nn, axis=0, where=bb)",
    "jnp.nanvar(f, ddof=1)",
    "jnp.nanstd(f, ddof=1)",
    "jnp.nansum(n, dtype='float16')",
    "jnp.nanmax(nn, axis=1, initial=0.0)",
    "jnp.nanmax(nn, axis=1, where=bb, initial=-1.0)",
    "grad(lambda v: jnp.nansum(v))(f)",
]
RAISES = [
    "jnp.nansum(f, out=f)",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)
