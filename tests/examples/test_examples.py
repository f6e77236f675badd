"""The examples do what they are shown for: they learn, and the second run is faster."""

import os
import re
import subprocess
import sys

import pytest

from tests.faces.sources import ROOT

LEVELS = ("dispatch", "parameters", "trace", "lowering", "executables", "disk")


def run(module: str, *words: str, cache: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", f"examples.{module}", *words],
        cwd=ROOT,
        env=dict(os.environ, JAX_COMPILATION_CACHE_DIR=cache, COLUMNS="100"),
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def number(pattern: str, text: str) -> float:
    found = re.search(pattern, text)
    assert found, f"{pattern} is not in:\n{text}"
    return float(found[1])


@pytest.fixture(scope="module")
def digits(tmp_path_factory):
    """The output of two runs, the second with the programs of the first on disk."""
    cache = str(tmp_path_factory.mktemp("cache"))
    return run("digits", cache=cache), run("digits", cache=cache)


def test_digits_are_read(digits):
    for text in digits:
        assert number(r"held-out accuracy ([\d.]+)%", text) > 95
        assert number(r"after ([\d.]+) s", text) < 60


def test_digits_shows_what_is_inside(digits):
    text = digits[0]
    jaxpr = text.index("{ lambda ;")
    assert jaxpr < text.index("dot_general") < text.index("module @jit_layer")
    assert "stablehlo.dot_general" in text
    # The six levels, each with its counts.
    for level, name in enumerate(LEVELS, 1):
        assert re.search(rf"^{level} +{name} .*\d", text, re.MULTILINE), text
    assert number(r"hundredth step ([\d.]+) ms", text) < 60


def test_the_second_run_starts_faster(digits):
    first, second = (number(r"first step ([\d.]+) ms", text) for text in digits)
    assert second < 0.7 * first


def test_the_transformer_learns_to_write(tmp_path):
    text = run("transformer", "--steps", "150", cache=str(tmp_path))
    assert number(r"loss ([\d.]+) at first", text) > 4
    # Guessing by how often each letter occurs costs 3.1 nats.
    assert number(r"([\d.]+) at last", text) < 2.7
