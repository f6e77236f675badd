"""Every public function has an example in its docstring, and it is true."""

import doctest
import importlib

import pytest

jnp = importlib.import_module("minijax.numpy")

# Values, dtypes and names of NumPy.
PLAIN = {
    *("ComplexWarning", "dtype", "get_printoptions", "printoptions", "save", "savez"),
    *("set_printoptions", "ndarray", "load", "fromfile", "fromiter", "linalg"),
}
FUNCTIONS = [
    name
    for name in jnp.__all__
    if name not in PLAIN
    and callable(getattr(jnp, name))
    and not isinstance(getattr(jnp, name), type)
]


@pytest.mark.parametrize("name", [*FUNCTIONS, "finfo", "iinfo", "ufunc"])
def test_example(name):
    text = getattr(jnp, name).__doc__ or ""
    example = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    assert example.examples, f"{name} has no example"
    runner = doctest.DocTestRunner(verbose=False)
    printed = []
    runner.run(example, out=printed.append)
    assert not runner.summarize(verbose=False).failed, "".join(printed)
