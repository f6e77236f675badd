"""What a compiled program depends on, as a text key.

The key of an executable is a digest of everything that could change it: the program
without its source locations, the compile options, the compiler, and the machine. It
contains nothing else, so it is the same in every process, directory and order of
execution, and does not change when a function moves or a line is added above it.

Source: spec/jit.md §12.
"""

import functools
import importlib
import os
import platform
from collections.abc import Iterable, Sequence
from typing import Any

from ..base import JAXLIB_VERSION, jaxlib_core

# The options by which XLA reports and dumps, and where it finds things: they do not
# change what is compiled.
DROPPED_FLAGS = frozenset(
    """
    xla_dump_compress_protos xla_dump_module_metadata xla_dump_max_hlo_modules
    xla_dump_include_timestamp xla_dump_hlo_pass_re xla_dump_hlo_module_re
    xla_dump_hlo_snapshots xla_dump_fusion_visualization xla_dump_hlo_as_url
    xla_dump_hlo_as_proto xla_dump_hlo_as_text xla_dump_hlo_as_long_text
    xla_dump_hlo_as_html xla_dump_hlo_as_dot xla_dump_to
    xla_force_host_platform_device_count xla_dump_disable_metadata
    xla_dump_hlo_pipeline_re xla_tpu_sdc_checker_streamz_metric
    xla_tpu_sdc_checker_enable_sdc_event_callbacks
    xla_tpu_sdc_checker_enable_coresweep_ng_callbacks
    xla_tpu_sdc_checker_no_logging_if_callbacks_are_present xla_gpu_cuda_data_dir
    xla_gpu_experimental_autotune_cache_mode xla_gpu_per_fusion_autotune_cache_dir
    xla_tpu_compiler_variant
    """.split()  # noqa: SIM905  (a list of 26 names reads better as text)
)


def executable_key(
    program: bytes, options: Iterable[str], devices: Sequence[Any]
) -> str:
    """The key of a compiled program: 64 hexadecimal digits.

    program: what the module does, as `LoweredModule.key_bytes` gives it. options: the
    compile options as lines. devices: those it is compiled for, in order.
    """
    digest = new_digest()
    for part in (
        program,
        "\n".join(options).encode(),
        "\n".join(machine_lines(tuple(devices))).encode(),
        "\n".join(flag_lines()).encode(),
    ):
        # The length in front keeps the parts apart.
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return digest.hexdigest()


def new_digest() -> Any:
    """An empty SHA-256. Its module loads OpenSSL, so it is loaded at first use."""
    return importlib.import_module("hashlib").sha256()


# --- The machine ----------------------------------------------------------------------


@functools.lru_cache(maxsize=256)
def machine_lines(devices: tuple[Any, ...]) -> tuple[str, ...]:
    """The compiler and the devices as lines."""
    client = devices[0].client
    lines = [
        f"jaxlib {'.'.join(map(str, JAXLIB_VERSION))}",
        f"platform {client._raw_platform} {client.platform_version}",
        f"kinds {[d.device_kind for d in devices]}",
    ]
    if client._raw_platform == "cpu":
        # Machine code for the host: it runs where the same instructions exist.
        lines += [f"machine {platform.machine()}", f"features {host_features()}"]
        # The code addresses devices by number.
        lines.append(f"ids {[d.id for d in devices]}")
    else:
        lines.append(f"topology {_topology_fingerprint(devices)}")
    return tuple(lines)


def _topology_fingerprint(devices: tuple[Any, ...]) -> str:
    try:
        return str(jaxlib_core.get_topology_for_devices(list(devices)).fingerprint())
    except jaxlib_core.JaxRuntimeError:  # a plugin that describes no topology
        return ""


@functools.cache
def host_features() -> str:
    """The instruction sets of this host, and its model of processor."""
    wanted = ("flags", "Features", "model name", "cpu family", "model", "CPU part")
    facts: dict[str, str] = {}
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                name, _, value = line.partition(":")
                if name.strip() in wanted:
                    facts.setdefault(name.strip(), " ".join(sorted(value.split())))
                elif not name.strip() and facts:
                    break  # the first processor speaks for all
    except OSError:
        return platform.processor()
    digest = new_digest()
    digest.update(repr(sorted(facts.items())).encode())
    return digest.hexdigest()


# --- Flags from the environment -------------------------------------------------------


def flag_lines() -> tuple[str, ...]:
    """The XLA flags of this process that change programs, sorted."""
    return _flag_lines(
        os.environ.get("XLA_FLAGS", ""), os.environ.get("LIBTPU_INIT_ARGS", "")
    )


@functools.lru_cache(maxsize=16)
def _flag_lines(*texts: str) -> tuple[str, ...]:
    words = (word for text in texts for word in text.split())
    return tuple(sorted(word for word in words if not is_dropped(word)))


def is_dropped(flag: str) -> bool:
    """Whether a flag `--name=value` leaves programs as they are."""
    return flag.partition("=")[0].removeprefix("--") in DROPPED_FLAGS
