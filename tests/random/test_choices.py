"""Decisions and categories."""

import pytest

from tests.random import programs, vectors

NAMES = ("bernoulli", "rademacher", "gumbel", "categorical")


@pytest.mark.parametrize("case", vectors.cases(*NAMES), ids=vectors.name_of)
def test_golden(case):
    assert not vectors.difference(case)


def test_check_38_categorical_refuses(oracle):
    for logits, kw in (
        ([1, 2, 3], {}),
        (1.0, {}),
        ([1.0, 2.0, 3.0], {"axis": 2}),
        ([1.0, 2.0, 3.0], {"shape": (4,), "replace": False}),
    ):
        oracle.compare(programs.categorical, logits, kw, raises=True)


@pytest.mark.parametrize(
    "logits",
    [[-float("inf"), 0.0], [float("nan"), 9.0, 1.0], [-float("inf"), -float("inf")]],
    ids=str,
)
def test_check_38_special_logits(oracle, logits):
    oracle.compare(programs.categorical, logits, {"shape": (20,)}, exact=True)


def test_check_39_bernoulli(oracle):
    oracle.compare(programs.called, "bernoulli", (1,), {}, raises=True)
    oracle.compare(programs.called, "bernoulli", (0.5, (2,), "x"), {}, raises=True)
    for p in (0.0, 1.0, 0.3):
        oracle.compare(programs.called, "bernoulli", (p, (50,)), {}, exact=True)


def test_check_40_rademacher(oracle):
    for dtype in ("uint8", "bool", "float32"):
        oracle.compare(programs.drawn_as, "rademacher", dtype, exact=True)


def test_check_41_gumbel(oracle):
    high = oracle.compare(programs.called, "gumbel", ((9,), "float16", "high"), {})
    top = oracle.compare(programs.called, "gumbel", ((9,), "float16", "highest"), {})
    assert high.array == top.array
    oracle.compare(programs.called, "gumbel", ((9,), "float32", "x"), {}, raises=True)
    oracle.compare(programs.flagged, "high_dynamic_range_gumbel", exact=True)


@pytest.mark.parametrize("mode", ["low", "high"])
def test_check_64_program_of_bernoulli(oracle, mode):
    oracle.compare(programs.text, "bernoulli", (0.5, (3,), mode), {})


def test_check_64_program_of_gumbel(oracle):
    oracle.compare(programs.text, "gumbel", ((3,),), {})


def test_check_64_program_of_categorical(oracle):
    oracle.compare(programs.text_of_categorical)
