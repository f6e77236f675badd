"""Arguments of samplers."""

import pytest

from minijax.random import arguments
from tests.random import programs


@pytest.mark.parametrize("shape", [3, (2, 3), [2], ()], ids=str)
def test_shapes(oracle, shape):
    oracle.compare(programs.called, "uniform", (shape,), {}, exact=True)


@pytest.mark.parametrize("shape", [2.0, (1.5,), "ab"], ids=str)
def test_no_shapes(oracle, shape):
    oracle.compare(programs.called, "uniform", (shape,), {}, raises=True)


def test_a_negative_size():
    with pytest.raises(ValueError):
        arguments.shape_of((2, -1))


@pytest.mark.parametrize("dtype", ["nope", "int32"], ids=str)
def test_no_dtypes(oracle, dtype):
    oracle.compare(programs.drawn_as, "uniform", dtype, raises=True)


def test_check_54_a_warning_names_both_dtypes(oracle):
    oracle.compare(programs.warned, "normal", "float64", exact=True)


def test_check_60_strict_options(oracle):
    oracle.compare(programs.under_strict_options)
