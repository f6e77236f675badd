import numpy as np
import pytest

from minijax import lax
from minijax.core import ShapedArray, ShapeDtypeStruct, axis_size
from minijax.runtime import caches
from minijax.transforms import eval_shape, jit, make_jaxpr


def f(x, d=None):
    return {"o": lax.sin(x)}


def test_a_program():
    jaxpr = make_jaxpr(f)(1.0)
    assert str(jaxpr) == "{ lambda ; a:f32[]. let b:f32[] = sin a in (b,) }"
    assert make_jaxpr(f)(2.0) is jaxpr
    assert jit(f).trace(3.0).jaxpr is jaxpr
    assert make_jaxpr(f).__name__ == "make_jaxpr(f)"


def test_with_the_types_of_the_result():
    jaxpr, out = make_jaxpr(f, return_shape=True)(1.0)
    assert out == {"o": ShapeDtypeStruct((), np.float32, weak_type=True)}
    assert jaxpr.out_avals == [ShapedArray((), np.float32, weak_type=True)]


def test_static_arguments_and_axes():
    jaxpr = make_jaxpr(lambda x, n: lax.mul(x, float(n)), static_argnums=1)(1.0, 3)
    assert "mul a 3.0" in str(jaxpr)
    jaxpr = make_jaxpr(
        lambda x: lax.mul(x, float(axis_size("i"))), axis_env=[("i", 4)]
    )(1.0)
    assert "mul a 4.0" in str(jaxpr)


def test_what_is_no_function():
    with pytest.raises(TypeError):
        make_jaxpr(3)
    with pytest.raises(TypeError, match="abstracted_axes"):
        make_jaxpr(f, abstracted_axes=())


def test_functions_that_cannot_be_keys():
    class Unhashable:
        __hash__ = None

        def __call__(self, x):
            return lax.cos(x)

    assert "cos" in str(make_jaxpr(Unhashable())(1.0))
    assert eval_shape(Unhashable(), 1.0).shape == ()


def test_shapes_without_computing():
    class Described:
        shape, dtype = (2, 3), np.dtype("float32")

    before = caches().executables
    assert eval_shape(f, Described()) == {"o": ShapeDtypeStruct((2, 3), np.float32)}
    assert eval_shape(f, x=np.ones(2, np.float32))["o"].shape == (2,)
    assert caches().executables == before
    with pytest.raises(TypeError, match="x"):
        eval_shape(f, "text")
