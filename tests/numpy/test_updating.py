"""`x.at[...].set` and its like."""

import pytest

from tests.numpy.expressions import evaluate, warning_of

INDICES = (
    "0",
    "-1",
    "1:3",
    "k",
    "...",
    "()",
    "::2",
    "::-2",
    "b4",
    "k[0]",
    "None, 1",
    "7",
    "-9",
)
NAMES = ("set", "add", "subtract", "multiply", "divide", "min", "max", "mul", "power")
CASES = [
    f"(lambda v, b4: v.at[{index}].{name}(2.0))(x[:4] + 1, np.array([True, False] * 2))"
    for index in INDICES
    for name in NAMES[:5]
]
CASES += [f"x.at[jnp.array([1, 1, 2])].{name}(3.0)" for name in NAMES]
CASES += [f"i.at[k].{name}(2)" for name in NAMES]
CASES += [
    "z.at[jnp.array([0, 4, -1, -5])].set(1.0)",
    "z.at[4].set(1.0)",
    "z.at[4].set(1.0, mode='clip')",
    "z.at[4].set(1.0, mode='drop')",
    "z.at[jnp.array([1, 1, 1])].add(1.0)",
    "jnp.arange(4).at[1].set(2.5)",
    "jnp.arange(4, dtype='int8').at[1].set(300)",
    "z.at[1:3].set([7, 8])",
    "jnp.ones(4).at[jnp.array([1, 1, 2])].apply(lambda v: v * 10)",
    "x.at[1:3].apply(jnp.sin)",
    "z.at[np.array([True, False, True, False])].set(9)",
    "z.at[True].set(1.0)",
    "z.at[False].set(1.0)",
    "ff.at[0].set(f)",
    "ff.at[:, 1].set(5.0)",
    "ff.at[k % 2, k].add(f)",
    "fff.at[0, :, k].set(1.0)",
    "fff.at[k % 2, :, k].add(jnp.ones((3, 3)))",
    "fff.at[:, 1:3].set(1.0)",
    "fff.at[k[0] % 2, 1:2].set(1.0)",
    "fff.at[0, ::2].set(0.0)",
    "fff.at[..., 0].add(1.0)",
    "ff.at[bb].set(0.0)",
    "ff.at[bb].set(jnp.array([1.0, 2.0, 3.0]))",
    "b.at[0].set(False)",
    "c.at[0].set(1.0)",
    "h.at[k].add(1)",
    "u.at[0].set(-1)",
    "z.at[0].set(i[0])",
    "z.at[jnp.zeros((0,), int)].set(1.0)",
    "z.at[-1].set(3.0, wrap_negative_indices=False)",
    "z.at[1].set(2.0, mode='clip', unique_indices=True, indices_are_sorted=True)",
    "grad(lambda v: jnp.sum(v.at[1].set(0.0) ** 2))(f)",
    "grad(lambda v: jnp.sum(v.at[k].add(g) ** 2))(f)",
    "grad(lambda v: jnp.sum(f.at[k].set(v) ** 2))(g)",
    "grad(lambda v: jnp.sum(v.at[k].multiply(g)))(f)",
    "vmap(lambda v, j: v.at[j].set(0.0), (None, 0))(x, k)",
    "vmap(lambda v: v.at[0].add(1.0))(ff)",
    "J.jit(lambda v, j: v.at[j].set(1.0))(x, 3)",
    "repr(f.at)",
    "repr(f.at[0])",
]
RAISES = [
    "z.at[1:3].set(f)",
    "z.at[0].set('a')",
    "z.at[0].set(None)",
    "b.at[0].add(True)",
    "z.at[0].set(1.0, mode='wrap')",
    "z.at[1.0].set(1.0)",
    "z.at[0, 0].set(1.0)",
    "z.at[0].set(f)",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)


JAXPRS = [
    *("x.at[1].set(2.0)", "x.at[1].add(x[0])", "x.at[1:3].set(0)", "x.at[k].set(1.0)"),
    *(
        "x.at[k].add(1.0)",
        "x.at[k[0]].set(0)",
        "x.at[-1].set(3)",
        "x.at[k].divide(2.0)",
    ),
    *(
        "x.at[1].set(2.0, mode='clip')",
        "fff.at[:, 0].set(1.0)",
        "fff.at[:, k].add(1.0)",
    ),
    *("fff.at[k, :, k].set(1.0)", "fff.at[:, 1:3].set(1.0)", "fff.at[..., 0].add(1.0)"),
]


@pytest.mark.parametrize("text", JAXPRS)
def test_program(oracle, text):
    oracle.compare(evaluate, f"jaxpr(lambda x, fff, k: {text}, x, fff, k)")


def test_a_lossy_update_warns(oracle):
    oracle.compare(warning_of, "jnp.arange(4).at[1].set(2.5)")
    oracle.compare(warning_of, "jnp.arange(4).at[1].set(2)")
    oracle.compare(warning_of, "z.at[1].set(2)")
