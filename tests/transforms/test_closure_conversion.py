"""closure_convert (check 84 of spec/ad.md)."""

import numpy as np
import pytest

import minijax as mj

jnp = mj.numpy


def hoisted(transform, body):
    """How many values `closure_convert` takes out of what `body` closes over."""
    counts = []

    def outer(y):
        converted, consts = mj.closure_convert(lambda x: body(x, y), 1.0)
        counts.append(len(consts))
        return converted(2.0, *consts)

    transform(outer)
    return counts[0]


def times(x, y):
    return x * y


def test_check_84_what_is_hoisted():
    assert hoisted(lambda f: mj.grad(f)(3.0), times) == 1
    assert hoisted(lambda f: mj.jvp(f, (3.0,), (1.0,)), times) == 1
    assert hoisted(lambda f: mj.jit(f)(3.0), times) == 1
    assert hoisted(lambda f: mj.jit(f)(3), times) == 0
    assert hoisted(lambda f: f(3.0), times) == 0
    assert hoisted(lambda f: f(jnp.float32(3.0)), times) == 0
    assert hoisted(lambda f: mj.vmap(f)(jnp.ones(2)), times) == 0
    assert (
        hoisted(lambda f: mj.grad(lambda x: mj.vmap(f)(x).sum())(jnp.ones(2)), times)
        == 1
    )


def test_check_84_the_closure_has_a_gradient():
    @mj.custom_vjp
    def apply(x, consts):
        return x

    def outer(y):
        converted, consts = mj.closure_convert(lambda x: jnp.sin(x) * y, 1.0)

        def fwd(x, consts):
            return converted(x, *consts), (x, consts)

        def bwd(residuals, g):
            x, consts = residuals
            _, pull = mj.vjp(converted, x, *consts)
            x_bar, *const_bars = pull(g)
            return 10.0 * x_bar, [10.0 * bar for bar in const_bars]

        f = mj.custom_vjp(lambda x, consts: converted(x, *consts))
        f.defvjp(fwd, bwd)
        return f(2.0, consts)

    np.testing.assert_allclose(mj.grad(outer)(3.0), 10 * np.sin(2.0), rtol=1e-6)


def test_check_84_trees():
    converted, consts = mj.closure_convert(
        lambda d: {"s": d["a"] + d["b"]}, {"a": 1.0, "b": 2.0}
    )
    assert consts == [] and converted({"a": 3.0, "b": 4.0}) == {"s": 7.0}
    with pytest.raises(TypeError, match="tree"):
        converted((3.0, 4.0))
    with pytest.raises(TypeError):
        mj.closure_convert(3, 1.0)


def test_types_of_leaves_are_not_checked():
    converted, _ = mj.closure_convert(lambda x: x * 2, 1.0)
    np.testing.assert_array_equal(converted(jnp.arange(3.0)), [0, 2, 4])
