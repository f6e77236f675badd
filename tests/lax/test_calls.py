import gc
import weakref

import numpy as np
import pytest

from minijax import lax
from minijax.core import ShapedArray, check_jaxpr, jit_p, stage, typeof
from minijax.interpreters import partial_eval as pe
from minijax.lax import Inline
from minijax.runtime import put
from minijax.transforms import grad, jit, jvp, make_jaxpr, vmap


@pytest.fixture
def x():
    return put(np.arange(3, dtype=np.float32))


@jit
def f(x, y):
    return lax.mul(lax.sin(x), y), lax.exp(y)


def first(x, y):
    return f(x, y)[0]


def test_forward_mode():
    (y, _), (y_dot, z_dot) = jvp(f, (1.0, 2.0), (1.0, 0.5))
    assert float(y) == pytest.approx(np.sin(1) * 2)
    assert float(y_dot) == pytest.approx(np.cos(1) * 2 + np.sin(1) * 0.5)
    assert float(z_dot) == pytest.approx(np.exp(2) * 0.5, rel=1e-6)


def test_reverse_mode():
    a, b = grad(first, argnums=(0, 1))(1.0, 2.0)
    assert float(a) == pytest.approx(2 * np.cos(1))
    assert float(b) == pytest.approx(np.sin(1))
    second = grad(grad(first))(1.0, 2.0)
    assert float(second) == pytest.approx(-2 * np.sin(1))


def test_mapped(x):
    y, z = vmap(f, (0, None))(x, 2.0)
    np.testing.assert_allclose(y, 2 * np.sin([0, 1, 2]), rtol=1e-6)
    np.testing.assert_allclose(z, np.exp([2, 2, 2]), rtol=1e-6)
    shown = str(make_jaxpr(vmap(f, (0, None)))(x, 2.0))
    assert shown.count("jit[") == 1


def test_a_residual_that_is_an_argument_is_not_returned():
    jaxpr = make_jaxpr(grad(lambda x: jit(lambda x: lax.mul(x, lax.mul(x, x)))(x)))(1.0)
    forward, backward = (eqn for eqn in jaxpr.eqns if eqn.primitive is jit_p)
    # The backward program reads x itself; the forward one does not return it.
    assert any(atom is jaxpr.invars[0] for atom in backward.invars)
    assert all(out is not inner for out in forward.outvars for inner in jaxpr.invars)
    check_jaxpr(jaxpr)


def test_params_follow_operands():
    g = jit(lambda x, y: lax.mul(x, y), donate_argnums=0)
    jaxpr = make_jaxpr(lambda x, y: jvp(g, (x, y), (x, y)))(1.0, 2.0)
    (eqn,) = jaxpr.eqns
    assert eqn.params["donated_invars"] == (True, False, True, False)
    assert len(eqn.params["out_shardings"]) == len(eqn.outvars) == 2
    assert len(eqn.params["in_layouts"]) == 4
    check_jaxpr(jaxpr)


def test_dead_parts_are_cut():
    jaxpr = make_jaxpr(lambda x, y: f(x, y))(1.0, 2.0)
    small, used = pe.dce_jaxpr(jaxpr, [False, True])
    assert used == [False, True]
    (eqn,) = small.eqns
    assert len(eqn.params["jaxpr"].eqns) == 1
    assert len(eqn.params["donated_invars"]) == 1
    check_jaxpr(small)


def test_printed_parameters():
    shown = str(make_jaxpr(lambda x: jit(lambda y: lax.sin(y))(x))(1.0))
    assert "name=<lambda>" in shown
    for hidden in ("inline", "keep_unused", "donated_invars", "shardings"):
        assert hidden not in shown
    donating = jit(lambda y: lax.sin(y), donate_argnums=0, keep_unused=True)
    shown = str(make_jaxpr(lambda x: donating(x))(1.0))
    assert "donated_invars=(True,)" in shown
    assert "keep_unused=True" in shown


def test_evaluated_calls_do_not_keep_their_program(x):
    jaxpr = stage(lambda x: [lax.sin(x)], [typeof(x)])
    eqn = make_jaxpr(lambda x: jit(lambda y: lax.sin(y))(x))(x).eqns[0]
    (y,) = jit_p.bind(x, **{**eqn.params, "jaxpr": jaxpr})
    np.testing.assert_allclose(y, np.sin([0, 1, 2]), rtol=1e-6)
    dead = weakref.ref(jaxpr)
    del jaxpr
    gc.collect()
    assert dead() is None


def test_inline_of():
    assert Inline.of(True) is Inline.JAX_LATE
    assert Inline.of(False) is Inline.AUTO
    assert Inline.of(Inline.XLA_EARLY) is Inline.XLA_EARLY
    assert repr(Inline.AUTO) == "Inline.AUTO"
    with pytest.raises(ValueError, match="'x'"):
        Inline.of("x")


def test_types_of_a_call():
    jaxpr = make_jaxpr(f)(1.0, 2.0)
    assert jaxpr.out_avals == [ShapedArray((), np.float32, weak_type=True)] * 2


# --- against jax ---


def test_texts_of_transformed_calls(oracle):
    from tests.lax import call_programs as programs

    for program in (
        programs.derivatives,
        programs.closing_over_values,
        programs.shared,
    ):
        oracle.compare(program, np.float32(1.5))
