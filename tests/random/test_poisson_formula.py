"""Poisson numbers by formula."""

from tests.random import programs


def test_check_29_any_generator_will_do(oracle):
    oracle.compare(programs.approximate_poisson, "rbg", exact=True)
    oracle.compare(programs.approximate_poisson, None, exact=True)


def test_64_bits(oracle):
    oracle.compare(programs.approximate_poisson, None, exact=True, x64=True)
