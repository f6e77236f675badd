"""Texts that people read (jaxprs, StableHLO) are as the files here show them."""

import pytest

from tests.golden.texts import AS_IN_JAX, FOLDER, TEXTS, file_of


@pytest.mark.parametrize("program", TEXTS, ids=lambda f: f.__name__)
def test_the_text_is_the_one_kept(oracle, program):
    ours = oracle.run_here(program).facts["value"]
    assert ours.rstrip() == file_of(program).read_text().rstrip()


@pytest.mark.parametrize("program", AS_IN_JAX, ids=lambda f: f.__name__)
def test_the_text_kept_is_that_of_jax(oracle, program):
    theirs = oracle.run_jax(program).facts["value"]
    assert file_of(program).read_text().rstrip() == theirs.rstrip()


def test_every_file_has_its_program():
    assert {file_of(p) for p in TEXTS} == set(FOLDER.glob("*.txt"))
