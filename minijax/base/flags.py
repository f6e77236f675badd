"""Every option, with its kind, default, place in the keys, and context.

Names, defaults and environment variables (the name in capitals) are JAX's; those that
begin with `minijax_` are ours. In the table below a letter string says in which keys a
state stands: J = the key of the C++ jit cache, T = the trace context.

Other parts read a module attribute, e.g. `flags.enable_x64.value` (0.03 µs).
"""

import functools
from collections.abc import Callable
from typing import Any

from . import util
from .errors import OptionValueError
from .gate import jaxlib_core
from .settings import (
    ANY,
    BOOL,
    FLOAT,
    INT,
    STR,
    Flag,
    Kind,
    Options,
    Override,
    State,
    note_backends_started,  # noqa: F401  (the runtime finds it here)
    one_of,
)

_options: dict[str, State | Flag] = {}
config = Options(_options)
trace_context = jaxlib_core.config.trace_context


def _state(
    name: str,
    kind: Kind,
    default: Any,
    keys: str = "",
    *,
    prefix: str = "jax_",
    **more: Any,
) -> State:
    in_jit_key, in_trace_context = "J" in keys, "T" in keys
    state = _options[prefix + name] = State(
        prefix + name,
        kind,
        default,
        jit_key=in_jit_key,
        trace_key=in_trace_context,
        **more,
    )
    return state


def _flag(
    name: str,
    kind: Kind,
    default: Any,
    *,
    prefix: str = "jax_",
    read_env: bool = False,
) -> Flag:
    flag = _options[prefix + name] = Flag(
        prefix + name, kind, default, read_env=read_env
    )
    return flag


def context_value(name: str, default: Any, *, jit_key: bool, trace_key: bool) -> Any:
    """A thread-local value that is no option but part of the keys: a jaxlib `Config`.

    `.value`, `.set_local(v)`, `.swap_local(v)`; made once, at import.
    """
    return jaxlib_core.config.Config(
        name, default, include_in_jit_key=jit_key, include_in_trace_context=trace_key
    )


def make_user_context(default: Any = None) -> State:
    """A context of the user's own, whose value is part of the jit and trace keys.

    `with context(value):` sets it, `context.value` reads it; values are hashable.
    """
    return State("user_context", ANY, default, jit_key=True, trace_key=True)


# --- What some options set outside of Python's view -----------------------------------

_guards = jaxlib_core.guard_lib
_TRANSFER = _guards.TransferGuardLevel
_COLLECT = _guards.GarbageCollectionGuardLevel


def _guard(field: str, levels: Any) -> dict[str, Any]:
    """`on_global` and `on_local` of an option whose truth is a guard in C++."""

    def setter(state: Callable[[], Any]) -> Callable[[Any], None]:
        def set_level(word: str | None) -> None:
            level = None if word is None else getattr(levels, word.upper())
            setattr(state(), field, level)

        return set_level

    return {
        "on_global": setter(_guards.global_state),
        "on_local": setter(_guards.thread_local_state),
    }


def _set_logging_level(word: str | None) -> None:
    util.logger("minijax").setLevel(word or "NOTSET")


_debug_loggers: list[Any] = []


def _set_debug_modules(names: str | None) -> None:
    while _debug_loggers:
        _debug_loggers.pop().setLevel("NOTSET")
    for name in (names or "").split(","):
        if name.strip():
            logger = util.logger(name.strip())
            logger.setLevel("DEBUG")
            _debug_loggers.append(logger)


# --- Kinds with names -----------------------------------------------------------------

_ALLOW_WARN_ERROR = one_of("allow", "warn", "error")
_IGNORE_RAISE = one_of("ignore", "raise")
_EFFORT = one_of("UNKNOWN", "O0", "O1", "O2", "O3")
_GUARD_LEVELS = one_of(
    "allow", "log", "disallow", "log_explicit", "disallow_explicit", optional=True
)
DOT_ALGORITHM_NAMES = (
    "ANY_F8_ANY_F8_F32",
    "ANY_F8_ANY_F8_F32_FAST_ACCUM",
    "ANY_F8_ANY_F8_ANY",
    "ANY_F8_ANY_F8_ANY_FAST_ACCUM",
    "F16_F16_F16",
    "F16_F16_F32",
    "BF16_BF16_BF16",
    "BF16_BF16_F32",
    "BF16_BF16_F32_X3",
    "BF16_BF16_F32_X6",
    "BF16_BF16_F32_X9",
    "TF32_TF32_F32",
    "TF32_TF32_F32_X3",
    "F32_F32_F32",
    "F64_F64_F64",
)
_PRECISIONS = one_of(
    *("default", "high", "highest", "bfloat16", "tensorfloat32", "float32"),
    *DOT_ALGORITHM_NAMES,
    optional=True,
)
_PRNGS = one_of(
    "threefry2x32", "threefry4x32", "rbg", "unsafe_rbg", "philox2x32", "philox4x32"
)


def _check_device(option: str, value: Any) -> Any:
    if value is None or isinstance(value, (str, jaxlib_core.Device)):
        return value
    raise OptionValueError(option, value, "None, a device, or the name of a platform")


_DEVICE = Kind("str", _check_device, STR.read)
_CLIENT_OPTIONS = Kind("str", ANY.check, STR.read)  # `k:v;k:v`, or a dict

# --- The table ------------------------------------------------------------------------

jax2tf_associative_scan_reductions = _state(
    "jax2tf_associative_scan_reductions", BOOL, False, prefix=""
)
jax2tf_default_native_serialization = _state(
    "jax2tf_default_native_serialization", BOOL, True, prefix=""
)
serialization_version = _state("serialization_version", INT, 0)
export_calling_convention_version = _state("export_calling_convention_version", INT, 10)
export_ignore_forward_compatibility = _state(
    "export_ignore_forward_compatibility", BOOL, False
)
export_deserialize_expired_versions = _state(
    "export_deserialize_expired_versions", BOOL, False
)
platforms = _state("platforms", STR, None)
pjrt_client_create_options = _state("pjrt_client_create_options", _CLIENT_OPTIONS, None)
enable_checks = _state("enable_checks", BOOL, False)
debug_key_reuse = _state("debug_key_reuse", BOOL, False, "JT")
use_hlo_logistic_lowering = _state("use_hlo_logistic_lowering", BOOL, None, "JT")
check_tracer_leaks = _state("check_tracer_leaks", BOOL, False)
check_static_indices = _state("check_static_indices", BOOL, False, "JT")
captured_constants_warn_bytes = _state(
    "captured_constants_warn_bytes", INT, 2_000_000_000
)
captured_constants_report_frames = _state("captured_constants_report_frames", INT, 0)
raise_on_ppermute_sort_diff = _state("raise_on_ppermute_sort_diff", BOOL, True, "JT")
debug_leaked_clients_on_clear_backends = _state(
    "debug_leaked_clients_on_clear_backends", BOOL, False
)
debug_nans = _state("debug_nans", BOOL, False)
debug_infs = _state("debug_infs", BOOL, False)
log_compiles = _state("log_compiles", BOOL, False)
explain_cache_misses = _state("explain_cache_misses", BOOL, False)
log_checkpoint_residuals = _state("log_checkpoint_residuals", BOOL, False)
scan3 = _state("scan3", BOOL, False, "JT")
remat3 = _state("remat3", BOOL, False, "JT")
custom_vjp3 = _state("custom_vjp3", BOOL, False, "JT")
custom_jvp3 = _state("custom_jvp3", BOOL, False, "JT")
remat_barrier_no_cotangents = _state("remat_barrier_no_cotangents", BOOL, False, "JT")
distributed_debug = _state("distributed_debug", BOOL, False)
random_seed_offset = _state("random_seed_offset", INT, 0, "JT")
legacy_prng_key = _state("legacy_prng_key", _ALLOW_WARN_ERROR, "allow")
enable_custom_prng = _state("enable_custom_prng", BOOL, False)
default_prng_impl = _state("default_prng_impl", _PRNGS, "threefry2x32")
threefry_partitionable = _state("threefry_partitionable", BOOL, True, "JT")
threefry_gpu_kernel_lowering = _state("threefry_gpu_kernel_lowering", BOOL, False, "JT")
use_direct_linearize = _state("use_direct_linearize", BOOL, True, "JT")
use_simplified_jaxpr_constants = _state(
    "use_simplified_jaxpr_constants", BOOL, False, "JT"
)
embedded_constants_max_bytes = _state("embedded_constants_max_bytes", INT, 32, "JT")
remove_size_one_mesh_axis_from_type = _state(
    "remove_size_one_mesh_axis_from_type", BOOL, False, "JT"
)
check_vma = _state("check_vma", BOOL, False, "JT", prefix="")
softmax_custom_jvp = _state("softmax_custom_jvp", BOOL, False, "JT")
raise_persistent_cache_errors = _state("raise_persistent_cache_errors", BOOL, False)
persistent_cache_min_compile_time_secs = _state(
    "persistent_cache_min_compile_time_secs", FLOAT, 1.0
)
persistent_cache_min_entry_size_bytes = _state(
    "persistent_cache_min_entry_size_bytes", INT, 0
)
persistent_cache_enable_xla_caches = _state(
    "persistent_cache_enable_xla_caches", STR, "xla_gpu_per_fusion_autotune_cache_dir"
)
compilation_cache_include_metadata_in_key = _state(
    "compilation_cache_include_metadata_in_key", BOOL, False
)
hlo_source_file_canonicalization_regex = _state(
    "hlo_source_file_canonicalization_regex", STR, None, "T"
)
source_url_schema = _state("source_url_schema", STR, None)
include_full_tracebacks_in_locations = _state(
    "include_full_tracebacks_in_locations", BOOL, True
)
traceback_in_locations_limit = _state("traceback_in_locations_limit", INT, 100)
share_binary_between_hosts = _state("share_binary_between_hosts", BOOL, False)
share_binary_between_hosts_timeout_ms = _state(
    "share_binary_between_hosts_timeout_ms", INT, 1_200_000
)
enable_pgle = _state("enable_pgle", BOOL, False, "JT")
pgle_profiling_runs = _state("pgle_profiling_runs", INT, 3, "JT")
pgle_aggregation_percentile = _state("pgle_aggregation_percentile", INT, 90)
enable_compilation_cache = _state("enable_compilation_cache", BOOL, True)
compilation_cache_dir = _state("compilation_cache_dir", STR, None)
compilation_cache_check_contents = _state(
    "compilation_cache_check_contents", BOOL, False
)
compilation_cache_expect_pgle = _state("compilation_cache_expect_pgle", BOOL, False)
compilation_cache_max_size = _state("compilation_cache_max_size", INT, -1)
remove_custom_partitioning_ptr_from_cache_key = _state(
    "remove_custom_partitioning_ptr_from_cache_key", BOOL, False
)
explicit_x64_dtypes = _state("explicit_x64_dtypes", _ALLOW_WARN_ERROR, "warn", "JT")
numpy_dtype_promotion = _state(
    "numpy_dtype_promotion", one_of("standard", "strict"), "standard", "JT"
)
disallow_mesh_context_manager = _state("disallow_mesh_context_manager", BOOL, False)
error_checking_behavior_nan = _state(
    "error_checking_behavior_nan", _IGNORE_RAISE, "ignore", "JT"
)
error_checking_behavior_divide = _state(
    "error_checking_behavior_divide", _IGNORE_RAISE, "ignore", "JT"
)
error_checking_behavior_oob = _state(
    "error_checking_behavior_oob", _IGNORE_RAISE, "ignore", "JT"
)
enable_x64 = _state("enable_x64", BOOL, False, "JT")
default_device = _state("default_device", _DEVICE, None, "JT")
disable_jit = _state("disable_jit", BOOL, False, "T")
numpy_rank_promotion = _state(
    "numpy_rank_promotion", one_of("allow", "warn", "raise"), "allow", "JT"
)
auto_pcast = _state("auto_pcast", BOOL, True, "JT")
default_matmul_precision = _state("default_matmul_precision", _PRECISIONS, None, "JT")
allow_f16_reductions = _state("allow_f16_reductions", BOOL, True, "JT")
traceback_filtering = _state(
    "traceback_filtering",
    one_of("off", "tracebackhide", "remove_frames", "quiet_remove_frames", "auto"),
    "auto",
)
use_emit_pipeline_primitive = _state("use_emit_pipeline_primitive", BOOL, False, "JT")
bcoo_cusparse_lowering = _state("bcoo_cusparse_lowering", BOOL, False)
eager_constant_folding = _state("eager_constant_folding", BOOL, False, "JT", prefix="")
compiler_enable_remat_pass = _state("compiler_enable_remat_pass", BOOL, True)
no_tracing = _state("no_tracing", BOOL, False)
no_execution = _state("no_execution", BOOL, False, "JT")
disable_vmap_shmap_error = _state("disable_vmap_shmap_error", BOOL, False)
mutable_array_checks = _state("mutable_array_checks", BOOL, True, "T")
disable_bwd_checks = _state("disable_bwd_checks", BOOL, False)
use_rgv3 = _state("use_rgv3", BOOL, True)
experimental_unsafe_xla_runtime_errors = _state(
    "experimental_unsafe_xla_runtime_errors", BOOL, False
)
xla_profile_version = _state("xla_profile_version", INT, 0, "JT")
transfer_guard_host_to_device = _state(
    "transfer_guard_host_to_device",
    _GUARD_LEVELS,
    None,
    **_guard("host_to_device", _TRANSFER),
)
transfer_guard_device_to_device = _state(
    "transfer_guard_device_to_device",
    _GUARD_LEVELS,
    None,
    **_guard("device_to_device", _TRANSFER),
)
transfer_guard_device_to_host = _state(
    "transfer_guard_device_to_host",
    _GUARD_LEVELS,
    None,
    **_guard("device_to_host", _TRANSFER),
)
_GUARDS = (
    transfer_guard_host_to_device,
    transfer_guard_device_to_device,
    transfer_guard_device_to_host,
)
transfer_guard = _state("transfer_guard", _GUARD_LEVELS, None, together=_GUARDS)
array_garbage_collection_guard = _state(
    "array_garbage_collection_guard",
    one_of("allow", "log", "fatal", optional=True),
    None,
    **_guard("garbage_collect_array", _COLLECT),
)
thread_guard = _state(
    "thread_guard",
    BOOL,
    False,
    on_global=lambda on: _guards.update_thread_guard_global_state(bool(on)),
)
send_traceback_to_runtime = _state(
    "send_traceback_to_runtime", one_of("off", "on", "full"), "off"
)
debug_log_modules = _state("debug_log_modules", STR, "", on_global=_set_debug_modules)
logging_level = _state(
    "logging_level",
    one_of("NOTSET", "DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"),
    "NOTSET",
    on_global=_set_logging_level,
)
use_shardy_partitioner = _state("use_shardy_partitioner", BOOL, True, "JT")
use_cpp_shard_args = _state("use_cpp_shard_args", BOOL, False)
use_magma = _state("use_magma", one_of("off", "on", "auto"), "auto")
optimization_level = _state("optimization_level", _EFFORT, "UNKNOWN", "J")
memory_fitting_level = _state("memory_fitting_level", _EFFORT, "O2", "J")
cpu_collectives_implementation = _state(
    "cpu_collectives_implementation", one_of("gloo", "mpi", "megascale"), "gloo"
)
high_dynamic_range_gumbel = _state("high_dynamic_range_gumbel", BOOL, False, "T")
dump_ir_to = _flag("dump_ir_to", STR, "", read_env=True)
include_debug_info_in_dumps = _flag(
    "include_debug_info_in_dumps", BOOL, True, read_env=True
)
dump_ir_modes = _flag("dump_ir_modes", STR, "stablehlo", read_env=True)
ragged_dot_use_ragged_dot_instruction = _state(
    "ragged_dot_use_ragged_dot_instruction", BOOL, True
)
pallas_verbose_errors = _flag("pallas_verbose_errors", BOOL, False, read_env=True)
pallas_enable_debug_checks = _state("pallas_enable_debug_checks", BOOL, False, "JT")
mosaic_allow_hlo = _state("mosaic_allow_hlo", BOOL, False)
mosaic_unzip_debug_locations = _state("mosaic_unzip_debug_locations", BOOL, True)
pallas_poison_buffers = _state("pallas_poison_buffers", BOOL, False)
pallas_auto_assign_collective_ids = _state(
    "pallas_auto_assign_collective_ids", one_of("no", "yes", "override"), "no", "J"
)
pallas_auto_assign_collective_ids_limit = _state(
    "pallas_auto_assign_collective_ids_limit", INT, 25, "J"
)
mtls_cert_file = _state("mtls_cert_file", STR, None)
mtls_key_file = _state("mtls_key_file", STR, None)
mtls_ca_file = _state("mtls_ca_file", STR, None)
mtls_peer_uri_prefix = _state("mtls_peer_uri_prefix", STR, None)
distributed_verify_secure_credentials = _state(
    "distributed_verify_secure_credentials", BOOL, False
)
accurate_erf_inv = _state("accurate_erf_inv", BOOL, False, "JT")
check_proxy_envs = _flag("check_proxy_envs", BOOL, True)
enable_recoverability = _state("enable_recoverability", BOOL, False)
enable_preemption_service = _state("enable_preemption_service", BOOL, True)
xla_backend = _flag("xla_backend", STR, "")
backend_target = _flag("backend_target", STR, "", read_env=True)
platform_name = _flag("platform_name", STR, "", read_env=True)
cuda_visible_devices = _flag("cuda_visible_devices", STR, "all")
rocm_visible_devices = _flag("rocm_visible_devices", STR, "all")
oneapi_visible_devices = _flag("oneapi_visible_devices", STR, "all")
mock_num_gpu_processes = _flag("mock_num_gpu_processes", INT, 0, prefix="")
mock_gpu_topology = _flag("mock_gpu_topology", STR, "")
cpu_enable_async_dispatch = _flag("cpu_enable_async_dispatch", BOOL, True)
force_dcn_cross_host_transfers = _flag("force_dcn_cross_host_transfers", BOOL, False)
sort_devices_by_process_index = _flag("sort_devices_by_process_index", BOOL, True)
cross_host_transfer_socket_address = _flag(
    "cross_host_transfer_socket_address", STR, ""
)
cross_host_transport_addresses = _flag("cross_host_transport_addresses", STR, "")
cross_host_transfer_timeout_seconds = _flag(
    "cross_host_transfer_timeout_seconds", INT, None
)
cross_host_transfer_transfer_size = _flag(
    "cross_host_transfer_transfer_size", INT, None
)
num_cpu_devices = _state("num_cpu_devices", INT, -1, frozen_by_backends=True)
cpu_get_local_topology_timeout_minutes = _state(
    "cpu_get_local_topology_timeout_minutes", INT, 2, frozen_by_backends=True
)
cpu_get_global_topology_timeout_minutes = _state(
    "cpu_get_global_topology_timeout_minutes", INT, 5, frozen_by_backends=True
)
pprint_use_color = _state("pprint_use_color", BOOL, True)
tracer_error_num_traceback_frames = _flag(
    "tracer_error_num_traceback_frames", INT, 5, read_env=True
)
disable_most_optimizations = _flag(
    "disable_most_optimizations", BOOL, False, read_env=True
)
compiler_detailed_logging_min_ops = _flag(
    "compiler_detailed_logging_min_ops", INT, 10, read_env=True
)

# --- Ours -----------------------------------------------------------------------------

# A Python integer out of range as an index raises, where JAX clamps it.
strict_index = _state("strict_index", BOOL, False, "JT", prefix="minijax_")
# On CPU, elementwise stretches are cut after so many operations; 0 leaves them whole.
chunk_elementwise = _state("chunk_elementwise", INT, 150, "JT", prefix="minijax_")
# The disk cache that is on without `jax_compilation_cache_dir`, and its cap in bytes.
disk_cache = _state("disk_cache", BOOL, True, prefix="minijax_")
disk_cache_max_size = _state("disk_cache_max_size", INT, 2**30, prefix="minijax_")

# --- What C++ reads -------------------------------------------------------------------

# Called after each execution on the C++ path; set while debug_nans or debug_infs is on.
post_hook = context_value("post_hook", None, jit_key=False, trace_key=False)

jaxlib_core.jax_jit.set_disable_jit_state(disable_jit)
jaxlib_core.jax_jit.set_enable_x64_state(enable_x64)
jaxlib_core.jax_jit.set_post_hook_state(post_hook)

# --- Contexts whose public name is not the option's -----------------------------------

checking_leaks = functools.partial(check_tracer_leaks, new_val=True)


def without_jit(disable: bool = True) -> Override:
    """The context `minijax.disable_jit`: jitted functions run as plain Python.

    >>> with without_jit():
    ...     disable_jit.value
    True
    """
    return disable_jit(disable)
