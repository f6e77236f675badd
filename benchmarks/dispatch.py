"""Claim: calling a compiled function again costs no more than in jax, in any form."""

from typing import Any

import numpy as np

from benchmarks.harness import Group

GROUP = Group()


def _ends(*xs: Any) -> Any:
    return xs[0] + xs[-1]


def _with_arguments(count: int) -> Any:
    def body(J: Any) -> Any:
        f = J.jit(_ends)
        xs = [J.numpy.full(4, float(i)) for i in range(count)]
        return lambda: f(*xs)

    return body


for _count in (1, 10, 100):
    _plural = "" if _count == 1 else "s"
    GROUP.call(f"jit hit, {_count} argument{_plural}", target=1.0)(
        _with_arguments(_count)
    )


@GROUP.call("jit hit, no arguments", target=1.0)
def no_arguments(J: Any) -> Any:
    return J.jit(lambda: J.numpy.ones(4))


@GROUP.call("jit hit, dict of 10", target=1.0)
def dictionary(J: Any) -> Any:
    f = J.jit(lambda d: d["w0"] + d["w9"])
    d = {f"w{i}": J.numpy.full(4, float(i)) for i in range(10)}
    return lambda: f(d)


@GROUP.call("jit hit, numpy array", target=1.0)
def numpy_array(J: Any) -> Any:
    f, x = J.jit(lambda x: x + 1), np.ones(4, np.float32)
    return lambda: f(x)


@GROUP.call("jit hit, Python scalar", target=1.0)
def python_scalar(J: Any) -> Any:
    f = J.jit(lambda x: x + 1)
    return lambda: f(2.5)


@GROUP.call("jit hit, static argument", target=1.0)
def static(J: Any) -> Any:
    f, x = J.jit(lambda x, n: x * n, static_argnums=1), J.numpy.ones(4)
    return lambda: f(x, 3)


@GROUP.call("jit hit, keyword arguments", target=1.0)
def keywords(J: Any) -> Any:
    f, x = J.jit(lambda x, y: x + y), J.numpy.ones(4)
    return lambda: f(x=x, y=x)
