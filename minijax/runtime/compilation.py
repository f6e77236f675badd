"""From a lowered module to an executable, through the caches in memory and on disk.

A file of its own because it is the only place that calls the compiler. Levels 5 and 6
of the cache stack are here: an executable is known by the digest of everything it
depends on (`cache_keys`), in this process and in all others.

Rules:
1. An executable lives as long as a program that uses it: the cache in memory is weak.
2. A fault of the disk cache costs a compilation, never an error.
3. A program that calls Python is never shared in memory: the callables are not part of
   its key. On disk it is, because they are given anew when it is loaded.

Source: spec/jit.md §§6, 7, 11, spec/jaxlib.md §3.
"""

import importlib
import time
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..base import flags, jaxlib_core
from ..base.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    CacheVerificationError,
)
from ..base.util import CacheCounts
from ..lowering import dump
from ..sharding import Device, DeviceList
from . import cache_files
from .cache_files import Entry
from .cache_keys import executable_key
from .caches import define_cache
from .logs import log_compilation, log_disk_hit, log_disk_miss

type Option = str | bool | int | float
type Options = tuple[tuple[str, Option], ...]


class Executable:
    """A compiled program. Fields: loaded (jaxlib's), key, seconds (to compile),
    from_disk."""

    __slots__ = ("__weakref__", "from_disk", "key", "loaded", "seconds")

    def __init__(
        self, loaded: Any, key: str, seconds: float, *, from_disk: bool
    ) -> None:
        self.loaded, self.key = loaded, key
        self.seconds, self.from_disk = seconds, from_disk


# --- Options --------------------------------------------------------------------------

# How much the compiler tries, as its own numbers.
EFFORT = {"UNKNOWN": 0, "O0": 9, "O1": 19, "O2": 29, "O3": 39}
_DIRECT = ("optimization_level", "memory_fitting_level")


def canonical_options(options: Any) -> Options:
    """A user's `compiler_options` as sorted pairs.

    Raises:
        TypeError: not a dict of names, or a value that is no text, number or bool.
        ValueError: an effort level that does not exist.
    """
    if options is None:
        return ()
    if not isinstance(options, dict) or not all(isinstance(k, str) for k in options):
        raise ArgumentTypeError(
            "`compiler_options` is a dict from the names of XLA options to values.",
            f"Found {options!r}.",
        )
    for name, value in options.items():
        if name in _DIRECT and value not in EFFORT:
            raise ArgumentValueError(
                f"Compiler option {name!r} is one of {', '.join(EFFORT)}.",
                f"Found {value!r}.",
            )
        if not isinstance(value, str | bool | int | float | bytes | tuple | list):
            raise ArgumentTypeError(
                f"Compiler option {name!r} takes a text, a number or a bool.",
                f"Found {value!r} of type {type(value).__name__}.",
            )
    pairs: dict[str, Any] = {
        k: tuple(v) if isinstance(v, list) else v for k, v in options.items()
    }
    return tuple(sorted(pairs.items()))


def _all_settings(options: Options, num_partitions: int) -> list[tuple[str, Any]]:
    """Everything that is asked of the compiler, as pairs in a fixed order."""
    given = dict(options)
    settings: dict[str, Any] = {"num_partitions": num_partitions}
    for name in _DIRECT:
        level = given.pop(name, getattr(flags, name).value)
        settings[name] = EFFORT[level]
    settings["disable_most_optimizations"] = flags.disable_most_optimizations.value
    settings["remat_pass"] = bool(flags.compiler_enable_remat_pass.value)
    settings["profile_version"] = flags.xla_profile_version.value
    settings["shardy"] = bool(flags.use_shardy_partitioner.value)
    settings["overrides"] = sorted(given.items())
    return list(settings.items())


def build_options(
    settings: Sequence[tuple[str, Any]], devices: Sequence[Device]
) -> Any:
    """jaxlib's `CompileOptions` for these settings and devices."""
    wanted = dict(settings)
    made = jaxlib_core.CompileOptions()  # kept: its parts do not keep it alive
    count = wanted["num_partitions"]
    ids = np.array([[d.id for d in devices]], np.int32)
    made.num_replicas, made.num_partitions = 1, count
    made.device_assignment = jaxlib_core.DeviceAssignment.create(ids)
    if wanted["profile_version"]:
        made.profile_version = wanted["profile_version"]
    build = made.executable_build_options
    build.num_replicas, build.num_partitions = 1, count
    build.device_assignment = made.device_assignment
    build.use_spmd_partitioning = count > 1
    build.use_shardy_partitioner = wanted["shardy"]
    build.optimization_level = wanted["optimization_level"]
    build.memory_fitting_level = wanted["memory_fitting_level"]
    overrides = dict(wanted["overrides"])
    if wanted["disable_most_optimizations"]:
        debug = build.debug_options
        debug.xla_backend_optimization_level = 0
        debug.xla_llvm_disable_expensive_passes = True
    if not wanted["remat_pass"]:
        passes = overrides.get("xla_disable_hlo_passes", "")
        added = [*filter(None, [passes]), "rematerialization"]
        overrides["xla_disable_hlo_passes"] = ",".join(added)
    if "individually_defined_output_indices" in overrides:
        made.individually_defined_output_indices = list(
            overrides.pop("individually_defined_output_indices")
        )
    if "fdo_profile" in overrides:
        build.fdo_profile = overrides.pop("fdo_profile")
    made.env_option_overrides = list(overrides.items())
    return made


# --- Level 5: executables of this process ---------------------------------------------


class _Counters:
    hits = misses = 0


_counters = _Counters()
_in_memory: weakref.WeakValueDictionary[str, Executable] = weakref.WeakValueDictionary()

define_cache(
    "executables",
    level="executables",
    key=("module", "compile options", "devices", "compiler", "machine"),
    bound=None,
    counts=lambda: CacheCounts(_counters.hits, _counters.misses, len(_in_memory)),
    clear=_in_memory.clear,
)


def compile_lowered(
    lowered: Any, devices: Sequence[Device], options: Options = (), label: str = ""
) -> Executable:
    """The executable of a module on these devices; logged as `label`.

    lowered: a `LoweredModule` or a `PortableModule`.

    Raises:
        JaxRuntimeError: the compiler refused the program or an option.
    """
    settings = _all_settings(options, lowered.num_partitions)
    lines = [f"{name}={value!r}" for name, value in settings]
    key = executable_key(lowered.key_bytes(), lines, devices)
    shared = not lowered.host_callbacks
    if shared:
        found = _in_memory.get(key)
        if found is not None:
            _counters.hits += 1
            return found
    _counters.misses += 1
    label = label or lowered.name
    _dump(lowered)
    with log_compilation(label):
        how = build_options(settings, devices)
        made = _load_or_compile(lowered, key, devices, how, label)
    for kept in lowered.keepalives:
        made.loaded.keep_alive(kept)
    if shared:
        _in_memory[key] = made
    return made


# --- Level 6: executables of all processes --------------------------------------------


def _disk_counts() -> CacheCounts:
    where = cache_files.store()
    size = 0 if where is None else len(where)
    return CacheCounts(cache_files.counters.hits, cache_files.counters.misses, size)


define_cache(
    "disk",
    level="disk",
    key=("module", "compile options", "devices", "compiler", "machine"),
    bound=None,
    counts=_disk_counts,
    clear=lambda: None,  # other processes live on it
)


def optimised_program(loaded: Any) -> str:
    """An executable of jaxlib as HLO text that equal programs share."""
    options = importlib.import_module("jaxlib._hlo").HloPrintOptions.short_parsable()
    options.print_large_constants = True
    return "\n".join(module.to_string(options) for module in loaded.hlo_modules())


def _load_or_compile(
    lowered: Any, key: str, devices: Sequence[Device], options: Any, label: str
) -> Executable:
    stored = cache_files.read(key)
    if stored is not None:
        loaded = _load(lowered, key, stored, devices, options)
        if loaded is not None and flags.compilation_cache_check_contents.value:
            _check_contents(key, stored, loaded, _compile(lowered, devices, options))
        if loaded is not None:
            cache_files.counters.hits += 1
            cache_files.counters.seconds_saved += stored.seconds
            log_disk_hit(label, key)
            return Executable(loaded, key, stored.seconds, from_disk=True)
    else:
        log_disk_miss(label, key)
    start = time.perf_counter()
    loaded = _compile(lowered, devices, options)
    seconds = time.perf_counter() - start
    if cache_files.store() is not None:
        _publish(key, loaded, seconds)
    return Executable(loaded, key, seconds, from_disk=False)


def _compile(lowered: Any, devices: Sequence[Device], options: Any) -> Any:
    client, where = devices[0].client, DeviceList(tuple(devices))
    if lowered.host_callbacks:
        module = lowered.own_module()  # only this form takes callbacks
        return client.compile_and_load(
            module, where, options, host_callbacks=lowered.host_callbacks
        )
    return client.compile_and_load(lowered.bytecode(), where, options)


def _load(
    lowered: Any, key: str, stored: Entry, devices: Sequence[Device], options: Any
) -> Any:
    client, where = devices[0].client, DeviceList(tuple(devices))
    load: Callable[..., Any] = client.deserialize_executable
    extra = (lowered.host_callbacks,) if lowered.host_callbacks else ()
    try:
        return load(stored.executable, where, options, *extra)
    except jaxlib_core.JaxRuntimeError as error:
        if flags.raise_persistent_cache_errors.value:
            raise
        cache_files.discard(key, f"the compiler cannot load it: {error}")
        return None


def _check_contents(key: str, stored: Entry, loaded: Any, fresh: Any) -> None:
    """Raises: CacheVerificationError, if `fresh` is another program than `loaded`.

    Their bytes cannot be compared: two compilations number things differently.
    """
    if optimised_program(loaded) != optimised_program(fresh):
        raise CacheVerificationError(key, stored.executable, fresh.serialize())


def _dump(lowered: Any) -> None:
    """Write the module where `jax_dump_ir_to` says, if it does."""
    modes = flags.dump_ir_modes.value.split(",")
    if flags.dump_ir_to.value and "stablehlo" in modes:
        debug_info = flags.include_debug_info_in_dumps.value
        dump(lowered.as_text(debug_info=debug_info), lowered.name, "compile")


def _publish(key: str, loaded: Any, seconds: float) -> None:
    if loaded.client.process_index() != 0:
        return  # the processes of one program compile the same
    try:
        serialized = loaded.serialize()
    except jaxlib_core.JaxRuntimeError as error:  # a platform without this service
        cache_files.warn_once("serialize", f"the platform cannot store it: {error}")
        return
    cache_files.write(key, Entry(serialized, seconds))
