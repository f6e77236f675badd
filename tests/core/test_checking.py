"""Well-typed programs pass, each kind of mistake is found; leaks are named."""

import gc

import numpy as np
import pytest

from minijax.base import flags
from minijax.base.errors import JaxprTypeError, LeakedTracersError
from minijax.core import (
    Effect,
    Jaxpr,
    Literal,
    Primitive,
    ShapedArray,
    Var,
    check_jaxpr,
    checking_rules,
    find_leaks,
    stage,
)
from minijax.core.checking import check_call
from minijax.core.staging import StagingTrace
from tests.core.toys import (
    add,
    call,
    cos,
    f32,
    mul,
    random_jaxpr,
    sin,
    toy_jit_p,
    trace,
)

if toy_jit_p not in checking_rules:
    checking_rules.define(toy_jit_p, check_call("jaxpr"))


class _Noise(Effect):
    pass


noisy_p = Primitive("noisy")
noisy_p.def_abstract_eval(lambda x: x)
noisy_p.effects = lambda x: frozenset({_NOISE})
_NOISE = _Noise()


@pytest.mark.parametrize("seed", range(40))
def test_check_33_what_is_traced_is_well_typed(seed):
    check_jaxpr(random_jaxpr(seed))


def test_check_33_constants_effects_and_empty_programs_pass():
    c = np.ones(3, np.float32)
    check_jaxpr(trace(lambda x: add(x, c), f32(3)))
    check_jaxpr(trace(lambda: ()))
    check_jaxpr(trace(lambda x: noisy_p.bind(x), f32()))
    check_jaxpr(trace(lambda x: (x, 1.0, True, np.float32(2)), f32()))


def _copy(jaxpr, **fields):
    return jaxpr.replace(debug_info=jaxpr.debug_info, **fields)


def _good():
    return trace(lambda x, y: mul(sin(x), cos(y)), f32(2), f32(2))


def _refused(jaxpr):
    with pytest.raises(JaxprTypeError) as caught:
        check_jaxpr(jaxpr)
    return str(caught.value)


def test_check_33_equations_out_of_order():
    jaxpr = _good()
    text = _refused(_copy(jaxpr, eqns=[jaxpr.eqns[2], *jaxpr.eqns[:2]]))
    assert "read before it is bound" in text
    assert "Equation 0 of 3" in text
    assert __file__ in text


def test_check_33_a_result_that_is_never_bound():
    jaxpr = _good()
    text = _refused(_copy(jaxpr, outvars=[Var(f32(2))]))
    assert "output 0" in text and "read before it is bound" in text


def test_check_33_a_variable_bound_twice():
    jaxpr = _good()
    first, second, third = jaxpr.eqns
    again = second.replace(outvars=first.outvars)
    assert "is bound already" in _refused(_copy(jaxpr, eqns=[first, again, third]))
    assert "bound twice" in _refused(_copy(jaxpr, invars=[jaxpr.invars[0]] * 2))


@pytest.mark.parametrize(
    "aval", [f32(3), ShapedArray((2,), np.int32), f32(), f32(2, 1)]
)
def test_check_33_a_binder_of_another_type(aval):
    jaxpr = _good()
    wrong = jaxpr.eqns[2].replace(outvars=[Var(aval)])
    text = _refused(_copy(jaxpr, eqns=[*jaxpr.eqns[:2], wrong], outvars=wrong.outvars))
    assert f"bound with type {aval}" in text and "give float32[2]" in text


def test_check_33_weak_types_do_not_matter():
    jaxpr = _good()
    weak = Var(f32(2).update(weak_type=True))
    last = jaxpr.eqns[2].replace(outvars=[weak])
    check_jaxpr(_copy(jaxpr, eqns=[*jaxpr.eqns[:2], last], outvars=[weak]))


def test_check_33_a_wrong_number_of_results():
    jaxpr = _good()
    wrong = jaxpr.eqns[2].replace(outvars=[*jaxpr.eqns[2].outvars, Var(f32(2))])
    text = _refused(_copy(jaxpr, eqns=[*jaxpr.eqns[:2], wrong]))
    assert "2 results are bound, the primitive has 1" in text


def test_check_33_operands_a_primitive_does_not_take():
    jaxpr = trace(lambda x, y: add(x, y), f32(2), f32(2))
    other = Var(f32(3))
    eqn = jaxpr.eqns[0].replace(invars=[jaxpr.invars[0], other])
    text = _refused(_copy(jaxpr, invars=[jaxpr.invars[0], other], eqns=[eqn]))
    assert "add does not take operands (float32[2], float32[3])" in text


@pytest.mark.parametrize(
    "literal",
    [
        Literal(1.5, ShapedArray((), np.int32)),
        Literal(1.0, f32(2)),
        Literal(np.float32(1), ShapedArray((), np.float16)),
        Literal(1j, f32()),
        Literal(True, f32()),
    ],
)
def test_check_33_a_literal_of_another_type(literal):
    text = _refused(Jaxpr([], [], [literal], []))
    assert "is not of its type" in text


def test_check_33_effects():
    jaxpr = trace(noisy_p.bind, f32())
    silent = jaxpr.eqns[0].replace(effects=frozenset())
    assert "has effects" in _refused(_copy(jaxpr, eqns=[silent]))
    loud = trace(sin, f32()).eqns[0].replace(effects=frozenset({_NOISE}))
    quiet = trace(sin, f32())
    mixed = _copy(quiet, eqns=[loud.replace(invars=quiet.invars)], outvars=loud.outvars)
    assert "has effects" in _refused(mixed)
    assert "not one of the program's" in _refused(_copy(jaxpr, effects=frozenset()))


def test_check_33_programs_inside_are_checked():
    inner = _good()
    broken = _copy(inner, eqns=inner.eqns[1:])
    jaxpr = trace(lambda x, y: call("f", broken, x, y), f32(2), f32(2))
    assert "read before it is bound" in _refused(jaxpr)


def test_check_33_a_call_with_other_operands():
    inner = trace(lambda x: sin(x), f32(2))
    jaxpr = trace(lambda x: call("f", inner, x), f32(2))
    wide = Var(f32(3))
    eqn = jaxpr.eqns[0].replace(invars=[wide])
    text = _refused(_copy(jaxpr, invars=[wide], eqns=[eqn]))
    assert "number 0 of the operands has type float32[3]" in text
    eqn = jaxpr.eqns[0].replace(invars=[jaxpr.invars[0]] * 2)
    assert "2 operands for a program of 1" in _refused(_copy(jaxpr, eqns=[eqn]))


def test_the_report_shows_ten_equations_on_either_side():
    def program(x):
        for _ in range(40):
            x = sin(x)
        return x

    jaxpr = trace(program, f32())
    wrong = jaxpr.eqns[20].replace(primitive=noisy_p)
    eqns = [*jaxpr.eqns[:20], wrong, *jaxpr.eqns[21:]]
    text = _refused(_copy(jaxpr, eqns=eqns))
    window = text.split("Equations around it:")[1]
    assert window.count("= sin") == 20 and window.count("= noisy") == 1


def test_deep_nesting_is_checked():
    jaxpr = trace(sin, f32())
    for _ in range(2000):
        jaxpr = trace(lambda v, inner=jaxpr: call("f", inner, v), f32())
    check_jaxpr(jaxpr)


def test_check_33_always_on_with_enable_checks():
    fickle_p = Primitive("fickle", holds_programs=True)  # its answers are not kept
    answers = iter([f32(), f32(2)] * 2)
    fickle_p.def_abstract_eval(lambda x: next(answers))
    trace(fickle_p.bind, f32()), next(answers)
    with flags.enable_checks(True):
        trace(sin, f32())
        with pytest.raises(JaxprTypeError, match="fickle"):
            trace(fickle_p.bind, f32())


# --- leaks ---


def test_check_17_a_leak_is_found_and_named():
    kept = {}
    with (
        flags.check_tracer_leaks(True),
        pytest.raises(LeakedTracersError) as caught,
    ):
        stage(lambda x: [kept.setdefault("y", [sin(x)])[0]], [f32()])
    text = str(caught.value)
    assert "JitTracer(float32[])" in text
    assert "a list at index 0" in text
    assert "a dict under key 'y'" in text
    assert len(caught.value.leaks) == 1


def test_check_17_a_closure_is_named():
    def keeper():
        held = None

        def f(x):
            nonlocal held
            held = sin(x)
            return [x]

        return f

    with flags.check_tracer_leaks(True), pytest.raises(LeakedTracersError) as caught:
        stage(keeper(), [f32()])
    text = str(caught.value)
    assert "a variable of an enclosing function" in text
    assert "as 'held'" in text


def test_check_17_clean_functions_pass():
    def f(x):
        unused = [sin(x), {"k": cos(x)}]
        cycle = [unused]
        cycle.append(cycle)  # only the collector can free it
        return [x]

    with flags.check_tracer_leaks(True):
        jaxpr = stage(f, [f32()])
    assert len(jaxpr.eqns) == 2


def test_without_the_option_nothing_is_looked_for():
    kept = []
    stage(lambda x: [kept.append(x), x][1:], [f32()])
    assert len(kept) == 1


def test_find_leaks_sees_one_trace_only():
    one, other = StagingTrace(), StagingTrace()
    tracer = one.new_input(f32())
    (text,) = find_leaks(one)
    assert "the local variable 'tracer' of test_find_leaks" in text
    assert find_leaks(other) == []
    del tracer
    gc.collect()
    assert find_leaks(one) == []
