import numpy as np
import pytest

from minijax import lax
from minijax.core import typeof
from minijax.runtime import default_placement, devices, put
from minijax.transforms import grad, jit, jvp, make_jaxpr, vmap


@pytest.fixture
def x():
    return put(np.arange(3, dtype=np.float32))


def test_trees_and_places(x):
    here = devices()[0]
    moved = lax.device_put({"a": x, "b": (1.0, None)}, here)
    assert moved["a"].committed
    assert moved["b"][0].device is here
    assert moved["b"][1] is None
    mixed = lax.device_put({"a": x, "b": 1.0}, {"a": here, "b": None})
    assert (mixed["a"].committed, mixed["b"].committed) == (True, False)
    assert lax.device_put([], here) == []


def test_aliasing_and_donation(x):
    same = lax.device_put(x)
    assert same.unsafe_buffer_pointer() == x.unsafe_buffer_pointer()
    own = lax.device_put(x, may_alias=False)
    assert own.unsafe_buffer_pointer() != x.unsafe_buffer_pointer()
    lax.device_put(x, default_placement(), donate=True)
    assert x.is_deleted()
    with pytest.raises(ValueError, match="may_alias"):
        lax.device_put(own, donate=True, may_alias=True)


def test_refused():
    for wrong in ("text", object(), np.array(["a"])):
        with pytest.raises(TypeError):
            lax.device_put(wrong)
    with pytest.raises(ValueError, match="'there'"):
        lax.device_put(1.0, "there")


def test_inside_programs(x):
    here = devices()[0]

    def f(x):
        return lax.mul(lax.device_put(x, here), x)

    assert "devices=(CpuDevice(id=0),)" in str(make_jaxpr(f)(x))
    assert jit(f)(x).tolist() == [0, 1, 4]
    assert vmap(f)(x).tolist() == [0, 1, 4]
    assert float(grad(f)(3.0)) == 6.0
    assert float(grad(grad(f))(3.0)) == 2.0
    y, y_dot = jvp(f, (2.0,), (1.0,))
    assert (float(y), float(y_dot)) == (4.0, 4.0)
    assert typeof(y).weak_type


def test_text_is_that_of_jax(oracle):
    from tests.lax import transfer_programs as programs

    oracle.compare(programs.text, np.float32(1))
