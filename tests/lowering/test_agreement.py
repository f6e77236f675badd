"""The text of lowered programs is jax's, word for word: spec/lowering.md §23."""

import pytest

from tests.lowering.programs import CHECKS


@pytest.mark.parametrize("program", CHECKS, ids=lambda program: program.__name__)
def test_text_is_that_of_jax(oracle, program):
    oracle.compare(program)
