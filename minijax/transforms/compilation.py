"""`jit`: functions that are traced once, compiled once, and then called by C++.

Level 2 of the cache stack is here: for one wrapper and one structure and types of
arguments, the program and what the wrapper's options say about it.

Rules:
1. A hit never reaches Python. What comes here is a miss of the C++ cache: a new
   signature, a call inside a trace, or a program that C++ may not call alone.
2. Inside a trace the call becomes one `jit` equation and leaves nothing in the C++
   cache, which keys on the current trace.
3. A failed call leaves nothing behind: C++ would send its signature to Python for ever.

Source: spec/jit.md §§1-9.
"""

import functools
import warnings
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .. import tree
from ..base.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    InvalidFloatError,
    TreeMismatchError,
)
from ..base.util import function_name, trace_context, weakref_lru_cache
from ..core import (
    EVAL,
    Jaxpr,
    Tracer,
    current,
    escaped,
    eval_jaxpr,
    jit_p,
)
from ..lax import Inline
from ..runtime import (
    ArrayImpl,
    Options,
    PjitFunction,
    Place,
    Program,
    canonical_options,
    compile_jaxpr,
    counters_of,
    define_cache,
    get_backend,
    pjit_function,
    place_of,
    placement_on,
    rerun,
)
from ..sharding import UNSPECIFIED, Device, Sharding
from .call_keys import CallKey, flatten_call
from .function_keys import key_of
from .signatures import Choice, check_function, choose
from .tracing import Open, cached_trace, leaf_avals, leaf_names


class JitOptions(NamedTuple):
    """What the user asked of `jit`. Tuples of it, never the function."""

    choice: Choice
    keep_unused: bool
    inline: Inline
    device: Device | None
    backend: str | None
    in_shardings: Any
    out_shardings: Any
    compiler_options: Options

    @property
    def dispatch_key(self) -> Any:
        """What tells wrappers of one function apart in the C++ cache."""
        shardings = tree.none_leaf_registry.flatten
        ins, in_tree = shardings(self.in_shardings)
        outs, out_tree = shardings(self.out_shardings)
        return (
            *(self.choice, self.keep_unused, self.device, self.backend),
            *(tuple(ins), in_tree, tuple(outs), out_tree, self.compiler_options),
        )


class Parameters(NamedTuple):
    """A call inside a wrapper, as far as types decide it.

    jaxpr: the program. out_tree: of the result. donated: per leaf. leading: values that
    stand before the leaves (what the program closes over, where that is traced).
    in_placements, out_placements: as asked for, per leaf; None where nothing was.
    """

    jaxpr: Jaxpr
    out_tree: tree.PyTreeDef
    donated: tuple[bool, ...]
    leading: tuple[Any, ...]
    in_placements: tuple[Sharding | None, ...]
    out_placements: tuple[Sharding | None, ...]


# --- Level 2 --------------------------------------------------------------------------


def _infer(
    fun: Any, options: JitOptions, key: CallKey, avals: tuple[Any, ...]
) -> Parameters:
    normal, order = key.normalised(fun)
    try:
        staged, is_open = (
            cached_trace(fun, normal, tuple(avals[i] for i in order)),
            False,
        )
    except Open as opened:
        staged, is_open = opened.answer, True
    jaxpr, leading = staged.jaxpr, ()
    if order != tuple(range(len(order))):
        jaxpr = _reordered(jaxpr, order)
    if is_open:
        # The values of the trace around come in as operands of the equation.
        leading, jaxpr = jaxpr.consts, _without_constants(jaxpr)
    found = Parameters(
        jaxpr,
        staged.out_tree,
        key.selected_leaves(options.choice.donated),
        leading,
        _placements(options.in_shardings, key, "in_shardings"),
        _out_placements(options.out_shardings, staged.out_tree),
    )
    if is_open:
        raise Open(found)
    return found


def _reordered(jaxpr: Jaxpr, order: Sequence[int]) -> Jaxpr:
    """The program with its inputs in the order of the call: i came from order[i]."""
    place = {leaf: i for i, leaf in enumerate(order)}
    picked = [place[leaf] for leaf in range(len(order))]
    info, invars = jaxpr.debug_info, jaxpr.invars
    names = info.arg_names and tuple(info.arg_names[i] for i in picked)
    return jaxpr.replace(
        invars=[invars[i] for i in picked], debug_info=info._replace(arg_names=names)
    )


def _without_constants(jaxpr: Jaxpr) -> Jaxpr:
    info = jaxpr.debug_info
    names = ("",) * len(jaxpr.consts) + info.safe_arg_names(len(jaxpr.invars))
    return Jaxpr(
        (),
        jaxpr.all_invars,
        jaxpr.outvars,
        jaxpr.eqns,
        jaxpr.effects,
        info._replace(arg_names=names),
    )


_PARAMETERS = 8192
_cached_infer = weakref_lru_cache(trace_context, _infer, _PARAMETERS)
define_cache(
    "parameters",
    level="parameters",
    key=(
        *("function", "jit options", "argument trees", "static values", "types"),
        "trace context",
    ),
    bound=_PARAMETERS,
    counts=counters_of(_cached_infer),
    clear=_cached_infer.cache_clear,
)


def infer_parameters(
    fun: Any, options: JitOptions, key: CallKey, avals: tuple[Any, ...]
) -> Parameters:
    """The program of a call and what the options say about it, cached."""
    try:
        return _cached_infer(fun, options, key, avals)
    except Open as opened:
        return opened.answer


def parameter_keys(fun: Any) -> list[tuple[JitOptions, CallKey, tuple[Any, ...]]]:
    """The keys of level 2 that belong to a function, in the trace context at hand."""
    context = trace_context()
    return [
        args
        for function, known, args, _ in _cached_infer.cache_keys()
        if function() is fun and known == context
    ]


# --- Placements -----------------------------------------------------------------------


def _placements(given: Any, key: CallKey, what: str) -> tuple[Sharding | None, ...]:
    if given is UNSPECIFIED:
        return (None,) * key.num_leaves
    if key.keywords:
        raise ArgumentValueError(
            f"`{what}` describes arguments by position.",
            f"Found keyword arguments {[name for name, _ in key.keywords]}.",
            "Pass them by position.",
        )
    args, _ = key.fill([0] * key.num_leaves, with_static=False)
    prefix = tuple(given) if isinstance(given, list) else given
    return _checked(what, prefix, tree.structure(tuple(args)))


def _out_placements(given: Any, out_tree: Any) -> tuple[Sharding | None, ...]:
    if given is UNSPECIFIED:
        return (None,) * out_tree.num_leaves
    return _checked("out_shardings", given, out_tree)


def _checked(what: str, prefix: Any, structure: Any) -> tuple[Sharding | None, ...]:
    try:
        leaves = tree.flatten_axes(f"jit {what}", structure, prefix)
    except TreeMismatchError:
        raise
    except ValueError as error:
        do = ""
        if structure.num_leaves and not isinstance(prefix, tuple) and what[0] == "i":
            do = f"For one argument write `{what}=({prefix!r},)`."
        raise ArgumentValueError(
            f"`{what}` is a tree prefix of {structure}.", str(error), do
        ) from error
    for leaf in leaves:
        if not (leaf is None or leaf is UNSPECIFIED or isinstance(leaf, Sharding)):
            raise ArgumentTypeError(
                f"`{what}` holds shardings and None.",
                f"Found {leaf!r} of type {type(leaf).__name__}.",
            )
    return tuple(None if leaf is UNSPECIFIED else leaf for leaf in leaves)


# --- A jitted function ----------------------------------------------------------------


class Signature(NamedTuple):
    """A call as C++ keys it; kept for explanations, C++ does not tell its keys.

    places: of each leaf, whether it is an array, where it lies, and committed or not.
    """

    call: CallKey
    avals: tuple[Any, ...]
    places: tuple[str, ...]
    context: tuple[Any, ...]


def _place_text(x: Any) -> str:
    if type(x) is not ArrayImpl:
        return f"a {type(x).__name__}"
    devices = ", ".join(sorted(map(str, x._sharding.device_set)))
    return f"{'committed to' if x._committed else 'on'} {devices}"


# How many signatures each function remembers for explanations.
_REMEMBERED = 64


class Jitted:
    """What stands behind a jitted function: answers what C++ cannot.

    fun: the user's function. key: what identifies it in caches. options: as given.
    """

    __slots__ = (
        *("__weakref__", "answered", "fun", "function", "key", "misses", "name"),
        "options",
    )

    def __init__(self, fun: Callable[..., Any], options: JitOptions) -> None:
        self.fun, self.key, self.options = fun, key_of(fun), options
        self.misses = 0
        self.answered: deque[Signature] = deque(maxlen=_REMEMBERED)
        self.name = function_name(fun)
        self.function: PjitFunction = pjit_function(
            self.key,
            name=self.name,
            cache_miss=self.miss,
            static_argnums=options.choice.static.numbers,
            static_argnames=options.choice.static.names,
            key=options.dispatch_key,
        )

    def miss(self, *args: Any, **kwargs: Any) -> Any:
        """Answer a call for C++: the result, and how to repeat it."""
        self.misses += 1
        try:
            return self.answer(args, kwargs)
        except BaseException:
            self.function._clear_cache()
            raise

    def answer(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """`(result, FastPath or None, whether to forget the signature)`."""
        key, leaves = flatten_call(self.key, args, kwargs, self.options.choice.static)
        if current.value is not EVAL:
            parameters = self.parameters(key, self.avals(key, leaves))
            return (
                parameters.out_tree.unflatten(self.bind(parameters, leaves)),
                None,
                True,
            )
        for x in leaves:
            if isinstance(x, Tracer):
                raise escaped(x)
        parameters = self.parameters(key, self.avals(key, leaves))
        program = self.program(parameters, key, leaves)
        try:
            outs = program.run(leaves)
        except InvalidFloatError as found:
            rerun(found, self.fun, args, kwargs)
        result = parameters.out_tree.unflatten(outs)
        fast = program.fast_path(tree.dispatch_registry.flatten(result)[1])
        if fast is not None:
            self.answered.append(self.signature(key, leaves))
        return result, fast, False

    def signature(self, key: CallKey, leaves: Sequence[Any]) -> Signature:
        """What C++ compares to answer this call, as far as it can be told."""
        places = tuple(map(_place_text, leaves))
        return Signature(key, self.avals(key, leaves), places, trace_context())

    def avals(self, key: CallKey, leaves: Sequence[Any]) -> tuple[Any, ...]:
        """The types of the leaves. Raises: TypeError, OverflowError."""
        return leaf_avals(self.key, key, leaves)

    def parameters(self, key: CallKey, avals: tuple[Any, ...]) -> Parameters:
        """Level 2 for arguments of these types."""
        return infer_parameters(self.key, self.options, key, avals)

    def program(
        self, parameters: Parameters, key: CallKey, leaves: Sequence[Any]
    ) -> Program:
        """The compiled program for arguments that lie where these do."""
        return compile_jaxpr(
            parameters.jaxpr,
            self.name,
            self.place(parameters, key, leaves),
            donated=parameters.donated,
            keep_unused=self.options.keep_unused,
            options=self.options.compiler_options,
        )

    def place(
        self, parameters: Parameters, key: CallKey, leaves: Sequence[Any]
    ) -> Place:
        """Where the call runs. Raises: ValueError, if its arguments disagree."""
        options = self.options
        if options.device is not None:
            return Place(placement_on(options.device), committed=True)
        if options.backend is not None:
            device = get_backend(options.backend).local_devices()[0]
            return Place(placement_on(device), committed=True)
        asked = (*parameters.in_placements, *parameters.out_placements)
        wanted = [sharding for sharding in asked if sharding is not None]
        try:
            return place_of(self.name, leaves, (), wanted)
        except ValueError:
            # The names of the arguments are made only where a text needs them.
            return place_of(self.name, leaves, leaf_names(self.key, key), wanted)

    def bind(self, parameters: Parameters, leaves: Sequence[Any]) -> list[Any]:
        """The call inside a trace: one equation, or those of the program."""
        operands = (*parameters.leading, *leaves)
        jaxpr, options = parameters.jaxpr, self.options
        if options.inline is Inline.JAX_EARLY:
            return eval_jaxpr(jaxpr, jaxpr.consts, *operands)
        count, ahead = len(operands), len(parameters.leading)
        return jit_p.bind(
            *operands,
            jaxpr=jaxpr,
            in_shardings=_as_params((None,) * ahead + parameters.in_placements),
            out_shardings=_as_params(parameters.out_placements),
            in_layouts=(None,) * count,
            out_layouts=(None,) * len(jaxpr.outvars),
            donated_invars=(False,) * ahead + parameters.donated,
            ctx_mesh=None,
            name=self.name,
            keep_unused=options.keep_unused,
            inline=options.inline,
            compiler_options_kvs=options.compiler_options,
        )

    def forget(self) -> None:
        """Empty what the caches hold for the function."""
        self.function._clear_cache()
        self.answered.clear()
        cached_trace.evict_weakref(self.key)
        _cached_infer.evict_weakref(self.key)


def _as_params(placements: Sequence[Sharding | None]) -> tuple[Any, ...]:
    return tuple(UNSPECIFIED if p is None else p for p in placements)


_OMITTED: Any = object()


def jit(
    fun: Callable[..., Any] = _OMITTED,
    /,
    *,
    in_shardings: Any = UNSPECIFIED,
    out_shardings: Any = UNSPECIFIED,
    static_argnums: int | Sequence[int] | None = None,
    static_argnames: str | Sequence[str] | None = None,
    donate_argnums: int | Sequence[int] | None = None,
    donate_argnames: str | Sequence[str] | None = None,
    keep_unused: bool = False,
    device: Device | None = None,
    backend: str | None = None,
    inline: bool | Inline = False,
    compiler_options: dict[str, Any] | None = None,
) -> Any:
    """Compile a function: traced once per structure and types of its arguments.

    The result is called like `fun` and returns the same values; Python code in `fun`
    runs only while it is traced. Arguments are pytrees of arrays and numbers, except
    static ones: those are keys, hashable, and new values trace anew.

    static_argnums, static_argnames: arguments that are constants of the program; if
    only one is given, the other follows from the signature. donate_argnums,
    donate_argnames: arguments whose memory results may take; the arrays are deleted.
    keep_unused: transfer also what the program does not read. inline: how a call
    inside another program is written down. device, backend: where to run (deprecated:
    place the arguments). in_shardings, out_shardings: placements of the positional
    arguments and of the result, as tree prefixes. compiler_options: XLA options by
    name. Without `fun`, a decorator.

    Raises:
        TypeError: `fun` is no function, or an option is of the wrong kind.
        ValueError: `fun` has no such argument; options that exclude each other.

    >>> import minijax as mj
    >>> @mj.jit
    ... def double(x):
    ...     return x * 2
    >>> double(3)
    Array(6, dtype=int32, weak_type=True)
    """
    check = functools.partial(
        _make,
        in_shardings=in_shardings,
        out_shardings=out_shardings,
        argnums=(static_argnums, static_argnames, donate_argnums, donate_argnames),
        keep_unused=keep_unused,
        device=device,
        backend=backend,
        inline=inline,
        compiler_options=compiler_options,
    )
    return check if fun is _OMITTED else check(fun)


def _make(
    fun: Callable[..., Any],
    *,
    in_shardings: Any,
    out_shardings: Any,
    argnums: tuple[Any, Any, Any, Any],
    keep_unused: bool,
    device: Device | None,
    backend: str | None,
    inline: bool | Inline,
    compiler_options: dict[str, Any] | None,
) -> PjitFunction:
    check_function(fun)
    if device is not None or backend is not None:
        _check_device(device, backend, in_shardings, out_shardings)
    options = JitOptions(
        choose(fun, *argnums),
        bool(keep_unused),
        Inline.of(inline),
        device,
        backend,
        in_shardings,
        out_shardings,
        canonical_options(compiler_options),
    )
    return present(Jitted(fun, options))


def _check_device(
    device: Any, backend: Any, in_shardings: Any, out_shardings: Any
) -> None:
    warnings.warn(
        "`device` and `backend` of jit are deprecated: place the arguments with "
        "`device_put`, or say `in_shardings`.",
        DeprecationWarning,
        stacklevel=4,
    )
    if device is not None and backend is not None:
        raise ArgumentValueError(
            "jit takes a device or a backend.", f"Found both: {device}, {backend!r}."
        )
    if in_shardings is not UNSPECIFIED or out_shardings is not UNSPECIFIED:
        raise ArgumentValueError(
            "jit takes a device or backend, or shardings.", "Found both."
        )


def present(jitted: Jitted) -> PjitFunction:
    """The callable users get: looks like the function it wraps."""
    function, fun = jitted.function, jitted.fun
    function._jitted, function._plain = jitted, fun
    function.__wrapped__ = fun
    for name in ("__name__", "__qualname__", "__doc__", "__module__"):
        value = getattr(fun, name, None)
        if value is not None:
            setattr(function, name, value)
    return function


def jitted_of(function: Any) -> Jitted:
    """What stands behind a jitted function. Raises: TypeError, if it is none."""
    found = getattr(function, "_jitted", None)
    if found is None:
        raise ArgumentTypeError(
            "A function made by `jit` is needed.",
            f"Found {function!r} of type {type(function).__name__}.",
        )
    return found


def eager_jit(
    fun: Callable[..., Any] | None = None,
    *,
    static_argnums: int | Sequence[int] | None = None,
    static_argnames: str | Sequence[str] | None = None,
) -> Any:
    """`jit` at top level, the plain function inside a trace: for our own functions.

    A library function is one program when called on arrays, and leaves no `jit`
    equation where it is traced. Without `fun`, a decorator.
    """
    if fun is None:
        return functools.partial(
            eager_jit, static_argnums=static_argnums, static_argnames=static_argnames
        )
    options = JitOptions(
        choose(fun, static_argnums, static_argnames),
        keep_unused=False,
        inline=Inline.AUTO,
        device=None,
        backend=None,
        in_shardings=UNSPECIFIED,
        out_shardings=UNSPECIFIED,
        compiler_options=(),
    )
    return present(_EagerlyJitted(fun, options))


class _EagerlyJitted(Jitted):
    __slots__ = ()

    def answer(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        if current.value is not EVAL or _any_tracer(args, kwargs):
            return self.fun(*args, **kwargs), None, True
        return super().answer(args, kwargs)


def _any_tracer(args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
    leaves = tree.leaves((*args, *kwargs.values()))
    return any(isinstance(x, Tracer) for x in leaves)
