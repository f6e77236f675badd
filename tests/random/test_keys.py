"""Keys as users meet them."""

import pytest

from tests.random import programs, vectors

DEFAULT = [
    case
    for case in vectors.cases("key", "PRNGKey", "split", "fold_in", "bits")
    if case["key"].get("impl") is None
]


@pytest.mark.parametrize("case", DEFAULT, ids=vectors.name_of)
def test_check_4_18_20_21_golden(case):
    assert not vectors.difference(case)


@pytest.mark.parametrize("seed", [2**63, -(2**63) - 1], ids=str)
@pytest.mark.parametrize("x64", [False, True])
def test_check_4_seeds_that_64_bits_do_not_hold(oracle, seed, x64):
    oracle.compare(programs.seeded, seed, x64=x64, raises=True)


@pytest.mark.parametrize("seed", [1.0, "a", None, [1, 2], 1j], ids=str)
def test_check_5_no_seeds(oracle, seed):
    oracle.compare(programs.seeded, seed, raises=True)


def test_check_5_a_key_is_no_seed(oracle):
    oracle.compare(programs.seeded_by_a_key, raises=True)
    oracle.compare(programs.seeded_by_a_flag, raises=True)


def test_check_8_words(oracle):
    oracle.compare(programs.rewrapped)
    for name in ("three", "signed", "list", "scalar"):
        oracle.compare(programs.wrapped, name, raises=True)


def test_check_18_splitting_is_folding(oracle):
    oracle.compare(programs.split_is_fold_in)


@pytest.mark.parametrize("num", [(), 0, (2, 3), 6], ids=str)
def test_check_19_shapes_of_split(oracle, num):
    oracle.compare(programs.words_of_split, num, exact=True)


def test_check_19_no_number(oracle):
    oracle.compare(programs.words_of_split, 2.0, raises=True)


@pytest.mark.parametrize("data", [-1, 2**32], ids=str)
def test_check_20_numbers_that_32_bits_do_not_hold(oracle, data):
    oracle.compare(programs.folded, data, raises=True)


def test_check_20_numbers_of_other_dtypes(oracle):
    for data, dtype in ((-1, "int32"), (7, "int8"), (2.9, "float32")):
        oracle.compare(programs.folded_typed, data, dtype, exact=True)
    oracle.compare(programs.folded_typed, [1, 2], "int32", raises=True)


def test_check_20_several_keys(oracle):
    for name in ("split", "bits", "uniform", "normal"):
        oracle.compare(programs.of_several_keys, name, raises=True)


def test_check_21_narrow_bits(oracle):
    oracle.compare(programs.narrow_bits)
    oracle.compare(programs.drawn_as, "bits", "int32", raises=True)


def test_check_23_x64_changes_no_bits(oracle):
    oracle.compare(programs.same_bits)


def test_check_58_raw_keys(oracle):
    oracle.compare(programs.raw_keys, exact=True)
    for name in ("three", "number", "text", "none", "list", "matrix"):
        oracle.compare(programs.bad_key, name, raises=True)


@pytest.mark.parametrize(
    "flag, value",
    [
        ("jax_legacy_prng_key", "error"),
        ("jax_legacy_prng_key", "warn"),
        ("jax_enable_custom_prng", True),
        ("jax_default_prng_impl", "rbg"),
        ("jax_random_seed_offset", 10),
    ],
)
def test_check_59_flags(oracle, flag, value):
    oracle.compare(programs.under_flag, flag, value, exact=True)


@pytest.mark.parametrize(
    "name",
    ["key", "split", "raw split", "fold in", "fold in 7", "raw bits", "iterated"],
)
def test_check_64_programs(oracle, name):
    oracle.compare(programs.text_of_keys, name)


def test_check_67_views_cost_nothing(oracle):
    for name in ("clone", "wrap_key_data", "key_data"):
        words = oracle.run_here(programs.lowered_view, name).facts["value"]
        assert "= stablehlo." not in words


def test_a_seed_that_is_traced(oracle):
    oracle.compare(programs.traced_seed, exact=True)
