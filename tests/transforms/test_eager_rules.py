"""Forward mode at top level: one compiled program per operation."""

import numpy as np

import minijax as mj
from minijax import lax
from minijax.interpreters import ad
from minijax.lax import sin_p
from minijax.transforms.eager_rules import compile_rule

SETTINGS = {"accuracy": None}


def test_a_rule_is_compiled_once():
    rule = ad.jvp_rules[sin_p]
    run = compile_rule(rule, SETTINGS)
    assert compile_rule(rule, dict(SETTINGS)) is run
    out, out_dot = run((0.5,), (2.0,))
    np.testing.assert_allclose(
        [out, out_dot], [np.sin(0.5), 2 * np.cos(0.5)], rtol=1e-6
    )


def test_zeros_stay_symbolic():
    out, (x_dot, y_dot) = compile_rule(_two_results, {})((1.0,), (2.0,))
    assert out[0] == 1.0 and x_dot == 2.0 and isinstance(y_dot, ad.Zero)


def _two_results(primals, tangents):
    return [primals[0], primals[0]], [tangents[0], ad.Zero.from_primal(primals[0])]


def test_operations_with_and_without_parameters():
    x, x_dot = np.arange(6, dtype="f").reshape(2, 3), np.ones((2, 3), "f")
    for fun in (
        lambda x: lax.reduce_sum(x, (0,)),
        lambda x: lax.transpose(x, (1, 0)),
        lambda x: lax.select_n(x > 2, x, lax.neg(x)),
        lambda x: lax.convert_element_type(x, "int32"),
        lambda x: lax.convert_element_type(x, "bfloat16"),
        lambda x: lax.cumsum(x, axis=1),
        lambda x: lax.max(x, lax.full_like(x, 2.0)),
        lambda x: mj.numpy.linalg.norm(x) if hasattr(mj.numpy, "linalg") else x,
    ):
        eager = mj.jvp(fun, (x,), (x_dot,))
        staged = mj.jit(lambda x, t, fun=fun: mj.jvp(fun, (x,), (t,)))(x, x_dot)
        for one, other in zip(eager, staged, strict=True):
            assert mj.typeof(one) == mj.typeof(other)
            if mj.typeof(one).dtype != mj.float0:
                np.testing.assert_allclose(
                    np.asarray(one, "f"), np.asarray(other, "f"), rtol=1e-6
                )


def test_weak_and_strong_tangents_are_told_apart():
    for x, x_dot in ((1.0, 1.0), (np.float32(1), 1.0), (np.float32(1), np.float32(1))):
        _, out = mj.jvp(lambda x: x + x, (x,), (x_dot,))
        assert mj.typeof(out).weak_type is isinstance(x, float)


def _scaled(primals, tangents, *, scale):
    (x,), (x_dot,) = primals, tangents
    return lax.mul(x, np.float32(scale)), lax.mul(x_dot, np.float32(scale))


def test_equal_parameters_of_two_types_are_told_apart():
    assert compile_rule(_scaled, {"scale": 1}) is compile_rule(_scaled, {"scale": 1})
    for other in (1.0, True):
        run = compile_rule(_scaled, {"scale": other})
        assert run is not compile_rule(_scaled, {"scale": 1})
    y, y_dot = compile_rule(_scaled, {"scale": 5.0})((np.float32(2),), (np.float32(3),))
    assert (y, y_dot) == (10, 15)
