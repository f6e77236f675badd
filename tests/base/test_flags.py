"""The table of options against jax, and what some of them set in C++."""

import json
import logging
import pathlib

import pytest

from tests.base import programs

GOLDEN = pathlib.Path(__file__).parents[1] / "golden" / "options.json"


def options():
    from minijax.base import flags

    return flags._options


def described(option):
    from minijax.base import settings

    if isinstance(option, settings.Flag):
        return [option.kind.name, option.default, "F", ""]
    keys = "J" * option.jit_key + "T" * option.trace_key
    return [option.kind.name, option.default, "S", keys]


def test_check_53_names_and_defaults_are_jaxs(oracle):
    from minijax.base import config

    theirs = programs.there(oracle, programs.option_defaults)
    ours = {n: o.default for n, o in options().items() if not n.startswith("minijax_")}
    # The test run sets these two; see tests/conftest.py.
    for name in ("jax_platforms", "jax_compilation_cache_dir"):
        assert theirs.pop(name) in (None, "cpu") and ours.pop(name) is None
    # There a member of a private enumeration; `update` takes the word in both.
    assert theirs.pop("jax_explicit_x64_dtypes") == 1
    assert ours.pop("jax_explicit_x64_dtypes") == "warn"
    assert ours == theirs
    assert list(config.values) == list(options())


def test_check_53_kinds_scopes_and_keys_are_the_recorded_ones():
    table = {name: described(option) for name, option in options().items()}
    assert table == json.loads(GOLDEN.read_text())


def test_check_53_the_trace_context_has_jaxs_options(oracle):
    theirs = programs.there(oracle, programs.trace_context_names)
    ours = {n for n, o in options().items() if getattr(o, "trace_key", False)}
    known = set(programs.there(oracle, programs.option_defaults))
    assert known & set(theirs) == {n for n in ours if not n.startswith("minijax_")}


def test_every_option_is_an_attribute_of_its_short_name():
    from minijax.base import flags

    for name, option in options().items():
        short = name.removeprefix("jax_").removeprefix("minijax_")
        assert getattr(flags, short) is option
        assert option.name == name


CONTEXTS = [
    *("enable_checks", "debug_key_reuse", "check_tracer_leaks", "debug_nans"),
    *("debug_infs", "log_compiles", "explain_cache_misses", "legacy_prng_key"),
    *("enable_custom_prng", "default_prng_impl", "threefry_partitionable"),
    *("remove_size_one_mesh_axis_from_type", "softmax_custom_jvp"),
    *("numpy_dtype_promotion", "enable_x64", "default_device"),
    *("numpy_rank_promotion", "auto_pcast", "default_matmul_precision"),
    *("allow_f16_reductions", "no_tracing", "no_execution", "transfer_guard"),
    *("transfer_guard_host_to_device", "transfer_guard_device_to_device"),
    *("transfer_guard_device_to_host", "array_garbage_collection_guard"),
    *("thread_guard", "make_user_context", "checking_leaks"),
]


@pytest.mark.parametrize("name", CONTEXTS)
def test_public_contexts_exist(name):
    from minijax.base import flags

    assert callable(getattr(flags, name))


def test_leak_and_jit_contexts_under_their_public_names():
    from minijax.base import config, flags

    with flags.checking_leaks():
        assert config.jax_check_tracer_leaks is True
    with flags.without_jit():
        assert config.jax_disable_jit is True
        with flags.without_jit(disable=False):
            assert config.jax_disable_jit is False
    assert config.jax_disable_jit is False


def test_toggles_in_the_trace_context_change_it():
    from minijax.base import flags

    before = flags.trace_context()
    with flags.numpy_rank_promotion("raise"):
        assert flags.trace_context() != before
    with flags.log_compiles(True), flags.transfer_guard("log"):
        assert flags.trace_context() == before
    assert flags.trace_context() == before


def test_check_58_transfer_guards_reach_the_runtime():
    from minijax.base import flags, jaxlib_core

    guards = jaxlib_core.guard_lib
    here, everywhere = guards.thread_local_state(), guards.global_state()
    level = guards.TransferGuardLevel
    with flags.transfer_guard_host_to_device("log"):
        with flags.transfer_guard("disallow_explicit"):
            assert here.host_to_device == level.DISALLOW_EXPLICIT
            assert here.device_to_host == level.DISALLOW_EXPLICIT
            assert flags.transfer_guard_device_to_device.value == "disallow_explicit"
        assert here.host_to_device == level.LOG
        assert here.device_to_host is None
    assert here.host_to_device is None
    flags.config.update("jax_transfer_guard", "log")
    assert everywhere.device_to_device == level.LOG
    flags.config.update("jax_transfer_guard", None)
    assert everywhere.device_to_device is None
    with pytest.raises(ValueError, match="jax_transfer_guard"):
        flags.transfer_guard("forbid")


def test_collection_guard_reaches_the_runtime():
    from minijax.base import flags, jaxlib_core

    guards = jaxlib_core.guard_lib
    with flags.array_garbage_collection_guard("log"):
        state = guards.thread_local_state().garbage_collect_array
        assert state == guards.GarbageCollectionGuardLevel.LOG
    assert guards.thread_local_state().garbage_collect_array is None


def test_logging_options_set_loggers():
    from minijax.base import config

    try:
        config.update("jax_logging_level", "INFO")
        config.update("jax_debug_log_modules", "minijax.one, minijax.two")
        assert logging.getLogger("minijax").level == logging.INFO
        assert logging.getLogger("minijax.two").level == logging.DEBUG
        config.update("jax_debug_log_modules", "minijax.one")
        assert logging.getLogger("minijax.two").level == logging.NOTSET
    finally:
        config.update("jax_debug_log_modules", "")
        config.update("jax_logging_level", "NOTSET")
    assert logging.getLogger("minijax.one").level == logging.NOTSET


def test_a_default_device_is_a_name_or_a_device():
    from minijax.base import flags

    with flags.default_device("cpu"):
        assert flags.default_device.value == "cpu"
    with pytest.raises(ValueError, match="jax_default_device"):
        flags.default_device(3)


def test_user_contexts_are_part_of_the_trace_context():
    from minijax.base import flags

    context = flags.make_user_context(3)
    assert context.value == 3
    before = flags.trace_context()
    with context(4):
        assert context.value == 4
        assert flags.trace_context() != before
    assert flags.trace_context() == before


def test_values_that_are_no_options_can_be_part_of_the_keys():
    from minijax.base import flags

    inside = flags.context_value("test_inside", 0, jit_key=True, trace_key=True)
    outside = flags.context_value("test_outside", 0, jit_key=False, trace_key=False)
    before = flags.trace_context()
    outside.set_local(1)
    assert flags.trace_context() == before
    inside.set_local(1)
    assert flags.trace_context() != before
    assert "test_inside" not in flags.config.values
