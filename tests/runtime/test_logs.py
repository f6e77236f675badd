import logging
import re

import numpy as np
import pytest

from minijax import lax
from minijax.base import flags
from minijax.runtime import clear_caches, listeners, put
from minijax.transforms import jit, make_jaxpr


@pytest.fixture
def events():
    seen = []

    def listen(name, start, seconds, fields):
        seen.append((name, fields["fun_name"]))
        assert seconds >= 0
        assert start > 0

    listeners.append(listen)
    yield seen
    listeners.remove(listen)


@pytest.fixture
def x():
    clear_caches()
    return put(np.ones(3, np.float32))


def named(x):
    return lax.sin(x)


def test_check_49_events_of_a_cold_and_a_warm_call(events, x):
    f = jit(named)
    f(x)
    assert events == [
        ("trace", "named"),
        ("lower", "jit(named)"),
        ("compile", "jit(named)"),
    ]
    events.clear()
    f(x)
    assert events == []


def test_check_49_events_of_parts(events, x):
    jit(named).lower(x)
    assert [name for name, _ in events] == ["trace", "lower"]
    events.clear()
    make_jaxpr(lambda x: lax.sin(x))(x)
    assert [name for name, _ in events] == ["trace"]
    events.clear()
    inner = jit(lambda x: lax.cos(x))
    jit(lambda x: inner(x))(x)
    assert [name for name, _ in events] == ["trace", "lower", "compile"]


def test_check_50_lines_of_log_compiles(caplog, x):
    with caplog.at_level(logging.DEBUG, "minijax"), flags.log_compiles(True):
        jit(named)(x)
    lines = [r.getMessage() for r in caplog.records if r.levelno == logging.WARNING]
    patterns = [
        r"Finished tracing named for jit in \d+\.\d{9} sec",
        r"Compiling jit\(named\) with global shapes and types \(float32\[3\]\)\. "
        r"Argument mapping: \('x',\)\.",
        r"Finished jaxpr to MLIR module conversion jit\(named\) in \d+\.\d{9} sec",
        r"Finished XLA compilation of jit\(named\) in \d+\.\d{9} sec",
    ]
    for pattern in patterns:
        assert any(re.fullmatch(pattern, line) for line in lines), (pattern, lines)


def test_check_50_off_means_debug(caplog, x):
    with caplog.at_level(logging.DEBUG, "minijax"):
        jit(named)(x)
    assert caplog.records
    assert {record.levelno for record in caplog.records} == {logging.DEBUG}
