"""Generators as records, and the dtypes that hold them."""

import numpy as np
import pytest

from minijax import random
from minijax.base import dtypes
from minijax.random.implementations import PRNGSpec, define_prng_impl
from tests.random import programs


def toy(tag="toy"):
    return define_prng_impl(
        key_shape=(1,),
        seed=programs.toy_seed,
        split=programs.toy_split,
        random_bits=programs.toy_bits,
        fold_in=programs.toy_fold_in,
        name="toy generator",
        tag=tag,
    )


def test_check_1_the_dtype_of_keys(oracle):
    oracle.compare(programs.dtype_facts)
    found = random.key(0).dtype
    assert dtypes.issubdtype(found, dtypes.prng_key)
    assert dtypes.issubdtype(found, dtypes.extended)
    assert not dtypes.issubdtype(found, np.integer)
    with pytest.raises(TypeError):
        np.dtype(found)
    assert found != "key<fry>"


def test_check_6_descriptions_that_are_wrong(oracle):
    for kw in ({"impl": "rbg", "dtype": "rbg"}, {"impl": "nope"}, {"impl": 3}):
        oracle.compare(programs.made_with, kw, raises=True)
    with pytest.raises(ValueError, match="threefry2x32") as caught:
        random.key(0, impl="nope")
    for name in ("rbg", "unsafe_rbg", "threefry4x32", "philox2x32", "philox4x32"):
        assert name in str(caught.value)


def test_check_7_descriptions(oracle):
    oracle.compare(programs.descriptions)
    assert hash(random.key_dtype("rbg")) == hash(random.key(0, impl="rbg").dtype)


def test_check_28_a_generator_of_ones_own():
    spec = toy()
    key = random.key(3, impl=spec)
    assert key.dtype.name == "key<toy>" and key.shape == ()
    assert random.split(key, 2).shape == (2,)
    assert random.bits(key, (4,)).tolist() == [3, 4, 5, 6]
    assert random.key_data(random.fold_in(key, 4)).tolist() == [7]
    assert random.uniform(key, (2,)).shape == (2,)
    assert isinstance(random.key_impl(key), PRNGSpec)
    assert random.key_impl(key) == spec
    assert "toy generator" in repr(spec) and str(spec) == "toy"


def test_records_with_other_tags_are_other_dtypes():
    assert random.key(0, impl=toy()).dtype is random.key(1, impl=toy()).dtype
    assert random.key(0, impl=toy()).dtype != random.key(0, impl=toy("two")).dtype
