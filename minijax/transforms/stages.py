"""The stages of a jitted call, one by one: traced, lowered, compiled.

`f.trace(*args)` gives a `Traced`, its `lower()` a `Lowered`, its `compile()` a
`Compiled`, which is called with arguments of the same structure and types. Arguments
may be descriptions (`ShapeDtypeStruct`) up to the call.

Source: spec/jit.md §10.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

from .. import tree
from ..base.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    NotAnArrayError,
    StateError,
)
from ..core import (
    Jaxpr,
    ShapeDtypeStruct,
    Tracer,
    eval_jaxpr,
    is_array_type,
    typeof,
)
from ..lowering import LoweredModule
from ..runtime import (
    ArrayImpl,
    Executable,
    Options,
    PjitFunction,
    Place,
    Program,
    Way,
    canonical_options,
    compile_jaxpr,
    computation_of,
    cost_after_optimisation,
    cost_before_optimisation,
    count_dispatch_miss,
    layouts_of,
    lower_jaxpr,
    lowering_platform,
    memory_of,
    optimised_text,
    pjit_function,
)
from ..sharding import Format, Layout
from .call_keys import CallKey, flatten_call
from .compilation import Jitted, jitted_of
from .parameters import Parameters, without_constants
from .tracing import leaf_names

CompilerOptions = dict[str, Any]


class ArgInfo:
    """What is known of an argument before the call. Fields: shape, dtype, donated."""

    __slots__ = ("_aval", "donated")

    def __init__(self, _aval: Any, donated: bool) -> None:
        self._aval, self.donated = _aval, donated

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ArgInfo) and self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash(self._fields())

    def __repr__(self) -> str:
        return f"ArgInfo(_aval={self._aval!r}, donated={self.donated})"

    def _fields(self) -> tuple[Any, bool]:
        return self._aval, self.donated

    @property
    def shape(self) -> tuple[int, ...]:
        return self._aval.shape

    @property
    def dtype(self) -> Any:
        return self._aval.dtype


@runtime_checkable
class Wrapped(Protocol):
    """A function that can be traced and lowered: what `jit` returns."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function."""
        raise NotImplementedError

    def trace(self, *args: Any, **kwargs: Any) -> "Traced":
        """Trace the function for these arguments."""
        raise NotImplementedError

    def lower(self, *args: Any, **kwargs: Any) -> "Lowered":
        """Trace and lower the function for these arguments."""
        raise NotImplementedError


class _Request(NamedTuple):
    """One call of a jitted function, seen from every stage."""

    jitted: Jitted
    key: CallKey
    avals: tuple[Any, ...]
    parameters: Parameters
    place: Place


class Stage:
    """What all stages know: the types and structure of arguments and result."""

    __slots__ = ("_request",)

    def __init__(self, request: _Request) -> None:
        self._request = request

    def _arguments(self, leaves: Sequence[Any]) -> Any:
        args, kwargs = self._request.key.fill(leaves, with_static=False)
        return tuple(args), kwargs

    @property
    def args_info(self) -> Any:
        """The arguments as `((args...), {kwargs...})`, with an `ArgInfo` per leaf."""
        request = self._request
        infos = map(ArgInfo, request.avals, request.parameters.donated)
        return self._arguments(list(infos))

    @property
    def in_tree(self) -> tree.PyTreeDef:
        """The structure of `((args...), {kwargs...})`."""
        return tree.structure(self._arguments([0] * len(self._request.avals)))

    @property
    def in_avals(self) -> Any:
        """The types of the arguments, as `((args...), {kwargs...})`."""
        return self._arguments(self._request.avals)

    @property
    def donate_argnums(self) -> tuple[int, ...]:
        """Which leaves of the arguments are donated."""
        donated = self._request.parameters.donated
        return tuple(i for i, flag in enumerate(donated) if flag)

    @property
    def out_tree(self) -> tree.PyTreeDef:
        """The structure of the result."""
        return self._request.parameters.out_tree

    @property
    def out_avals(self) -> Any:
        """The types of the result."""
        return self.out_tree.unflatten(self._request.parameters.jaxpr.out_avals)

    @property
    def out_info(self) -> Any:
        """The result, with a `ShapeDtypeStruct` per leaf."""
        avals = self._request.parameters.jaxpr.out_avals
        return self.out_tree.unflatten(list(map(_struct, avals)))


def _struct(aval: Any) -> ShapeDtypeStruct:
    return ShapeDtypeStruct(
        aval.shape, aval.dtype, sharding=aval.sharding, weak_type=aval.weak_type
    )


class Traced(Stage):
    """A function traced for arguments of certain types; calling it runs its program."""

    __slots__ = ()

    @property
    def jaxpr(self) -> Jaxpr:
        """The program."""
        return self._request.parameters.jaxpr

    @property
    def fun_name(self) -> str:
        """The name of the function."""
        return self._request.jitted.name

    @property
    def effects(self) -> frozenset[Any]:
        """What the program does besides computing its result."""
        return frozenset(self.jaxpr.effects)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the program in the current trace. Raises: TypeError, for other trees."""
        leaves = _dynamic_leaves(self, args, kwargs)
        return self.out_tree.unflatten(eval_jaxpr(self.jaxpr, self._consts(), *leaves))

    def _consts(self) -> tuple[Any, ...]:
        return (*self._request.parameters.leading, *self.jaxpr.consts)

    def closure_convert(self) -> tuple[list[Any], Callable[..., Any]]:
        """What the program closes over, and `fun(consts, *args, **kwargs)`."""

        def converted(consts: Sequence[Any], /, *args: Any, **kwargs: Any) -> Any:
            leaves = _dynamic_leaves(self, args, kwargs)
            return self.out_tree.unflatten(eval_jaxpr(self.jaxpr, consts, *leaves))

        return list(self._consts()), converted

    def with_consts_as_arg(self) -> tuple[list[Any], "Traced"]:
        """What the program closes over, and the program with that as first argument."""
        request, consts = self._request, list(self._consts())
        old = request.parameters
        count = len(consts)
        parts = (tree.structure(consts), *request.key.positional)
        parameters = old._replace(
            jaxpr=without_constants(old.jaxpr),
            leading=(),
            donated=(False,) * count + old.donated,
            params={},
        )
        opened = request._replace(
            key=request.key._replace(positional=parts),
            avals=(*map(typeof, consts), *request.avals),
            parameters=parameters,
        )
        return consts, Traced(opened)

    def lower(self, *, lowering_platforms: Sequence[str] | None = None) -> "Lowered":
        """The program as StableHLO.

        lowering_platforms: for other platforms than that of the arguments' device.

        Raises:
            NotImplementedError: a primitive has no lowering for a platform.
        """
        request = self._request
        if request.parameters.leading:
            raise ArgumentTypeError(
                f"{self.fun_name} is to be lowered.",
                "Found that it closes over values of a transformation at work.",
                "Lower the function around it.",
            )
        device = request.place.sharding._internal_device_list[0]
        platforms = tuple(lowering_platforms or (lowering_platform(device.client),))
        lowered = lower_jaxpr(
            self.jaxpr,
            Way(
                request.jitted.name,
                platforms[0] if len(platforms) == 1 else platforms,
                request.parameters.donated,
                request.jitted.options.keep_unused,
                for_compile=False,
            ),
        )
        return Lowered(request, lowered)


def _dynamic_leaves(stage: Stage, args: Any, kwargs: Any) -> list[Any]:
    """The leaves of arguments without the static ones. Raises: TypeError."""
    leaves, structure = tree.flatten((tuple(args), kwargs))
    expected = stage.in_tree
    if structure != expected:
        found = tree.equality_errors_of_treedefs(expected, structure)
        texts = [f"at {tree.keystr(d[0]) or 'the top'}: {d[1]}, {d[2]}" for d in found]
        raise ArgumentTypeError(
            f"{stage._request.jitted.name} was traced for arguments of structure "
            f"{expected}.",
            f"Found {structure}.\n" + "\n".join(texts),
            "Static arguments are left out of the call.",
        )
    return leaves


_DIALECTS = ("stablehlo", "hlo")


def _check_dialect(dialect: str | None) -> str:
    chosen = "stablehlo" if dialect is None else str(dialect)
    if chosen not in _DIALECTS:
        raise ArgumentValueError(
            f"A lowered program is shown as {' or '.join(map(repr, _DIALECTS))}.",
            f"Found {dialect!r}.",
        )
    return chosen


class Lowered(Stage):
    """A function lowered to StableHLO, ready to be compiled."""

    __slots__ = ("_compiled", "_lowered")

    def __init__(self, request: _Request, lowered: LoweredModule) -> None:
        super().__init__(request)
        self._lowered = lowered
        self._compiled: Compiled | None = None

    def as_text(self, dialect: str | None = None, *, debug_info: bool = False) -> str:
        """The program as text: "stablehlo" (the default) or "hlo".

        debug_info: with the user's source lines.

        Raises:
            ValueError: there is no such dialect.
        """
        if _check_dialect(dialect) == "hlo":
            return computation_of(self._lowered).as_hlo_text()
        return self._lowered.as_text(debug_info=debug_info)

    def compiler_ir(self, dialect: str | None = None) -> Any:
        """The program as an object: an MLIR module, or an `XlaComputation` for "hlo".

        Raises:
            ValueError: there is no such dialect.
        """
        if _check_dialect(dialect) == "hlo":
            return computation_of(self._lowered)
        return self._lowered.module

    def cost_analysis(self) -> dict[str, float] | None:
        """An estimate of the costs before optimisation; None where there is none."""
        device = self._request.place.sharding._internal_device_list[0]
        return cost_before_optimisation(self._lowered, device.client)

    def compile(
        self,
        compiler_options: CompilerOptions | None = None,
        *,
        device_assignment: Sequence[Any] | None = None,
    ) -> "Compiled":
        """Compile the program; without arguments once.

        device_assignment: the devices, which must be those of the arguments.

        Raises:
            JaxRuntimeError: the compiler refused the program or an option.
            ValueError: other devices than those of the arguments.
        """
        if compiler_options is None and device_assignment is None:
            if self._compiled is None:
                self._compiled = self._compile(())
            return self._compiled
        if device_assignment is not None:
            self._check_devices(device_assignment)
        return self._compile(canonical_options(compiler_options))

    def _check_devices(self, wanted: Sequence[Any]) -> None:
        inferred = list(self._request.place.sharding._internal_device_list)
        if list(wanted) != inferred:
            raise ArgumentValueError(
                f"The arguments lie on the devices {[d.id for d in inferred]}.",
                f"Found device_assignment {[d.id for d in wanted]}.",
            )

    def _compile(self, options: Options) -> "Compiled":
        request = self._request
        jitted = request.jitted
        device = request.place.sharding._internal_device_list[0]
        if lowering_platform(device.client) not in self._lowered.platforms:
            raise StateError(
                f"The program was lowered for {', '.join(self._lowered.platforms)}.",
                f"Found the device {device}.",
                "Compile it where such a device is.",
            )
        merged = dict(jitted.options.compiler_options) | dict(options)
        program = compile_jaxpr(
            request.parameters.jaxpr,
            jitted.name,
            request.place,
            donated=request.parameters.donated,
            keep_unused=jitted.options.keep_unused,
            options=tuple(sorted(merged.items())),
        )
        return Compiled(request, program, self._lowered.name)


class Compiled(Stage):
    """A compiled function: called with arguments of the types it was compiled for."""

    __slots__ = ("_call", "_name", "_program")

    def __init__(self, request: _Request, program: Program, name: str) -> None:
        super().__init__(request)
        self._program, self._name = program, name
        self._call: PjitFunction = pjit_function(
            functools.partial(_refuse_plain_call, name),
            name=request.jitted.name,
            cache_miss=self._miss,
        )
        self._call.__name__, self._call._plain = request.jitted.name, None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the program; static arguments are left out.

        Raises:
            TypeError: another structure, shape or dtype; values of a transformation.
            ValueError: an argument is committed to another place.
        """
        return self._call(*args, **kwargs)

    def _miss(self, *args: Any, **kwargs: Any) -> Any:
        count_dispatch_miss()
        try:
            outs = self._program.run(self._checked(args, kwargs))
        except BaseException:
            self._call._clear_cache()
            raise
        result = self.out_tree.unflatten(outs)
        fast = self._program.fast_path(tree.dispatch_registry.flatten(result)[1])
        return result, fast, False

    def _checked(self, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
        """The leaves of a call that the program may run on. Raises: as `__call__`."""
        leaves = _dynamic_leaves(self, args, kwargs)
        if any(isinstance(x, Tracer) for x in leaves):
            raise ArgumentTypeError(
                f"The compiled program of {self._request.jitted.name} runs on arrays.",
                "Found values of a transformation at work.",
                "Transform the jitted function, not what it was compiled to.",
            )
        self._check_types(leaves)
        self._check_places(leaves)
        return leaves

    def _names(self) -> tuple[str, ...]:
        return leaf_names(self._request.jitted.key, self._request.key)

    def _check_types(self, leaves: Sequence[Any]) -> None:
        for x, name in zip(leaves, self._names()):
            if not is_array_type(x):
                raise NotAnArrayError(
                    type(x).__name__,
                    function=self._request.jitted.name,
                    path=name,
                    value=repr(x)[:80],
                )
        wrong = [
            f"{name}: compiled for {_short(wanted)}, given {_short(aval)}"
            for name, wanted, aval in zip(
                self._names(), self._request.avals, map(typeof, leaves)
            )
            if (wanted.shape, wanted.dtype) != (aval.shape, aval.dtype)
        ]
        if wrong:
            more = f"\nand {len(wrong) - 5} more" if len(wrong) > 5 else ""
            raise ArgumentTypeError(
                f"{self._request.jitted.name} was compiled for other types.",
                "\n".join(wrong[:5]) + more,
                "Lower and compile it for these arguments.",
            )

    def _check_places(self, leaves: Sequence[Any]) -> None:
        place = self._program.place.sharding
        wrong = [
            f"{name}: compiled for {place}, given {x._sharding}"
            for name, x in zip(self._names(), leaves)
            if type(x) is ArrayImpl
            and x._committed
            and not x._sharding.is_equivalent_to(place, x.ndim)
        ]
        if wrong:
            raise ArgumentValueError(
                f"{self._request.jitted.name} was compiled for arguments elsewhere.",
                "\n".join(wrong[:5]),
                "Move them with `device_put`.",
            )

    def as_text(self) -> str | None:
        """The optimised program as HLO text; None where a platform has none."""
        return optimised_text(self._program.executable, self._name)

    def cost_analysis(self) -> dict[str, float] | None:
        """The costs of the optimised program; None where a platform tells none."""
        return cost_after_optimisation(self._program.executable)

    def memory_analysis(self) -> Any:
        """The bytes of arguments, results and temporaries; None where unknown."""
        return memory_of(self._program.executable)

    def runtime_executable(self) -> Any:
        """The executable itself, as jaxlib has it."""
        executable: Executable = self._program.executable
        return executable.loaded

    @property
    def input_shardings(self) -> Any:
        """Where the arguments lie; None for those the program does not take."""
        kept = set(self._program.kept)
        sharding = self._program.place.sharding
        count = len(self._request.avals)
        return self._arguments([sharding if i in kept else None for i in range(count)])

    @property
    def output_shardings(self) -> Any:
        """Where the results lie."""
        count = self.out_tree.num_leaves
        return self.out_tree.unflatten([self._program.place.sharding] * count)

    @property
    def input_formats(self) -> Any:
        """Layout and place of the arguments; `Format()` for those not taken."""
        sharding = self._program.place.sharding
        layouts = iter(layouts_of(self._program.executable)[0])
        kept = set(self._program.kept)
        return self._arguments(
            [
                Format(_layout(next(layouts)), sharding) if i in kept else Format()
                for i in range(len(self._request.avals))
            ]
        )

    @property
    def output_formats(self) -> Any:
        """Layout and place of the results."""
        sharding = self._program.place.sharding
        layouts = layouts_of(self._program.executable)[1]
        return self.out_tree.unflatten([Format(_layout(x), sharding) for x in layouts])


def _short(aval: Any) -> str:
    return aval.str_short(short_dtypes=True)


def _layout(layout: Any) -> Layout:
    return Layout.parse(str(layout))


def _refuse_plain_call(name: str, *args: Any, **kwargs: Any) -> Any:
    raise StateError(
        f"{name} is compiled, and `disable_jit` is on.",
        "There is no Python function to run in its place.",
    )


# --- The methods of a jitted function -------------------------------------------------


def _request(function: PjitFunction, args: Any, kwargs: Any) -> _Request:
    jitted = jitted_of(function)
    static = jitted.options.choice.static
    key, leaves = flatten_call(jitted.key, args, kwargs, static)
    avals = jitted.avals(key, leaves)
    parameters = jitted.parameters(key, avals)
    place = jitted.place(parameters, key, leaves)
    return _Request(jitted, key, avals, parameters, place)


def trace(self: PjitFunction, *args: Any, **kwargs: Any) -> Traced:
    """The program of a call with these arguments, which is not run."""
    return Traced(_request(self, args, kwargs))


def lower(self: PjitFunction, *args: Any, **kwargs: Any) -> Lowered:
    """The program of a call with these arguments as StableHLO."""
    return trace(self, *args, **kwargs).lower()


def eval_shape_of(self: PjitFunction, *args: Any, **kwargs: Any) -> Any:
    """The types of the result of a call with these arguments, which is not run."""
    return trace(self, *args, **kwargs).out_info


def clear_cache(self: PjitFunction) -> None:
    """Forget everything the caches hold for this function."""
    jitted_of(self).forget()


PjitFunction.trace = trace
PjitFunction.lower = lower
PjitFunction.eval_shape = eval_shape_of
PjitFunction.clear_cache = clear_cache
