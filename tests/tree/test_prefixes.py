import collections
import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tree.agreement import agree, error, message, ours
from tests.tree.test_structures import Point, trees


def differences(left, right, of="equality_errors", **options):
    """The differences as texts: path, left, right, reason."""
    from minijax import tree

    found = getattr(tree, of)(left, right, **options)
    return [(tree.keystr(d.path), *d[1:]) for d in found]


# -- differences -----------------------------------------------------------------------


def test_check_71_all_mismatches_in_separate_subtrees_are_found():
    one = "a tuple of length 1", "a list of length 1", "their types differ"
    found = differences([(1,), (2,)], [[1], [2]], of="prefix_errors")
    assert found == [("[0]", *one), ("[1]", *one)]


def test_each_kind_of_difference_is_told():
    def only(left, right):
        [found] = differences(left, right)
        return found

    assert only([1], [1, 2]) == (
        "",
        "a list of length 1",
        "a list of length 2",
        "their lengths differ",
    )
    assert only((None,), (1,))[:3] == ("[0]", "None", "a leaf of type int")
    assert only({"a": {"b": 1}}, {"a": {"c": 1}}) == (
        "['a']",
        "a dict with keys ['b']",
        "a dict with keys ['c']",
        "their keys differ: only the first has ['b'], only the second has ['c']",
    )
    ordered = collections.OrderedDict
    path, left, right, reason = only(ordered(a=1, b=2), ordered(b=2, a=1))
    assert left.endswith("metadata ('a', 'b')") and right.endswith("('b', 'a')")
    assert (path, reason) == ("", "their metadata differ")
    assert only(Point(1, [2]), Point(1, (2,)))[0] == ".y"


def test_many_children_are_counted_not_listed():
    many = {f"key{i}": i for i in range(100)}
    [(_, left, right, reason)] = differences(many, {**many, "more": 1})
    assert (left, right) == ("a dict with 100 children", "a dict with 101 children")
    assert reason == "their keys differ: only the second has ['more']"


def test_long_metadata_are_compared_line_by_line():
    from minijax import tree

    class Text:
        def __init__(self, text):
            self.text = text

    tree.register_pytree_node(Text, lambda t: ((), t.text), lambda text, _: Text(text))
    [(_, _, _, reason)] = differences(Text("a\nb\nc"), Text("a\nB\nc"))
    assert reason == "their metadata differ:\n  - b\n  + B"


def test_check_53_metadata_without_a_truth_are_refused_by_name():
    from minijax import tree

    class Holder:
        def __init__(self, metadata):
            self.metadata = metadata

    tree.register_pytree_node(
        Holder, lambda h: ((), h.metadata), lambda m, _: Holder(m)
    )
    one, other = Holder(np.arange(2)), Holder(np.arange(2))
    assert differences(one, one) == []
    with message("Holder", "Make arrays children"):
        differences(one, other)
    with message("Holder"):
        tree.flatten_axes("axes", tree.structure(one), other)


def validating(J):
    """A dataclass and a keyed class that refuse placeholders."""
    util = J.tree_util

    @util.register_dataclass
    @dataclasses.dataclass
    class Layer:
        w: float
        name: str = J.tree.static(default="a")

        def __post_init__(self):
            J.tree.map(float, self.w)

    class Keyed:
        def __init__(self, x):
            self.x = float(x)

    util.register_pytree_with_keys(
        Keyed, lambda k: (((util.GetAttrKey("x"), k.x),), None), lambda _, c: Keyed(*c)
    )
    return Layer, Keyed


def test_check_70_differing_static_metadata_are_named():
    from minijax import tree

    Layer, _ = validating(ours())
    structures = tree.structure([Layer(1.0, "a")]), tree.structure([Layer(1.0, "b")])
    [found] = tree.equality_errors_of_treedefs(*structures)
    assert tree.keystr(found.path) == "[0]"
    assert found.left.endswith("Layer with metadata ('a',)")
    assert found.right.endswith("Layer with metadata ('b',)")
    assert found.reason == "their metadata differ"


def program_70(J):
    @J.tree_util.register_dataclass
    @dataclasses.dataclass
    class Tagged:
        x: float
        name: str = J.tree.static(default="a")

    def branch(name):
        return lambda: Tagged(1.0, name)

    same = J.lax.cond(True, branch("a"), branch("a"))
    return same.name, error(J.lax.cond, True, branch("a"), branch("b"))


def test_check_70_cond_refuses_outputs_of_differing_metadata(oracle, minijax):
    oracle.compare(program_70)
    assert program_70(minijax) == ("a", "TypeError")


def test_structures_are_compared_without_their_leaves():
    from minijax import tree

    Layer, Keyed = validating(ours())
    of = "equality_errors_of_treedefs"
    s = tree.structure
    leaf = "a pytree leaf"
    [found] = differences(s((1, None)), s((1, 2)), of=of)
    assert found == ("[1]", "None", leaf, "their types differ")
    # Names of children come from the registration, if the type takes placeholders.
    assert differences(s(Layer(1.0)), s(Layer([1.0])), of=of)[0][0] == ".w"
    assert differences(s(Point(1, 2)), s(Point(1, [2])), of=of)[0][0] == ".y"
    deep = collections.OrderedDict(k=Keyed(1.0)), collections.OrderedDict(k=2)
    assert differences(*map(s, deep), of=of)[0][0] == "['k']"
    [found] = differences(s(Partial(1)), s(Partial((2,))), of=of)
    assert found[0] == "[<flat index 0>][0]"
    assert differences(s({"a": [1]}), s({"a": [2]}), of=of) == []


def Partial(*operands):
    return ours().tree_util.Partial(print, *operands)


def test_is_leaf_stops_the_comparison():
    def is_tuple(x):
        return isinstance(x, tuple)

    assert differences([(1, 2)], [(1, 2, 3)], is_leaf=is_tuple) == []
    assert differences([(1,)], [[1]], of="prefix_errors", is_leaf=is_tuple) == []
    assert len(differences([None], [1], of="prefix_errors")) == 1


# -- fitting ---------------------------------------------------------------------------


def check_31(J):
    full = {"a": [1, 2], "b": (3, None)}
    return (
        J.tree.broadcast(7, full),
        J.tree.broadcast({"a": 7, "b": (8, None)}, full),
        error(J.tree.broadcast, {"a": None, "b": 8}, full),
        J.tree.broadcast({"a": None, "b": 8}, full, is_leaf=lambda x: x is None),
        error(J.tree.broadcast, {"a": 7, "c": 8}, full),
        error(J.tree.broadcast, {"a": (7,), "b": 8}, full),
    )


def test_check_31_broadcast_repeats_the_leaves_of_a_prefix(oracle):
    expected = (
        {"a": [7, 7], "b": (7, None)},
        {"a": [7, 7], "b": (8, None)},
        "ValueError",
        {"a": [None, None], "b": (8, None)},
        "ValueError",
        "ValueError",
    )
    agree(oracle, check_31, expected)
    T = ours().tree
    with message("broadcast_prefix prefix_tree:", "['c']", "['b']"):
        T.broadcast({"a": 7, "c": 8}, {"a": [1, 2], "b": (3, None)})
    with message("broadcast_prefix prefix_tree['a']", "a tuple of length 1"):
        T.broadcast({"a": (7,), "b": 8}, {"a": [1, 2], "b": (3, None)})


def axes(treedef_of, axis_tree, **options):
    from minijax import tree

    return tree.flatten_axes(
        "in_axes", tree.structure(treedef_of), axis_tree, **options
    )


def test_flatten_axes_repeats_each_axis_over_its_subtree():
    tree = ({"a": 1, "b": [2, 3]}, 4, None)
    assert axes(tree, 0) == [0, 0, 0, 0]
    assert axes(tree, None) == [None] * 4
    assert axes(tree, (None, 1, 2)) == [None, None, None, 1]
    assert axes(tree, ({"a": 0, "b": 1}, None, None)) == [0, 1, 1, None]
    assert axes(tree, ({"a": 0, "b": [1, None]}, 3, None)) == [0, 1, None, 3]
    assert axes((), ()) == []
    assert axes(5, 1) == [1]


@pytest.mark.parametrize(
    "tree, axis_tree",
    [
        ([1, 2], (0, 0)),
        ([1, 2], [0]),
        ({"a": 1}, {"b": 0}),
        ({"a": 1}, collections.OrderedDict(a=0)),
        (5, [0]),
        ((None,), ((0,),)),
        (Point(1, 2), (0, 0)),
        ((1,), ()),
    ],
)
def test_flatten_axes_refuses_what_is_no_prefix(tree, axis_tree):
    from minijax.base.errors import TreeMismatchError

    with pytest.raises(TreeMismatchError, match="At in_axes") as caught:
        axes(tree, axis_tree)
    assert isinstance(caught.value, ValueError)
    assert caught.value.api == "in_axes"


def test_flatten_axes_names_every_place():
    tree = (({"a": 1, "b": 2}, [3]), {"key": 4})
    with message(
        "At in_axes[0]: expected a dict with keys ['a'], found a dict with keys",
        "At in_axes[1]: expected a tuple of length 1, found a list of length 1",
        "Found 2 mismatches",
    ):
        axes(tree, (({"a": 0}, (1,)), 0), kws=True)
    with message("[0][0]", "[0][1]"):
        axes(tree, (({"a": 0}, (1,)), 0))
    with message("a tuple of length 1, found a pytree leaf"):
        axes((1,), ((0,),))


def test_flatten_axes_recalls_that_arguments_are_a_tuple():
    with message("wrap it as (in_axes,)"):
        axes(({"a": 1},), {"a": 0}, tupled_args=True)
    with pytest.raises(ValueError) as caught:
        axes(({"a": 1},), (0, 0), tupled_args=True)
    assert "wrap" not in str(caught.value)


def test_trees_deeper_than_the_stack_are_compared():
    from minijax import tree

    left, right = 0, None
    for _ in range(2_000):
        left, right = [left], [right]
    [(path, *_)] = differences(left, right)
    assert path == "[0]" * 2_000
    assert tree.flatten_axes("in_axes", tree.structure(left), left) == [0]


def test_flatten_axes_builds_no_value_on_success():
    from minijax import tree

    Layer, Keyed = validating(ours())
    treedef = tree.structure((Layer(1.0), Keyed(2.0)))
    assert tree.flatten_axes("in_axes", treedef, (Layer(0.0), None)) == [0.0, None]


def test_a_mismatch_has_fields():
    from minijax import tree
    from minijax.base.errors import TreeMismatchError

    with pytest.raises(TreeMismatchError) as caught:
        tree.map(print, {"a": [1]}, {"a": (1,)})
    assert caught.value.api == "tree_map"
    assert caught.value.path == "tree_map tree['a']"
    assert "a list of length 1" in caught.value.difference


# -- laws ------------------------------------------------------------------------------


@given(trees, st.randoms(use_true_random=False))
def test_a_prefix_fits_and_repeats(tree, random):
    from minijax import tree as T

    def cut(x):
        return random.random() < 0.3

    subtrees, treedef = T.flatten(tree, is_leaf=cut)
    prefix = treedef.unflatten(range(len(subtrees)))
    assert treedef.flatten_up_to(tree) == subtrees
    repeated = [i for i, s in enumerate(subtrees) for _ in T.leaves(s)]
    assert T.broadcast_prefix(prefix, tree) == repeated
    assert T.leaves(T.broadcast(prefix, tree)) == repeated
    assert T.structure(T.broadcast(prefix, tree)) == T.structure(tree)
    assert list(T.prefix_errors(prefix, tree)) == []
    assert T.flatten_axes("axes", T.structure(tree), prefix) == repeated


@given(trees, trees)
def test_there_is_a_difference_exactly_where_structures_differ(left, right):
    from minijax import tree as T

    same = T.structure(left) == T.structure(right)
    assert (differences(left, right) == []) == same
    of = "equality_errors_of_treedefs"
    told = differences(T.structure(left), T.structure(right), of=of)
    assert (told == []) == same
    assert [d[0] for d in told] == [d[0] for d in differences(left, right)]


@given(trees, trees)
def test_there_is_a_report_exactly_where_map_refuses(left, right):
    from minijax import tree as T

    fits = differences(left, right, of="prefix_errors") == []
    try:
        T.map(lambda *x: 0, left, right)
    except ValueError as raised:
        assert not fits
        assert "tree_map tree" in str(raised)
    else:
        assert fits
