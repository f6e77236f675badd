"""Backends: one PJRT client per platform, started at the first use of a device.

The CPU client is part of jaxlib. Accelerators come as plugins, found without importing
them: their Python modules import jax, their libraries do not.

Rules:
1. Nothing starts at import; the first question about devices starts what is needed.
2. `jax_platforms` names the platforms to start, and each of them must start. Without
   it, plugins whose hardware is present are tried first, and the CPU always starts.
3. The first platform that started is the default one.

Source: spec/jaxlib.md §1.
"""

import glob
import importlib
import importlib.util
import os
import pkgutil
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from jaxlib._jax import Client

from ..base import flags, jaxlib_core, settings
from ..base.errors import BackendError

# Names users give to a platform that has several vendors.
_ALIASES = {"gpu": ("cuda", "rocm", "oneapi")}


class Plugin(NamedTuple):
    """A PJRT plugin that is installed: the platform it serves and its library."""

    platform: str
    library: str


# --- Finding plugins ------------------------------------------------------------------


def find_plugins() -> dict[str, Plugin]:
    """The installed plugins by platform; none of their code runs."""
    found: dict[str, Plugin] = {}
    for module in sorted(_advertised_modules()):
        for folder in _folders_of(module):
            for library in sorted(glob.glob(os.path.join(folder, "*.so"))):
                platform = _platform_of(module)
                found.setdefault(platform, Plugin(platform, library))
    for folder in _folders_of("libtpu"):
        library = os.path.join(folder, "libtpu.so")
        if os.path.exists(library):
            found.setdefault("tpu", Plugin("tpu", library))
    return found


def _advertised_modules() -> set[str]:
    # Loaded at the first use of a device: it brings half of the standard library.
    metadata = importlib.import_module("importlib.metadata")
    entries = metadata.entry_points(group="jax_plugins")
    modules = {entry.module for entry in entries}
    for folder in _folders_of("jax_plugins"):
        modules |= {f"jax_plugins.{m.name}" for m in pkgutil.iter_modules([folder])}
    return modules


def _folders_of(module: str) -> list[str]:
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        return []
    if spec is None or spec.submodule_search_locations is None:
        return []
    return list(spec.submodule_search_locations)


def _platform_of(module: str) -> str:
    # "jax_plugins.xla_cuda13" serves "cuda": vendors append the version they link to.
    name = module.rpartition(".")[2].removeprefix("xla_")
    return name.rstrip("0123456789_") or name


# Device files that exist only where the hardware does. A plugin without hardware must
# not be started unasked: libtpu searches for minutes.
_HARDWARE = {
    "cuda": ("/dev/nvidia[0-9]*", "/dev/nvidiactl"),
    "rocm": ("/dev/kfd",),
    "tpu": ("/dev/accel[0-9]*", "/dev/vfio/[0-9]*"),
}


def _has_hardware(platform: str) -> bool:
    patterns = _HARDWARE.get(platform)
    return patterns is None or any(glob.glob(pattern) for pattern in patterns)


# --- Starting clients -----------------------------------------------------------------


def _start_cpu() -> Client:
    count = flags.num_cpu_devices.value
    return jaxlib_core.get_tfrt_cpu_client(
        asynchronous=flags.cpu_enable_async_dispatch.value,
        num_devices=count if count >= 0 else None,
    )


def _start_plugin(plugin: Plugin) -> Client:
    name = plugin.platform
    if not jaxlib_core.pjrt_plugin_loaded(name):
        jaxlib_core.load_pjrt_plugin(name, plugin.library, None)
    if not jaxlib_core.pjrt_plugin_initialized(name):
        jaxlib_core.initialize_pjrt_plugin(name)
    return jaxlib_core.get_c_api_client(name, _client_options(name))


def _client_options(platform: str) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if platform in ("cuda", "rocm"):
        options["platform_name"] = platform
        visible = getattr(flags, f"{platform}_visible_devices").value
        if visible != "all":
            options["visible_devices"] = [int(i) for i in visible.split(",")]
    given = flags.pjrt_client_create_options.value
    if isinstance(given, str):
        given = dict(pair.split(":", 1) for pair in given.split(";") if pair)
    return {**options, **(given or {})}


class _Started:
    """The clients that run, by platform, in order of preference."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.clients: dict[str, Client] | None = None
        self.failures: dict[str, str] = {}


_started = _Started()


def backends() -> dict[str, Client]:
    """The running clients by platform, the default one first; starts them if needed.

    Raises:
        RuntimeError: a platform named by `jax_platforms` cannot be started.
    """
    clients = _started.clients
    if clients is None:
        with _started.lock:
            clients = _started.clients
            if clients is None:
                clients = _started.clients = dict(_start_all())
                settings.note_backends_started(started=True)
    return clients


def _start_all() -> Iterator[tuple[str, Client]]:
    wanted = flags.platforms.value or flags.platform_name.value
    plugins = find_plugins()
    if wanted:
        for platform in _split(wanted, plugins):
            yield platform, _start_or_raise(platform, plugins)
        return
    for platform, plugin in plugins.items():
        if _has_hardware(platform):
            try:
                yield platform, _start_plugin(plugin)
            except jaxlib_core.JaxRuntimeError as error:
                _started.failures[platform] = str(error)
                warnings.warn(
                    f"The {platform} plugin is installed and did not start: {error}",
                    RuntimeWarning,
                    stacklevel=2,
                )
    yield "cpu", _start_cpu()


def _split(wanted: str, plugins: dict[str, Plugin]) -> list[str]:
    platforms: list[str] = []
    for name in filter(None, (part.strip() for part in wanted.split(","))):
        vendors = _ALIASES.get(name, (name,))
        platforms += [v for v in vendors if v in plugins] or [name]
    return platforms


def _start_or_raise(platform: str, plugins: dict[str, Plugin]) -> Client:
    if platform == "cpu":
        return _start_cpu()
    if platform not in plugins:
        known = ", ".join(["cpu", *plugins])
        raise BackendError(platform, f"No plugin serves it; installed are: {known}.")
    try:
        return _start_plugin(plugins[platform])
    except jaxlib_core.JaxRuntimeError as error:
        raise BackendError(platform, f"It did not start: {error}") from error


def clear_backends() -> None:
    """Forget all clients: the next question about devices starts new ones.

    Arrays of the old clients stay usable on them, and only there.
    """
    with _started.lock:
        _started.clients = None
        _started.failures.clear()
        for forget in on_clear:
            forget()
        settings.note_backends_started(started=False)


# What else must be forgotten along with the clients.
on_clear: list[Callable[[], None]] = []


def get_backend(platform: str | Client | None = None) -> Client:
    """The client of a platform; of the default one without an argument.

    Raises:
        RuntimeError: no such platform runs here.
    """
    if isinstance(platform, Client):
        return platform
    running = backends()
    if platform is None:
        return next(iter(running.values()))
    for name in (platform, *_ALIASES.get(platform, ())):
        if name in running:
            return running[name]
    why = _started.failures.get(platform, "")
    raise BackendError(
        platform,
        why or f"Running here: {', '.join(running)}. Did you install its plugin?",
    )


def lowering_platform(client: Client) -> str:
    """The name of a client's platform as lowering rules know it: cpu, cuda, tpu."""
    return client._raw_platform
