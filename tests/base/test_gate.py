"""What is refused before jaxlib is used, and what is loaded with the room."""

import json
import os
import subprocess
import sys

import pytest


def run(code, *options):
    """Output of a fresh process, or its error output."""
    done = subprocess.run(
        [sys.executable, *options, "-c", code],
        env={k: v for k, v in os.environ.items() if k != "TF_CPP_MIN_LOG_LEVEL"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.stdout if done.returncode == 0 else done.stderr


def test_the_real_jax_is_refused():
    code = "import sys; sys.modules['jax'] = sys; import minijax.base"
    message = run(code)
    assert "JaxAlreadyImportedError" in message and "two processes" in message


def test_the_real_jax_is_refused_and_keeps_working():
    code = (
        "import jax, jax.numpy as jnp\n"
        "for _ in range(2):\n"
        "    try: import minijax\n"
        "    except ImportError as error: print(type(error).__name__)\n"
        "print(jax.jit(lambda x: x + 1)(jnp.ones(2)))"
    )
    refusal = "JaxAlreadyImportedError\n"
    assert run(code) == refusal + refusal + "[2. 2.]\n"


def test_a_shield_is_not_jax():
    code = "import sys; sys.modules['jax'] = None; import minijax.base; print('fine')"
    assert run(code) == "fine\n"


def test_missing_jaxlib():
    code = "import sys; sys.modules['jaxlib'] = None; import minijax.base"
    message = run(code)
    assert "JaxlibMissingError" in message and "pip install" in message


def test_foreign_jaxlib():
    code = (
        "import sys, types; old = types.ModuleType('jaxlib.version');"
        "old.__version__ = '0.4.30'; sys.modules['jaxlib.version'] = old;"
        "import minijax.base"
    )
    message = run(code)
    assert "JaxlibVersionError" in message
    assert "0.4.30" in message and ">=0.11.2,<0.13" in message


@pytest.mark.parametrize(
    ("version", "fits"),
    [
        ("0.11.1", False),
        ("0.11.2", True),
        ("0.12.0.1", True),
        ("0.12.9.dev20260101", True),
        ("0.13", False),
        ("0.13.0", False),
        ("1.0", False),
    ],
)
def test_versions(version, fits):
    from minijax.base import errors, gate

    if fits:
        gate.check_version(version)
    else:
        with pytest.raises(errors.JaxlibVersionError) as caught:
            gate.check_version(version)
        assert isinstance(caught.value, ImportError)
        assert caught.value.version == version


def test_log_level_is_set_and_respected():
    code = "import os, minijax.base; print(os.environ['TF_CPP_MIN_LOG_LEVEL'])"
    assert run(code) == "1\n"
    assert run("import os; os.environ['TF_CPP_MIN_LOG_LEVEL'] = '0';" + code) == "0\n"


def test_the_room_is_light():
    # The parent package is not the room: it is left out.
    code = (
        "import sys, types, json; parent = types.ModuleType('minijax');"
        "parent.__path__ = ['minijax']; sys.modules['minijax'] = parent;"
        "import minijax.base; print(json.dumps(sorted(sys.modules)))"
    )
    loaded = json.loads(run(code))
    heavy = ("scipy.", "jax.", "jaxlib.mlir.", "absl.", "sklearn.")
    assert not [name for name in loaded if f"{name}.".startswith(heavy)]
    assert "jaxlib._jax" in loaded
