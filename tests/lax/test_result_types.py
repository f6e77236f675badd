"""Types of results that are derived from the types of operands."""

import numpy as np
import pytest

from tests.lax.comparing import same_error
from tests.oracle import compare, run_here
from tests.samples.declaring import grid


def joined(J, first_weak, second_weak):
    weak, strong = J.lax.full((2,), 1.0), np.ones(2, np.float32)
    first, second = (weak if w else strong for w in (first_weak, second_weak))
    program = J.make_jaxpr(lambda x, y: J.lax.concatenate([x, y], 0))(first, second)
    return [(str(aval), aval.weak_type) for aval in program.out_avals]


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("second", [True, False])
def test_joined_values_are_weak_if_all_are(first, second):
    compare(joined, first, second)


def two_dtypes(J, x, y):
    return J.lax.concatenate([x, y], 0)


def test_dtypes_do_not_mix():
    same_error(two_dtypes, grid(2), grid(2).astype(np.int32))


def printed(J, x):
    axes = np.array([1, 0])
    return str(J.make_jaxpr(lambda x: J.lax.transpose(x, axes))(x))


def test_params_hold_python_ints():
    assert "permutation=(1, 0)" in run_here(printed, grid(2, 3)).facts["value"]


def mixed(J, add):
    fun = J.lax.add if add == "lax" else J.numpy.add
    return fun(J.numpy.ones(2), J.numpy.arange(2))


def test_check_9_lax_does_not_promote():
    compare(mixed, "lax", raises=True)
    compare(mixed, "numpy")


def ranks(J, mode, small):
    with J.numpy_rank_promotion(mode):
        return J.numpy.ones((2, 3)) + (J.numpy.ones(3) if small == "row" else 1.0)


def test_check_10_rank_promotion():
    compare(ranks, "raise", "row", raises=True)
    for mode, small in (("raise", "scalar"), ("allow", "row")):
        compare(ranks, mode, small)
    with pytest.warns(UserWarning, match="rank"):
        run_here(ranks, "warn", "row")
