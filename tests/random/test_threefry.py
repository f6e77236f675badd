"""The Threefry block and its numbering."""

import numpy as np
import pytest

from tests.random import programs, vectors


@pytest.mark.parametrize("case", vectors.cases("threefry_2x32"), ids=vectors.name_of)
def test_golden(case):
    assert not vectors.difference(case)


@pytest.mark.parametrize(
    "key, counter, wanted",
    [
        ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
        ((2**32 - 1,) * 2, (2**32 - 1,) * 2, (0x1CB996FC, 0xBB002BE7)),
        (
            (0x13198A2E, 0x03707344),
            (0x243F6A88, 0x85A308D3),
            (0xC4923A9C, 0x483DF7A0),
        ),
    ],
)
def test_check_17_known_answers(oracle, key, counter, wanted):
    record = oracle.compare(programs.block, key, counter)
    assert record.array[2] == np.array(wanted, np.uint32).tobytes()


def test_check_17_words_are_unsigned(oracle):
    oracle.compare(programs.block_of, "int32", 4, raises=True)
    oracle.compare(programs.block_of, "uint32", 5, exact=True)


def test_check_64_program(oracle):
    oracle.compare(programs.text_of_block)


def test_check_22_the_other_numbering(oracle):
    oracle.compare(programs.in_halves, "split", ((2,),), exact=True)
    for dtype in ("uint8", "uint16", "uint32"):
        oracle.compare(programs.in_halves, "bits", ((7,), dtype), exact=True)


def test_check_66_loops_on_cpu_only(oracle):
    assert "stablehlo.while" in oracle.run_here(programs.lowered_bits).facts["value"]
    assert "stablehlo.while" not in programs.lowered_for_tpu()


def test_the_unrolled_block_is_the_looped_one():
    # Lowered for TPU the block is straight code; emitted for the CPU it must agree.
    assert programs.unrolled_and_looped_agree()
