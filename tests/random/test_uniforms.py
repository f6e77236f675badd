"""Uniform floats and integers."""

import pytest

import minijax
from tests.random import programs, vectors


@pytest.mark.parametrize(
    "case", vectors.cases("uniform", "randint"), ids=vectors.name_of
)
def test_golden(case):
    assert not vectors.difference(case)


def test_check_31_rounding_can_give_the_upper_bound(oracle):
    bounds = {"minval": 1.0, "maxval": 1.0000001}
    oracle.compare(programs.called, "uniform", ((1000,),), bounds, exact=True)
    oracle.compare(programs.called, "uniform", ((3,),), {"minval": 2, "maxval": 1})
    oracle.compare(programs.called, "uniform", ((3,),), {"minval": float("nan")})


def test_check_32_bounds_broadcast(oracle):
    oracle.compare(programs.bounds, (2, 3), (3,), exact=True)
    oracle.compare(programs.bounds, (3,), (4,), raises=True)
    with pytest.raises(TypeError, match="as many elements"):  # jax: an invalid module
        programs.bounds(minijax, (), (3,))


@pytest.mark.parametrize("shape", [(), (3,)], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_check_64_program(oracle, shape, dtype):
    oracle.compare(programs.text, "uniform", (shape, dtype), {})


@pytest.mark.parametrize("bounds", [(5, 5), (9, 2), (0, 10), (-3, 2.9)], ids=str)
def test_check_33_randint(oracle, bounds):
    oracle.compare(programs.called, "randint", ((50,), *bounds), {}, exact=True)


def test_check_33_all_of_a_byte(oracle):
    oracle.compare(programs.called, "randint", ((2000,), 0, 256, "uint8"), {})


def test_check_33_a_bound_that_does_not_fit(oracle):
    oracle.compare(
        programs.called, "randint", ((4,), 0, 2**32, "uint32"), {}, raises=True
    )


def test_check_34_randint_refuses(oracle):
    oracle.compare(
        programs.called, "randint", ((4,), 0, 10, "float32"), {}, raises=True
    )
    oracle.compare(programs.integer_bounds, (2,), (3,), raises=True)


def test_check_53_default_dtypes(oracle):
    for x64 in (False, True):
        oracle.compare(programs.called, "uniform", ((2,),), {}, x64=x64, exact=True)
        oracle.compare(programs.called, "randint", ((2,), 0, 9), {}, x64=x64)


def test_check_54_a_dtype_of_64_bits_is_cut(oracle):
    assert oracle.compare(programs.warned, "uniform", "float64", exact=True)


def test_check_63_derivatives_by_the_bounds(oracle):
    oracle.compare(programs.slopes_of_uniform, exact=True)
