import functools

import pytest

from minijax.transforms.signatures import (
    Selected,
    check_function,
    choose,
    leading_keywords,
    names_of,
)


def f(a, b, /, c, d=1, *, e=2):
    pass


def test_one_gives_the_other():
    assert choose(f, static_argnums=(0, 2)).static == Selected((0, 2), ("c",))
    assert choose(f, static_argnums=-1).static == Selected((-1,), ("d",))
    assert choose(f, static_argnames=("d", "e")).static == Selected((3,), ("d", "e"))
    assert choose(f, donate_argnums=2).donated == Selected((2,), ("c",))


def test_both_given_means_nothing_is_inferred():
    chosen = choose(f, static_argnums=2, static_argnames="e").static
    assert chosen == Selected((2,), ("e",))


def test_nothing_given():
    assert choose(f).static == Selected()


def test_a_function_without_signature():
    assert choose(max, static_argnums=1).static.numbers == (1,)
    with pytest.raises(ValueError, match="donate_argnums"):
        choose(max, donate_argnames="x")


def test_leading_keywords():
    assert leading_keywords(f, 2) == ("c", "d")
    assert leading_keywords(f, 3) == ("d",)
    assert leading_keywords(lambda *args, x=1: 0, 0) == ()
    assert leading_keywords(max, 0) == ()


def test_names_are_those_of_the_signature():
    def g(a, /, b, c=1, *args, d, e=2, **kwargs):
        pass

    for fun in (f, g, lambda: 0, lambda *x: 0, lambda **x: 0):
        wrapped = functools.wraps(fun)(lambda *args, **kwargs: 0)
        assert names_of(fun) == names_of(wrapped)
    assert names_of(g) == (("a",), ("b", "c"), ("d", "e"), True, True)
    assert names_of(functools.partial(f, 1)).positional == ("b", "c", "d")
    assert names_of(max) is None


def test_generators_are_refused():
    with pytest.raises(TypeError, match="generator"):
        check_function(lambda: (yield))
