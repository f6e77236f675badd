"""The checks of spec/ad.md, run here and with jax and compared."""

import pytest

from tests.transforms import custom_rule_programs  # noqa: F401  more of them
from tests.transforms.ad_programs import PROGRAMS, RAISING


def run(J, name):
    return PROGRAMS[name](J)


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_ad(oracle, name):
    oracle.compare(run, name, raises=name in RAISING)
