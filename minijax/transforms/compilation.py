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
    count_dispatch_miss,
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


class Prefix(NamedTuple):
    """A tree of shardings, hashable. Fields: leaves, structure."""

    leaves: tuple[Any, ...]
    structure: tree.PyTreeDef

    @classmethod
    def of(cls, given: Any, what: str) -> "Prefix":
        """Read what the user gave. Raises: TypeError for what is no sharding."""
        leaves, structure = tree.none_leaf_registry.flatten(given)
        for leaf in leaves:
            if leaf is None or leaf is UNSPECIFIED or isinstance(leaf, Sharding):
                continue
            raise ArgumentTypeError(
                f"`{what}` holds shardings and None.",
                f"Found {leaf!r} of type {type(leaf).__name__}.",
            )
        return cls(tuple(leaves), structure)

    @property
    def is_trivial(self) -> bool:
        return self.leaves == (UNSPECIFIED,)

    @property
    def value(self) -> Any:
        return self.structure.unflatten(self.leaves)


_ANYWHERE = Prefix.of(UNSPECIFIED, "")


class JitOptions(NamedTuple):
    """What the user asked of `jit`: hashable, and without the function."""

    choice: Choice
    keep_unused: bool
    inline: Inline
    device: Device | None
    backend: str | None
    in_shardings: Prefix
    out_shardings: Prefix
    compiler_options: Options


class Parameters(NamedTuple):
    """A call inside a wrapper, as far as types decide it.

    jaxpr: the program. out_tree: of the result. donated: per leaf. leading: values that
    stand before the leaves (what the program closes over, where that is traced).
    wanted: the placements that were asked for. params: of the equation inside a trace.
    """

    jaxpr: Jaxpr
    out_tree: tree.PyTreeDef
    donated: tuple[bool, ...]
    leading: tuple[Any, ...]
    wanted: tuple[Sharding, ...]
    params: dict[str, Any]


# --- Level 2 --------------------------------------------------------------------------


def _infer(
    fun: Any, options: JitOptions, key: CallKey, avals: tuple[Any, ...]
) -> Parameters:
    normal, order = key.normalised(fun)
    in_order = tuple([avals[i] for i in order])
    try:
        staged, is_open = cached_trace(fun, normal, in_order), False
    except Open as opened:
        staged, is_open = opened.answer, True
    jaxpr, leading = staged.jaxpr, ()
    if order != tuple(range(len(order))):
        jaxpr = _reordered(jaxpr, order)
    if is_open:
        # The values of the trace around come in as operands of the equation.
        leading, jaxpr = jaxpr.consts, _without_constants(jaxpr)
    ins = _in_placements(options.in_shardings, key)
    outs = _out_placements(options.out_shardings, staged.out_tree)
    donated = key.selected_leaves(options.choice.donated)
    ahead = len(leading)
    params = {
        "jaxpr": jaxpr,
        "in_shardings": (UNSPECIFIED,) * ahead + ins,
        "out_shardings": outs,
        "in_layouts": (None,) * (ahead + len(avals)),
        "out_layouts": (None,) * len(outs),
        "donated_invars": (False,) * ahead + donated,
        "ctx_mesh": None,
        "name": function_name(fun),
        "keep_unused": options.keep_unused,
        "inline": options.inline,
        "compiler_options_kvs": options.compiler_options,
    }
    wanted = tuple(p for p in (*ins, *outs) if p is not UNSPECIFIED)
    found = Parameters(jaxpr, staged.out_tree, donated, leading, wanted, params)
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
        *("function", "options", "trees", "static values", "types", "trace context"),
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


def _in_placements(given: Prefix, key: CallKey) -> tuple[Any, ...]:
    if given.is_trivial:
        return (UNSPECIFIED,) * key.num_leaves
    if key.keywords:
        raise ArgumentValueError(
            "`in_shardings` describes arguments by position.",
            f"Found keyword arguments {[name for name, _ in key.keywords]}.",
            "Pass them by position.",
        )
    args, _ = key.fill([0] * key.num_leaves, with_static=False)
    prefix = given.value
    if isinstance(prefix, list):
        prefix = tuple(prefix)
    do = ""
    if not isinstance(prefix, tuple):
        do = f"For one argument write `in_shardings=({prefix!r},)`."
    return _spread("in_shardings", prefix, tree.structure(tuple(args)), do)


def _out_placements(given: Prefix, out_tree: Any) -> tuple[Any, ...]:
    if given.is_trivial:
        return (UNSPECIFIED,) * out_tree.num_leaves
    return _spread("out_shardings", given.value, out_tree)


def _spread(what: str, prefix: Any, structure: Any, do: str = "") -> tuple[Any, ...]:
    """One placement per leaf. Raises: ValueError, if `prefix` does not fit."""
    try:
        leaves = tree.flatten_axes(f"jit {what}", structure, prefix)
    except ValueError as error:
        raise ArgumentValueError(
            f"`{what}` is a tree prefix of {structure}.", str(error), do
        ) from error
    return tuple([UNSPECIFIED if leaf is None else leaf for leaf in leaves])


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
            # How nested calls are written does not tell wrappers apart.
            key=options._replace(inline=Inline.AUTO),
        )

    def miss(self, *args: Any, **kwargs: Any) -> Any:
        """Answer a call for C++: the result, and how to repeat it."""
        self.misses += 1
        count_dispatch_miss()
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
        avals = self.avals(key, leaves)
        parameters = self.parameters(key, avals)
        program = self.program(parameters, key, leaves)
        try:
            outs = program.run(leaves)
        except InvalidFloatError as found:
            rerun(found, self.fun, args, kwargs)
        result = parameters.out_tree.unflatten(outs)
        fast = program.fast_path(tree.dispatch_registry.flatten(result)[1])
        if fast is not None:
            self.answered.append(self.signature(key, avals, leaves))
        return result, fast, False

    def signature(
        self, key: CallKey, avals: tuple[Any, ...], leaves: Sequence[Any]
    ) -> Signature:
        """What C++ compares to answer this call, as far as it can be told."""
        return Signature(key, avals, tuple(map(_place_text, leaves)), trace_context())

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
        try:
            return place_of(self.name, leaves, (), parameters.wanted)
        except ValueError:
            # The names of the arguments are made only where a text needs them.
            names = leaf_names(self.key, key)
            return place_of(self.name, leaves, names, parameters.wanted)

    def bind(self, parameters: Parameters, leaves: Sequence[Any]) -> list[Any]:
        """The call inside a trace: one equation, or those of the program."""
        operands = (*parameters.leading, *leaves)
        if self.options.inline is Inline.JAX_EARLY:
            jaxpr = parameters.jaxpr
            return eval_jaxpr(jaxpr, jaxpr.consts, *operands)
        return jit_p.bind(*operands, **parameters.params)

    def forget(self) -> None:
        """Empty what the caches hold for the function."""
        self.function._clear_cache()
        self.answered.clear()
        cached_trace.evict_weakref(self.key)
        _cached_infer.evict_weakref(self.key)


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
        Prefix.of(in_shardings, "in_shardings"),
        Prefix.of(out_shardings, "out_shardings"),
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
        in_shardings=_ANYWHERE,
        out_shardings=_ANYWHERE,
        compiler_options=(),
    )
    return present(_EagerlyJitted(fun, options))


class _EagerlyJitted(Jitted):
    __slots__ = ()

    def miss(self, *args: Any, **kwargs: Any) -> Any:
        # Inside a trace every call of a library function comes here.
        if current.value is EVAL and not _any_tracer(args, kwargs):
            return super().miss(*args, **kwargs)
        try:
            return self.fun(*args, **kwargs), None, True
        except BaseException:
            self.function._clear_cache()
            raise


def _any_tracer(args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
    leaves = tree.leaves((*args, *kwargs.values()))
    return any(isinstance(x, Tracer) for x in leaves)
