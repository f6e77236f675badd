"""Named axes: binding, shadowing, sizes, threads."""

import threading

import pytest

from minijax.core import axes


def test_a_bound_axis_has_a_size_inside_the_block_only():
    with axes.binding_axes([("i", 3)]):
        assert axes.axis_size("i") == 3
        assert axes.is_bound("i")
    assert not axes.is_bound("i")
    assert axes.bound_axes() == ()


def test_check_57_an_unbound_name_is_a_name_error_that_lists_the_bound_ones():
    two = axes.binding_axes([("i", 3), ("j", 2)])
    with two, pytest.raises(NameError) as caught:
        axes.axis_size("k")
    assert caught.value.axis_name == "k"
    assert caught.value.bound == ("i", "j")
    with pytest.raises(NameError):
        axes.axis_size(None)


def test_check_58_an_inner_axis_hides_an_outer_one_of_its_name():
    with axes.binding_axes([("i", 3)]), axes.binding_axes([("j", 5), ("i", 2)]):
        assert axes.axis_size("i") == 2
        assert axes.axis_names() == ("i", "j")
    with axes.binding_axes([("i", 3)]), axes.replacing_axes([("j", 5)]):
        assert axes.axis_names() == ("j",)


def test_the_size_of_several_names_is_the_product():
    with axes.binding_axes([("i", 3), ("j", 4)]):
        assert axes.axis_size(("i", "j")) == 12
        assert axes.axis_size(()) == 1


def test_bindings_are_undone_after_an_error():
    with pytest.raises(KeyError), axes.binding_axes([("i", 3)]):
        raise KeyError
    assert axes.bound_axes() == ()


def test_bindings_belong_to_a_thread():
    seen: list[tuple] = []
    with axes.binding_axes([("i", 3)]):
        worker = threading.Thread(target=lambda: seen.append(axes.bound_axes()))
        worker.start()
        worker.join()
    assert seen == [()]
