"""Generators whose bits come from XLA."""

import pytest

from tests.random import programs, vectors

IMPLS = ("rbg", "unsafe_rbg")
CASES = [case for case in vectors.CASES if case["key"].get("impl") in IMPLS]


@pytest.mark.parametrize("case", CASES, ids=vectors.name_of)
def test_check_25_and_26_golden(case):
    assert not vectors.difference(case)


@pytest.mark.parametrize("impl", IMPLS)
def test_check_25_mapped_bits_come_from_the_first_key(oracle, impl):
    oracle.compare(programs.mapped_bits, impl, exact=True)
