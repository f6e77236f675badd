"""Attention."""

import pytest

from tests.nn import programs


@pytest.mark.parametrize("option", programs.OPTIONS)
def test_check_13_and_14_values(oracle, option):
    oracle.compare(programs.attention, option, atol=2e-6)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_short_floats(oracle, dtype):
    oracle.compare(programs.attention, "plain", dtype, atol=1e-2)


def test_check_13_without_a_batch(oracle):
    oracle.compare(programs.attention_without_batch, atol=2e-6)


def test_derivative(oracle):
    oracle.compare(programs.attention_slope, atol=1e-5)


@pytest.mark.parametrize(
    "what",
    ["implementation", "cudnn", "mask", "bias shape", "heads", "dtype", "rank"],
)
def test_check_13_refused(oracle, what):
    oracle.compare(programs.bad_attention, what, raises=True)
