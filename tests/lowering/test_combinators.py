"""Comparisons, reductions, host callbacks: spec/lowering.md §8.1."""

import ml_dtypes
import numpy as np
import pytest

from minijax import lowering
from minijax.core import Effect, Primitive, ShapedArray
from tests.lowering.machine import run
from tests.lowering.toys import Order, add, f32, lower, make, tell, text

FIRST_DEVICE = "sdy.sharding = #sdy.sharding_per_value<[<@maximal_mesh_0, []>]>"


@pytest.mark.parametrize(
    ("dtype", "kind"),
    [
        (np.float32, "FLOAT"),
        (ml_dtypes.bfloat16, "FLOAT"),
        (np.complex64, "FLOAT"),
        (np.int8, "SIGNED"),
        (ml_dtypes.int4, "SIGNED"),
        (np.uint32, "UNSIGNED"),
        (np.bool_, "UNSIGNED"),
    ],
)
def test_comparison_kinds(dtype, kind):
    assert lowering.comparison_kind(dtype) == kind


def test_compare():
    p = make("p", lambda ctx, x, y: [lowering.compare(ctx, "GE", x, y, f32(3))])
    p.def_abstract_eval(lambda x, y: ShapedArray((3,), np.bool_))
    assert (
        "stablehlo.compare GE, %arg0, %arg1, FLOAT : "
        "(tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>"
    ) in text(p.bind, f32(3), f32(3))
    (out,) = run(
        lower(p.bind, f32(3), f32(3)), np.float32([1, 2, 3]), np.float32([2, 2, 2])
    )
    assert out.tolist() == [False, True, True]


def test_reduce():
    def rule(ctx, x):
        zero = ctx.constant(0.0, f32())

        def plus(ctx, a, b):
            return [ctx.op("stablehlo.add", (a, b), f32())]

        return lowering.reduce(ctx, [x], [zero], (1,), ctx.avals_out, plus)

    p = make("total", rule)
    p.def_abstract_eval(lambda x: f32(2))
    low = lower(p.bind, f32(2, 3))
    assert "applies stablehlo.add across dimensions = [1]" in low.as_text()
    (out,) = run(low, np.arange(6, dtype=np.float32).reshape(2, 3))
    assert out.tolist() == [3.0, 12.0]


def test_check_34_ordered_callbacks_chain_one_token():
    def program(x):
        tell(x, Order("a"))
        tell(x, Order("a"))
        return x

    lines = [
        line for line in text(program, f32(2, 4)).splitlines() if "custom_call" in line
    ]
    assert lines[0].strip() == (
        "%0 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%arg0, %arg1) "
        '{backend_config = "", has_side_effect = true, mhlo.backend_config = '
        "{index = 0 : ui64}, operand_layouts = [dense<> : tensor<0xindex>, "
        "dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<> : "
        "tensor<0xindex>]} : (!stablehlo.token, tensor<2x4xf32>) -> !stablehlo.token"
    )
    assert "(%0, %arg1)" in lines[1]
    assert "index = 1 : ui64" in lines[1]


def test_check_35_unordered_callbacks_stand_on_the_first_device():
    printed = text(lambda x: (tell(x, Effect()), x)[1], f32(3))
    assert "token" not in printed
    assert FIRST_DEVICE in printed
    assert "sdy.mesh @maximal_mesh_0 = <[], device_ids=[0]>" in printed


def doubled(partitioned=False, has_side_effect=False):
    def rule(ctx, x):
        return lowering.host_callback(
            ctx,
            lambda x: (np.ascontiguousarray(x * 2),),
            [x],
            ctx.avals_in,
            ctx.avals_out,
            has_side_effect=has_side_effect,
            partitioned=partitioned,
        )

    return make("doubled", rule)


def test_check_35_a_pure_callback_has_no_side_effect():
    low = lower(doubled().bind, f32(3))
    assert "has_side_effect" not in low.as_text()
    assert FIRST_DEVICE in low.as_text()
    assert "has_side_effect = true" in text(doubled(has_side_effect=True).bind, f32(3))


def test_a_callback_runs():
    low = lower(lambda x: doubled().bind(add(x, 1.0)), f32(3), for_compile=True)
    (out,) = run(low, np.float32([1, 2, 3]))
    assert out.tolist() == [4.0, 6.0, 8.0]


def test_two_uses_of_a_callback_have_two_indices():
    p = doubled()
    low = lower(lambda x: p.bind(p.bind(x)), f32(3))
    assert len(low.host_callbacks) == 2
    assert "index = 1 : ui64" in low.as_text()


def test_check_39_partitioned_callbacks():
    printed = text(doubled(partitioned=True).bind, f32(3))
    assert "@xla_ffi_partitioned_python_cpu_callback" in printed
    assert "sdy.sharding" not in printed


def test_callbacks_of_other_platforms():
    assert "@xla_ffi_python_gpu_callback" in text(
        doubled().bind, f32(3), platform="cuda"
    )
    for platforms in ("tpu", ("cpu", "cuda")):
        with pytest.raises(NotImplementedError, match="doubled"):
            lower(doubled().bind, f32(3), platform=platforms)


def test_an_ordered_callback_gets_no_token():
    heard = []

    def rule(ctx, x, *, effect):
        return lowering.host_callback(
            ctx,
            lambda x: heard.append(x.tolist()) or (x.copy(),),
            [x],
            ctx.avals_in,
            ctx.avals_out,
            has_side_effect=True,
            effect=effect,
        )

    p = Primitive("hear")
    p.def_abstract_eval(lambda x, *, effect: x)
    p.effects = lambda x, *, effect: frozenset({effect})
    lowering.register_lowering(p, rule)
    low = lower(lambda x: p.bind(x, effect=Order("a")), f32(2))
    token, out = low.host_callbacks[0](None, np.float32([1, 2]))
    assert token is None
    assert out.tolist() == [1.0, 2.0]
    assert heard == [[1.0, 2.0]]
