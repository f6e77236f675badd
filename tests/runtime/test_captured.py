import gc
import weakref

import numpy as np
import pytest

from minijax import lax
from minijax.core import ShapedArray, stage
from minijax.runtime import caches, compile_jaxpr, place_of, put
from minijax.runtime.captured import LARGE, open_captured
from minijax.transforms import grad, jit
from tests.runtime.processes import run

N = LARGE // 4
F32 = ShapedArray((N,), np.float32)


def closing_over(*arrays):
    def fun(x):
        for array in arrays:
            x = lax.add(x, array)
        return [x]

    return stage(fun, [F32])


def test_large_arrays_become_arguments_and_small_ones_stay():
    large, small = put(np.ones(N, np.float32)), put(np.ones(N // 2, np.float32))
    jaxpr = stage(lambda x: [lax.add(x, large), lax.neg(small)], [F32])
    opened, captured = open_captured(jaxpr)
    assert [c is large for c in captured] == [True]
    assert [c is small for c in opened.consts] == [True]
    assert opened.in_avals == [F32, F32]
    assert open_captured(jaxpr).jaxpr is opened
    plain = stage(lambda x: [lax.sin(x)], [F32])
    assert open_captured(plain) == (plain, ())


def test_results_are_those_of_the_values():
    weights = np.arange(N, dtype=np.float32)
    for array in (put(weights), weights):
        check_scaling(jit(lambda x, array=array: lax.mul(x, array)), weights)


def check_scaling(f, weights):
    x = put(np.full(N, 2, np.float32))
    for _ in range(3):
        np.testing.assert_array_equal(f(x), 2 * weights)
    before = caches().dispatch.misses
    f(x)
    assert caches().dispatch.misses == before
    slope = grad(lambda x: lax.reduce_sum(f(x), (0,)))(x)
    np.testing.assert_array_equal(slope, weights)
    np.testing.assert_array_equal(jit(lambda x: f(x))(x), 2 * weights)


def test_programs_over_other_values_are_one_executable():
    here = place_of("f", ())
    one = compile_jaxpr(closing_over(put(np.ones(N, np.float32))), "f", here)
    two = compile_jaxpr(closing_over(put(np.zeros(N, np.float32))), "f", here)
    assert one.executable is two.executable
    x = np.ones(N, np.float32)
    assert one.run([x])[0].tolist()[0] == 2
    assert two.run([x])[0].tolist()[0] == 1


def test_memory_that_is_written_later_does_not_matter():
    weights = np.ones(N, np.float32)
    f = jit(lambda x: lax.add(x, weights))
    x = put(np.zeros(N, np.float32))
    f(x)
    weights[:] = 7
    assert f(x).tolist()[0] == 1


def test_donation_and_unread_arguments_count_from_the_arguments():
    table = put(np.ones(N, np.float32))
    f = jit(lambda unread, x: lax.add(x, table), donate_argnums=1)
    for _ in range(2):
        x = put(np.ones(N, np.float32))
        assert f(3.0, x).tolist()[0] == 2
        assert x.is_deleted()
    assert not table.is_deleted()


def test_a_deleted_capture_is_refused():
    table = put(np.ones(N, np.float32))
    jaxpr = closing_over(table)
    table.delete()
    with pytest.raises(RuntimeError, match="deleted"):
        compile_jaxpr(jaxpr, "f", place_of("f", ()))


def test_captured_arrays_go_with_the_program():
    table = put(np.ones(N, np.float32))
    dead = weakref.ref(table)
    f = jit(lambda x, table=table: lax.add(x, table))
    f(np.ones(N, np.float32))
    del f, table
    gc.collect()
    assert dead() is None


def test_captured_arrays_follow_the_program():
    out = run(
        """
        import numpy as np
        from minijax import lax
        from minijax.runtime import *
        from minijax.transforms import jit
        table = put(np.ones(4096, np.float32))
        f = jit(lambda x: lax.add(x, table))
        there = put(np.ones(4096, np.float32), placement_on(devices()[1]))
        for x in (there, table, there, table):
            y = f(x)
            print(y.device, float(y.tolist()[0]))
        """,
        devices=2,
    )
    assert out.splitlines() == ["cpu:1 2.0", "cpu:0 2.0"] * 2
