"""Which level of the cache stack would answer a call, and why not an earlier one.

Nothing is traced, lowered or compiled to find out.

Source: spec/jit.md §§7, 13.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..base import flags
from ..base.util import trace_context
from ..core import at_top_level
from ..runtime import PjitFunction, holds_program
from .call_keys import flatten_call
from .compilation import Jitted, Signature, jitted_of
from .explanations import (
    Difference,
    TraceKey,
    differences,
    keys_of,
    least,
    nearest,
)
from .parameters import infer_parameters, parameter_keys
from .tracing import cached_trace, leaf_names


class Explanation(NamedTuple):
    """What would happen to a call.

    function: its name. level: the number of the level that answers, None if the
    function must be traced. name: of the level. differences: from the nearest call that
    an earlier level knows. note: what cannot be told by keys.
    """

    function: str
    level: int | None
    name: str
    differences: tuple[Difference, ...]
    note: str = ""

    def __repr__(self) -> str:
        if self.level is None:
            first = f"{self.function} would be traced: no level knows this call."
        else:
            first = (
                f"{self.function} would be answered by level {self.level}, {self.name}."
            )
        lines = [first]
        if self.differences:
            lines.append("Nearest known call:")
            lines += [f"  {difference}" for difference in self.differences]
        if self.note:
            lines.append(self.note)
        return "\n".join(lines)


class CacheInfo(NamedTuple):
    """What the caches hold for one function.

    misses: calls that C++ could not answer. signatures: entries of level 1, of this
    function with these options. parameters: entries of level 2, of this wrapper.
    traces: entries of level 3, shared by all wrappers of the function.
    """

    misses: int
    signatures: int
    parameters: int
    traces: int


def cache_info(self: PjitFunction) -> CacheInfo:
    """What the caches hold for this function.

    >>> import minijax as mj
    >>> f = mj.jit(lambda x: x + 1)
    >>> f(1), f(2), f.cache_info().misses
    (Array(2, dtype=int32, weak_type=True), Array(3, dtype=int32, weak_type=True), 1)
    """
    jitted = jitted_of(self)
    own = [args for args in parameter_keys(jitted.key) if args[0] is jitted.options]
    traces = keys_of(jitted.key, cached_trace.cache_keys())
    return CacheInfo(jitted.misses, self._cache_size(), len(own), len(traces))


PjitFunction.cache_info = cache_info


def explain(fun: PjitFunction, /, *args: Any, **kwargs: Any) -> Explanation:
    """Which cache level would answer `fun(*args, **kwargs)`, and what differs if none.

    fun: made by `jit`. Nothing is traced or run.

    Raises:
        TypeError: `fun` was not made by `jit`, or an argument is no array.

    >>> import minijax as mj
    >>> f = mj.jit(lambda x: x + 1)
    >>> f(1.0)
    Array(2., dtype=float32, weak_type=True)
    >>> mj.explain(f, 2)
    <lambda> would be traced: no level knows this call.
    Nearest known call:
      type of x: now i32[] (weak) and before f32[] (weak)
    """
    jitted = jitted_of(fun)
    static = jitted.options.choice.static
    key, leaves = flatten_call(jitted.key, args, kwargs, static)
    now = jitted.signature(key, jitted.avals(key, leaves), leaves)
    if not at_top_level():
        note = (
            "Inside a transformation every call comes to Python, and adds an equation."
        )
        return _below_dispatch(jitted, now, leaves, (), note)
    known = list(jitted.answered) if fun._cache_size() else []
    if now in known and not flags.disable_jit.value:
        return Explanation(jitted.name, 1, "dispatch", ())
    candidates = [_signature_differences(jitted, now, before) for before in known]
    best = least(candidates) if candidates else []
    return _below_dispatch(jitted, now, leaves, tuple(best), "")


def _signature_differences(
    jitted: Jitted, now: Signature, before: Signature
) -> list[Difference]:
    found = differences(
        jitted.key,
        TraceKey(now.call, now.avals, now.context),
        TraceKey(before.call, before.avals, before.context),
    )
    if len(now.places) == len(before.places):
        names = leaf_names(jitted.key, now.call)
        found += [
            Difference("place of", name, a, b)
            for name, a, b in zip(names, now.places, before.places)
            if a != b
        ]
    return found


def _below_dispatch(
    jitted: Jitted,
    now: Signature,
    leaves: Sequence[Any],
    found: tuple[Difference, ...],
    note: str,
) -> Explanation:
    normal, order = now.call.normalised(jitted.key)
    avals = tuple(now.avals[i] for i in order)
    wanted = TraceKey(normal, avals, trace_context())
    known = keys_of(jitted.key, cached_trace.cache_keys())
    if wanted not in known:
        best = nearest(jitted.key, wanted, known)
        seen = "" if known else "It was never traced before."
        return Explanation(jitted.name, None, "", tuple(best or ()), note or seen)
    if _has_program(jitted, now, leaves):
        return Explanation(jitted.name, 2, "parameters", found, note)
    return Explanation(jitted.name, 3, "trace", found, note)


def _has_program(jitted: Jitted, now: Signature, leaves: Sequence[Any]) -> bool:
    own = (jitted.options, now.call, now.avals)
    if own not in parameter_keys(jitted.key):
        return False
    parameters = infer_parameters(jitted.key, *own)
    place = jitted.place(parameters, now.call, leaves)
    return holds_program(
        parameters.jaxpr,
        jitted.name,
        place,
        donated=parameters.donated,
        keep_unused=jitted.options.keep_unused,
        options=jitted.options.compiler_options,
    )
