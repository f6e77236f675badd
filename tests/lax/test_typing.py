"""The types of results: families of dtypes, shapes that fit, and what errors say."""

import numpy as np
import pytest


def refused(call, *operands):
    from minijax import errors, lax

    with pytest.raises(TypeError) as caught:
        getattr(lax, call)(*operands)
    return errors, caught.value


def test_families_unite():
    from minijax.lax import typing

    both = typing.INTEGER | typing.BOOLEAN
    assert both.names == "integer or bool"
    assert np.dtype(bool) in both.members and np.dtype(np.int8) in both.members
    assert np.dtype(np.float32) not in both.members


@pytest.mark.parametrize(
    "shapes, joined",
    [
        ([(3,), (3,)], (3,)),
        ([(), (3,)], (3,)),
        ([(), ()], ()),
        ([(3, 1), (1, 4), ()], (3, 4)),
        ([(0,), (1,)], (0,)),
        ([(1,), (1,)], (1,)),
    ],
)
def test_shapes_that_fit(shapes, joined):
    from minijax.lax.typing import joined_shape

    assert joined_shape("add", shapes) == joined


@pytest.mark.parametrize("shapes", [[(3,), (4,)], [(3, 3), (3,)], [(2, 1), (3, 2)]])
def test_shapes_that_do_not_fit(shapes):
    operands = [np.zeros(shape, np.float32) for shape in shapes]
    _, error = refused("add", *operands)
    assert error.function == "add"
    assert error.shapes == tuple(shapes)


def test_an_unaccepted_dtype_is_named_with_its_position():
    _, error = refused("add", np.int32(1), True)
    assert error.dtype == "bool"
    assert "operand 1" in error.function
    assert "integer" in error.accepted


def test_differing_dtypes_are_named():
    _, error = refused("mul", np.float32(1), np.int32(2))
    assert error.function == "mul"
    assert error.dtypes == ("float32", "int32")
    assert "never promotes" in str(error)


def test_float0_is_explained():
    _, error = refused("sin", np.zeros(2, [("float0", np.void, 0)]))
    assert error.dtype == "float0"
    assert "nothing to compute with" in str(error)


def axes_error(axes, ndim):
    from minijax.lax.typing import check_axes

    with pytest.raises(ValueError) as caught:
        check_axes("reduce_sum", axes, ndim)
    return str(caught.value)


def test_axes():
    assert "from 0 to 1" in axes_error((-1,), 2)
    assert "(2,)" in axes_error((2,), 2)
    assert "(0, 0)" in axes_error((0, 0), 2)


def test_weak_types_join():
    from minijax import lax

    assert lax.add(1.0, 2.0).weak_type
    assert not lax.add(1.0, np.float32(2)).weak_type
