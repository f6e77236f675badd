"""Cumulative reductions (spec/control_flow.md §7)."""

import numpy as np
import pytest

from tests.lax import calls

X = np.array([[3.0, -1.0, 2.0, 3.0, 0.5], [0.5, 4.0, -2.0, 4.0, 1.0]], np.float32)
NUMERIC = ("cumsum", "cumprod", "cummax", "cummin")
ALL = (*NUMERIC, "cumlogsumexp")
BY_SCAN = ("cumprod", "cummax", "cummin")


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", ["float32", "float16", "complex64"])
def test_value(oracle, name, axis, reverse, dtype):
    params = {"axis": axis, "reverse": reverse}
    oracle.compare(
        calls.value,
        name,
        (X.astype(dtype),),
        params,
        rtol=4e-3 if dtype == "float16" else 1e-5,
    )


@pytest.mark.parametrize("name", NUMERIC)
@pytest.mark.parametrize("dtype", ["int32", "int8", "uint8"])
def test_integers(oracle, name, dtype):
    x = np.abs(X).astype(dtype)
    oracle.compare(calls.value, name, (x,), {"axis": 1}, exact=True)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("shape, axis", [((0,), 0), ((2, 0), 0), ((1,), 0)])
def test_short_and_empty(oracle, name, shape, axis):
    x = np.ones(shape, np.float32)
    oracle.compare(calls.value, name, (x,), {"axis": axis})


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("axis", [-1, 2])
def test_wrong_axis(oracle, name, axis):
    oracle.compare(calls.value, name, (X,), {"axis": axis}, raises=True)


@pytest.mark.parametrize("name", ALL)
def test_truth_values(oracle, name):
    oracle.compare(calls.value, name, (X > 0,), {"axis": 0}, raises=True)


@pytest.mark.parametrize("name", ALL)
def test_jaxpr(oracle, name):
    params = {"axis": np.int64(1), "reverse": True}
    oracle.compare(calls.text, name, [((2, 3), "float32")], params)


@pytest.mark.parametrize("name", ("cumsum", *BY_SCAN))
@pytest.mark.parametrize("shape, axis, reverse", [((5,), 0, False), ((2, 3), 1, True)])
def test_jvp_jaxpr(oracle, name, shape, axis, reverse):
    params = {"axis": axis, "reverse": reverse}
    oracle.compare(calls.jvp_text, name, [(shape, "float32")], params, (0,))


def test_transpose_jaxpr(oracle):
    like = ((3, 4), "float32")
    oracle.compare(calls.transpose_text, "cumsum", (), {"axis": 0}, 0, like)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("reverse", [False, True])
def test_pullback(oracle, name, reverse):
    params = {"axis": 1, "reverse": reverse}
    y_bar = np.arange(1, 11, dtype=np.float32).reshape(2, 5)
    oracle.compare(calls.pullback, name, (X,), params, (0,), y_bar, rtol=1e-5)


@pytest.mark.parametrize(
    "name, x, y_bar",
    [
        ("cummax", [1.0, 1.0, 2.0], [1.0, 1.0, 1.0]),
        ("cummax", [1.0, 3.0, 3.0, 2.0], [1.0, 1.0, 1.0, 1.0]),
        ("cumprod", [0.0, 2.0, 3.0], [1.0, 1.0, 1.0]),
        ("cumlogsumexp", [0.0, 0.0], [1.0, 1.0]),
        ("cumsum", [1.0, 2.0, 3.0], [1.0, 10.0, 100.0]),
    ],
    ids=str,
)
def test_check_39_slopes(oracle, name, x, y_bar):
    x, y_bar = np.array(x, np.float32), np.array(y_bar, np.float32)
    oracle.compare(calls.pullback, name, (x,), {}, (0,), y_bar)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("in_axis", [0, 1])
def test_vmap(oracle, name, in_axis):
    oracle.compare(calls.mapped, name, (X,), {}, (in_axis,), rtol=1e-5)


def cuda_text(J, reverse):
    f = lambda x: J.lax.cumsum(x, 0, reverse=reverse)  # noqa: E731
    lowered = J.jit(f).trace(np.ones((3, 4), np.float32))
    return "chlo.scan" in lowered.lower(lowering_platforms=("cuda",)).as_text()


@pytest.mark.parametrize("reverse", [False, True])
def test_scan_on_gpus(oracle, reverse):
    oracle.compare(cuda_text, reverse)
