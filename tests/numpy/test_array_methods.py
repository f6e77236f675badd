"""Methods and properties of arrays."""

import pytest

from tests.numpy.expressions import evaluate

CASES = [
    "f.view('int32')",
    "f.view('uint8')",
    "ff.view('int16')",
    "u[:2].view('uint16')",
    "c.view('float32')",
    "jnp.arange(4.0).view('complex64')",
    "b.view('uint8')",
    "u.view(bool)",
    "i.byteswap()",
    "c.byteswap()",
    "u.byteswap()",
    "f.astype(int)",
    "ff.T",
    "fff.mT",
    "c.real",
    "c.imag",
    "f.nbytes",
    "f.itemsize",
    "f.size",
    "ff.ndim",
    "ff.sum(axis=0, keepdims=True)",
    "ff.mean()",
    "ff.reshape(-1).tolist()",
    "ff.transpose(1, 0)",
    "ff.repeat(2, axis=0)",
    "ff.swapaxes(0, 1)",
    "x.clip(2, 5)",
    "f.conj()",
    "ff.ravel(order='F')",
    "ff.dot(f)",
    "ff.argpartition(1)",
    "f.nonzero()",
    "sq.diagonal(1)",
    "sq.trace()",
    "f.__array_namespace__() is jnp",
    "jnp.__array_api_version__",
    "J.jit(lambda v: v.astype(int).T.reshape(-1).sum())(ff)",
    "J.jit(lambda v: (v.shape, v.ndim, v.size, v.mean(0)))(ff)[3]",
    "x.searchsorted(jnp.array([2.5]))",
]
RAISES = [
    "x.flat",
    "s.view('int8')",
    "u.view('uint16')",
    "f.__array_namespace__(api_version='1999')",
    "f.reshape(2, 2)",
    "f.compress(ff)",
    "f.sum(axis=3)",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)
