"""The cache stack: six levels in one table, and the public view of it.

A call is answered by the first level that knows it. The files that own the caches enter
them here; this file counts, prints and empties them.

| level | name        | answers                                   |
|-------|-------------|-------------------------------------------|
| 1     | dispatch    | an identical call, in C++                 |
| 2     | parameters  | the same types, off the fast path         |
| 3     | trace       | another wrapper over the same function    |
| 4     | lowering    | the same jaxpr and placement              |
| 5     | executables | the same module and options               |
| 6     | disk        | another process                           |

Source: spec/jit.md §7.
"""

import importlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ..base import jaxlib_core
from ..base.errors import ArgumentValueError
from ..base.util import CacheCounts
from ..base.util import clear_caches as clear_registered

LEVEL_NAMES = ("dispatch", "parameters", "trace", "lowering", "executables", "disk")


class Cache(NamedTuple):
    """One cache of a level.

    key: the fields it compares, in words. bound: how many entries it holds at most, or
    None. counts: its counters; hits are -1 where C++ answers without telling.
    """

    level: int
    name: str
    key: tuple[str, ...]
    bound: int | None
    counts: Callable[[], CacheCounts]
    clear: Callable[[], None]


stack: list[Cache] = []


def define_cache(
    name: str,
    *,
    key: tuple[str, ...],
    bound: int | None,
    counts: Callable[[], CacheCounts],
    clear: Callable[[], None],
    level: str,
) -> None:
    """Enter a cache into the stack. Raises: ValueError for an unknown level."""
    if level not in LEVEL_NAMES:
        raise ArgumentValueError(
            f"A cache belongs to one of the levels {', '.join(LEVEL_NAMES)}.",
            f"Found {level!r}.",
        )
    number = LEVEL_NAMES.index(level) + 1
    stack.append(Cache(number, name, key, bound, counts, clear))
    stack.sort(key=lambda cache: cache.level)


def counters_of(cached: Any) -> Callable[[], CacheCounts]:
    """The counters of a cache that has `cache_info`."""

    def counts() -> CacheCounts:
        info = cached.cache_info()
        return CacheCounts(info.hits, info.misses, info.currsize)

    return counts


# --- The public view ------------------------------------------------------------------


class CacheRow(NamedTuple):
    """The state of one cache; hits are None where C++ answers without counting."""

    level: int
    name: str
    hits: int | None
    misses: int
    size: int
    bound: int | None
    key: tuple[str, ...]


class CacheTable(tuple[CacheRow, ...]):
    """What the caches hold, level by level; prints as a table."""

    __slots__ = ()

    def __getattr__(self, name: str) -> CacheRow:
        for row in self:
            if row.name == name:
                return row
        raise AttributeError(f"there is no cache {name!r}")

    def __repr__(self) -> str:
        head = ("level", "cache", "hits", "misses", "entries", "bound", "key")
        cells = [head, *map(_cells, self)]
        widths = [max(len(row[i]) for row in cells) for i in range(6)]
        return "\n".join(line for row in cells for line in _lines(row, widths))


def _cells(row: CacheRow) -> tuple[str, ...]:
    hits = "in C++" if row.hits is None else str(row.hits)
    bound = "-" if row.bound is None else str(row.bound)
    numbers = (hits, str(row.misses), str(row.size), bound)
    return (f"{row.level}", row.name, *numbers, ", ".join(row.key))


_TABLE_WIDTH = 100


def _lines(row: tuple[str, ...], widths: list[int]) -> list[str]:
    cells = [row[0].ljust(widths[0]), row[1].ljust(widths[1])]
    cells += [row[i].rjust(widths[i]) for i in range(2, 6)]
    front = "  ".join([*cells, ""])
    wrap = importlib.import_module("textwrap").wrap
    keys = wrap(row[6], max(20, _TABLE_WIDTH - len(front)))
    return [front + keys[0], *(" " * len(front) + more for more in keys[1:])]


def _rows() -> Iterator[CacheRow]:
    for cache in stack:
        hits, misses, size = cache.counts()
        known = None if hits < 0 else hits
        yield CacheRow(
            cache.level, cache.name, known, misses, size, cache.bound, cache.key
        )


def caches() -> CacheTable:
    """The cache stack: counters, size, bound and key of every level.

    Rows are reached by position or by name.

    >>> import minijax as mj
    >>> mj.caches().trace.level
    3
    """
    return CacheTable(_rows())


def clear_caches() -> None:
    """Empty every cache of this process; entries on disk stay.

    >>> import minijax as mj
    >>> mj.clear_caches()
    >>> mj.caches().trace.size
    0
    """
    for cache in stack:
        cache.clear()
    clear_registered()
    jaxlib_core.PjitFunctionCache.clear_all()
