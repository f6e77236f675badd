import collections
import timeit

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tree.agreement import agree, error, message, ours, same

Point = collections.namedtuple("Point", "x y")


def spoken(J, tree, **options):
    """The leaves and the text of the structure."""
    leaves, treedef = J.tree.flatten(tree, **options)
    return leaves, str(treedef)


# -- what a tree is --------------------------------------------------------------------


def check_1(J):
    return spoken(J, {"b": 1, "a": [2, (3, None)]})


def test_check_1_flatten_gives_leaves_and_structure(oracle):
    text = "PyTreeDef({'a': [*, (*, None)], 'b': *})"
    agree(oracle, check_1, ([2, 3, 1], text))


def check_2(J):
    seen = []
    mapped = J.tree.map(lambda x: seen.append(x) or x, {"z": 1, "a": 2})
    return list(mapped), seen


def test_check_2_dicts_are_visited_and_rebuilt_in_sorted_order(oracle):
    agree(oracle, check_2, (["a", "z"], [2, 1]))


def check_3(J):
    s, ordered = J.tree.structure, collections.OrderedDict
    return (
        s({"b": 1, "a": 2}) == s({"a": 1, "b": 2}),
        s(ordered(b=1, a=2)) == s(ordered(a=1, b=2)),
    )


def test_check_3_order_is_structure_of_ordered_dicts_only(oracle):
    agree(oracle, check_3, (True, False))


def check_4(J):
    leaves, treedef = J.tree.flatten([None, 1])
    return spoken(J, None), leaves, treedef.num_leaves, treedef.num_nodes


def test_check_4_none_is_a_node_without_children(oracle):
    agree(oracle, check_4, (([], "PyTreeDef(None)"), [1], 1, 3))


def check_12(J):
    s = J.tree.structure
    return (
        spoken(J, {1: 1} | {True: 2}),
        s({1: 1}) == s({True: 1}),
        s({1: 1}) == s({2: 1}),
    )


def test_check_12_equal_keys_are_one_key(oracle):
    agree(oracle, check_12, (([2], "PyTreeDef({1: *})"), True, False))


def test_check_14_a_tree_that_contains_itself_is_an_error():
    T = ours().tree
    cyclic = []
    cyclic.append(cyclic)
    calls = [
        lambda: T.flatten(cyclic),
        lambda: T.leaves(cyclic),
        lambda: T.structure(cyclic),
        lambda: T.map(str, cyclic),
        lambda: T.leaves_with_path(cyclic),
        lambda: T.broadcast(0, cyclic),
    ]
    assert [error(call) for call in calls] == ["RecursionError"] * 6
    with message("nested too deeply, or contains itself"):
        T.flatten(cyclic)


def test_a_deep_tree_is_fine():
    T = ours().tree
    deep = 0
    for _ in range(2_000):
        deep = [deep]
    assert T.leaves(deep) == [0]


def test_a_system_error_of_the_user_is_left_alone():
    def broken(_):
        raise SystemError("mine")

    with pytest.raises(SystemError, match="mine"):
        ours().tree.flatten([1], is_leaf=broken)


# -- is_leaf ---------------------------------------------------------------------------


def check_15(J):
    seen = []

    def is_leaf(x):
        seen.append(x)
        return False

    J.tree.flatten({"z": [1], "a": (2, None)}, is_leaf=is_leaf)
    return seen


def test_check_15_is_leaf_is_asked_from_the_root_on(oracle):
    root = {"z": [1], "a": (2, None)}
    agree(oracle, check_15, [root, (2, None), 2, None, [1], 1])


def check_16(J):
    def answering(answer):
        return lambda: J.tree.flatten([1], is_leaf=lambda x: answer)

    def failing(x):
        raise KeyError("mine")

    bad = [1, "y", np.bool_(True), np.array(True)]
    return (
        [error(answering(answer)) for answer in bad],
        answering(None)()[0],
        error(J.tree.flatten, [1], failing),
    )


def test_check_16_is_leaf_answers_with_a_bool(oracle):
    agree(oracle, check_16, (["ValueError"] * 4, [1], "KeyError"))


def check_17(J):
    return spoken(J, [None, {"a": None}], is_leaf=lambda x: x is None)


def test_check_17_is_leaf_can_make_leaves_of_none(oracle):
    agree(oracle, check_17, ([None, None], "PyTreeDef([*, {'a': *}])"))


# -- together --------------------------------------------------------------------------


def check_19(J):
    treedef = J.tree.structure([0, (0, 0)])
    return (
        error(J.tree.unflatten, treedef, [1]),
        error(J.tree.unflatten, treedef, [1, 2, 3, 4]),
        J.tree.unflatten(treedef, iter([1, [2], {"a": 3}])),
    )


def test_check_19_unflatten_takes_as_many_leaves_as_there_are(oracle):
    agree(oracle, check_19, ("ValueError", "ValueError", [1, ([2], {"a": 3})]))
    T = ours().tree
    with message("3", "1"):
        T.unflatten(T.structure([0, 0, 0]), [1])
    with message("3"):
        T.unflatten(T.structure([0, 0, 0]), [1] * 4)


def check_20(J):
    return error(J.tree.unflatten, J.tree.structure([0]), 5)


def test_check_20_unflatten_needs_an_iterable(oracle):
    agree(oracle, check_20, "TypeError")


# -- map -------------------------------------------------------------------------------


def check_21(J):
    rest = {"x": [1, 2], "y": None}
    return J.tree.map(lambda a, b: [a, b], {"x": 1, "y": 2}, rest)


def test_check_21_map_passes_the_subtrees_of_further_trees(oracle):
    agree(oracle, check_21, {"x": [1, [1, 2]], "y": [2, None]})


def check_22(J):
    def pair(a, b):
        return [a, b]

    return (
        error(J.tree.map, pair, [None, 1], [2, 3]),
        J.tree.map(pair, [2, 1], [None, 3]),
    )


def test_check_22_none_is_matched_by_none_only_and_is_a_value(oracle):
    agree(oracle, check_22, ("ValueError", [[2, None], [1, 3]]))
    with message("tree_map", "tree[0]", "None", "a leaf of type int"):
        ours().tree.map(print, [None, 1], [2, 3])


def check_23(J):
    pairs = [
        ([1, 2], [1, 2, 3]),
        ([1, 2], (1, 2)),
        ({"a": 1}, {"b": 1}),
        ({"a": 1}, {"a": 1, "b": 2}),
    ]
    return [error(J.tree.map, print, *pair) for pair in pairs]


def test_check_23_map_refuses_trees_that_do_not_fit(oracle):
    agree(oracle, check_23, ["ValueError"] * 4)
    T = ours().tree
    with message("tree_map tree['a']", "a list of length 2", "a list of length 3"):
        T.map(print, {"a": [1, 2]}, {"a": [1, 2, 3]})
    with message("tree_map tree", "a list of length 2", "a tuple of length 2", "types"):
        T.map(print, [1, 2], (1, 2))
    with message("keys ['a']", "keys ['b']", "first has ['a']", "second has ['b']"):
        T.map(print, {"a": 1}, {"b": 1})
    with message("only the second has ['b']"):
        T.map(print, {"a": 1}, {"a": 1, "b": 2})


def check_25(J):
    return error(J.tree.map, lambda x: x, [1, None], lambda x: x is None)


def test_check_25_the_third_position_of_map_is_a_tree(oracle):
    agree(oracle, check_25, "ValueError")
    with message("a list of length 2", "a leaf of type function"):
        ours().tree.map(str, [1, None], lambda x: x is None)


@pytest.mark.parametrize("raised", [KeyError("k"), StopIteration(3), ValueError("v")])
def test_check_26_exceptions_of_the_function_pass_unchanged(raised):
    T = ours().tree

    def fail(*_):
        raise raised

    for call in [
        lambda: T.map(fail, [1, 2]),
        lambda: T.map(fail, [1, 2], [3, 4]),
        lambda: T.map_with_path(fail, [1, 2]),
    ]:
        with pytest.raises(type(raised)) as caught:
            call()
        assert caught.value is raised


# -- folding ---------------------------------------------------------------------------


def check_27(J):
    def add(a, b):
        return a + b

    tree = {"a": 1, "b": [2, 3]}
    return (
        J.tree.reduce(add, tree),
        J.tree.reduce(add, tree, 10),
        J.tree.reduce(add, [], 10),
        error(J.tree.reduce, add, []),
        J.tree.reduce(lambda a, b: [a, b], [1, 2], None),
        J.tree.reduce(lambda a, b: b, [], None),
        J.tree.reduce(lambda a, b: [a, b], [1, None], is_leaf=lambda x: x is None),
    )


def test_check_27_reduce_folds_from_the_left(oracle):
    expected = (6, 16, 10, "TypeError", [[None, 1], 2], None, [1, None])
    agree(oracle, check_27, expected)


def check_28(J):
    def bracket(a, b):
        return f"({a}{b})"

    reduce = J.tree.reduce_associative
    return (
        reduce(bracket, list("abcdefg")),
        reduce(bracket, ["a"]),
        reduce(bracket, ["a"], identity="i"),
        reduce(bracket, [], identity="i"),
        reduce(bracket, [], identity=None),
        error(reduce, bracket, []),
    )


def test_check_28_reduce_associative_halves(oracle):
    expected = ("((a(bc))((de)(fg)))", "a", "a", "i", None, "TypeError")
    agree(oracle, check_28, expected)


def check_29(J):
    return (
        J.tree.all([]),
        J.tree.all([None]),
        J.tree.all({"a": 1, "b": 0}),
        J.tree.all([None], is_leaf=lambda x: x is None),
        J.tree.all([np.array(True)]),
        error(J.tree.all, [np.array([True, False])]),
    )


def test_check_29_all_asks_the_leaves_for_their_truth(oracle):
    agree(oracle, check_29, (True, True, False, False, True, "ValueError"))


# -- transpose -------------------------------------------------------------------------


def check_30(J):
    s, transpose = J.tree.structure, J.tree.transpose
    rows, columns = [{"a": 1, "b": 2}, {"a": 3, "b": 4}], {"a": [1, 3], "b": [2, 4]}
    two, ab = s([0, 0]), s({"a": 0, "b": 0})
    return (
        transpose(two, ab, rows),
        transpose(ab, two, columns),
        transpose(two, None, rows),
        error(transpose, two, ab, [1, 2, 3]),
        error(transpose, s([]), None, []),
        transpose(two, s({"a": 0}), (1, 2)),
        transpose(two, s({"a": None, "b": 0}), [{"a": None, "b": 0}] * 2),
    )


def test_check_30_transpose(oracle):
    rows, columns = [{"a": 1, "b": 2}, {"a": 3, "b": 4}], {"a": [1, 3], "b": [2, 4]}
    inner_none = {"a": None, "b": [0, 0]}
    expected = (columns, rows, columns, "TypeError", "IndexError", {"a": [1, 2]})
    agree(oracle, check_30, (*expected, inner_none))
    T = ours().tree
    with message("PyTreeDef([{'a': *}, {'a': *}])", "PyTreeDef([*, *, *])"):
        T.transpose(T.structure([0, 0]), T.structure({"a": 0}), [1, 2, 3])


def test_transpose_of_nothing_has_the_inner_shape():
    T = ours().tree
    assert T.transpose(T.structure([]), T.structure({"a": 0}), []) == {"a": []}


# -- leaves and structures -------------------------------------------------------------


def check_32(J):
    all_leaves = J.tree_util.all_leaves
    return (
        all_leaves([1, None]),
        all_leaves([1, "a"]),
        all_leaves([]),
        all_leaves([[1], 2]),
        all_leaves([(1, 2), 3], is_leaf=lambda x: isinstance(x, tuple)),
        all_leaves([[], 1], is_leaf=lambda x: False),
        all_leaves([(1, 2), None], is_leaf=lambda x: isinstance(x, tuple)),
    )


def test_check_32_all_leaves(oracle):
    agree(oracle, check_32, (False, True, True, False, True, False, False))


def check_33(J):
    is_leaf, s = J.tree_util.treedef_is_leaf, J.tree.structure
    return [is_leaf(s(x)) for x in (1, None, (), {}, [1], [None])]


def test_check_33_a_structure_of_one_node_is_a_leaf(oracle):
    agree(oracle, check_33, [True, True, True, True, False, False])


def test_check_74_the_wrapper_is_thin():
    from minijax import tree

    value = {"w": 1.0, "b": 2.0, "c": (1.0, 2.0)}

    def fastest(function):
        return min(timeit.repeat(lambda: function(value), number=2_000, repeat=9))

    assert fastest(tree.flatten) < 2 * fastest(tree.registry.flatten)


# -- laws ------------------------------------------------------------------------------

keys = st.text("abc", max_size=2)


def containers(inner):
    return (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(keys, inner, max_size=3)
        | st.dictionaries(keys, inner, max_size=3).map(collections.OrderedDict)
        | st.tuples(inner, inner).map(lambda pair: Point(*pair))
    )


trees = st.recursive(st.none() | st.integers(), containers, max_leaves=12)


@given(trees)
def test_unflatten_undoes_flatten(tree):
    T = ours().tree
    leaves, treedef = T.flatten(tree)
    again = T.unflatten(treedef, leaves)
    assert again == tree
    assert T.structure(again) == treedef
    assert len(leaves) == treedef.num_leaves
    assert T.leaves(tree) == leaves
    assert T.structure(tree) == treedef


@given(trees)
def test_map_respects_identity_and_composition(tree):
    T = ours().tree
    assert T.map(lambda x: x, tree) == tree
    twice = T.map(lambda x: 2 * x, T.map(lambda x: x + 1, tree))
    assert twice == T.map(lambda x: 2 * (x + 1), tree)
    assert T.map(lambda x, y: x - y, tree, tree) == T.map(lambda x: 0, tree)


@given(trees)
def test_folds_agree(tree):
    T = ours().tree
    assert T.reduce(lambda a, b: a + b, tree, 0) == sum(T.leaves(tree))
    halves = T.reduce_associative(lambda a, b: a + b, tree, identity=0)
    assert halves == sum(T.leaves(tree))
    assert T.all(tree) == all(T.leaves(tree))


@given(st.integers(0, 3), st.dictionaries(keys, st.just(0), max_size=3))
def test_transposing_twice_changes_nothing(rows, row):
    T = ours().tree
    outer, inner = T.structure([0] * rows), T.structure(row)
    table = [{k: (i, k) for k in row} for i in range(rows)]
    table = T.map(str, table, is_leaf=lambda x: isinstance(x, tuple))
    assert T.transpose(inner, outer, T.transpose(outer, inner, table)) == table


def described(J, tree):
    leaves, treedef = J.tree.flatten(tree)
    paths = J.tree.leaves_with_path(tree)
    return (
        leaves,
        str(treedef),
        [J.tree_util.keystr(path) for path, _ in paths],
        J.tree.map(lambda x: x + 1, tree),
        J.tree.broadcast(7, tree),
    )


@settings(max_examples=40, deadline=None)
@given(tree=trees)
def test_random_trees_are_as_in_jax(oracle, tree):
    same(oracle, described, tree)
