"""The derivative of gamma samples by their parameter."""

import pytest

from tests.random import programs, vectors


@pytest.mark.parametrize(
    "case", vectors.cases("random_gamma_grad"), ids=vectors.name_of
)
def test_golden(case):
    assert not vectors.difference(case)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_check_62_special_values(oracle, dtype):
    a = [1.0, 0.0, -1.0, 2.0, float("nan"), 3.0, 50.0, 0.1]
    x = [0.0, 1.0, 1.0, -1.0, 1.0, 2.5, 60.0, 1e-3]
    oracle.compare(programs.slope_of_samples, a, x, dtype, exact=True)


def test_64_bits(oracle):
    oracle.compare(
        programs.slope_of_samples,
        [0.3, 4.0, 90.0],
        [0.2, 7.0, 80.0],
        "float64",
        x64=True,
    )


def test_other_dtypes(oracle):
    oracle.compare(programs.slope_of_samples, [1], [1], "int32", raises=True)


def test_check_61_it_is_the_slope_of_the_sampler(oracle):
    oracle.compare(programs.slope_and_its_formula)


def test_forward_over_the_formula(oracle):
    oracle.compare(programs.moved_slope, rtol=1e-4)


def test_shapes_that_differ(oracle):
    oracle.compare(programs.slope_of_shapes, raises=True)
