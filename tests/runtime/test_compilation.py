import gc

import numpy as np
import pytest

from minijax import lax
from minijax.base import flags
from minijax.base.errors import CacheVerificationError
from minijax.core import ShapedArray, stage
from minijax.lowering import lower_jaxpr_to_module
from minijax.runtime import (
    Executable,
    cache_files,
    caches,
    canonical_options,
    compile_lowered,
    devices,
)
from minijax.runtime.compilation import _all_settings, build_options

F32 = ShapedArray((3,), np.float32)


def lowered(fun, name="f"):
    return lower_jaxpr_to_module(stage(fun, [F32]), name=name, for_compile=True)


def settings_of(*options):
    return dict(_all_settings(options, 1))


def test_options_become_sorted_pairs():
    assert canonical_options(None) == ()
    assert canonical_options({"b": 1, "a": True}) == (("a", True), ("b", 1))
    assert canonical_options({"x": [1, 2]}) == (("x", (1, 2)),)
    with pytest.raises(TypeError, match="dict"):
        canonical_options(["a"])
    with pytest.raises(TypeError, match="'a'"):
        canonical_options({"a": object()})
    with pytest.raises(ValueError, match="O3"):
        canonical_options({"optimization_level": "O9"})


def test_settings_follow_options_and_flags():
    assert settings_of()["optimization_level"] == 0
    assert settings_of()["memory_fitting_level"] == 29
    with flags.optimization_level("O1"):
        assert settings_of()["optimization_level"] == 19
        assert settings_of(("optimization_level", "O3"))["optimization_level"] == 39
    assert settings_of(("xla_a", 1))["overrides"] == [("xla_a", 1)]


def test_options_reach_jaxlib():
    made = build_options(
        _all_settings((("xla_cpu_enable_fast_math", True),), 1), devices()
    )
    assert made.num_partitions == 1
    assert made.executable_build_options.memory_fitting_level == 29
    with flags.compiler_enable_remat_pass(False):
        made = build_options(_all_settings((), 1), devices())
    assert ("xla_disable_hlo_passes", "rematerialization") in made.env_option_overrides
    made = build_options(
        _all_settings((("individually_defined_output_indices", (0,)),), 1), devices()
    )
    assert list(made.individually_defined_output_indices) == [0]


def test_equal_programs_are_one_executable_whatever_their_names():
    one = compile_lowered(lowered(lambda x: [lax.tanh(x)]), devices())
    hits = caches().executables.hits
    assert compile_lowered(lowered(lambda y: [lax.tanh(y)], "g"), devices()) is one
    assert caches().executables.hits == hits + 1
    assert isinstance(one, Executable)
    assert len(one.key) == 64


def test_options_make_another_executable():
    one = compile_lowered(lowered(lambda x: [lax.tanh(x)]), devices())
    options = canonical_options({"xla_cpu_enable_fast_math": True})
    assert (
        compile_lowered(lowered(lambda x: [lax.tanh(x)]), devices(), options) is not one
    )


def test_an_executable_lives_as_long_as_its_users():
    gc.collect()
    before = caches().executables.size
    made = compile_lowered(lowered(lambda x: [lax.atan2(x, x)]), devices())
    assert caches().executables.size == before + 1
    del made
    gc.collect()
    assert caches().executables.size == before


def test_check_7_an_unknown_option_is_an_error_of_the_compiler():
    with pytest.raises(RuntimeError, match="xla_abacus") as error:
        compile_lowered(
            lowered(lambda x: [lax.cos(x)]), devices(), (("xla_abacus", True),)
        )
    assert type(error.value).__name__ == "JaxRuntimeError"


def test_what_comes_from_disk_says_so():
    program = lowered(lambda x: [lax.add(lax.sin(x), lax.cos(x))])
    compile_lowered(program, devices())
    gc.collect()
    again = compile_lowered(program, devices())
    assert again.from_disk
    assert again.seconds > 0


def test_check_42_a_stored_program_is_compared_with_a_fresh_one(tmp_path):
    before = flags.compilation_cache_dir.get_global()
    flags.compilation_cache_dir.update(str(tmp_path))
    try:
        program = lowered(lambda x: [lax.sub(lax.sin(x), 0.21875)])
        key = compile_lowered(program, devices()).key
        gc.collect()
        with flags.compilation_cache_check_contents(True):
            assert compile_lowered(program, devices()).from_disk
            gc.collect()
            stored = cache_files.read(key)
            other = lowered(lambda x: [lax.add(lax.sin(x), 0.21875)])
            other_key = compile_lowered(other, devices()).key
            gc.collect()
            cache_files.write(other_key, stored)
            with pytest.raises(CacheVerificationError) as error:
                compile_lowered(other, devices())
        assert error.value.cache_key == other_key
        assert error.value.executable_on_disk == stored.executable
    finally:
        flags.compilation_cache_dir.update(before)


def test_check_56_modules_are_dumped_when_compiled(tmp_path):
    flags.dump_ir_to.update(str(tmp_path))
    try:
        program = lowered(lambda x: [lax.sub(lax.cos(x), 0.21875)], "dumped")
        assert list(tmp_path.iterdir()) == []
        compile_lowered(program, devices())
    finally:
        flags.dump_ir_to.update("")
    (file,) = tmp_path.iterdir()
    assert file.name.endswith("_jit_dumped_compile.mlir")
    assert "stablehlo.cosine" in file.read_text()
