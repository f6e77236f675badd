"""The order of types against jax: all pairs, many triples, both widths, both modes."""

import random

import pytest

from tests.base import programs

MODES = [(m, x64) for m in ("standard", "strict") for x64 in (False, True)]
NODES = [*programs.NAMES, *programs.WEAK]


@pytest.mark.parametrize(("mode", "x64"), MODES)
def test_check_2_every_pair_joins_as_in_jax(oracle, mode, x64):
    ours = programs.here(programs.joined_pairs, mode, x64=x64)
    theirs = programs.there(oracle, programs.joined_pairs, mode, x64=x64)
    assert len(ours) == len(NODES) ** 2
    assert ours == theirs
    for pair, answer in ours.items():
        a, b = pair.split()
        assert ours[f"{b} {a}"] == answer


@pytest.mark.parametrize(("mode", "x64"), MODES)
def test_triples_join_as_in_jax(oracle, mode, x64):
    choose = random.Random(7)
    triples = [tuple(choose.choices(NODES, k=3)) for _ in range(600)]
    ours = programs.here(programs.joined_triples, mode, triples, x64=x64)
    theirs = programs.there(oracle, programs.joined_triples, mode, triples, x64=x64)
    assert ours == theirs


@pytest.mark.parametrize(("mode", "x64"), MODES)
def test_promote_types_of_every_pair_is_jaxs(oracle, mode, x64):
    ours = programs.here(programs.promoted_pairs, mode, x64=x64)
    assert ours == programs.there(oracle, programs.promoted_pairs, mode, x64=x64)


CELLS = [  # row, column, result and weakness: samples of the table in the spec, x64 on
    ("bool", "int", "int64", True),
    ("uint8", "int8", "int16", False),
    ("uint32", "int32", "int64", False),
    ("uint64", "int8", "float64", True),
    ("bfloat16", "float16", "float32", False),
    ("bfloat16", "float", "bfloat16", False),
    ("float16", "complex", "complex64", False),
    ("float64", "complex64", "complex128", False),
    ("int8", "float", "float64", True),
    ("int8", "int", "int8", False),
    ("int", "float", "float64", True),
]


@pytest.mark.parametrize(("a", "b", "dtype", "weak"), CELLS)
def test_check_2_cells_of_the_table(a, b, dtype, weak):
    from minijax.base import dtypes, flags

    with flags.enable_x64(True):
        found = dtypes.lattice_result_type(programs.operand(a), programs.operand(b))
    assert found == (dtypes.to_dtype(dtype), weak)


def test_without_x64_uint32_and_int32_meet_in_int32():
    from minijax.base import dtypes

    assert dtypes.promote_types("uint32", "int8") == "int32"
    assert dtypes.promote_types("uint64", "int8") == "float64"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("int4", "int8"),
        ("float8_e4m3fn", "float32"),
        ("float8_e4m3fn", "float8_e5m2"),
        ("int4", "float"),
        ("float8_e4m3fn", "complex"),
    ],
)
def test_check_3_narrow_types_do_not_meet(a, b):
    from minijax.base import dtypes, errors

    with pytest.raises(errors.TypePromotionError) as caught:
        dtypes.lattice_result_type(programs.operand(a), programs.operand(b))
    named = {a, f"a Python {b}" if b in programs.WEAK else b}
    assert set(caught.value.dtypes) == named
    assert all(name in str(caught.value) for name in named)


@pytest.mark.parametrize(
    ("a", "b", "dtype"),
    [
        ("int4", "int", "int4"),
        ("float8_e4m3fn", "int", "float8_e4m3fn"),
        ("float8_e4m3fn", "float", "float8_e4m3fn"),
    ],
)
def test_check_3_narrow_types_keep_their_dtype(a, b, dtype):
    from minijax.base import dtypes

    found = dtypes.lattice_result_type(programs.operand(a), programs.operand(b))
    assert found == (dtypes.to_dtype(dtype), False)


@pytest.mark.parametrize(
    ("a", "b"), [("int32", "float32"), ("int32", "float"), ("bool", "int")]
)
def test_check_4_strict_mode_refuses(a, b):
    from minijax.base import dtypes, errors, flags

    with (
        flags.numpy_dtype_promotion("strict"),
        pytest.raises(errors.TypePromotionError, match="strict") as caught,
    ):
        dtypes.result_type(programs.operand(a), programs.operand(b))
    assert caught.value.mode == "strict"


@pytest.mark.parametrize(
    ("a", "b"), [("float32", "int"), ("int32", "int"), ("float32", "float")]
)
def test_check_4_strict_mode_lets_weak_values_yield(a, b):
    from minijax.base import dtypes, flags

    with flags.numpy_dtype_promotion("strict"):
        assert dtypes.result_type(programs.operand(a), programs.operand(b)) == a
