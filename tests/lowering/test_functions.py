"""Functions and the order of their values: spec/lowering.md §3."""

from minijax import lowering
from minijax.core import Effect
from tests.lowering.toys import Order, call, f32, lower, sin, tell, text, trace


def test_ordered_effects_have_an_order_of_their_own():
    effects = frozenset({Order("b"), Effect(), Order("a")})
    assert lowering.ordered_effects(effects) == (Order("a"), Order("b"))


def test_the_platform_index_leads():
    inner = trace(sin, f32(3))
    printed = text(lambda x: call(inner, x)[0], f32(3), platform=("cpu", "tpu"))
    assert "call @inner(%arg0, %arg1)" in printed
    assert (
        "func.func private @inner(%arg0: tensor<i32>, %arg1: tensor<3xf32>) -> "
        "tensor<3xf32>" in printed
    )


def test_functions_stand_in_the_order_of_their_first_use():
    one, two = trace(sin, f32(3)), trace(sin, f32(3))
    outer = trace(lambda x: call(two, x, name="two")[0], f32(3))
    printed = text(
        lambda x: call(outer, call(one, x, name="one")[0], name="outer")[0], f32(3)
    )
    order = [printed.index(f"private @{name}(") for name in ("one", "outer", "two")]
    assert printed.index("@main") < order[0] < order[1] < order[2]


def test_inner_tokens_stay_inside():
    inner = trace(lambda x: (tell(x, Order("b")), sin(x))[1], f32(3))

    def program(x):
        tell(x, Order("a"))
        return call(inner, x)[0]

    low = lower(program, f32(3))
    assert low.ordered_effects == (Order("a"), Order("b"))
    assert "call @inner(%arg1, %arg2)" in low.as_text()
    assert "return %0, %1#0, %1#1" in low.as_text()
