import numpy as np
import pytest

import minijax as mj
from minijax.extend.core import create_call_primitive
from tests.lax import program_call_programs as programs


@pytest.mark.parametrize("name", programs.CASES)
def test_as_jax_does(oracle, name):
    oracle.compare(programs.case, name)


def test_a_call_that_is_a_function_of_the_module():
    outlined_p = create_call_primitive("outlined", inline_jax_late=False)
    program = mj.make_jaxpr(lambda x: mj.lax.sin(x))(1.0)

    def f(x):
        return outlined_p.bind(x, call_jaxpr=program, name="own")[0]

    assert "call @own" in mj.jit(f).lower(1.0).as_text()
    np.testing.assert_allclose(mj.jit(f)(1.0), np.sin(1.0), rtol=1e-6)


def test_cut_and_split():
    marked_p = create_call_primitive("marked_too")
    program = mj.make_jaxpr(lambda x, y: (mj.lax.sin(x), x * y))(1.0, 2.0)

    def f(x, y):
        return marked_p.bind(x, y, call_jaxpr=program, name="both")

    pe = mj.interpreters.partial_eval
    jaxpr = mj.make_jaxpr(f)(1.0, 2.0)
    small, used = pe.dce_jaxpr(jaxpr, [True, False])
    assert used == [True, False]
    assert len(small.eqns[0].params["call_jaxpr"].eqns) == 1
    known, unknown, outs, _ = pe.split_jaxpr(jaxpr, [False, True])
    assert outs == [False, True]
    mj.core.check_jaxpr(known)
    mj.core.check_jaxpr(unknown)
