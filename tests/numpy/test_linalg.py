"""`jnp.linalg` gathers functions under NumPy's names; `test_norms` has their values."""

import pytest

from tests.numpy.expressions import evaluate

# Those that `jnp` shows too are the same functions.
SHARED = ("cross", "matmul", "matrix_transpose", "outer", "tensordot", "vecdot")


def there(J, names):
    return [name for name in names if hasattr(J.numpy.linalg, name)]


def test_every_name_is_one_of_jax(oracle):
    from minijax.numpy import linalg

    names = linalg.__all__
    assert len(names) >= 13
    oracle.compare(there, names)


def test_what_jnp_shows_too_is_the_same():
    import minijax.numpy as jnp

    for name in SHARED:
        assert getattr(jnp.linalg, name) is getattr(jnp, name), name


CASES = [
    "jnp.linalg.matmul(ff, gg)",
    "jnp.linalg.vecdot(f, g)",
    "jnp.linalg.vecdot(ff, ff, axis=0)",
    "jnp.linalg.tensordot(ff, gg, axes=1)",
    "jnp.linalg.trace(fff, offset=1)",
    "jnp.linalg.diagonal(fff, offset=-1)",
    "jnp.linalg.trace(ii, dtype='float32')",
    "jit(jnp.linalg.matmul)(ff, gg)",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text)
