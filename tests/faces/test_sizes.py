"""Files and functions stay short enough to be read once, from the top."""

import pytest

from tests.faces.sources import ROOT, functions

FOLDERS = ("minijax", "tests", "benchmarks", "examples")
FILES = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))

LINES_IN_A_FILE = 700
# Style asks for 40. A rule that is one long table of cases may be longer, no more than
# this.
LINES_IN_A_FUNCTION = 60


def test_no_file_has_more_than_700_lines():
    long = {}
    for path in FILES:
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > LINES_IN_A_FILE:
            long[str(path.relative_to(ROOT))] = lines
    assert not long


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_function_is_longer_than_a_screen(folder):
    long = [
        str(function)
        for path in FILES
        if path.is_relative_to(ROOT / folder)
        for function in functions(path)
        if function.length > LINES_IN_A_FUNCTION
    ]
    assert not long, "\n".join(long)


@pytest.mark.parametrize("folder", FOLDERS)
def test_few_functions_are_longer_than_40_lines(folder):
    every = [
        function
        for path in FILES
        if path.is_relative_to(ROOT / folder)
        for function in functions(path)
    ]
    long = [str(function) for function in every if function.length > 40]
    assert len(long) <= len(every) // 100, "\n".join(long)
