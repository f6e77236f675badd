import collections.abc
import copy
import pickle

import ml_dtypes
import numpy as np
import pytest

from minijax.core import ShapedArray, Tracer, shaped, stage
from minijax.runtime import (
    Array,
    ArrayImpl,
    copy_of,
    default_placement,
    devices,
    put,
    put_on,
    value_of,
)
from minijax.sharding import Format, Layout
from tests.runtime import programs


def array(value, dtype=None):
    return put(np.asarray(value, dtype))


def test_what_the_type_tells():
    x = array([[1, 2, 3], [4, 5, 6]], np.float32)
    assert x.shape == (2, 3)
    assert x.dtype == np.float32
    assert (x.ndim, x.size, x.itemsize, x.nbytes) == (2, 6, 4, 24)
    assert x.aval is ShapedArray((2, 3), "float32")
    assert not x.weak_type
    assert put(1.0).weak_type
    assert len(x) == 2
    assert x.sharding is default_placement()
    assert x.device is devices()[0]
    assert x.devices() == {devices()[0]}
    assert not x.committed
    assert x.is_fully_addressable
    assert x.is_fully_replicated
    assert x.on_device_size_in_bytes() == 24
    assert x.format == Format(Layout((0, 1)), x.sharding)


def test_array_is_the_type_of_arrays_and_tracers():
    seen = []
    stage(lambda x: seen.append(isinstance(x, Array)) or [x], [shaped((), np.int32)])
    assert seen == [True]
    assert isinstance(put(1), Array)
    assert type(put(1)) is ArrayImpl
    assert not isinstance(np.ones(1), Array)
    assert not isinstance(1, Array)
    assert not issubclass(Tracer, ArrayImpl)


def test_truth():
    assert bool(array([[1]]))
    assert not bool(array(0))
    for shape in ((2,), (0,)):
        with pytest.raises(ValueError, match="element"):
            bool(array(np.ones(shape)))


def test_python_numbers():
    x = array(3, np.int32)
    assert (int(x), float(x), complex(x), x.__index__()) == (3, 3.0, 3 + 0j, 3)
    assert [10, 20, 30, 40][x] == 40
    assert hex(x) == "0x3"
    assert oct(x) == "0o3"
    for function in (int, float, complex):
        with pytest.raises(TypeError, match=function.__name__):
            function(array([1]))  # one element, but with an axis
    with pytest.raises(TypeError, match="integer"):
        array(1.0).__index__()
    with pytest.raises(TypeError, match="index"):
        array([1]).__index__()


def test_scalars_without_axes_only():
    for function in (len, iter, list):
        with pytest.raises(TypeError, match="axes"):
            function(array(1))


def test_unhashable_and_immutable():
    with pytest.raises(TypeError, match="unhashable"):
        hash(array(1))
    assert not isinstance(array(1), collections.abc.Hashable)
    with pytest.raises(TypeError, match="at"):
        array([1])[0] = 2
    with pytest.raises(TypeError):
        Array()


def test_items():
    x = array([[1, 2], [3, 4]], np.int32)
    assert x.tolist() == [[1, 2], [3, 4]]
    assert (x.item(3), x.item(1, 0)) == (4, 3)
    assert array([5]).item() == 5
    assert x.tobytes() == np.asarray(x).tobytes()
    with pytest.raises(ValueError, match="item"):
        x.item()
    with pytest.raises(IndexError):
        x.item(9)


def test_iteration():
    x = array(np.arange(6).reshape(3, 2), np.int32)
    rows = list(x)
    assert all(type(row) is ArrayImpl for row in rows)
    assert [row.tolist() for row in rows] == [[0, 1], [2, 3], [4, 5]]
    assert [row.tolist() for row in reversed(x)] == [[4, 5], [2, 3], [0, 1]]
    a, b = array([1.5, 2.5])
    assert (a.shape, float(b)) == ((), 2.5)
    weak = put_on(
        np.ones(2, np.float32),
        shaped((2,), np.dtype("float32"), True),
        default_placement(),
        committed=False,
    )
    assert all(row.weak_type for row in weak)


def test_rows_of_committed_arrays_are_committed():
    x = put(np.ones((2, 2)), default_placement())
    assert all(row.committed for row in x)


def test_numpy_views_are_read_only_and_copies_are_not():
    x = array([1.0, 2.0], np.float32)
    assert not np.asarray(x).flags.writeable
    assert np.array(x).flags.writeable
    assert np.asarray(x, np.float64).dtype == np.float64
    with pytest.raises(ValueError, match="float64"):
        x.__array__(np.float64, copy=False)
    np.testing.assert_array_equal(value_of(x), [1, 2])


@pytest.mark.parametrize("name", ["bfloat16", "int4", "uint4", "float8_e4m3fn"])
def test_small_dtypes_go_there_and_back(name):
    source = np.ones(3, getattr(ml_dtypes, name))
    x = put(source)
    assert x.dtype == source.dtype
    np.testing.assert_array_equal(np.asarray(x), source)


def test_format():
    assert f"{array(1.5):.3f}" == "1.500"
    assert f"{array([1, 2])}" == "[1 2]"
    assert f"{array(3)}" == "3"
    with pytest.raises(TypeError, match=r"\.2f"):
        f"{array([1.0]):.2f}"


def test_copies():
    x = array([1.0])
    for made in (copy.copy(x), copy.deepcopy(x), copy_of(x)):
        assert made.unsafe_buffer_pointer() != x.unsafe_buffer_pointer()
        assert made.tolist() == x.tolist()


def test_pickle_keeps_value_dtype_and_weak_type():
    for x in (put(1.0), array([1, 2], np.uint8), put(np.ones(2, ml_dtypes.bfloat16))):
        again = pickle.loads(pickle.dumps(x))
        assert again.aval is x.aval
        np.testing.assert_array_equal(np.asarray(again), np.asarray(x))


def test_dlpack():
    x = array([1.0, 2.0], np.float32)
    shared = np.from_dlpack(x)
    assert shared.ctypes.data == x.unsafe_buffer_pointer()
    assert x.__dlpack_device__() == (1, 0)
    own = np.from_dlpack(x, copy=True)
    assert own.ctypes.data != x.unsafe_buffer_pointer()
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(2, 0))


def test_readiness():
    x = array([1.0])
    assert x.block_until_ready() is x
    assert x.is_ready()
    assert x.copy_to_host_async() is None
    assert not x.is_deleted()


def test_check_15_use_of_a_deleted_array():
    x = array([1.0, 2.0], np.float32)
    x.delete()
    x.delete()
    assert x.is_deleted()
    assert (x.shape, x.dtype, x.aval.ndim) == ((2,), np.float32, 1)
    uses = [
        lambda: repr(x),
        lambda: str(x),
        lambda: np.asarray(x),
        lambda: x.tolist(),
        lambda: x.block_until_ready(),
        lambda: x.is_ready(),
        lambda: list(x),
        lambda: x.addressable_shards,
        lambda: x.unsafe_buffer_pointer(),
        lambda: x.__dlpack__(),
        lambda: copy.copy(x),
        lambda: pickle.dumps(x),
    ]
    for use in uses:
        with pytest.raises(RuntimeError, match=r"float32\[2\]"):
            use()


# --- text, as jax prints it ---

RANDOM = np.random.RandomState(0)
VALUES = [
    (np.zeros((0, 2)), "float32"),
    (np.ones((2, 3)), "int32"),
    (np.arange(2000), "float32"),
    (1e-10, "float32"),
    (np.arange(40) * 1e6, "float32"),
    (np.eye(12), "float32"),
    (RANDOM.randn(5, 5), "float32"),
    (RANDOM.randn(2, 3, 4), "float32"),
    (RANDOM.randn(7) + 1j, "complex64"),
    *[(RANDOM.randn(n), "float32") for n in range(1, 14)],
    *[(np.arange(n) * 1000, "int32") for n in range(4, 24)],
    (np.array([True, False]), "bool"),
]


def test_text_is_that_of_jax(oracle):
    oracle.compare(programs.printed, VALUES, {})


def test_text_follows_the_options_of_numpy(oracle):
    oracle.compare(programs.printed, VALUES[:10], {"precision": 3, "linewidth": 40})


def test_weak_types_are_printed(oracle):
    oracle.compare(programs.weak_text)
