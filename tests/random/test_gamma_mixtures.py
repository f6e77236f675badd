"""What is made from gamma-distributed numbers."""

import pytest

from tests.random import programs, vectors

NAMES = (*("beta", "dirichlet", "chisquare", "t", "f", "generalized_normal", "ball"),)


@pytest.mark.parametrize("case", vectors.cases(*NAMES), ids=vectors.name_of)
def test_golden(case):
    assert not vectors.difference(case)


def test_check_45_dirichlet_adds_up(oracle):
    oracle.compare(programs.total_of_dirichlet, rtol=1e-6)


def test_dirichlet_needs_an_axis(oracle):
    oracle.compare(programs.called, "dirichlet", (1.0,), {}, raises=True)


def test_check_56_parameters_wider_than_the_result(oracle):
    for name in ("t", "chisquare"):
        oracle.compare(programs.wide_parameter, name, raises=True)


def test_check_63_derivatives(oracle):
    oracle.compare(programs.slope, "chisquare", 2.0, (), exact=True)
    oracle.compare(programs.slope, "t", 2.0, (), rtol=1e-6)


def test_ball_needs_a_known_dimension(oracle):
    oracle.compare(programs.called, "ball", (2.5,), {}, raises=True)
    oracle.compare(programs.traced_size, "ball", raises=True)
