"""What custom_jvp and custom_vjp share (spec/ad.md §§1.9, 1.10)."""

import numpy as np
import pytest

import minijax as mj
from minijax.core import typeof
from minijax.interpreters import ad
from minijax.transforms.custom_functions import (
    OutTree,
    SymbolicZero,
    check_leaves,
    contains_tracer,
    from_symbolic,
    merge_arguments,
    name_of,
    nondiff_positions,
    positional,
    split_arguments,
    symbolic,
)

AVAL = typeof(np.ones((2, 3), "f"))


def f(x, y=2.0):
    return x


def test_symbolic_zeros_show_their_type():
    zero = SymbolicZero(AVAL)
    assert (zero.shape, zero.dtype, zero.ndim, zero.size) == ((2, 3), "float32", 2, 6)
    assert repr(zero) == "SymbolicZero"
    assert zero == SymbolicZero(AVAL) and hash(zero) == hash(SymbolicZero(AVAL))
    assert zero != SymbolicZero(typeof(1.0))
    with pytest.raises(AttributeError):
        zero.nothing_like_this


def test_symbolic_zeros_and_zeros_stand_for_each_other():
    assert isinstance(symbolic(ad.Zero(AVAL)), SymbolicZero)
    assert isinstance(from_symbolic(SymbolicZero(AVAL)), ad.Zero)
    assert symbolic(1.0) == from_symbolic(1.0) == 1.0


def test_arguments_are_found_by_position():
    assert positional(f, (1.0,), {}) == (1.0, 2.0)
    assert positional(f, (), {"y": 3.0, "x": 1.0}) == (1.0, 3.0)
    with pytest.raises(TypeError, match="x"):
        positional(f, (), {})
    with pytest.raises(TypeError):
        positional(f, (1.0, 2.0, 3.0), {})
    with pytest.raises(TypeError, match="z"):
        positional(lambda x, *, z=2.0: x, (1.0,), {"z": 1.0})
    assert positional(lambda x, *, z=2.0: x, (1.0,), {}) == (1.0,)


def test_arguments_left_alone():
    assert nondiff_positions(f, (1,), ()) == (1,)
    assert nondiff_positions(f, (), ("y",)) == (1,)
    assert nondiff_positions(f, (1,), ("x",)) == (0, 1)
    with pytest.raises(ValueError, match="nothing"):
        nondiff_positions(f, (), ("nothing",))
    fixed, moving = split_arguments("abcd", (1, 3))
    assert (fixed, moving) == (["b", "d"], ["a", "c"])
    assert merge_arguments(fixed, moving, (1, 3)) == list("abcd")


def test_whoever_runs_first_says_what_comes_out():
    out = OutTree()
    assert out.note({"a": 1.0}, "f") == [1.0]
    out.check(mj.tree.structure({"a": 1.0}), [typeof(1.0)], "rule")
    with pytest.raises(TypeError, match=r"rule[\s\S]*f returns"):
        out.check(mj.tree.structure((1.0,)), [typeof(1.0)], "rule")
    with pytest.raises(TypeError, match="float32"):
        out.check(mj.tree.structure({"a": 1.0}), [typeof(1)], "rule")
    with pytest.raises(TypeError, match="result"):
        out.note({"a": "text"}, "f")


def test_leaves_are_checked():
    check_leaves(f, [1.0, 2], (1.0, {"a": 2}), ())
    with pytest.raises(TypeError, match="nondiff_argnums"):
        check_leaves(f, [1.0, "text"], (1.0, {"a": "text"}), ())


def test_tracers_are_found_in_trees():
    seen = []
    mj.grad(lambda x: (seen.append(contains_tracer({"a": [x]})), x)[1])(1.0)
    assert seen == [True] and not contains_tracer({"a": [1.0]})


def test_names():
    assert name_of(f) == "f" and name_of(SymbolicZero(AVAL)) != ""
