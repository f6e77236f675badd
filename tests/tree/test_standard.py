import collections
import functools
import pickle

from tests.tree.agreement import agree, error
from tests.tree.test_nodes import add, keystrs


def check_10(J):
    ordered = collections.OrderedDict(b=1, a=2)
    default = collections.defaultdict(list, b=1, a=2)
    mapped, again = J.tree.map(str, ordered), J.tree.map(str, default)
    return (
        str(J.tree.structure(ordered)),
        type(mapped).__name__,
        list(mapped.items()),
        str(J.tree.structure(default)),
        type(again).__name__,
        again.default_factory is list,
        list(again.items()),
        keystrs(J, ordered) + keystrs(J, default),
    )


def test_check_10_ordered_and_default_dicts(oracle):
    ordered = "PyTreeDef(CustomNode(OrderedDict[('b', 'a')], [*, *]))"
    metadata = "(<class 'list'>, ('a', 'b'))"
    default = f"PyTreeDef(CustomNode(defaultdict[{metadata}], [*, *]))"
    expected = (
        ordered,
        "OrderedDict",
        [("b", "1"), ("a", "2")],
        default,
        "defaultdict",
        True,
        [("a", "2"), ("b", "1")],
        ["['b']", "['a']", "['a']", "['b']"],
    )
    agree(oracle, check_10, expected)


def check_13(J):
    return error(J.tree.leaves, collections.defaultdict(int, {1: 0, "a": 1}))


def test_check_13_keys_of_a_defaultdict_must_have_an_order(oracle):
    agree(oracle, check_13, "TypeError")


# -- Partial ---------------------------------------------------------------------------


def check_51(J):
    Partial, s = J.tree_util.Partial, J.tree.structure
    p = Partial(add, 1, z=2, b=3)
    around = Partial(functools.partial(add, 0), 1)
    twice = Partial(p, 9)
    return (
        J.tree.leaves(p),
        keystrs(J, p),
        p(4),
        isinstance(p, functools.partial),
        s(p) == s(Partial(add, 5, z=6, b=7)),
        s(p) == s(Partial(print, 5, z=6, b=7)),
        J.tree.map(lambda x: x + 1, p)(),
        J.tree.leaves(around),
        around(2),
        J.tree.leaves(twice),
        twice(),
        str(J.tree.structure(functools.partial(add, 1))),
    )


def test_check_51_partial(oracle):
    leaves = [1, 3, 2]
    keys = ["[<flat index 0>][0]", "[<flat index 1>]['b']", "[<flat index 1>]['z']"]
    expected = (
        leaves,
        keys,
        [1, 4, {"z": 2, "b": 3}],
        True,
        True,
        False,
        [2, {"z": 3, "b": 4}],
        [1],
        [0, 1, 2, {}],
        [9],
        [1, 9, {"z": 2, "b": 3}],
        "PyTreeDef(*)",
    )
    agree(oracle, check_51, expected)


def test_a_partial_of_a_partial_is_compared_by_what_it_holds():
    from minijax.tree import Partial, structure

    inner = functools.partial(add, 0)
    one, two = Partial(inner, 1), Partial(inner, 2)
    assert one.func == two.func == inner
    assert hash(one.func) == hash(inner)
    assert structure(one) == structure(two)
    assert one.func != functools.partial(add, 0)
    assert repr(one.func) == repr(inner)


def test_a_partial_can_be_pickled():
    from minijax.tree import Partial

    again = pickle.loads(pickle.dumps(Partial(functools.partial(add, 0), 1, k=2)))
    assert type(again) is Partial
    assert again(5) == [0, 1, 5, {"k": 2}]


def program_52(J):
    def double(x, y):
        return 2 * x + y

    call = J.jit(lambda f, x: f(x))
    made = J.jit(lambda x: J.tree_util.Partial(double, x))(3.0)
    return float(call(J.tree_util.Partial(double, 1.0), 5.0)), float(made(1.0))


def test_check_52_jit_takes_and_gives_partials(oracle, minijax):
    oracle.compare(program_52)
    assert program_52(minijax) == (7.0, 7.0)
