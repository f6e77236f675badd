import pytest

from minijax.core import NamedAxisEffect, binding_axes
from minijax.lax.axis_names import (
    effects_over,
    merged_axes,
    names_of,
    parsed_groups,
    size_of_names,
)


def test_names():
    assert names_of("i") == ("i",)
    assert names_of(["i", "j"]) == names_of(("i", "j")) == ("i", "j")
    assert names_of(None) == (None,)


def test_groups_divide_the_axis():
    with binding_axes([("i", 4)]):
        assert parsed_groups(None, ("i",)) is None
        groups = parsed_groups([[0, 2], [1, 3]], ("i",))
        assert groups == ((0, 2), (1, 3))
        assert (size_of_names(("i",)), size_of_names(("i",), groups)) == (4, 2)
        with pytest.raises(ValueError, match="below 4"):
            parsed_groups([[0, 1], [2]], ("i",))


def test_positions_have_no_effect():
    effects = effects_over("axes")(axes=(0, "i"))
    assert effects == {NamedAxisEffect("i")}


def test_merged_axes():
    assert merged_axes((2, 3, 4), 1) == (2, 12)
