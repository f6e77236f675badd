"""Noticing that a function closes over something else."""

import gc
import weakref

import numpy as np
import pytest

OTHERS = [(1.5, 2.5), ("a", "b"), ([1], [1]), (np.ones(2), np.ones(2)), (None, 0)]


def closing_over(value):
    def read():
        return value

    def write(new):
        nonlocal value
        value = new

    return read, write


@pytest.mark.parametrize(("before", "after"), OTHERS)
def test_another_object_is_noticed(before, after):
    from minijax.core import Closure

    read, write = closing_over(before)
    closure = Closure(read)
    assert not closure.has_changed(read)
    write(after)
    assert closure.has_changed(read)
    write(before)
    assert not closure.has_changed(read)


def test_a_variable_that_is_bound_later():
    from minijax.core import Closure

    def make():
        def f():
            return late

        closure = Closure(f)
        before = closure.has_changed(f)
        late = 1
        return before, closure.has_changed(f)

    assert make() == (False, True)


def test_functions_without_a_closure():
    from minijax.core import Closure

    for fun in (len, np.sin, lambda: 1):
        assert not Closure(fun).has_changed(fun)


def test_nothing_is_kept_alive():
    from minijax.core import Closure

    class Big:
        pass

    big = Big()
    read, _ = closing_over(big)
    closure, gone = Closure(read), weakref.ref(big)
    del big, read, _
    gc.collect()
    assert gone() is None
    assert closure is not None
