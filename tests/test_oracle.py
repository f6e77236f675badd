"""The oracle itself: what it compares, what it notices, how it survives.

These tests ask only the child, or compare a record with a changed one, so that they
hold whatever state the library is in.
"""

import copy
import os
import time

import numpy as np
import pytest

from tests.oracle import Oracle, OracleError, run_jax
from tests.records import Tolerance, differences, unpacked


def weak_scalar(J):
    return J.numpy.sin(1.0)


def structure(J):
    x = J.numpy.arange(3, dtype="bfloat16")
    key = J.random.key(0)
    return {"b": [x, (None, 2.5)], "a": key, "s": J.ShapeDtypeStruct((2,), "int8")}


def program_text(J):
    return J.make_jaxpr(lambda x: J.lax.sin(x) * np.float32(2))(np.float32(1))


def shape_error(J):
    return J.lax.add(J.numpy.ones(2), J.numpy.ones(3))


def leak(J):
    kept = []
    J.jit(lambda x: kept.append(x))(1.0)
    return kept[0] + 1


def nan(J):
    return J.numpy.array([float("nan"), 0.0, 1.0])


def default_float(J):
    return J.numpy.zeros(())


def values(J, dtype):
    return J.numpy.array([0, 1, 2], dtype)


def wait(J):
    time.sleep(60)


def die(J):
    os._exit(7)


def process_number(J):
    return os.getpid()


def changed(record, change):
    record = copy.deepcopy(record)
    change(record)
    return record


def test_a_record_equals_itself():
    for program in (weak_scalar, structure, program_text, shape_error, nan):
        record = run_jax(program)
        assert differences(record, record, Tolerance(exact=True)) == []


def test_weak_types_are_compared():
    record = run_jax(weak_scalar)
    assert record.facts["weak_type"] is True
    other = changed(record, lambda r: r.facts.update(weak_type=False))
    assert differences(other, record, Tolerance()) == [
        "result: weak_type: False here, True in jax"
    ]


def test_structure_is_compared_with_its_paths():
    record = run_jax(structure)
    other = changed(record, lambda r: r.children.pop())
    assert "children" in differences(other, record, Tolerance())[0]
    leaf = dict(record.children)["['b']"].children[0][1]
    assert leaf.facts == {"dtype": "bfloat16", "shape": (3,), "weak_type": False}
    assert dict(record.children)["['a']"].facts["dtype"] == "key<fry>"


def test_jaxpr_text_is_compared():
    record = run_jax(program_text)
    assert "sin" in record.facts["text"]
    other = changed(record, lambda r: r.facts.update(text="{ lambda ; . let in () }"))
    assert differences(other, record, Tolerance())[0].startswith("result: text")


def test_errors_are_compared_by_public_name_and_builtin_bases():
    record = run_jax(leak)
    assert record.facts["public"][0] == "UnexpectedTracerError"
    other = changed(record, lambda r: r.facts.update(public=["TypeError", "Exception"]))
    assert "UnexpectedTracerError" in differences(other, record, Tolerance())[0]
    assert differences(run_jax(weak_scalar), record, Tolerance()) != []


def test_a_subclass_of_the_wanted_builtin_will_do():
    record = run_jax(shape_error)
    assert record.facts["public"][0] == "TypeError"
    ours = changed(record, lambda r: r.facts["public"].insert(0, "ShapeError"))
    assert differences(ours, record, Tolerance()) == []


@pytest.mark.parametrize(
    "dtype",
    ["float32", "bfloat16", "float8_e4m3fn", "int4", "bool", "complex64", "int32"],
)
def test_a_changed_value_is_noticed_in_every_kind_of_dtype(dtype):
    record = run_jax(values, dtype)
    name, shape, _ = record.array
    array = unpacked(record.array).copy()
    array[2] = 0
    other = changed(
        record, lambda r: setattr(r, "array", (name, shape, array.tobytes()))
    )
    assert "first at (2,)" in differences(other, record, Tolerance())[0]
    assert differences(record, record, Tolerance(exact=True)) == []


def test_nan_equals_nan_but_nothing_else_and_exact_sees_the_sign_of_zero():
    record = run_jax(nan)

    def with_values(*values):
        array = np.array(values, np.float32).tobytes()
        return changed(record, lambda r: setattr(r, "array", (*r.array[:2], array)))

    assert (
        differences(with_values(np.nan, 0.0, 1.0), record, Tolerance(exact=True)) == []
    )
    assert differences(with_values(0.0, 0.0, 1.0), record, Tolerance()) != []
    minus_zero = with_values(np.nan, -0.0, 1.0)
    assert differences(minus_zero, record, Tolerance()) == []
    assert differences(minus_zero, record, Tolerance(exact=True)) != []
    near = with_values(np.nan, 0.0, 1.0 + 1e-6)
    assert differences(near, record, Tolerance()) == []
    assert differences(near, record, Tolerance(exact=True)) != []
    far = with_values(np.nan, 0.0, 1.0 + 1e-5)
    assert differences(far, record, Tolerance()) != []


def test_x64_holds_for_one_program():
    assert run_jax(default_float, x64=True).facts["dtype"] == "float64"
    assert run_jax(default_float).facts["dtype"] == "float32"


def test_one_child_answers_until_it_dies_and_another_follows():
    oracle = Oracle()
    try:
        first = oracle.run_jax(process_number).facts["value"]
        assert oracle.run_jax(process_number).facts["value"] == first
        with pytest.raises(OracleError, match=r"died \(7\)"):
            oracle.run_jax(die)
        assert oracle.run_jax(process_number).facts["value"] != first
        with pytest.raises(OracleError, match="ran over"):
            oracle.run_jax(wait, timeout=0.5)
        assert oracle.run_jax(weak_scalar).kind == "array"
    finally:
        oracle.close()


def test_a_program_that_only_this_process_sees_is_refused():
    with pytest.raises(TypeError, match="top level"):
        run_jax(lambda J: 1)


def test_a_program_that_raises_must_be_announced():
    oracle = Oracle()
    try:
        with pytest.raises(AssertionError, match="raises=False was said"):
            oracle.compare(shape_error)
        with pytest.raises(AssertionError, match="jax raised nothing"):
            oracle.compare(weak_scalar, raises=True)
    finally:
        oracle.close()
