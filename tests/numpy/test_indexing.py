"""What an index means: shapes and values of every kind of index."""

import pytest

from tests.numpy.expressions import evaluate

INDICES = (
    *("0", "-1", "1:", "::2", "::-1", "1:0:-1", "None", "...", "True", "False", "()"),
    *("0, 1", ":, 0", "0, :, 1", "..., 0", "0, None", "1:, ::2", "..., None, 1"),
    *("k % 2", ":, k", "k % 2, :, k", "k % 2, k", "0, :, k", ":, 0, k", "..., k"),
    *(
        "k % 2, None, k",
        "0, :, None, k",
        "k[:, None] % 2, k",
        "k % 2, 1:3",
        "k % 2, ::2",
    ),
    *(":, ::-1, k", "k % 2, ::-1", ":, True", ":, b, 0", "np.array([True, False])"),
    *("[0, 1], [0, 2]", "bb", "bb, 0", "s > 0", "k[0], 1:2", "k[0], ::2", "k[0], k[1]"),
    *("np.int64(1), -2", "jnp.uint8(1)", "..., jnp.array([0, -1], 'int8')", "2:1"),
    *("J.ds(0, 1) if 0 else 1", "k % 2, k, k", "slice(None, 1), slice(1, None)"),
)
CASES = [f"fff[{index}]" for index in INDICES]
CASES += [
    "x[10]",
    "x[-11]",
    "x[100:200]",
    "x[jnp.array([0, 10, -1, -11])]",
    "x[np.array([2, 3])]",
    "x[[0, 1],]",
    "x[jnp.zeros((2, 2), int)]",
    "x[x > 3]",
    "i[k]",
    "c[k]",
    "b[k]",
    "x[jnp.array(3)]",
    "x[k[0]]",
    "jnp.zeros((0, 3))[:, 1]",
    "jnp.zeros((0, 3))[jnp.zeros((0,), int)]",
    "J.jit(lambda v: v[np.array([True] * 5 + [False] * 5)])(x)",
    "grad(lambda v: v[1])(f)",
    "grad(lambda v: jnp.sum(v[k] ** 2))(f)",
    "grad(lambda v: jnp.sum(v[::-1][:2] ** 2))(f)",
    "vmap(lambda v, j: v[j], (None, 0))(x, k)",
    "vmap(lambda v: v[k])(ff)",
    "vmap(lambda v: v[1:])(ff)",
]
RAISES = [
    "x[[1, 2]]",
    "x[[]]",
    "x[1.0]",
    "x['a']",
    "x[1, 2]",
    "x[..., ...]",
    "x[jnp.array([1.0])]",
    "x[1:2.5]",
    "x[::0]",
    "fff[k, i[:2]]",
    "fff[np.array([True, False, True])]",
    "jnp.zeros((0,))[0]",
    "jnp.zeros((0,))[k]",
    "J.jit(lambda v, m: v[m])(x, x > 3)",
    "J.jit(lambda v, j: v[j : j + 2])(x, 1)",
    "x[object()]",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)


JAXPRS = [
    *("x[1]", "x[-1]", "x[1:3]", "x[::2]", "x[::-1]", "x[5:2:-1]", "x[None]", "x[...]"),
    *("x[k]", "x[k, None]", "fff[0]", "fff[0, 1]", "fff[:, 0]", "fff[..., 0]"),
    *(
        "fff[0, None]",
        "fff[1:, ::2]",
        "fff[k]",
        "fff[:, k]",
        "fff[k, :, k]",
        "fff[k, k]",
    ),
    *("fff[k, None, k]", "fff[k, 1:3]", "fff[k[:, None], k]", "fff[..., None, k]"),
]


@pytest.mark.parametrize("text", JAXPRS)
def test_program(oracle, text):
    oracle.compare(evaluate, f"jaxpr(lambda x, fff, k: {text}, x, fff, k)")
