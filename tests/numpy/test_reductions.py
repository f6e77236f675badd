"""Sums, products, extremes and truth along axes."""

import pytest

from tests.numpy.expressions import evaluate

NAMES = ("sum", "prod", "max", "min", "any", "all", "count_nonzero")
AXES = ("", ", axis=0", ", axis=-1, keepdims=True", ", axis=(0, 1)", ", axis=()")
CASES = [f"jnp.{name}(ff{axis})" for name in NAMES for axis in AXES]
CASES += [
    f"jnp.{name}({x})" for name in NAMES for x in ("ii", "u", "bb", "h", "n", "i8")
]
CASES += [f"jnp.{name}(cc, axis=1)" for name in ("sum", "prod", "max", "any", "all")]
CASES += [
    f"jnp.{name}({x})" for name in ("argmax", "argmin") for x in ("ff", "ii", "n", "b")
]
CASES += [f"jnp.{name}(ff, axis=1, keepdims=True)" for name in ("argmax", "argmin")]
CASES += [
    "jnp.sum(ff, where=bb)",
    "jnp.sum(ff, axis=1, where=bb, initial=2)",
    "jnp.sum(ff, dtype='int32')",
    "jnp.sum(f, dtype=jnp.float16)",
    "jnp.sum(jnp.ones(300, 'int8'))",
    "jnp.sum(jnp.ones(300, 'int8'), promote_integers=False)",
    "jnp.sum(jnp.full(5000, 1.0, 'float16'))",
    "jnp.sum(1.5)",
    "jnp.sum(e)",
    "jnp.prod(e)",
    "jnp.sum(ff, axis=[0, 1])",
    "jnp.sum(ff, axis=np.int64(1))",
    "jnp.max(ff, where=bb, initial=2)",
    "jnp.max(e, initial=-5)",
    "jnp.min(ff, axis=1, where=bb, initial=0.5)",
    "jnp.max(ii, axis=0, where=bb, initial=-100)",
    "jnp.all(e)",
    "jnp.any(e)",
    "jnp.any(jnp.array([0j, 1j]))",
    "jnp.all(ff, axis=0, where=bb)",
    "jnp.any(ff, where=bb, keepdims=True)",
    "jnp.amax(ff, 0)",
    "jnp.amin(ff, 1)",
    "jnp.minmax(ff)",
    "jnp.minmax(ff, axis=1, initial=(0.0, 0.5))",
    "jnp.ptp(ff, axis=0)",
    "jnp.ptp(ii)",
    "jnp.argmax(ff, axis=None, keepdims=True)",
    "jnp.argmax(2.0)",
    "ff.sum(0)",
    "ff.max(axis=1)",
    "ff.min()",
    "bb.any(1)",
    "bb.all()",
    "ii.prod(axis=0)",
    "ff.argmax(-1)",
    "ff.argmin()",
    "ff.ptp()",
    "grad(lambda v: jnp.sum(v * v))(f)",
    "grad(lambda v: jnp.max(v))(f)",
    "grad(lambda v: jnp.prod(v))(f)",
    "vmap(jnp.sum)(ff)",
    "vmap(jnp.argmax)(ff)",
    "jaxpr(lambda v: jnp.sum(v, axis=1, keepdims=True), ff)",
    "jaxpr(jnp.sum, h)",
    "jaxpr(jnp.any, f)",
    "jaxpr(jnp.argmax, ff)",
]
RAISES = [
    "jnp.max(e)",
    "jnp.max(f, where=f > 0)",
    "jnp.sum(f, where=jnp.array([1, 0, 1]))",
    "jnp.sum(f, axis=(0, 0))",
    "jnp.sum(f, axis=1)",
    "jnp.sum(f, axis=1.0)",
    "jnp.sum([1, 2])",
    "jnp.sum(f, out=f)",
    "jnp.sum(f, initial=f)",
    "jnp.argmax(e)",
    "jnp.argmax(f, axis=3)",
    "jnp.ptp(b)",
    "J.jit(lambda v, a: jnp.sum(v, axis=a))(f, 0)",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)
