"""Whole modules: spec/lowering.md §§2, 3, 5, 8."""

import warnings
import weakref
from functools import partial

import numpy as np
import pytest

from minijax import lowering
from minijax.base import flags
from minijax.core import Effect, Primitive, ShapedArray, Space, named_scope
from tests.lowering.toys import (
    KEY,
    Order,
    add,
    call,
    cos,
    f32,
    lower,
    make,
    mul,
    sin,
    tell,
    text,
    trace,
)


def main_line(printed):
    return next(line for line in printed.splitlines() if "@main" in line).strip()


@pytest.mark.parametrize(
    ("function", "module"),
    [
        ("foo", "jit_foo"),
        ("<lambda>", "jit__lambda"),
        ("<unnamed function>", "jit__unnamed_function"),
        ("weird name<>!", "jit_weird_name"),
        ("a.b-c", "jit_a.b-c"),
    ],
)
def test_check_11_module_names(function, module):
    assert lowering.module_name(function) == module
    low = lower(sin, f32(2), name=function)
    assert low.name == module
    quoted = f'"{module}"' if "-" in module else module
    assert low.as_text().startswith(
        f"module @{quoted} attributes "
        "{mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {"
    )


def test_check_12_result_info():
    paths = ("result[0]", "result[1]['k']")
    jaxpr = trace(lambda x: [x, x], f32(2), paths=paths)
    assert main_line(text(jaxpr)) == (
        "func.func public @main(%arg0: tensor<2xf32>) -> "
        '(tensor<2xf32> {jax.result_info = "result[0]"}, '
        "tensor<2xf32> {jax.result_info = \"result[1]['k']\"}) {"
    )


def test_check_13_unread_inputs_are_dropped():
    low = lower(lambda a, b: b, f32(2), f32(3))
    assert low.kept_inputs == (1,)
    assert low.in_avals == [f32(3)]
    assert "(%arg0: tensor<3xf32>)" in main_line(low.as_text())
    low = lower(lambda a, b: b, f32(2), f32(3), keep_unused=True)
    assert low.kept_inputs == (0, 1)
    assert "(%arg0: tensor<2xf32>, %arg1: tensor<3xf32>)" in main_line(low.as_text())


def test_dead_equations_are_dropped_unless_inputs_are_kept():
    def program(a, b):
        mul(a, a)
        return b

    assert "multiply" not in text(program, f32(2), f32(2))
    assert "multiply" in text(program, f32(2), f32(2), keep_unused=True)


def test_dead_equations_with_effects_stay():
    low = lower(lambda a, b: (tell(a, Effect()), b)[1], f32(2), f32(2))
    assert low.kept_inputs == (0, 1)
    assert len(low.host_callbacks) == 1


def test_unread_constants_are_dropped():
    c = np.arange(3, dtype=np.float32)
    assert "constant" not in text(lambda x: (add(x, c), x)[1], f32(3))


def test_check_14_places_and_names():
    def foo(a, b):
        with named_scope("my_scope"):
            x = add(a, b)
        return sin(x)

    jaxpr = trace(foo, f32(2), f32(2), names=("a", "b['k']"))
    printed = lower(jaxpr, name="foo").as_text(debug_info=True)
    assert 'loc("a")' in printed
    assert "loc(\"b['k']\")" in printed
    assert 'loc("jit(foo)/my_scope/add"' in printed
    assert 'loc("jit(foo)/sin"' in printed
    assert "test_modules.py" in printed
    assert "minijax/" not in printed
    assert "loc(" not in lower(jaxpr).as_text()


def test_check_14_calls_name_their_function():
    inner = trace(sin, f32(2))
    printed = lower(
        lambda x: call(inner, x, name="g")[0], f32(2), name="outer"
    ).as_text(debug_info=True)
    assert 'loc("jit(outer)/jit(g)"' in printed
    assert 'loc("sin"' in printed  # inside a function names begin anew


def test_check_18_no_outputs():
    assert text(list).splitlines()[1:3] == [
        "  func.func public @main() {",
        "    return",
    ]


def test_an_input_is_returned_as_often_as_asked():
    assert "return %arg0, %arg0" in text(lambda x: [x, x], f32(2))


def test_a_literal_is_returned():
    assert "stablehlo.constant dense<1.000000e+00> : tensor<f32>" in text(lambda: 1.0)


def test_check_19_several_platforms_and_an_ordered_effect():
    def move(ctx, x, *, effect):
        token = ctx.token(effect)
        after = ctx.op("stablehlo.after_all", (token, token), token.type)
        ctx.set_token(effect, after)
        return [x]

    p = Primitive("move")
    p.def_abstract_eval(lambda x, *, effect: x)
    p.effects = lambda x, *, effect: frozenset({effect})
    lowering.register_lowering(p, move)
    low = lower(lambda x: p.bind(x, effect=Order("a")), f32(3), platform=("cpu", "tpu"))
    assert main_line(low.as_text()) == (
        "func.func public @main(%arg0: tensor<i32> {jax.global_constant = "
        '"_platform_index"}, %arg1: !stablehlo.token {jax.token = true}, '
        "%arg2: tensor<3xf32>) -> (!stablehlo.token {jax.token = true}, "
        "tensor<3xf32>) {"
    )
    assert low.platforms == ("cpu", "tpu")
    assert low.ordered_effects == (Order("a"),)


def test_check_21_several_platforms_without_difference():
    printed = text(sin, f32(3), platform=("cpu", "tpu"))
    assert "_platform_index" in main_line(printed)
    assert "case" not in printed


def test_check_36_ordered_effects_have_a_token_each():
    def program(x):
        tell(x, Order("a"))
        tell(x, Order("b"))
        tell(x, Order("a"))
        return x

    low = lower(program, f32(3))
    assert main_line(low.as_text()).count("!stablehlo.token") == 4
    calls = [line for line in low.as_text().splitlines() if "custom_call" in line]
    assert [line.split("(")[1].split(",")[0] for line in calls] == [
        "%arg0",
        "%arg1",
        "%0",
    ]
    assert [f"index = {i} " in line for i, line in enumerate(calls)] == [True] * 3
    assert "return %2, %1, %arg2" in low.as_text()


def test_check_38_ordered_effects_on_several_devices():
    jaxpr = trace(lambda x: (tell(x, Order("a")), x)[1], f32(4))
    with pytest.raises(ValueError, match=r"Order\(a\)"):
        lower(jaxpr, num_partitions=4)

    class Shardable(Order):
        shardable = True

    jaxpr = trace(lambda x: (tell(x, Shardable("s")), x)[1], f32(4))
    assert "num_partitions = 4" in text(jaxpr, num_partitions=4)


def test_check_8_effects_that_cannot_be_lowered():
    class Held(Effect):
        lowerable = False

        def __repr__(self):
            return "Held"

    with pytest.raises(ValueError, match="Held"):
        lower(lambda x: (tell(x, Held()), x)[1], f32(2))


def test_check_59_layouts_and_memories():
    place = lowering.Placement
    printed = text(
        lambda x: x,
        f32(2, 3),
        in_placements=[place(layout="{0,1}", memory_kind="pinned_host")],
        out_placements=[place(layout="auto")],
    )
    line = main_line(printed)
    assert 'mhlo.layout_mode = "{0,1}"' in line.split("->")[0]
    assert 'mhlo.memory_kind = "pinned_host"' in line.split("->")[0]
    assert 'mhlo.layout_mode = "auto"' in line.split("->")[1]


def test_check_58_a_requested_memory_is_annotated():
    place = lowering.Placement(memory_kind="pinned_host")
    printed = text(sin, f32(2), out_placements=[place])
    assert (
        "stablehlo.custom_call @annotate_device_placement(%0) {has_side_effect = true, "
        'mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}}'
    ) in printed
    host = ShapedArray((2,), np.float32, memory_space=Space.Host)
    printed = text(lambda x: x, host)
    assert main_line(printed).count('mhlo.memory_kind = "pinned_host"') == 2
    assert "annotate_device_placement" not in printed


def test_check_63_keys_are_constrained():
    printed = text(lambda x: x, ShapedArray((3,), KEY))
    assert "sdy.mesh @empty_mesh = <[]>" in printed
    assert (
        "sdy.sharding_constraint %arg0 <@empty_mesh, [{?}, {}]> : tensor<3x2xui32>"
        in printed
    )


def test_keys_that_rules_make_are_constrained():
    p = make("next_key", lambda ctx, x: [x])
    p.def_abstract_eval(lambda x: x)
    assert text(p.bind, ShapedArray((), KEY)).count("sharding_constraint") == 2


def test_the_compiler_gets_no_names():
    inner = trace(sin, f32(2))

    def program(x):
        return call(inner, x, name="telling")[0]

    jaxpr = trace(program, f32(2), names=("x",), paths=("result",))
    printed = text(jaxpr, for_compile=True)
    assert "telling" not in printed
    assert "result_info" not in printed
    assert "@jit_f" in printed  # profiles show this one


def test_key_bytes_ignore_names_and_places():
    def one(x):
        return cos(sin(x))

    inner = trace(sin, f32(2))
    lows = [
        lower(trace(one, f32(2), names=("x",)), name="one", for_compile=True),
        lower(trace(lambda y: cos(sin(y)), f32(2)), name="two", for_compile=True),
        lower(lambda x: sin(cos(x)), f32(2), for_compile=True),
        lower(one, f32(3), for_compile=True),
        lower(lambda x: call(inner, x, name="g"), f32(2), for_compile=True),
        lower(lambda x: call(inner, x, name="h"), f32(2), for_compile=True),
    ]
    keys = [low.key_bytes() for low in lows]
    assert keys[0] == keys[1]
    assert keys[4] == keys[5]
    assert len(set(keys)) == 4
    assert keys[0] == lows[0].key_bytes()
    assert "loc(" in lows[0].as_text(debug_info=True)  # the module itself is untouched


def test_large_constants_are_noted():
    jaxpr = trace(lambda x: add(x, np.arange(100, dtype=np.float32)), f32(100))
    noted = pytest.warns(UserWarning, match="jit_f holds 400 bytes")
    with flags.captured_constants_warn_bytes(399), noted:
        lower(jaxpr)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for limit in (400, -1):
            with flags.captured_constants_warn_bytes(limit):
                lower(jaxpr)


def test_long_programs_lower_in_linear_time():
    def chain(x):
        for _ in range(25_000):
            x = mul(sin(x), x)
        return x

    low = lower(chain, f32(4))
    assert low.as_text().count("stablehlo.sine") == 25_000


def test_nothing_keeps_a_jaxpr_alive():
    p = make("waves", lowering.shared(lowering.lower_function(lambda x: cos(sin(x)))))
    jaxpr = trace(lambda x: p.bind(x), f32(2))
    inner = trace(partial(call, jaxpr), f32(2))
    low = lower(inner)
    refs = [weakref.ref(jaxpr), weakref.ref(inner)]
    del jaxpr, inner  # without a run of the cyclic collector
    assert [ref() for ref in refs] == [None, None]
    assert "call @waves" in low.as_text()
