"""Philox and the wide Threefry."""

import pytest

from tests.random import programs, vectors

IMPLS = ("threefry4x32", "philox2x32", "philox4x32")
CASES = [case for case in vectors.CASES if case["key"].get("impl") in IMPLS]


@pytest.mark.parametrize("case", CASES, ids=vectors.name_of)
def test_check_26_golden(case):
    assert not vectors.difference(case)


@pytest.mark.parametrize("impl", IMPLS)
def test_mapped_bits(oracle, impl):
    oracle.compare(programs.mapped_bits, impl, exact=True)


@pytest.mark.parametrize("impl", IMPLS)
def test_64_bits(oracle, impl):
    oracle.compare(programs.of_impl, "bits", impl, ((5,),), x64=True, exact=True)
