"""Initializers of parameters."""

import pytest

import minijax as mj
from tests.nn import programs

SCALED = [
    f"{who}_{law}" for who in ("glorot", "lecun", "he") for law in ("uniform", "normal")
]


@pytest.mark.parametrize(
    "maker, args, kw",
    [
        ("normal", (), {}),
        ("normal", (), {"dtype": "bfloat16"}),
        ("normal", (2.0,), {"dtype": "complex64"}),
        ("uniform", (), {}),
        ("truncated_normal", (), {}),
        ("zeros", None, {}),
        ("ones", None, {"dtype": "int32"}),
        ("constant", (3,), {}),
    ],
    ids=str,
)
def test_check_15_plain(oracle, maker, args, kw):
    oracle.compare(programs.initialized, maker, args, (2, 3), kw, exact=True)


@pytest.mark.parametrize("maker", SCALED)
def test_check_16_scaled_by_the_shape(oracle, maker):
    oracle.compare(programs.initialized, maker, (), (2, 3), {}, exact=True)
    oracle.compare(programs.initialized, maker, (), (3, 3, 4, 5), {}, exact=True)


@pytest.mark.parametrize("mode", ["fan_in", "fan_out", "fan_avg", "fan_geo_avg"])
@pytest.mark.parametrize("law", ["uniform", "normal", "truncated_normal"])
def test_check_16_variance_scaling(oracle, mode, law):
    oracle.compare(
        programs.initialized, "variance_scaling", (2.0, mode, law), (4, 3), {}
    )


@pytest.mark.parametrize("law", ["uniform", "normal", "truncated_normal"])
def test_complex_parameters(oracle, law):
    args, kw = (1.0, "fan_in", law), {"dtype": "complex64"}
    oracle.compare(programs.initialized, "variance_scaling", args, (4, 3), kw)


def test_check_16_aliases(oracle):
    oracle.compare(programs.aliases)


@pytest.mark.parametrize(
    "maker, args, shape, kw",
    [
        ("he_normal", (), (3,), {}),
        ("variance_scaling", (1.0, "x", "normal"), (2, 2), {}),
        ("variance_scaling", (1.0, "fan_in", "x"), (2, 2), {}),
        ("normal", (), (2,), {"dtype": "int32"}),
    ],
    ids=str,
)
def test_check_17_refused(oracle, maker, args, shape, kw):
    oracle.compare(programs.initialized, maker, args, shape, kw, raises=True)


def test_a_placement_is_refused_and_not_ignored():
    initializers = mj.nn.initializers
    for init in (initializers.zeros, initializers.normal(), initializers.he_normal()):
        with pytest.raises(NotImplementedError, match="placement"):
            init(mj.random.key(0), (2, 3), out_sharding=mj.devices()[0])
