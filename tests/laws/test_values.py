"""What a sample's call gives is what jax gives: the value, and the program's text."""

import pytest

from tests.laws import programs
from tests.samples import EVERY, SAMPLES


@pytest.mark.parametrize("name", EVERY)
def test_the_value_is_that_of_jax(oracle, name):
    oracle.compare(programs.plain, name)


@pytest.mark.parametrize("name", EVERY)
def test_the_value_in_64_bits_is_that_of_jax(oracle, name):
    oracle.compare(programs.plain, name, x64=True)


@pytest.mark.parametrize("name", [n for n in EVERY if SAMPLES[n].same_text])
def test_the_program_prints_as_in_jax(oracle, name):
    oracle.compare(programs.text, name)


@pytest.mark.parametrize("name", [n for n in EVERY if SAMPLES[n].shown])
def test_the_sample_binds_its_primitive(oracle, name):
    oracle.run_here(programs.binds_its_primitive, name)


@pytest.mark.parametrize("name", EVERY)
def test_jit_is_eager(oracle, name):
    oracle.compare(programs.jit_is_eager, name)
