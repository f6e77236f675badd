"""logsumexp: weights, masks, signs, and no overflow."""

import numpy as np
import pytest

X = np.float32([[0.5, -1.0, 2.0], [3.0, 0.0, -2.0]])
WEIGHTS = np.float32([[1.0, 2.0, -3.0], [0.5, -1.0, 0.25]])
MASK = np.array([[True, False, True], [False, True, True]])


def summed(J, a, weights, options):
    """The sum, eager and compiled, and what it says of its type."""

    def f(a, weights):
        return J.nn.logsumexp(a, b=weights, **options)

    return f(a, weights), J.jit(f)(a, weights)


@pytest.mark.parametrize("weights", [None, WEIGHTS, np.float32(2), np.float32(-2)])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"axis": 0},
        {"axis": (0, 1), "keepdims": True},
        {"axis": -1, "return_sign": True},
        {"axis": 1, "where": MASK},
        {"axis": 0, "where": MASK, "keepdims": True, "return_sign": True},
    ],
    ids=str,
)
def test_value(oracle, weights, options):
    oracle.compare(summed, X, weights, options)


@pytest.mark.parametrize(
    "a",
    [
        np.float32([1000.0, 1000.0]),
        np.float32([-1000.0, -1001.0]),
        np.float32([-np.inf, -np.inf]),
        np.float32([np.inf, 1.0]),
        np.float32([np.nan, 1.0]),
        np.float32([]),
        np.array([1, 2], np.int32),
        np.array([1, 2], np.float16),
        np.complex64([1 + 2j, -1 + 1j]),
        2.0,
    ],
    ids=str,
)
def test_edges_and_dtypes(oracle, a):
    oracle.compare(summed, a, None, {})
    oracle.compare(summed, a, None, {"return_sign": True})


def slopes(J, a, weights):
    def f(a, weights):
        return J.nn.logsumexp(a, b=weights)

    return J.grad(f, (0, 1))(a, weights), J.hessian(f)(a, weights)


def test_slopes(oracle):
    oracle.compare(slopes, X, np.abs(WEIGHTS), rtol=1e-5)


def slope_at_the_end(J, a):
    return J.grad(J.nn.logsumexp)(a)


def test_the_slope_where_nothing_is_left(oracle):
    oracle.compare(slope_at_the_end, np.float32([-np.inf, 0.0]))


def test_a_weight_of_zero_hides_an_infinity(oracle):
    a, weights = np.float32([np.inf, 1.0]), np.float32([0.0, 1.0])
    oracle.compare(summed, a, weights, {})


def text(J, a):
    return str(J.make_jaxpr(lambda a: J.nn.logsumexp(a, axis=0))(a))


def test_the_program(oracle):
    oracle.compare(text, X)


def test_refusals(oracle):
    oracle.compare(summed, X, None, {"axis": 2}, raises=True)
    oracle.compare(summed, "text", None, {}, raises=True)
