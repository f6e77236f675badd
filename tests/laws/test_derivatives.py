"""Derivatives are differences, transposes are adjoints, to second order, in 64 bits."""

import pytest

from tests.laws import programs
from tests.samples import DIFFERENTIABLE

LAWS = (
    programs.jvp_is_a_difference,
    programs.linearize_is_jvp,
    programs.transpose_is_the_adjoint,
    programs.second_order_is_a_difference,
)


@pytest.mark.parametrize("name", DIFFERENTIABLE)
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_the_law_holds_and_the_value_is_that_of_jax(oracle, law, name):
    # Derivatives multiply and add in another order than jax's: the sums of a few terms.
    oracle.compare(law, name, x64=True, rtol=1e-11, atol=1e-13)
