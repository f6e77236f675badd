"""Placements as Shardy attributes: spec/lowering.md §§2, 3.2."""

import pytest

from minijax import lowering
from minijax.lowering.context import ModuleContext
from minijax.sharding import SingleDeviceSharding
from tests.lowering import machine
from tests.lowering.toys import f32, sin, text


@pytest.fixture
def module():
    with lowering.open_session() as session:
        yield ModuleContext(session, ("cpu",))


def test_meshes_are_named_once(module):
    axes = (("x", 4), ("y", 2))
    assert lowering.mesh_symbol(module, axes) == "mesh"
    assert lowering.mesh_symbol(module, axes) == "mesh"
    assert lowering.mesh_symbol(module, (("x", 8),)) == "mesh_0"
    printed = lowering.as_text(module.operation)
    assert (
        'sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = '
        '[{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}'
    ) in printed
    assert printed.count("sdy.mesh") == 2


def test_special_meshes(module):
    assert lowering.empty_mesh(module) == "empty_mesh"
    assert lowering.maximal_mesh(module) == "maximal_mesh_0"
    printed = lowering.as_text(module.operation)
    assert "sdy.mesh @empty_mesh = <[]> {stablehlo.mesh = {axes = []}}" in printed
    assert (
        "sdy.mesh @maximal_mesh_0 = <[], device_ids=[0]> {stablehlo.mesh = "
        "{axes = [], device_ids = dense<0> : tensor<1xi64>}}"
    ) in printed


@pytest.mark.parametrize(
    ("axes", "open_", "printed"),
    [
        ((), False, "{}"),
        (("x",), False, '{"x"}'),
        (("x", "y"), True, '{"x", "y", ?}'),
        ((), True, "{?}"),
        (None, False, "{?}"),
    ],
)
def test_dimensions(axes, open_, printed):
    assert lowering.dimension_text(axes, open_=open_) == printed


def test_a_single_device_is_the_empty_mesh():
    (device, *_) = machine._client().local_devices()
    here = lowering.Placement(SingleDeviceSharding(device))
    printed = text(sin, f32(2, 3), in_placements=[here])
    assert (
        "%arg0: tensor<2x3xf32> {sdy.sharding = "
        "#sdy.sharding<@empty_mesh, [{}, {}]>}" in printed
    )


def test_an_unknown_placement_is_named(module):
    with pytest.raises(TypeError, match="type int"):
        lowering.sharding_attr(module, 3, 2)
