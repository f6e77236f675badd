"""Every primitive has five answers, a refusal counting as one, and a sample.

The tables are read as they stand once the whole library is imported.
"""

import json

import pytest

from tests.faces.processes import child
from tests.samples import SAMPLES

# Bound only inside what happens to another primitive, whose samples run them: while
# random bits are lowered, and while a custom_vjp is differentiated.
INSIDE_OTHERS = {"iota_2x32_shape", "custom_lin"}

# jax 0.12 fails on them under vmap; tests/lax/test_sending.py says what they do.
WITHOUT_JAX = {"pbroadcast", "pbroadcast_dynamic"}

# They are gone from a program before any rule of another primitive could meet them;
# tests/lax/test_refs.py has them.
OF_REFS = {
    *("new_ref", "empty_ref", "freeze", "free_ref", "get", "swap", "addupdate"),
}

QUESTIONS = ("abstract_eval", "jvp", "transpose", "batch", "lower")


# Prints what the tables say: the primitives, who has no answer, the refusals.
READ_TABLES = """
import json
import minijax, minijax.numpy, minijax.random, minijax.nn
from minijax.interpreters import ad, batching
from minijax.lowering import lower_rules

tables = {
    "jvp": ad.jvp_rules,
    "transpose": ad.transpose_rules,
    "batch": batching.batch_rules,
    "lower": lower_rules,
}
every = {p for table in tables.values() for p in table}
silent = {q: [str(p) for p in every if p not in t] for q, t in tables.items()}
silent["abstract_eval"] = [str(p) for p in every if p.abstract_eval is None]
rules = [(t.name, rule) for t in tables.values() for rule in t.values()]
refusals = [(n, r.refusal) for n, r in rules if hasattr(r, "refusal")]
print(json.dumps({
    "names": sorted(map(str, every)),
    "silent": silent,
    "refusals": [(name, no.table, no.reason) for name, no in refusals],
}))
"""


@pytest.fixture(scope="module")
def tables():
    """The tables of a process that has minijax alone: tests enter rules as well."""
    return json.loads(child(READ_TABLES))


@pytest.fixture(scope="module")
def primitives(tables):
    assert len(tables["names"]) > 100
    return tables["names"]


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_primitive_has_an_answer(tables, question):
    assert not tables["silent"][question]


def test_no_name_is_given_twice(primitives):
    assert sorted(set(primitives)) == primitives


def test_every_primitive_has_a_sample(primitives):
    sampled = {sample.primitive for sample in SAMPLES.values()}
    assert (
        sorted(set(primitives) - sampled - INSIDE_OTHERS - WITHOUT_JAX - OF_REFS) == []
    )


def test_every_sample_names_a_primitive(primitives):
    sampled = {sample.primitive for sample in SAMPLES.values()}
    assert sorted(sampled - set(primitives)) == []


def test_a_refusal_says_why(tables):
    assert tables["refusals"]
    for name, table, reason in tables["refusals"]:
        assert table in name and reason
