"""Gamma-distributed numbers, their logarithms, and their derivatives."""

import pytest

from tests.random import programs, vectors


@pytest.mark.parametrize(
    "case", vectors.cases("gamma", "loggamma"), ids=vectors.name_of
)
def test_golden(case):
    assert not vectors.difference(case)


@pytest.mark.parametrize("a", [0.0, -2.0, float("inf"), float("nan"), 1e-30], ids=str)
@pytest.mark.parametrize("name", ["gamma", "loggamma"])
def test_check_43_special_parameters(oracle, name, a):
    oracle.compare(programs.called, name, (a,), {}, exact=True)


def test_check_44_mapped_over_keys(oracle):
    oracle.compare(programs.mapped_gamma, exact=True)


def test_another_generator(oracle):
    oracle.compare(programs.of_impl, "gamma", "philox2x32", (2.0, (3,)), exact=True)


def test_an_unknown_method(oracle):
    oracle.compare(programs.called, "gamma", (1.0,), {"method": "x"}, raises=True)


def test_check_61_derivatives(oracle):
    oracle.compare(programs.slope, "gamma", 2.0, (), exact=True)
    oracle.compare(programs.slope, "loggamma", 2.0, (), exact=True)


def test_check_61_second_derivatives(oracle):
    oracle.compare(programs.second_slope)


def test_check_65_a_batch_is_one_equation(oracle):
    oracle.compare(programs.text_of_mapped_gamma)
