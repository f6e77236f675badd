"""What treedefs can do: jaxlib's class, but part of our public interface."""

import collections
import copy
import pickle

import numpy as np
from hypothesis import given

from tests.tree.agreement import agree, error, message, ours, same
from tests.tree.test_structures import Point, trees

Renamed = collections.namedtuple("Point", "x y")


def check_53(J):
    a, b = np.arange(2), np.arange(2)

    class Holder:
        def __init__(self, metadata):
            self.metadata = metadata

    J.tree_util.register_pytree_node(
        Holder, lambda h: ((), h.metadata), lambda metadata, _: Holder(metadata)
    )
    one, same, other = (J.tree.structure(Holder(m)) for m in (a, a, b))
    return one == same, error(lambda: one == other), hash(one) == hash(same)


def test_check_53_metadata_without_a_truth_compare_by_identity(oracle):
    agree(oracle, check_53, (True, "ValueError", True))
    with message("Holder"):
        T, U = ours().tree, ours().tree_util
        holder = type("Holder", (), {})
        U.register_pytree_node(
            holder, lambda h: ((), np.arange(2)), lambda *_: holder()
        )
        assert T.structure(holder()) == T.structure(holder())


def check_55(J):
    treedef = J.tree.structure([0])
    return (
        error(lambda: treedef == None),  # noqa: E711
        treedef == 5,
        treedef != J.tree.structure([1]),
        treedef != J.tree.structure([[1]]),
    )


def test_check_55_equality_of_structures(oracle):
    agree(oracle, check_55, ("TypeError", False, False, True))


def tagged(J):
    class Tagged:
        def __init__(self, tag):
            self.tag = tag

    J.tree_util.register_pytree_node(
        Tagged, lambda t: ((), t.tag), lambda tag, _: Tagged(tag)
    )
    return Tagged


def check_56(J):
    s, Tagged = J.tree.structure, tagged(J)
    pairs = [(s(Tagged(1)), s(Tagged("1"))), (s(Point(0, 0)), s(Renamed(0, 0)))]
    return [(str(a) == str(b), a == b) for a, b in pairs]


def test_check_56_structures_that_print_the_same_may_differ(oracle):
    agree(oracle, check_56, [(True, False), (True, False)])


def check_57(J):
    s, Tagged = J.tree.structure, tagged(J)
    return s(Tagged(1)) == s(Tagged(True)), s(Tagged(1)) == s(Tagged(1.0))


def test_check_57_equal_metadata_are_one(oracle):
    agree(oracle, check_57, (True, True))


def check_58(J):
    return [
        J.tree.structure(x).num_nodes for x in (5, None, (), [1, 2], {"a": (1, None)})
    ]


def test_check_58_number_of_nodes(oracle):
    agree(oracle, check_58, [1, 1, 1, 3, 4])


def check_59(J):
    class Custom:
        pass

    J.tree_util.register_pytree_node(
        Custom, lambda c: ((1, 2), "m"), lambda *_: Custom()
    )
    s = J.tree.structure
    trees = [(1,), [1], {"b": 1, "a": 2}, None, Point(1, 2), Custom()]
    data = [s(tree).node_data() for tree in trees]
    children = J.tree_util.treedef_children(s({"b": [1], "a": (2, None)}))
    return (
        s(1).node_data(),
        [(kind.__name__, metadata) for kind, metadata in data],
        [str(child) for child in children],
        J.tree_util.treedef_children(s(1)),
    )


def test_check_59_node_data_and_children(oracle):
    data = [
        ("tuple", None),
        ("list", None),
        ("dict", ["a", "b"]),
        ("NoneType", None),
        ("Point", None),
        ("Custom", "m"),
    ]
    children = ["PyTreeDef((*, None))", "PyTreeDef([*])"]
    agree(oracle, check_59, (None, data, children, []))


def check_60(J):
    Tagged, registry = tagged(J), J.tree_util.default_registry
    leaf = J.tree.structure(0)

    def make(data, children):
        return leaf.from_node_data_and_children(registry, data, children)

    return (
        str(make((dict, ["a", "b"]), [leaf, leaf])),
        str(make((list, None), [leaf])),
        str(make(None, [])),
        str(make((Tagged, "t"), [leaf])),
        error(lambda: str(make((dict, ["a", "b"]), [leaf]))),
        error(make, (set, None), [leaf]),
    )


def test_check_60_structures_from_their_parts(oracle):
    texts = ["{'a': *, 'b': *}", "[*]", "*", "CustomNode(Tagged[t], [*])"]
    made = [f"PyTreeDef({text})" for text in texts]
    agree(oracle, check_60, (*made, "RuntimeError", "RuntimeError"))


def check_61(J):
    s = J.tree.structure
    composed = s([0, 0]).compose(s((0, {"a": 0})))
    return str(composed), composed == s([(0, {"a": 0})] * 2)


def test_check_61_compose_replaces_each_leaf(oracle):
    text = "PyTreeDef([(*, {'a': *}), (*, {'a': *})])"
    agree(oracle, check_61, (text, True))


def check_62(J):
    other = type(J.tree_util.default_registry)()
    s, foreign = J.tree.structure, other.flatten([0])[1]
    return (
        error(J.tree_util.treedef_tuple, [s(0), foreign]),
        error(lambda: s([0]).compose(foreign)),
        str(J.tree_util.treedef_tuple(s(x) for x in (0, [0]))),
    )


def test_check_62_structures_of_two_registries_do_not_mix(oracle):
    agree(oracle, check_62, ("ValueError", "ValueError", "PyTreeDef((*, [*]))"))


def check_63(J):
    Tagged, s = tagged(J), J.tree.structure

    def fit(prefix, tree, **options):
        return s(prefix, **options).flatten_up_to(tree)

    bad = [
        ([0], (0,)),
        ([0], [0, 0]),
        ({"a": 0}, {"b": 0}),
        (Point(0, 0), Renamed(0, 0)),
        (Point(0, 0), (0, 0)),
        (Tagged(1), [0]),
        (Tagged(1), Tagged(2)),
        (None, 0),
    ]
    return (
        fit({"b": 0, "a": [0]}, {"a": [(1, 2)], "b": {"c": 3}}),
        fit({"b": 0, "a": 0}, {"b": 1, "a": 2}),
        fit([None], [[3]], is_leaf=lambda x: x is None),
        fit([0], [None]),
        [error(fit, *pair) for pair in bad],
    )


def test_check_63_flatten_up_to(oracle):
    fits = ([(1, 2), {"c": 3}], [2, 1], [[3]], [None])
    agree(oracle, check_63, (*fits, ["ValueError"] * 8))


def check_64(J):
    seen = []

    def node(children, data):
        seen.append((children, data))
        return len(seen)

    leaves, treedef = J.tree.flatten({"b": [1, None], "a": (2,)})
    answer = treedef.walk(node, lambda x: -x, leaves)
    return answer, seen


def test_check_64_walk_visits_children_first(oracle):
    answer, seen = check_64(ours())
    assert answer == len(seen) == 4
    children = [c for c, _ in seen]
    assert children == [(-2,), (), (-1, 2), (1, 3)]
    assert seen[-1][1] == ["a", "b"]
    same(oracle, check_64)


def check_65(J):
    s, registry = J.tree.structure, J.tree_util.default_registry
    treedef = s({"b": [0, None], "a": (0, {})})
    data = treedef.serialize_using_proto()
    again = type(treedef).deserialize_using_proto(registry, data)
    bad = [Point(0, 0), collections.OrderedDict(a=1), {1: 0}]
    return (
        again == treedef,
        data == s({"a": (1, {}), "b": [1, None]}).serialize_using_proto(),
        [error(s(tree).serialize_using_proto) for tree in bad],
    )


def test_check_65_builtin_structures_can_be_serialized(oracle):
    agree(oracle, check_65, (True, True, ["ValueError"] * 3))


def check_66(J):
    unnamed = type(J.tree_util.default_registry)()
    foreign = unnamed.flatten([0])[1]
    trees = [{"a": [0, None]}, collections.OrderedDict(b=0, a=1), Point(0, 1)]
    kept = []
    for treedef in map(J.tree.structure, trees):
        kept.append(pickle.loads(pickle.dumps(treedef)) == treedef)
        kept.append(copy.deepcopy(treedef) == treedef)
    return error(pickle.dumps, foreign), error(copy.deepcopy, foreign), kept


def test_check_66_structures_can_be_pickled_and_copied(oracle):
    agree(oracle, check_66, ("AttributeError", "AttributeError", [True] * 6))


def test_check_66_the_pickle_names_our_registry():
    from minijax import tree

    text = pickle.dumps(tree.structure([0]))
    assert b"minijax.tree" in text and b"registry" in text
    for registry in (tree.none_leaf_registry, tree.dispatch_registry):
        treedef = registry.flatten([None, 0])[1]
        assert pickle.loads(pickle.dumps(treedef)) == treedef


def check_75(J):
    s = J.tree.structure
    table = {s([0]): "list", s((0,)): "tuple"}
    return s(1) != s([1]), table[s([9])], table[s((9,))]


def test_check_75_structures_are_keys(oracle):
    agree(oracle, check_75, (True, "list", "tuple"))


def program_75(J):
    def rebuild(treedef, x):
        return J.tree.unflatten(treedef, [x, x])

    treedef = J.tree.structure({"a": 0, "b": 0})
    answer = J.jit(rebuild, static_argnums=0)(treedef, 2.0)
    return {name: float(value) for name, value in answer.items()}


def test_check_75_a_structure_is_a_static_argument(oracle, minijax):
    oracle.compare(program_75)
    assert program_75(minijax) == {"a": 2.0, "b": 2.0}


# -- metadata under jit ----------------------------------------------------------------


def with_metadata(J):
    class Holder:
        def __init__(self, x, metadata):
            self.x, self.metadata = x, metadata

    J.tree_util.register_pytree_node(
        Holder, lambda h: ((h.x,), h.metadata), lambda m, c: Holder(*c, m)
    )
    return Holder


def program_53(J):
    Holder, f = with_metadata(J), J.jit(lambda h: h.x)
    first, second = np.arange(2), np.arange(2)
    return float(f(Holder(1.0, first))), error(f, Holder(1.0, second))


def test_check_53_arrays_as_metadata_of_an_argument(oracle, minijax):
    oracle.compare(program_53)
    assert program_53(minijax) == (1.0, "ValueError")


def program_54(J):
    traced = []

    def f(h):
        traced.append(h.metadata)
        return h.x

    Holder, f = with_metadata(J), J.jit(f)
    return [float(f(Holder(1.0, [n]))) for n in (1, 1, 2)], traced


def test_check_54_lists_as_metadata_of_an_argument(oracle, minijax):
    oracle.compare(program_54)
    assert program_54(minijax) == ([1.0, 1.0, 1.0], [[1], [2]])


# -- laws ------------------------------------------------------------------------------


@given(trees)
def test_structures_survive_pickling_and_equal_only_themselves(tree):
    T = ours().tree
    treedef = T.structure(tree)
    assert pickle.loads(pickle.dumps(treedef)) == treedef
    assert hash(treedef) == hash(T.structure(tree))
    assert T.structure([tree]) != treedef
