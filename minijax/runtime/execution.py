"""Programs: a jaxpr compiled for a place, ready to be called with arrays.

Level 4 of the cache stack is here: a jaxpr is lowered once per way of lowering, and
becomes a program once per place. Both caches hold the jaxpr weakly, so they live no
longer than the function it was traced from.

Rules:
1. The committed arguments decide where a program runs; if there are none, the default
   device does. Results are committed if anything was.
2. Arguments that the program does not read are not transferred.
3. A program with effects is never called by C++ alone: tokens and callbacks need us.

Source: spec/jit.md §§5, 6, 8.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..base import flags, jaxlib_core
from ..base.dtypes import float0
from ..base.errors import (
    DeviceMismatchError,
    ForbiddenExecutionError,
    NotAnArrayError,
    NotSupportedError,
)
from ..base.util import register_cache, trace_context, weakref_lru_cache
from ..core import Jaxpr, ShapedArray, shaped
from ..lowering import lower_jaxpr_to_module, physical_aval
from ..sharding import Sharding
from .arrays import (
    Array,
    ArrayImpl,
    check_deleted,
    logical,
    logical_makers,
    physical,
    put_on,
)
from .backends import lowering_platform
from .caches import counters_of, define_cache
from .captured import open_captured, place_captured
from .checks import check_results
from .compilation import Executable, Options, compile_lowered
from .devices import default_placement, placement_on
from .effects import note_effects, token_handler, tokens_of
from .logs import log_lowering, log_start
from .portable import PortableModule
from .transfers import put

# --- Where ----------------------------------------------------------------------------


class Place(NamedTuple):
    """Where a program runs, and whether its results are committed to it."""

    sharding: Sharding
    committed: bool


def place_of(
    name: str,
    args: Sequence[Any],
    arg_names: Sequence[str] = (),
    wanted: Sequence[Sharding] = (),
) -> Place:
    """The place that the committed arguments and the wishes of the user agree on.

    Raises:
        ValueError: they lie on different devices.
    """
    chosen: Sharding | None = None
    first = ""
    for described, sharding in _committed(args, arg_names, wanted):
        if chosen is None:
            chosen, first = sharding, described
        elif chosen is not sharding and not _same_devices(chosen, sharding):
            raise DeviceMismatchError(name, [first, described])
    if chosen is None:
        return Place(default_placement(), committed=False)
    if chosen.num_devices > 1:
        raise NotSupportedError(
            f"{name} is to run on {chosen.num_devices} devices.",
            f"Found an argument placed by {chosen}.",
            "Gather it on one device with `device_put`.",
        )
    (device,) = chosen.device_set
    return Place(placement_on(device), committed=True)


def _committed(
    args: Sequence[Any], arg_names: Sequence[str], wanted: Sequence[Sharding]
) -> Iterable[tuple[str, Sharding]]:
    for sharding in wanted:
        yield f"the placement asked for, {_devices_text(sharding)}", sharding
    for i, x in enumerate(args):
        x = physical(x)
        if type(x) is ArrayImpl and x._committed:
            label = arg_names[i] if i < len(arg_names) and arg_names[i] else str(i)
            text = f"argument {label} of type {x.aval} on {_devices_text(x._sharding)}"
            yield text, x._sharding


def _same_devices(one: Sharding, other: Sharding) -> bool:
    return one._internal_device_list == other._internal_device_list


def _devices_text(sharding: Sharding) -> str:
    return ", ".join(sorted(map(str, sharding.device_set)))


# --- Lowering -------------------------------------------------------------------------


class Way(NamedTuple):
    """How a jaxpr is lowered: everything the module depends on besides the jaxpr."""

    name: str
    platform: str | tuple[str, ...]
    donated: tuple[bool, ...]
    keep_unused: bool = False
    for_compile: bool = True


def _lower(jaxpr: Jaxpr, way: Way) -> Any:
    """A `LoweredModule` for readers, a `PortableModule` for the compiler."""
    names = jaxpr.debug_info.safe_arg_names(len(jaxpr.invars))
    log_start(way.name, jaxpr.in_avals, names)
    with log_lowering(way.name):
        lowered = lower_jaxpr_to_module(
            jaxpr,
            name=way.name,
            platform=way.platform,
            donated=way.donated,
            keep_unused=way.keep_unused,
            for_compile=way.for_compile,
        )
        return PortableModule(lowered) if way.for_compile else lowered


_LOWERINGS = 1024
lower_jaxpr = weakref_lru_cache(trace_context, _lower, _LOWERINGS)
define_cache(
    "lowering",
    level="lowering",
    key=("jaxpr", *Way._fields[:-1], "purpose", "trace context"),
    bound=_LOWERINGS,
    counts=counters_of(lower_jaxpr),
    clear=lower_jaxpr.cache_clear,
)


# --- Programs -------------------------------------------------------------------------


class FastPath(NamedTuple):
    """What C++ needs to run a program by itself. The names are jaxlib's."""

    xla_executable: Any
    out_pytree_def: Any
    in_shardings: list[Sharding]
    out_shardings: list[Sharding]
    out_avals: list[ShapedArray]
    out_committed: list[bool]
    kept_var_bitvec: list[bool]
    in_device_local_layouts: list[Any]
    const_args: list[Array]


def stored_aval(aval: Any) -> ShapedArray:
    """The type of the array that stands for a value of type `aval` in a program."""
    if aval.dtype == float0:  # it holds nothing, and XLA knows no such type
        return shaped(aval.shape, np.dtype(bool))
    found: ShapedArray = physical_aval(aval)
    return found


# What C++ turns into arrays.
_DATA = np.ndarray | np.generic | bool | int | float | complex


class Program:
    """A compiled program and how to call it.

    name: of the function. executable: what is called. captured: arrays that stand
    before the flat arguments. kept: which of all these it takes. in_avals: types of the
    kept ones. out_avals: types of the results. place: where it runs. arg_names: of
    `captured` (empty) and the flat arguments, as users see them.
    """

    __slots__ = (
        "_handlers",
        "_has_float0",
        "arg_names",
        "captured",
        "effects",
        "executable",
        "in_avals",
        "kept",
        "name",
        "ordered_effects",
        "out_avals",
        "place",
    )

    def __init__(
        self,
        name: str,
        lowered: PortableModule,
        executable: Executable,
        place: Place,
        arg_names: Sequence[str],
        captured: list[Array],
    ) -> None:
        self.captured = captured
        self.name, self.executable, self.place = name, executable, place
        self.kept, self.arg_names = lowered.kept_inputs, arg_names
        self.in_avals, self.out_avals = lowered.in_avals, lowered.out_avals
        avals: list[Any] = [*self.in_avals, *self.out_avals]
        self._has_float0 = any(aval.dtype == float0 for aval in avals)
        self.effects, self.ordered_effects = lowered.effects, lowered.ordered_effects
        self._handlers = [
            jaxlib_core.array_result_handler(
                stored_aval(aval), place.sharding, place.committed
            )
            for aval in self.out_avals
        ]

    def run(self, args: Sequence[Any]) -> list[Any]:
        """Call the program with one value per flat argument; one value per result.

        Raises:
            RuntimeError: an argument was deleted, or the program failed.
            TypeError: an argument is no array and no number.
        """
        if flags.no_execution.value:
            raise ForbiddenExecutionError(self.name)
        if self.captured:
            args = [*self.captured, *args]
        buffers = [
            self._place(i, args[i], aval) for i, aval in zip(self.kept, self.in_avals)
        ]
        if self.effects:
            outs = self._run_with_effects(buffers)
        else:
            results = self.executable.loaded.execute_sharded(buffers)
            outs = results.consume_with_handlers(self._handlers)
        check_results(self.name, outs)
        if logical_makers:
            return [logical(aval, x) for aval, x in zip(self.out_avals, outs)]
        return outs

    def _place(self, number: int, x: Any, aval: Any) -> Array:
        x = physical(x)
        sharding = self.place.sharding
        if aval.dtype == float0:
            x = np.zeros(aval.shape, bool)
        if type(x) is not ArrayImpl:
            if not isinstance(x, _DATA):  # it only describes an array
                raise NotAnArrayError(
                    type(x).__name__,
                    function=self.name,
                    path=self.arg_names[number],
                    value=repr(x)[:80],
                    do="It describes an array without holding one: such a thing can be "
                    "traced and lowered, not computed with.",
                )
            return put_on(x, stored_aval(aval), sharding, committed=False)
        check_deleted(x)
        if x._sharding is sharding or _same_devices(x._sharding, sharding):
            return x
        return put(x, sharding)

    def _run_with_effects(self, buffers: list[Array]) -> list[Any]:
        device = self.place.sharding._device
        before = tokens_of(self.ordered_effects, device)
        loaded = self.executable.loaded
        results = loaded.execute_sharded([*before, *buffers], with_tokens=True)
        running = results.consume_token()
        handlers = [token_handler(device)] * len(before) + self._handlers
        outs: list[Any] = results.consume_with_handlers(handlers)
        note_effects(self.ordered_effects, device, outs[: len(before)], running)
        return outs[len(before) :]

    def fast_path(self, out_tree: Any) -> FastPath | None:
        """What C++ needs to repeat this call; None where it must come back to us."""
        if (
            self._has_float0
            or self.effects
            or flags.debug_key_reuse.value
            or flags.no_execution.value
        ):
            return None
        sharding, committed = self.place
        kept = set(self.kept)
        return FastPath(
            xla_executable=self.executable.loaded,
            out_pytree_def=out_tree,
            in_shardings=[sharding] * len(self.kept),
            out_shardings=[sharding] * len(self.out_avals),
            out_avals=[stored_aval(aval) for aval in self.out_avals],
            out_committed=[committed] * len(self.out_avals),
            kept_var_bitvec=[i in kept for i in range(len(self.arg_names))],
            in_device_local_layouts=[None] * len(self.kept),
            const_args=self.captured,
        )


class Call(NamedTuple):
    """How a jaxpr becomes a program: its way, its place, the compiler's options."""

    way: Way
    place: Place
    options: Options = ()


def _make_program(jaxpr: Jaxpr, call: Call) -> Program:
    opened, captured = open_captured(jaxpr)
    way = call.way._replace(donated=(False,) * len(captured) + call.way.donated)
    lowered = lower_jaxpr(opened, way)
    devices = tuple(call.place.sharding._internal_device_list)
    executable = compile_lowered(lowered, devices, call.options, way.name)
    names = opened.debug_info.safe_arg_names(len(opened.invars))
    placed = place_captured(captured, call.place.sharding)
    return Program(way.name, lowered, executable, call.place, names, placed)


_PROGRAMS = 8192
program_of = weakref_lru_cache(trace_context, _make_program, _PROGRAMS)
register_cache("programs", program_of.cache_clear, counters_of(program_of))


def compile_jaxpr(jaxpr: Jaxpr, name: str, place: Place, **how: Any) -> Program:
    """The program of a jaxpr at a place; made once per such combination.

    how: `donated`, per input, whether its memory may be overwritten; `keep_unused`, to
    transfer also inputs that are not read; `options` of the compiler.
    """
    return program_of(jaxpr, _call(jaxpr, name, place, **how))


def holds_program(jaxpr: Jaxpr, name: str, place: Place, **how: Any) -> bool:
    """Whether `compile_jaxpr` of the same would find its answer."""
    call, context = _call(jaxpr, name, place, **how), trace_context()
    return any(
        known() is jaxpr and args == (call,) and when == context
        for known, when, args, _ in program_of.cache_keys()
    )


def _call(
    jaxpr: Jaxpr,
    name: str,
    place: Place,
    *,
    donated: tuple[bool, ...] | None = None,
    keep_unused: bool = False,
    options: Options = (),
) -> Call:
    if donated is None or flags.debug_nans.value or flags.debug_infs.value:
        # Where a bad value is found, the call is repeated: its inputs must be there.
        donated = (False,) * len(jaxpr.invars)
    device = place.sharding._internal_device_list[0]
    platform = lowering_platform(device.client)
    return Call(Way(name, platform, donated, keep_unused), place, options)


def run_jaxpr(jaxpr: Jaxpr, name: str, args: Sequence[Any]) -> list[Any]:
    """Compile and call a jaxpr on arrays; one value per result."""
    return compile_jaxpr(jaxpr, name, place_of(name, args)).run(args)
