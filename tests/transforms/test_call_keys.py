import pytest

from minijax.transforms.call_keys import CallKey, Static, flatten_call
from minijax.transforms.signatures import Selected


def f(a, b, c=0):
    pass


def test_leaves_stand_in_the_order_of_cpp():
    key, leaves = flatten_call(f, ({"y": 1, "x": 2},), {"c": 5, "b": (3, 4)})
    assert leaves == [2, 1, 3, 4, 5]
    assert key.fill(leaves) == ([{"y": 1, "x": 2}], {"b": (3, 4), "c": 5})
    assert key.num_leaves == 5
    assert key.leaf_owners() == [0, 0, "b", "b", "c"]


def test_static_values_are_told_apart_by_type():
    keys = [flatten_call(f, (v, 1), {}, Selected((0,)))[0] for v in (1, 1.0, True, 2)]
    assert len(set(keys)) == 4
    assert keys[0] == flatten_call(f, (1, 7), {}, Selected((0,)))[0]
    assert keys[0].static_positions() == (0,)
    assert keys[0].fill([5]) == ([1, 5], {})
    assert keys[0].fill([5], with_static=False) == ([5], {})


def test_negative_and_named_selections():
    key, leaves = flatten_call(f, (1, 2), {"c": 3}, Selected((-1,), ("c",)))
    assert leaves == [1]
    assert key.positional[1] == Static(int, 2)
    assert key.static_names() == ("c",)
    key, _ = flatten_call(f, ([1, 2], 3), {"c": 4})
    assert key.selected_leaves(Selected((0,), ("c",))) == (True, True, False, True)


def test_unhashable_statics_are_named():
    with pytest.raises(ValueError, match="c of f") as error:
        flatten_call(f, (1,), {"c": [1]}, Selected((), ("c",)))
    assert error.value.type_name == "list"


def test_keyword_arguments_move_to_their_positions():
    key, leaves = flatten_call(f, (), {"a": [1, 2], "b": 3})
    normal, order = key.normalised(f)
    by_position, _ = flatten_call(f, ([1, 2], 3), {})
    assert normal == by_position
    assert order == (0, 1, 2)

    def g(b, a, *, k):
        pass

    key, leaves = flatten_call(g, (), {"a": 1, "b": [2, 3], "k": 4})
    assert leaves == [1, 2, 3, 4]
    normal, order = key.normalised(g)
    assert [leaves[i] for i in order] == [2, 3, 1, 4]
    assert normal == flatten_call(g, ([2, 3], 1), {"k": 4})[0]


def test_a_gap_ends_the_positions():
    key, _ = flatten_call(f, (1,), {"c": 2})
    normal, order = key.normalised(f)
    assert (normal, order) == (key, (0, 1))


def test_calls_without_keywords_are_normal():
    key = CallKey((Static(int, 1),))
    assert key.normalised(f) == (key, ())
