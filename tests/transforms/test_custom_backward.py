"""custom_vjp, custom_gradient: what `ad_programs.py` does not compare with jax."""

import numpy as np
import pytest

import minijax as mj
from minijax.base.errors import CustomVJPException
from minijax.custom_derivatives import (
    CustomVJPPrimal,
    SymbolicZero,
    custom_vjp_primal_tree_values,
    zero_from_primal,
)

jnp = mj.numpy


def tripled():
    f = mj.custom_vjp(lambda x, y: x * y)
    f.defvjp(lambda x, y: (x * y, (x, y)), lambda r, g: (3 * g * r[1], 3 * g * r[0]))
    return f


def returning(*x_bars):
    f = mj.custom_vjp(lambda x: x * 1.0)
    f.defvjp(lambda x: (x * 1.0, None), lambda r, g: x_bars)
    return f


def test_check_63_rules_are_needed():
    with pytest.raises(AttributeError, match="defvjp"):
        mj.custom_vjp(lambda x: x)(1.0)


def test_check_69_only_shapes_of_cotangents_are_checked():
    for x_bar in (np.float16(2), np.int32(2), 2.0, np.complex64(2)):
        found = mj.grad(returning(x_bar))(1.0)
        assert found == 2 and mj.typeof(found).dtype == mj.typeof(x_bar).dtype
    with pytest.raises(ValueError, match="shapes"):
        mj.grad(returning(jnp.ones(3)))(1.0)
    with pytest.raises(ValueError, match="shapes"):
        mj.grad(returning(SymbolicZero(mj.typeof(jnp.ones(3)))))(1.0)


def test_check_69_none_stands_for_a_whole_tree():
    f = mj.custom_vjp(lambda d, x: d["a"] * x)
    f.defvjp(lambda d, x: (d["a"] * x, None), lambda r, g: (None, g * 5))
    d_bar, x_bar = mj.grad(f, (0, 1))({"a": 1.0, "b": jnp.ones(2)}, 2.0)
    assert d_bar["a"] == 0.0 and d_bar["b"].shape == (2,) and x_bar == 5.0


def test_check_70_whatever_an_integer_gets_is_dropped():
    for given in (None, 5.0, np.zeros((), mj.float0)):
        f = mj.custom_vjp(lambda n, x: x * n)
        f.defvjp(lambda n, x: (x * n, n), lambda n, g, given=given: (given, g * n))
        n_bar, x_bar = mj.grad(f, (0, 1), allow_int=True)(3, 2.0)
        assert n_bar.dtype == mj.float0 and x_bar == 3.0


def test_check_71_fwd_returns_a_pair_like_the_function():
    f = mj.custom_vjp(lambda x: x)
    f.defvjp(lambda x: x, lambda r, g: (g,))
    with pytest.raises(TypeError, match="pair"):
        mj.grad(f)(1.0)
    f.defvjp(lambda x: ((x, x), None), lambda r, g: (g[0],))
    with pytest.raises(TypeError):
        mj.grad(mj.jit(f))(1.0)
    f.defvjp(lambda x: (x, "text"), lambda r, g: (g,))
    with pytest.raises(TypeError):
        mj.grad(f)(1.0)


def test_check_72_no_forward_mode():
    f = tripled()
    for use in (
        lambda: mj.jvp(f, (1.0, 2.0), (1.0, 1.0)),
        lambda: mj.jacfwd(f)(1.0, 2.0),
        lambda: mj.linearize(f, 1.0, 2.0)[1](1.0, 1.0),
        lambda: mj.jvp(mj.jit(f), (1.0, 2.0), (1.0, 1.0)),
        lambda: mj.jit(lambda x: mj.jvp(f, (x, x), (x, x)))(1.0),
    ):
        with pytest.raises(TypeError, match="[Ff]orward mode"):
            use()


def test_check_74_values_and_whether_they_move():
    seen = []
    f = mj.custom_vjp(lambda x, y: x["a"] * y)

    def fwd(x, y):
        seen.append((x["a"].perturbed, y.perturbed))
        x, y = custom_vjp_primal_tree_values((x, y))
        return x["a"] * y, y

    f.defvjp(fwd, lambda y, g: ({"a": g * y}, None), symbolic_zeros=True)
    assert mj.grad(f)({"a": 2.0}, 3.0) == {"a": 3.0}
    assert seen == [(True, False)]
    assert "perturbed=True" in repr(CustomVJPPrimal(1.0, True))
    with pytest.raises(TypeError):
        custom_vjp_primal_tree_values((1.0,))
    with pytest.raises(NotImplementedError):
        f.defvjp(fwd, fwd, symbolic_zeros=True, optimize_remat=True)


def test_check_75_closing_over_a_differentiated_value_is_refused():
    def closing(wrap):
        def outer(y):
            f = mj.custom_vjp(lambda x: x * y)
            f.defvjp(lambda x: (x * y, None), lambda r, g: (g,))
            return wrap(f)(2.0)

        return outer

    with pytest.raises(mj.errors.UnexpectedTracerError):
        mj.grad(closing(lambda f: f))(1.0)
    with pytest.raises(CustomVJPException, match="argument"):
        mj.grad(closing(mj.jit))(1.0)
    assert mj.jit(closing(lambda f: f))(3.0) == 6.0
    assert mj.jit(closing(mj.grad))(3.0) == 1.0


def test_check_76_arguments_left_alone_hold_no_tracers():
    f = mj.custom_vjp(lambda n, x: x * n, nondiff_argnums=(0,))
    f.defvjp(lambda n, x: (x * n, None), lambda n, r, g: (g * n,))
    assert mj.grad(f, 1)(3.0, 2.0) == 3.0
    with pytest.raises(mj.errors.UnexpectedTracerError):
        mj.jit(lambda n: f(n, 2.0))(3.0)

    h = mj.custom_vjp(lambda fun, x: fun(x), nondiff_argnums=(0,))
    h.defvjp(lambda fun, x: (fun(x), x), lambda fun, x, g: (g * fun(x),))
    assert mj.jit(lambda k: mj.grad(h, 1)(lambda x: k * x, 3.0))(20.0) == 60.0


def test_check_77_under_loops():
    f = mj.custom_vjp(lambda x, y: jnp.sin(x) * y)
    f.defvjp(
        lambda x, y: (jnp.sin(x) * y, (x, y)),
        lambda r, g: (g * jnp.cos(r[0]) * r[1], g * jnp.sin(r[0])),
    )

    def loop(x):
        return mj.lax.scan(lambda c, _: (f(c, 2.0), None), x, None, length=3)[0]

    def plain(x):
        for _ in range(3):
            x = jnp.sin(x) * 2.0
        return x

    np.testing.assert_allclose(mj.grad(loop)(1.0), mj.grad(plain)(1.0), rtol=1e-5)
    with pytest.raises(ValueError):
        mj.grad(
            lambda x: mj.lax.while_loop(
                lambda c: c < 5.0, lambda c: c + f(c, 2.0) + 3.0, x
            )
        )(1.0)


def test_check_77_an_unbatched_operand_sums_over_the_batch():
    f = tripled()
    x = jnp.arange(3.0)
    total = mj.grad(lambda y: jnp.sum(mj.vmap(f, (0, None))(x, y)))(2.0)
    assert total == 9.0
    each = mj.vmap(mj.grad(f, 1), (0, None))(x, 2.0)
    np.testing.assert_array_equal(each, [0, 3, 6])


def test_check_79_custom_gradient():
    f = mj.custom_gradient(lambda x, y: (x * y, lambda g: (g * y, g * 10 * x)))
    assert f(2.0, 3.0) == 6.0
    assert mj.grad(f, (0, 1))(2.0, 3.0) == (3.0, 20.0)
    assert mj.jit(mj.grad(mj.jit(f), 1))(2.0, 3.0) == 20.0
    np.testing.assert_array_equal(
        mj.vmap(mj.grad(f, 1), (0, None))(jnp.arange(2.0), 3.0), [0, 10]
    )
    with pytest.raises(TypeError, match="[Ff]orward mode"):
        mj.jvp(f, (2.0, 3.0), (1.0, 1.0))


def test_zero_from_primal():
    zeros = zero_from_primal({"a": jnp.ones(2), "n": 3})
    assert zeros["a"].shape == (2,) and zeros["n"].dtype == mj.float0
    (symbolic,) = zero_from_primal((jnp.ones(2),), symbolic_zeros=True)
    assert isinstance(symbolic, SymbolicZero) and symbolic.shape == (2,)


def test_printed_form():
    text = str(mj.make_jaxpr(tripled())(1.0, 2.0))
    for part in ("custom_vjp_call[", "name=<lambda>", "fwd=<lambda>", "bwd=<lambda>"):
        assert part in text
