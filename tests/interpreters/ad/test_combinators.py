"""Ways to state a derivative (spec/ad.md §2.6)."""

import numpy as np
import pytest

import minijax as mj
from minijax import lax
from minijax.core import Primitive, typeof
from minijax.interpreters import ad


def make(name, impl=lambda x: np.asarray(x), **options):
    primitive = Primitive(name, **options)
    primitive.def_impl(impl)
    primitive.def_abstract_eval(lambda x, *_: x)
    return primitive


ZERO = ad.Zero.from_primal(1.0)


def test_partials_ask_only_for_what_moves():
    times = make("times", lambda x, y: np.asarray(x) * np.asarray(y))
    asked = []
    rule = ad.partials(
        times,
        lambda x_dot, x, y: (asked.append("x"), x_dot * y)[1],
        lambda y_dot, x, y: (asked.append("y"), x * y_dot)[1],
    )
    assert rule((2.0, 3.0), (1.0, ZERO)) == (6.0, 3.0) and asked == ["x"]
    assert rule((2.0, 3.0), (1.0, 10.0)) == (6.0, 23.0)
    out, out_dot = rule((2.0, 3.0), (ZERO, ZERO))
    assert out == 6.0 and isinstance(out_dot, ad.Zero)


def test_an_operand_without_derivative_and_a_zero_contribution():
    pair = make("pair", lambda x, y: np.asarray(x))
    rule = ad.partials(pair, lambda x_dot, *_: ad.Zero.from_primal(x_dot), None)
    _, out_dot = rule((2.0, 3.0), (1.0, 1.0))
    assert isinstance(out_dot, ad.Zero)
    with pytest.raises(ValueError):
        rule((2.0, 3.0), (1.0,))


def test_the_result_is_computed_once_and_shared():
    runs = []
    square = make("square_once", lambda x: (runs.append(1), np.asarray(x) ** 2)[1])
    rule = ad.partials_with_result(square, lambda x_dot, out, x: x_dot * out)
    assert rule((3.0,), (1.0,)) == (9.0, 9.0) and len(runs) == 1


def test_linear_makes_all_tangents_real():
    plus = make("plus", lambda x, y: np.asarray(x) + np.asarray(y))
    assert ad.linear(plus)((1.0, 2.0), (5.0, ZERO)) == (3.0, 5.0)


def test_bilinear():
    times = make("times2", lambda x, y: np.asarray(x) * np.asarray(y))
    assert ad.bilinear(times)((2.0, 3.0), (1.0, 10.0)) == (6.0, 23.0)
    transpose = ad.bilinear_transpose(
        lambda y_bar, x, y: y_bar * y, lambda y_bar, x, y: y_bar * x
    )
    place = ad.UndefinedPrimal(typeof(1.0))
    assert transpose(5.0, place, 3.0) == [15.0, None]
    assert transpose(5.0, 3.0, place) == [None, 15.0]
    with pytest.raises(NotImplementedError, match="two linear operands"):
        transpose(5.0, place, place)


def test_zero():
    one, many = (
        make("one"),
        make("many", lambda x: [np.asarray(x)], multiple_results=True),
    )
    assert isinstance(ad.ZERO(one)((1.0,), (1.0,))[1], ad.Zero)
    outs, out_dots = ad.zero_jvp(many)((1.0,), (1.0,))
    assert outs == [1.0] and isinstance(out_dots[0], ad.Zero)


def test_contributions_are_summed_from_left_to_right():
    text = str(mj.make_jaxpr(lambda x, t: mj.jvp(lax.mul, (x, x), (t, t)))(1.0, 1.0))
    assert text.index("mul b a") < text.index("mul a b") < text.index("add_any")
