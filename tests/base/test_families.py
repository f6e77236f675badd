"""The families of dtypes are disjoint, complete, and are what numpy says of them."""

import ml_dtypes
import numpy as np
import pytest

from tests.base import programs


def test_families_are_disjoint_and_cover_every_name():
    from minijax.base import dtypes

    parts = [
        {dtypes.BOOL},
        dtypes.SIGNED,
        dtypes.UNSIGNED,
        dtypes.FLOATS,
        dtypes.COMPLEXES,
    ]
    assert sum(map(len, parts)) == len(dtypes.ARRAY_DTYPES) == len(programs.NAMES)
    assert {np.dtype(name) for name in programs.NAMES} == dtypes.ARRAY_DTYPES
    assert {np.dtype(name) for name in programs.SMALL_FLOATS} == dtypes.SMALL_FLOATS
    assert dtypes.INTEGERS == dtypes.SIGNED | dtypes.UNSIGNED
    assert dtypes.INEXACT == dtypes.FLOATS | dtypes.COMPLEXES


def test_signs_agree_with_the_values():
    from minijax.base import dtypes

    for dtype in dtypes.SIGNED:
        assert ml_dtypes.iinfo(dtype).min < 0
    for dtype in dtypes.UNSIGNED:
        assert ml_dtypes.iinfo(dtype).min == 0


def test_an_extended_dtype_knows_its_size_and_name():
    from minijax.base import dtypes

    class Pair(dtypes.ExtendedDType):
        __slots__ = ()
        type = dtypes.prng_key

    pair = Pair("key<pair>", (3, 2), np.dtype("uint32"))
    assert (pair.itemsize, repr(pair), str(pair)) == (24, "key<pair>", "key<pair>")
    assert pair == pair and pair != Pair("key<pair>", (3, 2), np.dtype("uint32"))
    assert dtypes.name_of(pair) == "key<pair>"


@pytest.mark.parametrize("name", ["extended", "prng_key"])
def test_abstract_types_are_no_numbers(name):
    from minijax.base import dtypes

    assert issubclass(getattr(dtypes, name), np.generic)
    assert not issubclass(getattr(dtypes, name), np.number)
