"""The samples themselves: enough of them, none that a law would pass for nothing."""

import numpy as np
import pytest

from tests.samples import DIFFERENTIABLE, EVERY, SAMPLES


def test_there_are_samples_for_every_family():
    assert len({sample.primitive for sample in SAMPLES.values()}) > 100
    assert len(DIFFERENTIABLE) > 80


@pytest.mark.parametrize("name", EVERY)
def test_the_two_elements_of_a_batch_differ(name):
    pairs = SAMPLES[name].pairs()
    for pair in (pairs[i] for i in SAMPLES[name].mapped):
        assert pair[0].tobytes() != pair[1].tobytes()


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_what_is_differentiated_is_inexact(name):
    sample = SAMPLES[name]
    kinds = {np.asarray(sample.operands[i]).dtype.kind for i in sample.differentiable}
    assert kinds <= {"f", "c"}
