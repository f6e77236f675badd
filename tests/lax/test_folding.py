"""associative_scan (spec/control_flow.md §6)."""

import numpy as np
import pytest

X = np.arange(1, 13, dtype=np.float32).reshape(6, 2)


def scanned(J, x, reverse, axis):
    return J.lax.associative_scan(J.lax.add, x, reverse=reverse, axis=axis)


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 5, 6, 7, 8, 17])
@pytest.mark.parametrize("reverse", [False, True])
def test_sizes(oracle, size, reverse):
    x = np.arange(1, size + 1, dtype=np.float32)
    oracle.compare(scanned, x, reverse, 0)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_axes(oracle, axis):
    oracle.compare(scanned, X, False, axis)


def matrices(J, a, reverse):
    product = lambda x, y: J.lax.dot_general(x, y, (((2,), (1,)), ((0,), (0,))))  # noqa: E731
    return J.lax.associative_scan(product, a, reverse=reverse)


@pytest.mark.parametrize("reverse", [False, True])
def test_order_of_operands_matters(oracle, reverse):
    a = np.random.default_rng(0).normal(size=(5, 2, 2)).astype(np.float32)
    oracle.compare(matrices, a, reverse, rtol=1e-4)


def pytrees(J, a, b):
    def combine(x, y):
        return {
            "a": J.lax.mul(x["a"], y["a"]),
            "b": J.lax.add(J.lax.mul(x["b"], y["a"]), y["b"]),
        }

    return J.lax.associative_scan(combine, {"a": a, "b": b})


def test_linear_recurrence(oracle):
    a = np.linspace(0.5, 1.5, 7, dtype=np.float32)
    oracle.compare(pytrees, a, a[::-1].copy(), rtol=1e-5)


def truth(J, x):
    return J.lax.associative_scan(J.lax.bitwise_or, x)


def test_truth_values(oracle):
    oracle.compare(truth, np.array([False, False, True, False, True]))


def program(J, size, reverse):
    x = J.ShapeDtypeStruct((size,), "float32")
    f = lambda x: J.lax.associative_scan(J.lax.add, x, reverse=reverse)  # noqa: E731
    return J.make_jaxpr(f)(x)


@pytest.mark.parametrize("size", [2, 5, 8])
@pytest.mark.parametrize("reverse", [False, True])
def test_jaxpr(oracle, size, reverse):
    oracle.compare(program, size, reverse)


def refused(J, which):
    if which == "function":
        return J.lax.associative_scan(3, X)
    if which == "sizes":
        return J.lax.associative_scan(lambda a, b: a, (X, X[:3]))
    return J.lax.associative_scan(lambda a, b: (a, b), X)


@pytest.mark.parametrize("which", ["function", "sizes"])
def test_refusals(oracle, which):
    oracle.compare(refused, which, raises=True)


def test_a_function_that_returns_too_much(oracle):
    from tests.oracle import execute, namespace

    found = execute(namespace("minijax"), refused, ("result",), False)
    assert found.facts["public"][0] == "ValueError"


def slopes(J, x):
    f = lambda x: J.lax.associative_scan(J.lax.mul, x)  # noqa: E731
    y, pull = J.vjp(f, x)
    return pull(J.lax.full_like(y, 1.0))


def test_check_88_products(oracle):
    oracle.compare(slopes, np.array([1.0, 2.0, 3.0], np.float32))
