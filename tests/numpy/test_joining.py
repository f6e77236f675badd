"""Joining, splitting, repeating."""

import pytest

from tests.numpy.expressions import evaluate

CASES = [
    "jnp.concatenate([f, g])",
    "jnp.concatenate([f, i])",
    "jnp.concatenate([ff, ff], axis=1)",
    "jnp.concatenate([ff, f], axis=None)",
    "jnp.concatenate([f])",
    "jnp.concatenate(ff)",
    "jnp.concatenate([f, i], dtype='int32')",
    "jnp.concatenate([f] * 40)",
    "jnp.concat([f, g], axis=0)",
    "jnp.stack([f, i])",
    "jnp.stack([f, g], axis=1)",
    "jnp.stack([f, g], axis=-1)",
    "jnp.stack([s, 1])",
    "jnp.stack([1, 2])",
    "jnp.stack(ff)",
    "jnp.vstack([f, i])",
    "jnp.vstack([ff, f])",
    "jnp.hstack([f, i])",
    "jnp.hstack([ff, ff])",
    "jnp.dstack([f, i])",
    "jnp.column_stack([f, i])",
    "jnp.column_stack([f, sq])",
    "jnp.append(f, 1)",
    "jnp.append(ff, ff, axis=0)",
    "jnp.block([[ff, ff], [ff, ff]])",
    "jnp.block([f, 1.0])",
    "jnp.block([[1, 2]])",
    "jnp.split(x, 2)",
    "jnp.split(ff, [1, 2], axis=1)",
    "jnp.split(x, [3, 20])",
    "jnp.split(x, jnp.array([3, 5]))",
    "jnp.array_split(x, 3)",
    "jnp.vsplit(ff, 2)",
    "jnp.hsplit(ff, 3)",
    "jnp.hsplit(f, 3)",
    "jnp.dsplit(fff, 2)",
    "jnp.unstack(ff)",
    "jnp.unstack(ff, axis=1)",
    "jnp.tile(ff, 2)",
    "jnp.tile(ff, (2, 1))",
    "jnp.tile(f, (2, 1, 2))",
    "jnp.tile(2.0, 3)",
    "jnp.repeat(ff, 2)",
    "jnp.repeat(ff, 2, axis=1)",
    "jnp.repeat(f, jnp.array([1, 0, 2]))",
    "jnp.repeat(ff, np.array([1, 2]), axis=0)",
    "jnp.repeat(f, jnp.array([1, 0, 2]), total_repeat_length=5)",
    "jnp.repeat(f, jnp.array([1, 5, 2]), total_repeat_length=4)",
    "J.jit(lambda v, r: jnp.repeat(v, r, total_repeat_length=6))(f, k)",
    "f.repeat(2)",
    "jaxpr(lambda a, b: jnp.concatenate([a, b]), f, i)",
    "jaxpr(lambda a, b: jnp.stack([a, b], axis=1), f, i)",
    "jaxpr(lambda a: jnp.repeat(a, 2, axis=1), ff)",
    "grad(lambda v: jnp.sum(jnp.concatenate([v, v])))(f)",
    "vmap(lambda v: jnp.concatenate([v, f]))(ff)",
]
RAISES = [
    "jnp.concatenate([[1], [2]])",
    "jnp.concatenate([])",
    "jnp.concatenate([1, 2])",
    "jnp.concatenate([jnp.ones((1, 2)), jnp.ones((1, 3))])",
    "jnp.stack([f, f[:2]])",
    "jnp.stack([])",
    "jnp.vstack([[1, 2]])",
    "jnp.split(x, 3)",
    "jnp.split(x, 2, axis=3)",
    "jnp.block((f, f))",
    "J.jit(lambda r: jnp.repeat(f, r))(k)",
    "jnp.stack(f, out=f)",
    "jnp.unstack(2.0)",
    "jnp.concatenate(2.0)",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)
