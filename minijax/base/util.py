"""Small tools for lists, axes and caches that every floor uses.

The caches: jaxlib's factories, and three decorators that enter what they make into one
table, so that `clear_caches` can empty them all and `cache_counts` can count them.
"""

import functools
import importlib
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from .errors import ArgumentTypeError, AxisOutOfRangeError, DuplicateAxisError
from .gate import jaxlib_core

_utils = importlib.import_module("jaxlib.utils")
_factories = importlib.import_module("jaxlib.weakref_lru_cache")

# --- Caches ---------------------------------------------------------------------------
# All compare keys by `==`: 1, 1.0 and True collide, so a key that may hold numbers of
# several types holds the types as well.

# Key: the first argument(s) weakly, the others strongly; value: strongly.
weakref_lru_cache = _factories.weakref_lru_cache
# Key: objects of given types, anywhere in the arguments, weakly; value: strongly.
multi_weakref_lru_cache = _factories.multi_weakref_lru_cache
# Key and value strongly; bounded.
strong_lru_cache = _factories.strong_lru_cache
# Key: one argument, by identity, weakly; value: weakly.
weak_key_weak_value_cache = _factories.weak_key_weak_value_cache
# Key strongly, value weakly: equal contents give one object while anyone holds it.
weak_value_interner = _factories.weak_value_interner

trace_context = jaxlib_core.config.trace_context


class CacheCounts(NamedTuple):
    """What a cache has answered, has computed, and holds."""

    hits: int
    misses: int
    size: int


class RegisteredCache(NamedTuple):
    """How to empty a cache and, where it counts, how to read its counters."""

    clear: Callable[[], None]
    counts: Callable[[], CacheCounts] | None


cache_table: dict[str, RegisteredCache] = {}


def register_cache(
    name: str,
    clear: Callable[[], None],
    counts: Callable[[], CacheCounts] | None = None,
) -> None:
    """Enter a cache into the table that `clear_caches` goes through.

    Raises:
      ValueError: a cache of this name exists.
    """
    if name in cache_table:
        raise ValueError(f"a cache named {name!r} is registered already")
    cache_table[name] = RegisteredCache(clear, counts)


def _register_counting(function: Callable[..., Any], cached: Any) -> Any:
    def counts() -> CacheCounts:
        info = cached.cache_info()
        return CacheCounts(info.hits, info.misses, info.currsize)

    name = f"{function.__module__}.{function.__qualname__}"
    register_cache(name, cached.cache_clear, counts)
    return cached


def memoize[F: Callable[..., Any]](*, maxsize: int | None = 4096) -> Callable[[F], F]:
    """Keep the answers of a function of its arguments alone (0.1 µs a hit).

    For module-level functions; 1 and True are told apart. Has `cache_info`,
    `cache_clear`, `__wrapped__`.
    """

    def decorate(function: F) -> F:
        cached = functools.lru_cache(maxsize=maxsize, typed=True)(function)
        return _register_counting(function, cached)

    return decorate


def memoize_in_context[F: Callable[..., Any]](
    *, maxsize: int = 4096
) -> Callable[[F], F]:
    """As `memoize`, for answers that depend on the options in the trace context too."""

    def decorate(function: F) -> F:
        cached = strong_lru_cache(function, trace_context, maxsize=maxsize)
        return _register_counting(function, cached)

    return decorate


if TYPE_CHECKING:

    class KeptWeakly[**P, R](Protocol):
        """A function whose answers are kept while what it was given lives."""

        def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...

        def evict_weakref(self, *args: Any) -> None: ...

        def cache_clear(self) -> None: ...


def memoize_weakly[**P, R](
    *, maxsize: int | None = 4096, weak: int = 1, explain: Any = None
) -> "Callable[[Callable[P, R]], KeptWeakly[P, R]]":
    """Keep answers while the first `weak` arguments live; the trace context is a key.

    Has `cache_info`, `cache_clear`, `evict_weakref`.
    """

    def decorate(function: Callable[P, R]) -> "KeptWeakly[P, R]":
        cached = weakref_lru_cache(
            trace_context, function, maxsize, explain=explain, num_weakrefs=weak
        )
        return _register_counting(function, cached)

    return decorate


def clear_caches() -> None:
    """Empty every cache in the table."""
    for cache in list(cache_table.values()):
        cache.clear()


def cache_counts() -> dict[str, CacheCounts]:
    """The counters of every cache in the table that has any, by name."""
    return {name: c.counts() for name, c in cache_table.items() if c.counts is not None}


# --- Lists ----------------------------------------------------------------------------

# As `map` and `zip`, but lists, and unequal lengths are a ValueError.
safe_map = _utils.safe_map
safe_zip = _utils.safe_zip
foreach = _utils.foreach


def unzip2[A, B](pairs: Iterable[tuple[A, B]]) -> tuple[tuple[A, ...], tuple[B, ...]]:
    """Pairs to a pair of tuples; two empty tuples if there are none."""
    firsts, seconds = [], []
    for first, second in pairs:
        firsts.append(first)
        seconds.append(second)
    return tuple(firsts), tuple(seconds)


def unzip3[A, B, C](
    triples: Iterable[tuple[A, B, C]],
) -> tuple[tuple[A, ...], tuple[B, ...], tuple[C, ...]]:
    """Triples to a triple of tuples; three empty tuples if there are none."""
    firsts, seconds, thirds = [], [], []
    for first, second, third in triples:
        firsts.append(first)
        seconds.append(second)
        thirds.append(third)
    return tuple(firsts), tuple(seconds), tuple(thirds)


def partition_list[T](
    chosen: Sequence[bool], items: Sequence[T]
) -> tuple[list[T], list[T]]:
    """The items not chosen and the chosen ones, each in order.

    >>> partition_list([True, False, True], "abc")
    (['b'], ['a', 'c'])
    """
    lists: tuple[list[T], list[T]] = ([], [])
    for is_chosen, item in safe_zip(chosen, items):
        lists[bool(is_chosen)].append(item)
    return lists


def merge_lists[T](
    chosen: Sequence[bool], others: Sequence[T], chosen_items: Sequence[T]
) -> list[T]:
    """The inverse of `partition_list`.

    >>> merge_lists([True, False, True], ['b'], ['a', 'c'])
    ['a', 'b', 'c']

    Raises:
      ValueError: the lists do not have as many items as `chosen` says.
    """
    count = sum(map(bool, chosen))
    if (len(others), len(chosen_items)) != (len(chosen) - count, count):
        raise ValueError(
            f"merging needs {len(chosen) - count} and {count} items,"
            f" got {len(others)} and {len(chosen_items)}"
        )
    sources = iter(others), iter(chosen_items)
    return [next(sources[bool(is_chosen)]) for is_chosen in chosen]


def split_list[T](items: Sequence[T], lengths: Sequence[int]) -> list[list[T]]:
    """Consecutive pieces of the given lengths, and the rest as last piece.

    >>> split_list([1, 2, 3, 4], [1, 2])
    [[1], [2, 3], [4]]
    """
    items = list(items)
    if sum(lengths) > len(items):
        raise ValueError(f"cannot cut pieces of lengths {lengths} from {len(items)}")
    pieces, start = [], 0
    for length in lengths:
        pieces.append(items[start : start + length])
        start += length
    pieces.append(items[start:])
    return pieces


def subs_list[T](
    positions: Sequence[int | None], values: Sequence[T], base: Any
) -> Any:
    """`base`, with `values[position]` in place of each entry that has a position."""
    return [
        entry if position is None else values[position]
        for position, entry in safe_zip(positions, base)
    ]


# --- Axes -----------------------------------------------------------------------------


def canonicalize_axis(axis: int, ndim: int, name: str = "axis") -> int:
    """A number from 0 to `ndim - 1`; a negative axis counts from the end.

    Raises:
      TypeError: `axis` is not an integer.
      ValueError: it is out of range.
    """
    try:
        index = operator.index(axis)
    except TypeError as error:
        if isinstance(axis, (int, float, complex, str, list, tuple)) or axis is None:
            raise ArgumentTypeError(
                f"{name} is an integer.",
                f"Found {axis!r} of type {type(axis).__name__}.",
            ) from None
        raise error  # a tracer explains itself better
    if not -ndim <= index < ndim:
        raise AxisOutOfRangeError(index, ndim, name)
    return index + ndim if index < 0 else index


def canonicalize_axes(
    axes: int | Iterable[int], ndim: int, name: str = "axis"
) -> tuple[int, ...]:
    """Axes as distinct numbers from 0 to `ndim - 1`, in the given order.

    Raises:
      TypeError: an axis is not an integer.
      ValueError: an axis is out of range, or listed twice.
    """
    if isinstance(axes, Iterable):
        result = tuple(canonicalize_axis(axis, ndim, name) for axis in axes)
    else:
        result = (canonicalize_axis(axes, ndim, name),)
    if len(set(result)) != len(result):
        raise DuplicateAxisError(result, name)
    return result


def tuple_insert[T](items: Sequence[T], position: int, item: T) -> tuple[T, ...]:
    """The items with one more, standing at `position`."""
    return (*items[:position], item, *items[position:])


def tuple_delete[T](items: Sequence[T], position: int) -> tuple[T, ...]:
    """The items without the one at `position`."""
    return (*items[:position], *items[position + 1 :])


def tuple_replace[T](items: Sequence[T], position: int, item: T) -> tuple[T, ...]:
    """The items with the one at `position` replaced."""
    return (*items[:position], item, *items[position + 1 :])


# --- Numbers and names ----------------------------------------------------------------


def ceil_of_ratio(x: int, y: int) -> int:
    """The least integer that is not below x / y."""
    return -(-x // y)


def function_name(function: Any, default: str = "<unnamed function>") -> str:
    """The name of a callable; a partial has that of what it wraps."""
    while isinstance(function, functools.partial):
        function = function.func
    return getattr(function, "__name__", None) or default


@functools.cache
def logger(name: str) -> Any:
    """Python's logger of this name; `logging` is loaded by the first who asks."""
    return importlib.import_module("logging").getLogger(name)


def lazy_modules(package: str, names: Sequence[str]) -> Callable[[str], Any]:
    """A module `__getattr__` that imports the submodules `names` on first use."""

    def load(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return importlib.import_module(f"{package}.{name}")

    return load
