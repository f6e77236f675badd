import os

import numpy as np

from minijax import lax
from minijax.base import flags
from minijax.core import ShapedArray, stage
from minijax.lowering import lower_jaxpr_to_module
from minijax.runtime import devices
from minijax.runtime.cache_keys import (
    DROPPED_FLAGS,
    executable_key,
    flag_lines,
    host_features,
    is_dropped,
    machine_lines,
)
from tests.runtime.processes import run

F32 = ShapedArray((3,), np.float32)


def key_of(fun, avals=(F32,), name="f", options=()):
    jaxpr = stage(fun, avals)
    lowered = lower_jaxpr_to_module(jaxpr, name=name, for_compile=True)
    return executable_key(lowered.key_bytes(), options, devices())


def test_a_key_is_64_hexadecimal_digits():
    key = key_of(lambda x: [lax.sin(x)])
    assert len(key) == 64
    assert int(key, 16) >= 0


def test_check_46_the_name_and_place_of_a_function_do_not_matter():
    def one(x):
        return [lax.add(lax.sin(x), x)]

    def other(renamed):
        # moved, commented,
        local = lax.sin(renamed)
        return [lax.add(local, renamed)]

    assert key_of(one) == key_of(other, name="g")


def test_check_44_what_a_program_does_matters():
    base = key_of(lambda x: [lax.sin(x)])
    assert key_of(lambda x: [lax.cos(x)]) != base
    assert key_of(lambda x: [lax.sin(x)], (ShapedArray((4,), np.float32),)) != base
    assert key_of(lambda x: [lax.sin(x)], (ShapedArray((3,), np.float16),)) != base
    assert key_of(lambda x: [lax.sin(x)], options=("effort=1",)) != base


def test_parts_of_a_key_do_not_run_together():
    assert executable_key(b"ab", ("c",), devices()) != executable_key(
        b"a", ("bc",), devices()
    )


def test_check_45_flags_that_leave_programs_alone(monkeypatch):
    monkeypatch.setenv("XLA_FLAGS", "")
    assert len(DROPPED_FLAGS) == 26
    base = key_of(lambda x: [lax.sin(x)])
    for name in sorted(DROPPED_FLAGS):
        monkeypatch.setenv("XLA_FLAGS", f"--{name}=1")
        assert flag_lines() == ()
        assert is_dropped(f"--{name}=1")
    assert key_of(lambda x: [lax.sin(x)]) == base
    monkeypatch.setenv("XLA_FLAGS", "--xla_abacus=1")
    assert key_of(lambda x: [lax.sin(x)]) != base


def test_the_order_of_flags_does_not_matter(monkeypatch):
    monkeypatch.setenv("XLA_FLAGS", "--xla_b=1 --xla_a=2")
    one = flag_lines()
    monkeypatch.setenv("XLA_FLAGS", "--xla_a=2")
    monkeypatch.setenv("LIBTPU_INIT_ARGS", "--xla_b=1")
    assert flag_lines() == one == ("--xla_a=2", "--xla_b=1")


def test_the_machine():
    lines = machine_lines(tuple(devices()))
    assert any(line.startswith("jaxlib ") for line in lines)
    assert f"features {host_features()}" in lines
    assert host_features() == host_features()


PROGRAM = """
import os, sys
sys.path.insert(0, os.environ["WHERE"])
import numpy as np
from minijax import lax
from minijax.runtime import cache_files, put
from minijax.transforms import jit
def named_in_many_ways(x, y):
    return {"a": lax.add(lax.sin(x), y), "b": lax.exp(x)}
jit(named_in_many_ways)(put(np.ones(3, np.float32)), 2.0)
lax.mul(put(np.ones(3, np.float32)), 2.0)
print(sorted(os.listdir(os.environ["JAX_COMPILATION_CACHE_DIR"])))
"""


def test_keys_are_the_same_in_every_process_and_directory(tmp_path):
    seen = []
    for seed in ("1", "2"):
        where = tmp_path / seed
        where.mkdir()
        script = where / "script.py"
        script.write_text("\n" * int(seed) + PROGRAM)
        seen.append(
            run(
                f"exec(compile(open({str(script)!r}).read(), {str(script)!r}, 'exec'))",
                PYTHONHASHSEED=seed,
                WHERE=str(where),
                JAX_COMPILATION_CACHE_DIR=str(where / "cache"),
            )
        )
    assert seen[0] == seen[1]
    assert seen[0].count("-cache'") == 2


def test_check_47_devices_of_cpu_programs_matter():
    out = run(
        """
        from minijax.runtime import devices
        from minijax.runtime.cache_keys import executable_key
        a, b = devices()
        print(executable_key(b"", (), [a]) == executable_key(b"", (), [b]))
        """,
        devices=2,
    )
    assert out == "False\n"
    assert flags.compilation_cache_dir.value == os.environ["JAX_COMPILATION_CACHE_DIR"]
