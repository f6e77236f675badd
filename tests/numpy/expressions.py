"""Programs of `tests/numpy`: expressions over arrays, evaluated by both libraries.

A test module holds lists of expressions; each is one test, named by its text. The names
that an expression may use are made by `environment`.
"""

import functools
import warnings
from typing import Any

import ml_dtypes  # noqa: F401  makes numpy know bfloat16 by name
import numpy as np


class Convertible:
    """An object that only turns into an array through `__jax_array__`."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __jax_array__(self) -> Any:
        return self.array


@functools.cache
def environment(J: Any) -> dict[str, Any]:
    """The names of an expression. Letters say the dtype, repeated ones the rank."""
    jnp = J.numpy
    r = np.random.RandomState(0)
    f = jnp.asarray(r.randn(3).astype("float32"))
    return {
        "J": J,
        "jnp": jnp,
        "np": np,
        "lax": J.lax,
        "f": f,
        "g": jnp.asarray(r.randn(3).astype("float32")),
        "p": jnp.asarray(r.rand(3).astype("float32") + np.float32(0.1)),
        "ff": jnp.asarray(r.randn(2, 3).astype("float32")),
        "gg": jnp.asarray(r.randn(3, 4).astype("float32")),
        "fff": jnp.asarray(r.randn(2, 3, 4).astype("float32")),
        "sq": jnp.asarray(r.randn(3, 3).astype("float32")),
        "s": jnp.float32(1.5),
        "w": jnp.asarray(2.5),
        "wi": jnp.asarray(2),
        "i": jnp.asarray(np.array([4, -2, 7], "int32")),
        "k": jnp.asarray(np.array([2, 0, 1], "int32")),
        "ii": jnp.asarray(r.randint(-5, 6, (2, 3)).astype("int32")),
        "i8": jnp.asarray(np.array([100, -128, 3], "int8")),
        "u": jnp.asarray(np.array([3, 250, 0], "uint8")),
        "u32": jnp.asarray(np.array([3, 2**32 - 1, 0], "uint32")),
        "b": jnp.asarray(np.array([True, False, True])),
        "bb": jnp.asarray(np.array([[True, False, True], [False, False, True]])),
        "c": jnp.asarray((r.randn(3) + 1j * r.randn(3)).astype("complex64")),
        "cc": jnp.asarray((r.randn(2, 3) + 1j * r.randn(2, 3)).astype("complex64")),
        "h": jnp.asarray(r.randn(3).astype("float16")),
        "bf": jnp.asarray(r.randn(3).astype("bfloat16")),
        "n": jnp.asarray(np.array([1, np.nan, np.inf, -np.inf, -0.0, 3], "float32")),
        "nn": jnp.asarray(np.array([[1, np.nan, 2], [np.nan] * 3], "float32")),
        "x": jnp.arange(10.0),
        "z": jnp.zeros(4),
        "e": jnp.zeros((0,)),
        "jaxarray": Convertible(jnp.arange(3.0)),
        "jit": J.jit,
        "grad": J.grad,
        "vmap": J.vmap,
        "jaxpr": lambda fun, *xs: " ".join(str(J.make_jaxpr(fun)(*xs)).split()),
    }


def evaluate(J: Any, text: str) -> Any:
    """The value of an expression."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return eval(text, dict(environment(J)))


def traced(J: Any, text: str) -> Any:
    """The value of an expression whose arrays are arguments of a jitted function."""
    names = environment(J)
    arrays = {k: v for k, v in names.items() if isinstance(v, J.Array)}
    rest = {k: v for k, v in names.items() if k not in arrays}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return J.jit(lambda given: eval(text, {**rest, **given}))(arrays)


def warning_of(J: Any, text: str) -> str:
    """The name of the first warning class, of Python's, that an expression gives."""
    names = dict(environment(J))
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        eval(text, names)
    classes = [c for w in seen for c in w.category.__mro__]
    return next((c.__name__ for c in classes if c.__module__ == "builtins"), "none")
