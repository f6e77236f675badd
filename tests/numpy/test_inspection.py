"""Questions about arrays and dtypes; text."""

import pytest

from tests.numpy.expressions import evaluate

CASES = [
    "jnp.shape(ff)",
    "jnp.shape(2.0)",
    "jnp.ndim(ff)",
    "jnp.size(ff)",
    "jnp.size(ff, 1)",
    "jnp.isscalar(1.0)",
    "jnp.isscalar(s)",
    "jnp.isscalar(f)",
    "jnp.iterable(f)",
    "jnp.iterable(s)",
    "jnp.iscomplexobj(c)",
    "jnp.iscomplexobj(1.0)",
    "jnp.isrealobj(f)",
    "jnp.result_type('int8', 1.0)",
    "jnp.result_type(f, i)",
    "jnp.promote_types('int8', 'uint8')",
    "jnp.promote_types('bfloat16', 'float16')",
    "jnp.issubdtype(jnp.bfloat16, jnp.floating)",
    "jnp.issubdtype(jnp.int4, jnp.integer)",
    "jnp.isdtype(jnp.float32, 'real floating')",
    "jnp.isdtype('int8', ('bool', 'integral'))",
    "jnp.isdtype('int8', jnp.int8)",
    "jnp.can_cast('int8', 'float32')",
    "jnp.finfo(jnp.bfloat16).eps.item()",
    "jnp.finfo(f).max.item()",
    "jnp.finfo('float16').bits",
    "jnp.iinfo('int4').max",
    "jnp.iinfo(i).min",
    "jnp.array_equal(f, f)",
    "jnp.array_equal([1], [1])",
    "jnp.array_equal(f, ff)",
    "jnp.array_equal(n, n)",
    "jnp.array_equal(n, n, equal_nan=True)",
    "jnp.array_equal(f, i)",
    "jnp.array_equiv(jnp.ones(3), 1.0)",
    "jnp.array_equiv(f, ff)",
    "jnp.array_repr(f)",
    "jnp.array_str(f)",
    "jnp.frombuffer(b'ab', dtype='uint8')",
    "jnp.fromstring('1 2', sep=' ')",
    "jnp.from_dlpack(np.arange(3, dtype='int32'))",
    "jnp.save is np.save",
    "jnp.dtype is np.dtype",
]
RAISES = [
    "jnp.result_type()",
    "jnp.finfo(3.0)",
    "jnp.finfo(int)",
    "jnp.fromiter([1], int)",
    "jnp.fromfile('x')",
    "jnp.isdtype('int8', 'bogus')",
    "jnp.promote_types('int4', 'int8')",
]


@pytest.mark.parametrize("text", CASES)
def test_value(oracle, text):
    oracle.compare(evaluate, text)


@pytest.mark.parametrize("text", RAISES)
def test_error(oracle, text):
    oracle.compare(evaluate, text, raises=True)
