"""`minijax.extend.linear_util` has jax's names; `core` tests what they do."""

from minijax.extend import linear_util
from tests.extend import programs

NAMES = [
    "StoreException",
    "WrappedFun",
    "cache",
    "merge_linear_aux",
    "transformation",
    "transformation2",
    "transformation_with_aux",
    "transformation_with_aux2",
    "wrap_init",
]


def test_check_50_the_names_are_jaxs(oracle):
    assert linear_util.__all__ == NAMES
    oracle.compare(programs.there, "linear_util", NAMES)


def test_every_style_as_in_jax(oracle):
    oracle.compare(programs.wrapped)
