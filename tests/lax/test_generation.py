"""full, full_like, iota: values, dtypes, weak types, errors."""

import ml_dtypes
import numpy as np
import pytest


def filled(J, shape, value, *dtype):
    return J.lax.full(shape, value, *dtype)


FILLS = [
    ((3,), 1.0),
    ((3,), 1),
    ((2, 3), True),
    ((), 1.0),
    ((), 1),
    ((3,), 1, "float16"),
    ((3,), 2.7, "int32"),
    ((3,), 300, "int8"),
    ((3,), -1, "uint8"),
    ((), 2.7, "int32"),
    (3, 1.0),
    ((2,), np.float64(1)),
    ((2,), np.float32(1)),
    ((2,), np.int8(1), "float32"),
    ((2,), 1j),
    ((0, 2), 1.0),
    ((2,), 1, int),
    ((2,), 1, float),
    ((2,), np.array(3)),
    ((np.int64(2),), 1.0),
    ((2,), np.inf, "bfloat16"),
]


@pytest.mark.parametrize("case", range(len(FILLS)))
def test_full(oracle, case):
    oracle.compare(filled, *FILLS[case])


@pytest.mark.parametrize(
    "arguments", [((3,), np.ones(3)), ((-1,), 1.0), ((1.5,), 1.0), ("a", 1.0)], ids=str
)
def test_full_refuses(oracle, arguments):
    oracle.compare(filled, *arguments, raises=True)


def full_jaxpr(J, dtype):
    x = J.ShapeDtypeStruct((), "float32")
    return J.make_jaxpr(lambda x: J.lax.full((3,), x, dtype))(x)


@pytest.mark.parametrize("dtype", [None, "float32", "int32"], ids=str)
def test_full_of_a_traced_number(oracle, dtype):
    oracle.compare(full_jaxpr, dtype)


def constant_jaxpr(J):
    return J.make_jaxpr(
        lambda: (J.lax.full((), 1.0), J.lax.full((3,), 1), J.lax.full((), 1, "int8"))
    )()


def test_a_constant_scalar_leaves_no_equation(oracle):
    oracle.compare(constant_jaxpr)


def full_slope(J, x):
    y, pull = J.vjp(lambda x: J.lax.full((3,), x), x)
    return y, pull(y)


def test_derivative_of_full(oracle):
    oracle.compare(full_slope, np.float32(2))


def filled_like(J, x, value, options):
    return J.lax.full_like(x, value, **options)


LIKE = np.ones((2, 2), np.float32)


@pytest.mark.parametrize(
    "arguments",
    [
        (LIKE, 2, {}),
        (LIKE, 2, {"dtype": "int8"}),
        (LIKE, 2, {"shape": (3,)}),
        (LIKE.astype(ml_dtypes.bfloat16), 2, {}),
        (1.0, 2, {}),
        (1, 2.5, {}),
        (1, 2, {"shape": (2,)}),
        (1, 2, {"dtype": int}),
        (LIKE[0, 0], 2, {}),
        (LIKE > 0, 1, {}),
        (LIKE, np.int8(3), {}),
    ],
    ids=str,
)
def test_full_like(oracle, arguments):
    oracle.compare(filled_like, *arguments)


def like_a_struct(J):
    return J.lax.full_like(J.ShapeDtypeStruct((2,), "int8"), 3)


def test_full_like_a_struct(oracle):
    oracle.compare(like_a_struct)


def counted(J, dtype, size):
    return J.lax.iota(dtype, size)


@pytest.mark.parametrize(
    "dtype", ["int32", "float32", "uint8", "bfloat16", "complex64", float, int]
)
def test_iota(oracle, dtype):
    oracle.compare(counted, dtype, 4)


@pytest.mark.parametrize(
    "arguments", [("int32", -1), ("bool", 3), ("int32", 3.5), ("int32", "3")], ids=str
)
def test_iota_refuses(oracle, arguments):
    oracle.compare(counted, *arguments, raises=True)


def counted_along(J, dtype, shape, dimension):
    return J.lax.broadcasted_iota(dtype, shape, dimension)


@pytest.mark.parametrize("dimension", [0, 1])
def test_broadcasted_iota(oracle, dimension):
    oracle.compare(counted_along, "int8", (2, 3), dimension)


@pytest.mark.parametrize("dimension", [-1, 2])
def test_broadcasted_iota_refuses(oracle, dimension):
    oracle.compare(counted_along, "int8", (2, 3), dimension, raises=True)


def iota_jaxpr(J):
    return J.make_jaxpr(lambda: J.lax.broadcasted_iota("int32", (2, 3), 1))()


def test_iota_jaxpr(oracle):
    oracle.compare(iota_jaxpr)


def iota_under(J, x):
    def f(x):
        return J.lax.mul(x, J.lax.iota("float32", 3))

    return J.jvp(f, (x,), (x,)), J.vmap(f)(J.lax.full((2, 3), 1.0, "float32"))


def test_iota_under_transformations(oracle):
    oracle.compare(iota_under, np.ones(3, np.float32))


def emptied(J, shape, dtype):
    return J.lax.empty(shape, dtype), J.make_jaxpr(lambda: J.lax.empty(shape, dtype))()


@pytest.mark.parametrize("dtype", ["float32", "int8", "bool"])
def test_empty(oracle, dtype):
    oracle.compare(emptied, (2, 3), dtype)


def placed(J):
    device = J.devices()[0]
    sharding = J.sharding.SingleDeviceSharding(device)
    x = J.lax.full((2,), 1.0, sharding=sharding)
    return x, x.committed, J.lax.full_like(x, 2).committed


def test_full_on_a_device(oracle):
    oracle.compare(placed)
