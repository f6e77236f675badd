"""Every ordered pair of jit, vmap, checkpoint, jvp, linearize and grad, beside jax.

All pairs of a sample run as one staged program. Each by itself, not staged, is a longer
run of the same pairs.
"""

import pytest

from tests.laws import programs
from tests.samples import EVERY, SAMPLES

ONE_BY_ONE = [(n, *pair) for n in EVERY for pair in programs.pairs_of(SAMPLES[n])]


@pytest.mark.parametrize("name", EVERY)
def test_every_pair_of_transformations_in_64_bits(oracle, name):
    ours = oracle.compare(programs.every_pair, name, x64=True, rtol=1e-11, atol=1e-13)
    failed = ours.children[1][1].children
    assert [pair for pair, _ in failed] == []


@pytest.mark.slow
@pytest.mark.parametrize("name, outer, inner", ONE_BY_ONE)
def test_a_pair_by_itself(oracle, name, outer, inner):
    oracle.compare(programs.one_pair, name, outer, inner, rtol=1e-4, atol=1e-5)
