"""Forward mode, from primitives (spec/ad.md §§1.16, 2.2)."""

import numpy as np
import pytest

import minijax as mj
from minijax import lax
from minijax.core import EVAL, Primitive, current, typeof, use_trace
from minijax.interpreters import ad


def under(trace, fun, *pairs):
    """Run `fun` on (primal, tangent) pairs; the pairs of its results."""
    with use_trace(trace):
        out = fun(*[trace.wrap(*pair) for pair in pairs])
    return trace.split(out)


def test_a_pair_is_made_only_of_what_moves():
    trace = ad.JVPTrace(EVAL)
    x = np.float32(2)
    assert trace.wrap(x, ad.Zero.from_primal(x)) is x
    assert trace.split(x)[0] is x and isinstance(trace.split(x)[1], ad.Zero)
    pair = trace.wrap(x, 3.0)
    assert isinstance(pair, ad.JVPTracer) and trace.split(pair) == (x, 3.0)
    assert ad.JVPTrace(EVAL).split(pair)[0] is pair  # a constant of another trace


def test_the_product_rule():
    out, out_dot = under(ad.JVPTrace(EVAL), lax.mul, (2.0, 1.0), (3.0, 10.0))
    assert (out, out_dot) == (6.0, 23.0)


def test_what_does_not_move_is_left_to_the_parent():
    trace = ad.JVPTrace(EVAL)
    with use_trace(trace):
        assert isinstance(lax.sin(0.5), mj.Array)
        assert isinstance(lax.gt(trace.wrap(1.0, 1.0), 0.0), mj.Array)


def test_rules_run_in_the_parent():
    seen = []
    note = Primitive("note")
    note.def_impl(lambda x: np.asarray(x))
    note.def_abstract_eval(lambda x: x)

    def rule(primals, tangents):
        seen.append(current.value)
        return note.bind(*primals), tangents[0]

    ad.primitive_jvps[note] = rule
    assert mj.jvp(note.bind, (1.0,), (2.0,))[1] == 2.0
    outer = []
    mj.make_jaxpr(
        lambda x: (outer.append(current.value), mj.jvp(note.bind, (x,), (x,)))[1]
    )(1.0)
    assert seen[0] is EVAL and seen[1] is outer[0]


def test_a_rule_that_raises_leaves_the_trace_as_it_was():
    bad = Primitive("bad")
    bad.def_impl(lambda x: np.asarray(x))
    bad.def_abstract_eval(lambda x: x)

    def rule(primals, tangents):
        raise KeyError("rule")

    ad.primitive_jvps[bad] = rule
    with pytest.raises(KeyError):
        mj.jvp(bad.bind, (1.0,), (1.0,))
    assert current.value is EVAL


def test_several_results_and_zeros_among_them():
    split = Primitive("split_sign", multiple_results=True)
    split.def_impl(lambda x: [np.asarray(x), np.asarray(x) > 0])
    split.def_abstract_eval(
        lambda x: [x, x.update(dtype=np.dtype(bool), weak_type=False)]
    )

    def rule(primals, tangents):
        out = split.bind(*primals)
        return out, [tangents[0], ad.Zero.from_primal(out[1])]

    ad.primitive_jvps[split] = rule
    (value, sign), (value_dot, sign_dot) = mj.jvp(
        lambda x: tuple(split.bind(x)), (1.0,), (2.0,)
    )
    assert (value, bool(sign), value_dot) == (1.0, True, 2.0)
    assert typeof(sign_dot).dtype == mj.float0


def test_check_110_tracers_show_themselves():
    seen = []

    def f(x):
        seen.append((repr(x), x.shape, bool(x > 0), x.concrete()))
        return x

    mj.jvp(f, (1.0,), (2.0,))
    mj.jvp(lambda x: mj.jvp(f, (x,), (x,))[0], (1.0,), (2.0,))
    assert seen[0] == ("JVPTracer(primal=1.0, tangent=2.0)", (), True, 1.0)
    assert seen[1][0].startswith("JVPTracer(primal=JVPTracer(primal=1.0")
    assert seen[1][3] == 1.0


def test_levels_do_not_mix():
    # The confusion test of Siskind and Pearlmutter: the inner derivative must not see
    # the outer perturbation.
    assert (
        mj.jvp(
            lambda x: x * mj.jvp(lambda y: x + y, (1.0,), (1.0,))[1], (1.0,), (1.0,)
        )[1]
        == 1.0
    )
    assert mj.grad(lambda x: x * mj.grad(lambda y: x + y)(1.0))(1.0) == 1.0
    assert mj.jvp(lambda x: x * mj.grad(lambda y: x + y)(1.0), (1.0,), (1.0,))[1] == 1.0


def test_describes_itself():
    assert ad.JVPTrace(EVAL).describe() == "forward-mode differentiation"
