import functools
import gc
import weakref

import pytest

from minijax.transforms.function_keys import BoundMethod, key_of


class Owner:
    __hash__ = None  # neither is asked of an instance

    def __eq__(self, other):
        raise RuntimeError

    def method(self, x):
        """Doc."""
        return self, x

    def other(self, x):
        return x


def test_functions_are_their_own_keys():
    for fun in (len, key_of, functools.partial(len), lambda: 0):
        assert key_of(fun) is fun


def test_methods_have_one_key_per_function_and_instance():
    one, two = Owner(), Owner()
    assert key_of(one.method) is key_of(one.method)
    assert key_of(one.method) is not key_of(two.method)
    assert key_of(one.method) is not key_of(one.other)
    assert type(key_of(one.method)) is BoundMethod


def test_a_key_is_called_like_the_method():
    one = Owner()
    key = key_of(one.method)
    assert key(3)[0] is one
    assert (key.__name__, key.__doc__) == ("method", "Doc.")
    assert key.__wrapped__.__self__ is one


def test_a_key_does_not_keep_the_instance():
    one = Owner()
    key, dead = key_of(one.method), weakref.ref(one)
    del one
    gc.collect()
    assert dead() is None
    with pytest.raises(ReferenceError, match="method"):
        key(1)


def test_what_cannot_be_a_key():
    class Unhashable:
        __hash__ = None

        def __call__(self):
            pass

    with pytest.raises(TypeError, match="hashable"):
        key_of(Unhashable())
