"""Eager forward mode runs each derivative rule as one compiled program."""

import numpy as np
import pytest

import minijax as mj
from minijax import lax
from minijax.interpreters import ad
from minijax.transforms.eager_rules import _compiled, compile_rule

X = np.array([0.5, 1.5], np.float32)
ONE = np.ones(2, np.float32)


def _rule(primals, tangents, *, scale):
    (x,), (x_dot,) = primals, tangents
    calls.append(scale)
    return lax.mul(x, np.float32(scale)), lax.mul(x_dot, np.float32(scale))


calls = []


@pytest.fixture(autouse=True)
def no_calls():
    calls.clear()


def test_the_rule_is_traced_once_for_each_value_of_its_params():
    for scale in (2.0, 2.0, 5.0):
        y, y_dot = compile_rule(_rule, {"scale": scale})((X,), (ONE,))
        assert np.array_equal(y, X * scale) and np.array_equal(y_dot, ONE * scale)
    assert calls == [2.0, 5.0]


def test_params_that_are_equal_but_of_another_type_are_told_apart():
    assert compile_rule(_rule, {"scale": 1}) is compile_rule(_rule, {"scale": 1})
    assert compile_rule(_rule, {"scale": 1}) is not compile_rule(_rule, {"scale": 1.0})


def test_the_interpreter_uses_it():
    assert ad.eager_compilers == [compile_rule]
    misses = _compiled.cache_info().misses
    f = lax.atan2  # several equations in its rule
    for _ in range(3):
        y, y_dot = mj.jvp(f, (X, ONE), (ONE, ONE))
    assert _compiled.cache_info().misses <= misses + 1
    assert np.allclose(y, np.arctan2(X, ONE))
    assert np.allclose(y_dot, (ONE - X) / (X**2 + 1))


def test_it_agrees_with_the_rule_inside_a_program():
    def moved(x, x_dot):
        return mj.jvp(lambda x: lax.tanh(lax.mul(x, x)), (x,), (x_dot,))

    for eager, staged in zip(moved(X, ONE), mj.jit(moved)(X, ONE), strict=True):
        assert np.allclose(eager, staged, rtol=1e-6)


def test_params_that_cannot_be_keys_are_refused_by_python():
    with pytest.raises(TypeError, match="unhashable"):
        compile_rule(_rule, {"scale": [1.0]})
