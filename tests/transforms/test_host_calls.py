import numpy as np
import pytest

import minijax as mj
from minijax.core import ShapedArray
from minijax.transforms.host_calls import (
    DEBUG,
    IO,
    ORDERED_DEBUG,
    ORDERED_IO,
    checked_results,
    on_host,
    result_avals,
)


def test_effects():
    assert list(map(repr, (DEBUG, ORDERED_DEBUG, IO, ORDERED_IO))) == [
        *("Debug", "OrderedDebug", "IO", "OrderedIO")
    ]
    assert [e.ordered for e in (DEBUG, ORDERED_DEBUG, IO, ORDERED_IO)] == [
        *(False, True, False, True)
    ]
    assert not any(e.removable for e in (DEBUG, IO))


def test_types_of_results():
    (aval,) = result_avals([np.zeros((2, 3), np.float32)])
    assert aval is ShapedArray((2, 3), np.float32)
    with pytest.raises(TypeError, match="shape and dtype"):
        result_avals(["text"])
    with pytest.raises(ValueError, match="float64"):
        result_avals([np.zeros(2)])
    with pytest.raises(TypeError, match="plain dtypes"):
        result_avals([mj.random.key(0)])


def test_results_are_checked():
    avals = [ShapedArray((2,), np.float32)]
    (found,) = checked_results([np.arange(2.0)], avals)
    assert found.dtype == np.float32 and found.flags.c_contiguous
    for wrong, match in (
        ([], "promises 1"),
        ([np.zeros(3, np.float32)], r"float32\[3\]"),
        ([np.zeros(2, np.int32)], r"int32\[2\]"),
    ):
        with pytest.raises(ValueError, match=match):
            checked_results(wrong, avals)


def test_operands_are_copied():
    seen = []
    call = on_host(lambda x: seen.append(x) or (), ())
    memory = np.arange(3.0, dtype=np.float32)
    memory.flags.writeable = False
    assert call(memory) == ()
    memory.flags.writeable = True
    memory[:] = 7
    assert seen[0].tolist() == [0.0, 1.0, 2.0]
