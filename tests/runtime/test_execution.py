import gc
import weakref

import numpy as np
import pytest

from minijax import lax
from minijax.base import flags
from minijax.base.dtypes import float0
from minijax.base.errors import DeviceMismatchError, ForbiddenExecutionError
from minijax.core import ShapedArray, ShapeDtypeStruct, stage
from minijax.runtime import (
    Way,
    caches,
    call_jaxpr,
    compile_jaxpr,
    default_placement,
    holds_program,
    lower_jaxpr,
    place_of,
    put,
    run_jaxpr,
)
from minijax.tree import registry
from tests.runtime.processes import run

F32 = ShapedArray((3,), np.float32)


def program(fun, count=1, **how):
    jaxpr = stage(fun, [F32] * count)
    return jaxpr, compile_jaxpr(jaxpr, "f", place_of("f", ()), **how)


@pytest.fixture
def x():
    return put(np.arange(3, dtype=np.float32))


def test_a_jaxpr_runs(x):
    jaxpr = stage(lambda x, y: [lax.add(x, y), lax.mul(x, y)], [F32, F32])
    a, b = run_jaxpr(jaxpr, "f", [x, np.ones(3, np.float32)])
    assert a.tolist() == [1, 2, 3]
    assert b.tolist() == [0, 1, 2]
    assert a.aval is F32


def test_a_program_is_made_once(x):
    jaxpr, made = program(lambda x: [lax.sin(x)])
    place = place_of("f", [x])
    assert compile_jaxpr(jaxpr, "f", place) is made
    assert holds_program(jaxpr, "f", place)
    assert not holds_program(jaxpr, "g", place)
    assert not holds_program(jaxpr, "f", place, donated=(True,))


def test_arguments_nobody_reads_are_not_taken(x):
    _, made = program(lambda x, y: [lax.sin(y)], 2)
    assert made.kept == (1,)
    assert made.fast_path(registry.flatten(0)[1]).kept_var_bitvec == [False, True]
    _, kept = program(lambda x, y: [lax.sin(y)], 2, keep_unused=True)
    assert kept.kept == (0, 1)
    x.delete()
    assert made.run([x, np.zeros(3, np.float32)])[0].tolist() == [0, 0, 0]


def test_a_deleted_argument_is_refused(x):
    _, made = program(lambda x: [lax.sin(x)])
    x.delete()
    with pytest.raises(RuntimeError, match=r"float32\[3\]"):
        made.run([x])


def test_a_description_is_no_argument():
    _, made = program(lambda x: [lax.sin(x)])
    with pytest.raises(TypeError, match="ShapeDtypeStruct"):
        made.run([ShapeDtypeStruct((3,), np.float32)])


def test_results_are_committed_if_an_argument_is(x):
    jaxpr, made = program(lambda x: [lax.sin(x)])
    assert not made.run([x])[0].committed
    there = put(x, default_placement())
    place = place_of("f", [there])
    assert place.committed
    assert compile_jaxpr(jaxpr, "f", place).run([there])[0].committed


def test_check_27_no_execution(x):
    _, made = program(lambda x: [lax.sin(x)])
    with flags.no_execution(True), pytest.raises(ForbiddenExecutionError, match="f"):
        made.run([x])


def test_lowering_is_shared_by_places_and_options():
    jaxpr, _ = program(lambda x: [lax.sin(x)])
    hits = caches().lowering.hits
    options = (("xla_cpu_enable_fast_math", True),)
    compile_jaxpr(jaxpr, "f", place_of("f", ()), options=options)
    assert caches().lowering.hits == hits + 1
    way = Way("f", "cpu", (False,))
    assert lower_jaxpr(jaxpr, way) is lower_jaxpr(jaxpr, way)


def test_everything_goes_with_the_jaxpr(x):
    jaxpr, made = program(lambda x: [lax.sub(lax.sin(x), 7.125)])  # nobody else's
    call_jaxpr(jaxpr, [x], name="f")
    dead, weak = weakref.ref(jaxpr), weakref.ref(made.executable)
    gc.collect()
    before = caches().lowering.size
    del jaxpr, made
    gc.collect()
    assert dead() is None
    assert weak() is None
    assert caches().lowering.size == before - 1


def test_devices_are_chosen_by_committed_arguments():
    out = run(
        """
        import numpy as np
        from minijax import lax
        from minijax.runtime import *
        a, b = map(placement_on, devices())
        x, y = put(np.ones(2)), put(np.ones(2), b)
        print(lax.add(x, y).device, lax.add(y, x).device, lax.add(x, x).device)
        print(lax.add(x, y).device, lax.add(x, y).committed, lax.add(x, x).committed)
        try:
            lax.add(put(x, a), y)
        except ValueError as error:
            print(type(error).__name__, error.function, len(error.placed))
            print(error.placed)
        """,
        devices=2,
    )
    lines = out.splitlines()
    assert lines[0] == "cpu:1 cpu:1 cpu:0"
    assert lines[1] == "cpu:1 True False"
    assert lines[2] == "DeviceMismatchError add 2"
    assert "float32[2] on cpu:0" in lines[3]
    assert "float32[2] on cpu:1" in lines[3]
    assert issubclass(DeviceMismatchError, ValueError)


def test_values_without_content_pass_through_programs():
    jaxpr = stage(lambda x, y: [x, lax.sin(y)], [ShapedArray((2,), float0), F32])
    made = compile_jaxpr(jaxpr, "f", place_of("f", ()))
    for _ in range(2):
        nothing, y = made.run([np.zeros(2, float0), np.zeros(3, np.float32)])
        assert (nothing.dtype, nothing.shape) == (float0, (2,))
        assert y.tolist() == [0, 0, 0]
    assert made.fast_path(registry.flatten(0)[1]) is None
