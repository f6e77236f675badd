"""The tape: what is computed, what is written down (spec/ad.md §§2.3, 5)."""

import numpy as np
import pytest

import minijax as mj
from minijax import lax
from minijax.core import EVAL, Primitive, current, use_trace
from minijax.interpreters import ad


def taped(fun, *primals):
    """The trace, its inputs and the split result of `fun`."""
    trace = ad.LinearizeTrace(current.value)
    inputs = [trace.new_input(x) for x in primals]
    with use_trace(trace):
        out = fun(*inputs)
    return trace.tape, [x.tangent for x in inputs], trace.split(out)


def names(tape):
    return [entry.primitive.name for entry in tape.entries]


def test_the_primal_half_runs_and_the_linear_half_is_written():
    tape, _, (out, out_dot) = taped(lambda x: lax.mul(lax.sin(x), x), np.float32(0.5))
    np.testing.assert_allclose(out, np.sin(0.5) * 0.5, rtol=1e-6)
    assert names(tape) == ["mul", "mul", "mul", "add_any"]
    assert tape.owns(out_dot) and not tape.owns(out)


def test_only_what_a_tangent_touches_is_written():
    tape, _, _ = taped(lambda x: lax.add(lax.mul(x, 2.0), lax.sin(3.0)), np.float32(1))
    assert names(tape) == ["mul"]
    tape, _, (_, out_dot) = taped(lambda x: lax.floor(x), np.float32(1))
    assert names(tape) == [] and isinstance(out_dot, ad.Zero)


def test_unused_entries_are_not_part_of_the_program():
    def f(x):
        lax.sin(x)
        return lax.mul(x, 2.0)

    tape, inputs, (_, out_dot) = taped(f, np.float32(1))
    jaxpr, residuals = ad.tape_to_jaxpr(tape, inputs, [out_dot])
    assert str(jaxpr) == "{ lambda ; a:f32[]. let b:f32[] = mul a 2.0:f32[] in (b,) }"
    assert residuals == []


def test_residuals_come_in_the_order_of_first_use_and_once():
    x, y = mj.numpy.float32(2.0) * 1, mj.numpy.float32(3.0) * 1

    def f(a):
        return lax.mul(lax.mul(lax.mul(a, y), x), y)

    tape, inputs, (_, out_dot) = taped(f, x)
    jaxpr, residuals = ad.tape_to_jaxpr(tape, inputs, [out_dot])
    assert len(residuals) == len(set(map(id, residuals)))
    assert residuals[0] is y and residuals[1] is x
    assert len(jaxpr.invars) == len(residuals) + 1


def test_an_input_may_be_an_output_and_may_be_unused():
    tape, inputs, _ = taped(lambda x, y: x, np.float32(1), np.float32(2))
    jaxpr, _ = ad.tape_to_jaxpr(tape, inputs, [inputs[0], inputs[0]])
    assert str(jaxpr) == "{ lambda ; a:f32[] b:f32[]. let  in (a, a) }"


def test_a_primal_output_that_depends_on_a_tangent_is_refused():
    odd = Primitive("odd")
    odd.def_impl(lambda x: np.asarray(x))
    odd.def_abstract_eval(lambda x: x)
    ad.primitive_jvps[odd] = lambda primals, tangents: (
        lax.add(primals[0], tangents[0]),
        tangents[0],
    )
    assert mj.jvp(odd.bind, (1.0,), (2.0,)) == (3.0, 2.0)
    with pytest.raises(ValueError, match=r"'odd'[\s\S]*depends on a tangent"):
        mj.grad(odd.bind)(1.0)


def test_a_missing_rule_is_named():
    bare = Primitive("bare")
    bare.def_impl(lambda x: np.asarray(x))
    bare.def_abstract_eval(lambda x: x)
    with pytest.raises(NotImplementedError, match="'bare'"):
        mj.linearize(bare.bind, 1.0)


def test_a_tape_runs_under_any_trace():
    text = str(
        mj.make_jaxpr(lambda x, t: mj.linearize(lambda x: lax.sin(x) * x, x)[1](t))(
            1.0, 1.0
        )
    )
    assert text.count("mul") == 4 and text.count("cos") == 1


def test_it_prints_as_jax_users_know_it():
    seen = []
    mj.grad(lambda x: (seen.append(repr(x)), x)[1])(1.0)
    assert seen == ["GradTracer(primal=1.0, typeof(tangent)=f32[])"]
    assert (
        ad.LinearizeTrace(EVAL).describe()
        == "linearization"
        == ad.Tape(EVAL).describe()
    )


def test_rules_of_programs_take_precedence():
    twice = Primitive("twice")
    twice.def_impl(lambda x: np.asarray(x) * 2)
    twice.def_abstract_eval(lambda x: x)
    ad.jvp_rules[twice] = lambda primals, tangents: (twice.bind(*primals), tangents[0])
    ad.linearize_rules[twice] = lambda primals, tangents: (
        twice.bind(*primals),
        lax.mul(tangents[0], 2.0),
    )
    assert mj.jvp(twice.bind, (1.0,), (1.0,))[1] == 1.0
    assert mj.grad(twice.bind)(1.0) == 2.0
