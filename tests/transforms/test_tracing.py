import gc
import weakref

import numpy as np
import pytest

from minijax import lax, tree
from minijax.core import ShapedArray, stage
from minijax.runtime import caches
from minijax.transforms.call_keys import flatten_call
from minijax.transforms.tracing import leaf_avals, leaf_names, trace

F32 = ShapedArray((3,), np.float32)


def call(fun, *args, **kwargs):
    key, leaves = flatten_call(fun, args, kwargs)
    return key, leaf_avals(fun, key, leaves)


def test_a_function_is_traced_once_per_types():
    def f(x, d):
        return {"o": lax.sin(x), "d": d}

    key, avals = call(f, F32, {"a": 1.0})
    staged = trace(f, key, avals)
    assert staged.out_tree == tree.structure({"o": 0, "d": {"a": 0}})
    assert staged.jaxpr.debug_info.arg_names == ("x", "d['a']")
    assert staged.jaxpr.debug_info.result_paths == (
        "result['d']['a']",
        "result['o']",
    )
    hits = caches().trace.hits
    assert trace(f, key, avals) is staged
    assert caches().trace.hits == hits + 1
    other, more = call(f, F32, {"a": 1})
    assert trace(f, other, more) is not staged


def test_what_closes_over_a_trace_is_not_kept():
    held, programs = [], []

    def f(x):
        return lax.add(x, held[-1])

    def outer(y):
        held.append(y)
        key, avals = call(f, y)
        one, other = trace(f, key, avals), trace(f, key, avals)
        assert one is not other
        assert one.jaxpr.consts == (y,)
        programs.append(weakref.ref(one.jaxpr))
        return [y]

    stage(outer, [F32])
    held.clear()
    gc.collect()
    assert programs[0]() is None


def test_results_of_other_libraries_are_converted():
    class Foreign:
        def __jax_array__(self):
            return np.float32(2)

    def f(x):
        return Foreign()

    key, avals = call(f, F32)
    assert trace(f, key, avals).jaxpr.out_avals == [ShapedArray((), np.float32)]


def test_names_of_leaves():
    def f(x, *args, k, **kwargs):
        pass

    key, _ = flatten_call(f, (1, [2, 3]), {"k": {"q": 4}, "z": 5})
    assert leaf_names(f, key) == (
        "x",
        "args[0][0]",
        "args[0][1]",
        "k['q']",
        "kwargs['z']",
    )


def test_the_first_wrong_leaf_is_named():
    def f(x, y):
        pass

    key, leaves = flatten_call(f, (1, ["a", object()]), {})
    with pytest.raises(TypeError, match=r"y\[0\]"):
        leaf_avals(f, key, leaves)
