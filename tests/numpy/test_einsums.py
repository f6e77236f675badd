"""Sums of products written with letters."""

import pytest

import minijax as mj
import minijax.numpy as jnp
from tests.numpy.expressions import evaluate

CASES = [
    "jnp.einsum('ij,jk->ik', ff, gg)",
    "jnp.einsum('ij,jk->ki', ff, gg)",
    "jnp.einsum('ij,jk', ff, gg)",
    "jnp.einsum('ij->ji', ff)",
    "jnp.einsum('ij->', ff)",
    "jnp.einsum('ij->j', ff)",
    "jnp.einsum('ii', sq)",
    "jnp.einsum('ii->i', sq)",
    "jnp.einsum('i,i', f, g)",
    "jnp.einsum('i,i->i', f, g)",
    "jnp.einsum('i,j->ij', f, g)",
    "jnp.einsum('i,j', f, g)",
    "jnp.einsum('ijk,jk->i', fff, fff[0])",
    "jnp.einsum('...j,j->...', fff[..., :3], f)",
    "jnp.einsum('...ij,...jk->...ik', fff, jnp.ones((2, 4, 5)))",
    "jnp.einsum('...ij,jk', fff, jnp.ones((4, 5)))",
    "jnp.einsum('bij,bjk->bik', fff, jnp.ones((2, 4, 5)))",
    "jnp.einsum('bij,bkj->bik', fff, fff)",
    "jnp.einsum('ij,jk,kl->il', ff, gg, gg.T)",
    "jnp.einsum('i,ij,j', f, sq, g)",
    "jnp.einsum('ij,ij,ij->i', ff, ff, ff)",
    "jnp.einsum('a,b,c,d->abcd', f, g, f, g)",
    "jnp.einsum('ij,ij->ij', jnp.ones((2, 3)), jnp.ones((1, 3)))",
    "jnp.einsum('ij,jk->ik', jnp.ones((2, 1)), gg)",
    "jnp.einsum('iij->ij', jnp.arange(18.0).reshape(3, 3, 2))",
    "jnp.einsum('i->', jnp.full(4, 100, 'int8'))",
    "jnp.einsum('i,i', b, b)",
    "jnp.einsum('i,i', f, i)",
    "jnp.einsum('i,i', i8, i8, preferred_element_type='int32')",
    "jnp.einsum('ij,j->i', cc, c)",
    "jnp.einsum(ff, [0, 1], gg, [1, 2], [0, 2])",
    "jnp.einsum(ff, [0, 1])",
    "jnp.einsum(' i j , j -> i ', ff, f)",
    "jnp.einsum('ij,jk,kl->il', ff, gg, gg.T, optimize=False)",
    "jnp.einsum('ij,jk,kl->il', ff, gg, gg.T, optimize='greedy')",
    "jnp.einsum('bqhd,bkhd->bhqk', jnp.ones((2, 3, 4, 5)), jnp.arange(240.0).reshape(2, 6, 4, 5))",
    "jnp.einsum('bhqk,bkhd->bqhd', jnp.ones((2, 4, 3, 6)), jnp.arange(240.0).reshape(2, 6, 4, 5))",
    "jnp.einsum('i', f)",
    "jnp.einsum('', 2.0)",
    "jnp.einsum('i,->i', f, 2.0)",
    "jaxpr(lambda a, b: jnp.einsum('ij,jk->ik', a, b), ff, gg)",
    "jaxpr(lambda a, b: jnp.einsum('ij,jk->ki', a, b), ff, gg)",
    "jaxpr(lambda a, b: jnp.einsum('bqhd,bkhd->bhqk', a, b), jnp.ones((2, 3, 4, 5)), jnp.ones((2, 6, 4, 5)))",
    "jaxpr(lambda a, b: jnp.einsum('bhqk,bkhd->bqhd', a, b), jnp.ones((2, 4, 3, 6)), jnp.ones((2, 6, 4, 5)))",
    "jaxpr(lambda a: jnp.einsum('ij->ji', a), ff)",
    "jaxpr(lambda a, b: jnp.einsum('ij,jk->i', a, b), ff, gg)",
    "grad(lambda v: jnp.einsum('i,ij,j', v, sq, v))(f)",
    "vmap(lambda v: jnp.einsum('i,ij->j', v, sq))(ff)",
    "jnp.einsum_path('ij,jk->ik', ff, gg)[0]",
]
RAISES = [
    "jnp.einsum('i,i', f, z)",
    "jnp.einsum('ij->k', jnp.ones((2, 2)))",
    "jnp.einsum('ij,jk', ff)",
    "jnp.einsum('ij->ii', ff)",
    "jnp.einsum('i', ff)",
    "jnp.einsum('i->i', [1.0])",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)


def test_a_placement_is_refused_and_not_ignored():
    x = jnp.ones(2)
    with pytest.raises(NotImplementedError, match="placement"):
        jnp.einsum("i,i->", x, x, out_sharding=mj.devices()[0])
