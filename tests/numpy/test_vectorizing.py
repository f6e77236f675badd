"""Functions of elements applied to arrays."""

import pytest

from tests.numpy.expressions import evaluate

CASES = [
    "jnp.vectorize(lambda a, b: a @ b, signature='(n),(n)->()')(jnp.ones((2, 3)), jnp.ones(3))",
    "jnp.vectorize(lambda a: a + 1)(ff)",
    "jnp.vectorize(lambda a, b: a * b)(ff, f)",
    "jnp.vectorize(lambda a, n: a**n, excluded={1})(jnp.arange(3), 2)",
    "jnp.vectorize(lambda a, n=1: a**n, excluded={'n'})(jnp.arange(3), n=3)",
    "jnp.vectorize(lambda a: (a, a + 1), signature='()->(),()')(f)",
    "jnp.vectorize(lambda a: jnp.stack([a, a]), signature='()->(k)')(ff)",
    "jnp.vectorize(lambda a, b: jnp.outer(a, b), signature='(n),(m)->(n,m)')(ff, f)",
    "jnp.vectorize(lambda a, b: a + b)(ff[:, :1], f)",
    "jnp.apply_along_axis(jnp.sum, 0, fff)",
    "jnp.apply_along_axis(lambda v: v[:2] * 2, 1, fff)",
    "jnp.apply_along_axis(jnp.diag, -1, ff)",
    "jnp.apply_over_axes(jnp.sum, fff, (0, 2))",
    "jnp.fromfunction(lambda a, b: a + b, (2, 3))",
    "jnp.fromfunction(lambda a, b: a * b, (2, 3), dtype=int)",
    "jnp.piecewise(jnp.array([1.0, 2.0]), [jnp.array([True, True]), jnp.array([True, False])], [1.0, 2.0])",
    "jnp.piecewise(jnp.array([-1, 2]), [jnp.array([True, False])], [1.7])",
    "jnp.piecewise(x, [x < 3, x > 6], [lambda v: -v, lambda v: v * v, 5.0])",
    "jnp.piecewise(f, [f > 0], [jnp.sin, jnp.cos])",
    "jaxpr(jnp.vectorize(jnp.dot, signature='(n),(n)->()'), fff, fff)",
]
RAISES = [
    "jnp.vectorize(lambda a: a, signature='bad')(1)",
    "jnp.vectorize(lambda a: a, excluded=[-1])",
    "jnp.vectorize(lambda a: a, excluded=[1.5])",
    "jnp.vectorize(lambda a: a, signature='(n)->()')(jnp.ones((2, 3)))",
    "jnp.vectorize(lambda a: a, signature='(n)->(n)')(1.0)",
    "jnp.vectorize(lambda a, b: a, signature='(n),(n)->(n)')(f, x)",
    "jnp.vectorize(lambda a: a, signature='()->()')(f, g)",
    "jnp.piecewise(f, [f > 0], [1, 2, 3])",
    "jnp.piecewise(x, x > 3, [lambda v: v, 0])",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)
