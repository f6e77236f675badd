"""`minijax.extend.core` has jax's names, and they are the core's objects."""

import subprocess
import sys

import numpy as np

import minijax as mj
from minijax import core
from minijax.extend import core as extended
from tests.extend import programs


def test_check_50_every_name_is_one_of_jax(oracle):
    record = oracle.compare(programs.there, "core", extended.__all__)
    assert len(record.children) == len(extended.__all__)


def test_check_50_the_objects_are_the_cores():
    assert extended.ClosedJaxpr is extended.Jaxpr is core.Jaxpr
    assert extended.Primitive is core.Primitive
    jaxpr = mj.make_jaxpr(lambda x: mj.lax.sin(x))(1.0)
    extended.check_jaxpr(jaxpr)
    (out,) = extended.jaxpr_as_fun(jaxpr)(np.float32(0))
    assert float(out) == 0.0


def test_check_50_import_minijax_does_not_import_extend():
    code = "import sys, minijax; sys.exit('minijax.extend' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_where_one_stands():
    seen = []

    def look(x):
        seen.append(
            (
                extended.unsafe_am_i_under_a_jit_DO_NOT_USE(),
                extended.unsafe_am_i_under_a_vmap_DO_NOT_USE(),
            )
        )
        return x

    x = np.ones(2, np.float32)
    look(x), mj.jit(look)(x), mj.vmap(look)(x), mj.jit(mj.vmap(look))(x)
    assert seen == [(False, False), (True, False), (False, True), (True, True)]


def test_valid_jaxtype():
    assert extended.valid_jaxtype(1.0) and extended.valid_jaxtype(np.ones(2))
    assert not extended.valid_jaxtype("x") and not extended.valid_jaxtype([1])
