"""How exact a function is asked to be: modes, tolerances, and what they print as."""

import numpy as np
import pytest

from tests.lax import calls

F32 = np.array([0.2, 0.7], np.float32)
WITH_ACCURACY = (
    *("exp", "exp2", "expm1", "log", "log2", "log1p", "sqrt", "rsqrt", "cbrt"),
    *("sin", "cos", "tan", "tanh", "logistic"),
)


@pytest.mark.parametrize("name", WITH_ACCURACY)
@pytest.mark.parametrize("mode", ["HIGHEST", "DEFAULT"])
def test_accuracy_mode(oracle, name, mode):
    params = {"accuracy": f"lax.AccuracyMode.{mode}"}
    x = np.array([0.2, 0.7], np.float32)
    oracle.compare(calls.value, name, (x,), params)
    oracle.compare(calls.jvp_text, name, [((2,), "float32")], params, (0,))


def tolerant(J, name, x, **fields):
    return getattr(J.lax, name)(x, accuracy=J.lax.Tolerance(**fields))


@pytest.mark.parametrize("name", WITH_ACCURACY)
def test_accuracy_tolerance(oracle, name):
    oracle.compare(tolerance_program, name, np.array([0.2, 0.7], np.float32))


def tolerance_program(J, name, x):
    return tolerant(J, name, x, atol=1e-3, rtol=1e-2, ulps=3)


@pytest.mark.parametrize("fields", [{}, {"atol": -1.0}, {"ulps": -1}], ids=str)
def test_useless_tolerance(oracle, fields):
    oracle.compare(useless_tolerance, fields, raises=True)


def useless_tolerance(J, fields):
    return tolerant(J, "exp", np.ones(2, np.float32), **fields)


def test_accuracy_of_another_kind(oracle):
    oracle.compare(calls.value, "sin", (F32,), {"accuracy": "best"}, raises=True)


def test_tolerances_are_equal_by_value(oracle):
    from minijax import lax

    assert lax.Tolerance(rtol=1e-3) == lax.Tolerance(rtol=1e-3)
    assert hash(lax.Tolerance(rtol=1e-3)) == hash(lax.Tolerance(rtol=1e-3))
    assert lax.Tolerance(rtol=1e-3) != lax.Tolerance(rtol=1e-4)
    assert repr(lax.Tolerance(ulps=2)) == "Tolerance(atol=0.0, rtol=0.0, ulps=2)"


def module(J, mode):
    accuracy = calls.constant(J, mode)
    f = lambda x: J.lax.exp(x, accuracy=accuracy)  # noqa: E731
    text = J.jit(f).lower(F32).as_text()
    return "result_accuracy" in text, "HIGHEST" in text


@pytest.mark.parametrize("mode", [None, "lax.AccuracyMode.HIGHEST"], ids=str)
def test_what_the_compiler_is_told(oracle, mode):
    oracle.compare(module, mode)
