"""Check 82 of spec/ad.md: primitives made outside get their derivatives at any time."""

import numpy as np
import pytest

import minijax as mj
from minijax.core import Primitive
from minijax.interpreters import ad


def make(name):
    primitive = Primitive(name)
    primitive.def_impl(lambda x: np.asarray(x) * 3)
    primitive.def_abstract_eval(lambda x: x)
    return primitive


def test_check_82_without_a_rule_only_unmoved_values_pass():
    triple = make("triple")
    assert mj.jvp(lambda x: x + triple.bind(2.0), (1.0,), (1.0,))[0] == 7.0
    with pytest.raises(NotImplementedError, match="'triple' has no jvp"):
        mj.grad(triple.bind)(1.0)


def test_check_82_without_transpose_forward_mode_works():
    triple = make("triple")
    ad.primitive_jvps[triple] = lambda primals, tangents: (
        triple.bind(*primals),
        triple.bind(*tangents),
    )
    assert mj.jvp(triple.bind, (1.0,), (2.0,))[1] == 6.0
    with pytest.raises(NotImplementedError, match="'triple' has no transpose"):
        mj.grad(triple.bind)(1.0)


def test_check_82_deflinear2():
    triple = make("triple")
    ad.deflinear2(triple, lambda y_bar, x: [triple.bind(y_bar)])
    assert mj.grad(triple.bind)(1.0) == 3.0
    assert mj.linear_transpose(triple.bind, 1.0)(2.0) == (6.0,)


def test_check_82_deflinear():
    triple = make("triple")
    ad.deflinear(triple, lambda y_bar: [triple.bind(y_bar)])
    assert mj.grad(triple.bind)(1.0) == 3.0


def test_check_82_defjvp_and_its_replacement():
    triple = make("triple")
    ad.defjvp(triple, lambda x_dot, x: x_dot * 3)
    assert mj.grad(triple.bind)(1.0) == 3.0
    ad.defjvp2(triple, lambda x_dot, out, x: x_dot * out)
    assert mj.grad(triple.bind)(2.0) == 6.0
    ad.defjvp_zero(triple)
    assert mj.grad(triple.bind)(2.0) == 0.0


def test_check_82_defbilinear():
    times = Primitive("times")
    times.def_impl(lambda x, y: np.asarray(x) * np.asarray(y))
    times.def_abstract_eval(lambda x, y: x)
    ad.defbilinear(
        times,
        lambda y_bar, x, y: times.bind(y_bar, y),
        lambda y_bar, x, y: times.bind(x, y_bar),
    )
    assert mj.grad(times.bind, (0, 1))(2.0, 3.0) == (3.0, 2.0)
    assert ad.get_primitive_transpose(times)
    with pytest.raises(NotImplementedError, match="two linear operands"):
        mj.linear_transpose(lambda x: times.bind(x, x), 1.0)(1.0)
