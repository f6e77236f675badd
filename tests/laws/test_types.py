"""Types are kept: what any transformation makes of a sample is well typed.

`check_jaxpr` infers every equation's types and effects anew, so a rule that returns a
value of another shape or dtype than its primitive promises is found here, whichever
interpreter asked.
"""

import numpy as np
import pytest

import minijax as mj
from minijax.core import check_jaxpr, eval_jaxpr
from minijax.interpreters import partial_eval as pe
from tests.laws.programs import bound, operands, smooth_part
from tests.samples import DIFFERENTIABLE, EVERY, SAMPLES

MAPPED = [name for name in EVERY if SAMPLES[name].mapped]


def _jaxpr(name):
    return mj.make_jaxpr(bound(mj, SAMPLES[name]))(*operands(mj, SAMPLES[name]))


@pytest.mark.parametrize("name", EVERY)
def test_check_33_every_sample_is_well_typed(name):
    check_jaxpr(_jaxpr(name))


@pytest.mark.parametrize("name", MAPPED)
def test_mapped(name):
    mapped = SAMPLES[name].mapped
    axes = tuple(
        0 if i in mapped else None for i in range(len(operands(mj, SAMPLES[name])))
    )
    many = [
        np.stack([x, x]) if i in mapped else x
        for i, x in enumerate(operands(mj, SAMPLES[name]))
    ]
    f = mj.vmap(bound(mj, SAMPLES[name]), in_axes=axes)
    check_jaxpr(mj.make_jaxpr(f)(*many))


def _smooth(name):
    sample = SAMPLES[name]
    values = operands(mj, sample)
    return smooth_part(mj, bound(mj, sample), values, sample.differentiable)


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_differentiated(name):
    f, xs = _smooth(name)
    check_jaxpr(mj.make_jaxpr(lambda *x: mj.jvp(f, x, x))(*xs))


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_differentiated_backwards(name):
    f, xs = _smooth(name)

    def pull(*x):
        ys, back = mj.vjp(f, *x)
        return back(ys)

    check_jaxpr(mj.make_jaxpr(pull)(*xs))


@pytest.mark.parametrize("name", EVERY)
def test_split_and_cut(name):
    jaxpr = _jaxpr(name)
    unknowns = [i % 2 == 0 for i in range(len(jaxpr.invars))]
    for instantiate in (False, True):
        known, unknown, _, _ = pe.split_jaxpr(jaxpr, unknowns, instantiate)
        check_jaxpr(known)
        check_jaxpr(unknown)
    for policy in (lambda *a, **k: True, lambda *a, **k: False):
        split = pe.partial_eval_jaxpr_custom(
            jaxpr, unknowns, True, False, False, policy
        )
        check_jaxpr(split.known)
        check_jaxpr(split.staged)
    used = [i % 2 == 0 for i in range(len(jaxpr.outvars))]
    check_jaxpr(pe.dce_jaxpr(jaxpr, used)[0])


@pytest.mark.parametrize("name", EVERY)
def test_check_32_replaying_a_program_makes_the_same_program(name):
    jaxpr = _jaxpr(name)

    def again(*xs):
        return eval_jaxpr(jaxpr, jaxpr.consts, *xs)

    assert str(mj.make_jaxpr(again)(*operands(mj, SAMPLES[name]))) == str(jaxpr)
