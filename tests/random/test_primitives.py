"""The primitives of keys."""

import numpy as np
import pytest

from minijax import random, vmap
from minijax.random import primitives
from tests.random import programs


def test_check_24_mapped_bits(oracle):
    oracle.compare(programs.nested_maps, exact=True)


@pytest.mark.parametrize("name", ["split", "bits", "fold_in", "key"])
def test_check_65_a_batch_is_one_equation(oracle, name):
    oracle.compare(programs.text_of_mapped, name)


def test_folding_numbers_into_one_key_and_one_number_into_keys():
    key = random.key(0)
    keys, numbers = random.split(key, 3), np.arange(3, dtype=np.uint32)
    folded = vmap(lambda n: random.fold_in(key, n))(numbers)
    wanted = [random.key_data(random.fold_in(key, int(n))) for n in numbers]
    assert np.array_equal(random.key_data(folded), np.stack(wanted))
    folded = vmap(lambda k: random.fold_in(k, 7))(keys)
    wanted = [random.key_data(random.fold_in(k, 7)) for k in keys]
    assert np.array_equal(random.key_data(folded), np.stack(wanted))


def test_folding_two_axes_into_each_other():
    keys, numbers = random.split(random.key(0), 2), np.arange(3, dtype=np.uint32)
    rows = vmap(lambda k: vmap(lambda n: random.fold_in(k, n))(numbers))(keys)
    for i, key in enumerate(keys):
        for j, number in enumerate(numbers):
            wanted = random.key_data(random.fold_in(key, int(number)))
            assert np.array_equal(random.key_data(rows)[i, j], wanted)


@pytest.mark.parametrize("name", ["split", "fold_in", "bits", "unwrap"])
def test_words_are_no_keys(name):
    words = np.zeros(2, np.uint32)
    params = {"split": {"shape": (2,)}, "bits": {"bit_width": 32, "shape": ()}}
    operands = (words, np.uint32(0)) if name == "fold_in" else (words,)
    with pytest.raises(TypeError):
        primitive = getattr(primitives, f"random_{name}_p")
        primitive.bind(*operands, **params.get(name, {}))
