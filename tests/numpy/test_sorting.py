"""Sorting, ordering, partitioning."""

import pytest

from tests.numpy.expressions import evaluate

CASES = [
    f"jnp.{n}({x})"
    for n in ("sort", "argsort")
    for x in ("f", "ff", "n", "i", "c", "b", "h")
]
CASES += [
    "jnp.sort(ff, axis=0)",
    "jnp.sort(ff, axis=None)",
    "jnp.sort(n, descending=True)",
    "jnp.sort(ff, axis=0, descending=True)",
    "jnp.argsort(ff, axis=0)",
    "jnp.argsort(ff, axis=None)",
    "jnp.argsort(jnp.array([1, 1, 0, 1]), descending=True)",
    "jnp.argsort(jnp.array([1, 1, 0, 1]), descending=True, stable=False)",
    "jnp.argsort(f, dtype='int8')",
    "f.sort()",
    "f.argsort()",
    "jnp.lexsort((jnp.array([1, 0, 0]), jnp.array([1, 1, 0])))",
    "jnp.lexsort((ff, ff), axis=0)",
    "jnp.lexsort((i,))",
    "jnp.sort_complex(c)",
    "jnp.sort_complex(i)",
    "jnp.top_k(x, 3)",
    "jnp.top_k(ff, 2, axis=0)",
    "jnp.top_k(n, 3)",
    "jnp.top_k(ii, 2, mode='smallest')",
    "jnp.top_k(f, 2, mode='smallest')",
    "jnp.partition(jnp.array([3, 1, 2, 0]), 1)",
    "jnp.partition(ff, 1)",
    "jnp.partition(ff, 0, axis=0)",
    "jnp.argpartition(jnp.array([3, 1, 2, 0]), 1)",
    "jnp.argpartition(ff, 1)",
    "grad(lambda v: jnp.sum(jnp.sort(v) * g))(f)",
    "vmap(jnp.sort)(ff)",
    "vmap(jnp.argsort)(ff)",
]
RAISES = [
    "jnp.sort(3)",
    "jnp.sort(f, kind='stable')",
    "jnp.argsort(f, order='a')",
    "jnp.lexsort(())",
    "jnp.top_k(f, 5)",
    "jnp.top_k(f, 1, mode='x')",
    "jnp.partition(f, 5)",
    "jnp.sort([1])",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)
