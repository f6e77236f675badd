"""What can be differentiated, and the errors that say what cannot."""

import numpy as np
import pytest

import minijax as mj
from minijax.transforms.differentiable import (
    argument_positions,
    check_input,
    check_tangents,
    describe_function,
    flags_of,
    is_float0,
    moving_leaves,
    restricted,
)


def f(x, y):
    return x * y


def test_check_3_positions():
    assert argument_positions("grad", f, 0, ()).of((1, 2)) == (0,)
    assert argument_positions("grad", f, (1, -2), ()).of((1, 2)) == (1, 0)
    assert argument_positions("grad", f, np.int32(1), ()).single
    assert not argument_positions("grad", f, [0], ()).single
    for wrong in (0.5, "x", None, (0.5,)):
        with pytest.raises(TypeError, match="argnums"):
            argument_positions("grad", f, wrong, ())
    with pytest.raises(ValueError, match="empty"):
        argument_positions("grad", f, (), ()).of((1,))
    with pytest.raises(TypeError, match="at least 3"):
        argument_positions("grad", f, 2, ()).of((1, 2))
    with pytest.raises(TypeError, match="at least 3"):
        argument_positions("grad", f, -3, ()).of((1, 2))
    with pytest.raises(ValueError, match="twice"):
        argument_positions("grad", f, (0, 0), ()).of((1, 2))
    with pytest.raises(NotImplementedError):
        argument_positions("grad", f, 0, ("i",))
    with pytest.raises(TypeError):
        argument_positions("grad", 3, 0, ())


def test_check_4_inputs():
    check_input("grad", f, 1.0, allow_int=False)
    check_input("grad", f, 1, allow_int=True)
    with pytest.raises(TypeError, match=r"int32[\s\S]*allow_int"):
        check_input("grad", f, 1, allow_int=False)
    with pytest.raises(TypeError, match="bool"):
        check_input("grad", f, True, allow_int=False)
    with pytest.raises(TypeError, match="complex"):
        check_input("grad", f, 1.0, holomorphic=True)
    with pytest.raises(TypeError, match="text"):
        check_input("grad", f, "text")
    with pytest.raises(TypeError, match="[Rr]ef"):
        check_input("grad", f, mj.new_ref(mj.numpy.ones(2)))


@pytest.mark.parametrize(
    ("value", "match"),
    [
        (np.ones(2, "f"), "jacobian"),
        (np.ones((1, 1), "f"), "reshape"),
        ((1.0, 2.0), "has_aux"),
        (None, "has_aux"),
        (3, "int32"),
        (True, "bool"),
        (1j, "holomorphic"),
    ],
)
def test_check_5_and_6_outputs_say_what_to_do(value, match):
    with pytest.raises(TypeError, match=match):
        mj.grad(lambda x: value)(1.0)


def test_check_10_tangents():
    leaves, x_dots, structure = check_tangents("jvp", f, (1.0, [2]), (3.0, [z0()]))
    assert leaves == [1.0, 2] and x_dots[0] == 3.0 and structure.num_leaves == 2
    for primals, tangents, error, match in (
        (1.0, 1.0, TypeError, "tuples"),
        ((1.0,), [1.0], TypeError, "tree"),
        ((1.0,), (1,), TypeError, "int32"),
        ((1,), (1,), TypeError, "float0"),
        ((np.ones(1, "f"),), (np.ones(2, "f"),), ValueError, "shape"),
    ):
        with pytest.raises(error, match=match):
            check_tangents("jvp", f, primals, tangents)


def z0(*shape):
    return np.zeros(shape, mj.float0)


def test_float0():
    assert is_float0(z0(2)) and not is_float0(np.zeros(2)) and not is_float0(1.0)


def test_check_24_prefixes():
    structure = mj.tree.structure((1.0, {"a": 1.0, "b": [1.0, 1.0]}))
    assert moving_leaves("vjp", None, structure) is None
    assert moving_leaves("vjp", True, structure) == [True] * 4
    flags = flags_of("vjp", "in_nzs", (False, (True, (False, True))), structure)
    assert flags == [False, True, False, True]  # containers count, not their types
    for wrong in ((True,), (True, (True, (True,))), 1, (True, 1)):
        with pytest.raises(ValueError, match="in_nzs"):
            flags_of("vjp", "in_nzs", wrong, structure)


def test_restricted_keeps_the_other_arguments():
    part = restricted(f, (2.0, 3.0), {}, (1,))
    assert part(5.0) == 10.0 and part.__name__ == "f"


def test_functions_are_described_by_their_place():
    assert describe_function(f).startswith("f at ")
    assert "test_differentiable.py" in describe_function(f)
