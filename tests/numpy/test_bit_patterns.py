"""Parts of floats, packed booleans, whole divisors."""

import pytest

from tests.numpy.expressions import evaluate

CASES = [
    "jnp.frexp(f)",
    "jnp.frexp(n)",
    "jnp.frexp(8.0)",
    "jnp.frexp(h)",
    "jnp.frexp(i)",
    "jnp.frexp(jnp.array([0.0, 1e-40, -3.0]))",
    "jnp.ldexp(f, i)",
    "jnp.ldexp(1.0, 3)",
    "jnp.ldexp(h, k)",
    "jnp.ldexp(n, 2)",
    "jnp.ldexp(f, 200)",
    "jnp.ldexp(f, -200)",
    "jnp.ldexp(i, k)",
    "jnp.packbits(b)",
    "jnp.packbits(bb, axis=1)",
    "jnp.packbits(jnp.arange(10) > 4, bitorder='little')",
    "jnp.packbits(ii)",
    "jnp.unpackbits(jnp.array([160], 'uint8'))",
    "jnp.unpackbits(u)",
    "jnp.unpackbits(u.reshape(3, 1), axis=1, count=3)",
    "jnp.unpackbits(u, bitorder='little', count=-2)",
    "jnp.gcd(i, k)",
    "jnp.gcd(12, 18)",
    "jnp.gcd(ii, i)",
    "jnp.gcd(u, u32)",
    "jnp.lcm(i, k)",
    "jnp.lcm(4, 6)",
    "jnp.lcm(ii, i)",
]
RAISES = [
    "jnp.ldexp(1.0, 2.0)",
    "jnp.frexp(c)",
    "jnp.gcd(f, f)",
    "jnp.packbits(f)",
    "jnp.unpackbits(i)",
    "jnp.packbits(b, bitorder='x')",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)
