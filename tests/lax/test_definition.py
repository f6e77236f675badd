"""`define` enters every answer of a primitive, once, and asks for all five."""

import inspect

import numpy as np
import pytest

import minijax as mj
from minijax.base.errors import MissingRuleError
from minijax.core import (
    NOT_BATCHABLE,
    NOT_DIFFERENTIABLE,
    NOT_LINEAR,
    Primitive,
    impl_rules,
    printing_rules,
    staging_rules,
)
from minijax.interpreters import ad, batching, partial_eval
from minijax.lax import define, mul, neg
from minijax.lowering import emit, lower_rules

TABLES = (
    *(ad.jvp_rules, ad.transpose_rules, ad.linearize_rules),
    *(batching.batch_rules, lower_rules),
    *(partial_eval.partial_eval_rules, partial_eval.dce_rules),
    *(printing_rules, impl_rules, staging_rules),
)
FIVE = ("abstract_eval", "jvp", "transpose", "batch", "lower")


@pytest.fixture
def frob_p():
    """A primitive whose answers are forgotten after the test."""
    primitive = Primitive("frob")
    yield primitive
    for table in TABLES:
        table.pop(primitive, None)


def answers(primitive, **others):
    """Five answers, those of `neg` where a rule is wanted."""
    five = {
        "abstract_eval": lambda x: x,
        "jvp": ad.linear(primitive),
        "transpose": lambda y_bar, x: [neg(y_bar)],
        "batch": batching.elementwise(primitive),
        "lower": emit("stablehlo.negate"),
    }
    return {**five, **others}


def test_five_answers_make_every_transformation_work(frob_p):
    assert define(frob_p, **answers(frob_p)) is frob_p
    x = np.arange(3, dtype=np.float32)

    def f(x):
        return frob_p.bind(mul(x, x))

    assert np.array_equal(mj.jit(f)(x), -x * x)
    assert np.array_equal(mj.vmap(f)(x), -x * x)
    assert mj.jvp(f, (np.float32(3),), (np.float32(1),))[1] == -6
    assert mj.grad(f)(np.float32(3)) == -6


def test_the_five_have_no_default_and_the_others_do():
    parameters = inspect.signature(define).parameters
    needed = [n for n, p in parameters.items() if p.default is p.empty]
    assert needed == ["primitive", *FIVE]
    assert all(parameters[n].default is None for n in parameters if n not in needed)


def test_a_missing_answer_enters_nothing(frob_p):
    given = answers(frob_p)
    del given["batch"]
    with pytest.raises(TypeError, match="batch"):
        define(frob_p, **given)
    assert not any(frob_p in table for table in TABLES)


def test_a_refusal_is_an_answer_that_raises(frob_p):
    refused = {"jvp": NOT_DIFFERENTIABLE, "transpose": NOT_LINEAR}
    define(frob_p, **answers(frob_p, **refused, batch=NOT_BATCHABLE))
    x = np.float32(2)
    assert mj.jit(frob_p.bind)(x) == -2
    with pytest.raises(MissingRuleError, match="no derivative"):
        mj.jvp(frob_p.bind, (x,), (x,))
    with pytest.raises(MissingRuleError, match="mapped over an axis"):
        mj.vmap(frob_p.bind)(np.ones(2, np.float32))


def test_a_second_definition_is_refused(frob_p):
    define(frob_p, **answers(frob_p))
    first = ad.jvp_rules[frob_p]
    with pytest.raises(ValueError, match="already has a jvp rule"):
        define(frob_p, **answers(frob_p))
    assert ad.jvp_rules[frob_p] is first


def test_further_answers_go_to_their_tables_and_nowhere_else(frob_p):
    define(frob_p, **answers(frob_p, impl=lambda x: -x, printing=lambda eqn: {}))
    assert frob_p in impl_rules and frob_p in printing_rules
    assert frob_p not in staging_rules and frob_p not in partial_eval.dce_rules
    assert frob_p.bind(5) == -5
