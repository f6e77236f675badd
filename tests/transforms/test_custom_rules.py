"""custom_jvp, custom_vjp and custom_gradient as users meet them, beside jax."""

import pytest

from tests.transforms import custom_rule_programs as programs


@pytest.mark.parametrize("name", sorted(programs.PROGRAMS))
def test_custom_rules(oracle, name):
    oracle.compare(programs.run, name, raises=name in programs.RAISING)
