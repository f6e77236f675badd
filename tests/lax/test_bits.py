"""Bitwise logic and shifts."""

import numpy as np
import pytest

from tests.lax import calls

I = np.array([5, -6, 0, 127], np.int32)
S = np.array([1, 2, 31, 0], np.int32)
LOGIC = ("bitwise_and", "bitwise_or", "bitwise_xor")
SHIFTS = ("shift_left", "shift_right_logical", "shift_right_arithmetic")


@pytest.mark.parametrize("name", (*LOGIC, *SHIFTS, "mulhi"))
@pytest.mark.parametrize("dtype", ["int32", "uint8", "int16", "uint32"])
def test_value(oracle, name, dtype):
    x, y = I.astype(dtype), S.astype(dtype)
    oracle.compare(calls.value, name, (x, y), {}, exact=True)


@pytest.mark.parametrize("name", LOGIC)
def test_truth_values(oracle, name):
    x, y = np.array([True, True, False]), np.array([True, False, False])
    oracle.compare(calls.value, name, (x, y), {}, exact=True)


def test_not(oracle):
    oracle.compare(calls.value, "bitwise_not", (np.array([True, False]),), {})
    oracle.compare(calls.value, "bitwise_not", (I.astype(np.uint8),), {}, exact=True)


@pytest.mark.parametrize("name", (*LOGIC, *SHIFTS))
@pytest.mark.parametrize("operands", [(I, 1), (1, 2), (I, np.int32(3))], ids=str)
def test_scalars(oracle, name, operands):
    oracle.compare(calls.value, name, operands, {}, exact=True)


@pytest.mark.parametrize("name", (*LOGIC, *SHIFTS, "mulhi"))
@pytest.mark.parametrize("operands", [(1.0, 2.0), (I, np.int8(1)), (I, I[:2])], ids=str)
def test_operands_that_do_not_fit(oracle, name, operands):
    oracle.compare(calls.value, name, operands, {}, raises=True)


@pytest.mark.parametrize("name", SHIFTS)
def test_truth_values_do_not_shift(oracle, name):
    oracle.compare(calls.value, name, (True, True), {}, raises=True)


@pytest.mark.parametrize("name", (*LOGIC, *SHIFTS, "mulhi"))
def test_jaxpr_and_vmap(oracle, name):
    oracle.compare(calls.text, name, [((3,), "int32"), ((), "int32")], {})
    x = np.arange(6, dtype=np.int32).reshape(2, 3)
    oracle.compare(calls.mapped, name, (x, x[0]), {}, (0, None), exact=True)
