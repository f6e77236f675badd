"""Eager evaluation: one C++ function per primitive and parameters.

Level 1 of the cache stack, for eager code, is here. `apply_primitive` finds the
function and calls it; a repeated call never comes back to Python.

Source: spec/jaxlib.md §5, spec/jit.md §6.
"""

import functools
import weakref
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from jaxlib._jax import PjitFunction

from .. import tree
from ..base import flags, jaxlib_core
from ..base.errors import InvalidFloatError, UnhashableParamError
from ..base.util import (
    CacheCounts,
    multi_weakref_lru_cache,
    register_cache,
    weakref_lru_cache,
)
from ..core import (
    EVAL,
    DebugInfo,
    Jaxpr,
    Primitive,
    Tracer,
    current,
    escaped,
    jaxpr_as_fun,
    set_evaluator,
    stage,
)
from .arrays import Array, ArrayImpl, check_deleted
from .caches import define_cache
from .checks import rerun
from .execution import Program, compile_jaxpr, place_of
from .transfers import aval_of, put

_CAPACITY = 8192
_FUNCTIONS = 4096
shared_cache = jaxlib_core.PjitFunctionCache(_CAPACITY)
eager_cache = jaxlib_core.PjitFunctionCache(_FUNCTIONS)


class _Misses:
    """How often C++ had no answer, for functions and for primitives."""

    functions = primitives = 0


_CALL_KEY = (
    *("trees", "static values", "types", "places", "jit context", "current trace"),
)
# C++ answers hits without telling; every miss comes to us.
define_cache(
    "dispatch",
    level="dispatch",
    key=("function", "options", *_CALL_KEY),
    bound=_CAPACITY,
    counts=lambda: CacheCounts(-1, _Misses.functions, shared_cache.size()),
    clear=shared_cache.clear,
)
define_cache(
    "eager",
    level="dispatch",
    key=("primitive", "parameters", *_CALL_KEY),
    bound=_FUNCTIONS,
    counts=lambda: CacheCounts(-1, _Misses.primitives, eager_cache.size()),
    clear=eager_cache.clear,
)


def count_dispatch_miss() -> None:
    """Note that C++ could not answer a call of a function."""
    _Misses.functions += 1


def place_argument(x: Any, sharding: Any, layout: Any) -> Array:
    """Asked by C++ for an argument that it cannot place by itself."""
    if type(x) is ArrayImpl:
        check_deleted(x)
    return put(x, sharding)


def pjit_function(
    fun: Callable[..., Any],
    *,
    name: str,
    cache_miss: Callable[..., Any],
    static_argnums: Sequence[int] = (),
    static_argnames: Sequence[str] = (),
    key: Hashable = (),
) -> PjitFunction:
    """A callable whose repeated calls are answered by C++.

    fun: what identifies the function (held weakly by the shared cache); with `key` it
    decides which callables share their entries. cache_miss: called with the arguments
    where C++ has no answer; returns `(result, FastPath or None, remove_entry)`, and
    calls `count_dispatch_miss`.
    """
    return jaxlib_core.pjit(
        name,
        fun,
        cache_miss,
        list(static_argnums),
        list(static_argnames),
        key,
        tree.dispatch_registry,
        place_argument,
        shared_cache,
    )


# --- Primitives -----------------------------------------------------------------------


# How many programs each function of a primitive keeps.
_MAX_JAXPRS = 256


class _EagerPrimitive:
    """What a C++ function of one primitive asks when it has no answer."""

    def __init__(self, primitive: Primitive, params: dict[str, Any]) -> None:
        self._primitive, self._params = primitive, _weakened(params)
        # Types -> program as a jaxpr. Jaxprs that hold other programs are not kept: the
        # function must not keep alive what it is forgotten with.
        self._jaxprs: dict[Any, Jaxpr] = {}

    def __call__(self, *args: Any) -> Any:
        _Misses.primitives += 1
        if current.value is not EVAL:
            return self._primitive.bind(*args, **_revived(self._params)), None, True
        try:
            program = self._program(args)
            outs = program.run(args)
        except BaseException:
            _forget(self.function)
            raise
        result = outs if self._primitive.multiple_results else outs[0]
        out_tree = tree.dispatch_registry.flatten(result)[1]
        fast = program.fast_path(out_tree)
        return result, fast, fast is None

    def _program(self, args: tuple[Any, ...]) -> Program:
        for x in args:
            if isinstance(x, Tracer):
                raise escaped(x)
        avals = tuple(aval_of(x) for x in args)
        jaxpr = self._jaxprs.get(avals)
        if jaxpr is None:
            jaxpr = self._stage(avals)
            if not self._primitive.holds_programs:
                if len(self._jaxprs) >= _MAX_JAXPRS:  # e.g. an array that grows
                    self._jaxprs.clear()
                self._jaxprs[avals] = jaxpr
        name = self._primitive.name
        return compile_jaxpr(jaxpr, name, place_of(name, args))

    def _stage(self, avals: tuple[Any, ...]) -> Jaxpr:
        primitive, params = self._primitive, _revived(self._params)

        def apply(*args: Any) -> list[Any]:
            return primitive.results(primitive.bind(*args, **params))

        return stage(apply, avals, debug_info=DebugInfo("eager", primitive.name))

    function: Callable[[], Any]


def _forget(function: Callable[[], Any]) -> None:
    """After a failed call: C++ would send its signature to Python for ever."""
    alive = function()
    if alive is not None:
        alive._clear_cache()


def _present(miss: Any, name: str) -> PjitFunction:
    # The first `miss` only identifies the entries: `disable_jit` is off when C++ calls.
    made = jaxlib_core.pjit(
        name,
        miss,
        miss,
        [],
        [],
        (),
        tree.dispatch_registry,
        place_argument,
        eager_cache,
    )
    miss.function = weakref.ref(made)
    made.__name__, made._plain = name, None
    return made


def _make_function(primitive: Primitive, params: dict[str, Any]) -> PjitFunction:
    return _present(_EagerPrimitive(primitive, params), primitive.name)


def _weakened(params: dict[str, Any]) -> dict[str, Any]:
    return {name: _weak(value) for name, value in params.items()}


def _weak(value: Any) -> Any:
    if isinstance(value, Jaxpr):
        return weakref.ref(value)
    if type(value) is tuple and any(isinstance(item, Jaxpr) for item in value):
        return tuple(map(_weak, value))
    return value


def _revived(params: dict[str, Any]) -> dict[str, Any]:
    return {name: _strong(value) for name, value in params.items()}


def _strong(value: Any) -> Any:
    if type(value) is weakref.ref:
        return value()
    if type(value) is tuple and any(type(item) is weakref.ref for item in value):
        return tuple(map(_strong, value))
    return value


@functools.lru_cache(maxsize=_FUNCTIONS, typed=True)
def _function_of(primitive: Primitive, **params: Any) -> PjitFunction:
    return _make_function(primitive, params)


def _program_function(primitive: Primitive, params: tuple[Any, ...]) -> PjitFunction:
    return _make_function(primitive, dict(params))


# The parameters hold jaxprs, whose lives must not depend on us.
_function_of_program = multi_weakref_lru_cache(
    lambda: None,
    _program_function,
    maxsize=_FUNCTIONS,
    registry=tree.registry,
    weak_types={Jaxpr},
)

register_cache("eager primitives", _function_of.cache_clear)
register_cache("eager programs", _function_of_program.cache_clear)


# --- Programs -------------------------------------------------------------------------


class _EagerProgram:
    """What the C++ function of a program asks when it has no answer."""

    def __init__(
        self, jaxpr: Jaxpr, name: str, donated: tuple[bool, ...], settings: Any
    ) -> None:
        self._jaxpr, self._name = weakref.ref(jaxpr), name
        self._donated, self._settings = donated, settings

    def __call__(self, *args: Any) -> Any:
        _Misses.primitives += 1
        keep_unused, options = self._settings
        jaxpr: Any = self._jaxpr()  # whoever calls us holds it
        try:
            for x in args:
                if isinstance(x, Tracer):
                    raise escaped(x)
            program = compile_jaxpr(
                jaxpr,
                self._name,
                place_of(self._name, args),
                donated=self._donated,
                keep_unused=keep_unused,
                options=options,
            )
            outs = program.run(args)
        except InvalidFloatError as found:
            _forget(self.function)
            rerun(found, jaxpr_as_fun(jaxpr), args, {})
        except BaseException:
            _forget(self.function)
            raise
        out_tree = tree.dispatch_registry.flatten(outs)[1]
        return outs, program.fast_path(out_tree), False

    function: Callable[[], Any]


def _make_program_call(
    jaxpr: Jaxpr, name: str, donated: tuple[bool, ...], settings: Any
) -> PjitFunction:
    function = _present(_EagerProgram(jaxpr, name, donated, settings), name)
    weak: Any = weakref.ref(jaxpr)
    function._plain = lambda *args: jaxpr_as_fun(weak())(*args)
    return function


_call_of_program = weakref_lru_cache(lambda: None, _make_program_call, _FUNCTIONS)
register_cache("eager calls of programs", _call_of_program.cache_clear)


def call_jaxpr(
    jaxpr: Jaxpr,
    args: Sequence[Any],
    *,
    name: str,
    donated: tuple[bool, ...] = (),
    keep_unused: bool = False,
    options: Any = (),
) -> list[Any]:
    """Call a program on arrays and numbers: one value per result.

    Compiled once; repeated calls are answered by C++. The program's constants are
    attached to it.

    Raises:
        RuntimeError: an argument was deleted.
    """
    donated = donated or (False,) * len(jaxpr.invars)
    function = _call_of_program(jaxpr, name, donated, (keep_unused, options))
    return _called(function, args)


def _called(function: PjitFunction, args: Sequence[Any]) -> Any:
    if flags.disable_jit.value:
        previous = flags.disable_jit.override(False)
        try:
            return function(*args)
        finally:
            flags.disable_jit.restore(previous)
    return function(*args)


def apply_primitive(
    primitive: Primitive, args: tuple[Any, ...], params: dict[str, Any]
) -> Any:
    """Run a primitive on arrays and numbers: a value, or a list of values.

    Raises:
        TypeError: an operand is no array and no number, or a parameter is unhashable.
    """
    try:
        if primitive.holds_programs:
            function = _function_of_program(primitive, tuple(params.items()))
        else:
            function = _function_of(primitive, **params)
    except TypeError as error:
        raise _unhashable(primitive, params) or error from None
    return _called(function, args)


def _unhashable(
    primitive: Primitive, params: dict[str, Any]
) -> UnhashableParamError | None:
    for name, value in params.items():
        try:
            hash(value)
        except TypeError:
            text = f"{value!r} of type {type(value).__name__}"
            return UnhashableParamError(primitive.name, name, text)
    return None


set_evaluator(apply_primitive)
