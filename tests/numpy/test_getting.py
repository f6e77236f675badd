"""`x.at[...].get` and `take`."""

import pytest

from tests.numpy.expressions import evaluate

CASES = [
    "x.at[jnp.array([0, 10])].get(mode='fill')",
    "x.at[jnp.array([0, 10])].get(mode='clip')",
    "x.at[jnp.array([0, 10])].get(mode='promise_in_bounds')",
    "i.at[jnp.array([10])].get(mode='fill')",
    "u.at[jnp.array([10])].get(mode='fill')",
    "b.at[jnp.array([10])].get(mode='fill')",
    "c.at[jnp.array([10])].get(mode='fill')",
    "x.at[10].get(mode='fill', fill_value=7)",
    "x.at[-1].get(wrap_negative_indices=False)",
    "x.at[-1].get(wrap_negative_indices=False, mode='fill')",
    "x.at[1:3].get()",
    "x.at[k].get(indices_are_sorted=True, unique_indices=True)",
    "x.at[1].get(mode='drop')",
    "fff.at[0, :, k].get(mode='fill')",
    "x.at[1:3].get(strategy='gather')",
    "x.at[k[0]].get(strategy='dynamic_slice')",
    "x.at[1].get(strategy='static_slice')",
    "jnp.take(x, jnp.array([0, 10, -1, -11]))",
    "jnp.take(x, jnp.array([10, -1]), mode='clip')",
    "jnp.take(x, jnp.array([10, -1]), mode='wrap')",
    "jnp.take(jnp.arange(3), 5)",
    "jnp.take(fff, k, axis=1)",
    "jnp.take(fff, k, axis=-1)",
    "jnp.take(ff, 1)",
    "jnp.take(ff, k)",
    "jnp.take(x, 5, fill_value=3)",
    "jnp.take(x, 15, fill_value=3)",
    "x.take(k)",
    "x.take(k.reshape(3, 1))",
    "jnp.take(ff, jnp.zeros((2, 2), int), axis=1)",
    "jnp.take(x, k, unique_indices=True, indices_are_sorted=False)",
    "grad(lambda v: jnp.sum(jnp.take(v, k) ** 2))(f)",
    "jaxpr(lambda v, j: v.at[j].get(mode='fill'), x, k)",
    "jaxpr(lambda v, j: v.at[j].get(mode='clip', wrap_negative_indices=False), x, k)",
    "jaxpr(lambda v: v.at[1].get(mode='clip'), x)",
]
RAISES = [
    "x.at[0].get(mode='wrap')",
    "jnp.take(x, 0, mode='raise')",
    "jnp.take([1], 0)",
    "jnp.take(x, 1.0)",
    "jnp.take(x, 0, axis=2)",
    "jnp.take(e, 0)",
    "x.at[0].get(mode='fill', fill_value=f)",
    "x.at[0].get(strategy='bogus')",
    "x.at[k].get(strategy='static_slice')",
    "x.at + 1",
    "x.at[0] + 1",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)
