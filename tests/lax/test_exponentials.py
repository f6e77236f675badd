"""pow: dtypes, values, and its derivatives where they are delicate.

The functions of one operand are tested in `test_elementwise.py`.
"""

import ml_dtypes
import numpy as np
import pytest

from tests.lax import calls

X = np.array([0.5, 2.0, 3.0, 1.0], np.float32)
Y = np.array([2.0, -1.0, 0.0, 0.5], np.float32)
K = np.array([0, 1, 2, 3], np.int32)


@pytest.mark.parametrize(
    "operands",
    [
        (X, Y),
        (X, K),
        (X, 2),
        (X, 2.0),
        (X, np.uint8(2)),
        (X.astype(ml_dtypes.bfloat16), K),
        (X.astype(np.complex64), (Y + 1j).astype(np.complex64)),
        (1j, 2),
        (2.0, 2),
        (np.float32(2), 2),
        (np.array([0.0, -2.0], np.float32), np.array([0.0, 2.0], np.float32)),
    ],
    ids=str,
)
def test_value(oracle, operands):
    oracle.compare(calls.value, "pow", operands, {})


@pytest.mark.parametrize(
    "operands",
    [
        (K, K),
        (K, 2),
        (X, True),
        (X, 1j),
        (1j, X),
        (X.astype(ml_dtypes.bfloat16), 2.0),
        (X, np.ones(3, np.float32)),
    ],
    ids=str,
)
def test_operands_that_do_not_fit(oracle, operands):
    oracle.compare(calls.value, "pow", operands, {}, raises=True)


@pytest.mark.parametrize(
    "types",
    [
        [((), "float32")] * 2,
        [((3,), "float32")] * 2,
        [((3,), "float32"), ((), "float32")],
        [((), "float32"), ((3,), "float32")],
        [((3,), "complex64")] * 2,
    ],
    ids=str,
)
@pytest.mark.parametrize("moving", [(0,), (1,), (0, 1)], ids=str)
def test_jvp_jaxpr(oracle, types, moving):
    oracle.compare(calls.jvp_text, "pow", types, {}, moving)


@pytest.mark.parametrize("shapes", [((), ()), ((3,), ()), ((3,), (3,))], ids=str)
def test_jvp_jaxpr_with_integer_exponent(oracle, shapes):
    types = [(shapes[0], "float32"), (shapes[1], "int32")]
    oracle.compare(calls.jvp_text, "pow", types, {}, (0,))


# spec/ad.md, checks 35 and 36
@pytest.mark.parametrize(
    "x, y", [(0.0, 0.0), (0.0, 2.0), (0.0, 0.5), (-2.0, 2.0), (2.0, 3.0)]
)
def test_check_36_slopes_of_pow(oracle, x, y):
    operands = (np.float32(x), np.float32(y))
    oracle.compare(calls.pullback, "pow", operands, {}, (0, 1), np.float32(1))


@pytest.mark.parametrize("k", [0, 1, 2])
@pytest.mark.parametrize("x", [0.0, 2.0])
def test_check_35_integer_exponents(oracle, x, k):
    operands = (np.float32(x), np.int32(k))
    oracle.compare(calls.pullback, "pow", operands, {}, (0,), np.float32(1))


@pytest.mark.parametrize("in_axes", [(0, 0), (0, None), (None, 1)], ids=str)
def test_vmap(oracle, in_axes):
    x = np.arange(1, 10, dtype=np.float32).reshape(3, 3)
    oracle.compare(calls.mapped, "pow", (x, x / 4), {}, in_axes)
