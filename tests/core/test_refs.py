import pytest

import minijax as mj
from minijax import core
from minijax.core import discharge, has_refs, without_refs


def _made(x):
    ref = mj.new_ref(x)
    ref[0] = ref[1]
    return ref[...]


def _given(ref, x):
    ref[0] = x
    return ref[1]


def test_refs_that_a_program_makes_are_gone():
    jaxpr = mj.make_jaxpr(_made)(mj.numpy.arange(2.0))
    plain = without_refs(jaxpr)
    assert has_refs(jaxpr) and not has_refs(plain)
    assert plain.effects == frozenset()
    (out,) = core.eval_jaxpr(plain, plain.consts, mj.numpy.arange(2.0))
    assert out.tolist() == [1.0, 1.0]
    assert without_refs(plain) is plain


def test_a_ref_that_comes_in_is_a_result_too():
    jaxpr = mj.make_jaxpr(_given)(mj.new_ref(mj.numpy.arange(2.0)), 5.0)
    result = discharge(jaxpr)
    assert result.where == (0,)
    assert discharge(jaxpr) is result
    out, left = core.eval_jaxpr(result.jaxpr, (), mj.numpy.arange(2.0), 5.0)
    assert (float(out), left.tolist()) == (1.0, [5.0, 1.0])
    with pytest.raises(ValueError, match="among its inputs"):
        without_refs(jaxpr)


def test_programs_inside_are_rid_of_theirs():
    @mj.custom_jvp
    def double(x):
        ref = mj.new_ref(x)
        ref[...] = ref[...] * 2
        return ref[...]

    double.defjvp(lambda primals, dots: (double(*primals), dots[0] * 2))

    def f(x):
        return mj.lax.scan(lambda c, _: (_made(mj.jit(double)(c)), None), x, None, 2)[0]

    x = mj.numpy.arange(2.0)
    jaxpr = mj.make_jaxpr(f)(x)
    assert has_refs(jaxpr)
    assert not has_refs(without_refs(jaxpr))
    assert mj.jit(f)(x).tolist() == [4.0, 4.0]
    assert mj.grad(lambda x: mj.jit(f)(x).sum())(x).tolist() == [0.0, 8.0]


def test_a_primitive_without_a_rule_is_named():
    ref = mj.new_ref(1.0)

    @mj.custom_vjp
    def f(x):
        return x * ref[...]

    f.defvjp(lambda x: (f(x), None), lambda _, bar: (bar,))
    assert float(f(2.0)) == 2.0


def test_check_33_programs_with_refs_are_well_typed():
    for fun, args in (
        (_made, (mj.numpy.arange(2.0),)),
        (_given, (mj.new_ref(mj.numpy.arange(2.0)), 5.0)),
    ):
        core.check_jaxpr(mj.make_jaxpr(mj.jit(fun))(*args))
