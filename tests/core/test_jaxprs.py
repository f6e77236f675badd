"""Jaxprs as data structures."""

import pickle

import pytest

import minijax as mj
from minijax import core
from minijax.core import ClosedJaxpr, Jaxpr, Literal, ShapedArray, Var

F32 = ShapedArray((), "float32")


def example():
    table = mj.numpy.arange(3.0)
    return mj.make_jaxpr(lambda x: (x * table, x))(1.0)


def test_check_28_members():
    jaxpr = example()
    assert ClosedJaxpr is Jaxpr
    assert jaxpr.jaxpr is jaxpr
    assert len(jaxpr.consts) == len(jaxpr.constvars) == jaxpr.num_consts == 1
    assert jaxpr.literals == jaxpr.consts
    assert len(jaxpr.invars) == 1
    assert [a.str_short(short_dtypes=True) for a in jaxpr.in_avals] == ["f32[]"]
    assert [a.str_short(short_dtypes=True) for a in jaxpr.out_avals] == [
        "f32[3]",
        "f32[]",
    ]


def test_check_28_constants_come_off_and_on():
    jaxpr = example()
    opened = jaxpr.with_consts(())
    assert opened.num_consts == 0
    assert len(opened.invars) == 2
    closed = opened.with_consts(jaxpr.consts)
    assert str(closed) == str(jaxpr)
    assert closed.eqns is jaxpr.eqns


def test_replace():
    jaxpr = example()
    assert str(jaxpr.replace(effects=frozenset())) == str(jaxpr)
    assert jaxpr.replace(outvars=jaxpr.outvars[:1]).debug_info.result_paths is None
    with pytest.raises(ValueError, match="nonesuch"):
        jaxpr.replace(nonesuch=1)
    eqn = jaxpr.eqns[-1]
    assert eqn.replace(params={"a": 1}).params == {"a": 1}
    assert eqn.replace(params={"a": 1}).primitive is eqn.primitive


def test_identity_is_equality():
    one, other = example(), example()
    assert one != other
    assert hash(one) != hash(other) or one is other


def test_variables_and_literals():
    assert "f32[]" in repr(Var(F32))
    assert repr(core.DropVar(F32)) == "_"
    literal = Literal(2.0, F32)
    assert repr(literal) == "2.0:f32[]"
    assert literal.hash == Literal(2.0, F32).hash
    with pytest.raises(TypeError):
        hash(literal)


def test_a_jaxpr_is_not_pickled():
    with pytest.raises(TypeError, match="pickled"):
        pickle.dumps(example())


def test_subprograms_are_found():
    inner = mj.jit(lambda x: x * 2)
    jaxpr = mj.make_jaxpr(lambda x: inner(x) + 1)(1.0)
    (sub,) = core.subjaxprs(jaxpr)
    assert [e.primitive.name for e in sub.eqns] == ["mul"]
    assert list(core.jaxprs_in_params({"a": (sub, 1), "b": sub})) == [sub, sub]
