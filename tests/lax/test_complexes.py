"""complex, real, imag, conj as functions of parts."""

import numpy as np
import pytest

from tests.lax import calls

X = np.array([1.0, 2.0], np.float32)


@pytest.mark.parametrize("operands", [(X, X), (X, 1.0), (1.0, X), (1.0, 2.0)], ids=str)
def test_value(oracle, operands):
    oracle.compare(calls.value, "complex", operands, {}, exact=True)


@pytest.mark.parametrize(
    "operands",
    [(1, 1), (X.astype(np.float16),) * 2, (X, np.ones(3, np.float32)), (1j, 1j)],
    ids=str,
)
def test_complex_refuses(oracle, operands):
    oracle.compare(calls.value, "complex", operands, {}, raises=True)


@pytest.mark.parametrize("moving", [(0,), (1,), (0, 1)], ids=str)
@pytest.mark.parametrize("shapes", [((), ()), ((3,), (3,)), ((3,), ())], ids=str)
def test_jvp_jaxpr(oracle, shapes, moving):
    types = [(shape, "float32") for shape in shapes]
    oracle.compare(calls.jvp_text, "complex", types, {}, moving)


def test_pullback(oracle):
    y_bar = np.array([3 + 4j, 1j], np.complex64)
    oracle.compare(calls.pullback, "complex", (X, X), {}, (0, 1), y_bar, exact=True)


def test_transpose_jaxpr(oracle):
    oracle.compare(both_parts)


def both_parts(J):
    x = np.ones(3, np.float32)
    f = lambda x: J.lax.complex(x, x)  # noqa: E731
    y = np.ones(3, np.complex64)
    return J.make_jaxpr(lambda y: J.linear_transpose(f, x)(y))(y)


@pytest.mark.parametrize("name", ["conj", "real", "imag"])
def test_weak_types(oracle, name):
    oracle.compare(calls.value, name, (1 + 2j,), {})


@pytest.mark.parametrize("x", [1.0, X], ids=["weak", "strong"])
def test_conj_of_reals_is_complex(oracle, x):
    oracle.compare(calls.value, "conj", (x,), {})
    oracle.compare(calls.value, "conj", (np.arange(3),), {}, raises=True)
