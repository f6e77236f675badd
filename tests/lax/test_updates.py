"""The little programs that scatters hold."""

import numpy as np
import pytest

from tests.oracle import compare, run_here
from tests.samples.declaring import grid, i32

PLACES = ((), (0,), (0,))


def programs(J, name, times, dtype):
    """The update programs of several scatters in one program."""
    numbers = J.lax.ScatterDimensionNumbers(*PLACES)
    indices, new = i32([[1]]), np.ones(1, dtype)

    def fun(x):
        for _ in range(times):
            x = getattr(J.lax, name)(x, indices, new, numbers)
        return x

    eqns = J.make_jaxpr(fun)(np.ones(3, dtype)).eqns
    return [eqn.params["update_jaxpr"] for eqn in eqns]


def texts(J, name, dtype):
    return [str(program) for program in programs(J, name, 1, dtype)]


@pytest.mark.parametrize("name", ["add", "sub", "mul", "min", "max"])
@pytest.mark.parametrize("dtype", ["float32", "int8", "complex64"])
def test_programs(name, dtype):
    compare(texts, f"scatter_{name}", dtype)


def distinct(J, name):
    return len({id(program) for program in programs(J, name, 3, "float32")})


def test_one_object_per_combination():
    assert run_here(distinct, "scatter_add").facts["value"] == 1


def constants(J, x, by):
    numbers = J.lax.ScatterDimensionNumbers(*PLACES)
    return J.lax.scatter_apply(
        x, i32([[1]]), lambda v: J.lax.mul(v, by), numbers, update_shape=(1,)
    )


def test_a_function_may_hold_constants():
    compare(constants, grid(3), np.float32(3))


def refusal(J):
    try:
        J.make_jaxpr(lambda x, by: constants(J, x, by))(grid(3), np.float32(2))
    except NotImplementedError as error:
        return str(error)


def test_a_function_may_not_hold_traced_values():
    assert "traced" in run_here(refusal).facts["value"]
