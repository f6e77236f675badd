"""Why a call was not answered: what differs from the nearest call that was.

Source: spec/jit.md §13.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .. import tree
from ..base import flags, jaxlib_core
from ..base.util import logger
from ..core import argument_names, get_traceback, source_of, user_frame
from .call_keys import CallKey, Static


class Difference(NamedTuple):
    """One field of a key that differs. field: which; path: where in it, or empty."""

    field: str
    path: str
    now: str
    before: str

    def __str__(self) -> str:
        at = f" {self.path}" if self.path else ""
        return f"{self.field}{at}: now {self.now} and before {self.before}"


class TraceKey(NamedTuple):
    """The key of a trace besides the function."""

    call: CallKey
    avals: tuple[Any, ...]
    context: tuple[Any, ...]


def differences(fun: Any, now: TraceKey, before: TraceKey) -> list[Difference]:
    """How two keys of the same function differ; first what weighs most."""
    found = _context_differences(now, before)
    if not _same_structure(now.call, before.call):
        return found + _structure_differences(fun, now.call, before.call)
    names = _names(fun, now.call)
    found += _static_differences(fun, now.call, before.call)
    for name, a, b in zip(names, now.avals, before.avals):
        if a is not b:
            field = "type of" if _strong(a) is not _strong(b) else "weakness of"
            found.append(Difference(field, name, _type(a), _type(b)))
    return found


def _strong(aval: Any) -> Any:
    return aval.strip_weak_type()


def _type(aval: Any) -> str:
    weak = " (weak)" if getattr(aval, "weak_type", False) else ""
    return aval.str_short(short_dtypes=True) + weak


def _context_differences(now: TraceKey, before: TraceKey) -> list[Difference]:
    names = jaxlib_core.config.trace_context_names()
    return [
        Difference("option", name, repr(a), repr(b))
        for name, a, b in zip(names, now.context, before.context)
        if a is not b and a != b
    ]


def _same_structure(one: CallKey, other: CallKey) -> bool:
    return _dynamic(one) == _dynamic(other)


def _dynamic(key: CallKey) -> Any:
    return (
        tuple(None if type(p) is Static else p for p in key.positional),
        tuple((n, None if type(p) is Static else p) for n, p in key.keywords),
    )


def _structure_differences(fun: Any, now: CallKey, before: CallKey) -> list[Difference]:
    found = []
    if len(now.positional) != len(before.positional):
        found.append(
            Difference(
                "number of positional arguments",
                "",
                str(len(now.positional)),
                str(len(before.positional)),
            )
        )
    names, old_names = [n for n, _ in now.keywords], [n for n, _ in before.keywords]
    if names != old_names:
        found.append(Difference("keyword arguments", "", str(names), str(old_names)))
    if found:
        return found
    labels = [*map(_label(fun), range(len(now.positional))), *names]
    parts = zip(_all_parts(now), _all_parts(before))
    for label, (a, b) in zip(labels, parts):
        if (type(a) is Static) is (type(b) is Static) is False and a != b:
            found += _tree_differences(label, a, b)
    return found


def _tree_differences(label: str, now: Any, before: Any) -> list[Difference]:
    return [
        Difference("tree of", label + tree.keystr(d[0]), str(d[1]), str(d[2]))
        for d in tree.equality_errors_of_treedefs(now, before)
    ] or [Difference("tree of", label, str(now), str(before))]


def _label(fun: Any) -> Callable[[int], str]:
    def label(position: int) -> str:
        names = argument_names(fun, [0] * (position + 1), {})
        return names[position] if position < len(names) else f"args[{position}]"

    return label


def _all_parts(key: CallKey) -> list[Any]:
    return [*key.positional, *(part for _, part in key.keywords)]


def _static_differences(fun: Any, now: CallKey, before: CallKey) -> list[Difference]:
    labels = [*map(_label(fun), range(len(now.positional)))]
    labels += [name for name, _ in now.keywords]
    return [
        Difference("static value of", label, repr(a.value), repr(b.value))
        for label, a, b in zip(labels, _all_parts(now), _all_parts(before))
        if type(a) is Static and a != b
    ]


def _names(fun: Any, key: CallKey) -> tuple[str, ...]:
    args, kwargs = key.fill([0] * key.num_leaves)
    return argument_names(fun, args, kwargs, key.static_positions(), key.static_names())


def nearest(
    fun: Any, now: TraceKey, known: Sequence[TraceKey]
) -> list[Difference] | None:
    """The differences from the most similar known key; None without any."""
    candidates = [differences(fun, now, before) for before in known]
    return least(candidates) if candidates else None


# How far apart two keys are that differ in a field; 2 for the fields not named.
_WEIGHTS = {
    "weakness of": 1,
    "option": 4,
    "tree of": 4,
    "keyword arguments": 6,
    "number of positional arguments": 6,
}


def least(candidates: Sequence[list[Difference]]) -> list[Difference]:
    """The differences that weigh least; of equals the latest."""
    return min(reversed(candidates), key=_weight)


def _weight(found: list[Difference]) -> int:
    return sum(_WEIGHTS.get(difference.field, 2) for difference in found)


# --- Log lines ------------------------------------------------------------------------


def explain_trace_miss() -> Callable[..., None] | None:
    """Asked by the trace cache at a miss: who is to explain it, if anybody."""
    return _log_trace_miss if flags.explain_cache_misses.value else None


# Where the user has called which functions: a second function at one line is a sign
# that it is made anew each time.
_seen_lines: dict[str, set[str]] = {}


def _log_trace_miss(
    keys: Sequence[Any], fun: Any, call: CallKey, avals: tuple[Any, ...]
) -> None:
    frame = user_frame(get_traceback())
    if frame is None:
        return
    source = source_of(fun)
    lines = [f"TRACING CACHE MISS at {frame}:"]
    known = keys_of(fun, keys)
    if not known:
        lines.append(f"  {source} (id {id(fun)}) was never seen before.")
        seen = _seen_lines.setdefault(str(frame), set())
        if source in seen:
            lines.append(
                "  Another function defined at the same line was: it is probably "
                "defined anew each time. Define it once."
            )
        seen.add(source)
    else:
        context = jaxlib_core.config.trace_context()
        found = nearest(fun, TraceKey(call, avals, context), known)
        lines.append(f"  {source} was traced before, with other keys. Nearest:")
        lines += [f"  * {difference}" for difference in found or ()]
    logger("minijax.transforms").warning("\n".join(lines))


def keys_of(fun: Any, keys: Sequence[Any]) -> list[TraceKey]:
    """The keys of `fun` among those of the trace cache, as jaxlib lists them."""
    return [
        TraceKey(call, avals, context)
        for function, context, (call, avals), _ in keys
        if function() is fun
    ]
