"""The primitives named below lax are the ones lax defines."""

import minijax as mj
from minijax import core
from minijax.core import structural


def test_every_structural_primitive_is_ruled_above():
    for name, primitive in vars(structural).items():
        if name.endswith("_p"):
            assert primitive.abstract_eval is not primitive._no_abstract_eval, name
            assert getattr(core, name) is primitive


def test_lax_uses_the_same_objects():
    assert mj.lax.mul_p is core.mul_p
    assert mj.lax.broadcast_in_dim_p is core.broadcast_in_dim_p
