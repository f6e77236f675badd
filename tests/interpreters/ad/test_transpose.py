"""The walk back, and programs transposed (spec/ad.md §§2.4, 2.10)."""

import numpy as np
import pytest

import minijax as mj
from minijax import lax
from minijax.core import Primitive, current, stage, typeof, use_trace
from minijax.interpreters import ad

F32 = typeof(np.float32(1))


def tape_of(fun, count=1, aval=F32):
    tape = ad.Tape(current.value)
    inputs = [tape.new_var(aval) for _ in range(count)]
    with use_trace(tape):
        outs = fun(*inputs)
    return tape, inputs, outs


def test_the_walk_of_section_2_10():
    s, k, x = 0.1, 0.2, 0.3

    def f(t):
        return [ad.add_tangents(lax.mul(lax.mul(t, k), x), lax.mul(s, t))]

    tape, inputs, outs = tape_of(f)
    (x_bar,) = ad.backward_pass(tape, inputs, outs, [1.0])
    np.testing.assert_allclose(x_bar, k * x + s, rtol=1e-6)


def test_nothing_arrives_nothing_is_asked():
    asked = []
    linear = Primitive("asked")
    linear.def_abstract_eval(lambda x: x)
    ad.deflinear2(linear, lambda y_bar, x: (asked.append(1), [y_bar])[1])
    tape, inputs, outs = tape_of(lambda x: [linear.bind(x), lax.mul(x, 2.0)])
    (x_bar,) = ad.backward_pass(tape, inputs, outs, [ad.Zero(F32), 1.0])
    assert x_bar == 2.0 and asked == []
    (x_bar,) = ad.backward_pass(tape, inputs, outs, [ad.Zero(F32), ad.Zero(F32)])
    assert isinstance(x_bar, ad.Zero) and x_bar.aval is F32


def test_a_walk_can_be_repeated():
    tape, inputs, outs = tape_of(lambda x, y: [lax.add(lax.mul(x, 2.0), y)], 2)
    for y_bar in (1.0, 3.0):
        assert ad.backward_pass(tape, inputs, outs, [y_bar]) == [2 * y_bar, y_bar]


def test_outputs_that_are_inputs_or_no_variables():
    tape, inputs, _ = tape_of(lambda x: [x])
    assert ad.backward_pass(tape, inputs, [inputs[0]] * 2, [1.0, 2.0]) == [3.0]
    assert isinstance(ad.backward_pass(tape, inputs, [5.0], [1.0])[0], ad.Zero)


def test_sums_are_made_in_reverse_order():
    f = lambda x: lax.add(lax.mul(x, 2.0), lax.mul(x, 3.0))  # noqa: E731
    text = str(mj.make_jaxpr(mj.grad(f))(1.0))
    assert text.index("mul 1.0:f32[] 3.0") < text.index("mul 1.0:f32[] 2.0")


def test_a_cotangent_of_the_wrong_shape_is_refused():
    wrong = Primitive("wrong_shape")
    wrong.def_impl(lambda x: np.asarray(x))
    wrong.def_abstract_eval(lambda x: x)
    ad.deflinear2(wrong, lambda y_bar, x: [lax.full((2,), 1.0)])
    with pytest.raises(ValueError, match="shape"):
        mj.grad(wrong.bind)(1.0)


def test_zeros_among_several_results():
    pair = Primitive("linear_pair", multiple_results=True)
    pair.def_abstract_eval(lambda x: [x, x])
    pair.def_impl(lambda x: [np.asarray(x), np.asarray(x) * 2])
    seen = []

    def rule(y_bars, x):
        seen.append([isinstance(y_bar, ad.Zero) for y_bar in y_bars])
        return [ad.add_tangents(*y_bars)]

    ad.deflinear2(pair, rule)
    assert mj.grad(lambda x: pair.bind(x)[1])(1.0) == 1.0
    assert seen == [[True, False]]


def program(fun, *avals):
    return stage(fun, list(avals))


def test_backward_of_a_program():
    jaxpr = program(lambda c, x: [lax.mul(lax.sin(c), x)], F32, F32)
    found = ad.backward_jaxpr(jaxpr, [0.5, ad.UndefinedPrimal(F32)], [2.0])
    assert found[0] is None
    np.testing.assert_allclose(found[1], 2 * np.sin(0.5), rtol=1e-6)


def test_the_backward_program_and_its_memo():
    jaxpr = program(lambda c, x, y: [lax.mul(c, x), lax.mul(c, y)], F32, F32, F32)
    backward, nonzero_in = ad.transpose_jaxpr(jaxpr, (False, True, True), (True, False))
    assert nonzero_in == (True, False)
    assert (
        str(backward) == "{ lambda ; a:f32[] b:f32[]. let c:f32[] = mul a b in (c,) }"
    )
    assert ad.transpose_jaxpr(jaxpr, (False, True, True), (True, False))[0] is backward


def test_what_is_not_linear_is_named():
    jaxpr = program(lambda x: [lax.sin(x)], F32)
    with pytest.raises(NotImplementedError, match="'sin'"):
        ad.backward_jaxpr(jaxpr, [ad.UndefinedPrimal(F32)], [1.0])


def test_instantiated():
    assert ad.instantiated([ad.Zero(F32), 2.0]) == [0.0, 2.0]


def test_check_118_the_reverse_walk_as_a_program():
    jaxpr = mj.make_jaxpr(mj.grad(lambda x: lax.mul(lax.sin(x), x)))(2.0)
    assert [eqn.primitive.name for eqn in jaxpr.eqns] == [
        *("sin", "cos", "mul", "mul", "mul", "mul", "add_any")
    ]


def test_scopes_of_the_backward_pass():
    jaxpr = mj.make_jaxpr(mj.grad(lambda x: lax.sin(x)))(2.0)
    assert "transpose" in str(jaxpr.eqns[-1].scope)
