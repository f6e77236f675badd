"""From the functions that users give to loops and branches to programs.

A function is traced once per types of its arguments, and the program is kept as long as
the function lives; a function made anew at every call is traced at every call. What it
closes over becomes leading inputs of the program.

Some functions are called in a way of our own (the body of `fori_loop` gets a counter
beside it). That way is a `Calling` of this library, so that what is kept hangs on the
user's function, not on a wrapper.

Source: spec/control_flow.md §0.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ... import tree
from ...base import dtypes, flags
from ...base.errors import (
    NotAnArrayError,
    NotAnArrayResultError,
    NotCallableError,
    NotSupportedError,
)
from ...base.util import (
    memoize,
    memoize_weakly,
    multi_weakref_lru_cache,
    register_cache,
    trace_context,
)
from ...core import (
    Closure,
    DebugInfo,
    Jaxpr,
    Ref,
    StagedTracer,
    StagingTrace,
    Tracer,
    argument_names,
    current,
    is_array_type,
    is_literalable,
    make_literal,
    source_of,
    stage,
    typeof,
)
from ...runtime import check_data, put
from ..conversions import HOST_TYPES


class Calling(NamedTuple):
    """How a user's function is called.

    run: `run(fun, *args)` gives the result. arguments: the part of `args` that the
    user's function sees, for names in error texts.
    """

    run: Callable[..., Any]
    arguments: Callable[..., tuple[Any, ...]]


DIRECTLY = Calling(lambda fun, *args: fun(*args), lambda *args: args)


class Body:
    """A traced function. jaxpr: closed-over values, then arguments -> results.

    consts: the values closed over. in_tree, out_tree: of arguments and result. api: for
    whom it was traced. names: of the argument leaves, as the user calls them; root: of
    the first argument. source: where the function stands.
    """

    __slots__ = (
        "__weakref__",
        "_closure",
        "api",
        "consts",
        "in_tree",
        "jaxpr",
        "names",
        "out_tree",
        "root",
        "source",
    )

    def __init__(
        self,
        fun: Callable[..., Any],
        jaxpr: Jaxpr,
        trees: tuple[Any, Any],
        info: DebugInfo,
    ) -> None:
        self._closure = Closure(fun)
        self.in_tree, self.out_tree = trees
        self.api = info.traced_for
        self.root = argument_names(fun, (0,), {})[0]
        self.consts = jaxpr.consts
        self.jaxpr = jaxpr.with_consts(()) if jaxpr.consts else jaxpr
        self.names = info.arg_names or ()
        self.source = info.func_src_info

    @property
    def in_avals(self) -> tuple[Any, ...]:
        """The types of the argument leaves."""
        return tuple(self.jaxpr.in_avals[len(self.consts) :])

    def is_stale(self, fun: Callable[..., Any]) -> bool:
        """Whether `fun` closes over other values now, or one of a finished trace."""
        return self._closure.has_changed(fun) or any(
            isinstance(x, Tracer | Ref) and not x.owner.alive for x in self.consts
        )


def kept_with_bodies[F: Callable[..., Any]](function: F) -> F:
    """Keep the answers of a function of bodies, or tuples of them, while they live."""
    cached = multi_weakref_lru_cache(
        trace_context,
        function,
        maxsize=4096,
        registry=tree.registry,
        weak_types={Body},
    )
    register_cache(f"{function.__module__}.{function.__qualname__}", cached.cache_clear)
    return cached


def traced(
    api: str, fun: Callable[..., Any], calling: Calling, in_tree: Any, in_avals: Any
) -> Body:
    """`fun`, called with arguments of the given tree and types, as a program.

    Raises:
        TypeError: it returns something that is no array.
    """
    # Whoever looks for leaks must not find what we keep.
    if flags.check_tracer_leaks.value or not can_be_key(fun):
        return _trace(fun, calling, api, in_tree, in_avals)
    body = _kept(fun, calling, api, in_tree, in_avals)
    if body.is_stale(fun):
        _kept.evict_weakref(fun)
        body = _kept(fun, calling, api, in_tree, in_avals)
    return body


def can_be_key(fun: Any) -> bool:
    """Whether something can be kept as long as `fun` lives."""
    try:
        weakref.ref(fun)
        hash(fun)
    except TypeError:
        return False
    return True


def _trace(
    fun: Callable[..., Any],
    calling: Calling,
    api: str,
    in_tree: Any,
    in_avals: tuple[Any, ...],
) -> Body:
    placeholders = tree.unflatten(in_tree, range(len(in_avals)))
    names = argument_names(fun, calling.arguments(*placeholders), {})
    info = DebugInfo(api, source_of(fun), names)
    out_tree = None

    def flat(*leaves: Any) -> list[Any]:
        nonlocal out_tree
        out = calling.run(fun, *tree.unflatten(in_tree, leaves))
        results, out_tree = tree.flatten(out)
        for position, x in enumerate(results):
            if not is_array_type(x):
                raise _no_array(fun, api, out, position)
        return results

    jaxpr = stage(flat, in_avals, debug_info=info)
    return Body(fun, jaxpr, (in_tree, out_tree), info)


_kept = memoize_weakly(maxsize=4096)(_trace)


def _no_array(fun: Any, api: str, out: Any, position: int) -> NotAnArrayResultError:
    path, value = tree.leaves_with_path(out)[position]
    return NotAnArrayResultError(
        type(value).__name__,
        function=source_of(fun),
        path=tree.keystr(path),
        by=api,
    )


# --- Results --------------------------------------------------------------------------


def as_array(x: Any) -> Any:
    """A value that a function returns as it was given, as an array."""
    if not isinstance(x, HOST_TYPES):
        return x
    trace = current.value
    if type(trace) is not StagingTrace:
        return put(x)
    if is_literalable(x):
        return StagedTracer(trace, make_literal(x))
    return trace.wrap(x)


# --- Arguments ------------------------------------------------------------------------


def check_callable(api: str, what: str, fun: Any) -> None:
    """Raises: TypeError if `fun`, called `what`, is no function."""
    if not callable(fun):
        raise NotCallableError(
            f"{what} of {api}", f"{fun!r} of type {type(fun).__name__}"
        )


def avals_of(
    api: str, what: str, values: Any, leaves: Sequence[Any]
) -> tuple[Any, ...]:
    """The types of the leaves of `values`, which are argument `what` of `api`.

    Raises:
        TypeError: one of them is no array.
        OverflowError: a Python int that no default integer holds.
    """
    try:
        avals = tuple([typeof(x) for x in leaves])
        for x, aval in zip(leaves, avals):
            check_data(x, aval)
        return avals
    except (TypeError, OverflowError):
        for path, x in tree.leaves_with_path(values):
            where = what + tree.keystr(path)
            if not is_array_type(x):
                raise NotAnArrayError(
                    type(x).__name__, function=api, path=where, value=repr(x)[:80]
                ) from None
            check_data(x, typeof(x), f"{where} of {api}")
        raise


def promoted(avals: Sequence[Any], out_avals: Sequence[Any]) -> tuple[Any, ...]:
    """Types of a carry, where a weak one gives way to what the body returns."""
    if len(avals) != len(out_avals):
        return tuple(avals)
    return tuple(
        [
            _wider(aval, out) if aval.weak_type and aval.dtype != out.dtype else aval
            for aval, out in zip(avals, out_avals, strict=True)
        ]
    )


def _wider(aval: Any, out: Any) -> Any:
    if dtypes.is_extended(out.dtype):
        return aval
    dtype, _ = dtypes.join_kinds(
        (aval.dtype, aval.weak_type), (out.dtype, out.weak_type)
    )
    return aval.update(dtype=dtype, weak_type=False)


@memoize(maxsize=4096)
def example_aval(aval: Any) -> Any:
    """The type of one slice along the first axis."""
    return aval.update(shape=aval.shape[1:])


@memoize(maxsize=4096)
def stacked_aval(aval: Any, length: int) -> Any:
    """The type of `length` values stacked along a new first axis."""
    return aval.update(shape=(length, *aval.shape))


def check_effects(api: str, *jaxprs: Jaxpr) -> None:
    """Raises: NotImplementedError for an effect that may not be repeated or chosen."""
    refused = {e for jaxpr in jaxprs for e in jaxpr.effects if not e.in_control_flow}
    if refused:
        raise NotSupportedError(
            f"The functions of {api} may have effects only of kinds that make sense "
            "any number of times.",
            f"Found {', '.join(sorted(map(str, refused)))}.",
        )
