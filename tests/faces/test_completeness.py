"""Every primitive has five answers, a refusal counting as one, and a sample.

The tables are read as they stand once the whole library is imported.
"""

import importlib

import pytest

from tests.samples import SAMPLES

# Bound only inside what happens to another primitive, whose samples run them: while
# random bits are lowered, and while a custom_vjp is differentiated.
INSIDE_OTHERS = {"iota_2x32_shape", "custom_lin"}

# jax 0.12 fails on them under vmap; tests/lax/test_sending.py says what they do.
WITHOUT_JAX = {"pbroadcast", "pbroadcast_dynamic"}

QUESTIONS = ("abstract_eval", "jvp", "transpose", "batch", "lower")


@pytest.fixture(scope="module")
def tables():
    """The rule tables by question, with the answers of every room in them."""
    for name in ("", ".numpy", ".random", ".nn", ".transforms"):
        importlib.import_module(f"minijax{name}")
    from minijax.interpreters import ad, batching
    from minijax.lowering import lower_rules

    return {
        "jvp": ad.jvp_rules,
        "transpose": ad.transpose_rules,
        "batch": batching.batch_rules,
        "lower": lower_rules,
    }


@pytest.fixture(scope="module")
def primitives(tables):
    every = {p for table in tables.values() for p in table}
    assert len(every) > 100
    return sorted(every, key=str)


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_primitive_has_an_answer(tables, primitives, question):
    if question == "abstract_eval":
        silent = [str(p) for p in primitives if p.abstract_eval is None]
    else:
        silent = [str(p) for p in primitives if p not in tables[question]]
    assert not silent


def test_no_name_is_given_twice(primitives):
    names = [str(p) for p in primitives]
    assert sorted(set(names)) == sorted(names)


def test_every_primitive_has_a_sample(primitives):
    sampled = {sample.primitive for sample in SAMPLES.values()}
    assert (
        sorted({str(p) for p in primitives} - sampled - INSIDE_OTHERS - WITHOUT_JAX)
        == []
    )


def test_every_sample_names_a_primitive(primitives):
    sampled = {sample.primitive for sample in SAMPLES.values()}
    assert sorted(sampled - {str(p) for p in primitives}) == []


def test_a_refusal_says_why(tables):
    for table in tables.values():
        for rule in table.values():
            refusal = getattr(rule, "refusal", None)
            if refusal is not None:
                assert refusal.table in table.name and refusal.reason
