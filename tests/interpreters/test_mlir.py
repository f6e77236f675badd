import numpy as np

import minijax as mj
from minijax.extend.core import Primitive
from minijax.interpreters import mlir


def test_rules_for_primitives_of_ones_own():
    twice_p = Primitive("twice_by_fun")
    twice_p.def_abstract_eval(lambda x: x)
    mlir.register_lowering(
        twice_p, mlir.lower_fun(lambda x: x + x, multiple_results=False)
    )
    both_p = Primitive("both_by_fun", multiple_results=True)
    both_p.def_abstract_eval(lambda x: [x, x])
    mlir.register_lowering(both_p, mlir.lower_fun(lambda x: (x * 2.0, x * 3.0)))
    x = np.ones(2, np.float32)
    assert mj.jit(twice_p.bind)(x).tolist() == [2.0, 2.0]
    assert [y.tolist() for y in mj.jit(both_p.bind)(x)] == [[2.0, 2.0], [3.0, 3.0]]


def test_rules_in_terms_of_operations():
    sine_p = Primitive("sine_by_op")
    sine_p.def_abstract_eval(lambda x: x)

    def rule(ctx, x):
        return [ctx.op("stablehlo.sine", (x,), ctx.avals_out[0])]

    mlir.register_lowering(sine_p, rule)
    np.testing.assert_allclose(mj.jit(sine_p.bind)(1.0), np.sin(1.0), rtol=1e-6)
