"""`extend.random`: jax's names, threefry itself, and generators of one's own."""

import numpy as np

import minijax as mj
from minijax.extend import random as extended
from tests.extend import programs


def test_every_name_is_one_of_jax(oracle):
    record = oracle.compare(programs.there, "random", extended.__all__)
    assert len(record.children) == len(extended.__all__)


def test_threefry(oracle):
    words = np.array([7, 11], np.uint32)
    for count in (1, 4, 5):
        oracle.compare(programs.hashed, words, np.arange(count, dtype=np.uint32))


def test_keys_of_a_generator_given_as_an_object(oracle):
    oracle.compare(programs.seeded)


def test_a_generator_of_ones_own(oracle):
    record = oracle.compare(programs.counting)
    assert record.kind != "error"


def test_keys_of_ones_own_generator_are_mapped():
    impl = extended.define_prng_impl(
        key_shape=(1,),
        seed=lambda seed: mj.numpy.full((1,), seed, "uint32"),
        split=lambda key, shape: mj.numpy.broadcast_to(key, (*shape, 1)),
        random_bits=lambda key, width, shape: mj.numpy.full(shape, key[0], "uint32"),
        fold_in=lambda key, data: key + data,
        name="constant",
    )
    keys = extended.random_seed(np.arange(4), impl)
    bits = mj.vmap(lambda key: mj.random.bits(key, (2,)))(keys)
    assert np.array_equal(bits, np.arange(4)[:, None] * np.ones(2, int))
