"""Counters of elements."""

import numpy as np
import pytest

from minijax.random.counters import counters


@pytest.mark.parametrize("shape", [(), (3,), (0,), (2, 3), (2, 1, 4)], ids=str)
def test_elements_are_numbered_row_by_row(shape):
    high, low = counters(shape)
    assert high.shape == low.shape == shape
    assert high.dtype == low.dtype == "uint32"
    assert not np.asarray(high).any()
    assert np.asarray(low).ravel().tolist() == list(range(np.prod(shape, dtype=int)))


def test_more_elements_than_64_bits_count():
    with pytest.raises(NotImplementedError):
        counters((2**33, 2**33))


def test_check_66_counting_in_64_bits(oracle):
    from tests.random import programs

    words = oracle.run_here(programs.lowered_bits).facts["value"]
    assert "ui64" in words
