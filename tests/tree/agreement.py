"""How the tests of this room compare with jax: a program and its expected value.

A program takes the library and returns plain values (texts, numbers, containers). It
is run here and by the oracle; both must give what the specification says.
"""

import contextlib
import types

from tests.records import Tolerance, differences, record


def ours() -> types.SimpleNamespace:
    """The part of the namespace that this room provides."""
    from minijax import tree, tree_util

    return types.SimpleNamespace(tree=tree, tree_util=tree_util)


def agree(oracle, program, expected):
    """Assert that our answer is `expected`, and that of jax too."""
    assert program(ours()) == expected
    same(oracle, program)


def same(oracle, program, *operands):
    """Assert that this room answers as jax does; needs no room above this one."""
    theirs = oracle.run_jax(program, *operands)
    assert theirs.kind != "error", theirs.note
    mine = record(ours(), program(ours(), *operands))
    assert differences(mine, theirs, Tolerance()) == []


def error(function, *operands, **keywords) -> str:
    """The builtin class of what a call raises; fails if it returns."""
    try:
        answer = function(*operands, **keywords)
    except Exception as raised:
        builtin = [c for c in type(raised).__mro__ if c.__module__ == "builtins"]
        return builtin[0].__name__
    raise AssertionError(f"returned {answer!r}")


@contextlib.contextmanager
def message(*parts):
    """Assert that the block raises, with all these parts in the text."""
    try:
        yield
    except Exception as raised:
        assert [p for p in parts if p not in str(raised)] == [], str(raised)
    else:
        raise AssertionError("nothing was raised")
