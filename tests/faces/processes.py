"""Fresh processes: what holds whatever other tests have imported or entered."""

import os
import subprocess
import sys

from tests.faces.sources import ROOT


def child(source: str) -> str:
    """What a program prints in a process of its own, which must end well."""
    done = subprocess.run(
        [sys.executable, "-c", source],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        env={k: v for k, v in os.environ.items() if not k.startswith("PYTHON")},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
