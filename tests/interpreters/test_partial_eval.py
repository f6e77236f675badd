"""Dead code, known and unknown, policies: toy programs, against running the whole."""

import gc
import itertools
import random
import time
import weakref

import numpy as np
import pytest

from minijax.core import (
    DebugInfo,
    Effect,
    Primitive,
    check_jaxpr,
    eval_jaxpr,
    linear_util,
    removable,
    stage,
)
from minijax.interpreters import partial_eval as pe
from tests.core.toys import (
    add,
    call,
    cos,
    exp,
    f32,
    mul,
    neg,
    random_jaxpr,
    sin,
    tanh,
    trace,
)
from tests.interpreters import programs, toy_rules  # noqa: F401  (enters rules)


class _Print(Effect):
    pass


print_p = Primitive("print", multiple_results=True)
print_p.def_abstract_eval(lambda x: [])
print_p.effects = lambda x: frozenset({_Print()})
_printed: list[float] = []


@print_p.def_impl
def _print(x):
    _printed.append(float(x))
    return []


def run(jaxpr, *args):
    return eval_jaxpr(jaxpr, jaxpr.consts, *args)


def same(found, expected):
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(np.asarray(one), np.asarray(other))


# --- dead code ---

_TWO = trace(lambda x, y: (sin(x), mul(tanh(x), y)), f32(), f32())


def test_check_34_an_unused_result_takes_what_only_it_needs():
    smaller, used = pe.dce_jaxpr(_TWO, [True, False])
    assert str(smaller) == "{ lambda ; a:f32[]. let b:f32[] = sin a in (b,) }"
    assert used == [True, False]


def test_check_34_the_same_object_if_nothing_changes():
    smaller, used = pe.dce_jaxpr(_TWO, [True, True])
    assert smaller is _TWO
    assert used == [True, True]


def test_check_34_instantiate_keeps_inputs():
    smaller, used = pe.dce_jaxpr(_TWO, [True, False], instantiate=True)
    assert used == [True, True]
    assert len(smaller.invars) == 2
    assert len(smaller.eqns) == 1
    _, used = pe.dce_jaxpr(_TWO, [False, False], instantiate=[False, True])
    assert used == [False, True]


def test_check_100_nothing_used_is_an_empty_program():
    smaller, used = pe.dce_jaxpr(_TWO, False)
    assert str(smaller) == "{ lambda ; . let  in () }"
    assert used == [False, False]


def test_check_34_idempotent():
    smaller, _ = pe.dce_jaxpr(_TWO, [False, True])
    again, used = pe.dce_jaxpr(smaller, [True])
    assert again is smaller
    assert used == [True, True]


def test_check_34_an_effect_keeps_its_equation_and_inputs():
    def program(x, y):
        print_p.bind(mul(y, 2.0))
        return sin(x)

    jaxpr = trace(program, f32(), f32())
    smaller, used = pe.dce_jaxpr(jaxpr, [False])
    assert [eqn.primitive.name for eqn in smaller.eqns] == ["mul", "print"]
    assert used == [False, True]
    assert len(smaller.effects) == 1 and not removable(smaller.effects)


def test_check_100_a_called_program_is_cut_too():
    inner = trace(lambda a, b: (sin(a), mul(cos(a), b), b), f32(), f32())
    jaxpr = trace(lambda x, y: call("inner", inner, x, y), f32(), f32())
    smaller, used = pe.dce_jaxpr(jaxpr, [True, False, False])
    assert used == [True, False]
    (eqn,) = smaller.eqns
    assert len(eqn.invars) == len(eqn.outvars) == 1
    assert [one.primitive.name for one in eqn.params["jaxpr"].eqns] == ["sin"]
    check_jaxpr(smaller)


def test_a_call_whose_program_does_nothing_goes():
    inner = trace(lambda a: sin(a), f32())
    jaxpr = trace(lambda x: (call("inner", inner, x)[0], x)[1], f32())
    smaller, _ = pe.dce_jaxpr(jaxpr, True)
    assert smaller.eqns == []


def test_constants_stay_unless_asked_for():
    c, d = np.ones(3, np.float32), np.zeros(3, np.float32)
    jaxpr = trace(lambda x, y: (add(x, c), add(y, d)), f32(3), f32(3))
    smaller, used = pe.dce_jaxpr(jaxpr, [False, True])
    assert len(smaller.consts) == 2 and used == [False, True]
    smaller, used_consts, used = pe.dce_jaxpr_consts(jaxpr, [False, True])
    assert used_consts == used == [False, True]
    assert len(smaller.consts) == 1 and smaller.consts[0] is d
    same(run(smaller, np.float32(2) * c), [2 * c])


def test_names_follow():
    info = DebugInfo("jit", "f", ("x", "y"), ("result[0]", "result[1]"))
    jaxpr = stage(lambda x, y: [sin(x), cos(y)], [f32(), f32()], debug_info=info)
    smaller, _ = pe.dce_jaxpr(jaxpr, [False, True])
    assert smaller.debug_info.arg_names == ("y",)
    assert smaller.debug_info.result_paths == ("result[1]",)


@pytest.mark.parametrize("seed", range(30))
def test_what_remains_computes_the_same(seed):
    jaxpr = random_jaxpr(seed)
    args = [np.float32(x) for x in (0.3, -0.7, 1.1)]
    expected = run(jaxpr, *args)
    for flags in itertools.product([False, True], repeat=4):
        smaller, used = pe.dce_jaxpr(jaxpr, flags)
        check_jaxpr(smaller)
        found = run(smaller, *[x for x, u in zip(args, used, strict=True) if u])
        same(found, [x for x, f in zip(expected, flags, strict=True) if f])
        assert pe.dce_jaxpr(smaller, True)[0] is smaller


def test_the_answer_is_kept_while_the_program_lives():
    jaxpr = trace(lambda x: (sin(x), cos(x)), f32())
    first, _ = pe.dce_jaxpr(jaxpr, [True, False])
    assert pe.dce_jaxpr(jaxpr, [True, False])[0] is first
    gone = weakref.ref(first)
    del jaxpr, first
    gc.collect()
    assert gone() is None


def test_wrong_number_of_flags():
    with pytest.raises(ValueError, match="2 flags are needed, 1 were given"):
        pe.dce_jaxpr(_TWO, [True])


# --- known and unknown ---


def test_check_35_the_example():
    def f(x, y):
        s = sin(x)
        c = cos(s)
        return add(mul(s, y), c), c, exp(3.0)

    jaxpr = trace(f, f32(), f32())
    known, unknown, outs, avals = pe.split_jaxpr(jaxpr, [False, True], False)
    assert str(known) == (
        "{ lambda ; a:f32[]. let\n"
        "    b:f32[] = sin a\n"
        "    c:f32[] = cos b\n"
        "    d:f32[] = exp 3.0:f32[]\n"
        "  in (c, d, b, c) }"
    )
    assert str(unknown) == (
        "{ lambda ; a:f32[] b:f32[] c:f32[]. let\n"
        "    d:f32[] = mul a c\n"
        "    e:f32[] = add d b\n"
        "  in (e,) }"
    )
    assert outs == [True, False, False]
    assert avals == [f32(), f32()]


_THREE = trace(lambda a, b: (exp(a), add(mul(t := tanh(a), b), t), t), f32(), f32())


@pytest.mark.parametrize(
    "instantiate, known_outs, unknown_outs, flags",
    [
        (False, 3, 1, [False, True, False]),
        ([True, False, False], 3, 2, [True, True, False]),
        (True, 2, 3, [True, True, True]),
    ],
)
def test_check_100_instantiate(instantiate, known_outs, unknown_outs, flags):
    known, unknown, outs, _ = pe.split_jaxpr(_THREE, [False, True], instantiate)
    assert (len(known.outvars), len(unknown.outvars)) == (known_outs, unknown_outs)
    assert outs == flags


def _recombine(jaxpr, args, unknowns, instantiate):
    known, unknown, outs, avals = pe.split_jaxpr(jaxpr, unknowns, instantiate)
    for half in (known, unknown):
        check_jaxpr(half)
    assert [var.aval for var in unknown.invars][: len(avals)] == avals
    first = [x for x, late in zip(args, unknowns, strict=True) if not late]
    second = [x for x, late in zip(args, unknowns, strict=True) if late]
    results = run(known, *first)
    split_at = len(results) - len(avals)
    early = iter(results[:split_at])
    late = iter(run(unknown, *results[split_at:], *second))
    return [next(late) if is_late else next(early) for is_late in outs]


@pytest.mark.parametrize("seed", range(30))
def test_check_35_recombined_the_halves_give_the_whole(seed):
    jaxpr = random_jaxpr(seed)
    args = [np.float32(x) for x in (0.3, -0.7, 1.1)]
    expected = run(jaxpr, *args)
    draw = random.Random(seed)
    for unknowns in itertools.product([False, True], repeat=3):
        instantiate = [draw.random() < 0.3 for _ in range(4)]
        same(_recombine(jaxpr, args, unknowns, instantiate), expected)
        same(_recombine(jaxpr, args, unknowns, True), expected)


def test_constants_are_residuals():
    c = np.arange(3, dtype=np.float32)
    jaxpr = trace(lambda x, y: (mul(sin(c), x), mul(c, y)), f32(3), f32(3))
    known, unknown, outs, _ = pe.split_jaxpr(jaxpr, [False, True])
    assert str(known) == (
        "{ lambda a:f32[3]; b:f32[3]. let\n"
        "    c:f32[3] = sin a\n"
        "    d:f32[3] = mul c b\n"
        "  in (d, a) }"
    )
    assert str(unknown) == (
        "{ lambda ; a:f32[3] b:f32[3]. let c:f32[3] = mul a b in (c,) }"
    )
    assert outs == [False, True]


def test_a_call_is_split_and_forwards_its_operands():
    inner = trace(lambda x, y: (sin(x), mul(x, y)), f32(), f32())
    jaxpr = trace(lambda x, y: call("inner", inner, x, y), f32(), f32())
    known, unknown, outs, avals = pe.split_jaxpr(jaxpr, [False, True])
    assert outs == [False, True]
    (first,), (second,) = known.eqns, unknown.eqns
    assert len(first.outvars) == 1  # x itself is the residual, returned once
    assert known.outvars[1] is known.invars[0]
    assert [eqn.primitive.name for eqn in second.params["jaxpr"].eqns] == ["mul"]
    assert avals == [f32()]


def test_effects_run_on_the_side_of_their_operands():
    def program(x, y):
        print_p.bind(x)
        print_p.bind(y)
        return mul(x, y)

    known, unknown, _, _ = pe.split_jaxpr(trace(program, f32(), f32()), [False, True])
    assert [eqn.primitive.name for eqn in known.eqns] == ["print"]
    assert [eqn.primitive.name for eqn in unknown.eqns] == ["print", "mul"]
    assert known.effects and unknown.effects


# --- policies ---


def _save(*names):
    return lambda primitive, *avals, **params: primitive.name in names


def test_check_100_policy_saves_exp():
    jaxpr = trace(lambda a, b: (exp(a), mul(t := tanh(a), b), t), f32(), f32())
    split = pe.partial_eval_jaxpr_custom(
        jaxpr, [False, True], True, False, False, _save("exp")
    )
    assert split.num_res == 0
    assert split.out_unknowns == [False, True, False]
    assert split.out_inst == [False, True, True]
    assert [eqn.primitive.name for eqn in split.staged.eqns] == ["tanh", "mul"]


def test_check_100_policy_saves_nothing():
    split = pe.partial_eval_jaxpr_custom(
        _THREE, [False, True], [False, True], False, False, _save()
    )
    assert split.num_res == 1
    assert split.known.outvars[-1] is split.known.invars[0]
    names = [eqn.primitive.name for eqn in split.staged.eqns]
    assert names == ["exp", "tanh", "mul", "add"]


def test_policy_saves_all():
    split = pe.partial_eval_jaxpr_custom(
        _THREE, [False, True], [False, True], False, False, lambda *a, **k: True
    )
    assert [eqn.primitive.name for eqn in split.staged.eqns] == ["mul", "add"]
    assert split.num_res == 1


@pytest.mark.parametrize("answer", [3, None, "x", pe.Offloadable])
def test_check_91_a_policy_with_another_answer(answer):
    with pytest.raises(TypeError, match="policy"):
        pe.partial_eval_jaxpr_custom(
            _THREE, [False, True], True, False, False, lambda *a, **k: answer
        )


@pytest.mark.parametrize("seed", range(20))
def test_policies_change_no_values(seed):
    jaxpr = random_jaxpr(seed)
    args = [np.float32(x) for x in (0.3, -0.7, 1.1)]
    expected = run(jaxpr, *args)
    draw = random.Random(seed)
    for unknowns in itertools.product([False, True], repeat=3):
        inst = [u or draw.random() < 0.5 for u in unknowns]
        policy = _save(*draw.sample(["sin", "cos", "neg", "tanh", "add", "mul"], 3))
        ensure = [draw.random() < 0.3 for _ in range(4)]
        split = pe.partial_eval_jaxpr_custom(
            jaxpr, unknowns, inst, ensure, draw.random() < 0.5, policy
        )
        check_jaxpr(split.known)
        check_jaxpr(split.staged)
        first = run(
            split.known,
            *[x for x, late in zip(args, unknowns, strict=True) if not late],
        )
        split_at = len(first) - split.num_res
        given = [x for x, is_given in zip(args, inst, strict=True) if is_given]
        second = iter(run(split.staged, *first[split_at:], *given))
        early = iter(first[:split_at])
        for value, late, is_inst in zip(
            expected, split.out_unknowns, split.out_inst, strict=True
        ):
            assert is_inst or not late
            if not late:
                same([next(early)], [value])
            if is_inst:
                same([next(second)], [value])


def test_effects_are_not_run_twice():
    def program(x, y):
        print_p.bind(x)
        return mul(sin(x), y)

    split = pe.partial_eval_jaxpr_custom(
        trace(program, f32(), f32()), [False, True], True, False, False, _save()
    )
    assert [eqn.primitive.name for eqn in split.known.eqns] == ["print", "sin"]
    assert [eqn.primitive.name for eqn in split.staged.eqns] == ["sin", "mul"]


def test_offloading_moves_away_and_back(monkeypatch):
    move_p = Primitive("move")
    move_p.def_abstract_eval(lambda x, *, to: x)
    move_p.def_impl(lambda x, *, to: x)

    def move(var, memory):
        def moved(x):
            return move_p.bind(x, to=memory)

        (eqn,) = trace(moved, var.aval).eqns
        return eqn.replace(invars=[var])

    monkeypatch.setitem(pe.movers, "move", move)
    jaxpr = trace(lambda x, y: mul(sin(x), y), f32(), f32())
    split = pe.partial_eval_jaxpr_custom(
        jaxpr,
        [False, True],
        [False, True],
        False,
        False,
        lambda *a, **k: pe.Offloadable(src="device", dst="host"),
    )
    shown = [(eqn.primitive.name, eqn.params) for eqn in split.known.eqns]
    assert shown == [("sin", {}), ("move", {"to": "host"})]
    assert [eqn.primitive.name for eqn in split.staged.eqns] == ["move", "mul"]
    assert split.staged.eqns[0].params == {"to": "device"}
    check_jaxpr(split.staged)


# --- cost ---


def test_linear_time():
    def chain(length):
        def program(x, y):
            for _ in range(length):
                x, y = sin(x), mul(y, x)
            return x, y

        return trace(program, f32(), f32())

    def seconds(length):
        jaxpr = chain(length)
        start = time.perf_counter()
        pe.dce_jaxpr(jaxpr, [True, False])
        known, unknown, _, _ = pe.split_jaxpr(jaxpr, [False, True])
        assert len(known.eqns) == len(unknown.eqns) == length
        return time.perf_counter() - start

    seconds(100)
    assert seconds(20_000) < 40 * max(seconds(2_000), 0.005)


# --- while Python runs ---


def _partial(fun, values, instantiate=False):
    return pe.partial_eval_fun(fun, values, instantiate, debug_info=DebugInfo())


def test_partial_val():
    known, unknown = pe.PartialVal.known(3.0), pe.PartialVal.unknown(f32())
    assert known.is_known() and not unknown.is_known()
    assert known.get_known() == 3.0 and unknown.get_known() is None
    assert str(known.get_aval()) == "~float32[]" and unknown.get_aval() is f32()


_MIXED = [
    pe.PartialVal.known(np.full(3, 0.5, np.float32)),
    pe.PartialVal.unknown(f32(3)),
]
_C = np.arange(3, dtype=np.float32)


def _mixed(x, y):
    s = sin(x)
    cos(y)  # nobody reads it
    return [s, mul(s, y), add(y, _C), 3.0, x]


def test_check_35_known_values_are_computed_and_the_rest_recorded():
    jaxpr, results, residuals = _partial(_mixed, _MIXED)
    assert str(jaxpr) == (
        "{ lambda ; a:f32[3] b:f32[3] c:f32[3]. let\n"
        "    d:f32[3] = mul a c\n"
        "    e:f32[3] = add c b\n"
        "  in (d, e) }"
    )
    assert [value.is_known() for value in results] == [True, False, False, True, True]
    assert results[3].const == 3.0
    np.testing.assert_array_equal(residuals[0], np.sin(np.full(3, 0.5, np.float32)))
    assert residuals[1] is _C
    same(run(jaxpr, *residuals, _C), [residuals[0] * _C, _C + _C])


def test_check_35_instantiate_while_tracing():
    jaxpr, results, residuals = _partial(_mixed, _MIXED, instantiate=True)
    assert not any(value.is_known() for value in results)
    assert len(jaxpr.outvars) == 5 and len(residuals) == 3
    jaxpr, results, _ = _partial(_mixed, _MIXED, [True, *[False] * 4])
    assert [v.is_known() for v in results] == [False, False, False, True, True]


def test_python_may_look_at_known_values():
    def fun(x, y):
        return [neg(y) if float(x) > 0 else y]

    known, unknown = pe.PartialVal.known(np.float32(1)), pe.PartialVal.unknown(f32())
    jaxpr, _, _ = _partial(fun, [known, unknown])
    assert [eqn.primitive.name for eqn in jaxpr.eqns] == ["neg"]
    with pytest.raises(TypeError):
        _partial(lambda x, y: [float(y)], [known, unknown])


def test_a_call_is_cut_while_tracing():
    inner = trace(lambda x, y: (sin(x), mul(cos(x), y)), f32(3), f32(3))
    jaxpr, results, residuals = _partial(
        lambda x, y: call("inner", inner, x, y), _MIXED
    )
    x = _MIXED[0].const
    assert [value.is_known() for value in results] == [True, False]
    same([results[0].const, *residuals], [np.sin(x), np.cos(x)])
    (eqn,) = jaxpr.eqns
    assert [one.primitive.name for one in eqn.params["jaxpr"].eqns] == ["mul"]
    check_jaxpr(jaxpr)


# --- under jax's names ---


def test_wrapped_functions():
    fun = linear_util.wrap_init(_mixed, debug_info=DebugInfo("t", "f"))
    jaxpr, results, residuals = pe.trace_to_jaxpr_nounits(fun, _MIXED, False)
    assert len(jaxpr.eqns) == 2 and len(results) == 5 and len(residuals) == 2
    jaxpr, avals, consts = pe.trace_to_jaxpr_dynamic(fun, [f32(3), f32(3)])
    assert len(jaxpr.invars) == 3 and consts == [_C]
    assert [str(aval) for aval in avals] == [
        *["float32[3]"] * 3,
        "~float32[]",
        "float32[3]",
    ]
    out = pe.abstract_eval_fun(_mixed, f32(3), f32(3), debug_info=DebugInfo())
    assert out == avals


def test_rearranging():
    jaxpr = trace(lambda x, y: (add(x, _C), y), f32(3), f32(3))
    opened = pe.convert_constvars_jaxpr(jaxpr)
    assert (len(opened.invars), opened.consts) == (3, ())
    assert pe.close_jaxpr(opened) is opened
    x, y = jaxpr.invars
    assert pe.move_binders_to_back(jaxpr, [True, False]).invars == [y, x]
    pruned = pe.prune_closed_jaxpr_outputs(jaxpr, [False, True])
    assert pruned.outvars == [y] and len(pruned.eqns) == 1


def test_jaxs_names_are_views_of_the_same_tables():
    assert pe.partial_eval_jaxpr_custom_rules is pe.policy_rules
    halves = pe.partial_eval_jaxpr_nounits(_THREE, [False, True], False)
    assert halves[0] is pe.split_jaxpr(_THREE, [False, True], False)[0]


# --- beside jax ---


@pytest.mark.parametrize("instantiate", [False, True, "every other"])
@pytest.mark.parametrize("unknowns", [[False, True], [True, False]])
@pytest.mark.parametrize("name", programs.NAMES)
def test_check_35_as_jax_splits(oracle, name, unknowns, instantiate):
    oracle.compare(programs.split, name, unknowns, instantiate)


@pytest.mark.parametrize("instantiate", [False, True])
@pytest.mark.parametrize("seed", range(25))
def test_check_35_as_jax_splits_at_random(oracle, seed, instantiate):
    unknowns = [[True, False, True], [False, True, False]][seed % 2]
    oracle.compare(programs.split, seed, unknowns, instantiate)


@pytest.mark.parametrize("seed", range(10))
def test_check_34_as_jax_eliminates_at_random(oracle, seed):
    oracle.compare(programs.dce, seed, seed, False)


@pytest.mark.parametrize("instantiate", [False, True])
@pytest.mark.parametrize("kept", range(4))
@pytest.mark.parametrize("name", programs.NAMES)
def test_check_34_as_jax_eliminates(oracle, name, kept, instantiate):
    oracle.compare(programs.dce, name, kept, instantiate)


@pytest.mark.parametrize(
    "instantiate", [False, True, [True, False, False, True, False]]
)
def test_check_35_as_jax_traces_partially(oracle, instantiate):
    oracle.compare(programs.traced_partially, instantiate)
