"""dynamic_slice and dynamic_update_slice."""

import numpy as np
import pytest

from tests.lax.comparing import (
    same_error,
    same_jvp,
    same_text,
    same_value,
    same_vjp,
    same_vmap,
    vjp_of,
)
from tests.oracle import compare, run_here
from tests.records import unpacked
from tests.samples.declaring import grid, i32

X = grid(3, 7)
UPDATE = grid(2, 2)


def block(J, x, i, j):
    return J.lax.dynamic_slice_p.bind(x, i, j, slice_sizes=(2, 2))


def replaced(J, x, update, i, j):
    return J.lax.dynamic_update_slice_p.bind(x, update, i, j)


def dynamic_slice(J, x, *starts_and_options):
    *starts, options = starts_and_options
    return J.lax.dynamic_slice(x, starts, (2, 2), **options)


def from_array(J, x, starts):
    return J.lax.dynamic_slice(x, starts, (2, 2))


def static_starts(J, x, starts):
    return J.lax.dynamic_slice(x, starts, (2, 2))


def update_at(J, x, update, i, static=None):
    return J.lax.dynamic_update_slice(x, update, (i, i) if static is None else static)


@pytest.mark.parametrize("starts", [(0, 0), (1, 5), (7, -9), (2, 6), (-1, 3)])
def test_check_43_starts_are_clamped(starts):
    i, j = map(i32, starts)
    same_value(block, X, i, j, exact=True)
    same_jvp(block, X, i, j)
    same_vjp(block, X, i, j)
    same_value(replaced, X, UPDATE, i, j, exact=True)
    same_jvp(replaced, X, UPDATE, i, j, where=(0, 1))
    same_vjp(replaced, X, UPDATE, i, j, where=(0, 1))


@pytest.mark.parametrize("where", [(0,), (1,)])
def test_derivatives_in_one_operand(where):
    operands = X, UPDATE, i32(1), i32(5)
    same_jvp(replaced, *operands, where=where)
    # jax computes zeros here that nobody reads.
    same_vjp(replaced, *operands, where=where, with_text=False)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"allow_negative_indices": False},
        {"allow_negative_indices": (True, False)},
    ],
)
def test_negative_starts(options):
    for i, j in ((0, 1), (-1, -3), (-5, 9)):
        same_value(dynamic_slice, X, i32(i), i32(j), static=(options,), exact=True)
    same_text(dynamic_slice, X, i32(0), i32(1), static=(options,))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint32"])
def test_index_dtypes(dtype):
    i = np.array(1, dtype)
    same_value(dynamic_slice, X, i, i, static=({},), exact=True)
    same_text(dynamic_slice, X, i, i, static=({},))


@pytest.mark.parametrize("starts", [(1, -1), (np.int32(1), np.int32(-1))])
def test_known_starts_cost_no_equation(starts):
    same_text(static_starts, X, static=(starts,))
    same_value(static_starts, X, static=(starts,), exact=True)


def test_starts_from_an_array():
    same_text(from_array, X, i32(1, -2))
    same_value(from_array, X, i32(1, -2), exact=True)
    same_text(static_starts, X, static=(i32(1, -2),))


def weak_start(J, x):
    return J.lax.dynamic_slice(x, (J.lax.full((), 1), 0), (2, 2))


def test_weak_start():
    same_value(weak_start, X, exact=True)


def far_back(J, x, i):
    return J.lax.dynamic_slice(x, (i,), (1,))


def test_small_index_dtype_counts_from_the_end_of_a_long_axis():
    # jax adds the size modulo 256.
    x = np.arange(300, dtype=np.float32)
    assert unpacked(run_here(far_back, x, np.int8(-1)).array) == 299


def test_python_start_beside_another_dtype():
    # jax asks for one dtype even of Python ints.
    ours = run_here(dynamic_slice, X, np.int8(1), 2, {})
    np.testing.assert_array_equal(unpacked(ours.array), X[1:3, 2:4])


def test_updates():
    same_text(update_at, X, UPDATE, i32(1))
    same_value(update_at, X, UPDATE, i32(-1), exact=True)
    same_text(update_at, X, UPDATE, i32(1), static=((1, -1),))


@pytest.mark.parametrize(
    "axes",
    [
        *[(a, None, None) for a in range(3)],
        (None, 0, None),
        (None, None, 0),
        (None, 0, 0),
        (1, 0, 0),
        (2, None, 0),
    ],
)
def test_batches_of_slices(axes):
    same_vmap(block, X, i32(1), i32(6), axes=[axes])


@pytest.mark.parametrize(
    "axes",
    [
        (1, None, None, None),
        (None, 1, None, None),
        (2, 0, None, None),
        (None, None, 0, None),
        (0, None, 0, None),
        (1, 2, 0, 0),
    ],
)
def test_batches_of_updates(axes):
    same_vmap(replaced, X, UPDATE, i32(1), i32(6), axes=[axes])


def jacobian_of_mapped(J, x, i):
    def pick(x, i):
        return J.lax.dynamic_index_in_dim(x, i, keepdims=False)

    return J.vjp(lambda x: J.vmap(pick)(x, i), x)[1](np.ones(1, np.float32))


def test_check_46_mapped_start_out_of_range_is_clamped_in_derivatives():
    compare(jacobian_of_mapped, grid(1, 1), i32([2]))


def scalar_block(J, x):
    return J.lax.dynamic_slice(x, (), ())


def mapped_scalar_block(J, x):
    return J.vmap(lambda x: scalar_block(J, x))(x)


def test_no_axes():
    same_text(scalar_block, np.float32(1))
    ours = run_here(mapped_scalar_block, grid(3))
    np.testing.assert_array_equal(unpacked(ours.array), grid(3))


def in_dim(J, x, i, name, *args, **options):
    return getattr(J.lax, name)(x, i, *args, **options)


def update_in_dim(J, x, update, i, name, axis):
    return getattr(J.lax, name)(x, update, i, axis)


@pytest.mark.parametrize("i", [0, 2, -1, 9])
def test_along_one_axis(i):
    i = i32(i)
    same_value(in_dim, X, i, static=("dynamic_slice_in_dim", 2, 1), exact=True)
    same_value(in_dim, X, i, static=("dynamic_index_in_dim", 1), exact=True)
    same_value(in_dim, X, i, static=("dynamic_index_in_dim", -1, False), exact=True)
    name = "dynamic_update_slice_in_dim"
    same_value(update_in_dim, X, grid(3, 2), i, static=(name, 1), exact=True)
    name = "dynamic_update_index_in_dim"
    same_value(update_in_dim, X, grid(3), i, static=(name, 1), exact=True)
    same_value(update_in_dim, X, grid(3, 1), i, static=(name, 1), exact=True)
    same_value(update_in_dim, X, grid(3, 2), i, static=(name, 1), exact=True)
    same_value(update_in_dim, grid(3), 1.0, i, static=(name, 0), exact=True)


def test_programs_along_one_axis():
    same_text(in_dim, X, i32(1), static=("dynamic_slice_in_dim", 2, 1))
    name = "dynamic_update_slice_in_dim"
    same_text(update_in_dim, X, grid(3, 2), i32(1), static=(name, 1))


def bound(J, x, name, *args, **params):
    return getattr(J.lax, name).bind(x, *args, **params)


def slice_with(J, x, starts, sizes, options=None):
    return J.lax.dynamic_slice(x, starts, sizes, **(options or {}))


def update_with(J, x, update, starts):
    return J.lax.dynamic_update_slice(x, update, starts)


@pytest.mark.parametrize(
    "args",
    [
        ((0,), (1, 1)),
        ((0, 0), (1,)),
        ((0, 0), (4, 1)),
        ((0, 0), (-1, 1)),
        ((0.0, 0), (1, 1)),
        ((np.zeros(1, np.int32), 0), (1, 1)),
        (np.zeros((2, 2), np.int32), (1, 1)),
        (np.zeros(2, np.float32), (1, 1)),
        ((np.int8(0), np.int32(1)), (1, 1)),
        ((np.bool_(0), np.bool_(0)), (1, 1)),
        ((0, 0), (1, 1), {"allow_negative_indices": (True,)}),
    ],
)
def test_refused_slices(args):
    same_error(slice_with, X, static=args)


@pytest.mark.parametrize(
    "args",
    [
        (0, (0, 0)),
        (0.0, ()),
        (X.astype(np.int32), (0, 0)),
        (grid(5, 1), (0, 0)),
        (grid(5), (0, 0)),
    ],
)
def test_refused_updates(args):
    same_error(update_with, X, static=args)


def weak(J, weak_operand, weak_update):
    w, s = J.lax.full((2,), 1.0), np.ones(2, np.float32)

    def fun(x, y):
        return J.lax.dynamic_update_slice(x, y, (0,))

    program = J.make_jaxpr(fun)(w if weak_operand else s, w if weak_update else s)
    return [aval.weak_type for aval in program.out_avals]


def test_an_updated_array_is_never_weak():
    for operand in (True, False):
        for update in (True, False):
            compare(weak, operand, update)


def test_vjp_of_is_used_for_values_too():
    cotangents = run_here(vjp_of, block, (X, i32(2), i32(0)), (0,), (), False)
    y_bar = 1 + 0.25 * np.arange(4, dtype=np.float32).reshape(2, 2)
    expected = np.zeros_like(X)
    expected[1:3, 0:2] = y_bar
    np.testing.assert_array_equal(unpacked(cotangents.children[0][1].array), expected)
