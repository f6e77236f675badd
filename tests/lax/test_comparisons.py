"""Comparisons: values, types, what has no order, and the total order of floats."""

import ml_dtypes
import numpy as np
import pytest

from tests.lax import calls

ORDER = ("lt", "le", "gt", "ge")
ALL = ("eq", "ne", *ORDER)
F = np.array([1.0, 2.0, np.nan, np.inf, -0.0], np.float32)
G = np.array([1.0, 1.0, np.nan, -np.inf, 0.0], np.float32)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    "x, y",
    [
        (F, G),
        (F.astype(ml_dtypes.bfloat16), G.astype(ml_dtypes.bfloat16)),
        (np.array([1, -2], np.int32), np.array([1, 1], np.int32)),
        (np.array([1, 200], np.uint8), np.array([1, 1], np.uint8)),
        (np.array([True, False]), np.array([True, True])),
    ],
    ids=["f32", "bf16", "i32", "u8", "bool"],
)
def test_value(oracle, name, x, y):
    oracle.compare(calls.value, name, (x, y), {}, exact=True)


@pytest.mark.parametrize("name", ("eq", "ne"))
def test_complex_equality(oracle, name):
    x = np.array([1 + 1j, 2j], np.complex64)
    oracle.compare(calls.value, name, (x, x[::-1].copy()), {}, exact=True)


@pytest.mark.parametrize("name", ORDER)
def test_complex_numbers_have_no_order(oracle, name):
    oracle.compare(calls.value, name, (1j, 2j), {}, raises=True)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("operands", [(1.0, 1.0), (1, 2), (True, False), (F, 1.0)])
def test_scalars(oracle, name, operands):
    oracle.compare(calls.value, name, operands, {})


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("operands", [(F, 1), (F, F[:2]), (F, np.ones((5, 5), "f4"))])
def test_operands_that_do_not_fit(oracle, name, operands):
    oracle.compare(calls.value, name, operands, {}, raises=True)


@pytest.mark.parametrize("name", ALL)
def test_jaxpr(oracle, name):
    oracle.compare(calls.text, name, [((3,), "float32"), ((), "float32")], {})


@pytest.mark.parametrize("name", ALL)
def test_vmap(oracle, name):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    oracle.compare(calls.mapped, name, (x, x[:, ::-1].copy()), {}, (0, 0))
    oracle.compare(calls.mapped, name, (x, x[0]), {}, (0, None))


@pytest.mark.parametrize("name", ALL)
def test_nothing_moves(oracle, name):
    oracle.compare(calls.pullback_of_bool, name, F, G)


def total_order(J, name, x, y):
    return getattr(J.lax, name).bind(x, y)


@pytest.mark.parametrize("name", ("eq_to_p", "le_to_p", "lt_to_p"))
def test_total_order(oracle, name):
    oracle.compare(total_order, name, F, G, exact=True)
    oracle.compare(total_order, name, np.array([1, 2], np.int32), np.int32(1))


def keys_compared(J):
    keys = J.random.split(J.random.key(0), 3)
    same, turned = J.lax.eq(keys, keys), J.lax.ne(keys, keys[::-1])
    one = J.jit(J.lax.eq)(keys, keys[1])
    return same, turned, one, J.vmap(J.lax.eq, (0, None))(keys, keys[2])


def test_keys_are_equal_or_not(oracle):
    oracle.compare(keys_compared)


def keys_ordered(J):
    keys = J.random.split(J.random.key(0), 3)
    return J.lax.lt(keys, keys)


def test_keys_have_no_order(oracle):
    oracle.compare(keys_ordered, raises=True)
