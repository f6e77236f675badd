import numpy as np

from minijax import lax
from minijax.core import ShapedArray, stage
from minijax.lowering import lower_jaxpr_to_module
from minijax.runtime import (
    compile_lowered,
    computation_of,
    cost_after_optimisation,
    cost_before_optimisation,
    devices,
    layouts_of,
    memory_of,
    optimised_text,
)


def chain(x):
    return [lax.add(lax.mul(lax.sin(x), x), 1.0)]


def lowered():
    jaxpr = stage(chain, [ShapedArray((3,), np.float32)])
    return lower_jaxpr_to_module(jaxpr, name="f", for_compile=True)


def test_before_optimisation():
    assert computation_of(lowered()).as_hlo_text().startswith("HloModule jit_f")
    costs = cost_before_optimisation(lowered(), devices()[0].client)
    assert costs["flops"] == 6
    assert costs["transcendentals"] == 3


def test_after_optimisation():
    made = compile_lowered(lowered(), devices())
    assert optimised_text(made, "jit_g").startswith("HloModule jit_g,")
    before = cost_before_optimisation(lowered(), devices()[0].client)
    after = cost_after_optimisation(made)
    assert 0 < after["bytes accessed"] <= before["bytes accessed"]
    assert memory_of(made).argument_size_in_bytes == 12
    assert memory_of(made).output_size_in_bytes == 12
    assert [str(layout) for layout in layouts_of(made)[0]] == ["{0}"]
