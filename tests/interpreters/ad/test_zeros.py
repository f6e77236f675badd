"""Symbolic zeros, placeholders, real zeros (spec/ad.md §§2.1, 2.9)."""

import numpy as np
import pytest

import minijax as mj
from minijax import tree
from minijax.core import ShapedArray, typeof
from minijax.interpreters import ad

F32 = ShapedArray((2, 3), np.float32)


def test_a_zero_holds_a_type_and_no_data():
    zero = ad.Zero.from_primal(np.ones((2, 3), "f"))
    assert zero.aval is F32
    assert tree.leaves(zero) == [] and tree.structure(zero) == tree.structure(
        ad.Zero(F32)
    )
    assert tree.unflatten(tree.structure(zero), []).aval is F32
    assert repr(zero) == "Zero(float32[2,3])"


@pytest.mark.parametrize("x", [3, True, np.uint8(1), np.zeros(2, mj.float0)])
def test_what_cannot_move_has_float0_tangents(x):
    assert ad.Zero.from_primal(x).aval.dtype == mj.float0


def test_a_compiled_function_takes_and_returns_zeros():
    out = mj.jit(lambda zero: (zero, 1.0))(ad.Zero(F32))[0]
    assert isinstance(out, ad.Zero) and out.aval is F32


def test_sums_of_tangents():
    zero = ad.Zero.from_primal(1.0)
    assert ad.add_tangents(zero, 2.0) == 2.0 == ad.add_tangents(2.0, zero)
    assert ad.add_tangents(zero, zero) is zero
    assert ad.add_tangents(1.0, 2.0) == 3.0


def test_zeros_are_made_real():
    made = ad.instantiate_zeros(ad.Zero(F32))
    np.testing.assert_array_equal(made, np.zeros((2, 3)))
    assert typeof(made) is F32 and ad.instantiate_zeros(5.0) == 5.0
    float0 = ad.zeros_of(ShapedArray((3,), mj.float0))
    assert float0.dtype == mj.float0 and float0.shape == (3,)


@pytest.mark.parametrize(
    ("x", "kind"),
    [
        (1.0, float),
        (1j, complex),
        (np.float32(1), np.float32),
        (np.complex64(1), np.complex64),
    ],
)
def test_scalars_are_constants_as_weak_as_their_type(x, kind):
    one = ad.scalar_of(1, typeof(x))
    assert type(one) is kind and typeof(one) is typeof(x)
    assert ad.zeros_of(typeof(x)) == 0


def test_a_scalar_zero_costs_no_equation():
    jaxpr = mj.make_jaxpr(lambda: ad.instantiate_zeros(ad.Zero.from_primal(1.0)))()
    assert jaxpr.eqns == []


def test_placeholders():
    place = ad.UndefinedPrimal(F32)
    assert ad.is_undefined_primal(place) and not ad.is_undefined_primal(1.0)
    assert repr(place) == "UndefinedPrimal(float32[2,3])"


def test_names_that_jax_users_know():
    assert ad.add_jaxvals(1.0, 2.0) == 3.0 == ad.add_jaxvals_p.bind(1.0, 2.0)
    np.testing.assert_array_equal(ad.zeros_like_aval(F32), np.zeros((2, 3)))
