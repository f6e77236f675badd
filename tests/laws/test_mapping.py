"""vmap is a loop: over all operands, over each alone, over an axis that stands last."""

import pytest

from tests.laws import programs
from tests.samples import EVERY, SAMPLES

MAPPED = [name for name in EVERY if SAMPLES[name].mapped]
ALONE = [
    (n, i) for n in MAPPED for i in SAMPLES[n].mapped if len(SAMPLES[n].mapped) > 1
]


@pytest.mark.parametrize("name", MAPPED)
def test_mapping_over_every_operand(oracle, name):
    oracle.compare(programs.vmap_is_a_loop, name, SAMPLES[name].mapped)


@pytest.mark.parametrize("name, position", ALONE)
def test_mapping_over_one_operand(oracle, name, position):
    oracle.compare(programs.vmap_is_a_loop, name, (position,))


@pytest.mark.parametrize("name", MAPPED)
def test_mapping_over_a_last_axis(oracle, name):
    oracle.compare(programs.vmap_of_a_last_axis, name)
