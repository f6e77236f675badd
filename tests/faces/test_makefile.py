"""The interpreter search of `tools/find-python`, and what `make` promises on top of it.

Fake interpreters are shell scripts: one answers as the search's probe wants, one is too
old, one is a version manager's shim that fails, one lacks `venv`.
"""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SEARCH = ROOT / "tools" / "find-python"

GOOD = 'cat > /dev/null; echo "$0"'
OLD = 'cat > /dev/null; echo "is version 3.11"; exit 3'
SHIM = 'echo "shim: python3.12: command not found" >&2; exit 127'
BARE = 'cat > /dev/null; echo "lacks venv or ensurepip"; exit 3'


def interpreter(path: pathlib.Path, body: str) -> pathlib.Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def machine(tmp_path):
    """A machine with no Python at all: a PATH with the few tools the search needs."""
    for tool in ("sh", "cat"):
        (tmp_path / "bin").mkdir(exist_ok=True)
        (tmp_path / "bin" / tool).symlink_to(shutil.which(tool))
    (tmp_path / "home").mkdir()
    return tmp_path


def search(machine: pathlib.Path, **variables: str) -> subprocess.CompletedProcess:
    env = {"PATH": str(machine / "bin"), "HOME": str(machine / "home"), **variables}
    return subprocess.run(
        [str(SEARCH)], env=env, capture_output=True, text=True, timeout=60
    )


def test_the_newest_name_on_path_wins(machine):
    interpreter(machine / "bin/python3.12", GOOD)
    newest = interpreter(machine / "bin/python3.14", GOOD)
    interpreter(machine / "bin/python3", GOOD)
    assert search(machine).stdout == f"{newest}\n"


def test_a_shim_that_fails_is_passed_over(machine):
    interpreter(machine / "bin/python3.13", SHIM)
    good = interpreter(machine / "bin/python3.12", GOOD)
    assert search(machine).stdout == f"{good}\n"


def test_python3_is_taken_when_it_is_new_enough(machine):
    good = interpreter(machine / "bin/python3", GOOD)
    assert search(machine).stdout == f"{good}\n"


def test_pyenv_is_searched_when_python3_is_old(machine):
    interpreter(machine / "bin/python3", OLD)
    interpreter(machine / "bin/python3.12", SHIM)
    interpreter(machine / "home/.pyenv/versions/3.11.7/bin/python", GOOD)
    good = interpreter(machine / "home/.pyenv/versions/3.12.1/bin/python", GOOD)
    assert search(machine).stdout == f"{good}\n"


def test_pyenv_root_is_respected_and_the_newest_version_wins(machine):
    interpreter(machine / "roots/versions/3.12.1/bin/python", GOOD)
    good = interpreter(machine / "roots/versions/3.13.0/bin/python", GOOD)
    found = search(machine, PYENV_ROOT=str(machine / "roots"))
    assert found.stdout == f"{good}\n"


@pytest.mark.parametrize(
    "folder", ["cpython-3.13.1-linux-x86_64-gnu", "cpython-3.13-linux-x86_64-gnu"]
)
def test_uv_is_searched(machine, folder):
    place = machine / "home/.local/share/uv/python" / folder / "bin/python3"
    good = interpreter(place, GOOD)
    assert search(machine).stdout == f"{good}\n"


def test_a_python_without_venv_is_passed_over(machine):
    interpreter(machine / "bin/python3.13", BARE)
    good = interpreter(machine / "home/.pyenv/versions/3.12.1/bin/python", GOOD)
    assert search(machine).stdout == f"{good}\n"


def test_no_suitable_python_gives_one_message_that_says_what_to_install(machine):
    interpreter(machine / "bin/python3", OLD)
    interpreter(machine / "bin/python3.12", SHIM)
    found = search(machine)
    assert found.returncode == 1
    assert found.stdout == ""
    assert "needs Python 3.12 or newer" in found.stderr
    assert "python3 is version 3.11" in found.stderr
    assert "python3.12 does not run" in found.stderr
    assert "uv python install" in found.stderr


def test_nothing_at_all_is_said_so(machine):
    found = search(machine)
    assert found.returncode == 1
    assert "no python3 on PATH" in found.stderr


def test_a_named_interpreter_is_used_or_refused(machine):
    interpreter(machine / "bin/python3.13", GOOD)
    named = interpreter(machine / "elsewhere/python", GOOD)
    old = interpreter(machine / "elsewhere/old", OLD)
    assert search(machine, PYTHON=str(named)).stdout == f"{named}\n"
    refused = search(machine, PYTHON=str(old))
    assert refused.returncode == 1
    assert f"PYTHON={old} cannot be used" in refused.stderr


def test_the_probe_itself_accepts_this_interpreter(machine):
    found = search(machine, PYTHON=sys.executable)
    assert found.returncode == 0, found.stderr
    assert os.path.exists(found.stdout.strip())


# -- make ------------------------------------------------------------------------------


@pytest.fixture
def clone(tmp_path):
    """A clone with a fake Python whose environments only record what they are told."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "tools").mkdir()
    shutil.copy(SEARCH, tmp_path / "tools")
    log = tmp_path / "log"
    fake = tmp_path / "python"
    # Asked for `-m venv FOLDER`, it puts itself there; as the probe, it answers.
    interpreter(
        fake,
        f'case "$1" in -) cat > /dev/null; echo "$0";; *) echo "$*" >> {log};'
        ' if [ "$2" = venv ]; then mkdir -p "$3/bin"; cp "$0" "$3/bin/python"; fi;;'
        " esac",
    )
    return tmp_path


def make(clone: pathlib.Path, *words: str) -> list[str]:
    """What the fake Python was told during one `make`."""
    log = clone / "log"
    log.write_text("")
    done = subprocess.run(
        ["make", "--no-print-directory", *words, f"PYTHON={clone / 'python'}"],
        cwd=clone,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return log.read_text().splitlines()


@pytest.mark.skipif(shutil.which("make") is None, reason="make is what is tested here")
def test_a_second_make_installs_nothing(clone):
    first = make(clone, "test")
    assert first[0] == "-m venv .venv"
    assert first[1].startswith("-m pip install") and ".[test]" in first[1]
    assert first[2] == "-m pytest -n 2"
    assert make(clone, "test") == ["-m pytest -n 2"]


@pytest.mark.skipif(shutil.which("make") is None, reason="make is what is tested here")
def test_a_changed_project_file_installs_again(clone):
    make(clone, "demo")
    stamp = clone / ".venv/.installed-demo"
    later = stamp.stat().st_mtime + 10
    os.utime(clone / "pyproject.toml", (later, later))
    again = make(clone, "demo")
    assert again[0].startswith("-m pip install") and ".[demo]" in again[0]
    assert again[1] == "-m examples.digits"


@pytest.mark.skipif(shutil.which("make") is None, reason="make is what is tested here")
@pytest.mark.parametrize(
    "target, last",
    [
        ("test-all", "-m pytest -n 2 -m "),
        ("bench", "-m benchmarks"),
        ("lint", "-m mypy"),
        ("docs", "-m pytest tests/docs"),
    ],
)
def test_every_target_sets_up_what_it_needs(clone, target, last):
    told = make(clone, target)
    extra = {"test-all": "test"}.get(target, target)
    assert any(f".[{extra}]" in line for line in told)
    assert told[-1].strip() == last.strip()
