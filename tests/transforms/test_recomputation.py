"""The rules of remat2: see also `test_rematerialization.py`, its public face."""

import numpy as np
import pytest

from tests.oracle import compare

F32 = np.float32
X = np.array([0.5, -1.0, 2.0], F32)


def transposed(J, x):
    return J.linear_transpose(J.checkpoint(lambda x: 2.0 * x + x), x)(x)


@pytest.mark.parametrize("prevent_cse", [True, False, (True, False)])
def test_the_barrier_is_around_what_is_computed_again(prevent_cse):
    import minijax as mj

    f = mj.checkpoint(lambda x, y: mj.lax.sin(x * y), prevent_cse=prevent_cse)
    plain = mj.jit(f).lower(1.0, 2.0).as_text()
    assert "optimization_barrier" not in plain
    backward = mj.jit(mj.grad(f)).lower(1.0, 2.0).as_text()
    assert backward.count("optimization_barrier") == (prevent_cse is not False)


def test_a_linear_body_is_transposed():
    compare(transposed, X)


def test_dead_results_and_their_flags_are_cut_out():
    import minijax as mj
    from minijax.interpreters import partial_eval as pe

    f = mj.checkpoint(lambda x, y: (x + 1.0, y * 2.0), prevent_cse=(True, False))
    jaxpr = mj.make_jaxpr(f)(1.0, 2.0)
    small, used = pe.dce_jaxpr(jaxpr, [False, True])
    assert used == [False, True]
    assert small.eqns[0].params["prevent_cse"] == (False,)


def test_a_checkpoint_is_split_by_its_policy():
    import minijax as mj
    from minijax.core import eval_jaxpr
    from minijax.interpreters import partial_eval as pe

    f = mj.checkpoint(lambda x, y: (mj.lax.exp(x), mj.lax.sin(mj.lax.sin(x)) * y))
    jaxpr = mj.make_jaxpr(f)(1.0, 2.0)
    known, unknown, late, _ = pe.split_jaxpr(jaxpr, [False, True])
    assert late == [False, True]
    (eqn,) = unknown.eqns
    assert eqn.params["differentiated"]
    assert str(eqn.params["jaxpr"]).count("= sin") == 2  # computed again
    outs = eval_jaxpr(known, (), F32(1))
    rest = eval_jaxpr(unknown, (), *outs[1:], F32(2))
    np.testing.assert_allclose([outs[0], *rest], f(F32(1), F32(2)), rtol=1e-6)
