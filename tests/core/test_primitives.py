"""Primitives: answers are memoised, bad parameters are named."""

import pytest

from minijax.base.errors import MissingRuleError
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
