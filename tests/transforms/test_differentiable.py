"""What may be differentiated, and what is said when something may not."""

import re

import numpy as np
import pytest

import minijax as mj
import minijax.numpy as jnp
from minijax.base.dtypes import float0
from minijax.transforms.differentiable import (
    argument_positions,
    check_input,
    check_tangents,
    is_float0,
)


def f(x, y):
    return x * y


# --- positions ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "argnums, found, single",
    [(0, (0,), True), (-1, (2,), True), ((2, -3), (2, 0), False), ([1], (1,), False)],
)
def test_positions(argnums, found, single):
    positions = argument_positions("grad", f, argnums, ())
    assert positions.of((1.0, 2.0, 3.0)) == found
    assert positions.single is single


def test_a_numpy_integer_is_a_position():
    assert argument_positions("grad", f, np.int64(1), ()).of((1.0, 2.0)) == (1,)


@pytest.mark.parametrize(
    "argnums, error, said",
    [
        ((), ValueError, "empty"),
        (2, TypeError, "at least 3 positional"),
        (-3, TypeError, "at least 3 positional"),
        ((0, -2), ValueError, "names one twice"),
    ],
)
def test_positions_that_are_refused(argnums, error, said):
    positions = argument_positions("grad", f, argnums, ())
    with pytest.raises(error, match=said):
        positions.of((1.0, 2.0))


@pytest.mark.parametrize("argnums", [1.5, "x", (0, None)])
def test_positions_are_integers(argnums):
    with pytest.raises(TypeError, match="int or a sequence of ints"):
        argument_positions("grad", f, argnums, ())


def test_options_and_functions():
    with pytest.raises(NotImplementedError, match="reduce_axes"):
        argument_positions("grad", f, 0, ("i",))
    with pytest.raises(TypeError, match="3 of type int"):
        argument_positions("grad", 3, 0, ())


# --- inputs and outputs ---------------------------------------------------------------


def test_inputs():
    check_input("grad", f, 1.0, allow_int=False)
    check_input("grad", f, np.complex64(1j), holomorphic=True)
    check_input("jvp", f, 3)
    with pytest.raises(TypeError, match=r"real or complex(.|\n)*int32(.|\n)*allow_int"):
        check_input("grad", f, 3, allow_int=False)
    with pytest.raises(TypeError, match=r"complex inputs(.|\n)*float32"):
        check_input("grad", f, 1.0, holomorphic=True)
    with pytest.raises(TypeError, match="'text'"):
        check_input("grad", f, "text")


@pytest.mark.parametrize(
    "output, said",
    [
        (lambda x: x, r"shape \(3,\)(.|\n)*Sum it up"),
        (lambda x: x[:1], r"shape \(1,\)(.|\n)*Take the element out"),
        (lambda x: (x[0], x[1]), "has_aux"),
        (lambda x: x[0] > 0, "real output"),
        (lambda x: jnp.sum(x) * 1j, "holomorphic"),
    ],
)
def test_outputs_that_are_refused(output, said):
    with pytest.raises(TypeError, match=said) as caught:
        mj.grad(output)(jnp.ones(3))
    # The function is named with the place where it was written.
    assert re.search(r"test_differentiable.py:\d+", str(caught.value))


def test_a_holomorphic_function_has_complex_output():
    with pytest.raises(TypeError, match="complex output"):
        mj.grad(jnp.real, holomorphic=True)(1j)


# --- tangents -------------------------------------------------------------------------


def test_tangents_are_flattened_beside_their_primals():
    primals, tangents = ({"a": 1.0}, [2.0]), ({"a": 3.0}, [4.0])
    x_flat, x_dot_flat, in_tree = check_tangents("jvp", f, primals, tangents)
    assert (x_flat, x_dot_flat) == ([1.0, 2.0], [3.0, 4.0])
    assert in_tree == mj.tree_util.tree_structure(primals)


@pytest.mark.parametrize(
    "primals, tangents, error, said",
    [
        (1.0, 1.0, TypeError, "tuples or lists"),
        ((1.0,), (1.0, 2.0), TypeError, "tree of the primals"),
        ((1.0,), (1,), TypeError, "float32"),
        ((1,), (1,), TypeError, "float0"),
        ((np.ones(2, "f"),), (np.ones(3, "f"),), ValueError, r"\(2,\)"),
    ],
)
def test_tangents_that_are_refused(primals, tangents, error, said):
    with pytest.raises(error, match=said):
        check_tangents("jvp", f, primals, tangents)


def test_float0():
    assert is_float0(np.zeros(2, float0))
    assert not is_float0(np.zeros(2)) and not is_float0(0.0)
    check_tangents("jvp", f, (3, 1.0), (np.zeros((), float0), 1.0))
