"""add, sub, mul, div, squares and powers of integers: values, types, transposes."""

import ml_dtypes
import numpy as np
import pytest

from tests.lax import calls

F = np.array([1.0, -2.0, 0.5, 3.0], np.float32)
G = np.array([2.0, 3.0, -0.25, 0.0], np.float32)
I = np.array([7, -7, 3, 0], np.int32)
J4 = np.array([2, 2, -2, 5], np.int32)
C = (F + 1j * G).astype(np.complex64)
BF16 = F.astype(ml_dtypes.bfloat16)
U8 = np.array([200, 3, 0, 255], np.uint8)
FOUR = ("add", "sub", "mul", "div")

# Pairs of shapes that stretch.
SHAPES = (
    ((3,), (3,)),
    ((), (3,)),
    ((3,), ()),
    ((3, 1), (3, 4)),
    ((3, 1), (1, 4)),
    ((1, 1), (3, 4)),
)


@pytest.mark.parametrize("name", FOUR)
@pytest.mark.parametrize(
    "x, y",
    [(F, G), (I, J4), (C, C), (BF16, BF16), (U8, U8)],
    ids=lambda x: str(x.dtype),
)
def test_value(oracle, name, x, y):
    oracle.compare(calls.value, name, (x, y), {})


@pytest.mark.parametrize("name", FOUR)
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_stretching(oracle, name, shapes):
    x, y = (np.arange(1, 1 + np.prod(s, dtype=int)).reshape(s) for s in shapes)
    operands = (x.astype(np.float32), y.astype(np.float32))
    oracle.compare(calls.value, name, operands, {})
    oracle.compare(calls.jitted, name, operands, {})
    oracle.compare(calls.text, name, [(s, "float32") for s in shapes], {})


@pytest.mark.parametrize("name", FOUR)
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize("moving", [(0,), (1,), (0, 1)], ids=str)
def test_jvp_jaxpr(oracle, name, shapes, moving):
    types = [(s, "float32") for s in shapes]
    oracle.compare(calls.jvp_text, name, types, {}, moving)


@pytest.mark.parametrize("name", FOUR)
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize("moving", [(0,), (1,), (0, 1)], ids=str)
def test_pullback(oracle, name, shapes, moving):
    x, y = (np.arange(1, 1 + np.prod(s, dtype=int)).reshape(s) for s in shapes)
    operands = (x.astype(np.float32), y.astype(np.float32))
    y_bar = np.ones(np.broadcast_shapes(*shapes), np.float32)
    oracle.compare(calls.pullback, name, operands, {}, moving, y_bar)


@pytest.mark.parametrize("name", ("mul", "div"))
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_transpose_jaxpr(oracle, name, shapes):
    like, other = shapes
    y = np.full(other, 2.0, np.float32)
    oracle.compare(calls.transpose_text, name, (y,), {}, 0, (like, "float32"))


def test_transpose_jaxpr_of_the_right_factor(oracle):
    y = np.full((3,), 2.0, np.float32)
    oracle.compare(calls.transpose_text, "mul", (y,), {}, 1, ((), "float32"))


def test_a_denominator_is_not_linear(oracle):
    y = np.full((3,), 2.0, np.float32)
    like = ((3,), "float32")
    oracle.compare(calls.transpose_text, "div", (y,), {}, 1, like, raises=True)


def square_transposed(J):
    x = np.ones(3, np.float32)
    return J.linear_transpose(lambda x: J.lax.mul(x, x), x)(x)


def test_a_square_is_not_linear(oracle):
    oracle.compare(square_transposed, raises=True)


@pytest.mark.parametrize("name", FOUR)
@pytest.mark.parametrize(
    "operands",
    [
        (F, 1.0),
        (2.0, F),
        (1, 2),
        (1.5, 2.5),
        (F, np.float32(2)),
        (F, np.float64(2)),
        (F, np.ones(4)),
        (I, 2),
        (1j, 2j),
    ],
    ids=str,
)
def test_scalars(oracle, name, operands):
    oracle.compare(calls.value, name, operands, {})


@pytest.mark.parametrize("name", FOUR)
@pytest.mark.parametrize(
    "operands",
    [
        (F, 1),
        (F, 1j),
        (I, 2.0),
        (BF16, 2.0),
        (BF16, np.float32(2)),
        (np.ones(3, np.int8), 2),
        (1, 1.0),
        (True, True),
        (True, F),
        (I, True),
        (F, (1.0, 2.0)),
        (F, [1.0]),
        (F, None),
        (F, "a"),
        (F, np.ones(3, np.float32)),
        (np.ones((4, 4), np.float32), F),
        (np.zeros(3, [("float0", np.void, 0)]), F),
    ],
    ids=lambda operands: f"{operands}"[:40],
)
def test_operands_that_do_not_fit(oracle, name, operands):
    oracle.compare(calls.value, name, operands, {}, raises=True)


@pytest.mark.parametrize(
    "name", (*FOUR, "square", "neg", "one_minus_square", "reciprocal")
)
def test_weak_type_of_derivatives(oracle, name):
    operands = (2.0, 3.0) if name in FOUR else (2.0,)
    oracle.compare(weak_derivative, name, operands)


def weak_derivative(J, name, operands):
    return J.jvp(getattr(J.lax, name), operands, (1.0,) * len(operands))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int32"])
def test_product_in_another_dtype(oracle, dtype):
    x = np.array([1, 2, 100], np.int8 if dtype == "int32" else ml_dtypes.bfloat16)
    params = {"out_dtype": dtype}
    oracle.compare(calls.value, "mul", (x, x), params)
    types = [((3,), x.dtype.name)] * 2
    oracle.compare(calls.text, "mul", types, params)


def test_derivative_of_a_product_in_another_dtype(oracle):
    types = [((3,), "bfloat16")] * 2
    params = {"out_dtype": "float32"}
    oracle.compare(calls.jvp_text, "mul", types, params, (0,))
    y = np.ones(3, ml_dtypes.bfloat16)
    like = ((3,), "bfloat16")
    oracle.compare(calls.transpose_text, "mul", (y,), params, 0, like)


@pytest.mark.parametrize("name", FOUR)
@pytest.mark.parametrize("in_axes", [(0, None), (1, 0), (None, 1), (1, 1)], ids=str)
def test_vmap(oracle, name, in_axes):
    x = np.arange(1, 10, dtype=np.float32).reshape(3, 3)
    oracle.compare(calls.mapped, name, (x, x + 1), {}, in_axes)


@pytest.mark.parametrize("name", FOUR)
def test_vmap_of_scalar_with_vector(oracle, name):
    x = np.arange(1, 4, dtype=np.float32)
    y = np.arange(1, 10, dtype=np.float32).reshape(3, 3)
    oracle.compare(calls.mapped, name, (x, y), {}, (0, 1))
    oracle.compare(calls.mapped, name, (x, np.ones(4, np.float32)), {}, (0, None))


def sums_of_tangents(J, x):
    return J.jvp(lambda x: J.lax.mul(x, J.lax.add(x, x)), (x,), (x,))


def test_add_any(oracle):
    oracle.compare(sums_of_tangents, F)


def cotangents_are_added(J, x):
    y, pull = J.vjp(lambda x: J.lax.mul(J.lax.sin(x), x), x)
    return y, pull(J.lax.full_like(y, 1.0))


def test_cotangents_are_added(oracle):
    oracle.compare(cotangents_are_added, F)
