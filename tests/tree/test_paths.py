import collections
import dataclasses
import pickle

from hypothesis import given

from tests.tree.agreement import agree, error, message, ours
from tests.tree.test_structures import Point, trees


def check_18(J):
    tree, asked = {"a": [1], "b": 2}, []

    def is_leaf(path, x):
        asked.append((J.tree_util.keystr(path), x))
        return len(path) == 1

    options = {"is_leaf": is_leaf, "is_leaf_takes_path": True}
    leaves = J.tree.leaves_with_path(tree, **options)
    found = [(J.tree_util.keystr(path), leaf) for path, leaf in leaves]
    mapped = J.tree.map_with_path(lambda p, x, y: [x, y], tree, tree, **options)
    return found, asked[:3], mapped


def test_check_18_is_leaf_may_take_the_path(oracle):
    leaves = [("['a']", [1]), ("['b']", 2)]
    asked = [("", {"a": [1], "b": 2}), *leaves]
    mapped = {"a": [[1], [1]], "b": [2, 2]}
    agree(oracle, check_18, (leaves, asked, mapped))


def check_18_without_path(J):
    leaves = J.tree.leaves_with_path([None, (1,)], is_leaf=lambda x: x is None)
    bad = error(J.tree.leaves_with_path, [1], is_leaf=lambda x: 1)
    return [(J.tree_util.keystr(path), leaf) for path, leaf in leaves], bad


def test_check_18_or_only_the_value(oracle):
    leaves = [("[0]", None), ("[1][0]", 1)]
    agree(oracle, check_18_without_path, (leaves, "ValueError"))


def check_24(J):
    def name(path, *leaves):
        return J.tree_util.keystr(path), leaves

    tree = {"a": [1, None], "b": 2}
    return (
        J.tree.map_with_path(name, tree, {"a": [3, None], "b": [4]}),
        J.tree.map_with_path(name, 5),
        error(J.tree.map_with_path, name, [1], [1, 2]),
    )


def test_check_24_map_with_path(oracle):
    mapped = {"a": [("['a'][0]", (1, 3)), None], "b": ("['b']", (2, [4]))}
    agree(oracle, check_24, (mapped, ("", (5,)), "ValueError"))
    with message("tree_map_with_path tree", "length 1", "length 2"):
        ours().tree.map_with_path(print, [1], [1, 2])


def check_36(J):
    pairs, metadata = J.tree_util.flatten_one_level_with_keys(Point(1, 2))
    ordered = collections.OrderedDict(b=1, a=2)
    keyed, order = J.tree_util.flatten_one_level_with_keys(ordered)
    nothing, _ = J.tree_util.flatten_one_level_with_keys(None)
    return (
        [(repr(key), child) for key, child in pairs],
        metadata.__name__,
        [(repr(key), child) for key, child in keyed],
        order,
        list(nothing),
    )


def test_check_36_each_child_of_a_namedtuple_has_its_own_key(oracle):
    expected = (
        [("GetAttrKey(name='x')", 1), ("GetAttrKey(name='y')", 2)],
        "Point",
        [("DictKey(key='b')", 1), ("DictKey(key='a')", 2)],
        ("b", "a"),
        [],
    )
    agree(oracle, check_36, expected)


def check_37(J):
    util = J.tree_util
    a, one, space = util.DictKey("a"), util.SequenceKey(1), util.DictKey("b c")
    path = (a, one, space)
    rest = (util.GetAttrKey("x"), util.FlattenedIndexKey(3), "raw", 7)
    return (
        util.keystr(path),
        util.keystr(rest),
        util.keystr(path, simple=True, separator="/"),
        util.keystr(rest, simple=True, separator="."),
        util.keystr(path, separator="/"),
        util.keystr(()),
        util.keystr((util.DictKey((1, 2)), util.DictKey(None), util.DictKey(1))),
    )


def test_check_37_the_text_of_a_path(oracle):
    expected = (
        "['a'][1]['b c']",
        ".x[<flat index 3>]raw7",
        "a/1/b c",
        "x.3.raw.7",
        "['a']/[1]/['b c']",
        "",
        "[(1, 2)][None][1]",
    )
    agree(oracle, check_37, expected)


def matched(J, key):
    util = J.tree_util
    match key:
        case util.SequenceKey(idx):
            return "sequence", idx
        case util.DictKey(name):
            return "dict", name
        case util.GetAttrKey(name):
            return "attribute", name
        case util.FlattenedIndexKey(index):
            return "index", index


def check_38(J):
    util = J.tree_util
    keys = [
        util.SequenceKey(1),
        util.DictKey("a"),
        util.GetAttrKey("x"),
        util.FlattenedIndexKey(1),
    ]
    return (
        [matched(J, key) for key in keys],
        [pickle.loads(pickle.dumps(key)) == key for key in keys],
        [hash(key) == hash(pickle.loads(pickle.dumps(key))) for key in keys],
        [repr(key) for key in keys],
        keys[0] == keys[3],
        keys[0] == 1,
        error(util.SequenceKey, "a"),
        str(util.DictKey(None)),
    )


def test_check_38_keys_are_values(oracle):
    payloads = [("sequence", 1), ("dict", "a"), ("attribute", "x"), ("index", 1)]
    texts = [
        "SequenceKey(idx=1)",
        "DictKey(key='a')",
        "GetAttrKey(name='x')",
        "FlattenedIndexKey(key=1)",
    ]
    true = [True] * 4
    expected = (payloads, true, true, texts, False, False, "TypeError", "[None]")
    agree(oracle, check_38, expected)


def test_the_root_has_the_empty_path():
    assert ours().tree.flatten_with_path(5)[0] == [((), 5)]


def test_generate_key_paths_gives_paths_and_leaves():
    from minijax import tree

    value = {"a": [1, 2]}
    assert tree.generate_key_paths(value) == tree.leaves_with_path(value)
    assert [path for path, _ in tree.generate_key_paths((0, [1]))] == [
        (tree.SequenceKey(0),),
        (tree.SequenceKey(1), tree.SequenceKey(0)),
    ]


def test_a_dataclass_has_its_attributes_for_keys():
    from minijax import tree

    @tree.register_dataclass
    @dataclasses.dataclass
    class Data:
        x: dict
        y: int

    keyed = tree.leaves_with_path(Data({"k": [1]}, 2))
    assert [tree.keystr(path) for path, _ in keyed] == [".x['k'][0]", ".y"]


# -- laws ------------------------------------------------------------------------------


def at(tree, path):
    """What stands at the end of a path of the four key types."""
    from minijax import tree as T

    for key in path:
        match key:
            case T.GetAttrKey(name):
                tree = getattr(tree, name)
            case T.SequenceKey(i) | T.DictKey(i):
                tree = tree[i]
    return tree


@given(trees)
def test_a_path_leads_to_its_leaf(tree):
    T = ours().tree
    keyed, treedef = T.flatten_with_path(tree)
    assert [leaf for _, leaf in keyed] == T.leaves(tree)
    assert treedef == T.structure(tree)
    assert all(at(tree, path) is leaf for path, leaf in keyed)
    assert len({path for path, _ in keyed}) == len(keyed)


@given(trees)
def test_map_with_path_maps(tree):
    T = ours().tree
    assert T.map_with_path(lambda path, x: at(tree, path), tree) == tree
