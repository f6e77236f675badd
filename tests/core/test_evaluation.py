"""Running a jaxpr is running the function."""

import gc
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minijax as mj
from minijax.core import Primitive, ShapedArray, eval_jaxpr, jaxpr_as_fun, stage

OPERATIONS = ("sin", "mul", "add", "tanh", "sub")


def random_function(choices):
    """A straight-line function of two values, drawn by hypothesis."""
    lax = mj.lax

    def fun(x, y):
        values = [x, y]
        for name, i, j in choices:
            a, b = values[i % len(values)], values[j % len(values)]
            op = getattr(lax, name)
            values.append(op(a) if name in ("sin", "tanh") else op(a, b))
        return values[-1], values[len(values) // 2]

    return fun


programs = st.lists(
    st.tuples(st.sampled_from(OPERATIONS), st.integers(0, 99), st.integers(0, 99)),
    max_size=8,
)


@given(programs)
@settings(max_examples=25, deadline=None)
def test_check_32_eval_jaxpr_is_the_function(choices):
    fun = random_function(choices)
    x, y = np.float32(0.3), np.float32(-0.7)
    jaxpr = mj.make_jaxpr(fun)(x, y)
    expected = fun(mj.numpy.asarray(x), mj.numpy.asarray(y))

    def run(x, y):
        return tuple(eval_jaxpr(jaxpr, jaxpr.consts, x, y))

    for got, want in zip(run(x, y), expected, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-6)
    for got, want in zip(mj.jit(run)(x, y), expected, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-6)
    slope = mj.grad(lambda x: run(x, y)[0])(x)
    np.testing.assert_allclose(
        slope, mj.grad(lambda x: fun(x, y)[0])(x), rtol=1e-5, atol=1e-6
    )
    xs = np.full(3, x)
    mapped = mj.vmap(run, in_axes=(0, None))(xs, y)
    np.testing.assert_allclose(mapped[0], np.full(3, expected[0]), rtol=1e-5, atol=1e-6)
    assert str(mj.make_jaxpr(run)(x, y)) == str(jaxpr)


def test_check_32_a_wrong_number_of_arguments():
    jaxpr = mj.make_jaxpr(lambda x: x * 2)(1.0)
    with pytest.raises(ValueError, match="takes 1"):
        eval_jaxpr(jaxpr, jaxpr.consts, 1.0, 2.0)


def test_nested_jits_are_kept_when_traced():
    inner = mj.jit(lambda x: x * 2)
    jaxpr = mj.make_jaxpr(lambda x: inner(x) + 1)(1.0)
    again = mj.make_jaxpr(jaxpr_as_fun(jaxpr))(1.0)
    assert [e.primitive.name for e in again.eqns] == ["jit", "add"]


def test_values_are_freed_after_their_last_use():
    alive = []

    class Watched(np.ndarray):
        pass

    make = Primitive("make")
    make.def_abstract_eval(lambda x: x)

    def impl(x):
        gc.collect()
        alive.append(sum(ref() is not None for ref in refs))
        y = np.zeros(3).view(Watched)
        refs.append(weakref.ref(y))
        return y

    refs = []
    make.def_impl(impl)

    def chain(x):
        for _ in range(5):
            x = make.bind(x)
        return [x]

    jaxpr = stage(chain, [ShapedArray((3,), "float32")])
    eval_jaxpr(jaxpr, (), np.zeros(3))
    assert max(alive) == 1
