"""Jacobians and Hessians: values are compared with jax in `test_differentiation.py`."""

import numpy as np
import pytest

import minijax as mj

jnp = mj.numpy
X = np.array([0.5, 1.0, 2.0], np.float32)


def f(x):
    return jnp.stack([x[0] * x[1], jnp.sin(x[2])])


EXPECTED = np.array([[1.0, 0.5, 0], [0, 0, np.cos(2.0)]], np.float32)


@pytest.mark.parametrize("jacobian", [mj.jacfwd, mj.jacrev, mj.jacobian])
def test_both_modes_agree(jacobian):
    np.testing.assert_allclose(jacobian(f)(X), EXPECTED, rtol=1e-6)
    np.testing.assert_allclose(mj.jit(jacobian(f))(X), EXPECTED, rtol=1e-6)
    batched = mj.vmap(jacobian(f))(np.stack([X, X]))
    np.testing.assert_allclose(batched, [EXPECTED] * 2, rtol=1e-6)


@pytest.mark.parametrize("outer", [mj.jacfwd, mj.jacrev])
@pytest.mark.parametrize("inner", [mj.jacfwd, mj.jacrev])
def test_second_derivatives_agree(outer, inner):
    g = lambda x: jnp.sum(x**3) * x[0]  # noqa: E731
    expected = mj.hessian(g)(X)
    np.testing.assert_allclose(outer(inner(g))(X), expected, rtol=1e-5)
    np.testing.assert_allclose(expected, np.asarray(expected).T, rtol=1e-5)


def test_check_17_trees():
    tree = {"a": X[:2], "b": (X[2],)}
    out = mj.jacrev(lambda t: {"s": t["a"] * t["b"][0]})(tree)
    assert out["s"]["a"].shape == (2, 2) and out["s"]["b"][0].shape == (2,)
    nested = mj.hessian(lambda t: jnp.sum(t["a"]) * t["b"][0])(tree)
    assert nested["a"]["a"].shape == (2, 2)
    np.testing.assert_array_equal(nested["a"]["b"][0], [1, 1])
    pair = mj.hessian(lambda x, y: x * x * y, (0, 1))(2.0, 3.0)
    np.testing.assert_allclose(pair, [[6.0, 4.0], [4.0, 0.0]])


def test_check_16_dtypes():
    with pytest.raises(TypeError, match="allow_int"):
        mj.jacrev(lambda x: x * 2.0)(np.arange(2))
    with pytest.raises(TypeError, match="int32"):
        mj.jacfwd(lambda x: x * 2.0)(np.arange(2))
    with pytest.raises(TypeError, match="holomorphic"):
        mj.jacfwd(lambda x: x * 2.0)(np.ones(2) * 1j)
    with pytest.raises(TypeError, match="holomorphic"):
        mj.jacrev(lambda x: x * 1j)(X)
    with pytest.raises(TypeError, match="complex"):
        mj.jacrev(lambda z: z.real, holomorphic=True)(1j)
    rows = mj.jacrev(lambda x: x * 2.0, allow_int=True)(np.arange(2))
    assert rows.dtype == "int32" and not rows.any()


def test_check_19_aux():
    np.testing.assert_allclose(
        mj.jacrev(lambda x: (f(x), "text"), has_aux=True)(X)[0], EXPECTED, rtol=1e-6
    )
    assert mj.jacrev(lambda x: (f(x), "text"), has_aux=True)(X)[1] == "text"
    with pytest.raises(TypeError):
        mj.jacfwd(lambda x: (f(x), "text"), has_aux=True)(X)


def test_outputs_without_inputs_and_the_other_way_round():
    assert mj.jacfwd(lambda x: {})(1.0) == {} == mj.jacrev(lambda x: {})(1.0)
    assert mj.jacrev(lambda x: x * 2)(np.zeros((0,), "f")).shape == (0, 0)
    # jax refuses a bool output of jacfwd: its Jacobian is False everywhere
    assert not mj.jacfwd(lambda x: x > 0)(2.0)


def test_names():
    assert mj.jacfwd(f).__name__ == "f" and mj.hessian(f).__wrapped__
