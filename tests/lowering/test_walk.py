"""The walk and the ctx of rules: spec/lowering.md §§1, 6-8."""

import tempfile
import threading

import numpy as np
import pytest

from minijax import lowering
from minijax.base import flags
from minijax.core import Effect, Primitive, ShapedArray, token_aval
from tests.lowering.toys import (
    KEY,
    Order,
    add,
    call,
    cos,
    f32,
    lower,
    make,
    sin,
    tell,
    text,
    trace,
)

BOOL = ShapedArray((), np.bool_)
I32 = ShapedArray((), np.int32)


def test_check_7_a_rule_that_gives_no_values():
    p = make("p", lambda ctx, x: None)
    with pytest.raises(ValueError, match=r"rule of p .*\(float32\[3\]\)"):
        lower(p.bind, f32(3))
    q = make("q", lambda ctx, x: [x, x])
    with pytest.raises(ValueError, match="2 values"):
        lower(q.bind, f32(3))


def test_check_7_a_rule_that_gives_another_type(monkeypatch, tmp_path):
    monkeypatch.setattr(flags.dump_ir_to, "value", str(tmp_path))
    p = make("p", lambda ctx, x: [ctx.constant(0, f32(2))])
    with pytest.raises(ValueError, match=r"jax_ir\d{4}_jit_f_verification\.mlir"):
        lower(lambda x: sin(p.bind(x)), f32(3))
    (path,) = tmp_path.iterdir()
    assert "tensor<2xf32>" in path.read_text()


def test_a_dump_goes_where_temporary_files_go(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert lowering.dump("text", "jit_f", "compile").startswith(str(tmp_path))


def test_check_8_an_ordered_effect_must_move_its_token():
    p = make("p", lambda ctx, x: [x])
    p.effects = lambda x: frozenset({Order("a")})
    with pytest.raises(ValueError, match=r"rule of p .*Order\(a\)"):
        lower(p.bind, f32(3))


def test_a_token_of_a_foreign_effect_is_refused():
    def rule(ctx, x):
        ctx.set_token(Order("b"), x)
        return [x]

    with pytest.raises(ValueError, match=r"Order\(b\)"):
        lower(make("p", rule).bind, f32(3))


def test_check_9_what_a_rule_can_ask():
    seen = {}

    def rule(ctx, x, y, *, axis):
        seen.update(
            avals_in=ctx.avals_in,
            avals_out=ctx.avals_out,
            platforms=ctx.platforms,
            platform=ctx.platform,
            name=ctx.eqn.primitive.name,
            axis=axis,
            type=str(ctx.type(f32(2))),
        )
        return [x]

    p = make("p", rule)
    lower(lambda x: p.bind(x, 2.0, axis=1), f32(3))
    assert seen == {
        "avals_in": [f32(3), ShapedArray((), np.float32, weak_type=True)],
        "avals_out": [f32(3)],
        "platforms": ("cpu",),
        "platform": "cpu",
        "name": "p",
        "axis": 1,
        "type": "tensor<2xf32>",
    }


def test_the_platform_of_a_module_for_several_is_not_one():
    def rule(ctx, x):
        return [ctx.constant(len(ctx.platform), f32(3))]

    with pytest.raises(RuntimeError, match=r"cpu, tpu.\n.*by_platform"):
        lower(make("p", rule).bind, f32(3), platform=("cpu", "tpu"))


def test_check_26_a_program_is_emitted_once():
    one, two = trace(sin, f32(3)), trace(sin, f32(2))

    def program(x, y):
        return [
            call(one, call(one, x, name="g")[0], name="g")[0],
            call(two, y, name="g")[0],
        ]

    printed = text(program, f32(3), f32(2))
    assert printed.count("call @g(") == 2
    assert printed.count("call @g_0(") == 1
    assert printed.count("func.func private") == 2


def test_check_26_callees_are_shared_by_callers():
    inner = trace(sin, f32(3))
    outer = trace(lambda x: call(inner, cos(x), name="inner")[0], f32(3))
    printed = text(
        lambda x: [call(outer, x, name="outer")[0], call(inner, x, name="inner")[0]],
        f32(3),
    )
    assert printed.count("call @inner(") == 2
    assert printed.count("func.func private") == 2


def test_a_symbol_that_looks_counted():
    jaxprs = [trace(sin, f32(n)) for n in (2, 3, 4)]

    def program(*xs):
        names = ("g_0", "g", "g")
        return [call(j, x, name=n)[0] for j, x, n in zip(jaxprs, xs, names)]

    printed = text(program, f32(2), f32(3), f32(4))
    for symbol in ("@g_0(", "@g(", "@g_1("):
        assert printed.count(f"func.func private {symbol}") == 1


def test_check_37_calls_take_and_give_tokens_first():
    inner = trace(lambda x: (tell(x, Order("a")), sin(x))[1], f32(3))

    def program(x):
        return call(inner, call(inner, x)[0])[0]

    lines = [line.strip() for line in text(program, f32(3)).splitlines()]
    assert lines[2] == (
        "%0:2 = call @inner(%arg0, %arg1) : (!stablehlo.token, tensor<3xf32>) -> "
        "(!stablehlo.token, tensor<3xf32>)"
    )
    assert "call @inner(%0#0, %0#1)" in lines[3]
    assert lines[4].startswith("return %1#0, %1#1")


def test_check_37_tokens_of_a_branch():
    inner = trace(lambda x: (tell(x, Order("a")), sin(x))[1], f32(3))

    def rule(ctx, index, x):
        effects = lowering.ordered_effects(inner.effects)

        def branch(ctx):
            tokens = [ctx.token(effect) for effect in effects]
            return ctx.inline_with_tokens(inner, effects, tokens, [x])

        token, out = ctx.op_with_regions(
            "stablehlo.case",
            [index],
            [token_aval, f32(3)],
            {},
            [([], branch), ([], branch)],
        )
        ctx.set_token(effects[0], token)
        return [out]

    p = Primitive("two_branches")
    p.def_abstract_eval(lambda index, x: x)
    p.effects = lambda index, x: inner.effects
    lowering.register_lowering(p, rule)
    printed = text(p.bind, I32, f32(3))
    assert ") : (tensor<i32>) -> (!stablehlo.token, tensor<3xf32>)" in printed
    assert printed.count("custom_call") == 2
    assert printed.count("(%arg0, %arg2)") == 2
    assert "return %0#0, %0#1" in printed


def test_regions_with_arguments():
    def rule(ctx, x):
        one = ctx.constant(1, I32)

        def cond(ctx, i, y):
            return [lowering.compare(ctx, "LT", i, one, I32)]

        def body(ctx, i, y):
            step = ctx.op("stablehlo.add", (i, one), I32)
            return [step, *ctx.inline(trace(sin, f32(3)), [y])]

        zero = ctx.constant(0, I32)
        _, out = ctx.op_with_regions(
            "stablehlo.while",
            (zero, x),
            [I32, f32(3)],
            {},
            [([I32, f32(3)], cond), ([I32, ctx.type(f32(3))], body)],
        )
        assert ctx.avals_in == [f32(3)]  # the bodies have not moved this ctx
        return [out]

    printed = text(make("loop", rule).bind, f32(3))
    assert "stablehlo.while(%iterArg = %c_0, %iterArg_1 = %arg0)" in printed
    assert "stablehlo.sine %iterArg_1" in printed


def test_inlining_with_and_without_constants():
    c = np.arange(3, dtype=np.float32)
    inner = trace(lambda x: add(x, c), f32(3))

    def by_inputs(ctx, x):
        return ctx.inline(inner, [x])

    def by_all(ctx, x):
        return ctx.inline(inner, [x, x])

    assert "constant dense<[0.0" in text(make("p", by_inputs).bind, f32(3))
    assert "add %arg0, %arg0" in text(make("p", by_all).bind, f32(3))


def test_unordered_effects_need_no_token():
    assert "token" not in text(lambda x: (tell(x, Effect()), x)[1], f32(3))


def test_explicit_placements_constrain_results():
    class Somewhere:
        pass

    lowering.placement_texts[Somewhere] = lambda module, sharding, ndim: (
        lowering.sharding_text(
            lowering.mesh_symbol(module, (("x", 2),)),
            [
                lowering.dimension_text(["x"]),
                *[lowering.dimension_text([])] * (ndim - 1),
            ],
        )
    )
    try:
        aval = ShapedArray((4, 2), np.float32, sharding=Somewhere())
        p = make("p", lowering.emit("stablehlo.sine"))
        p.def_abstract_eval(lambda x: x)
        printed = text(p.bind, aval)
    finally:
        del lowering.placement_texts[Somewhere]
    assert 'sdy.sharding_constraint %0 <@mesh, [{"x"}, {}]>' in printed
    assert printed.count('sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>') == 2
    assert 'sdy.mesh @mesh = <["x"=2]> {stablehlo.mesh' in printed


def test_a_key_broadcast_keeps_its_data_axes():
    p = make(
        "first", lambda ctx, x: [lowering.broadcast_to(ctx, x, ctx.avals_in[0], (4,))]
    )
    p.def_abstract_eval(lambda x: ShapedArray((4,), KEY))
    assert "dims = [1] : (tensor<2xui32>) -> tensor<4x2xui32>" in text(
        p.bind, ShapedArray((), KEY)
    )


def test_threads_lower_side_by_side():
    def program(x):
        for _ in range(200):
            x = sin(add(x, 1.0))
        return x

    jaxpr = trace(program, f32(3))
    expected = text(jaxpr)
    found, lock = [], threading.Lock()

    def work():
        for _ in range(5):
            printed = text(jaxpr)
            with lock:
                found.append(printed)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 30


def test_check_27_attributes_of_a_call():
    inner = trace(sin, f32(3))

    def rule(ctx, x):
        wish = lowering.dict_attr({"inlineable": lowering.string_attr("xla_early")})
        attributes = {"mhlo.frontend_attributes": wish}
        return ctx.call("g", inner, [x], attributes=attributes)

    assert (
        "call @g(%arg0) {mhlo.frontend_attributes = "
        '{inlineable = "xla_early"}} : (tensor<3xf32>) -> tensor<3xf32>'
    ) in text(make("p", rule).bind, f32(3))


def test_check_14_labels_of_inlined_programs():
    inner = trace(lambda x: sin(x), f32(3))

    def rule(ctx, x):
        return ctx.inline(inner, [x], "while/body")

    low = lower(make("while", rule).bind, f32(3))
    assert 'loc("jit(f)/while/body/sin"' in low.as_text(debug_info=True)


def test_traced_rules_stand_where_the_user_wrote_the_equation():
    def traced(x):
        return sin(x)

    p = make("p", lowering.lower_function(traced))
    jaxpr = trace(lambda x: p.bind(x), f32(3))
    printed = lower(jaxpr).as_text(debug_info=True)
    assert "stand_where_the_user_wrote_the_equation.<locals>.<lambda>" in printed
    assert "<locals>.traced" not in printed
