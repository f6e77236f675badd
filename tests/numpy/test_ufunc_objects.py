"""ufuncs: reduce, accumulate, at, outer."""

import pytest

from tests.numpy.expressions import evaluate

NAMES = (
    "add",
    "multiply",
    "maximum",
    "minimum",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
)
CASES = [f"jnp.{n}.reduce(ii)" for n in NAMES] + [
    f"jnp.{n}.accumulate(ii)" for n in NAMES
]
CASES += [f"jnp.{n}.outer(i, k)" for n in NAMES]
ATTRIBUTES = "(u.nin, u.nout, u.nargs, u.identity, u.__name__, repr(u))"
CASES += [
    f"(lambda u: {ATTRIBUTES})(jnp.{n})" for n in (*NAMES, "negative", "logaddexp")
]
CASES += [
    "jnp.add.reduce(ff, axis=1, keepdims=True)",
    "jnp.add.reduce(ff, axis=None)",
    "jnp.add.reduce(ff, where=bb)",
    "jnp.add.reduce(f, initial=10.0)",
    "jnp.subtract.reduce(jnp.array([5, 1, 1]))",
    "jnp.subtract.reduce(ff, axis=1)",
    "jnp.subtract.accumulate(jnp.array([5, 1, 1]))",
    "jnp.logical_and.reduce(bb)",
    "jnp.logical_or.reduce(bb, axis=1)",
    "jnp.logical_xor.reduce(bb)",
    "jnp.logaddexp.reduce(f)",
    "jnp.logaddexp.reduce(ff, axis=1)",
    "jnp.maximum.reduce(f, where=f > 0, initial=-1.0)",
    "jnp.add.at(f, jnp.array([0, 0]), 1.0, inplace=False)",
    "jnp.multiply.at(f, 1, 3.0, inplace=False)",
    "jnp.subtract.at(f, jnp.array([0, 0]), 1.0, inplace=False)",
    "jnp.maximum.at(f, jnp.array([0, 1]), 0.0, inplace=False)",
    "jnp.negative.at(f, jnp.array([0, 1]), inplace=False)",
    "jnp.add.reduceat(jnp.arange(8), jnp.array([0, 4, 1, 5]))",
    "jnp.subtract.reduceat(x, jnp.array([0, 4]))",
    "jnp.frompyfunc(lambda a, b: a + 2 * b, 2, 1, identity=0).reduce(jnp.arange(4))",
    "jnp.frompyfunc(lambda a, b: a + 2 * b, 2, 1)(ff, f)",
    "jnp.frompyfunc(lambda a, b: a + 2 * b, 2, 1).accumulate(i)",
    "jnp.add == jnp.add",
    "hash(jnp.add) == hash(jnp.add)",
]
RAISES = [
    "jnp.add.at(f, 0, 1.0)",
    "jnp.maximum.reduce(f, where=f > 0)",
    "jnp.negative.reduce(f)",
    "jnp.add(1, 2, out=f)",
    "jnp.add(1, 2, where=True)",
    "jnp.add(1, 2, dtype=int)",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)
