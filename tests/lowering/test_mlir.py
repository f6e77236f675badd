"""The gate to MLIR: spec/jaxlib.md §2."""

import subprocess
import sys
import threading

import pytest

from minijax import lowering
from minijax.lowering import mlir
from tests.lowering.toys import f32, lower, make, sin, text


def test_importing_minijax_loads_no_mlir():
    code = (
        "import sys, minijax, minijax.lowering\n"
        "found = [m for m in sys.modules if m.startswith('jaxlib.mlir')]\n"
        "assert not found, found"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_a_thread_has_one_session():
    first = lowering.current_session()
    assert lowering.current_session() is first
    others = []
    thread = threading.Thread(target=lambda: others.append(lowering.current_session()))
    thread.start()
    thread.join()
    assert others[0] is not first


def test_a_full_session_is_retired_between_two_lowerings(monkeypatch):
    monkeypatch.setattr(mlir, "_MAX_ENTRIES", 0)
    with lowering.open_session() as outer:
        lowering.ir_type(f32(2))
        assert outer.is_full
        with lowering.open_session() as inner:
            assert inner is outer  # a rule that lowers keeps the context it is in
    with lowering.open_session() as next_one:
        assert next_one is not outer


def test_a_module_outlives_its_session(monkeypatch):
    low = lower(sin, f32(2))
    monkeypatch.setattr(mlir, "_MAX_ENTRIES", 0)
    lower(sin, f32(3))
    lower(sin, f32(4))
    assert "stablehlo.sine" in low.as_text()
    assert low.key_bytes()


@pytest.mark.parametrize("op", ["stablehlo.sine", "chlo.erf"])
def test_operations_are_registered(op):
    """An operation whose dialect is not loaded prints in quotes and is not verified."""
    printed = text(make("p", lowering.emit(op)).bind, f32(2))
    assert f"{op} %arg0" in printed
    assert '"' not in printed


def test_parsed_modules_have_a_context_of_their_own():
    low = lower(sin, f32(2))
    again = low.own_module()
    assert again.context is not low.module.context
    assert lowering.as_text(again) == low.as_text()


def test_tables_compute_what_they_lack():
    asked = []
    table = mlir.Table(lambda key: asked.append(key) or key * 2)
    assert [table[2], table[2], table[3]] == [4, 4, 6]
    assert asked == [2, 3]
