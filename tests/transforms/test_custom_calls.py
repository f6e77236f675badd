"""The primitives behind custom rules: staging, replay, mapping, closures."""

import gc
import weakref

import numpy as np
import pytest

import minijax as mj
from minijax.base.errors import CustomVJPException, UnexpectedTracerError
from minijax.core import current, eval_jaxpr, stage, typeof
from minijax.interpreters import batching
from minijax.transforms.custom_calls import (
    MappedCall,
    Mapping,
    ProgramCall,
    name_of_rule,
)

jnp = mj.numpy
X = jnp.arange(3.0)


def forward_closing(y):
    f = mj.custom_jvp(lambda x: x * y)
    f.defjvp(lambda p, t: (p[0] * y, 10.0 * t[0] * y))
    return f


def backward_closing(y):
    f = mj.custom_vjp(lambda x: x * y)
    f.defvjp(lambda x: (x * y, None), lambda r, g: (10.0 * g * y,))
    return f


BOTH = pytest.mark.parametrize("closing", [forward_closing, backward_closing])


@BOTH
def test_check_68_closing_over_a_mapped_value(closing):
    call = lambda y: closing(y)(2.0)  # noqa: E731
    for mapped in (
        mj.vmap(call),
        mj.jit(mj.vmap(call)),
        mj.vmap(mj.jit(call)),
        mj.vmap(lambda y: mj.vmap(lambda z: closing(y)(2.0))(jnp.ones(1))[0]),
    ):
        np.testing.assert_array_equal(mapped(X), [0, 2, 4])
    np.testing.assert_array_equal(
        mj.lax.scan(lambda c, y: (c, call(y)), 0, X)[1], 2 * X
    )


@BOTH
def test_closing_over_a_mapped_value_under_a_derivative(closing):
    def total(x):
        return jnp.sum(mj.vmap(lambda y: closing(y)(x))(X))

    assert total(2.0) == 6.0
    for gradient in (mj.grad(total), mj.jit(mj.grad(total)), mj.grad(mj.jit(total))):
        assert gradient(2.0) == 30.0
    inner = mj.vmap(lambda y: mj.grad(closing(y))(2.0))(X)
    np.testing.assert_array_equal(inner, 10 * X)


@BOTH
def test_rules_inside_rules_close_over_mapped_values(closing):
    def outer(y, x):
        inner = closing(y)
        z = y * 2.0

        def both(x):
            return closing(z)(inner(x)) * y

        f = mj.custom_jvp(lambda x: both(x))
        f.defjvp(lambda p, t: (both(p[0]), forward_closing(z * y)(t[0])))
        return f(x)

    np.testing.assert_array_equal(mj.vmap(lambda y: outer(y, 2.0))(X), 4 * X**3)
    np.testing.assert_array_equal(
        mj.vmap(mj.grad(outer, 1), (0, None))(X, 2.0), 2 * X**2
    )
    total = lambda x: jnp.sum(mj.vmap(lambda y: outer(y, x))(X))  # noqa: E731
    for gradient in (mj.grad(total), mj.jit(mj.grad(total))):
        assert gradient(2.0) == 10.0


def test_a_custom_function_of_a_tangent_is_transposed_by_its_body():
    twice = mj.custom_jvp(lambda x: 2.0 * x)
    twice.defjvp(lambda p, t: (2.0 * p[0], 50.0 * t[0]))
    f = mj.custom_jvp(jnp.sin)
    f.defjvp(lambda p, t: (jnp.sin(p[0]), twice(t[0])))
    for gradient in (mj.grad(f), mj.jit(mj.grad(f)), mj.grad(mj.jit(f))):
        assert gradient(0.5) == 2.0
    np.testing.assert_array_equal(mj.vmap(mj.grad(f))(X), [2, 2, 2])
    assert mj.jit(mj.linearize(f, 0.5)[1])(1.0) == 2.0
    assert mj.linear_transpose(twice, 1.0)(1.0) == (2.0,)


@BOTH
def test_what_is_not_mapped_is_computed_once(closing):
    shapes = []

    def body(y):
        shapes.append(typeof(closing(3.0)(2.0)).shape)
        return y

    mj.vmap(body)(X)
    jaxpr = mj.make_jaxpr(mj.vmap(lambda y: closing(3.0)(2.0) + y))(X)
    (call,) = [e for e in jaxpr.eqns if e.primitive.name.startswith("custom_")]
    assert call.outvars[0].aval.shape == () and shapes == [()]


@pytest.mark.parametrize("inside", [mj.grad, mj.jit])
def test_a_gradient_of_what_is_not_mapped_is_not_summed(inside):
    f = mj.custom_vjp(lambda x: x * 2.0)
    f.defvjp(lambda x: (x * 2.0, None), lambda r, g: (g * 5.0,))
    found = mj.vmap(lambda y: inside(f)(3.0) + y)(X)
    np.testing.assert_array_equal(found, X + (5.0 if inside is mj.grad else 6.0))
    outside = mj.grad(lambda x: jnp.sum(mj.vmap(lambda y: f(x) * y)(X)))(3.0)
    assert outside == 5.0 * 3.0


def test_check_75_closing_over_a_differentiated_value_in_a_program():
    with pytest.raises(CustomVJPException):
        mj.grad(lambda y: mj.jit(lambda y: backward_closing(y)(2.0))(y))(3.0)
    with pytest.raises(UnexpectedTracerError, match="argument"):
        mj.grad(lambda y: mj.jit(lambda y: forward_closing(y)(2.0))(y))(3.0)


def test_an_equation_becomes_a_call_again():
    f = forward_closing(3.0)
    jaxpr = stage(lambda x: [f(x)], [typeof(1.0)])
    (eqn,) = jaxpr.eqns
    assert eqn.primitive.name == "custom_jvp_call" and eqn.params["num_consts"] == 0
    assert eval_jaxpr(jaxpr, (), 2.0) == [6.0]
    again = stage(lambda x: eval_jaxpr(jaxpr, (), x), [typeof(1.0)])
    assert str(again) == str(jaxpr)
    assert mj.grad(lambda x: eval_jaxpr(jaxpr, (), x)[0])(2.0) == 30.0


def test_closed_over_arrays_are_leading_operands():
    big = jnp.ones((4,))
    f = mj.custom_jvp(lambda x: x * big)
    f.defjvp(lambda p, t: (p[0] * big, t[0] * big))
    jaxpr = stage(lambda x: [f(x)], [typeof(1.0)])
    assert jaxpr.eqns[0].params["num_consts"] == 1
    assert jaxpr.consts[0] is big


def test_a_program_call_runs_its_program():
    jaxpr = stage(lambda c, x: [x * c], [typeof(1.0)] * 2)
    assert ProgramCall(jaxpr, [3.0])(2.0) == [6.0]


def test_a_mapping_does_not_keep_its_trace():
    trace = batching.BatchTrace(current.value, batching.BatchAxis(batching.UNNAMED, 3))
    mapping = Mapping(trace, (None,))
    alive = weakref.ref(trace)
    assert mapping.enter().again == (trace,)
    del trace
    gc.collect()
    assert alive() is None and mapping.enter().again == ()


def test_whoever_runs_first_says_what_is_mapped():
    trace = batching.BatchTrace(current.value, batching.BatchAxis(batching.UNNAMED, 3))
    y = batching.BatchTracer(trace, X, 0)
    mapping = Mapping(trace, (None,))
    outs = MappedCall(lambda x: [x, x * y], mapping)(2.0)
    assert mapping.out_axes == [None, 0]
    assert outs[0] == 2.0 and outs[1].shape == (3,)
    with pytest.raises(TypeError, match="closes over"):
        MappedCall(lambda x: [x * y, x], mapping)(2.0)


def test_names_of_rules():
    assert name_of_rule(len) == "len" and name_of_rule(object()) == "object"
