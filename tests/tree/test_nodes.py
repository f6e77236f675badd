import collections
import dataclasses
import functools
import subprocess
import sys
import types
from dataclasses import dataclass, field

import numpy as np
import pytest

from tests.tree.agreement import agree, error, message, ours, same

Point = collections.namedtuple("Point", "x y")


class SubPoint(Point):
    pass


class Fields(tuple):
    _fields = ("a",)


def add(*operands, **keywords):
    return [*operands, keywords]


def keystrs(J, tree):
    return [J.tree_util.keystr(path) for path, _ in J.tree.leaves_with_path(tree)]


# -- the types that are nodes ----------------------------------------------------------


def test_check_5_none_is_a_leaf_in_one_registry():
    from minijax import tree

    leaves, treedef = tree.none_leaf_registry.flatten({"a": None, "b": [None, 1]})
    assert leaves == [None, None, 1]
    assert str(treedef) == "PyTreeDef({'a': *, 'b': [*, *]})"


def check_6(J):
    values = [
        {1},
        "ab",
        b"ab",
        collections.deque([1]),
        collections.ChainMap({"a": 1}),
        types.SimpleNamespace(a=1),
        types.MappingProxyType({"a": 1}),
        range(3),
        slice(1, 2),
        functools.partial(add, 1),
        np.ones(2),
    ]
    return [str(J.tree.structure(value)) for value in values]


def test_check_6_other_types_are_leaves(oracle):
    agree(oracle, check_6, ["PyTreeDef(*)"] * 11)


def check_7(J):
    bases = (tuple, list, dict, collections.OrderedDict)
    subclasses = [type("Sub", (base,), {}) for base in bases]
    kept = J.tree.map(lambda x: x + 1, SubPoint(1, 2))
    return (
        [str(J.tree.structure(cls())) for cls in subclasses],
        str(J.tree.structure(SubPoint(1, 2))),
        type(kept).__name__,
        list(kept),
    )


def test_check_7_types_match_exactly_but_for_namedtuples(oracle):
    text = "PyTreeDef(CustomNode(namedtuple[SubPoint], [*, *]))"
    agree(oracle, check_7, (["PyTreeDef(*)"] * 4, text, "SubPoint", [2, 3]))


def check_8(J):
    return str(J.tree.structure(Fields((1,)))), keystrs(J, Fields((1,)))


def test_check_8_a_tuple_with_fields_is_a_namedtuple(oracle):
    text = "PyTreeDef(CustomNode(namedtuple[Fields], [*]))"
    agree(oracle, check_8, (text, [".a"]))


def check_9(J):
    Own = collections.namedtuple("Own", "x y")
    before = str(J.tree.structure(Own(1, 2)))
    J.tree_util.register_pytree_node(
        Own, lambda o: ((o.x,), o.y), lambda y, c: Own(*c, y)
    )
    tree = Own(1, 2)
    mapped = J.tree.map(lambda x: x + 1, tree)
    return before, str(J.tree.structure(tree)), keystrs(J, tree), list(mapped)


def test_check_9_a_registered_namedtuple_follows_its_registration(oracle):
    before = "PyTreeDef(CustomNode(namedtuple[Own], [*, *]))"
    after = "PyTreeDef(CustomNode(Own[2], [*]))"
    agree(oracle, check_9, (before, after, ["[<flat index 0>]"], [2, 2]))


def check_11(J):
    import enum

    Color = enum.Enum("Color", "RED BLUE")
    unordered = object()
    return (
        error(J.tree.leaves, {1: 0, "a": 1}),
        error(J.tree.leaves, {Color.RED: 0, Color.BLUE: 1}),
        error(J.tree.leaves, {None: 0, "a": 1}),
        J.tree.leaves({(2, 1): "b", (1, 2): "a"}),
        J.tree.leaves({2.5: "c", True: "b", 0: "a"}),
        J.tree.leaves({unordered: 1}),
    )


def test_check_11_keys_of_dicts_must_have_an_order(oracle):
    bad = ("ValueError",) * 3
    agree(oracle, check_11, (*bad, ["a", "b"], ["a", "b", "c"], [1]))


def check_34(J):
    class Mine:
        pass

    is_node = J.tree_util.is_tree_node
    before = is_node(Mine)
    J.tree_util.register_pytree_node(Mine, lambda m: ((), None), lambda *_: Mine())
    nodes = [list, tuple, dict, type(None), Point, Fields, J.tree_util.Partial]
    nodes += [collections.OrderedDict, collections.defaultdict, Mine]
    leaves = [int, str, set, functools.partial, np.ndarray]
    return before, [is_node(t) for t in nodes], [is_node(t) for t in leaves]


def test_check_34_is_tree_node(oracle):
    agree(oracle, check_34, (False, [True] * 10, [False] * 5))


def check_35(J):
    @dataclass
    class Data:
        x: int
        name: str = J.tree.static(default="n")

    J.tree_util.register_dataclass(Data)
    one_level = J.tree_util.flatten_one_level
    values = [{"b": 1, "a": [2]}, [1, 2], (1,), None, Data(3)]
    opened = [one_level(value) for value in values]
    return (
        [(list(children), metadata) for children, metadata in opened],
        error(one_level, 5),
        error(J.tree_util.flatten_one_level_with_keys, "a"),
    )


def test_check_35_flatten_one_level(oracle):
    opened = [
        ([[2], 1], ("a", "b")),
        ([1, 2], None),
        ([1], None),
        ([], None),
        ([3], ("n",)),
    ]
    agree(oracle, check_35, (opened, "ValueError", "ValueError"))
    with message("int", "leaf"):
        ours().tree_util.flatten_one_level(5)


# -- registration ----------------------------------------------------------------------


def box(J, flatten=None, unflatten=None):
    class Box:
        def __init__(self, *inside):
            self.inside = inside

    J.tree_util.register_pytree_node(
        Box,
        flatten or (lambda b: (b.inside, "m")),
        unflatten or (lambda _, children: Box(*children)),
    )
    return Box


def check_39(J):
    util, Box = J.tree_util, box(J)

    @dataclass
    class Data:
        x: int

    util.register_dataclass(Data)
    functions = (lambda x: ((), None), lambda *_: None)
    return (
        error(util.register_pytree_node, Box, *functions),
        error(util.register_pytree_with_keys, Box, *functions),
        error(util.register_static, Box),
        error(util.register_dataclass, Box, [], []),
        error(util.register_pytree_node, list, *functions),
        error(util.register_pytree_node, type(None), *functions),
        error(util.register_dataclass, Data),
    )


def test_check_39_a_type_is_registered_once(oracle):
    agree(oracle, check_39, ("ValueError",) * 7)
    with message("<class 'list'>", "registered already"):
        ours().tree_util.register_pytree_node(list, lambda x: x, lambda *_: None)


def check_40(J):
    got = []

    def unflatten(metadata, children):
        got.append((type(children).__name__, metadata))
        return "anything"

    Box = box(J, lambda b: ((x for x in b.inside), "m"), unflatten)
    bad = [box(J, lambda b, a=answer: a)() for answer in (5, (1,), ((), None, 3))]
    return (
        J.tree.leaves(Box(1, [2, 3])),
        J.tree.map(str, Box(1)),
        got,
        [error(J.tree.leaves, tree) for tree in bad],
    )


def test_check_40_what_the_functions_of_a_registration_exchange(oracle):
    bad = ["ValueError"] * 3
    agree(oracle, check_40, ([1, 2, 3], "anything", [("tuple", "m")], bad))


def check_41(J):
    return keystrs(J, box(J)(1, [2]))


def test_check_41_children_without_names_have_positions(oracle):
    agree(oracle, check_41, ["[<flat index 0>]", "[<flat index 1>][0]"])


def check_42(J):
    asked = []

    class Named:
        pass

    def with_keys(_):
        asked.append("keys")
        return ((("a", 1), ("b", 2)), "m")

    J.tree_util.register_pytree_with_keys(Named, with_keys, lambda *_: Named())
    return J.tree.leaves(Named()), list(asked), keystrs(J, Named())


def test_check_42_a_keyed_registration_needs_no_second_function(oracle):
    agree(oracle, check_42, ([1, 2], ["keys"], ["a", "b"]))


def check_43(J):
    class Two:
        pass

    J.tree_util.register_pytree_with_keys(
        Two,
        lambda _: ((("a", 1),), "keyed"),
        lambda *_: Two(),
        lambda _: ((1, 2), "plain"),
    )
    return str(J.tree.structure(Two())), str(J.tree.flatten_with_path(Two())[1])


def test_check_43_two_ways_to_flatten_are_used_as_given(oracle):
    plain = "PyTreeDef(CustomNode(Two[plain], [*, *]))"
    agree(oracle, check_43, (plain, "PyTreeDef(CustomNode(Two[keyed], [*]))"))


def check_44(J):
    class Good:
        def __init__(self, x):
            self.x = x

        def tree_flatten(self):
            return (self.x,), "m"

        @classmethod
        def tree_unflatten(cls, metadata, children):
            return cls(*children)

    class Half:
        def tree_flatten(self):
            return (), None

    class Keyed(Good):
        def tree_flatten_with_keys(self):
            return ((J.tree_util.GetAttrKey("x"), self.x),), "m"

    class Below(Good):
        pass

    class Bare:
        pass

    util = J.tree_util
    same = util.register_pytree_node_class(Good) is Good
    util.register_pytree_with_keys_class(Keyed)
    return (
        same,
        J.tree.map(lambda x: x + 1, Good(1)).x,
        keystrs(J, Good(1)) + keystrs(J, Keyed(1)),
        error(util.register_pytree_node_class, Half),
        error(util.register_pytree_with_keys_class, Bare),
        str(J.tree.structure(Below(1))),
    )


def test_check_44_classes_that_describe_themselves(oracle):
    keys = ["[<flat index 0>]", ".x"]
    bad = ("AttributeError", "AttributeError")
    agree(oracle, check_44, (True, 2, keys, *bad, "PyTreeDef(*)"))


def mode(J):
    @J.tree_util.register_static
    @dataclass(frozen=True)
    class Mode:
        v: int

    return Mode


def check_45(J):
    Mode, s = mode(J), J.tree.structure
    one = Mode(1)
    return (
        str(s([one])),
        J.tree.leaves([one, 2]),
        s(one) == s(Mode(1)),
        s(one) == s(Mode(2)),
        J.tree.map(str, [one])[0] is one,
        keystrs(J, [one]),
        [list(x) for x in J.tree_util.flatten_one_level(one)[:1]],
    )


def test_check_45_static_objects_are_structure(oracle):
    text = "PyTreeDef([CustomNode(Mode[mode.<locals>.Mode(v=1)], [])])"
    agree(oracle, check_45, (text, [2], True, False, True, [], [[]]))


def program_45(J):
    Mode, seen = mode(J), []

    def scaled(m, x):
        seen.append(m.v)
        return m.v * x

    jitted = J.jit(scaled)
    answers = [jitted(Mode(v), 1.0) for v in (2, 2, 3)]
    return [float(a) for a in answers], seen


def test_check_45_static_objects_are_constants_of_jit(oracle, minijax):
    oracle.compare(program_45)
    assert program_45(minijax) == ([2.0, 2.0, 3.0], [2, 3])


# -- dataclasses -----------------------------------------------------------------------


def check_46(J):
    @J.tree_util.register_dataclass
    @dataclass(kw_only=True)
    class Data:
        x: int
        a: str = J.tree.static(default="a")
        b: str = field(default="b", metadata={"static": True})
        y: int = 3

    tree = Data(x=[1, 2])
    marked = J.tree.static(default=1, metadata={"unit": "m"})
    return (
        str(J.tree.structure(tree)),
        keystrs(J, tree),
        dataclasses.asdict(J.tree.map(str, tree)),
        dict(marked.metadata),
    )


def test_check_46_fields_are_sorted_into_data_and_structure(oracle):
    expected = (
        "PyTreeDef(CustomNode(Data[('a', 'b')], [[*, *], *]))",
        [".x[0]", ".x[1]", ".y"],
        {"x": ["1", "2"], "a": "a", "b": "b", "y": "3"},
        {"static": True, "unit": "m"},
    )
    agree(oracle, check_46, expected)


def fresh():
    @dataclass
    class Data:
        x: int
        y: int = 1
        s: str = "s"

    return Data


def check_47(J):
    register = J.tree_util.register_dataclass
    plain = type("Plain", (), {})
    return (
        error(register, fresh(), ["x"]),
        error(register, fresh(), meta_fields=["x"]),
        error(register, fresh(), ["x"], ["s"]),
        error(register, fresh(), ["x", "y"], ["s", "q"]),
        error(register, fresh(), ["x", "y"], ["s", "x"]),
        error(register, plain),
        error(register, plain, ["a"], ["a"]),
        register(plain, ["a"], ["b"]) is plain,
    )


def test_check_47_the_lists_of_fields_must_be_the_fields(oracle):
    wrong, bad = "TypeError", "ValueError"
    agree(oracle, check_47, (wrong, wrong, bad, bad, bad, wrong, bad, True))
    register = ours().tree_util.register_dataclass
    with message("data_fields=['x']", "meta_fields=None"):
        register(fresh(), ["x"])
    with message("['y']", "drop_fields"):
        register(fresh(), ["x"], ["s"])
    with message("['q']"):
        register(fresh(), ["x", "y"], ["s", "q"])
    with message("['x']", "both"):
        register(fresh(), ["x", "y"], ["s", "x"])


def check_48(J):
    @dataclass
    class Late:
        x: int
        z: int = field(init=False, default=5)

    register = J.tree_util.register_dataclass
    Dropped = register(fresh(), drop_fields=["y"])
    Listed = register(fresh(), ["x"], ["s"], ["y"])
    mapped = J.tree.map(str, Dropped(1, 7))
    refused = error(register, Late), error(register, Late, ["x", "z"], [])
    register(Late, ["x"], [])
    late = J.tree.map(str, Late(1))
    return (
        str(J.tree.structure(Dropped(1, 7))),
        str(J.tree.structure(Listed(1, 7))),
        [mapped.x, mapped.y],
        refused,
        [late.x, late.z],
        error(register, fresh(), ["x", "y"], ["s"], ["s"]),
    )


def test_check_48_fields_can_be_dropped(oracle):
    expected = (
        "PyTreeDef(CustomNode(Data[()], [*, *]))",
        "PyTreeDef(CustomNode(Data[('s',)], [*]))",
        ["1", 1],
        ("ValueError", "ValueError"),
        ["1", 5],
        "ValueError",
    )
    agree(oracle, check_48, expected)


def check_49(J):
    built = []

    @J.tree_util.register_dataclass
    @dataclass(init=False)
    class Strange:
        x: int

        def __init__(self, other):
            self.x = other

    @J.tree_util.register_dataclass
    @dataclass
    class Checked:
        x: int
        extra: dataclasses.InitVar[int] = 4

        def __post_init__(self, extra):
            built.append((self.x, extra))

    checked = Checked(1, 9)
    J.tree.map(lambda x: "leaf", checked)
    return error(J.tree.map, str, Strange(1)), J.tree.leaves(Strange(1)), built


def test_check_49_rebuilding_calls_the_constructor(oracle):
    agree(oracle, check_49, ("TypeError", [1], [(1, 9), ("leaf", 4)]))


def check_50(J):
    register = J.tree_util.register_dataclass

    @dataclass
    class Base:
        x: int

    @register
    @dataclass
    class Child(Base):
        y: int = 2

    leaf = str(J.tree.structure(Base(1)))
    register(Base)

    @dataclass
    class Other(Base):
        pass

    return leaf, keystrs(J, Child(1)), J.tree.leaves(Child(1)), keystrs(J, [Other(1)])


def test_check_50_subclasses_register_themselves(oracle):
    agree(oracle, check_50, ("PyTreeDef(*)", [".x", ".y"], [1, 2], ["[0]"]))


def check_72(J):
    @J.tree_util.register_dataclass
    @dataclass
    class Data:
        x: int | None
        y: int = 1

    return (
        J.tree.leaves({"a": None, "b": Data(None)}),
        str(J.tree.structure(Data(None))),
        J.tree.map(lambda x: x + 1, Data(None)).x,
    )


def test_check_72_none_is_an_empty_child(oracle):
    agree(oracle, check_72, ([1], "PyTreeDef(CustomNode(Data[()], [None, *]))", None))


# -- registries ------------------------------------------------------------------------


def run(text):
    answer = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, timeout=120
    )
    assert answer.returncode == 0, answer.stderr
    return answer.stdout.strip()


def test_check_67_other_registries_are_not_seen_and_not_touched():
    text = """
import collections
from minijax import tree
from jaxlib._jax import pytree

default = pytree.default_registry()
class C: pass
default.register_node(C, lambda c: ((1, 2), None), lambda *_: C())
print(tree.is_tree_node(C), default.is_node(collections.OrderedDict))
tree.register_pytree_node(C, lambda c: ((3,), None), lambda *_: C())
print(tree.leaves(C()), default.flatten(C())[0])
"""
    assert run(text) == "False False\n[3] [1, 2]"


def test_check_68_builtin_structures_are_equal_across_registries():
    from minijax import tree

    other = tree.registry.__class__()
    plain, custom = {"a": [0, None]}, collections.OrderedDict(a=0)
    assert other.flatten(plain)[1] == tree.structure(plain)
    assert hash(other.flatten(plain)[1]) == hash(tree.structure(plain))
    assert tree.dispatch_registry.flatten(plain)[1] == tree.structure(plain)
    # Those of our registries have their functions in common, and are equal, too.
    assert tree.dispatch_registry.flatten(custom)[1] == tree.structure(custom)
    other.register_node(
        collections.OrderedDict,
        lambda d: (list(d.values()), tuple(d)),
        lambda keys, values: collections.OrderedDict(zip(keys, values)),
    )
    assert str(other.flatten(custom)[1]) == str(tree.structure(custom))
    assert other.flatten(custom)[1] != tree.structure(custom)


def test_check_69_jax_can_be_imported_after_this_room():
    text = """
from minijax import tree
import jax, collections
ordered, partial = collections.OrderedDict(b=1), tree.Partial(print, 2)
print(jax.tree.leaves(ordered), tree.leaves(partial))
"""
    assert run(text) == "[1] [2]"


def test_check_73_some_types_are_nodes_for_dispatch_only():
    from minijax import tree

    class Key:
        def __init__(self, data):
            self.data = data

    tree.register_dispatch_node(
        Key, lambda k: ((k.data,), "impl"), lambda _, children: Key(*children)
    )
    key = Key(7)
    assert tree.leaves([key]) == [key]
    assert tree.none_leaf_registry.flatten([key])[0] == [key]
    leaves, treedef = tree.dispatch_registry.flatten([key])
    assert leaves == [7]
    assert treedef.unflatten([8])[0].data == 8
    with message("Key", "registered already"):
        tree.register_dispatch_node(Key, lambda k: ((), None), lambda *_: None)


def test_a_public_registration_enters_every_registry():
    from minijax import tree

    Box = box(ours())
    registries = [tree.registry, tree.none_leaf_registry, tree.dispatch_registry]
    assert [r.flatten(Box(1, (2,)))[0] for r in registries] == [[1, 2]] * 3
    assert [r.is_node(tree.Partial) for r in registries] == [True] * 3


def test_the_public_names_are_those_of_the_specification():
    from minijax import tree, tree_util

    assert sorted(tree.__all__) == tree.__all__
    short = """all broadcast flatten flatten_with_path leaves leaves_with_path map
        map_with_path reduce reduce_associative static structure transpose unflatten"""
    assert tree.__all__ == short.split()
    for name in set(tree.__all__) - {"static"}:
        assert getattr(tree, name) is getattr(tree_util, f"tree_{name}")
    assert tree_util.default_registry is tree.registry
    assert all(hasattr(tree_util, name) for name in tree_util.__all__)


def check_names(J):
    return sorted(n for n in dir(J.tree_util) if not n.startswith("_"))


def test_tree_util_has_the_names_of_jax(oracle):
    same(oracle, check_names)


@pytest.mark.parametrize("name", ["tree", "tree_util"])
def test_signatures_are_those_of_jax(oracle, name):
    same(oracle, signatures, name)


def signatures(J, name):
    import inspect

    module, found = getattr(J, name), {}
    for function in sorted(vars(module).get("__all__") or dir(module)):
        value = getattr(module, function)
        if isinstance(value, types.FunctionType):
            parameters = inspect.signature(value).parameters.values()
            found[function] = [(p.name, str(p.kind)) for p in parameters]
    return found
