"""From a function and the types of a call to a program, once per such pair.

Level 3 of the cache stack: a function, however wrapped, is traced once per structure,
static values and types of its arguments. Shared by everything that traces user
functions: `jit`, `make_jaxpr`, `eval_shape`.

Rules:
1. The cache holds functions weakly, and its values hold no function: an entry goes
   with its function.
2. A program that closes over values of a trace around it belongs to that trace: it is
   returned, but never kept.

Source: spec/jit.md §7, spec/tracing.md §9.
"""

import contextlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .. import tree
from ..base import flags
from ..base.errors import (
    ForbiddenTracingError,
    NotAnArrayError,
    NotAnArrayResultError,
)
from ..base.util import function_name, trace_context, weakref_lru_cache
from ..core import (
    Jaxpr,
    Tracer,
    abstractify,
    argument_names,
    at_top_level,
    debug_info,
    is_array_type,
    is_library_function,
    result_paths,
    source_of,
    stage,
)
from ..runtime import check_data, counters_of, define_cache, log_tracing
from .call_keys import CallKey
from .explanations import explain_trace_miss
from .ref_arguments import check_no_ref_results

_MAKE_STATIC = (
    "If it is to be a constant of the program, make the argument static with "
    "`static_argnums` or `static_argnames`."
)


class Staged(NamedTuple):
    """A traced function: its program, and the structure of its result."""

    jaxpr: Jaxpr
    out_tree: tree.PyTreeDef


class Open(Exception):
    """Carries, out of a cache, an answer that must not stay in it. Field: answer."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        super().__init__("an answer for one trace only")


def _trace(fun: Callable[..., Any], key: CallKey, avals: tuple[Any, ...]) -> Staged:
    name = function_name(fun)
    if flags.no_tracing.value:
        raise ForbiddenTracingError(name)
    args, kwargs = key.fill([0] * len(avals))
    info = debug_info(
        "jit", fun, args, kwargs, key.static_positions(), key.static_names()
    )
    structures: list[tree.PyTreeDef] = []

    def flat(*leaves: Any) -> list[Any]:
        args, kwargs = key.fill(leaves)
        result, structure = tree.flatten(fun(*args, **kwargs))
        structures.append(structure)
        check_no_ref_results(fun, "jit", result, structure)
        return _array_results(fun, result, structure)

    with log_tracing(name) if at_top_level() else contextlib.nullcontext():
        try:
            jaxpr = stage(flat, avals, debug_info=info)
        except NotAnArrayError as error:
            if error.function or not is_library_function(fun):
                raise
            # Whoever called a function of ours never sees what it calls.
            called = source_of(fun)
            raise NotAnArrayError(error.type_name, function=called) from None
    (structure,) = structures
    jaxpr.debug_info = info._replace(result_paths=result_paths(structure))
    staged = Staged(jaxpr, structure)
    if any(isinstance(const, Tracer) for const in jaxpr.consts):
        raise Open(staged)
    return staged


def _array_results(
    fun: Callable[..., Any], leaves: list[Any], structure: tree.PyTreeDef
) -> list[Any]:
    for i, leaf in enumerate(leaves):
        if isinstance(leaf, Tracer) or is_array_type(leaf):
            continue
        if hasattr(leaf, "__jax_array__"):
            leaves[i] = leaf.__jax_array__()
            continue
        path = result_paths(structure)[i].removeprefix("result")
        raise NotAnArrayResultError(
            type(leaf).__name__, function=source_of(fun), path=path, by="jit"
        )
    return leaves


_TRACES = 8192
cached_trace = weakref_lru_cache(
    trace_context, _trace, _TRACES, explain=explain_trace_miss
)
define_cache(
    "trace",
    level="trace",
    key=("function", "trees", "static values", "types", "trace context"),
    bound=_TRACES,
    counts=counters_of(cached_trace),
    clear=cached_trace.cache_clear,
)


def trace(fun: Any, key: CallKey, avals: tuple[Any, ...]) -> Staged:
    """The program of a function for a call of this structure and these types.

    fun: as `key_of` gives it. The program's `consts` may hold tracers of the trace
    around.

    Raises:
        TypeError: the function returned what is no array; whatever it raises itself.
    """
    try:
        return cached_trace(fun, key, avals)
    except Open as opened:
        return opened.answer


def leaf_avals(
    fun: Callable[..., Any],
    key: CallKey,
    leaves: Sequence[Any],
    typeof: Callable[[Any], Any] = abstractify,
) -> tuple[Any, ...]:
    """The types of the leaves of a call.

    Raises:
        TypeError: a leaf is no array: names function, argument and type.
        OverflowError: a Python int that no default integer holds.
    """
    try:
        avals = tuple([typeof(x) for x in leaves])
        for x, aval in zip(leaves, avals):
            check_data(x, aval)
    except (TypeError, ValueError, OverflowError):
        _explain_leaf(fun, key, leaves, typeof)
        raise
    return avals


def _explain_leaf(
    fun: Callable[..., Any],
    key: CallKey,
    leaves: Sequence[Any],
    typeof: Callable[[Any], Any],
) -> None:
    """Raise the error of the first leaf that is wrong, with its path."""
    names = leaf_names(fun, key)
    for x, name in zip(leaves, names, strict=True):
        try:
            aval = typeof(x)
            check_data(x, aval, name)
        except TypeError:
            raise NotAnArrayError(
                type(x).__name__,
                function=source_of(fun),
                path=name,
                value=repr(x)[:80],
                do="" if is_library_function(fun) else _MAKE_STATIC,
            ) from None


def leaf_names(fun: Callable[..., Any], key: CallKey) -> tuple[str, ...]:
    """How users write each leaf of a call: `x`, `d['a']`."""
    args, kwargs = key.fill([0] * key.num_leaves)
    return argument_names(fun, args, kwargs, key.static_positions(), key.static_names())
