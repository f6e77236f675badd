"""Cuts through elementwise stretches: spec/jaxlib.md §3.3."""

import re

import numpy as np

from minijax import lowering
from minijax.base import flags
from minijax.core import ShapedArray
from tests.lowering.machine import run
from tests.lowering.toys import add, call, f32, lower, make, mul, sin, text, trace

BARRIER = "stablehlo.optimization_barrier"
dot = make(
    "dot",
    lambda ctx, x, y: [
        ctx.op(
            "stablehlo.dot",
            (x, y),
            ctx.avals_out[0],
        )
    ],
)


def chain(length):
    def program(x):
        y = x
        for _ in range(length):
            y = add(sin(y), x)
        return y

    return program


def test_only_what_is_compiled_for_cpu_is_cut():
    jaxpr = trace(chain(400), f32(8))
    assert BARRIER not in text(jaxpr)
    assert BARRIER not in text(jaxpr, for_compile=True, platform="tpu")
    assert BARRIER not in text(jaxpr, for_compile=True, platform=("cpu", "tpu"))
    low = lower(jaxpr, for_compile=True)
    assert low.as_text().count(BARRIER) == low.cuts == 5  # 800 operations by 150


def test_short_programs_are_left_alone():
    assert lower(chain(70), f32(8), for_compile=True).cuts == 0


def test_the_limit_is_an_option():
    jaxpr = trace(chain(100), f32(8))
    with flags.chunk_elementwise(50):
        assert lower(jaxpr, for_compile=True).cuts == 3
    with flags.chunk_elementwise(0):
        assert lower(jaxpr, for_compile=True).cuts == 0


def test_a_barrier_takes_all_values_that_live_across_it():
    def program(x):
        early = sin(x)
        y = chain(99)(early)
        return add(y, early)

    with flags.chunk_elementwise(100):
        printed = text(program, f32(8), for_compile=True)
    first = next(line for line in printed.splitlines() if BARRIER in line)
    names = re.search(r"barrier (%\w+), (%\w+) ", first).groups()
    assert names[0] == "%0"  # the early value, and the last one before the cut
    rest = printed[printed.index(first) + len(first) :]
    assert not re.search(r"%0[,\s]", rest)


def test_inputs_and_values_behind_a_barrier_do_not_pass_again():
    printed = text(chain(400), f32(8), for_compile=True)
    for line in printed.splitlines():
        if BARRIER in line:
            assert re.search(r"barrier %\w+ :", line)  # one value


def test_other_operations_start_a_new_count():
    def program(x):
        y = x
        for _ in range(10):
            y = dot.bind(chain(60)(y), x)
        return y

    assert lower(program, f32(8, 8), for_compile=True).cuts == 0


def test_calls_count_what_they_do():
    inner = trace(chain(30), f32(8))

    def program(x):
        for _ in range(10):
            x = call(inner, x)[0]
        return x

    assert lower(program, f32(8), for_compile=True).cuts == 3  # 60 a call


def test_cuts_inside_a_function():
    inner = trace(chain(200), f32(8))
    low = lower(lambda x: call(inner, x)[0], f32(8), for_compile=True)
    assert low.cuts == 2


def test_traced_rules_are_cut_too():
    p = make("p", lowering.lower_function(chain(200)))
    assert lower(p.bind, f32(8), for_compile=True).cuts == 2


def test_tokens_and_keys_do_not_disturb():
    low = lower(
        lambda x, k: [chain(200)(x), k],
        f32(8),
        ShapedArray((), np.uint32),
        for_compile=True,
    )
    assert low.cuts == 2


def test_a_cut_program_computes_the_same_bits():
    def program(x):
        y, kept = x, []
        for i in range(120):
            y = add(mul(sin(y), 0.5), x)
            if i % 40 == 0:
                kept.append(y)
        return [y, *kept]

    jaxpr = trace(program, f32(64))
    x = np.linspace(-3, 3, 64, dtype=np.float32)
    whole, cut = lower(jaxpr), lower(jaxpr, for_compile=True)
    assert cut.cuts == 2
    for a, b in zip(run(whole, x), run(cut, x), strict=True):
        np.testing.assert_array_equal(a, b)
