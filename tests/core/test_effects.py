"""Effects: equality, and which equations they keep alive."""

from minijax.core import Effect, NamedAxisEffect, no_effects, removable


class Printing(Effect):
    """Something that must happen."""


def test_named_axis_effects_are_equal_by_name():
    assert NamedAxisEffect("i") == NamedAxisEffect("i")
    assert hash(NamedAxisEffect("i")) == hash(NamedAxisEffect("i"))
    assert NamedAxisEffect("i") != NamedAxisEffect("j")
    assert "i" in repr(NamedAxisEffect("i"))


def test_removable():
    assert removable(no_effects)
    assert removable(frozenset([NamedAxisEffect("i")]))
    assert not removable(frozenset([NamedAxisEffect("i"), Printing()]))
