"""cond, switch and platform_dependent: the checks of spec/control_flow.md §11."""

import gc
import weakref

import numpy as np
import pytest

from tests.oracle import compare, run_here
from tests.records import unpacked

F32 = np.float32


def text(J, f, *args):
    return str(J.make_jaxpr(f)(*args))


# --- programs: what both libraries run ------------------------------------------------


def one_of_two(J, pred, x):
    return J.lax.cond(pred, lambda x: x * 2.0, lambda x: -x, x)


def printed_one_of_two(J, pred, x):
    return text(
        J, lambda p, x: J.lax.cond(p, lambda x: x * 2.0, lambda x: -x, x), pred, x
    )


def printed_literal_predicate(J, x):
    return text(J, lambda x: J.lax.cond(True, lambda x: x * 2.0, lambda x: -x, x), x)


def bad_predicate(J, kind):
    preds = {
        "none": None,
        "list": [True],
        "string": "yes",
        "vector": np.ones(2, bool),
        "complex": np.complex64(1),
        "object": object(),
    }
    return J.lax.cond(preds[kind], lambda: 1.0, lambda: 2.0)


def old_form(J, pred):
    return J.lax.cond(pred, 1.0, lambda x: x + 1.0, 2.0, lambda x: x * 10.0)


def operand_keyword(J, x):
    return J.lax.cond(True, lambda x: (x, 1.0), lambda x: (x, 2.0), operand=x)


def operand_twice(J):
    return J.lax.cond(True, lambda x: x, lambda x: x, 1.0, operand=2.0)


def keywords(J):
    return J.lax.cond(pred=False, true_fun=lambda: 1.0, false_fun=lambda: 2.0)


def not_functions(J):
    return J.lax.cond(True, 1, 2, 3)


def bad_operand(J):
    return J.lax.cond(np.bool_(True), lambda x: x, lambda x: x, "text")


def bad_result(J):
    return J.lax.cond(True, lambda: "text", lambda: "other")


def wrong_arity(J):
    return J.lax.cond(True, lambda x: x, lambda x: x, 1.0, 2.0)


DIFFERING = {
    "dtype": (lambda: np.int32(1), lambda: np.float32(2)),
    "shape": (lambda: np.ones(2, F32), lambda: np.ones(3, F32)),
    "container": (lambda: (1.0, 2.0), lambda: [1.0, 2.0]),
    "leaf and None": (lambda: {"a": 1.0}, lambda: {"a": None}),
    "lengths": (lambda: (1.0,), lambda: (1.0, 2.0)),
    "keys": (lambda: {"a": 1.0}, lambda: {"b": 1.0}),
    "no promotion": (lambda: 1, lambda: 2.0),
}


def differing_branches(J, kind):
    true_fun, false_fun = DIFFERING[kind]
    return J.lax.cond(True, true_fun, false_fun)


def weak_results(J, pred, strong_first):
    strong, weak = (lambda: np.float32(1.0)), (lambda: 2.0)
    pair = (strong, weak) if strong_first else (weak, strong)
    return J.lax.cond(pred, *pair)


def printed_passthrough(J, x, y):
    def f(p, x, y):
        return J.lax.cond(p, lambda x, y: (x, y * 2.0), lambda x, y: (x, y), x, y)

    return text(J, f, True, x, y)


def passthrough_values(J):
    return J.lax.cond(
        True, lambda x, y: (x, y), lambda x, y: (x, y), 1.0, np.ones(2, F32)
    )


def branch_that_raises(J):
    def raising(x):
        raise KeyError("not taken")

    return J.lax.cond(True, lambda x: x, raising, 1.0)


def printed_closures(J, x):
    table = np.arange(3.0, dtype=F32)

    def f(p, x):
        both = lambda v: v * table + x  # noqa: E731
        return J.lax.cond(p, both, lambda v: v - table * table, x)

    return text(J, f, True, x)


def switch_values(J, index, count):
    branches = [lambda x, i=i: x + float(i) for i in range(count)]
    return J.lax.switch(index, branches, np.float32(10.0))


def printed_switch(J, index):
    branches = [lambda x: x * 2.0, lambda x: -x, lambda x: x + 1.0]
    return text(J, lambda i, x: J.lax.switch(i, branches, x), index, 1.0)


def bad_switch(J, kind):
    index, branches = {
        "bool": (True, [lambda: 1.0, lambda: 2.0]),
        "float": (1.0, [lambda: 1.0, lambda: 2.0]),
        "vector": (np.array([1, 2]), [lambda: 1.0, lambda: 2.0]),
        "empty": (1, []),
        "generator": (1, (f for f in [lambda: 1.0, lambda: 2.0])),
        "no sequence": (1, 3),
        "no function": (1, [lambda: 1.0, 2.0]),
    }[kind]
    return J.lax.switch(index, branches)


def differing_switch(J):
    return J.lax.switch(1, [lambda: 1.0, lambda: 2.0, lambda: (1.0, 2)])


def grad_of_cond(J, x):
    return J.grad(lambda x: J.lax.cond(x > 0, J.lax.sin, lambda y: 7.0 * y, x))(x)


def printed_grad_of_cond(J, x):
    f = J.grad(lambda x: J.lax.cond(x > 0, J.lax.sin, lambda y: y * y, x))
    return text(J, f, x).replace("MemorySpace.Device", "Space.Device").count("cond[")


def grad_near_nan(J):
    return J.grad(lambda x: J.lax.cond(x > 0, J.lax.sqrt, lambda y: 0.0 * y, x))(-1.0)


def mapped_grad_near_nan(J):
    f = J.grad(lambda x: J.lax.cond(x > 0, J.lax.sqrt, lambda y: 0.0 * y, x))
    return J.vmap(f)(np.array([-1.0, 0.0, 4.0], F32))


def printed_constant_branch_jvp(J, x):
    def f(x):
        return J.lax.cond(True, lambda x: (x, 1.0), lambda x: (2 * x, x), x)

    return text(J, lambda x, t: J.jvp(f, (x,), (t,)), x, x)


def grad_with_different_residuals(J, x, y, pred):
    def f(x, y):
        def one(x, y):
            return J.lax.reduce_sum(J.lax.sin(x), (0,))

        return J.lax.cond(pred, one, lambda x, y: J.lax.sin(J.lax.sin(y)), x, y)

    return J.value_and_grad(f, (0, 1))(x, y)


def transposed(J, index, x):
    def f(x):
        branches = [lambda x: 2.0 * x, lambda x: x, lambda x: -3.0 * x]
        return J.lax.switch(index, branches, x)

    return J.linear_transpose(f, x)(x)


def mapped_conds(J, in_axes, pred, x):
    def f(p, x):
        return J.lax.cond(p, lambda x: (x * 2.0, 1.0), lambda x: (J.lax.sin(x), 3.0), x)

    return J.vmap(f, in_axes)(pred, x)


def printed_mapped_conds(J, in_axes, pred, x):
    def f(p, x):
        return J.lax.cond(p, J.lax.sin, lambda x: x * x, x)

    return text(J, J.vmap(f, in_axes), pred, x)


def all_orders(J, x):
    """Every order of derivative, map and compilation gives one value."""

    def f(x):
        return J.lax.cond(
            x > 0.5, lambda x: J.lax.sin(x) * x, lambda x: J.lax.exp(x), x
        )

    return [
        J.vmap(J.grad(f))(x),
        J.vmap(J.grad(J.grad(f)))(x),
        J.jit(J.vmap(J.grad(J.jit(f))))(x),
        J.vmap(J.jit(J.grad(J.grad(J.jit(f)))))(x),
        J.grad(lambda x: J.lax.reduce_sum(J.vmap(f)(x), (0,)))(x),
        J.jvp(J.vmap(J.grad(f)), (x,), (x,)),
        J.vmap(J.hessian(f))(x),
        J.jit(J.grad(lambda x: J.jvp(f, (x,), (1.0,))[1]))(x[0]),
        J.linearize(J.vmap(f), x)[1](x),
        J.vmap(J.vmap(f))(x[None]),
    ]


def without_compilation(J, pred):
    with J.disable_jit():
        return J.lax.cond(pred, lambda x: x, lambda x: (x, x), 1.0), J.lax.switch(
            7, [lambda x: x, lambda x: (x, 1)], 2.0
        )


def platform_values(J, x):
    return J.lax.platform_dependent(x, cpu=lambda x: x + 1.0, default=lambda x: x - 1.0)


def printed_platforms(J, x):
    same = lambda x: x - 1.0  # noqa: E731

    def f(x):
        return J.lax.platform_dependent(
            x, cpu=lambda x: x + 1.0, cuda=same, tpu=same, default=same
        )

    return text(J, f, x)


def compiled_platforms(J, x):
    def f(x):
        return J.lax.platform_dependent(
            x, tpu=lambda x: -x, cpu=lambda x: x + 1.0, default=lambda x: x
        )

    return J.jit(f)(x), J.jit(J.vmap(J.grad(f)))(np.ones(2, F32))


def bad_platform(J, kind):
    if kind == "gpu":
        return J.lax.platform_dependent(1.0, gpu=lambda x: x)
    if kind == "function":
        return J.lax.platform_dependent(1.0, cpu=3)
    return J.jit(lambda x: J.lax.platform_dependent(x, cuda=J.lax.sin))(1.0)


def nested_printed(J, x):
    def f(p, q, x):
        inner = lambda x: J.lax.cond(q, J.lax.sin, J.lax.cos, x)  # noqa: E731
        return J.lax.cond(p, inner, lambda x: x, x)

    return text(J, f, True, False, x)


# --- checks ---------------------------------------------------------------------------


@pytest.mark.parametrize("pred", [True, False, np.bool_(True), np.array(False)])
def test_check_1_the_false_branch_prints_first(pred):
    assert (
        "convert_element_type"
        in run_here(printed_one_of_two, pred, F32(3)).facts["value"]
    )
    compare(printed_one_of_two, pred, F32(3))
    compare(one_of_two, pred, F32(3))


@pytest.mark.parametrize(
    "pred", [0.0, -0.0, 2.5, float("nan"), 0, 3, -1, np.uint8(0), np.float16(1)]
)
def test_check_2_a_number_holds_if_it_is_not_zero(pred):
    compare(one_of_two, pred, F32(3))
    compare(printed_one_of_two, pred, F32(3))


@pytest.mark.parametrize(
    "kind", ["none", "list", "string", "vector", "complex", "object"]
)
def test_check_3_other_predicates_are_refused(kind):
    compare(bad_predicate, kind, raises=True)


def test_check_4_operand_keyword_and_the_old_form():
    compare(old_form, True)
    compare(old_form, False)
    compare(operand_keyword, 5.0)
    compare(operand_keyword, None)
    compare(operand_twice, raises=True)
    compare(keywords)
    compare(not_functions, raises=True)
    compare(bad_operand, raises=True)
    compare(bad_result, raises=True)
    compare(wrong_arity, raises=True)


@pytest.mark.parametrize("kind", DIFFERING)
def test_check_5_6_7_results_must_agree(kind):
    compare(differing_branches, kind, raises=True)


def test_check_5_6_every_difference_is_told():
    import minijax as mj

    def one():
        return {"a": 1, "b": 2.0, "c": np.ones(3, F32)}

    def other():
        return {"a": 1.0, "b": 2.0, "c": np.ones(2, F32)}

    with pytest.raises(TypeError) as caught:
        mj.lax.cond(True, one, other)
    message = str(caught.value)
    for fact in ("['a']", "int32[]", "float32[]", "['c']", "float32[3]", "float32[2]"):
        assert fact in message
    assert "['b']" not in message
    assert "one at" in message and "other at" in message
    with pytest.raises(TypeError) as caught:
        mj.lax.cond(True, lambda: (1.0, (2.0, None)), lambda: (1.0, (2.0, 3.0)))
    assert "[1][1]" in str(caught.value) and "None" in str(caught.value)


@pytest.mark.parametrize("pred", [True, False])
@pytest.mark.parametrize("strong_first", [True, False])
def test_check_7_the_weak_type_is_that_of_the_false_branch(pred, strong_first):
    compare(weak_results, pred, strong_first)


def test_check_8_a_result_that_is_an_operand_costs_nothing():
    compare(printed_passthrough, F32(1), F32(2))
    compare(passthrough_values)


def test_check_9_a_branch_raises_where_it_is_traced():
    compare(branch_that_raises, raises=True)


def test_check_10_79_a_function_is_traced_once():
    import minijax as mj

    calls = []

    def yes(x):
        calls.append("yes")
        return x + 1.0

    def no(x):
        calls.append("no")
        return x

    for _ in range(3):
        mj.lax.cond(True, yes, no, 1.0)
        mj.lax.cond(False, yes, no, 2.0)
    assert sorted(calls) == ["no", "yes"]
    mj.lax.cond(False, yes, no, np.ones(3, F32))
    assert sorted(calls) == ["no", "no", "yes", "yes"]


def test_what_is_kept_goes_with_the_function():
    import minijax as mj

    def yes(x):
        return x + 1.0

    def no(x):
        return x * 2.0

    mj.lax.cond(True, yes, no, 1.0)
    mj.grad(lambda x: mj.lax.cond(True, yes, no, x))(1.0)
    gone, yes, no = weakref.ref(yes), None, None
    gc.collect()
    assert gone() is None


def test_check_11_81_what_branches_close_over_is_one_operand():
    compare(printed_closures, np.ones(3, F32))


def test_check_12_a_single_branch_is_called_as_it_is():
    import minijax as mj

    assert mj.lax.switch(5, [lambda word: word * 2], "ab") == "abab"


@pytest.mark.parametrize(
    "index", [-5, 0, 1, 2, 99, np.uint8(1), np.int8(-3), np.uint32(2**32 - 1)]
)
def test_check_13_14_an_index_out_of_range_means_the_nearest(index):
    compare(switch_values, index, 3)
    compare(switch_values, index, 2)
    compare(printed_switch, index)


@pytest.mark.parametrize(
    "kind",
    ["bool", "float", "vector", "empty", "generator", "no sequence", "no function"],
)
def test_check_13_87_other_switches_are_refused(kind):
    compare(bad_switch, kind, raises=True)


def test_switch_compares_with_its_first_branch():
    import minijax as mj

    compare(differing_switch, raises=True)
    with pytest.raises(TypeError, match="branch 0") as caught:
        mj.lax.switch(1, [lambda: 1.0, lambda: 2.0, lambda: (1.0, 2)])
    assert "branch 2" in str(caught.value)


@pytest.mark.parametrize("x", [2.0, -2.0])
def test_check_15_the_derivative_of_the_branch_taken(x):
    compare(grad_of_cond, x)
    assert run_here(printed_grad_of_cond, x).facts["value"] == 2


def test_check_16_a_nan_of_the_other_branch_stays_there():
    compare(grad_near_nan)
    values = unpacked(compare(mapped_grad_near_nan).array)
    np.testing.assert_array_equal(values, [0.0, 0.0, 0.25])


def test_check_17_a_constant_branch_has_a_zero_tangent():
    compare(printed_constant_branch_jvp, F32(2))


@pytest.mark.parametrize("pred", [True, False])
def test_check_18_92_residuals_of_different_types(pred):
    x = np.arange(3.0, dtype=F32)
    compare(grad_with_different_residuals, x, F32(0.5), pred)


def test_check_18_92_residuals_share_places_by_type():
    import minijax as mj

    def f(x, y, p):
        one = lambda x, y: mj.lax.reduce_sum(mj.lax.sin(x), (0,))  # noqa: E731
        other = lambda x, y: mj.lax.sin(mj.lax.sin(y))  # noqa: E731
        return mj.lax.cond(p, one, other, x, y)

    shown = mj.make_jaxpr(mj.grad(f, (0, 1)))(np.ones(3, F32), F32(1), True)
    (first, second) = [e for e in shown.eqns if e.primitive.name == "cond"]
    kept = sorted(v.aval.str_short(short_dtypes=True) for v in first.outvars[1:])
    assert kept == ["f32[3]", "f32[]", "f32[]"]
    assert str(first.params["branches"][0]).count("empty2") == 1
    assert str(first.params["branches"][1]).count("empty2") == 2
    assert second.invars[0] is first.invars[0]


@pytest.mark.parametrize("index", [0, 1, 2])
def test_check_19_a_linear_cond_is_transposed(index):
    compare(transposed, index, np.ones(2, F32))


def test_check_20_dead_results_are_cut_out_of_all_branches():
    import minijax as mj
    from minijax.interpreters import partial_eval as pe

    def f(p, x, y):
        one = lambda x, y: (x + 1.0, y * 2.0)  # noqa: E731
        other = lambda x, y: (x - 1.0, y * 3.0)  # noqa: E731
        return mj.lax.cond(p, one, other, x, y)

    jaxpr = mj.make_jaxpr(f)(True, 1.0, 2.0)
    small, used = pe.dce_jaxpr(jaxpr, [False, True])
    assert used == [True, False, True]
    eqn = small.eqns[-1]
    assert [len(b.outvars) for b in eqn.params["branches"]] == [1, 1]
    assert [len(b.invars) for b in eqn.params["branches"]] == [1, 1]
    mj.core.check_jaxpr(small)
    none, _ = pe.dce_jaxpr(jaxpr, [False, False])
    assert not none.eqns
    same, _ = pe.dce_jaxpr(jaxpr, [True, True])
    assert same is jaxpr


def test_check_21_a_branch_per_platform():
    compare(platform_values, F32(1))
    compare(printed_platforms, F32(1))
    compare(compiled_platforms, F32(1))
    for kind in ("gpu", "function", "missing"):
        compare(bad_platform, kind, raises=True)


def test_check_22_a_module_for_several_platforms():
    import minijax as mj
    from minijax.lowering import lower_jaxpr_to_module

    def f(x):
        return mj.lax.platform_dependent(
            x, cpu=lambda x: x + 1.0, cuda=mj.lax.sin, default=lambda x: -x
        )

    jaxpr = mj.make_jaxpr(f)(F32(1))
    shown = lower_jaxpr_to_module(jaxpr, name="f", platform=("cpu", "cuda")).as_text()
    assert "platform_index" in shown and "stablehlo.case" in shown
    assert "stablehlo.sine" in shown and "stablehlo.add" in shown
    assert "stablehlo.negate" not in shown
    alone = lower_jaxpr_to_module(jaxpr, name="f", platform="cpu").as_text()
    assert "stablehlo.sine" not in alone and "stablehlo.case" not in alone


def test_check_25_lowered_to_a_case_that_captures():
    import minijax as mj

    def f(i, x):
        return mj.lax.switch(i, [lambda x: x * 2.0, lambda x: -x, mj.lax.sin], x)

    shown = mj.jit(f).lower(np.int32(1), F32(1)).as_text()
    assert shown.count('"stablehlo.case"') == 1
    assert "stablehlo.clamp" in shown
    assert "^bb0(" not in shown


def test_check_76_without_compilation_one_branch_is_called():
    import minijax as mj

    with mj.disable_jit():
        assert mj.lax.cond(True, lambda: "yes", lambda: 1 / 0) == "yes"
    compare(without_compilation, False)


def test_check_80_nested_conds_print_nested():
    compare(nested_printed, F32(1))


@pytest.mark.parametrize("in_axes", [(0, 0), (None, 0), (0, None), (None, 1), (0, 1)])
def test_mapped(in_axes):
    pred = True if in_axes[0] is None else np.array([True, False, True])
    x = np.arange(9.0, dtype=F32).reshape(3, 3)
    compare(mapped_conds, in_axes, pred, x)
    if in_axes[1] is not None:  # jax prints the type of an index there
        compare(printed_mapped_conds, in_axes, pred, x)


def test_check_88_a_known_predicate_keeps_both_branches_in_a_trace():
    compare(printed_literal_predicate, F32(1))


def test_all_orders_of_transformations():
    compare(all_orders, np.array([0.1, 0.4, 0.9], F32), rtol=1e-5, atol=1e-6)


def test_the_program_is_well_typed():
    import minijax as mj

    def f(x):
        return mj.lax.cond(
            x > 0.5, lambda x: mj.lax.sin(x) * x, lambda x: mj.lax.exp(x), x
        )

    for g in (f, mj.grad(f), mj.grad(mj.grad(f))):
        mj.core.check_jaxpr(mj.make_jaxpr(g)(F32(1)))
        mj.core.check_jaxpr(mj.make_jaxpr(mj.vmap(g))(np.ones(2, F32)))
