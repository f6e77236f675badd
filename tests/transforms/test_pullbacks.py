"""VJP as a function, as a pytree, and as a holder of residuals (spec/ad.md §1.3)."""

import gc
import weakref

import numpy as np
import pytest

import minijax as mj
from minijax.ad import DidntWant, DontWant, GradRef, GradValue
from minijax.interpreters import ad
from minijax.transforms import NotNeeded, NotSaveable

jnp = mj.numpy


def product(x, y):
    return x * y


def test_check_12_and_13_cotangents_are_checked():
    _, pull = mj.vjp(lambda x: (x, x * 2), 1.0)
    with pytest.raises(ValueError, match="tree"):
        pull(1.0)
    with pytest.raises(TypeError, match="one argument"):
        pull(1.0, 2.0)
    with pytest.raises(ValueError, match="type"):
        pull((jnp.ones(2), 1.0))
    _, pull = mj.vjp(lambda x: x.astype("float16"), 1.0)
    with pytest.raises(ValueError, match="float16"):
        pull(1.0)


def test_a_symbolic_zero_is_a_cotangent():
    _, pull = mj.vjp(lambda x: (x * 2, x * 3), 1.0)
    zero = ad.Zero.from_primal(jnp.float32(1.0))
    assert pull((zero, 1.0)) == (3.0,)


def test_reduce_axes_is_refused():
    with pytest.raises(NotImplementedError):
        mj.vjp(lambda x: x, 1.0, reduce_axes=("i",))


def test_primals_must_be_arrays():
    with pytest.raises(TypeError, match="text"):
        mj.vjp(lambda x: x, "text")
    with pytest.raises(TypeError):
        mj.vjp(3, 1.0)


def test_check_21_one_trace_for_pullbacks_of_one_compiled_function():
    traces = []

    @mj.jit
    def use(pull, y_bar):
        traces.append(1)
        return pull(y_bar)

    make = mj.jit(lambda x: mj.vjp(lambda x: jnp.sin(x) * x, x)[1])
    found = [float(use(make(x), 1.0)[0]) for x in (1.0, 2.0, 3.0)]
    x = np.arange(1.0, 4.0)
    np.testing.assert_allclose(found, np.cos(x) * x + np.sin(x), rtol=1e-5)
    assert len(traces) == 1
    for x in (1.0, 2.0):
        use(mj.vjp(lambda x: jnp.sin(x) * x, x)[1], 1.0)
    assert len(traces) == 3  # two programs made by two runs


def test_check_22_the_leaves_are_the_residuals():
    W, x = jnp.ones((2, 2)), jnp.ones(2)
    y, pull = mj.vjp(lambda W, x: jnp.tanh(W @ x), W, x)
    leaves = mj.tree.leaves(pull)
    assert leaves[0] is W and leaves[1] is x
    np.testing.assert_allclose(leaves[2], 1 - y**2, rtol=1e-6)
    assert len(leaves) == 3


def test_check_22_a_rebuilt_pullback_is_the_same():
    _, pull = mj.vjp(lambda x: jnp.sin(x) * x, 2.0)
    leaves, structure = mj.tree.flatten(pull)
    again = mj.tree.unflatten(structure, leaves)
    assert again(1.0) == pull(1.0)
    assert mj.tree.structure(again) == structure


def test_a_pullback_crosses_every_boundary():
    x = jnp.arange(3.0)
    expected = np.cos(x) * x + np.sin(x)

    def f(x):
        return jnp.sin(x) * x

    pulls = mj.vmap(lambda x: mj.vjp(f, x)[1])(x)
    (by_vmap,) = mj.vmap(lambda pull, g: pull(g))(pulls, jnp.ones(3))
    np.testing.assert_allclose(by_vmap, expected, rtol=1e-6)
    _, (by_scan,) = mj.lax.scan(lambda c, pull: (c, pull(1.0)), 0.0, pulls)
    np.testing.assert_allclose(by_scan, expected, rtol=1e-6)
    (by_jit,) = mj.jit(lambda pull: pull(jnp.ones(3)))(mj.vjp(f, x)[1])
    np.testing.assert_allclose(by_jit, expected, rtol=1e-6)
    (by_cond,) = mj.lax.cond(
        True, lambda p: p(1.0), lambda p: p(2.0), mj.vjp(f, 2.0)[1]
    )
    np.testing.assert_allclose(by_cond, np.cos(2) * 2 + np.sin(2), rtol=1e-6)


def test_check_102_rows_of_a_jacobian():
    rows = mj.vmap(mj.vjp(lambda x: x * x, jnp.arange(3.0))[1])(jnp.eye(3))
    np.testing.assert_array_equal(rows[0], np.diag([0.0, 2.0, 4.0]))


def test_a_pullback_is_differentiated_through_its_residuals():
    def f(x):
        _, pull = mj.vjp(lambda x: x**3, x)
        return pull(1.0)[0]

    np.testing.assert_allclose(mj.grad(f)(2.0), 12.0, rtol=1e-6)
    through_jit = mj.grad(
        lambda x: mj.jit(lambda p: p(1.0)[0])(mj.vjp(lambda x: x**3, x)[1])
    )
    np.testing.assert_allclose(through_jit(2.0), 12.0, rtol=1e-6)


def test_check_23_saveable_args():
    W, x = jnp.ones((2, 2)), jnp.arange(2.0)
    _, pull = mj.vjp(lambda W, x: W @ x, W, x, saveable_args=(False, True))
    assert pull.args_res == [NotSaveable(), x] or pull.args_res[0] == NotSaveable()
    assert pull.args_res[1] is x
    with pytest.raises(ValueError, match=r"\[0\]"):
        pull(jnp.ones(2))
    pull.args_res[0] = W
    W_bar, x_bar = pull(jnp.ones(2))
    np.testing.assert_array_equal(W_bar, [[0, 1], [0, 1]])
    np.testing.assert_array_equal(x_bar, [2, 2])


def test_check_23_what_is_not_needed_is_not_held():
    x, y = jnp.ones(3), jnp.ones(3)
    _, pull = mj.vjp(lambda x, y: jnp.sum(x * 2.0 + jnp.sin(y)), x, y)
    alive = weakref.ref(x)
    del x
    gc.collect()
    assert alive() is None
    assert pull.args_res[0] == NotNeeded()


def test_check_23_changed_residuals_count():
    _, pull = mj.vjp(product, jnp.float32(2.0), jnp.float32(3.0))
    assert pull(jnp.float32(1.0)) == (3.0, 2.0)
    pull.args_res[1] = jnp.float32(30.0)
    assert pull(jnp.float32(1.0)) == (30.0, 2.0)


def test_check_24_in_nzs():
    f = lambda x, y: (x * 2, y * 3, x * y)  # noqa: E731
    _, pull = mj.vjp(f, 1.0, 2.0, in_nzs=(True, False))
    assert pull.out_nzs == (True, False, True)
    assert pull((1.0, 1.0, 1.0)) == (4.0, 0.0)
    _, push = mj.linearize(f, 1.0, 2.0, in_nzs=(True, False))
    assert push.out_nzs == (True, False, True)
    assert push(1.0, 1.0) == (2.0, 0.0, 2.0)


@pytest.mark.parametrize("wrong", [(True,), 3, (True, (False, False)), "yes"])
def test_check_24_a_wrong_prefix_is_refused(wrong):
    with pytest.raises(ValueError, match="in_nzs"):
        mj.vjp(product, 1.0, 2.0, in_nzs=wrong)


def test_check_24_prefixes_reach_into_containers():
    _, pull = mj.vjp(
        lambda d: d["a"] * d["b"], {"a": 2.0, "b": 3.0}, in_nzs=([True, False],)
    )
    assert pull(1.0) == ({"a": 3.0, "b": 0.0},)


def test_check_25_refs():
    ref = mj.new_ref(jnp.float32(10.0))
    _, pull = mj.vjp(product, jnp.float32(2.0), jnp.float32(3.0))
    slots, value = pull.with_refs(ref, GradValue())(jnp.float32(1.0))
    assert slots == GradRef() and value == 2.0
    assert ref[...] == 13.0
    assert (
        pull.with_refs(DontWant(), DontWant())(jnp.float32(1.0)) == (DidntWant(),) * 2
    )
    for wrong in (
        (None, GradValue()),
        (ref,),
        (mj.new_ref(jnp.ones(2)), GradValue()),
        (1.0, 2.0),
    ):
        with pytest.raises(ValueError, match="with_refs|ref"):
            pull.with_refs(*wrong)


def test_check_115_residuals():
    def shapes(f, *args):
        return [x.shape for x in mj.tree.leaves(mj.vjp(f, *args)[1])]

    x = jnp.ones(3)
    assert shapes(jnp.exp, x) == [(3,)]
    assert shapes(lambda x: x * x, x) == [(3,)]
    assert shapes(lambda x: x * 2.0, x) == []
    body = mj.checkpoint(lambda c: jnp.sin(jnp.sin(c)))
    loop = lambda c: mj.lax.scan(lambda c, _: (body(c), None), c, None, length=5)[0]  # noqa: E731
    assert shapes(loop, x) == [(5, 3)]


def test_check_99_a_call_returns_nothing_twice():
    f = mj.jit(lambda x, y: jnp.exp(x) * y)
    y = jnp.float32(2.0)
    out, pull = mj.vjp(f, jnp.float32(1.0), y)
    leaves = mj.tree.leaves(pull)
    assert any(leaf is y for leaf in leaves)
    jaxpr = mj.make_jaxpr(lambda x, y: mj.vjp(f, x, y))(1.0, 2.0)
    (call,) = [eqn for eqn in jaxpr.eqns if eqn.primitive.name == "jit"][:1]
    inner = call.params["jaxpr"]
    assert len(set(map(id, inner.outvars))) == len(inner.outvars)
    assert not set(map(id, inner.outvars)) & set(map(id, inner.invars))
    np.testing.assert_allclose(out, np.exp(1) * 2, rtol=1e-6)


def test_its_parts():
    _, pull = mj.vjp(lambda x: jnp.sin(x) * 2.0, 1.0)
    assert pull.in_tree == mj.tree.structure((1.0,))
    assert pull.out_tree == mj.tree.structure(1.0)
    assert pull.structured_residuals == []
    assert len(pull.opaque_residuals) == 1
    names = [eqn.primitive.name for eqn in pull.jaxpr.eqns]
    assert names == ["mul", "mul"]
    assert "<lambda>" in pull.fun and "<lambda>" in repr(pull)
    assert hash(pull) == hash(pull)


def test_check_20_fwd_and_bwd():
    fwd, bwd = mj.fwd_and_bwd(lambda x, y: x * jnp.sin(y), argnums=(0, 1))
    y, residuals = fwd(2.0, 3.0)
    np.testing.assert_allclose(y, 2 * np.sin(3), rtol=1e-6)
    np.testing.assert_allclose(
        bwd(residuals, 1.0), [np.sin(3), 2 * np.cos(3)], rtol=1e-6
    )
    fwd, bwd = mj.fwd_and_bwd(product, argnums=1)
    assert bwd(fwd(2.0, 3.0)[1], 1.0) == 2.0
    fwd, bwd = mj.fwd_and_bwd(lambda x: (x * x, "aux"), 0, has_aux=True, jitted=False)
    y, residuals, aux = fwd(3.0)
    assert (y, aux, bwd(residuals, 1.0)) == (9.0, "aux", 6.0)


def test_check_20_compiles_once():
    traces = []

    def f(x):
        traces.append(1)
        return x * x

    fwd, bwd = mj.fwd_and_bwd(f, 0)
    found = []
    for x in (1.0, 2.0, 3.0):
        _, residuals = fwd(x)
        found.append(float(bwd(residuals, 1.0)))
    assert found == [2.0, 4.0, 6.0]
    assert len(traces) == 1
