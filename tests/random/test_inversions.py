"""Samplers made by inversion: bit for bit, and their refusals."""

import pytest

from tests.random import programs, vectors

NAMES = (
    *("exponential", "laplace", "logistic", "cauchy", "pareto", "rayleigh"),
    *("weibull_min", "triangular", "geometric"),
)


@pytest.mark.parametrize("case", vectors.cases(*NAMES), ids=vectors.name_of)
def test_golden(case):
    assert not vectors.difference(case)


@pytest.mark.parametrize("name", NAMES[:4])
def test_check_57_float_samplers_refuse_other_dtypes(oracle, name):
    for dtype in ("int32", "bool", "complex64"):
        oracle.compare(programs.drawn_as, name, dtype, raises=True)


@pytest.mark.parametrize("name", NAMES[:4])
def test_check_64_program(oracle, name):
    oracle.compare(programs.text, name, ((3,),), {})


@pytest.mark.parametrize("shape", [(), (1,), (2,)], ids=str)
@pytest.mark.parametrize("name", ["pareto", "rayleigh", "geometric"])
def test_check_55_parameters_must_fit_the_shape(oracle, name, shape):
    oracle.compare(programs.shaped_by, name, shape, raises=True)


@pytest.mark.parametrize("shape", [(2, 3), 3], ids=str)
@pytest.mark.parametrize("name", ["pareto", "rayleigh", "geometric"])
def test_check_55_parameters_that_fit(oracle, name, shape):
    oracle.compare(programs.shaped_by, name, shape, exact=True)


def test_geometric_needs_integers(oracle):
    oracle.compare(
        programs.called, "geometric", (0.5, (2,), "float32"), {}, raises=True
    )


def test_check_56_parameters_wider_than_the_result(oracle):
    oracle.compare(programs.wide_parameter, "rayleigh", raises=True)
    oracle.compare(programs.wide_parameter, "pareto", raises=True)
