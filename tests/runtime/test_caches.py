import numpy as np
import pytest

from minijax import lax
from minijax.base.util import CacheCounts
from minijax.runtime import caches, clear_caches, define_cache, put
from minijax.runtime.caches import LEVEL_NAMES, stack
from minijax.transforms import jit


def test_the_six_levels_are_there():
    assert {row.level for row in caches()} == {1, 2, 3, 4, 5, 6}
    for number, name in enumerate(LEVEL_NAMES, 1):
        assert getattr(caches(), name).level == number
    with pytest.raises(AttributeError, match="abacus"):
        caches().abacus


def test_only_cpp_does_not_count_its_hits():
    assert caches().dispatch.hits is None
    assert caches().eager.hits is None
    assert isinstance(caches().trace.hits, int)


def test_the_table_is_readable():
    lines = repr(caches()).splitlines()
    assert lines[0].split() == [
        "level",
        "cache",
        "hits",
        "misses",
        "entries",
        "bound",
        "key",
    ]
    assert max(map(len, lines)) <= 100
    starts = [line for line in lines if not line.startswith(" ")]
    assert len(starts) == len(caches()) + 1
    (trace,) = [line for line in starts if line.split()[1] == "trace"]
    assert "function, trees, static values" in trace


def test_counters_move_with_calls():
    x = put(np.ones(3, np.float32))
    f = jit(lambda x: lax.mul(x, x))
    before = caches()
    f(x), f(x)
    after = caches()
    assert after.dispatch.misses - before.dispatch.misses == 1
    assert after.trace.misses - before.trace.misses == 1
    assert after.lowering.misses - before.lowering.misses == 1


def test_a_cache_belongs_to_a_level():
    with pytest.raises(ValueError, match="shelf"):
        define_cache(
            "x",
            key=(),
            bound=None,
            counts=lambda: CacheCounts(0, 0, 0),
            clear=lambda: None,
            level="shelf",
        )
    assert all(cache.name != "x" for cache in stack)


def test_check_22_clear_caches_empties_all_but_the_disk():
    x, traced = put(np.ones(3, np.float32)), []
    f = jit(lambda x: traced.append(1) or lax.sin(x))
    f(x)
    disk = caches().disk.size
    assert disk
    clear_caches()
    cleared = caches()
    assert cleared.disk.size == disk
    for name in ("dispatch", "eager", "parameters", "trace", "lowering"):
        assert getattr(cleared, name).size == 0
    hits = caches().disk.hits
    f(x)
    assert traced == [1, 1]
    assert caches().disk.hits == hits + 1
