import numpy as np
import pytest

from minijax.base import flags
from minijax.base.errors import DeletedArrayError, IntegerOverflowError
from minijax.core import ShapedArray, stage
from minijax.runtime import (
    block_until_ready,
    device_get,
    devices,
    placement_of,
    placement_on,
    put,
    put_explicitly,
)
from tests.runtime.processes import run


def aligned(n):
    raw = np.zeros(4 * n + 64, np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start : start + 4 * n].view(np.float32)


def test_put_gives_the_canonical_type():
    cases = [
        (1, "int32", True),
        (1.0, "float32", True),
        (1j, "complex64", True),
        (True, "bool", False),
        (np.float64(2), "float32", False),
        (np.arange(3), "int32", False),
        (np.ones(2, np.uint8), "uint8", False),
    ]
    for value, dtype, weak in cases:
        x = put(value)
        assert (x.dtype.name, x.weak_type, x.committed) == (dtype, weak, False)
        np.testing.assert_array_equal(np.asarray(x), value)


def test_data_in_foreign_byte_order_are_refused_not_misread():
    with pytest.raises(TypeError, match=">f4"):
        put(np.arange(3, dtype=">f4"))


def test_writable_memory_is_never_shared():
    source = aligned(1000)
    x = put(source)
    y = put(source, placement_on(devices()[0]))
    z = put(np.broadcast_to(source, (2, 1000)))
    source[:] = 7
    assert not np.asarray(x).any()
    assert not np.asarray(y).any()
    assert not np.asarray(z).any()


def test_read_only_view_of_writable_memory_is_copied():
    source = aligned(1000)
    view = source[:]
    view.flags.writeable = False
    x = put(view)
    source[:] = 7
    assert not np.asarray(x).any()


def test_memory_nobody_writes_may_be_shared():
    source = aligned(1000)
    x = put(source)
    again = put(np.asarray(x))
    assert again.unsafe_buffer_pointer() == x.unsafe_buffer_pointer()


def test_a_given_place_commits():
    here = placement_on(devices()[0])
    x = put(1.0)
    y = put(x, here)
    assert not x.committed
    assert y.committed
    assert y.unsafe_buffer_pointer() == x.unsafe_buffer_pointer()
    assert put(y, here) is y
    assert put(x) is x


def test_copy_and_donate():
    here = placement_on(devices()[0])
    x = put(1.0)
    copied = put(x, copy=True)
    assert copied.unsafe_buffer_pointer() != x.unsafe_buffer_pointer()
    moved = put(x, here, donate=True)
    assert x.is_deleted()
    assert float(moved) == 1.0


def test_between_devices():
    out = run(
        """
        import numpy as np
        from minijax.runtime import *
        a, b = devices()
        x = put(np.arange(3.0))
        y = put(x, placement_on(b))
        z = y.to_device(a)
        print(x.committed, y.committed, y.device, z.device, z.tolist(), x.is_deleted())
        w = put(y, placement_on(a), donate=True)
        print(y.is_deleted(), w.tolist(), w.committed)
        """,
        devices=2,
    )
    lines = out.splitlines()
    assert lines[0] == "False True cpu:1 cpu:0 [0.0, 1.0, 2.0] False"
    assert lines[1] == "True [0.0, 1.0, 2.0] True"


def test_refused():
    with pytest.raises(TypeError, match="str"):
        put("text")
    with pytest.raises(TypeError, match="U1"):
        put(np.array(["a"]))
    with pytest.raises(IntegerOverflowError):
        put(2**31)
    with pytest.raises(ValueError, match="'somewhere'"):
        placement_of("somewhere")
    deleted = put(1.0)
    deleted.delete()
    with pytest.raises(DeletedArrayError, match=r"float32\[\]"):
        put(deleted)


def test_a_tracer_does_not_become_an_array():
    leaked = []
    stage(lambda x: leaked.append(x) or [x], [ShapedArray((), "float32")])
    with pytest.raises(TypeError, match="float32"):
        put(leaked[0])


def test_device_get():
    x = put(np.arange(3))
    host = device_get({"a": x, "b": "text", "c": (2, None)})
    assert type(host["a"]) is np.ndarray
    assert not host["a"].flags.writeable
    assert host["b"] == "text"
    assert host["c"] == (2, None)
    x.delete()
    with pytest.raises(RuntimeError, match=r"int32\[3\]"):
        device_get([x])


def test_block_until_ready():
    tree = [put(1.0), 2, "text"]
    assert block_until_ready(tree) is tree
    tree[0].delete()
    with pytest.raises(RuntimeError, match="deleted"):
        block_until_ready(tree)


def test_check_58_transfer_guard():
    with flags.transfer_guard_host_to_device("disallow"):
        with pytest.raises(RuntimeError, match="host-to-device"):
            put(np.ones(2))
        assert put_explicitly([np.ones(2)], [None])[0].tolist() == [1.0, 1.0]
    with (
        flags.transfer_guard_host_to_device("disallow_explicit"),
        pytest.raises(RuntimeError, match="host-to-device"),
    ):
        put_explicitly([np.ones(2)], [None])
