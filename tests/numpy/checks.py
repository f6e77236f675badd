"""The environment of the Checks of spec/numpy.md, and how one is evaluated."""

import functools
import warnings
from typing import Any

import numpy as np

from tests.numpy.expressions import Convertible


def _set(x: Any) -> None:
    x[0] = 1


def _delete(x: Any) -> None:
    del x[0]


def _static_index(J: Any, f: Any) -> Any:
    before = J.config.jax_check_static_indices
    J.config.update("jax_check_static_indices", True)
    try:
        return f()
    finally:
        J.config.update("jax_check_static_indices", before)


def _within(context: Any, f: Any) -> Any:
    with context:
        return f()


@functools.cache
def environment(J: Any) -> dict[str, Any]:
    """The names that the Checks use."""
    jnp = J.numpy
    return {
        "J": J,
        "jnp": jnp,
        "np": np,
        "lax": J.lax,
        "jit": J.jit,
        "grad": J.grad,
        "x": jnp.arange(10.0),
        "m": jnp.arange(24.0).reshape(2, 3, 4),
        "i3": jnp.array([0, 1, 1]),
        "v3": jnp.ones(3),
        "z4": jnp.zeros(4),
        "jaxarray": Convertible(jnp.arange(3.0)),
        "setitem": _set,
        "delitem": _delete,
        "x64": lambda f: _within(J.enable_x64(True), f),
        "strict": lambda f: _within(J.numpy_dtype_promotion("strict"), f),
        "rank": lambda mode, f: _within(J.numpy_rank_promotion(mode), f),
        "debugnans": lambda f: _within(J.debug_nans(True), f),
        "staticidx": lambda f: _static_index(J, f),
        "jaxpr": lambda f, *xs: " ".join(str(J.make_jaxpr(f)(*xs)).split()),
    }


def evaluate(J: Any, text: str) -> Any:
    """The value of a line of the Checks."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return eval(text, dict(environment(J)))


def raised_warning(J: Any, text: str) -> str:
    """The class, of Python's, of the first warning that a line gives."""
    names = dict(environment(J))
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        eval(text, names)
    classes = [c for w in seen for c in w.category.__mro__]
    return next((c.__name__ for c in classes if c.__module__ == "builtins"), "none")
