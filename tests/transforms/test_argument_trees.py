import pytest

from minijax import api_util, tree
from minijax.extend import linear_util


def _wrapped(fun):
    info = api_util.debug_info("test", fun, (1, 2), {"z": 3})
    return linear_util.wrap_init(fun, debug_info=info)


def _sum(x, y, z=1):
    return {"out": x + y * z}


def test_flat_functions():
    flat, out_tree = api_util.flatten_fun(
        _wrapped(_sum), tree.structure(((1, 2), {"z": 3}))
    )
    assert flat.call_wrapped(1, 2, 3) == [7]
    assert out_tree() == tree.structure({"out": 0})
    flat, out_tree = api_util.flatten_fun_nokwargs(
        _wrapped(_sum), tree.structure((1, 2))
    )
    assert flat.call_wrapped(1, 2) == [3]


def test_fixed_arguments():
    fun, dynamic = api_util.argnums_partial(_wrapped(_sum), 1, (10, 2))
    assert (dynamic, fun.call_wrapped(*dynamic)) == ((2,), {"out": 12})
    again, _ = api_util.argnums_partial(_wrapped(_sum), (1,), (10, 3))
    assert fun == again and hash(fun) == hash(again)
    with pytest.raises(ValueError, match="hashable"):
        api_util.argnums_partial(_wrapped(_sum), (1,), ([10], 2))
    loose, _ = api_util.argnums_partial(
        _wrapped(_sum), (1,), ([10], 2), require_static_args_hashable=False
    )
    assert loose.call_wrapped([2]) == {"out": [10, 2]}


def test_donated_leaves():
    structure = tree.structure(((1, {"a": 2, "b": 3}, 4), {"k": 5}))
    assert api_util.donation_vector((1,), (), structure) == (
        *(False, True, True, False, False),
    )
    assert api_util.donation_vector((), ("k",), structure)[-1]
    assert api_util.rebase_donate_argnums((2, 3), (0,)) == (1, 2)


def test_axes():
    structure = tree.structure((1, (2, 3)))
    assert api_util.flatten_axes("axes", structure, (0, None)) == [0, None, None]
    with pytest.raises(ValueError):
        api_util.flatten_axes("axes", structure, (0, 1, 2))
