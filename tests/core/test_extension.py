"""The core as other libraries ask for it."""

import numpy as np
import pytest

from minijax.base import dtypes, flags
from minijax.base.errors import ConcretizationTypeError, LeakedTracersError
from minijax.core import (
    EVAL,
    StagingTrace,
    Var,
    binding_axes,
    check_jaxpr,
    current_trace,
    stage,
)
from minijax.core import extension as ext
from tests.core.toys import add, f32, sin, sin_p, trace


def test_the_top_trace_is_the_current_one():
    assert ext.find_top_trace(()) is EVAL
    seen = []
    stage(lambda x: [seen.append(ext.find_top_trace((x,))), x][1:], [f32()])
    assert type(seen[0]).__name__ == "StagingTrace"


def test_the_state_changes_when_a_trace_or_an_axis_comes():
    state = ext.get_opaque_trace_state()
    assert state == ext.get_opaque_trace_state(convention="flax")
    assert hash(state) == hash(ext.get_opaque_trace_state())
    inside = []
    stage(lambda x: [inside.append(ext.get_opaque_trace_state()), x][1:], [f32()])
    assert inside[0] != state
    with binding_axes([("i", 2)]):
        assert ext.get_opaque_trace_state() != state
    assert ext.get_opaque_trace_state() == state
    assert state != 3


def test_taking_and_setting_the_current_trace():
    found = []

    def program(x):
        with ext.take_current_trace() as taken:
            found.append(float(sin(0.0)))
            with ext.set_current_trace(taken):
                y = sin(x)
        return [y]

    jaxpr = stage(program, [f32()])
    assert found == [0.0]
    assert len(jaxpr.eqns) == 1
    assert current_trace() is EVAL


def test_setting_a_trace_may_look_for_leaks():
    trace_ = StagingTrace()
    with flags.check_tracer_leaks(True), pytest.raises(LeakedTracersError):
        kept = [trace_.new_input(f32())]
        with ext.set_current_trace(trace_, check_leaks=True):
            assert current_trace() is trace_
    assert len(kept) == 1


def test_under_a_jit():
    assert not ext.unsafe_am_i_under_a_jit_DO_NOT_USE()
    seen = []
    stage(
        lambda x: [seen.append(ext.unsafe_am_i_under_a_jit_DO_NOT_USE()), x][1:],
        [f32()],
    )
    assert seen == [True]


def test_axis_names():
    assert not ext.nonempty_axis_env_DO_NOT_USE()
    with binding_axes([("i", 2)]):
        assert ext.unsafe_get_axis_names_DO_NOT_USE() == ["i"]
        assert ext.nonempty_axis_env_DO_NOT_USE()


def test_mapped_types():
    assert ext.mapped_aval(2, 1, f32(3, 2)) is f32(3)
    assert ext.mapped_aval(2, None, f32(3)) is f32(3)
    assert ext.unmapped_aval(2, 1, f32(3)) is f32(3, 2)
    assert ext.unmapped_aval(2, None, f32(3)) is f32(3)
    with pytest.raises(ValueError, match="size 2"):
        ext.mapped_aval(2, 0, f32(3, 2))


def test_concrete_or_error():
    assert ext.concrete_or_error(int, np.float32(3)) == 3
    with pytest.raises(ConcretizationTypeError, match="the length"):
        stage(lambda x: [ext.concrete_or_error(int, x, "the length")], [f32()])


def test_tangent_dtypes():
    assert ext.primal_dtype_to_tangent_dtype(np.dtype("float32")) == np.float32
    assert ext.primal_dtype_to_tangent_dtype(np.dtype("int32")) == dtypes.float0


def test_an_equation_made_by_hand():
    new = ext.gensym()
    jaxpr = trace(lambda x: add(x, x), f32())
    out = new(f32())
    assert type(out) is Var
    eqn = ext.new_jaxpr_eqn(jaxpr.invars, [out], sin_p, {}, frozenset())
    made = jaxpr.replace(eqns=[eqn], outvars=[out], debug_info=jaxpr.debug_info)
    check_jaxpr(made)
    assert str(made) == "{ lambda ; a:f32[]. let b:f32[] = sin a in (b,) }"
