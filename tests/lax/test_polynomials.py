"""polynomial: values, coefficients of all kinds, derivatives."""

import numpy as np
import pytest

from tests.oracle import execute, namespace

X = np.array([0.5, -1.0, 2.0], np.float32)
COEFFS = [
    [1.0, 2.0, 3.0],
    [1, 2],
    [1.0],
    [],
    [X, 1.0],
    [1.0, X, 2, np.float32(3)],
    [np.float64(1), 2.0],
    [np.ones(1, np.float32), 1.0],
]


def value(J, x, coeffs, options):
    f = lambda x: J.lax.polynomial(x, coeffs, **options)  # noqa: E731
    return f(x), str(J.make_jaxpr(f)(x))


@pytest.mark.parametrize("case", range(len(COEFFS)))
def test_value(oracle, case):
    oracle.compare(value, X, COEFFS[case], {})


@pytest.mark.parametrize("x", [2.0, np.complex64(1 + 1j), np.int32(3)], ids=str)
def test_other_dtypes(oracle, x):
    oracle.compare(value, x, [1, 2, 3], {})


def test_unroll(oracle):
    oracle.compare(value, X, [1.0, 2.0, 3.0], {"unroll": 2})


def test_many_terms(oracle):
    oracle.compare(value, X / 4, [1.0] * 40, {}, rtol=1e-5)


@pytest.mark.parametrize("coeffs", [[1j, 2.0], [np.ones(4, np.float32), 1.0]], ids=str)
def test_coefficients_that_do_not_fit(oracle, coeffs):
    oracle.compare(value, X, coeffs, {}, raises=True)


def test_text_is_no_coefficient():
    # jax reads the text as a number first, and fails with a ValueError.
    found = execute(namespace("minijax"), value, (X, ["a", 1.0], {}), False)
    assert found.facts["public"][0] == "TypeError"


def slopes(J, x, a):
    f = lambda x, a: J.lax.polynomial(x, [a, 2.0, a, 3.0])  # noqa: E731
    y, pull = J.vjp(f, x, a)
    return J.jvp(f, (x, a), (x, a)), pull(J.lax.full_like(y, 1.0))


@pytest.mark.parametrize("a", [np.float32(2), X], ids=["scalar", "array"])
def test_derivatives(oracle, a):
    oracle.compare(slopes, X, a)


def jvp_program(J, which):
    f = {
        "point": lambda x: J.lax.polynomial(x, [1.0, 2.0, 3.0, 4.0]),
        "coefficients": lambda a: J.lax.polynomial(X, [a, 2.0, a]),
    }[which]
    x = J.ShapeDtypeStruct((3,), "float32")
    return J.make_jaxpr(lambda x, x_dot: J.jvp(f, (x,), (x_dot,)))(x, x)


@pytest.mark.parametrize("which", ["point", "coefficients"])
def test_jvp_jaxpr(oracle, which):
    oracle.compare(jvp_program, which)


def transposed(J):
    f = lambda a: J.lax.polynomial(X, [a, a, a])  # noqa: E731
    return J.make_jaxpr(lambda y: J.linear_transpose(f, X)(y))(X)


def test_transpose_jaxpr(oracle):
    oracle.compare(transposed)


def mapped(J, x, a):
    return J.vmap(lambda x, a: J.lax.polynomial(x, [a, 1.0]))(x, a)


def test_vmap(oracle):
    oracle.compare(mapped, np.stack([X, X]), np.array([1.0, 2.0], np.float32))
