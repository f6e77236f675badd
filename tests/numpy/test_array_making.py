"""Arrays from Python and NumPy data; copies; dtypes."""

import pytest

from tests.numpy.expressions import evaluate

CASES = [
    "jnp.array([])",
    "jnp.array(3)",
    "jnp.asarray(2.5)",
    "jnp.array(True)",
    "jnp.array(1j)",
    "jnp.array([1, 2])",
    "jnp.array([1, 2.5])",
    "jnp.array([1, True])",
    "jnp.array([[1, 2], [3, 4]])",
    "jnp.array((1.0, 2.0))",
    "jnp.array([np.float16(1), 2])",
    "jnp.array([np.float16(1), jnp.bfloat16(1)])",
    "jnp.array([2**31, 1.0])",
    "jnp.array([f, g])",
    "jnp.array([s, 1])",
    "jnp.array([[s, 1.0], [2, 3]])",
    "jnp.array([f] * 20)",
    "jnp.array(np.arange(3))",
    "jnp.array(np.array([2**40]))",
    "jnp.array(np.array([300]), 'uint8')",
    "jnp.array(np.float64(2))",
    "jnp.array(1e40)",
    "jnp.array(f, dtype=int)",
    "jnp.array([1.7, -2.7], dtype=int)",
    "jnp.array([1, 2], 'float16')",
    "jnp.array([1, 0], bool)",
    "jnp.array(3, ndmin=2)",
    "jnp.array(f, ndmin=3)",
    "jnp.array(range(3))",
    "jnp.array(bytearray(b'ab'))",
    "jnp.array(memoryview(b'ab'))",
    "jnp.array(jaxarray)",
    "jnp.asarray(f) is f",
    "jnp.array(f) is f",
    "jnp.array(f, copy=False) is f",
    "f.astype(f.dtype) is f",
    "jnp.copy(f)",
    "f.copy()",
    "jnp.array([300.0, -1.0, jnp.nan, jnp.inf]).astype('uint8')",
    "jnp.array([1e20, -1e20]).astype(int)",
    "c.astype('float32')",
    "jnp.array([0j, 2j]).astype(bool)",
    "f.astype(None)",
    "f.astype('bfloat16')",
    "n.astype(bool)",
    "i.astype(jnp.int8)",
    "w.astype(jnp.float32)",
    "jnp.astype(f, int)",
    "jnp.array([1 + 2j])",
    "jnp.array('3') if 0 else 1",
    "jnp.array([1, 2], float)",
    "jnp.array([[], []])",
    "jaxpr(lambda v: jnp.array([v, 1.0]), s)",
    "jaxpr(lambda v: jnp.array(v), f)",
]
RAISES = [
    "jnp.array(2**31)",
    "jnp.array([300], 'uint8')",
    "jnp.uint8(300)",
    "jnp.array([1, [2]])",
    "jnp.array(None)",
    "jnp.array([1, None])",
    "jnp.array('a')",
    "jnp.array({1})",
    "jnp.array({'a': 1})",
    "jnp.array(object())",
    "jnp.array([1], order='C')",
    "jnp.array(jnp.nan, dtype=int)",
    "jnp.array(1j, dtype='float32')",
    "jnp.array(['a'])",
    "jnp.zeros(2, '>i4')",
    "jnp.zeros(2, object)",
    "jnp.array(np.ones(2, '>f4'))",
    "jnp.astype([1], int)",
    "jnp.array([f, f[:2]])",
    "jnp.array(1, dtype='bogus')",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)
