"""Diagonals, triangles and coordinates."""

import pytest

from tests.numpy.expressions import evaluate

CASES = [
    "jnp.eye(3)",
    "jnp.eye(2, 3, k=1, dtype=int)",
    "jnp.eye(3, k=-1)",
    "J.jit(lambda k: jnp.eye(3, k=k))(1)",
    "jnp.identity(2, int)",
    "jnp.tri(3)",
    "jnp.tri(2, 4, k=1, dtype=bool)",
    "jnp.tril(sq)",
    "jnp.triu(sq, 1)",
    "jnp.tril(fff, -1)",
    "jnp.triu(bb)",
    "jnp.diag(f)",
    "jnp.diag(f, 1)",
    "jnp.diag(f, -2)",
    "jnp.diag(ff)",
    "jnp.diag(ff, 1)",
    "jnp.diag(sq, -1)",
    "jnp.diagflat(ff)",
    "jnp.diagonal(fff)",
    "jnp.diagonal(fff, 1, 1, 2)",
    "jnp.diagonal(fff, -1, axis1=2, axis2=0)",
    "fff.diagonal()",
    "jnp.trace(sq)",
    "jnp.trace(fff, 1, 1, 2)",
    "jnp.trace(ii)",
    "jnp.trace(sq, offset=-1, dtype='float16')",
    "sq.trace()",
    "J.jit(lambda v, k: jnp.trace(v, k))(sq, 1)",
    "jnp.meshgrid(f, k)",
    "jnp.meshgrid(f, k, indexing='ij')",
    "jnp.meshgrid(f, k, sparse=True)",
    "jnp.meshgrid(f)",
    "jnp.indices((2, 3))",
    "jnp.indices((2, 3), sparse=True)",
    "jnp.indices((2,), dtype='float32')",
    "jnp.vander(f)",
    "jnp.vander(i, 3)",
    "jnp.vander(f, 4, increasing=True)",
    "jnp.diag_indices(3)",
    "jnp.diag_indices(2, 3)",
    "jnp.diag_indices_from(sq)",
    "jnp.tril_indices(3)",
    "jnp.tril_indices(3, 1, 4)",
    "jnp.triu_indices(3, -1)",
    "jnp.triu_indices(2, 0, 3)",
    "jnp.tril_indices_from(ff)",
    "jnp.triu_indices_from(sq, 1)",
    "grad(lambda v: jnp.sum(jnp.diag(v) ** 2))(f)",
    "vmap(jnp.diag)(ff)",
]
RAISES = [
    "jnp.tril(f)",
    "jnp.eye(-1)",
    "jnp.diag(fff)",
    "jnp.diagonal(f)",
    "jnp.meshgrid(ff)",
    "jnp.meshgrid(1, f)",
    "jnp.meshgrid(f, copy=False)",
    "jnp.meshgrid(f, indexing='a')",
    "jnp.vander(ff)",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)
