import sys

from minijax.runtime import put, shielded
from tests.runtime.processes import run


def test_names_are_blocked_inside_and_free_outside():
    with shielded():
        assert sys.modules["jax.core"] is None
        with shielded():
            assert sys.modules["jax._src.sharding_impls"] is None
        assert "jax.core" in sys.modules
    assert "jax.core" not in sys.modules


def test_leaking_calls_do_not_import_an_installed_jax():
    out = run(
        """
        import importlib.util, sys
        from minijax.runtime import put
        assert importlib.util.find_spec("jax")
        x = put([1.0, 2.0][0])
        x.unsafe_buffer_pointer(); x.addressable_shards; x.addressable_data(0)
        list(put(__import__("numpy").ones((2, 2))))
        print("jax" in sys.modules)
        """
    )
    assert out == "False\n"


def test_pointer_is_that_of_the_data():
    x = put(1.5)
    assert x.unsafe_buffer_pointer() == x.__array__().ctypes.data
