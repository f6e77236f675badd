"""Transformations inside each other: every pair around every kind of body."""

import random

import pytest

from tests.transforms.nesting_programs import BODIES, TRANSFORMS, nested_all


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("inner", TRANSFORMS)
def test_pairs(oracle, body, inner):
    names = [(inner, outer) for outer in TRANSFORMS]
    oracle.compare(nested_all, body, names, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("body", BODIES)
def test_deep(oracle, body):
    chosen = random.Random(body)
    names = [tuple(chosen.choices(list(TRANSFORMS), k=k)) for k in (3, 3, 4)]
    oracle.compare(nested_all, body, names, rtol=1e-4, atol=1e-5)
