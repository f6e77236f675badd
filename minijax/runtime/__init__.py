"""The engine room: devices, arrays, compilation, execution, and the cache stack.

Reading order: `backends` and `devices` (where), `arrays` and `transfers` (what),
`compilation` (module -> executable), `execution` (jaxpr -> program), `dispatch` (eager
calls), `caches` (what is remembered, and where).
"""

from .analysis import (
    computation_of,
    cost_after_optimisation,
    cost_before_optimisation,
    layouts_of,
    memory_of,
    optimised_text,
)
from .arrays import (
    Array,
    ArrayImpl,
    check_deleted,
    copy_of,
    logical_makers,
    physical_values,
    put_on,
    value_of,
)
from .backends import Client, backends, clear_backends, get_backend, lowering_platform
from .cache_files import default_directory
from .caches import CacheTable, caches, clear_caches, counters_of, define_cache
from .checks import rerun
from .compilation import Executable, Options, canonical_options, compile_lowered
from .devices import (
    default_backend,
    default_device,
    default_placement,
    device_count,
    devices,
    first_device,
    local_device_count,
    local_devices,
    placement_on,
    process_count,
    process_index,
    process_indices,
)
from .dispatch import (
    PjitFunction,
    apply_primitive,
    call_jaxpr,
    count_dispatch_miss,
    pjit_function,
    shared_cache,
)
from .effects import effects_barrier
from .execution import (
    FastPath,
    Place,
    Program,
    Way,
    compile_jaxpr,
    holds_program,
    lower_jaxpr,
    place_of,
    run_jaxpr,
)
from .logs import listeners, log_tracing, tell
from .shards import Shard
from .shield import shielded
from .transfers import (
    aval_of,
    block_until_ready,
    check_data,
    device_get,
    placement_of,
    put,
    put_explicitly,
)

__all__ = [
    "Array",
    "ArrayImpl",
    "CacheTable",
    "Client",
    "Executable",
    "FastPath",
    "Options",
    "PjitFunction",
    "Place",
    "Program",
    "Shard",
    "Way",
    "apply_primitive",
    "aval_of",
    "backends",
    "block_until_ready",
    "caches",
    "call_jaxpr",
    "canonical_options",
    "check_data",
    "check_deleted",
    "clear_backends",
    "clear_caches",
    "compile_jaxpr",
    "compile_lowered",
    "computation_of",
    "copy_of",
    "cost_after_optimisation",
    "cost_before_optimisation",
    "count_dispatch_miss",
    "counters_of",
    "default_backend",
    "default_device",
    "default_directory",
    "default_placement",
    "define_cache",
    "device_count",
    "device_get",
    "devices",
    "effects_barrier",
    "first_device",
    "get_backend",
    "holds_program",
    "layouts_of",
    "listeners",
    "local_device_count",
    "local_devices",
    "log_tracing",
    "logical_makers",
    "lower_jaxpr",
    "lowering_platform",
    "memory_of",
    "optimised_text",
    "physical_values",
    "pjit_function",
    "place_of",
    "placement_of",
    "placement_on",
    "process_count",
    "process_index",
    "process_indices",
    "put",
    "put_explicitly",
    "put_on",
    "rerun",
    "run_jaxpr",
    "shared_cache",
    "shielded",
    "tell",
    "value_of",
]
