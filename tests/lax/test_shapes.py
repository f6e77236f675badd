"""The primitives that arrange the axes of one array."""

import numpy as np
import pytest

from tests.lax.comparing import (
    same_error,
    same_jvp,
    same_text,
    same_value,
    same_vjp,
    same_vmap,
)
from tests.oracle import compare, run_here
from tests.records import unpacked
from tests.samples.declaring import grid


def broadcast_in_dim(J, x, shape, dims):
    return J.lax.broadcast_in_dim(x, shape, dims)


def reshape(J, x, sizes, dimensions=None):
    return J.lax.reshape(x, sizes, dimensions)


def transpose(J, x, permutation):
    return J.lax.transpose(x, permutation)


def squeeze(J, x, dimensions):
    return J.lax.squeeze(x, dimensions)


def expand_dims(J, x, dimensions):
    return J.lax.expand_dims(x, dimensions)


def rev(J, x, dimensions):
    return J.lax.rev(x, dimensions)


def tile(J, x, reps):
    return J.lax.tile(x, reps)


def copy(J, x):
    return J.lax.copy_p.bind(x)


def collapse(J, x, *stops):
    return J.lax.collapse(x, *stops)


LINEAR = [
    (broadcast_in_dim, grid(2, 1), ((2, 3, 4), (0, 2))),
    (broadcast_in_dim, grid(3), ((2, 3), (1,))),
    (broadcast_in_dim, np.float32(2.5), ((2, 3), ())),
    (broadcast_in_dim, grid(1, 3), ((4, 1, 3), (1, 2))),
    (broadcast_in_dim, grid(1, 1), ((1, 5), (0, 1))),
    (reshape, grid(2, 3), ((6,),)),
    (reshape, grid(2, 3), ((3, 1, 2),)),
    (reshape, grid(2, 3), ((6,), (1, 0))),
    (reshape, grid(2, 3, 4), ((4, 6), (2, 0, 1))),
    (transpose, grid(2, 3), ((1, 0),)),
    (transpose, grid(2, 3, 4), ((2, 0, 1),)),
    (squeeze, grid(2, 1, 3), ((1,),)),
    (squeeze, grid(1, 2, 1), ((-1, 0),)),
    (expand_dims, grid(2, 3), ((1, -1),)),
    (rev, grid(2, 3), ((1,),)),
    (rev, grid(2, 3), ((0, 1),)),
    (rev, grid(2, 3), ((),)),
    (tile, grid(2, 3), ((2, 3),)),
    (tile, grid(2, 3), ((1, 0),)),
    (copy, grid(2, 3), ()),
    (collapse, grid(2, 3, 4), (1,)),
    (collapse, grid(2, 3, 4), (0, 0)),
    (collapse, grid(2, 3, 4), (-2,)),
    (collapse, grid(2, 3, 4), (5,)),
]


@pytest.mark.parametrize(("call", "x", "static"), LINEAR)
def test_values_and_programs(call, x, static):
    same_value(call, x, static=static, exact=True)
    same_text(call, x, static=static)


@pytest.mark.parametrize(("call", "x", "static"), LINEAR)
def test_derivatives(call, x, static):
    same_jvp(call, x, static=static)
    same_vjp(call, x, static=static)


@pytest.mark.parametrize(("call", "x", "static"), LINEAR)
def test_batches_over_every_axis(call, x, static):
    same_vmap(call, x, static=static)


@pytest.mark.parametrize(
    ("call", "x", "static"),
    [
        (broadcast_in_dim, grid(2, 3), ((2, 3), (0, 1))),
        (reshape, grid(2, 3), ((2, 3),)),
        (reshape, grid(2, 3), ((2, 3), (0, 1))),
        (reshape, grid(2, 3), ((6,), (0, 1))),
        (transpose, grid(2, 3), ((0, 1),)),
        (squeeze, grid(2, 3), ((),)),
        (expand_dims, grid(2, 3), ((),)),
        (collapse, grid(2, 3), (0, 1)),
    ],
)
def test_what_changes_nothing_leaves_no_equation(call, x, static):
    same_text(call, x, static=static)


def crossed(J, x):
    return J.lax.broadcast_in_dim(x, (3, 5, 2), (2, 0))


def crossed_pullback(J, x, y_bar):
    return J.vjp(lambda x: crossed(J, x), x)[1](y_bar)[0]


def test_broadcast_may_cross_axes():
    same_value(crossed, grid(2, 3), exact=True)
    y_bar = grid(3, 5, 2)
    ours = run_here(crossed_pullback, grid(2, 3), y_bar)  # jax fails on this one
    np.testing.assert_allclose(unpacked(ours.array), y_bar.sum(1).T, rtol=1e-6)


def named(J, x, name, *args):
    return getattr(J.lax, name)(x, *args)


@pytest.mark.parametrize(
    ("name", "x", "args"),
    [
        ("broadcast", grid(3), ((2,),)),
        ("broadcast_to_rank", grid(2, 3), (4,)),
        ("broadcast_to_rank", grid(2, 3), (1,)),
        ("broadcast_like", grid(1, 3), (grid(4, 3),)),
    ],
)
def test_other_broadcasts(name, x, args):
    same_text(named, x, static=(name, *args))


def shapes(J, *given):
    return J.lax.broadcast_shapes(*given)


@pytest.mark.parametrize(
    "given", [((2, 3), (3,)), ((2, 3), (1,)), ((),), ((1, 2), (3, 1)), ((0,), (1,))]
)
def test_broadcast_shapes(given):
    compare(shapes, *given)


@pytest.mark.parametrize("given", [((2, 3), (2,)), ((2,), (0,))])
def test_broadcast_shapes_that_do_not_fit(given):
    compare(shapes, *given, raises=True)


@pytest.mark.parametrize(
    ("call", "x", "static"),
    [
        (broadcast_in_dim, grid(2, 3), ((2,), (0,))),
        (broadcast_in_dim, grid(2, 3), ((2, 4), (0, 1))),
        (broadcast_in_dim, grid(2, 3), ((2, 3), (0, 2))),
        (broadcast_in_dim, grid(2, 3), ((2, 3), (0,))),
        (broadcast_in_dim, grid(2, 3), ((2, -3), (0, 1))),
        (broadcast_in_dim, grid(2, 3), ((2, 3, 3), (0, -1))),
        (reshape, grid(2, 3), ((6,), (0,))),
        (reshape, grid(2, 3), ((6,), (0, 2))),
        (reshape, grid(2, 3), ((6.0,),)),
        (reshape, grid(2, 3), ((-1, 3),)),
        (transpose, grid(2, 3), ((0,),)),
        (transpose, grid(2, 3), ((0, 2),)),
        (transpose, grid(2, 3), ((0, 0),)),
        (transpose, grid(2, 3), ((-1, 0),)),
        (squeeze, grid(2, 3), ((0,),)),
        (squeeze, grid(2, 3), ((2,),)),
        (squeeze, grid(1, 1), ((0, 0),)),
        (squeeze, grid(1, 1), (0,)),
        (expand_dims, grid(2, 3), ((3,),)),
        (expand_dims, grid(2, 3), ((1, 1),)),
        (expand_dims, grid(2, 3), (0,)),
        (rev, grid(2, 3), ((2,),)),
        (rev, grid(2, 3), ((0, 0),)),
        (rev, grid(2, 3), ((-1,),)),
        (tile, grid(2, 3), ((2,),)),
        (collapse, grid(2, 3), (1, 0)),
    ],
)
def test_refusals(call, x, static):
    same_error(call, x, static=static)


def wrong_size(J):
    try:
        J.lax.reshape(np.ones((2, 3), np.float32), (5,))
    except TypeError as error:
        return str(error.shapes)


def test_reshape_counts_elements():
    # jax lets it through until the compiler objects.
    ours = run_here(wrong_size)
    assert ours.facts["value"] == "((2, 3), (5,))"


def weak(J, name, *args):
    out = J.make_jaxpr(lambda x: getattr(J.lax, name)(x, *args))(
        J.lax.full((1, 2), 1.0)
    )
    return [aval.weak_type for aval in out.out_avals]


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("broadcast_in_dim", ((3, 2), (0, 1))),
        ("reshape", ((2,),)),
        ("transpose", ((1, 0),)),
        ("squeeze", ((0,),)),
        ("rev", ((0,),)),
        ("tile", ((1, 2),)),
    ],
)
def test_weak_types_stay_weak(name, args):
    compare(weak, name, *args)


def integers(J, x):
    return J.lax.rev(J.lax.reshape(J.lax.transpose(x, (1, 0)), (6,)), (0,))


@pytest.mark.parametrize("dtype", ["int8", "uint32", "bool", "bfloat16", "complex64"])
def test_other_dtypes(dtype):
    x = np.arange(6).reshape(2, 3)
    same_value(
        integers, x.astype(dtype) if dtype != "bfloat16" else bf16(x), exact=True
    )


def bf16(x):
    import ml_dtypes

    return x.astype(ml_dtypes.bfloat16)
