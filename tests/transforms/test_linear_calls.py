"""linear_call (check 83 of spec/ad.md)."""

import numpy as np
import pytest

import minijax as mj
from minijax.custom_derivatives import linear_call

jnp = mj.numpy


def scaled(x, factor=7.0):
    """2·x, whose transpose multiplies by `factor`."""
    return linear_call(lambda r, x: r * x, lambda r, g: factor * g, 2.0, x)


def test_check_83_the_given_transpose_is_used():
    assert scaled(3.0) == 6.0
    for gradient in (mj.grad(scaled), mj.jit(mj.grad(scaled)), mj.grad(mj.jit(scaled))):
        assert gradient(3.0) == 7.0
    assert mj.jvp(scaled, (3.0,), (1.0,)) == (6.0, 2.0)


def test_check_83_twice_transposed_is_the_function():
    once = mj.linear_transpose(scaled, 1.0)
    assert once(1.0) == (7.0,)
    assert mj.linear_transpose(lambda g: once(g)[0], 1.0)(1.0) == (2.0,)
    assert mj.grad(lambda x: mj.grad(scaled)(x) * x)(3.0) == 7.0


def test_check_83_the_transpose_must_fit():
    with pytest.raises(TypeError, match="tree"):
        mj.grad(lambda x: linear_call(lambda r, x: x, lambda r, g: (g, g), (), x))(1.0)
    with pytest.raises(TypeError, match="cotangent"):
        mj.grad(lambda x: linear_call(lambda r, x: x, lambda r, g: jnp.ones(2), (), x))(
            1.0
        )
    with pytest.raises(TypeError):
        linear_call(3, lambda r, g: g, (), 1.0)


def test_check_83_residuals_do_not_move():
    with pytest.raises(NotImplementedError, match="residual"):
        mj.grad(lambda r: linear_call(lambda r, x: r * x, lambda r, g: r * g, r, 2.0))(
            1.0
        )
    assert (
        mj.jit(
            lambda r: mj.grad(
                lambda x: linear_call(lambda r, x: r * x, lambda r, g: r * g, r, x)
            )(2.0)
        )(5.0)
        == 5.0
    )


def test_trees_and_closures():
    matrix = jnp.arange(6.0).reshape(2, 3)

    def f(x):
        out = linear_call(
            lambda r, x: {"y": matrix @ x["x"]},
            lambda r, g: {"x": matrix.T @ g["y"]},
            (),
            {"x": x},
        )
        return out["y"]

    x, y_bar = jnp.ones(3), jnp.ones(2)
    np.testing.assert_array_equal(f(x), matrix @ x)
    np.testing.assert_array_equal(mj.vjp(f, x)[1](y_bar)[0], matrix.T @ y_bar)
    np.testing.assert_array_equal(mj.jacrev(f)(x), matrix)
    np.testing.assert_array_equal(mj.jit(mj.jacfwd(f))(x), matrix)


def test_under_vmap():
    x = jnp.arange(3.0)
    np.testing.assert_array_equal(mj.vmap(scaled)(x), 2 * x)
    np.testing.assert_array_equal(mj.vmap(mj.grad(scaled))(x), [7, 7, 7])
    by_row = lambda r, x: linear_call(  # noqa: E731
        lambda r, x: r * x, lambda r, g: 10 * r * g, r, x
    )
    np.testing.assert_array_equal(mj.vmap(mj.grad(by_row, 1))(x, x), 10 * x)
    total = lambda x: jnp.sum(mj.vmap(by_row, (0, None))(jnp.arange(3.0), x))  # noqa: E731
    assert mj.grad(total)(1.0) == 30.0
