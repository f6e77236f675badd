"""The rule table and the ways to declare a rule: spec/lowering.md §1."""

import numpy as np
import pytest

from minijax import lowering
from minijax.core import ShapedArray
from tests.lowering.toys import add, cos, f32, lower, make, mul, sin, text

sine, cosine = lowering.emit("stablehlo.sine"), lowering.emit("stablehlo.cosine")


def test_check_1_an_unknown_platform_is_refused():
    p = make("p")
    with pytest.raises(NotImplementedError) as error:
        lowering.register_lowering(p, sine, platform="zzz")
    assert "cpu, cuda, gpu, oneapi, proxy, rocm, tpu" in str(error.value)
    with pytest.raises(NotImplementedError, match="'zzz'"):
        lowering.by_platform(sine, zzz=cosine)


def test_check_2_a_missing_rule_names_primitive_and_platforms():
    p = make("fresh")
    with pytest.raises(NotImplementedError, match=r"'fresh'.*'cpu'"):
        lower(p.bind, f32(3))
    with pytest.raises(NotImplementedError, match="'cpu, tpu'"):
        lower(p.bind, f32(3), platform=("cpu", "tpu"))
    lowering.register_lowering(p, sine, platform="cuda")
    with pytest.raises(NotImplementedError, match="'cpu'"):
        lower(p.bind, f32(3), platform=("cpu", "cuda"))


def test_check_3_gpu_stands_for_its_platforms():
    p = make("p")
    lowering.register_lowering(p, sine, platform="gpu")
    for platform in ("cuda", "rocm", "oneapi"):
        assert "stablehlo.sine" in text(p.bind, f32(3), platform=platform)


def test_check_4_each_platform_takes_its_rule():
    p = make("p", lowering.by_platform(cosine, cpu=sine))
    assert "stablehlo.sine" in text(p.bind, f32(3), platform="cpu")
    assert "stablehlo.cosine" in text(p.bind, f32(3), platform="tpu")
    both = text(p.bind, f32(3), platform=("cpu", "tpu"))
    assert both.count("stablehlo.case") == 2
    assert both.count("stablehlo.sine") == both.count("stablehlo.cosine") == 1


def test_check_5_registering_twice_overwrites():
    p = make("p", sine)
    lowering.register_lowering(p, cosine)
    assert "stablehlo.cosine" in text(p.bind, f32(3))
    lowering.register_lowering(p, sine, platform="cpu")
    assert "stablehlo.sine" in text(p.bind, f32(3))
    lowering.register_lowering(p, cosine)  # the default: cpu keeps its own
    assert "stablehlo.sine" in text(p.bind, f32(3))


def test_check_6_an_override_holds_for_one_module():
    p = make("p", sine)
    assert "stablehlo.cosine" in text(p.bind, f32(3), overrides=((p, cosine),))
    assert "stablehlo.sine" in text(p.bind, f32(3))


def test_check_9_a_traced_rule_sees_the_equation():
    seen = []

    def sum_of_waves(x, *, times):
        seen.append((x.aval, times))
        return add(sin(x), mul(cos(x), float(times)))

    p = make("waves", lowering.lower_function(sum_of_waves))
    low = text(lambda x: p.bind(p.bind(x, times=2), times=2), f32(3))
    assert seen == [(f32(3), 2)]  # equal equations are traced once
    assert low.count("stablehlo.sine") == low.count("stablehlo.cosine") == 2
    assert "call" not in low


def test_a_traced_rule_of_several_results():
    p = make("pair", multiple_results=True)
    p.def_abstract_eval(lambda x: [x, x])
    rule = lowering.lower_function(lambda x: (sin(x), cos(x)), multiple_results=True)
    lowering.register_lowering(p, rule)
    lines = text(p.bind, f32(3)).splitlines()
    assert "return %0, %1" in lines[4]


def test_operands_are_broadcast():
    lines = text(add, f32(2, 3), f32(2, 1)).splitlines()
    assert lines[2].strip() == (
        "%0 = stablehlo.broadcast_in_dim %arg1, dims = [0, 1] : "
        "(tensor<2x1xf32>) -> tensor<2x3xf32>"
    )


def test_operands_that_do_not_fit_are_refused():
    p = make("p", lowering.emit("stablehlo.add"))
    p.def_abstract_eval(lambda x, y: x)
    with pytest.raises(ValueError, match=r"float32\[3\].*\(2,\)"):
        lower(p.bind, f32(2), f32(3))


def test_emit_with_attributes():
    p = make(
        "is_less",
        lowering.emit(
            "stablehlo.compare",
            comparison_direction="#stablehlo<comparison_direction LT>",
            compare_type="#stablehlo<comparison_type FLOAT>",
        ),
    )
    p.def_abstract_eval(lambda x, y: ShapedArray(x.shape, np.bool_))
    assert "stablehlo.compare LT, %arg0, %arg1, FLOAT" in text(p.bind, f32(2), f32(2))


def test_emit_with_attributes_of_params():
    def places(params):
        return {
            "exponent_bits": lowering.i32_attr(params["exponent"]),
            "mantissa_bits": lowering.i32_attr(params["mantissa"]),
        }

    p = make("reduce_precision", lowering.emit("stablehlo.reduce_precision", places))
    low = text(lambda x: p.bind(x, exponent=5, mantissa=10), f32(2))
    assert "format = e5m10" in low


def test_check_29_shared_rules_are_functions():
    p = make("p", lowering.shared(sine, "waves"))
    low = text(
        lambda x, y: [
            p.bind(p.bind(x, axis=0), axis=0),
            p.bind(x, axis=1),
            p.bind(y, axis=0),
        ],
        f32(3),
        f32(4),
    )
    assert low.count("call @waves(") == 2
    assert low.count("call @waves_0(") == low.count("call @waves_1(") == 1
    assert low.count("func.func private") == 3


def test_shared_rules_choose_inside():
    p = make("p", lowering.shared(lowering.by_platform(sine, tpu=cosine)))
    low = text(lambda x: p.bind(p.bind(x)), f32(3), platform=("cpu", "tpu"))
    assert low.count("call @p(%arg0, ") == 2
    assert low.count("stablehlo.case") == 2


def test_a_platform_rule_can_be_built_upon():
    inner = lowering.by_platform(sine, tpu=cosine)
    p = make("p", lambda ctx, x: inner(ctx, *inner(ctx, x)))
    assert text(p.bind, f32(3), platform="tpu").count("stablehlo.cosine") == 2


def test_a_platform_without_its_rule_is_named_inside_too():
    inner = lowering.by_platform(tpu=cosine)
    p = make("p", lambda ctx, x: inner(ctx, x))
    with pytest.raises(NotImplementedError, match="'cpu'"):
        lower(p.bind, f32(3))
