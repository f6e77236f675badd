"""Runs a piece of Python in a fresh process, for what a process can do only once."""

import os
import pathlib
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(code, *, devices=1, ok=True, **env):
    """What `code` printed. devices: how many CPU devices the process has."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "JAX_NUM_CPU_DEVICES": str(devices),
        **env,
    }
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={name: value for name, value in environment.items() if value is not None},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if ok:
        assert done.returncode == 0, done.stderr
        return done.stdout
    return done
