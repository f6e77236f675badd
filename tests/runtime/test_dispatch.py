import gc
import threading
import weakref

import numpy as np
import pytest

from minijax import lax
from minijax.base import flags
from minijax.base.errors import UnhashableParamError
from minijax.core import Primitive, ShapedArray, check_alive, stage
from minijax.lowering import emit, lower_rules
from minijax.runtime import (
    PjitFunction,
    apply_primitive,
    caches,
    call_jaxpr,
    pjit_function,
    put,
)

F32 = ShapedArray((3,), np.float32)

# A primitive nobody else has, so that its programs are compiled here.
turn_p = Primitive("turn")
turn_p.def_abstract_eval(lambda x, *, by=None: x)
lower_rules.define(
    turn_p, lambda ctx, x, *, by: [ctx.op("stablehlo.sine", [x], ctx.avals_out[0])]
)


@pytest.fixture
def x():
    return put(np.arange(3, dtype=np.float32))


def misses():
    return caches().eager.misses


def test_a_repeated_call_does_not_come_to_python(x):
    turn_p.bind(x, by=1)
    before = misses()
    for _ in range(3):
        result = turn_p.bind(x, by=1)
    np.testing.assert_allclose(result, np.sin([0, 1, 2]), rtol=1e-6)
    assert misses() == before


def test_parameters_are_keyed_by_value_and_type(x):
    seen = []
    for by in (2, 2.0, True, (1, 2), "a", None):
        before = misses()
        turn_p.bind(x, by=by)
        seen.append(misses() - before)
    assert seen == [1] * 6


def test_kinds_of_operands(x):
    for operand, weak in ((1.0, True), (np.float32(1), False), (np.ones(3), False)):
        result = apply_primitive(turn_p, (operand,), {"by": 3})
        assert result.weak_type is weak
        np.testing.assert_allclose(result, np.sin(np.asarray(operand)), rtol=1e-6)


def test_an_unhashable_parameter_is_named(x):
    with pytest.raises(TypeError, match="by=") as error:
        apply_primitive(turn_p, (x,), {"by": [1]})
    assert isinstance(error.value, UnhashableParamError)
    assert (error.value.primitive, error.value.param) == ("turn", "by")


def test_what_is_no_array_is_refused_each_time(x):
    for _ in range(2):
        with pytest.raises(TypeError):
            apply_primitive(turn_p, ("text",), {"by": 1})
    with pytest.raises(OverflowError):
        apply_primitive(turn_p, (2**40,), {"by": 1})


def test_an_escaped_tracer_is_refused(x):
    leaked = []
    stage(lambda t: leaked.append(t) or [t], [F32])
    with pytest.raises(TypeError) as error:
        turn_p.bind(leaked[0], by=1)
    assert type(error.value).__name__ == "UnexpectedTracerError"
    with pytest.raises(type(error.value)):
        check_alive(leaked[0])


def test_a_deleted_operand_is_refused_and_the_next_call_is_fast(x):
    y = put(np.zeros(3, np.float32))
    lax.tan(y)
    x.delete()
    for _ in range(2):
        with pytest.raises(RuntimeError, match=r"float32\[3\]"):
            lax.tan(x)
    lax.tan(y)
    before = misses()
    lax.tan(y)
    assert misses() == before


def test_disable_jit_still_compiles_single_operations(x):
    with flags.disable_jit(True):
        np.testing.assert_allclose(lax.sin(x), np.sin([0, 1, 2]), rtol=1e-6)
        jaxpr = stage(lambda x: [lax.cos(x)], [F32])
        (y,) = call_jaxpr(jaxpr, [x], name="f")
    np.testing.assert_allclose(y, np.cos([0, 1, 2]), rtol=1e-6)


def test_a_program_is_called_by_cpp_and_forgotten_with_its_jaxpr(x):
    jaxpr = stage(lambda x: [lax.sin(x), x], [F32])
    first = call_jaxpr(jaxpr, [x], name="f")
    before = misses()
    again = call_jaxpr(jaxpr, [x], name="f")
    assert misses() == before
    assert [y.tolist() for y in again] == [y.tolist() for y in first]
    dead = weakref.ref(jaxpr)
    del jaxpr
    gc.collect()
    assert dead() is None


def test_a_primitive_that_holds_programs_does_not_keep_them(x):
    held_p = Primitive("held", multiple_results=True, holds_programs=True)
    held_p.def_abstract_eval(lambda *avals, jaxpr, more: jaxpr.out_avals)
    lower_rules.define(
        held_p, lambda ctx, *values, jaxpr, more: ctx.inline(jaxpr, values)
    )
    jaxpr = stage(lambda x: [lax.sin(x)], [F32])
    for _ in range(2):
        (y,) = held_p.bind(x, jaxpr=jaxpr, more=(jaxpr, 1))
    np.testing.assert_allclose(y, np.sin([0, 1, 2]), rtol=1e-6)
    before = misses()
    held_p.bind(x, jaxpr=jaxpr, more=(jaxpr, 1))
    assert misses() == before
    dead = weakref.ref(jaxpr)
    del jaxpr
    gc.collect()
    assert dead() is None


def test_check_26_threads_share_the_entries(x):
    lax.exp2(x)
    before, seen = misses(), []

    def work():
        seen.append(lax.exp2(x).tolist())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [[1, 2, 4]] * 4
    assert misses() == before


def test_pjit_function_is_a_method_too(x):
    calls = []

    def cache_miss(*args):
        calls.append(args)
        return len(args), None, True

    function = pjit_function(cache_miss, name="count", cache_miss=cache_miss)
    assert type(function) is PjitFunction
    owner = type("Owner", (), {"count": function})
    with pytest.raises(TypeError):
        hash(x)
    assert owner.count(x) == 1
    assert function(x, x) == 2
    assert len(calls) == 2


def test_lower_rules_are_as_given():
    assert callable(emit("stablehlo.sine"))
