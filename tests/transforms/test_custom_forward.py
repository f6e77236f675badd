"""custom_jvp: what `ad_programs.py` does not compare with jax (spec/ad.md §1.9)."""

import numpy as np
import pytest

import minijax as mj

jnp = mj.numpy


def doubled():
    f = mj.custom_jvp(jnp.sin)
    f.defjvp(lambda p, t: (jnp.sin(p[0]), 2.0 * jnp.cos(p[0]) * t[0]))
    return f


def test_check_63_a_rule_is_needed_and_named():
    f = mj.custom_jvp(lambda x: x)
    with pytest.raises(AttributeError, match="defjvp"):
        f(1.0)
    with pytest.raises(TypeError):
        mj.custom_jvp(3)


def test_check_64_messages_name_rule_and_function():
    def rule(primals, tangents):
        return primals[0], (tangents[0],)

    def named(x):
        return x

    f = mj.custom_jvp(named)
    f.defjvp(rule)
    with pytest.raises(TypeError, match="rule of named"):
        mj.grad(f)(1.0)


def test_check_65_defjvps():
    f = mj.custom_jvp(lambda x, y: x * y)
    f.defjvps(lambda t, out, x, y: 10.0 * t + 0 * out, None)
    assert mj.grad(f, (0, 1))(1.0, 2.0) == (10.0, 0.0)
    f.defjvps(None, None)
    assert mj.grad(f, (0, 1))(1.0, 2.0) == (0.0, 0.0)
    g = mj.custom_jvp(lambda x, y: x * y, nondiff_argnums=(0,))
    with pytest.raises(TypeError, match="nondiff"):
        g.defjvps(None, None)


def test_check_65_a_traced_argument_that_is_left_alone_has_derivative_zero():
    f = mj.custom_jvp(lambda n, x: x * n, nondiff_argnums=(0,))
    f.defjvp(lambda n, p, t: (f(n, *p), 100.0 * n * t[0]))
    assert mj.jit(lambda n, x: mj.grad(f, 1)(n, x))(3, 2.0) == 300.0
    assert mj.grad(f, 0)(3.0, 2.0) == 0.0
    assert mj.grad(lambda x: f(x, x))(3.0) == 300.0


def test_check_66_int_inputs_have_float0_tangents():
    seen = []

    def rule(primals, tangents):
        seen.append([t.dtype for t in tangents])
        return primals[0] * primals[1], tangents[1] * primals[0]

    f = mj.custom_jvp(lambda n, x: x * n)
    f.defjvp(rule)
    assert mj.grad(f, 1)(3, 2.0) == 3.0
    assert seen == [[mj.float0, np.float32]]


def test_check_66_a_rule_may_return_symbolic_zeros():
    from minijax.custom_derivatives import SymbolicZero

    f = mj.custom_jvp(lambda x: (x, x * 2))

    def rule(primals, tangents):
        (x,), (x_dot,) = primals, tangents
        return (x, x * 2), (x_dot, SymbolicZero(mj.typeof(x_dot)))

    f.defjvp(rule, symbolic_zeros=True)
    assert mj.grad(lambda x: sum(f(x)))(1.0) == 1.0


def test_check_68_closing_over_a_differentiated_value_is_refused():
    def outer(y):
        f = mj.custom_jvp(lambda x: x * y)
        f.defjvp(lambda p, t: (p[0] * y, t[0] * y))
        return f(2.0)

    with pytest.raises(mj.errors.UnexpectedTracerError):
        mj.grad(outer)(1.0)
    np.testing.assert_array_equal(mj.vmap(outer)(jnp.arange(3.0)), [0, 2, 4])


def test_calls_of_rule_and_function():
    calls = []
    f = mj.custom_jvp(lambda x: (calls.append("f"), x * 2)[1])
    f.defjvp(lambda p, t: (calls.append("rule"), (p[0] * 2, t[0] * 2))[1])
    for run_it, expected in (
        (f, ["f"]),
        (mj.grad(f), ["rule"]),
        (mj.grad(mj.jit(f)), ["f", "rule"]),
        (lambda x: mj.jvp(lambda y: f(x) + y, (x,), (x,)), ["f"]),
    ):
        calls.clear()
        run_it(1.0)
        assert calls == expected


def test_check_114_what_is_not_linear_has_forward_mode_only():
    rules = [
        lambda x, t: (x, t * t),
        lambda x, t: (x, jnp.sin(t)),
        lambda x, t: (x, t / t),
        lambda x, t: (x + t, t),
    ]
    for rule in rules:
        f = mj.custom_jvp(lambda x: x)
        f.defjvp(lambda p, t, rule=rule: rule(p[0], t[0]))
        mj.jvp(f, (1.0,), (2.0,))
        with pytest.raises((NotImplementedError, RuntimeError, ValueError)):
            mj.grad(f)(1.0)


def test_rule_meets_every_transformation():
    f, x = doubled(), jnp.arange(3.0)
    expected = 2 * np.cos(x)
    for gradient in (
        mj.vmap(mj.grad(f)),
        mj.jit(mj.vmap(mj.grad(f))),
        mj.vmap(mj.jit(mj.grad(mj.jit(f)))),
        mj.grad(lambda x: jnp.sum(mj.vmap(f)(x))),
        lambda x: mj.lax.scan(lambda c, x: (c, mj.grad(f)(x)), 0, x)[1],
        lambda x: mj.jvp(mj.vmap(f), (x,), (jnp.ones(3),))[1],
    ):
        np.testing.assert_allclose(gradient(x), expected, rtol=1e-6)


def test_it_is_a_method_too():
    class Layer:
        scale = 3.0

        @mj.custom_jvp
        def apply(self, x):
            return x * 3.0

    Layer.apply.defjvp(lambda p, t: (p[1] * 3.0, t[1] * 30.0))
    mj.tree.register_static(Layer)
    assert mj.grad(Layer().apply)(1.0) == 30.0


def test_wrapping_keeps_the_name():
    def named(x):
        """Text."""
        return x

    f = mj.custom_jvp(named)
    assert f.__name__ == "named" and f.__doc__ == "Text."
    assert f.defjvp(named) is named


def test_printed_form():
    f = doubled()
    text = str(mj.make_jaxpr(f)(1.0))
    assert "custom_jvp_call[" in text and "name=sin" in text and "jvp=<lambda>" in text
