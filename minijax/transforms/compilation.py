"""`jit`: functions that are traced once, compiled once, and then called by C++.

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
from ..base.util import function_name, trace_context
from ..core import (
    EVAL,
    Tracer,
    current,
    escaped,
    eval_jaxpr,
    is_ref_type,
    jit_p,
)
from ..lax import Inline
from ..runtime import (
    ArrayImpl,
    PjitFunction,
    Place,
    Program,
    canonical_options,
    compile_jaxpr,
    count_dispatch_miss,
    get_backend,
    pjit_function,
    place_of,
    placement_on,
    rerun,
)
from ..sharding import UNSPECIFIED, Device
from .call_keys import CallKey, flatten_call
from .function_keys import key_of
from .parameters import (
    ANYWHERE,
    JitOptions,
    Parameters,
    Prefix,
    cached_parameters,
    infer_parameters,
)
from .ref_arguments import check_distinct
from .signatures import check_function, choose
from .tracing import cached_trace, leaf_avals, leaf_names


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

    def check_refs(
        self, key: CallKey, leaves: Sequence[Any], parameters: Parameters
    ) -> None:
        """Refuse that one ref comes in twice. Raises: ValueError."""
        names = functools.partial(leaf_names, self.key, key)
        check_distinct(self.key, leaves, names, parameters.leading)

    def answer(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """`(result, FastPath or None, whether to forget the signature)`."""
        key, leaves = flatten_call(self.key, args, kwargs, self.options.choice.static)
        if current.value is not EVAL:
            avals = self.avals(key, leaves)
            parameters = self.parameters(key, avals)
            if any(map(is_ref_type, avals)):
                self.check_refs(key, leaves, parameters)
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
        if parameters.leading or any(map(is_ref_type, avals)):
            # Refs are changed by us: C++ cannot repeat the call.
            self.check_refs(key, leaves, parameters)
            return (
                parameters.out_tree.unflatten(self.bind(parameters, leaves)),
                None,
                True,
            )
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
        cached_parameters.evict_weakref(self.key)


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
        in_shardings=ANYWHERE,
        out_shardings=ANYWHERE,
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
