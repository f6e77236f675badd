"""Permutations and selections."""

import pytest

from tests.random import programs, vectors


@pytest.mark.parametrize(
    "case", vectors.cases("permutation", "choice"), ids=vectors.name_of
)
def test_golden(case):
    assert not vectors.difference(case)


def test_check_36_rounds_of_sorting(oracle):
    for n in (0, 1, 2, 1625, 1626):
        oracle.compare(programs.sorts, n)


@pytest.mark.parametrize("x", [2.5, True, [1, 2]], ids=str)
def test_check_36_what_cannot_be_permuted(oracle, x):
    oracle.compare(programs.called, "permutation", (x,), {}, raises=True)


def test_check_36_a_size_that_is_traced(oracle):
    oracle.compare(programs.traced_size, "permutation", raises=True)
    oracle.compare(programs.traced_size, "choice", raises=True)


def test_check_36_an_axis_that_is_not_there(oracle):
    oracle.compare(programs.permuted, (2, 3), 2, raises=True)
    oracle.compare(programs.permuted, (2, 3), -1, exact=True)


def test_permuting_a_matrix_of_keys(oracle):
    oracle.compare(programs.permuted_keys, exact=True)


@pytest.mark.parametrize(
    "args",
    [
        (5, 3),
        ([1, 2, 3], ()),
        (0, (2,)),
        (3, (4,), False),
        (4, (2,), True, (0.5, 0.5)),
    ],
    ids=str,
)
def test_check_37_choice_refuses(oracle, args):
    oracle.compare(programs.chosen, args, raises=True)


def test_check_37_nothing_is_chosen(oracle):
    oracle.compare(programs.called, "choice", (0, (0,)), {}, exact=True)


def test_check_37_weights_need_not_add_up(oracle):
    one = oracle.compare(programs.chosen, (4, (9,), True, (1.0, 2.0, 3.0, 4.0)))
    other = oracle.compare(programs.chosen, (4, (9,), True, (0.1, 0.2, 0.3, 0.4)))
    assert one.array == other.array
