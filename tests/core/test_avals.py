"""Types of values: interning, text, what has a type and what has none."""

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minijax as mj
from minijax.core import ShapedArray, ShapeDtypeStruct, Space, abstractify, typeof

shapes = st.lists(st.integers(0, 5), max_size=4).map(tuple)
names = st.sampled_from(["float32", "int8", "bool", "complex64", "bfloat16", "uint32"])


@given(shapes, names, st.booleans())
def test_equal_content_is_one_object(shape, dtype, weak):
    assert ShapedArray(shape, dtype, weak) is ShapedArray(
        list(shape), np.dtype(dtype), weak
    )


def test_check_1_typeof():
    jnp = mj.numpy
    assert typeof(jnp.ones((2, 3))) is typeof(jnp.zeros((2, 3)))
    assert str(typeof(1.0)) == "~float32[]"
    assert not typeof(True).weak_type
    assert str(typeof(np.float64(1))) == "float32[]"


def test_text():
    aval = ShapedArray((2, 3), "float32", True)
    assert str(aval) == "~float32[2,3]"
    assert repr(aval) == "ShapedArray(float32[2,3], weak_type=True)"
    assert aval.str_short(short_dtypes=True) == "f32[2,3]"
    host = aval.update(memory_space=Space.Host, weak_type=False)
    assert host.str_short() == "float32<host>[2,3]"
    assert (
        aval.update(vma=frozenset("xy")).str_short(short_dtypes=True)
        == "f32[2,3]{V:(x,y)}"
    )


def test_an_int_is_a_shape_and_a_string_is_none():
    assert ShapedArray(3, "float32").shape == (3,)
    for bad in ("3", None, (1.5,)):
        with pytest.raises(TypeError, match="sequence of integers"):
            ShapedArray(bad, "float32")


def test_numpy_integers_and_bools_do_not_leak_into_shapes():
    aval = ShapedArray((np.int64(1), True), "float32")
    assert aval is ShapedArray((1, 1), "float32")
    assert all(type(dim) is int for dim in aval.shape)


def test_tangent_types():
    assert ShapedArray((2,), "float32").to_tangent_aval() is ShapedArray(
        (2,), "float32"
    )
    tangent = ShapedArray((2,), "int32", True).to_tangent_aval()
    assert tangent.dtype == mj.float0
    assert not tangent.weak_type


def test_avals_are_immutable_and_copy_to_themselves():
    aval = ShapedArray((2,), "float32")
    with pytest.raises(AttributeError, match="immutable"):
        aval.shape = (3,)
    assert copy.deepcopy(aval) is aval
    assert copy.copy(aval) is aval
    assert pickle.loads(pickle.dumps(aval)) is aval


def test_nobody_keeps_a_dropped_type():
    ref = weakref.ref(ShapedArray((7, 11, 13, 17), "float32"))
    gc.collect()
    assert ref() is None


@pytest.mark.parametrize("value", ["text", None, [1.0], object(), np.array([object()])])
def test_what_is_no_array_has_no_type(value):
    with pytest.raises(TypeError):
        typeof(value)


def test_a_convertible_object_is_refused_with_advice():
    class Convertible:
        def __jax_array__(self):
            raise AssertionError("must not be called")

    with pytest.raises(ValueError, match="register"):
        typeof(Convertible())


def test_check_8_shape_dtype_struct():
    one = ShapeDtypeStruct((2,), "float32")
    assert one == ShapeDtypeStruct((2,), np.float32)
    assert hash(one) == hash(ShapeDtypeStruct((2,), np.float32))
    assert one != one.update(weak_type=True)
    with pytest.raises(RuntimeError):
        one.shape = (3,)
    for bad in ((None,), None):
        with pytest.raises(ValueError):
            ShapeDtypeStruct(bad, "float32")
    with pytest.raises(ValueError):
        ShapeDtypeStruct((2,), None)
    assert ShapeDtypeStruct.like(1.0).weak_type
    assert repr(ShapeDtypeStruct.like(1.0)) == (
        "ShapeDtypeStruct(shape=(), dtype=float32, weak_type=True)"
    )
    with pytest.raises(TypeError):
        len(ShapeDtypeStruct((), "float32"))
    assert (one.ndim, one.size, len(one)) == (1, 2, 2)


def test_abstractify_takes_duck_types_and_types():
    class Duck:
        shape, dtype = (2, 3), np.dtype("float64")

    assert abstractify(Duck()) is ShapedArray((2, 3), "float32")
    aval = ShapedArray((1,), "int8")
    assert abstractify(aval) is aval
