"""The stages of a jitted call: the numbered checks of spec/jit.md §10."""

import numpy as np
import pytest

from minijax import lax, tree
from minijax.core import Jaxpr, ShapedArray, ShapeDtypeStruct, typeof
from minijax.runtime import default_placement, devices, put
from minijax.sharding import Format, Layout
from minijax.transforms import (
    ArgInfo,
    Compiled,
    Lowered,
    Traced,
    Wrapped,
    grad,
    jit,
    vmap,
)
from tests.runtime.processes import run


@pytest.fixture
def x():
    return put(np.arange(3, dtype=np.float32))


def named(x, d, n=2):
    return {"o": lax.mul(x, float(n)), "s": lax.sin(d["a"])}


@pytest.fixture
def f():
    return jit(named, static_argnums=2, donate_argnames="d")


def test_check_28_what_every_stage_tells(f, x):
    args = (x, {"a": 1.0}, 3)
    stages = [f.trace(*args), f.lower(*args), f.lower(*args).compile()]
    assert [type(stage) for stage in stages] == [Traced, Lowered, Compiled]
    f32, weak = typeof(x), ShapedArray((), "float32", weak_type=True)
    for stage in stages:
        assert stage.in_tree == tree.structure(((0, {"a": 0}), {}))
        assert stage.in_avals == ((f32, {"a": weak}), {})
        (info, inner), kwargs = stage.args_info
        assert info == ArgInfo(f32, donated=False)
        assert (inner["a"].donated, inner["a"].shape) == (True, ())
        assert inner["a"].dtype == np.float32
        assert kwargs == {}
        assert stage.donate_argnums == (1,)
        assert stage.out_tree == tree.structure({"o": 0, "s": 0})
    traced = stages[0]
    assert isinstance(traced.jaxpr, Jaxpr)
    assert traced.fun_name == "named"
    assert traced.effects == frozenset()
    assert traced.out_info == {
        "o": ShapeDtypeStruct((3,), np.float32),
        "s": ShapeDtypeStruct((), np.float32, weak_type=True),
    }
    assert isinstance(f, Wrapped)
    assert not isinstance(named, Wrapped)


def test_check_28_keyword_arguments(x):
    f = jit(lambda x, y: lax.add(x, y))
    traced = f.trace(y=x, x=x)
    assert traced.in_tree == tree.structure(((), {"x": 0, "y": 0}))
    assert traced(x=x, y=x).tolist() == [0, 2, 4]


def test_check_29_dialects(f, x):
    lowered = f.lower(x, {"a": 1.0})
    assert lowered.as_text() == lowered.as_text("stablehlo")
    assert "stablehlo.sine" in lowered.as_text()
    assert "jax.result_info = \"result['o']\"" in lowered.as_text()
    assert lowered.as_text("hlo").startswith("HloModule jit_named")
    assert type(lowered.compiler_ir()).__name__ == "Module"
    assert type(lowered.compiler_ir("hlo")).__name__ == "XlaComputation"
    for dialect in ("mhlo", "HLO", "foo"):
        for method in (lowered.as_text, lowered.compiler_ir):
            with pytest.raises(ValueError, match=dialect):
                method(dialect)
    assert "loc(" not in lowered.as_text()
    assert "test_stages.py" in lowered.as_text(debug_info=True)


def test_check_30_costs(x):
    lowered = jit(lambda x: lax.add(lax.mul(lax.sin(x), x), x)).lower(x)
    before, after = lowered.cost_analysis(), lowered.compile().cost_analysis()
    assert before["flops"] == after["flops"] == 6
    assert before["bytes accessed"] >= after["bytes accessed"]


def test_check_31_memory(x):
    f = jit(lambda x, y: (lax.add(x, y), lax.sin(x)))
    stats = f.lower(x, x).compile().memory_analysis()
    assert stats.argument_size_in_bytes == 24
    # Two results, and the table of pointers to them.
    assert stats.output_size_in_bytes >= 24


def test_check_32_a_compiled_call(f, x):
    compiled = f.lower(x, {"a": 1.0}, 3).compile()
    for _ in range(3):
        result = compiled(x, {"a": 1.0})
    assert result["o"].tolist() == [0, 3, 6]
    assert (
        compiled(np.ones(3, np.float32), {"a": np.float32(2)})["o"].tolist() == [3] * 3
    )
    assert compiled._call._cache_size() == 2


@pytest.mark.parametrize(
    ("args", "error", "mention"),
    [
        (lambda x: (x,), TypeError, "tuple of length 2"),
        (lambda x: (x, {"b": 1.0}), TypeError, "'a'|'b'"),
        (lambda x: (x, {"a": 1.0}, 3), TypeError, "Static"),
        (lambda x: (x, {"a": x}), TypeError, r"d\['a'\].*f32\[\].*f32\[3\]"),
        (
            lambda x: (np.ones(3, np.int32), {"a": 1.0}),
            TypeError,
            r"x.*f32\[3\].*i32\[3\]",
        ),
    ],
)
def test_check_32_wrong_calls(f, x, args, error, mention):
    compiled = f.lower(x, {"a": 1.0}, 3).compile()
    for _ in range(2):
        with pytest.raises(error, match=mention):
            compiled(*args(x))


def test_check_32_at_most_five_are_listed(x):
    f = jit(lambda *args: args)
    compiled = f.lower(*[x] * 8).compile()
    with pytest.raises(TypeError, match="and 3 more") as error:
        compiled(*[1.0] * 8)
    assert str(error.value).count("compiled for f32[3]") == 5


def test_check_32_types_of_arguments_nobody_reads(x):
    compiled = jit(lambda x, y: x).lower(x, x).compile()
    with pytest.raises(TypeError, match="y"):
        compiled(x, 1.0)


def test_check_32_compiled_programs_are_not_transformed(x):
    compiled = jit(lambda x: lax.sin(x)).lower(1.0).compile()
    for call in (
        lambda: jit(lambda y: compiled(y))(1.0),
        lambda: grad(lambda y: compiled(y))(1.0),
        lambda: vmap(lambda y: compiled(y))(x),
    ):
        with pytest.raises(TypeError, match="transformation"):
            call()


def test_check_32_arguments_elsewhere():
    out = run(
        """
        from minijax import lax
        from minijax.runtime import *
        from minijax.transforms import jit
        a, b = map(placement_on, devices())
        x = put(1.0)
        compiled = jit(lambda x: lax.sin(x)).lower(x).compile()
        there = put(x, b)
        try:
            compiled(there)
        except ValueError as error:
            print("id=0" in str(error), "id=1" in str(error))
        elsewhere = jit(lambda x: lax.sin(x)).lower(there).compile()
        print(elsewhere(x).device, elsewhere(there).device)
        try:
            jit(lambda x: lax.sin(x)).lower(x).compile(device_assignment=[devices()[1]])
        except ValueError as error:
            print("[0]" in str(error), "[1]" in str(error))
        """,
        devices=2,
    )
    assert out.splitlines() == ["True True", "cpu:1 cpu:1", "True True"]


def test_check_33_compile_is_memoised(x):
    lowered = jit(lambda x: lax.sin(x)).lower(x)
    assert lowered.compile() is lowered.compile()
    options = {"xla_cpu_enable_fast_math": True}
    other = lowered.compile(options)
    assert other is not lowered.compile()
    assert other(x).tolist() == pytest.approx(np.sin([0, 1, 2]).tolist())
    with pytest.raises(RuntimeError, match="xla_abacus"):
        lowered.compile({"xla_abacus": 1})
    assert lowered.compile(device_assignment=devices())(x).shape == (3,)


def test_check_34_from_descriptions(x):
    f = jit(lambda x: lax.sin(x))
    wanted = ShapeDtypeStruct((3,), np.float32)
    assert f.eval_shape(wanted) == wanted
    compiled = f.lower(wanted).compile()
    assert compiled(np.zeros(3, np.float32)).tolist() == [0, 0, 0]
    with pytest.raises(TypeError, match=r"(?s)x.*ShapeDtypeStruct"):
        f(wanted)
    assert f._cache_size() == 0


def test_check_35_a_traced_function_is_a_function(x):
    y = lax.sin(x)
    traced = jit(lambda x: lax.mul(x, y)).trace(x)
    assert traced(x).tolist() == lax.mul(x, y).tolist()
    slope = grad(lambda x: lax.reduce_sum(traced(x), (0,)))(x)
    assert slope.tolist() == y.tolist()
    consts, fun = traced.closure_convert()
    assert [c is y for c in consts] == [True]
    assert fun([lax.mul(y, 2.0)], x).tolist() == lax.mul(x, lax.mul(y, 2.0)).tolist()
    with pytest.raises(TypeError, match="structure"):
        traced(x, x)


def test_captured_values_as_an_argument(x):
    y = lax.sin(x)
    traced = jit(lambda x: lax.mul(x, y)).trace(x)
    consts, opened = traced.with_consts_as_arg()
    assert [c is y for c in consts] == [True]
    assert opened.in_tree == tree.structure((([0], 0), {}))
    assert opened.jaxpr.consts == ()
    doubled = [lax.mul(y, 2.0)]
    expected = lax.mul(x, doubled[0]).tolist()
    assert opened(doubled, x).tolist() == expected
    assert opened.lower().compile()(doubled, x).tolist() == expected


def test_check_36_formats(x):
    square = put(np.ones((2, 3), np.float32))
    f = jit(lambda x, y: lax.sin(x))
    compiled = f.lower(square, x).compile()
    here = default_placement()
    assert compiled.input_formats == ((Format(Layout((0, 1)), here), Format()), {})
    assert compiled.output_formats == Format(Layout((0, 1)), here)
    assert compiled.output_shardings is here
    assert compiled.input_shardings == ((here, None), {})
    assert type(compiled.runtime_executable()).__name__ == "LoadedExecutable"


def test_the_text_of_a_shared_executable_has_the_name_of_the_function(x):
    jit(lambda x: lax.sinh(x)).lower(x).compile()

    def renamed(x):
        return lax.sinh(x)

    assert jit(renamed).lower(x).compile().as_text().startswith("HloModule jit_renamed")


def test_other_platforms_are_lowered_without_them(x):
    traced = jit(lambda x: lax.sin(x)).trace(x)
    lowered = traced.lower(lowering_platforms=("tpu",))
    assert "stablehlo.sine" in lowered.as_text()
    with pytest.raises(RuntimeError, match="tpu"):
        lowered.compile()


def test_a_program_inside_a_transformation_is_not_lowered(x):
    def outer(y):
        return jit(lambda z: lax.add(z, y)).lower(y)

    with pytest.raises(TypeError, match="closes over"):
        jit(outer)(1.0)


def test_only_jitted_functions_have_stages():
    with pytest.raises(TypeError, match="jit"):
        Compiled.as_text.__get__
        jit(lambda x: x).lower(1.0).compile()._call.trace(1.0)
