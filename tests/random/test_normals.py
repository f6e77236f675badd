"""Normal numbers and what is made of them."""

import pytest

from tests.random import programs, vectors

NAMES = (
    *("normal", "truncated_normal", "lognormal", "maxwell", "double_sided_maxwell"),
    *("wald",),
)


@pytest.mark.parametrize("case", vectors.cases(*NAMES), ids=vectors.name_of)
def test_golden(case):
    assert not vectors.difference(case)


def test_check_35_dtypes_of_normal(oracle):
    oracle.compare(programs.drawn_as, "normal", "int32", raises=True)
    oracle.compare(programs.drawn_as, "normal", "complex64", exact=True)


def test_check_42_truncated_normal_with_exchanged_bounds(oracle):
    oracle.compare(programs.called, "truncated_normal", (1.0, -1.0), {}, exact=True)


def test_check_42_samples_lie_inside(oracle):
    oracle.compare(programs.inside, exact=True)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "complex64"])
def test_check_64_program(oracle, dtype):
    oracle.compare(programs.text, "normal", ((3,), dtype), {})


def test_check_50_shapes_of_double_sided_maxwell(oracle):
    for loc, shape in (((3,), ()), ((3,), (2,)), ((), (2,))):
        oracle.compare(programs.double_sided, loc, shape, exact=True)


def test_check_56_lognormal_of_short_floats(oracle):
    oracle.compare(programs.drawn_with, "lognormal", "float16", raises=True)


def test_check_63_derivatives(oracle):
    oracle.compare(programs.slope, "truncated_normal", 0.25, (1.0,), exact=True)
    oracle.compare(programs.slope, "wald", 0.75, (), exact=True)
