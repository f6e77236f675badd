"""Counts."""

import numpy as np
import pytest

from tests.random import programs, vectors


@pytest.mark.parametrize(
    "case", vectors.cases("poisson", "binomial", "multinomial"), ids=vectors.name_of
)
def test_golden(case):
    assert not vectors.difference(case)


def test_check_29_poisson_needs_the_default_generator(oracle):
    oracle.compare(programs.of_impl, "poisson", "rbg", (3.0,), raises=True)


@pytest.mark.parametrize("lam", [0.0, -1.0, float("nan"), 1e10], ids=str)
def test_check_46_special_means(oracle, lam):
    oracle.compare(programs.called, "poisson", (lam,), {}, exact=True)


def test_check_46_poisson_makes_integers(oracle):
    oracle.compare(programs.called, "poisson", (1.0, (2,), "float32"), {}, raises=True)


@pytest.mark.parametrize("p", [0.0, 1.0, 1.5, float("nan"), -0.5], ids=str)
@pytest.mark.parametrize("n", [7.0, 7.9, -1.0, float("nan"), float("inf")], ids=str)
def test_check_47_special_trials(oracle, n, p):
    if n == float("inf") and p in (0.0, 1.0):  # jax counts these for ever
        ours = oracle.run_here(programs.called, "binomial", (n, p), {})
        assert ours.array[2] == np.array(n, np.float32).tobytes()
    else:
        oracle.compare(programs.called, "binomial", (n, p), {}, exact=True)


def test_check_48_multinomial(oracle):
    oracle.compare(programs.multinomial, (3, 2), "int32", exact=True)
    oracle.compare(programs.called, "multinomial", (5.0, [0.5, 0.5]), {}, raises=True)


def test_check_63_counts_do_not_move(oracle):
    oracle.compare(programs.slope, "poisson", 2.0, (), exact=True)
    oracle.compare(programs.slope_of_binomial, exact=True)
