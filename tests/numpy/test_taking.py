"""Along axes, by number, by flat place."""

import pytest

from tests.numpy.expressions import evaluate

CASES = [
    "jnp.take_along_axis(ff, jnp.argsort(ff, axis=1), 1)",
    "jnp.take_along_axis(ff, jnp.zeros((2, 1), int), 1)",
    "jnp.take_along_axis(ff, jnp.zeros((1, 3), int), 0)",
    "jnp.take_along_axis(f, jnp.array([3, -1]), 0)",
    "jnp.take_along_axis(ff, k, None)",
    "jnp.take_along_axis(f, jnp.array([5]), 0, mode='clip')",
    "jnp.take_along_axis(f, jnp.array([5]), 0, fill_value=7)",
    "jnp.take_along_axis(ff, k.reshape(1, 3), -1)",
    "jnp.take_along_axis(fff, jnp.zeros((2, 3, 1), int), axis=2)",
    "jnp.take_along_axis(ff, jnp.array([[0], [2]]), 1, mode='one_hot')",
    "jnp.put_along_axis(f, jnp.array([1]), 5.0, 0, inplace=False)",
    "jnp.put_along_axis(ff, jnp.array([[0], [2]]), 5.0, 1, inplace=False)",
    "jnp.put_along_axis(ff, k, 1.0, None, inplace=False)",
    "jnp.put(z, jnp.array([1, 9]), jnp.array([5.0, 6.0]), inplace=False)",
    "jnp.put(z, jnp.array([1, -1, 2]), 5.0, inplace=False)",
    "jnp.put(z, jnp.array([1, 9]), 5.0, mode='wrap', inplace=False)",
    "jnp.place(z, z == 0, jnp.array([1.0, 2.0]), inplace=False)",
    "jnp.place(ff, bb, f, inplace=False)",
    "jnp.choose(jnp.array([1, 0]), [jnp.array([1, 2]), jnp.array([3, 4])])",
    "jnp.choose(jnp.array([5, -1]), [jnp.array([10, 11]), jnp.array([20, 21])], mode='wrap')",
    "jnp.choose(jnp.array([5, -1]), [10, 20], mode='clip')",
    "k.choose([f, g, p])",
    "jnp.unravel_index(jnp.array([5, -1, 100]), (2, 3))",
    "jnp.unravel_index(4, (2, 3))",
    "jnp.ravel_multi_index((jnp.array([1]), jnp.array([2])), (2, 3))",
    "jnp.ravel_multi_index((k, k), (2, 3), mode='clip')",
    "jnp.ravel_multi_index((k, k), (2, 3), mode='wrap')",
    "jnp.ravel_multi_index((k % 2, k), (2, 3), order='F')",
    "jnp.fill_diagonal(sq, 0.0, inplace=False)",
    "jnp.fill_diagonal(ff, f[:2], inplace=False)",
    "grad(lambda v: jnp.sum(jnp.take_along_axis(v, k, 0) ** 2))(f)",
    "vmap(lambda v, j: jnp.take_along_axis(v, j, 0))(ff, ii % 3)",
]
RAISES = [
    "jnp.take_along_axis(ff, k, 0)",
    "jnp.take_along_axis(f, f, 0)",
    "jnp.put(z, 0, 1.0)",
    "jnp.place(z, z == 0, f)",
    "jnp.put_along_axis(f, k, 1.0, 0)",
    "jnp.fill_diagonal(sq, 0.0)",
    "jnp.choose(jnp.array([5]), [1, 2])",
    "jnp.ravel_multi_index((k, k), (2, 3))",
    "jnp.take_along_axis([1], k, 0)",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)
