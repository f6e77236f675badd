"""One run of a function under differentiation (spec/ad.md §§1.1-1.4)."""

import numpy as np
import pytest

import minijax as mj
from minijax.core import current, typeof
from minijax.interpreters import ad
from minijax.transforms.recordings import (
    as_values,
    finish,
    output_leaves,
    present,
    primals_of_aux,
    pull_back,
    real_tangent,
    record,
    require_callable,
    run_under,
    split_aux,
)


def recorded(fun, *values, **options):
    return record(fun, values, lambda x: (x, {}), api="test", has_aux=False, **options)[
        0
    ]


def test_a_recording_knows_inputs_and_outputs():
    found = recorded(lambda x, n: (x * n, n), np.float32(2), 3)
    assert [x is not None for x in found.inputs] == [True, False]
    assert found.primals_out == [6.0, 3]
    assert [y.__class__ is ad.Zero for y in found.outs] == [False, True]
    jaxpr, residuals = found.program()
    assert len(jaxpr.invars) == len(residuals) + 1


def test_what_may_not_move_is_a_constant():
    found = recorded(
        lambda x, y: x * y, np.float32(2), np.float32(3), moves=[True, False]
    )
    assert pull_back(found, [1.0]) == [3.0, 0.0]


def test_the_trace_is_out_of_use_afterwards():
    box = []
    found = recorded(lambda x: (box.append(x), x * 2)[1], 1.0)
    assert not box[0].owner.alive and not found.tape.alive


def test_run_under_restores_the_trace():
    before = current.value
    trace = ad.JVPTrace(before)
    assert run_under(trace, lambda: current.value, (), {}) is trace
    assert current.value is before and trace.alive
    with pytest.raises(KeyError):
        run_under(trace, {}.__getitem__, ("missing",), {})
    assert current.value is before and not trace.alive


def test_finish_reports_leaks():
    trace = ad.JVPTrace(current.value)
    kept = ad.JVPTracer(trace, 1.0, 1.0)
    with mj.checking_leaks(), pytest.raises(Exception, match="leak"):
        finish(trace)
    assert kept.owner is trace


def test_values_become_arrays_at_top_level_only():
    x = np.ones(2)
    (value,) = as_values([x])
    assert isinstance(value, mj.Array) and value.dtype == "float32"
    assert isinstance(present(2.0), mj.Array)
    float0 = np.zeros(2, mj.float0)
    assert as_values([float0])[0] is float0 and present(float0) is float0
    staged = []
    mj.make_jaxpr(lambda y: (staged.extend([as_values([x])[0], present(2.0)]), y)[1])(
        1.0
    )
    assert staged[0] is x and staged[1] == 2.0 and type(staged[1]) is float


def test_under_a_derivative_of_values_they_become_arrays_too():
    seen = []
    mj.grad(lambda x: (seen.append(present(2.0)), x)[1])(1.0)
    assert isinstance(seen[0], mj.Array)


def test_a_symbolic_zero_is_made_real():
    zero = real_tangent(ad.Zero.from_primal(np.ones((2, 3), "f")))
    np.testing.assert_array_equal(zero, np.zeros((2, 3)))
    assert zero.dtype == "float32"
    assert real_tangent(5.0) == 5.0
    assert real_tangent(ad.Zero.from_primal(3)).dtype == mj.float0


def test_aux_loses_the_values_of_this_trace_only():
    outer, inner = ad.JVPTrace(current.value), ad.JVPTrace(current.value)
    theirs, ours = ad.JVPTracer(outer, 1.0, 1.0), ad.JVPTracer(inner, 2.0, 1.0)
    stripped = primals_of_aux(inner, {"a": theirs, "b": ours, "c": "text"})
    assert stripped["a"] is theirs and stripped["b"] == 2.0 and stripped["c"] == "text"


def test_shapes_of_results_are_checked():
    assert split_aux("test", [1, 2]) == (1, 2)
    for wrong in (1, (1,), {"a": 1, "b": 2}):
        with pytest.raises(TypeError, match="aux"):
            split_aux("test", wrong)
    leaves, structure = output_leaves(len, {"a": 1.0, "b": (2.0,)})
    assert leaves == [1.0, 2.0] and structure == mj.tree.structure(
        {"a": 1.0, "b": (2.0,)}
    )
    with pytest.raises(TypeError, match="str"):
        output_leaves(len, ["text"])
    with pytest.raises(TypeError, match="grad"):
        require_callable("grad", 3)


def test_pull_back_gives_float0_where_nothing_moves():
    found = recorded(lambda x, n: x * n, np.float32(2), np.int32(3))
    x_bar, n_bar = pull_back(found, [np.float32(1)])
    assert x_bar == 3.0 and n_bar.dtype == mj.float0 and typeof(n_bar).shape == ()
