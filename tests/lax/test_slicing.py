"""slice and pad."""

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
from tests.oracle import compare, run_here
from tests.records import unpacked
from tests.samples.declaring import grid


def slices(J, x, starts, limits, strides=None):
    return J.lax.slice(x, starts, limits, strides)


def slice_in_dim(J, x, *args):
    return J.lax.slice_in_dim(x, *args)


def index_in_dim(J, x, *args):
    return J.lax.index_in_dim(x, *args)


def pad(J, x, value, config):
    return J.lax.pad(x, value, config)


SLICES = [
    (slices, ((0, 1), (2, 6), (1, 2))),
    (slices, ((0, 1), (2, 6))),
    (slices, ((0, 0), (3, 7))),
    (slices, ((0, 0), (3, 7), (1, 1))),
    (slices, ((1, 1), (1, 6), (1, 3))),
    (slices, ((0, 1), (3, 7), (2, 3))),
    (slice_in_dim, (1, -1, 2, -1)),
    (slice_in_dim, (None, None, 1, 1)),
    (slice_in_dim, (-3, None, 1, 1)),
    (index_in_dim, (-1, 1)),
    (index_in_dim, (2, 1, False)),
]

PADDINGS = [
    ((1, 2, 0), (0, 1, 1)),
    ((1, -1, 0), (2, 0, 1)),
    ((-1, 0, 0), (1, -1, 2)),
    ((0, 0, 0), (0, 0, 0)),
    ((3, -4, 2), (-2, 1, 3)),
    ((0, 0, 5), (-1, -1, 0)),
]


@pytest.mark.parametrize(("call", "static"), SLICES)
def test_slices(call, static):
    x = grid(3, 7)
    same_value(call, x, static=static, exact=True)
    same_text(call, x, static=static)
    same_jvp(call, x, static=static)
    same_vjp(call, x, static=static)
    same_vmap(call, x, static=static)


@pytest.mark.parametrize("config", PADDINGS)
def test_paddings(config):
    x, value = grid(2, 3), np.float32(0.5)
    same_value(pad, x, value, static=(config,), exact=True)
    same_text(pad, x, value, static=(config,))
    for where in ((0, 1), (0,), (1,)):
        same_jvp(pad, x, value, where=where, static=(config,))
        if where != (1,):
            same_vjp(pad, x, value, where=where, static=(config,))
    same_vmap(pad, x, value, static=(config,), axes=all_axes((x, value)))


def border_pullback(J, x, value, config):
    def of_value(value):
        return J.lax.pad(x, value, config)

    return J.vjp(of_value, value)[1](np.ones(5, np.float32))[0]


def test_check_44_padding_value_gets_the_border():
    # jax fails if the operand is not differentiated as well.
    ours = run_here(border_pullback, grid(3), np.float32(1.0), ((1, 1, 0),))
    assert unpacked(ours.array) == 2.0


def gradients(J):
    def negative(x):
        return J.lax.pad(x, 0.0, ((-1, 0, 1),)).sum()

    def value(v):
        return J.lax.pad(np.ones(3, np.float32), v, ((2, 1, 1),)).sum()

    del value
    return J.vjp(lambda x: J.lax.pad(x, np.float32(0), ((-1, 0, 1),)), grid(3))[1](
        np.ones(4, np.float32)
    )


def test_check_44_cut_elements_get_nothing():
    compare(gradients)
    assert list(unpacked(run_here(gradients).children[0][1].array)) == [0, 1, 1]


def test_empty_operand():
    same_value(pad, grid(0), np.float32(1), static=(((1, 2, 3),),))
    same_vjp(pad, grid(0), np.float32(1), where=(0, 1), static=(((1, 2, 3),),))


@pytest.mark.parametrize(
    ("call", "static"),
    [
        (slices, ((0,), (1,))),
        (slices, ((0, 0), (1,))),
        (slices, ((0, 0), (4, 1))),
        (slices, ((2, 0), (1, 1))),
        (slices, ((0, -1), (1, 1))),
        (slices, ((0, 0), (1, 1), (1,))),
        (slices, ((0, 0.5), (1, 1))),
        (slice_in_dim, (-100, 100, 1, 1)),
        (slice_in_dim, (5, 2, 1, 1)),
        (slice_in_dim, (0, 7, -1, 1)),
        (index_in_dim, (7, 1)),
        (index_in_dim, (-8, 1)),
    ],
)
def test_refused_slices(call, static):
    same_error(call, grid(3, 7), static=static)


@pytest.mark.parametrize(
    ("value", "config"),
    [
        (0, ((0, 1, 0), (0, 0, 0))),
        (np.int32(0), ((0, 1, 0), (0, 0, 0))),
        (0.0, ((0, 1, 0),)),
        (0.0, ((0, 1, -1), (0, 0, 0))),
        (0.0, ((0, -10, 0), (0, 0, 0))),
        (np.zeros(2, np.float32), ((0, 1, 0), (0, 0, 0))),
        (0.0, ((0, 1), (0, 0, 0))),
    ],
)
def test_refused_paddings(value, config):
    same_error(pad, grid(2, 3), value, static=(config,))


def zero_stride(J):
    try:
        J.lax.slice(grid(3), (0,), (1,), (0,))
    except TypeError as error:
        return str(error)


def test_a_zero_stride_is_named():
    assert "stride" in run_here(zero_stride).facts["value"]
