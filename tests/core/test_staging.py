"""Functions become jaxprs: which equations, literals and constants there are."""

import gc
import weakref

import numpy as np
import pytest

import minijax as mj
from minijax import core
from tests.core.staging_programs import NAMES, nested, shapes, text


@pytest.mark.parametrize("which", NAMES)
def test_checks_22_to_24_literals_and_constants(oracle, which):
    oracle.compare(text, which)


def test_check_22_texts():
    assert text(mj, "empty") == "{ lambda ; . let  in () }"
    assert "(1:i32[],)" in text(mj, "constant")
    assert "_:f32[] = sin" in text(mj, "dead")


def test_check_23_compile_time_evaluation():
    jnp = mj.numpy

    def fun(x):
        with mj.ensure_compile_time_eval():
            y = jnp.sin(jnp.float32(3.0))
            assert y > 0
        return x + y

    jaxpr = mj.make_jaxpr(fun)(1.0)
    assert [e.primitive.name for e in jaxpr.eqns if e.primitive.name == "sin"] == []
    assert [c.shape for c in jaxpr.consts] == [()]


def test_check_24_constants_are_in_order_of_first_use():
    a, b = mj.numpy.zeros(2), mj.numpy.ones(3)
    jaxpr = mj.make_jaxpr(lambda: (b * 2, a * 2, b * 3))()
    assert [c.shape for c in jaxpr.consts] == [(3,), (2,)]


def test_check_25_a_nested_jit_takes_outer_tracers_first(oracle):
    oracle.compare(nested)


def test_check_26_a_scan_body_hoists_what_it_closes_over():
    table = mj.numpy.arange(3.0)

    def fun(x):
        return mj.lax.scan(lambda c, t: (c + x * table.sum() * t, c), 0.0, table)

    (scan,) = [e for e in mj.make_jaxpr(fun)(1.0).eqns if e.primitive.name == "scan"]
    assert scan.params["num_consts"] == 2
    assert scan.params["jaxpr"].num_consts == 0


def test_check_29_tracing_twice_gives_one_object():
    def f(x):
        return x * 2

    assert mj.make_jaxpr(f)(1.0) is mj.make_jaxpr(f)(2.0)
    assert mj.make_jaxpr(f)(1.0) != mj.make_jaxpr(lambda x: x * 2)(1.0)


def test_check_30_return_shape(oracle):
    oracle.compare(shapes)
    with pytest.raises(TypeError):
        mj.make_jaxpr(lambda x: x, abstracted_axes=())


def test_check_36_eval_shape_runs_nothing():
    poisoned = core.Primitive("poisoned")
    poisoned.def_abstract_eval(lambda x: x)
    poisoned.def_impl(lambda x: pytest.fail("it ran"))

    class Duck:
        shape, dtype = (2,), np.dtype("float32")

    out = mj.eval_shape(lambda x: {"y": poisoned.bind(x)}, Duck())
    assert out == {"y": mj.ShapeDtypeStruct((2,), "float32")}
    weak = mj.eval_shape(lambda x: x * 2, 1.0)
    assert weak.weak_type


def test_a_finished_trace_lets_go():
    kept = []

    def fun(x):
        kept.append(weakref.ref(core.current_trace()))
        return [x]

    core.stage(fun, [core.ShapedArray((), "float32")])
    gc.collect()
    assert kept[0]() is None


def test_the_collector_pauses_and_resumes():
    def fun(x):
        assert not gc.isenabled()
        return core.stage(lambda y: [y], [x.aval]) and [x]

    assert gc.isenabled()
    core.stage(fun, [core.ShapedArray((), "float32")])
    assert gc.isenabled()


def test_the_collector_stays_off_for_who_turned_it_off():
    gc.disable()
    try:
        core.stage(lambda x: [x], [core.ShapedArray((), "float32")])
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_an_int_out_of_range_is_refused():
    with pytest.raises(OverflowError):
        mj.make_jaxpr(lambda: mj.lax.neg(2**40))()


def test_staging_is_linear_in_the_number_of_equations():
    def chain(n):
        def fun(x):
            for _ in range(n):
                x = mj.lax.mul(x, x)
            return [x]

        return core.stage(fun, [core.ShapedArray((), "float32")])

    assert len(chain(50_000).eqns) == 50_000


def test_check_27_constants_as_literals():
    table = mj.numpy.arange(20.0)

    def f(x):
        return mj.jit(lambda x: mj.numpy.sum(x * table))(x) + table[1]

    def looped(x):
        return mj.lax.scan(lambda c, v: (c + v * table, None), x, np.ones(2, "float32"))

    with mj.base.flags.use_simplified_jaxpr_constants(True):
        jaxpr = mj.make_jaxpr(lambda x: x * table)(table)
        text = "{ lambda ; a:f32[20]. let b:f32[20] = mul a [...]:f32[20] in (b,) }"
        assert " ".join(str(jaxpr).split()) == text
        assert jaxpr.consts == ()
        (scan,) = mj.make_jaxpr(looped)(table).eqns
        assert scan.params["num_consts"] == 0
        mj.core.check_jaxpr(mj.make_jaxpr(looped)(table))
        assert float(mj.jit(f)(table)) == 2471.0
        gradient = mj.grad(f)(table)
        with pytest.raises(mj.base.errors.PrimitiveOperandError):
            mj.make_jaxpr(lambda x: mj.lax.add(x, "text"))(1.0)
    np.testing.assert_array_equal(gradient, table)
    assert len(mj.make_jaxpr(lambda x: x * table)(table).consts) == 1
