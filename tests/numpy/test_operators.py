"""What operators of arrays and tracers do."""

import pytest

from tests.numpy.expressions import evaluate

BINARY = ("+", "-", "*", "/", "//", "%", "**", "<", "<=", ">", ">=", "==", "!=")
WHOLE = ("&", "|", "^", "<<", ">>")
OTHERS = ("g", "2", "2.5", "np.float32(2)", "np.array([1.0, 2.0, 3.0])", "i", "True")
CASES = [f"p {op} {y}" for op in BINARY for y in OTHERS]
CASES += [f"{y} {op} p" for op in BINARY for y in OTHERS[1:]]
CASES += [f"i {op} {y}" for op in WHOLE for y in ("k", "1", "np.array([1, 2, 3])")]
CASES += [f"{y} {op} k" for op in WHOLE for y in ("i", "1", "np.array([1, 2, 3])")]
CASES += [f"J.jit(lambda v: v {op} 2)(p)" for op in BINARY]
CASES += [f"J.jit(lambda v: 2 {op} v)(p)" for op in BINARY]
CASES += [
    "divmod(f, g)",
    "divmod(2, p)",
    "-f",
    "+f",
    "abs(f)",
    "~i",
    "f @ g",
    "np.ones(3) @ f",
    "type(np.ones(3, 'float32') + f).__name__",
    "1 in jnp.arange(3)",
    "7 in jnp.arange(3)",
    "round(s)",
    "round(jnp.array(2.567), 2)",
    "[v for v in ff]",
    "list(reversed(f))",
    "[float(v) for v in f]",
    "J.jit(lambda v: sum(v))(f)",
    "J.jit(lambda v: [r * 2 for r in v])(ff)",
    "f == None",
    "f != 'a'",
    "jnp.ones(3) + jaxarray",
    "len(ff)",
    "bool(jnp.ones(1))",
    "int(jnp.array(3.7))",
    "J.jit(lambda v: np.float32(2) * v)(f)",
    "J.jit(lambda v: np.ones(3, 'float32') - v)(f)",
]
RAISES = [
    "f + [1, 2, 3]",
    "[1, 2, 3] + f",
    "f * [1]",
    "f + None",
    "f < [1]",
    "f @ [1.0]",
    "1 in jnp.ones((2, 2))",
    "None in f",
    "hash(f)",
    "len(s)",
    "iter(s)",
    "bool(f)",
    "bool(e)",
    "int(jnp.ones(1))",
    "J.jit(lambda v: v + [1])(f)",
    "J.jit(lambda v: list(v))(s)",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)
