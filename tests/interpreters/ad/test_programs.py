"""Derivatives of programs, as programs (spec/ad.md §§2.2, 2.3; checks 99, 112, 116)."""

import gc
import weakref

import numpy as np
import pytest

import minijax as mj
from minijax import lax
from minijax.core import eval_jaxpr, stage, typeof
from minijax.interpreters import ad
from tests.interpreters.ad import programs

F32 = typeof(np.float32(1))


def product():
    return stage(lambda x, y: [lax.mul(x, y), y], [F32, F32])


def test_check_116_jvp_jaxpr():
    jaxpr, nonzero_out = ad.jvp_jaxpr(product(), (True, False), False)
    assert nonzero_out == (True, False)
    assert str(jaxpr) == (
        "{ lambda ; a:f32[] b:f32[] c:f32[]. let\n"
        "    d:f32[] = mul a b\n"
        "    e:f32[] = mul c b\n"
        "  in (d, b, e) }"
    )


@pytest.mark.parametrize("instantiate", [True, (False, True), (True, True)])
def test_check_116_instantiated(instantiate):
    jaxpr, nonzero_out = ad.jvp_jaxpr(product(), (True, False), instantiate)
    assert nonzero_out == (True, True)
    assert str(jaxpr.outvars[-1]) == "0.0:f32[]"
    assert eval_jaxpr(jaxpr, (), 2.0, 3.0, 1.0) == [6.0, 3.0, 3.0, 0.0]


def test_linearized_halves():
    jaxpr = stage(lambda x, y: [lax.mul(lax.exp(x), y)], [F32, F32])
    halves = ad.linearize_jaxpr(jaxpr, (True, True), False)
    out, *computed = eval_jaxpr(halves.forward, (), 1.0, 2.0)
    np.testing.assert_allclose(out, np.exp(1) * 2, rtol=1e-6)
    residuals = halves.residuals([1.0, 2.0], computed)
    (out_dot,) = eval_jaxpr(halves.tangent, halves.tangent.consts, *residuals, 1.0, 1.0)
    np.testing.assert_allclose(out_dot, np.exp(1) * 3, rtol=1e-6)


def test_check_99_inputs_are_not_computed_again():
    jaxpr = stage(lambda x, y: [lax.mul(lax.exp(x), y)], [F32, F32])
    halves = ad.linearize_jaxpr(jaxpr, (True, True), False)
    assert 1 in halves.forwarded
    inner = halves.forward
    assert not set(map(id, inner.outvars)) & set(map(id, inner.invars))


def test_constants_stay_with_the_tangent_program():
    big = mj.numpy.arange(3.0)
    jaxpr = stage(lambda x: [lax.mul(x, big)], [typeof(big)])
    halves = ad.linearize_jaxpr(jaxpr, (True,), False)
    assert halves.tangent.consts == [big] or halves.tangent.consts[0] is big
    assert halves.forwarded == ()


def test_what_does_not_move_has_no_tangent_program():
    jaxpr = stage(lambda x: [lax.floor(x)], [F32])
    halves = ad.linearize_jaxpr(jaxpr, (True,), False)
    assert halves.nonzeros_out == (False,) and halves.tangent.outvars == []
    assert ad.linearize_jaxpr(jaxpr, (True,), True).nonzeros_out == (True,)


def test_check_112_answers_are_kept_as_long_as_the_program():
    jaxpr, both = product(), (True, True)
    forward = ad.jvp_jaxpr(jaxpr, both, False)[0]
    assert ad.jvp_jaxpr(jaxpr, both, False)[0] is forward
    halves = ad.linearize_jaxpr(jaxpr, both, False)
    assert ad.linearize_jaxpr(jaxpr, both, False) is halves
    kept = weakref.ref(forward)
    del jaxpr, forward, halves
    gc.collect()
    assert kept() is None


def test_programs_of_programs():
    inner = mj.jit(lambda x: lax.sin(x) * x)
    for gradient in (
        mj.grad(inner),
        mj.grad(mj.jit(inner)),
        lambda x: mj.jvp(mj.jit(inner), (x,), (1.0,))[1],
        lambda x: mj.jit(mj.linearize(inner, x)[1])(1.0),
    ):
        np.testing.assert_allclose(
            gradient(0.5), np.cos(0.5) * 0.5 + np.sin(0.5), rtol=1e-6
        )


@pytest.mark.parametrize("name", programs.TEXTS)
def test_section_5_texts(oracle, name):
    oracle.compare(*programs.TEXTS[name])
