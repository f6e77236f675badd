"""concatenate and split, stack and unstack."""

import numpy as np
import pytest

from tests.lax.comparing import (
    all_axes,
    same_error,
    same_jvp,
    same_text,
    same_value,
    same_vjp,
    same_vmap,
)
from tests.oracle import compare
from tests.samples.declaring import grid


def concatenate(J, *operands_and_dimension):
    *operands, dimension = operands_and_dimension
    return J.lax.concatenate(operands, dimension)


def split(J, x, sizes, axis=0):
    return J.lax.split(x, sizes, axis)


def stack(J, *operands_and_axis):
    *operands, axis = operands_and_axis
    return J.lax.stack(operands, axis)


def unstack(J, x, axis=0):
    return J.lax.unstack(x, axis)


def first_of_split(J, x):
    return J.lax.split(x, (1, 2), 1)[0]


def first_of_unstack(J, x):
    return J.lax.unstack(x, 1)[0]


CALLS = [
    (concatenate, (grid(2, 3), grid(2, 4)), (1,)),
    (concatenate, (grid(2, 3), grid(1, 3), grid(0, 3)), (0,)),
    (split, (grid(2, 3),), ((1, 2), 1)),
    (split, (grid(2, 3),), ((0, 2),)),
    (split, (grid(2, 3),), ((3,), -1)),
    (stack, (grid(2, 3), grid(2, 3) + 1), (1,)),
    (stack, (grid(2, 3), grid(2, 3) + 1), (-1,)),
    (stack, (grid(2, 3),), (0,)),
    (unstack, (grid(2, 3),), (1,)),
    (unstack, (grid(3, 2),), (-1,)),
    (first_of_split, (grid(2, 3),), ()),
    (first_of_unstack, (grid(2, 3),), ()),
]


@pytest.mark.parametrize(("call", "operands", "static"), CALLS)
def test_values_and_programs(call, operands, static):
    same_value(call, *operands, static=static, exact=True)
    same_text(call, *operands, static=static)


@pytest.mark.parametrize(("call", "operands", "static"), CALLS)
def test_derivatives(call, operands, static):
    where = tuple(range(len(operands)))
    same_jvp(call, *operands, where=where, static=static)
    same_vjp(call, *operands, where=where, static=static)


@pytest.mark.parametrize("call", [concatenate, stack])
@pytest.mark.parametrize("where", [(0,), (1,)])
def test_derivatives_in_one_operand(call, where):
    operands = grid(2, 3), grid(2, 3) + 1
    same_jvp(call, *operands, where=where, static=(1,))
    same_vjp(call, *operands, where=where, static=(1,))


@pytest.mark.parametrize(("call", "operands", "static"), CALLS)
def test_batches_over_every_axis(call, operands, static):
    axes = all_axes(operands)
    same_vmap(
        call, *operands, static=static, axes=axes if len(axes) < 20 else axes[::7]
    )


def one(J, x):
    return J.lax.concatenate([x], 1)


def rows(J, x, name):
    return getattr(J.lax, name)(x, 0)


def test_one_operand_leaves_no_equation():
    same_text(one, grid(2, 3))


@pytest.mark.parametrize("name", ["concatenate", "stack"])
def test_an_array_stands_for_its_rows(name):
    same_text(rows, grid(2, 3), static=(name,))
    same_value(rows, grid(2, 3), static=(name,), exact=True)


def empty(J, x):
    return J.lax.unstack(x), J.lax.split(x, (), 0)


def test_no_parts():
    same_text(empty, grid(0, 3))


@pytest.mark.parametrize(
    ("call", "operands", "static"),
    [
        (concatenate, (grid(2, 3), grid(2, 3)), (-1,)),
        (concatenate, (grid(2, 3), grid(2, 3)), (2,)),
        (concatenate, (grid(2, 3), grid(3)), (0,)),
        (concatenate, (grid(2, 3), grid(2, 4)), (0,)),
        (concatenate, (grid(2, 3), grid(2, 3).astype(np.int32)), (0,)),
        (concatenate, (), (0,)),
        (concatenate, (np.float32(1), np.float32(2)), (0,)),
        (split, (grid(2, 3),), ((1, 1), 1)),
        (split, (grid(2, 3),), ((1, -1, 3), 1)),
        (split, (grid(2, 3),), ((1, 2), 2)),
        (stack, (grid(2, 3), grid(3)), (0,)),
        (stack, (grid(2, 3), grid(2, 3)), (3,)),
        (stack, (grid(2, 3), grid(2, 3).astype(np.int32)), (0,)),
        (unstack, (grid(2, 3),), (2,)),
        (unstack, (np.float32(1),), (0,)),
    ],
)
def test_refusals(call, operands, static):
    same_error(call, *operands, static=static)


def weak(J, name, strong):
    scalar = J.lax.full((2,), 1.0)
    other = np.ones(2, np.float32) if strong else scalar
    program = J.make_jaxpr(lambda x, y: getattr(J.lax, name)([x, y], 0))(scalar, other)
    return [aval.weak_type for aval in program.out_avals]


@pytest.mark.parametrize("name", ["concatenate", "stack"])
@pytest.mark.parametrize("strong", [True, False])
def test_weak_if_all_are(name, strong):
    compare(weak, name, strong)
