"""Primitives: answers are memoised, bad parameters are named."""

import pytest

import minijax as mj
from minijax.base.errors import (
    IntegerOverflowError,
    MissingRuleError,
    NotAnArrayError,
    PrimitiveOperandError,
)
from minijax.core import Primitive, ShapedArray, no_effects

F32 = ShapedArray((2,), "float32")


def test_types_are_inferred_once_per_avals_and_params():
    calls = []
    frob = Primitive("frob")
    frob.abstract_eval = lambda x, *, axis: calls.append(axis) or x
    for _ in range(3):
        assert frob.infer((F32,), {"axis": 0}) == (F32, no_effects)
    assert calls == [0]
    frob.infer((F32,), {"axis": 1})
    assert calls == [0, 1]


def test_a_primitive_that_holds_programs_keeps_nothing():
    calls = []
    frob = Primitive("frob", holds_programs=True)
    frob.abstract_eval = lambda x, **params: calls.append(1) or x
    frob.infer((F32,), {})
    frob.infer((F32,), {})
    assert len(calls) == 2


def test_the_memo_is_bounded():
    frob = Primitive("frob")
    frob.abstract_eval = lambda x, *, n: x
    for n in range(5000):
        frob.infer((F32,), {"n": n})
    assert len(frob._memo) <= 4096


def test_check_20_an_unhashable_param_is_named():
    frob = Primitive("frob")
    frob.abstract_eval = lambda x, *, axes: x
    with pytest.raises(TypeError, match=r"(?s)'frob'.*axes=\[0\]"):
        frob.infer((F32,), {"axes": [0]})


@pytest.mark.parametrize(
    ("x", "error"),
    [("text", PrimitiveOperandError), (2**70, IntegerOverflowError)],
)
def test_an_operand_that_is_no_array_is_named(x, error):
    frob = Primitive("frob")
    frob.abstract_eval = lambda x, y: x
    for bind in (frob.bind, lambda *xs: mj.jit(lambda: frob.bind(*xs))()):
        with pytest.raises(error, match=r"(?i)operand 1 of primitive 'frob'"):
            bind(1.0, x)


def test_the_error_of_a_rule_passes():
    frob = Primitive("frob")

    def rule(x):
        raise NotAnArrayError("str", function="g", path="y")

    frob.abstract_eval = rule
    with pytest.raises(NotAnArrayError, match="Argument y of g"):
        frob.bind(1.0)


@pytest.mark.parametrize(("several", "answer"), [(True, F32), (False, [F32])])
def test_one_result_or_several_must_agree(several, answer):
    frob = Primitive("frob", multiple_results=several)
    frob.abstract_eval = lambda x: answer
    with pytest.raises(ValueError, match="must return"):
        frob.infer((F32,), {})


def test_a_primitive_without_types_says_so():
    with pytest.raises(MissingRuleError, match="abstract_eval"):
        Primitive("frob").infer((F32,), {})


def test_a_primitive_made_outside_runs_and_stages():
    double = Primitive("double")
    double.def_impl(lambda x: x * 2)
    double.def_abstract_eval(lambda x: x)
    assert double.bind(4) == 8
