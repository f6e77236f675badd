"""Arrays of keys as values."""

import gc
import weakref

import pytest

import minijax
from minijax import random
from tests.random import programs


def test_check_2_text(oracle):
    oracle.compare(programs.texts)


def test_check_3_an_array_and_a_leaf():
    key = random.key(0)
    assert isinstance(key, minijax.Array)
    (leaf,) = minijax.tree.leaves(key)
    assert leaf is key


def test_check_9_equality(oracle):
    oracle.compare(programs.equalities)
    for other in ("number", "rbg"):
        oracle.compare(programs.compared_with, other, raises=True)


@pytest.mark.parametrize("operation", programs.REFUSED)
def test_check_10_refused(oracle, operation):
    oracle.compare(programs.refused, operation, raises=True)


@pytest.mark.parametrize("operation", programs.ARRANGED)
def test_check_11_arranging(oracle, operation):
    oracle.compare(programs.arranged, operation, exact=True)


def test_check_12_fills(oracle):
    oracle.compare(programs.fills, exact=True)


def test_check_13_two_generators(oracle):
    oracle.compare(programs.mixed, raises=True)


@pytest.mark.parametrize("construct", programs.CONSTRUCTS)
def test_check_14_constructs(oracle, construct):
    oracle.compare(programs.constructed, construct, exact=True)


def test_check_14_no_static_argument(oracle):
    oracle.compare(programs.static_key, raises=True)


def test_check_15_copies(oracle):
    oracle.compare(programs.copied)


def test_check_16_derivatives(oracle):
    oracle.compare(programs.slope_by_key, raises=True)
    oracle.compare(programs.tangent_of_split)


def test_keys_do_not_outlive_their_last_reference():
    key = random.key(0)
    alive = weakref.ref(key)
    del key
    gc.collect()
    assert alive() is None


def test_facts(oracle):
    oracle.compare(programs.facts)


def test_placement():
    keys = random.split(random.key(0), 3)
    (device,) = keys.devices()
    assert keys.device == device and not keys.committed
    assert minijax.device_put(keys, device).committed
    assert keys.block_until_ready() is keys and keys.is_ready()
    copy = keys.copy()
    copy.delete()
    assert copy.is_deleted() and not keys.is_deleted()
