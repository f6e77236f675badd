"""Products that sum over axes."""

import pytest

from tests.numpy.expressions import evaluate

SHAPES = (
    *("(3,), (3,)", "(2, 3), (3,)", "(3,), (3, 2)", "(2, 3), (3, 4)"),
    *("(2, 3, 4), (4, 5)", "(3, 4), (2, 4, 5)", "(2, 3, 4), (2, 4, 5)"),
    *("(2, 3, 4), (1, 4, 5)", "(5, 1, 3, 4), (2, 4, 5)", "(2, 1, 3, 4), (6, 4, 5)"),
    *("(1, 3, 4), (1, 4, 5)", "(4,), (2, 4, 5)", "(2, 3, 4), (4,)", "(0, 3), (3, 2)"),
)
CASES = [
    f"(lambda a, b: jnp.matmul(jnp.arange(np.prod(a) * 1.0).reshape(a), "
    f"jnp.ones(b) / 3))({shapes})"
    for shapes in SHAPES
]
CASES += [
    f"jaxpr(jnp.matmul, *(lambda a, b: (jnp.ones(a), jnp.ones(b)))({shapes}))"
    for shapes in SHAPES
    if shapes != "(1, 3, 4), (1, 4, 5)"  # there jax drops both axes and adds one again
]
CASES += [
    "jnp.dot(f, g)",
    "jnp.dot(ff, gg)",
    "jnp.dot(f, 2)",
    "jnp.dot(2, 3)",
    "jnp.dot(f, i)",
    "jnp.dot(fff, jnp.ones((5, 4, 2)))",
    "jnp.dot(i8, i8)",
    "jnp.dot(i8, i8, preferred_element_type='int32')",
    "jnp.dot(b, b)",
    "jnp.dot(u, f)",
    "jnp.dot(h, bf)",
    "jnp.dot(c, f)",
    "jnp.matmul(jnp.array([1, 2]), jnp.array([3, 4]))",
    "ff @ gg",
    "f @ i",
    "2 * (f @ jnp.array([1, 2, 3]))",
    "jnp.inner(ff, f)",
    "jnp.inner(f, g)",
    "jnp.inner(2, f)",
    "jnp.vdot(c, c)",
    "jnp.vdot(ff, ff)",
    "jnp.outer(f, i)",
    "jnp.outer(ff, b)",
    "jnp.outer(b, b)",
    "jnp.tensordot(fff, jnp.ones((4, 5)), 1)",
    "jnp.tensordot(fff, jnp.ones((4, 2)), axes=([0, 2], [1, 0]))",
    "jnp.tensordot(f, g, 0)",
    "jnp.tensordot(f, g, axes=((0,), (0,)))",
    "jnp.vecdot(ff, ff)",
    "jnp.vecdot(cc, cc)",
    "jnp.vecdot(ff, f)",
    "jnp.vecdot(ff, ff, axis=0)",
    "jnp.matvec(ff, f)",
    "jnp.vecmat(f, gg)",
    "jnp.vecmat(c, gg)",
    "jnp.kron(ff, f)",
    "jnp.kron(f, ff)",
    "jnp.kron(2, f)",
    "jnp.cross(f, g)",
    "jnp.cross(ff, f)",
    "jnp.cross(i, k)",
    "jnp.cross(sq, sq.T, axis=0)",
    "f.dot(g)",
    "jnp.dot(f, g, precision='highest')",
    "grad(lambda v: v @ v)(f)",
    "grad(lambda v: jnp.sum(jnp.outer(v, g)))(f)",
    "vmap(jnp.dot)(ff, ff)",
    "vmap(jnp.matmul, (0, None))(ff, gg)",
]
RAISES = [
    "jnp.matmul(3, f)",
    "jnp.dot(f, z)",
    "jnp.dot(f, g, precision='bogus')",
    "jnp.dot(f, g, out=f)",
    "jnp.tensordot(f, g, 5)",
    "jnp.matmul(jnp.ones((2, 3, 4)), jnp.ones((3, 4, 5)))",
    "jnp.cross(f[:2], f[:2])",
    "jnp.dot([1.0], f)",
    "f @ [1, 2, 3]",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)
