"""Transformations inside each other: every pair around every kind of body."""

import itertools

import pytest

from tests.transforms.nesting_programs import BODIES, PROGRAMS, RAISING, TRANSFORMS, nested_all


def run(J, name):
    return PROGRAMS[name](J)


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_program(oracle, name):
    oracle.compare(run, name, raises=name in RAISING)


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("inner", TRANSFORMS)
def test_pairs(oracle, body, inner):
    names = [(inner, outer) for outer in TRANSFORMS]
    oracle.compare(nested_all, body, names, rtol=2e-5, atol=1e-6)
