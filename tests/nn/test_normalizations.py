"""Softmax and its kin, standardize, one_hot."""

import pytest

from tests.nn import programs

INF = float("inf")


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
@pytest.mark.parametrize(
    "x",
    [
        [1.0, 2.0, 3.0],
        [1, 2],
        [-INF, -INF],
        [1.0, INF],
        [1e4, 1e4 + 1],
        [[1.0, 2.0], [3.0, -4.0]],
    ],
    ids=str,
)
def test_check_8_and_9_values(oracle, name, x):
    oracle.compare(programs.called, name, (x,), {})


@pytest.mark.parametrize("axis", [(0, 1), 0, None, -2], ids=str)
def test_check_9_axes(oracle, axis):
    x = [[1.0, 2.0], [3.0, -4.0]]
    oracle.compare(programs.called, "softmax", (x,), {"axis": axis})
    oracle.compare(programs.called, "log_softmax", (x,), {"axis": axis})


def test_check_8_a_scalar_has_no_axis(oracle):
    oracle.compare(programs.called, "softmax", (1.0,), {}, raises=True)
    oracle.compare(programs.called, "softmax", (1.0,), {"axis": None})


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "logmeanexp"])
@pytest.mark.parametrize("mask", [[True, False, True], [False] * 3], ids=str)
def test_check_8_and_9_masks(oracle, name, mask):
    oracle.compare(programs.masked, name, [1.0, 2.0, 3.0], mask)


def test_check_9_derivative(oracle):
    oracle.compare(programs.softmax_slope)
    oracle.compare(programs.softmax_by_rule)


def test_check_10_logmeanexp(oracle):
    oracle.compare(programs.called, "logmeanexp", ([1.0, 2.0],), {})
    x = [[1.0, 2.0], [3.0, -4.0]]
    oracle.compare(programs.called, "logmeanexp", (x,), {"axis": 1, "keepdims": True})


@pytest.mark.parametrize(
    "x, count, kw",
    [
        ([0, 2, 5, -1], 3, {}),
        ([0.0, 1.0], 2, {}),
        ([1], 2, {"dtype": "int32"}),
        ([0, 1], 2, {"axis": 0}),
        ([[0, 1], [2, 0]], 3, {"axis": 1}),
        (1, 3, {}),
    ],
    ids=str,
)
def test_check_11_one_hot(oracle, x, count, kw):
    oracle.compare(programs.one_hot, x, count, kw)


def test_check_11_a_number_of_classes_that_is_traced(oracle):
    oracle.compare(programs.traced_classes, raises=True)


def test_one_hot_at_no_axis(oracle):
    oracle.compare(programs.one_hot, [0, 1], 2, {"axis": 3}, raises=True)


@pytest.mark.parametrize("algorithm", ["fast", "stable"])
def test_check_12_standardize(oracle, algorithm):
    kw = {"algorithm": algorithm}
    for x in ([1.0, 2.0, 3.0], [1e4, 1e4 + 1], [[1.0, 2.0], [5.0, 9.0]]):
        oracle.compare(programs.called, "standardize", (x,), kw, exact=True)


def test_check_12_standardize_some(oracle):
    oracle.compare(programs.masked, "standardize", [1.0, 2.0, 9.0], [True, True, False])
    kw = {"mean": 1.0, "variance": 4.0, "epsilon": 0.0}
    oracle.compare(programs.called, "standardize", ([1.0, 2.0],), kw)


def test_check_12_an_unknown_algorithm(oracle):
    kw = {"algorithm": "x"}
    oracle.compare(programs.called, "standardize", ([1.0, 2.0],), kw, raises=True)
