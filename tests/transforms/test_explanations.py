import logging

import numpy as np
import pytest

from minijax import lax
from minijax.base import flags
from minijax.core import ShapedArray
from minijax.runtime import clear_caches, put
from minijax.transforms import jit
from minijax.transforms.call_keys import flatten_call
from minijax.transforms.explanations import TraceKey, differences, nearest
from minijax.transforms.signatures import Selected

F32 = ShapedArray((3,), np.float32)


def f(x, y=0, n=0):
    pass


def key(*args, static=(), context=(), **kwargs):
    call, leaves = flatten_call(f, args, kwargs, Selected(tuple(static)))
    return TraceKey(call, tuple(leaves), context)


def texts(now, before):
    return [str(d) for d in differences(f, now, before)]


def test_kinds_of_differences():
    weak = ShapedArray((3,), np.float32, weak_type=True)
    i32 = ShapedArray((3,), np.int32)
    assert texts(key(F32), key(F32)) == []
    assert texts(key(weak), key(F32)) == [
        "weakness of x: now f32[3] (weak) and before f32[3]"
    ]
    assert texts(key([F32, i32]), key([F32, F32])) == [
        "type of x[1]: now i32[3] and before f32[3]"
    ]
    assert texts(key(F32, F32), key(F32)) == [
        "number of positional arguments: now 2 and before 1"
    ]
    assert texts(key(F32, n=F32), key(F32)) == [
        "keyword arguments: now ['n'] and before []"
    ]
    assert texts(key(F32, 1, static=[1]), key(F32, 2, static=[1])) == [
        "static value of y: now 1 and before 2"
    ]
    (tree_text,) = texts(key({"a": F32}), key({"b": F32}))
    assert tree_text.startswith("tree of x")
    (found,) = texts(key(F32, context=(1, 2)), key(F32, context=(1, 3)))
    assert found.endswith("now 2 and before 3")


def test_the_nearest_is_the_most_similar():
    now = key([F32, F32])
    far = key([ShapedArray((), np.int32)] * 2)
    near = key([F32, ShapedArray((), np.int32)])
    (found,) = nearest(f, now, [far, near])
    assert found.path == "x[1]"
    assert nearest(f, now, []) is None


@pytest.fixture
def lines(caplog):
    clear_caches()
    with (
        caplog.at_level(logging.WARNING, "minijax"),
        flags.explain_cache_misses(True),
    ):
        yield lambda: [
            r.getMessage() for r in caplog.records if "TRACING" in r.getMessage()
        ]


def test_check_51_a_function_never_seen(lines):
    def fresh(x):
        return lax.sin(x)

    jit(fresh)(1.0)
    (line,) = lines()
    assert line.startswith("TRACING CACHE MISS at ")
    assert "test_explanations.py" in line.splitlines()[0]
    assert "fresh at " in line
    assert "never seen" in line


def test_check_51_what_differs(lines):
    g = jit(lambda x, n=1: lax.neg(x), static_argnames="n")
    x = put(np.ones(3, np.float32))
    g(x)
    calls = [
        (lambda: g(1.0), "type of x: now f32[] (weak) and before f32[3]"),
        (lambda: g(np.float32(1)), "weakness of x: now f32[] and before f32[] (weak)"),
        (lambda: g(x, 2), "number of positional arguments: now 2 and before 1"),
        (lambda: g(x, 3), "static value of n: now 3 and before 2"),
    ]
    for call, text in calls:
        before = len(lines())
        call()
        (line,) = lines()[before:]
        assert text in line
    with flags.enable_x64(True):
        g(x)
    assert "option jax_enable_x64: now True and before False" in lines()[-1]


def test_check_51_a_function_defined_anew_each_time(lines):
    for _ in range(3):
        jit(lambda x: lax.cos(x))(1.0)
    first, second, third = lines()
    assert "probably" not in first
    assert "probably defined anew" in second
    assert "probably defined anew" in third


def test_check_51_silent_when_off(caplog):
    with caplog.at_level(logging.WARNING, "minijax"):
        jit(lambda x: lax.cos(x))(1.0)
    assert not caplog.records
