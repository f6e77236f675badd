"""The pages of documentation as programs.

A block fenced as `python` is run; all blocks of a page run in order, in one fresh
process and one namespace. A block fenced as `text` right after one is what that
printed, and must match. A block that prints may do without: what depends on the machine
is shown so.

    python -m tests.docs.pages README.md        shows what each block prints
"""

import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

# Runs the blocks on stdin and answers with what each printed. The first block that
# raises ends it; an error that is meant to be shown is caught by its block.
RUNNER = """
import contextlib, io, json, sys, traceback
names, printed = {"__name__": "__main__"}, []
for block in json.load(sys.stdin):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            exec(compile(block, "<block>", "exec"), names)
        except Exception:
            out.write(traceback.format_exc())
    printed.append(out.getvalue())
print(json.dumps(printed))
"""


@dataclasses.dataclass(frozen=True)
class Block:
    """A block of code, the line it starts at, and what the page says it prints."""

    code: str
    line: int
    printed: str | None


def blocks(page: pathlib.Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    fences = list(FENCE.finditer(text))
    found = []
    for fence, after in zip(fences, [*fences[1:], None]):
        if fence[1] != "python":
            continue
        follows = after is not None and not text[fence.end() : after.start()].strip()
        shown = after[2] if follows and after[1] == "text" else None
        found.append(Block(fence[2], text.count("\n", 0, fence.start()) + 1, shown))
    return found


def run(page: pathlib.Path) -> list[str]:
    """What each block of a page prints, a traceback included."""
    done = subprocess.run(
        [sys.executable, "-c", RUNNER],
        input=json.dumps([block.code for block in blocks(page)]),
        cwd=ROOT,
        env=dict(os.environ, PYTHONPATH=str(ROOT), JAX_PLATFORMS="cpu"),
        capture_output=True,
        text=True,
        timeout=240,
    )
    if done.returncode:
        raise RuntimeError(f"{page.name} did not run:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


if __name__ == "__main__":
    for name in sys.argv[1:]:
        page = pathlib.Path(name).resolve()
        for block, printed in zip(blocks(page), run(page)):
            print(f"--- {page.name}:{block.line}\n{printed}", end="")
