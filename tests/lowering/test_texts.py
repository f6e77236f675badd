"""Modules as text and bytes: spec/lowering.md §5."""

import re
import subprocess
import sys

import pytest

from minijax import lowering
from minijax.base import flags
from tests.lowering.toys import f32, lower, sin


def test_text_with_and_without_places():
    low = lower(sin, f32(2))
    assert "loc(" not in lowering.as_text(low.module)
    assert "loc(" in lowering.as_text(low.module, debug_info=True)


def test_bytecode_reads_back():
    low = lower(sin, f32(2))
    again = lowering.parse_module(lowering.bytecode(low.module))
    assert lowering.as_text(again) == low.as_text()

    # The numbers of locations depend on what the context has seen; the places do not.
    def places(text: str) -> list[str]:
        return sorted(re.findall(r'"[^"]*"(?::\d+:\d+)?', text))

    found = places(lowering.as_text(again, debug_info=True))
    assert found == places(low.as_text(debug_info=True))
    assert any("jit(f)" in place for place in found)


def test_a_copy_without_places():
    low = lower(sin, f32(2))
    copy = lowering.without_debug_info(low.module)
    assert "jit(f)" not in copy.operation.get_asm(enable_debug_info=True)
    assert "jit(f)" in low.as_text(debug_info=True)


KEY_PROGRAM = """
import hashlib
from tests.lowering.toys import add, f32, lower, sin
low = lower(lambda x: sin(add(x, 1.0)), f32(2), for_compile=True)
print(hashlib.sha256(low.key_bytes()).hexdigest())
"""


@pytest.mark.parametrize("seed", ["1", "2"])
def test_key_bytes_are_the_same_in_every_process(seed):
    def digest(seed):
        done = subprocess.run(
            [sys.executable, "-c", KEY_PROGRAM],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            check=True,
            text=True,
            timeout=60,
        )
        return done.stdout

    assert digest(seed) == digest("0")
    assert len(digest(seed)) == 65


def test_check_16_dumps_are_numbered(monkeypatch, tmp_path):
    monkeypatch.setattr(flags.dump_ir_to, "value", str(tmp_path / "new"))
    paths = [lowering.dump("text", name, "compile") for name in ("jit_foo", "jit_g")]
    names = [path.rsplit("/", 1)[1] for path in paths]
    numbers = [int(name[6:10]) for name in names]
    assert numbers[1] == numbers[0] + 1
    assert names[0] == f"jax_ir{numbers[0]:04d}_jit_foo_compile.mlir"
    assert (tmp_path / "new" / names[1]).read_text() == "text"
