"""Names of functions, arguments and results."""

import functools

import minijax as mj
from minijax import tree
from minijax.core import (
    argument_names,
    debug_info,
    is_library_function,
    result_paths,
    source_of,
)


def f(p, q=None, *rest, kw=1, **others):
    return p


def test_check_37_argument_names():
    names = argument_names(f, ({"b": 1, "a": [2, 3]}, 4, 5, 6), {"kw": 7, "x": 8})
    assert names == ("p['a'][0]", "p['a'][1]", "p['b']", "q", "rest[0]", "rest[1]",
                     "kw", "others['x']")  # fmt: skip


def test_check_37_static_arguments_have_no_names():
    assert argument_names(f, (1, 2), {"kw": 3}, (0,), ("kw",)) == ("q",)


def test_check_37_result_paths():
    structure = tree.structure({"o": 1, "p": (2, 3)})
    assert result_paths(structure) == (
        "result['o']",
        "result['p'][0]",
        "result['p'][1]",
    )
    assert result_paths(tree.structure(1)) == ("result",)


def test_a_source_is_found_through_partials_and_wrappers():
    @functools.wraps(f)
    def wrapper(*args):
        return f(*args)

    assert source_of(f).startswith("f at ")
    assert source_of(f) == source_of(functools.partial(f, 1)) == source_of(wrapper)
    assert __file__ in source_of(f)
    assert source_of(len) == "len"


def test_the_line_of_a_library_function_is_not_told():
    assert is_library_function(mj.vmap) and is_library_function(mj.numpy.sin)
    assert not is_library_function(f) and not is_library_function(len)
    assert source_of(mj.vmap) == "vmap"
    assert source_of(mj.numpy.sin) == "sin"


def test_unreadable_signatures_fall_back_to_positions():
    names = argument_names(max, (1, 2), {})
    assert names in (("args[0]", "args[1]"), ("iterable", "args[1]"))


def test_debug_info_of_a_jitted_function():
    info = debug_info("jit", f, (1,))
    assert (info.traced_for, info.func_name, info.arg_names) == ("jit", "f", ("p",))
    assert mj.make_jaxpr(lambda x: x)(1.0).debug_info.arg_names == ("x",)
