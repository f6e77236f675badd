"""Rule tables refuse what they do not know and what they know already."""

import pytest

from minijax.base.errors import MissingRuleError
from minijax.core import NOT_LINEAR, Primitive, Refusal, RuleTable


def test_a_missing_rule_names_the_question_and_the_primitive():
    table = RuleTable("jvp")
    with pytest.raises(MissingRuleError, match=r"'frob' has no jvp rule") as caught:
        table[Primitive("frob")]
    assert (caught.value.rule, caught.value.primitive) == ("jvp", "frob")
    assert isinstance(caught.value, NotImplementedError)


def test_a_second_answer_is_refused():
    table, frob = RuleTable("jvp"), Primitive("frob")
    table.define(frob, lambda: 1)
    with pytest.raises(ValueError, match="already has a jvp rule"):
        table.define(frob, lambda: 2)
    assert table[frob]() == 1


def test_a_refusal_is_an_answer_that_raises_with_its_reason():
    table, frob = RuleTable("transpose"), Primitive("frob")
    table.define(frob, NOT_LINEAR)
    with pytest.raises(MissingRuleError, match="not a linear function") as caught:
        table[frob](1.0, 2.0, axis=3)
    assert caught.value.primitive == "frob"
    assert table[frob].refusal is NOT_LINEAR
    assert "transpose" in repr(Refusal("transpose", "why"))
