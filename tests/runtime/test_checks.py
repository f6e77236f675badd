import numpy as np
import pytest

from minijax import lax
from minijax.base import flags
from minijax.core import ShapedArray, stage
from minijax.runtime import call_jaxpr, put
from minijax.transforms import grad, jit


@pytest.fixture
def bad():
    return put(np.float32(-1))


def log_twice(x):
    return lax.mul(lax.log(x), 2.0)


def test_check_57_the_operation_that_made_it_is_named(bad):
    f = jit(log_twice)
    f(bad)
    lax.log(bad)
    with flags.debug_nans(True):
        for call in (f, lax.log, jit(lambda x: f(x)), grad(f)):
            for _ in range(2):
                with pytest.raises(FloatingPointError, match=r"nan.* in log") as error:
                    call(bad)
                assert error.value.primitive == "log"
    assert np.isnan(f(bad))


def test_check_57_infs_are_not_nans(bad):
    f = jit(log_twice)
    with flags.debug_nans(True):
        assert float(f(0.0)) == -np.inf
    with flags.debug_infs(True):
        assert np.isnan(f(bad))
        with pytest.raises(FloatingPointError, match="inf"):
            f(0.0)


def test_check_57_a_value_that_was_there_before(bad):
    f = jit(lambda x: {"a": x, "b": 1})
    nan = put(np.float32(np.nan))
    with (
        flags.debug_nans(True),
        pytest.raises(FloatingPointError, match="argument"),
    ):
        f(nan)


def test_check_57_masked_and_integer_values_do_not_count(bad):
    f = jit(lambda x: lax.select_n(lax.lt(x, 0.0), lax.log(x), 0.0))
    with flags.debug_nans(True):
        assert float(f(bad)) == 0.0
        assert int(lax.add(put(1), 1)) == 2
        with pytest.raises(FloatingPointError):
            lax.log(put(np.complex64(np.nan)))


def test_check_57_no_retrace_when_toggled(bad):
    traced = []
    f = jit(lambda x: traced.append(1) or lax.mul(x, 2.0))
    f(bad)
    with flags.debug_nans(True):
        f(bad)
    f(bad)
    assert traced == [1]


def test_errors_of_the_rerun_propagate(bad):
    calls = []

    def f(x):
        calls.append(1)
        if len(calls) > 1:
            raise ZeroDivisionError
        return lax.log(x)

    with flags.debug_nans(True), pytest.raises(ZeroDivisionError):
        jit(f)(bad)


def test_check_16_donation_is_suspended():
    f = jit(lambda x: lax.add(x, 1.0), donate_argnums=0)
    x = put(np.float32(1))
    with flags.debug_nans(True):
        f(x)
    assert not x.is_deleted()


def test_programs_without_a_function_are_looked_at_too(bad):
    jaxpr = stage(lambda x: [lax.mul(lax.log(x), x)], [ShapedArray((), np.float32)])
    with flags.debug_nans(True):
        for _ in range(2):
            with pytest.raises(FloatingPointError, match="log"):
                call_jaxpr(jaxpr, [bad], name="f")


def test_the_global_option():
    flags.debug_nans.update(True)
    try:
        with pytest.raises(FloatingPointError):
            lax.log(put(np.float32(-2)))
        with flags.debug_nans(False):
            assert np.isnan(lax.log(put(np.float32(-2))))
    finally:
        flags.debug_nans.update(False)
    assert np.isnan(lax.log(put(np.float32(-2))))
