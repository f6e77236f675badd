"""select_n and clamp."""

import numpy as np
import pytest

from tests.lax import calls

X = np.array([1.0, 2.0, 3.0], np.float32)
Y = np.array([-1.0, -2.0, -3.0], np.float32)
MASK = np.array([True, False, True])
WHICH = np.array([0, 1, 2], np.int32)


def selecting(J, which, *cases):
    return J.lax.select_n(which, *cases)


SELECTIONS = [
    (MASK, X, Y),
    (True, X, Y),
    (np.bool_(False), X, Y),
    (WHICH, X, Y, X),
    (np.array([-5, 1, 9], np.int32), X, Y, X * 10),
    (WHICH.astype(np.uint8), X, Y, X, Y, X),
    (1, X, Y),
    (np.int64(1), X, Y),
    (True, X),
    (0, X),
    (True, 1, 2),
    (True, 1.0, np.float32(2)),
    (MASK, MASK, ~MASK),
    (MASK, WHICH, -WHICH),
    (MASK, X.astype(np.complex64), Y.astype(np.complex64)),
]


@pytest.mark.parametrize("case", range(len(SELECTIONS)))
def test_select_n(oracle, case):
    oracle.compare(selecting, *SELECTIONS[case], exact=True)


MISFITS = [
    (MASK, X, Y, X),
    (X, X, Y),
    (np.array([True]), X, Y),
    (True, X, WHICH),
    (True, X, X[:2]),
    (True,),
    (True, 1, 2.0),
    (True, X, 1.0),
]


@pytest.mark.parametrize("case", range(len(MISFITS)))
def test_select_n_refuses(oracle, case):
    oracle.compare(selecting, *MISFITS[case], raises=True)


@pytest.mark.parametrize("operands", [(True, X, Y), (MASK, X, Y)], ids=str)
def test_select(oracle, operands):
    oracle.compare(calls.value, "select", operands, {}, exact=True)


@pytest.mark.parametrize("which", [((), "bool"), ((3,), "bool"), ((3,), "int32")])
@pytest.mark.parametrize("moving", [(1,), (2,)], ids=str)
def test_select_n_jvp_jaxpr(oracle, which, moving):
    types = [which, ((3,), "float32"), ((3,), "float32")]
    oracle.compare(calls.jvp_text, "select_n", types, {}, moving)


def test_select_n_jvp_without_zeros(oracle):
    # jax leaves an unused array of zeros in this jaxpr; the values are what counts.
    tangents = (X, Y)
    oracle.compare(calls.jvp_value, "select_n", (MASK, X, Y), {}, (1, 2), tangents)


@pytest.mark.parametrize("which", [MASK, True, WHICH], ids=["mask", "scalar", "index"])
def test_select_n_transpose_jaxpr(oracle, which):
    oracle.compare(transposed, which)


def transposed(J, which):
    cases = 3 if getattr(which, "dtype", None) == np.int32 else 2
    x = np.ones(3, np.float32)
    f = lambda x: J.lax.select_n(which, *[x] * cases)  # noqa: E731
    return J.make_jaxpr(lambda y: J.linear_transpose(f, x)(y))(x)


P = np.array([[True, False, True], [False, True, False]])
A = np.arange(6, dtype=np.float32).reshape(2, 3)
MAPS = [
    ((P[:, 0], A, -A), (0, 0, 0)),
    ((True, A, -A), (None, 0, 0)),
    ((True, A, -A.T), (None, 0, 1)),
    ((True, A, A[0]), (None, 0, None)),
    ((P, A, A[0]), (0, 0, None)),
    ((P[0], A, A[0]), (None, 0, None)),
    ((P[:, 0], A[0], -A[0]), (0, None, None)),
    ((P[:, 0], A.T, -A.T), (0, 1, 1)),
    ((P[:, 0], A[:, 0], A[:, 1]), (0, 0, 0)),
    ((P.T, A, -A), (1, 0, 0)),
]


@pytest.mark.parametrize("case", range(len(MAPS)))
def test_vmap_of_select_n(oracle, case):
    operands, in_axes = MAPS[case]
    oracle.compare(calls.mapped, "select_n", operands, {}, in_axes, exact=True)


# --- clamp ----------------------------------------------------------------------------

CLAMPS = [
    (0.0, Y, 1.0),
    (np.zeros(3, np.float32), Y, np.ones(3, np.float32)),
    (-2.0, Y, np.float32(-1)),
    (-2.0, Y, np.full(3, -1, np.float32)),
    (np.zeros(3), Y, np.ones(3)),
    (0, WHICH, 1),
    (False, True, False),
    (0.0, 1.0, 2.0),
    (0.0, np.float32(1), 2.0),
    (np.float32(2), Y, np.float32(-2)),
    (-1.0, np.array([np.nan, np.inf], np.float32), 1.0),
]


@pytest.mark.parametrize("case", range(len(CLAMPS)))
def test_clamp(oracle, case):
    oracle.compare(calls.value, "clamp", CLAMPS[case], {}, exact=True)


@pytest.mark.parametrize(
    "operands",
    [
        (0, X, 1),
        (np.zeros(1, np.float32), X, 1.0),
        (np.zeros(3, np.float32), np.float32(1), np.ones(3, np.float32)),
        (0, np.ones(3, np.int8), 1),
    ],
    ids=str,
)
def test_clamp_refuses(oracle, operands):
    oracle.compare(calls.value, "clamp", operands, {}, raises=True)


@pytest.mark.parametrize("moving", [(0,), (1,), (2,), (0, 1, 2)], ids=str)
def test_clamp_jvp_jaxpr(oracle, moving):
    types = [((3,), "float32")] * 3
    oracle.compare(calls.jvp_text, "clamp", types, {}, moving)


def test_clamp_jvp_jaxpr_of_scalar_bounds(oracle):
    types = [((), "float32"), ((3,), "float32"), ((), "float32")]
    oracle.compare(calls.jvp_text, "clamp", types, {}, (1,))


@pytest.mark.parametrize("x", [-1.0, 0.0, 0.5, 1.0, 2.0])
def test_check_31_clamp_slopes(oracle, x):
    operands = (np.float32(0), np.float32(x), np.float32(1))
    one = np.float32(1)
    oracle.compare(calls.pullback, "clamp", operands, {}, (0, 1, 2), one, exact=True)


def test_check_31_crossed_bounds(oracle):
    operands = (np.float32(0), np.float32(2), np.float32(1))
    oracle.compare(
        calls.pullback, "clamp", operands, {}, (0, 1, 2), np.float32(1), exact=True
    )


def scalar_bound_slope(J, low, x, high):
    f = lambda low: J.lax.reduce_sum(J.lax.clamp(low, x, high), (0,))  # noqa: E731
    return J.vjp(f, low)[1](np.float32(1))


def test_slope_of_a_scalar_bound(oracle):
    # jax cannot differentiate a scalar bound of an array; the value is 2 elements.
    record = oracle.run_here(scalar_bound_slope, np.float32(1.5), X, np.float32(2.5))
    (slope,) = [child for _, child in record.children]
    assert np.frombuffer(slope.array[2], np.float32).tolist() == [1.0]


CLAMP_MAPS = [
    ((0.0, A.T, 3.0), (None, 1, None)),
    ((A, A + 1, A + 2), (0, 0, 0)),
    ((A[:, 0], A.T, A[:, 2]), (0, 1, 0)),
    ((A[0], A, 3.0), (None, 0, None)),
    ((A[:, 0], A[0], 9.0), (0, None, None)),
    ((A[:, 0], A[:, 1], A[:, 2]), (0, 0, 0)),
]


@pytest.mark.parametrize("case", range(len(CLAMP_MAPS)))
def test_vmap_of_clamp(oracle, case):
    operands, in_axes = CLAMP_MAPS[case]
    oracle.compare(calls.mapped, "clamp", operands, {}, in_axes, exact=True)
