import numpy as np
import pytest

from minijax import lax
from minijax.base import flags
from minijax.runtime import clear_caches, default_placement, put
from minijax.transforms import explain, jit


@pytest.fixture
def x():
    return put(np.arange(3, dtype=np.float32))


def test_nothing_is_run_to_explain(x):
    traced = []
    f = jit(lambda x: traced.append(1) or lax.sin(x))
    answer = explain(f, x)
    assert answer.level is None
    assert "never traced" in repr(answer)
    assert traced == []
    assert f._cache_size() == 0


def test_which_level_answers(x):
    f = jit(lambda x: lax.sin(x))
    f(x)
    assert explain(f, x)[:3] == ("<lambda>", 1, "dispatch")
    host = explain(f, np.ones(3, np.float32))
    assert (host.level, host.name) == (2, "parameters")
    assert [str(d) for d in host.differences] == [
        "place of x: now a ndarray and before on cpu:0"
    ]
    there = explain(f, put(x, default_placement()))
    assert (there.level, there.name) == (3, "trace")
    other = explain(jit(f.__wrapped__, keep_unused=True), x)
    assert other.level == 3
    new = explain(f, 1.0)
    assert new.level is None
    assert str(new.differences[0]) == "type of x: now f32[] (weak) and before f32[3]"
    assert "would be traced" in repr(new)


def test_the_answers_come_true(x):
    f = jit(lambda x: lax.sin(x))
    for value in (x, np.ones(3, np.float32), 1.0, x):
        f(value)
        assert explain(f, value).level == 1
    f.clear_cache()
    assert explain(f, x).level is None
    f(x)
    clear_caches()
    assert explain(f, x).level is None


def test_options_are_named(x):
    f = jit(lambda x: lax.sin(x))
    f(x)
    with flags.default_matmul_precision("high"):
        answer = explain(f, x)
    assert answer.level is None
    assert answer.differences[0].path == "jax_default_matmul_precision"


def test_inside_a_transformation(x):
    f = jit(lambda x: lax.sin(x))
    f(x)
    notes = []
    jit(lambda y: notes.append(explain(f, y)) or y)(x)
    assert notes[0].level == 2
    assert "transformation" in repr(notes[0])


def test_cache_info(x):
    f = jit(lambda x: lax.sin(x))
    assert f.cache_info() == (0, 0, 0, 0)
    f(x), f(x), f(1.0), f(np.ones(3, np.float32))
    assert f.cache_info()._asdict() == {
        "misses": 3,
        "signatures": 3,
        "parameters": 2,
        "traces": 2,
    }
    with pytest.raises(TypeError, match="jit"):
        explain(lax.sin, x)
