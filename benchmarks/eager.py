"""Claim: what is not compiled by the user is dispatched by C++ all the same."""

from typing import Any

import numpy as np

from benchmarks.harness import Group

GROUP = Group()


def _vector(J: Any) -> Any:
    return J.numpy.arange(8, dtype=np.float32)


@GROUP.call("x + x", target=0.65)
def add(J: Any) -> Any:
    x = _vector(J)
    return lambda: x + x


@GROUP.call("x * 2", target=0.5)
def scale(J: Any) -> Any:
    x = _vector(J)
    return lambda: x * 2


@GROUP.call("numpy.sin(x)", target=1.0)
def sine(J: Any) -> Any:
    x, sin = _vector(J), J.numpy.sin
    return lambda: sin(x)


@GROUP.call("x[0]", target=0.2)
def element(J: Any) -> Any:
    x = _vector(J)
    return lambda: x[0]


@GROUP.call("x[1:3]", target=0.2)
def part(J: Any) -> Any:
    x = _vector(J)
    return lambda: x[1:3]


@GROUP.call("x[idx]", target=0.15)
def gather(J: Any) -> Any:
    x, idx = _vector(J), J.numpy.array([2, 0, 5])
    return lambda: x[idx]


@GROUP.call("x.at[0].set(1)", target=0.15)
def update(J: Any) -> Any:
    x = _vector(J)
    return lambda: x.at[0].set(1.0)


@GROUP.call("numpy.zeros(8)")
def zeros(J: Any) -> Any:
    return lambda: J.numpy.zeros(8)


@GROUP.call("numpy.array of a list")
def from_list(J: Any) -> Any:
    return lambda: J.numpy.array([1.0, 2.0, 3.0])


@GROUP.call("numpy.asarray of a numpy array")
def from_numpy(J: Any) -> Any:
    x = np.ones(8, np.float32)
    return lambda: J.numpy.asarray(x)


@GROUP.call("device_put of a numpy array")
def put(J: Any) -> Any:
    x = np.ones(8, np.float32)
    return lambda: J.device_put(x)


def _loss(J: Any) -> Any:
    return lambda x: J.numpy.sum(J.numpy.sin(x) * x)


@GROUP.call("eager grad of sum(sin(x) * x)", target=0.2)
def grad(J: Any) -> Any:
    x, g = _vector(J), J.grad(_loss(J))
    return lambda: g(x)


@GROUP.call("eager vmap of sum(sin(x) * x)", target=0.2)
def vmap(J: Any) -> Any:
    x, f = J.numpy.ones((4, 8)), J.vmap(_loss(J))
    return lambda: f(x)


@GROUP.call("eager jvp of sum(sin(x) * x)", target=0.2)
def jvp(J: Any) -> Any:
    x, f = _vector(J), _loss(J)
    return lambda: J.jvp(f, (x,), (x,))


@GROUP.call("eager scan of ten steps")
def scan(J: Any) -> Any:
    x, start = J.numpy.arange(10.0), J.numpy.zeros(())

    def step(carry: Any, row: Any) -> Any:
        return carry + row, carry * row

    return lambda: J.lax.scan(step, start, x)
