"""Programs for several platforms: spec/lowering.md §7."""

from minijax import lowering
from minijax.core import token_aval
from tests.lowering.toys import Order, f32, make, sin, text, trace


def test_branches_for_platforms_see_their_own():
    seen = []

    def rule(ctx, x):
        seen.append((ctx.platforms, len(seen)))
        return [x]

    def other(ctx, x):
        seen.append((ctx.platforms, len(seen)))
        return ctx.inline(trace(sin, f32(3)), [x])

    p = make("p", lowering.by_platform(rule, tpu=other))
    printed = text(p.bind, f32(3), platform=("cpu", "tpu", "cuda"))
    assert seen == [(("cpu", "cuda"), 0), (("tpu",), 1)]
    numbers = [
        line.split("dense<")[1][0] for line in printed.splitlines() if "%c =" in line
    ]
    assert numbers == ["0", "1", "0"]


def test_rules_that_differ_inside_a_branch():
    """A branch for some platforms may hold what differs between them."""
    inner = make(
        "inner",
        lowering.by_platform(
            lowering.emit("stablehlo.sine"), cuda=lowering.emit("stablehlo.cosine")
        ),
    )
    plain = lowering.lower_function(inner.bind)
    outer = make(
        "outer", lowering.by_platform(plain, tpu=lowering.emit("stablehlo.abs"))
    )
    printed = text(outer.bind, f32(3), platform=("cpu", "tpu", "cuda"))
    assert printed.count("stablehlo.case") == 4
    for op in ("sine", "cosine", "abs"):
        assert printed.count(f"stablehlo.{op} ") == 1


def test_ordered_effects_where_rules_differ():
    def rule(ctx, x):
        token = ctx.token(Order("a"))
        ctx.set_token(
            Order("a"), ctx.op("stablehlo.after_all", (token, token), token_aval)
        )
        return [x]

    p = make("p", lowering.by_platform(rule, tpu=lambda ctx, x: rule(ctx, x)))
    p.effects = lambda x: frozenset({Order("a")})
    printed = text(p.bind, f32(3), platform=("cpu", "tpu"))
    assert "-> (!stablehlo.token, tensor<3xf32>)" in printed
    assert "return %1#0, %1#1 : !stablehlo.token, tensor<3xf32>" in printed
