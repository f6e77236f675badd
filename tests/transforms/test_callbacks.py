import numpy as np
import pytest

import minijax as mj
from minijax.experimental import io_callback
from tests.transforms import callback_programs as programs


def test_pure_callback(oracle):
    oracle.compare(programs.pure)
    oracle.compare(programs.pure_text)


@pytest.mark.parametrize("method", programs.METHODS)
def test_check_79_vmap_methods(oracle, method):
    oracle.compare(programs.pure_mapped, method)


@pytest.mark.parametrize("case", programs.REFUSED)
def test_check_79_what_is_refused(oracle, case):
    oracle.compare(programs.refused, case, raises=True)


def test_a_larger_result_does_not_reach_memory():
    f = mj.jit(lambda: mj.pure_callback(lambda: np.ones(10**6), spec))
    spec = mj.ShapeDtypeStruct((2,), "float32")
    with pytest.raises(mj.base.JaxRuntimeError, match="float32\\[2\\]"):
        mj.block_until_ready(f())


def test_the_users_error_is_the_cause():
    def failing(x):
        raise KeyError("own")

    with pytest.raises(mj.base.JaxRuntimeError, match="KeyError: 'own'") as caught:
        mj.pure_callback(failing, mj.ShapeDtypeStruct((), "float32"), 1.0)
    assert isinstance(caught.value.__cause__, KeyError)
    with pytest.raises(mj.base.JaxRuntimeError, match="own"):
        mj.block_until_ready(
            mj.jit(
                lambda x: mj.pure_callback(
                    failing, mj.ShapeDtypeStruct((), "float32"), x
                )
            )(1.0)
        )


def test_results_may_be_in_any_layout():
    spec = mj.ShapeDtypeStruct((2, 3), "float32")
    rows = np.arange(6, dtype=np.float32).reshape(3, 2)
    f = mj.jit(lambda: mj.pure_callback(lambda: rows.T, spec))
    np.testing.assert_array_equal(f(), rows.T)


def test_operands_may_be_kept():
    kept = []
    spec = mj.ShapeDtypeStruct((), "float32")

    def keep(x):
        kept.append(x)
        return np.float32(0)

    f = mj.jit(lambda x: mj.pure_callback(keep, spec, x))
    for number in range(4):
        f(np.full(1000, number, np.float32)).block_until_ready()
    assert [float(x[500]) for x in kept] == [0.0, 1.0, 2.0, 3.0]


def test_an_unused_pure_callback_is_not_called():
    called = []
    spec = mj.ShapeDtypeStruct((), "float32")

    def f(x):
        mj.pure_callback(lambda x: called.append(1) or np.float32(0), spec, x)
        return x * 2

    assert float(mj.jit(f)(1.0)) == 2.0
    assert called == []


@pytest.mark.parametrize("compiled", [False, True])
def test_check_70_ordered_calls_in_loops_and_branches(oracle, compiled):
    oracle.compare(programs.io_calls, True, compiled)


def test_calls_without_order(oracle):
    oracle.compare(programs.io_calls, False, True)
    oracle.compare(programs.io_mapped)
    oracle.compare(programs.io_without_results)


def test_check_65_70_what_must_not_happen_in_vain():
    def chosen(x):
        return mj.lax.cond(x > 0, lambda x: io_callback(float, spec, x), abs, x)

    def loop(x):
        return mj.lax.while_loop(
            lambda c: c < 3, lambda c: (io_callback(print, None, c), c + 1)[1], x
        )

    spec = mj.ShapeDtypeStruct((), "float32")
    for fun in (chosen, loop):
        with pytest.raises(NotImplementedError, match="IO"):
            mj.vmap(fun)(np.ones(2, np.float32))


def test_ordered_calls_of_several_programs_are_in_order():
    seen = []

    def note(x):
        io_callback(lambda x: seen.append(int(x)), None, x, ordered=True)

    f = mj.jit(note)
    for number in range(0, 10, 2):
        f(number)  # compiled
        note(number + 1)  # at once
    mj.effects_barrier()
    assert seen == list(range(10))
