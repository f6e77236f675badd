"""Signs, neighbours, clipping, NaN, hypot."""

import pytest

from tests.numpy.expressions import evaluate

UNARY = ("real", "imag", "conj", "angle", "iscomplex", "isreal")
CASES = [f"jnp.{name}({x})" for name in UNARY for x in ("f", "i", "c", "2.5", "b")]
CASES += [
    f"jnp.{name}({x})" for name in ("signbit", "spacing") for x in ("f", "n", "h")
]
BINARY = ("copysign", "heaviside", "nextafter", "fmax", "fmin", "hypot")
CASES += [
    f"jnp.{name}({x})" for name in BINARY for x in ("f, g", "n, 0.5", "i, k", "ff, f")
]
CASES += [
    "jnp.signbit(i)",
    "jnp.signbit(bf)",
    "jnp.angle(c, deg=True)",
    "jnp.spacing(0.0)",
    "jnp.spacing(bf)",
    "jnp.hypot(jnp.inf, jnp.nan)",
    "jnp.hypot(jnp.float32(1e-30), jnp.float32(1e-30))",
    "jnp.hypot(jnp.float32(1e30), jnp.float32(1e30))",
    "jnp.hypot(h, h)",
    "grad(lambda v: jnp.sum(jnp.hypot(v, g)))(f)",
    "jnp.clip(f, 0, 1)",
    "jnp.clip(i, 0, 5)",
    "jnp.clip(i, None, 2.5)",
    "jnp.clip(f, min=0)",
    "jnp.clip(f, max=g)",
    "jnp.clip(ff, f, g)",
    "jnp.clip(x, 3, 1)",
    "jnp.clip(u, 5, 200)",
    "jnp.clip(n, -1, 1)",
    "f.clip(0, 1)",
    "f.clip(max=0.5)",
    "grad(lambda v: jnp.sum(jnp.clip(v, -0.5, 0.5)))(f)",
    "jnp.nan_to_num(n)",
    "jnp.nan_to_num(n, nan=7, posinf=8, neginf=9)",
    "jnp.nan_to_num(i)",
    "jnp.nan_to_num(c / 0)",
    "jnp.nan_to_num(h)",
    "c.real",
    "c.imag",
    "f.imag",
    "c.conj()",
    "c.conjugate()",
]
RAISES = [
    "jnp.clip(c, 0, 1)",
    "jnp.clip(f, a_min=1)",
    "jnp.clip()",
    "jnp.hypot(c, c)",
    "jnp.signbit(c)",
    "jnp.copysign(c, c)",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)
