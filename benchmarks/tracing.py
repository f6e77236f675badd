"""Claim: tracing and its transformations cost little, and flatly so per equation."""

from collections.abc import Callable
from typing import Any

from benchmarks.harness import Group

GROUP = Group()

# The sizes at which the cost of one equation is compared.
SIZES = (300, 3000, 30_000)


def lax_chain(J: Any, equations: int) -> Callable[[Any], Any]:
    """A new function that binds so many primitives, one after the other."""
    sin, mul, add = J.lax.sin, J.lax.mul, J.lax.add

    def chain(x: Any) -> Any:
        for _ in range(equations // 3):
            x = sin(x)
            x = mul(x, x)
            x = add(x, x)
        return x

    return chain


def numpy_chain(J: Any, equations: int) -> Callable[[Any], Any]:
    np = J.numpy

    def chain(x: Any) -> Any:
        for _ in range(equations // 3):
            x = np.sin(x)
            x = np.multiply(x, x)
            x = x + x
        return x

    return chain


def _declare(what: str, target: float, wrap: Callable[[Any, Any], Any]) -> None:
    for size in SIZES:

        @GROUP.fresh(
            f"{what} of {size} equations",
            target=target if size == 3000 else None,
            quick=size == 3000 or (size == 300 and what == "trace"),
            scale=size,
        )
        def body(J: Any, size: int = size) -> Any:
            f = wrap(J, lax_chain(J, size))
            x = J.numpy.ones(())
            return lambda: J.make_jaxpr(f)(x)


_declare("trace", 0.3, lambda J, f: f)
_declare("grad-trace", 0.1, lambda J, f: J.grad(f))
_declare("jvp-trace", 0.25, lambda J, f: lambda x: J.jvp(f, (x,), (x,)))


for _size in SIZES:

    @GROUP.fresh(
        f"vmap-trace of {_size} equations",
        target=0.25 if _size == 3000 else None,
        quick=_size == 3000,
        scale=_size,
    )
    def vmap_trace(J: Any, size: int = _size) -> Any:
        f = J.vmap(lax_chain(J, size))
        x = J.numpy.ones(4)
        return lambda: J.make_jaxpr(f)(x)


@GROUP.fresh("trace of a numpy chain of 3000", target=0.3, scale=3000)
def numpy_trace(J: Any) -> Any:
    f, x = numpy_chain(J, 3000), J.numpy.ones(4)
    return lambda: J.make_jaxpr(f)(x)


@GROUP.fresh("hessian-trace of 300 equations", scale=300)
def hessian_trace(J: Any) -> Any:
    chain = lax_chain(J, 300)
    f = J.hessian(lambda x: J.lax.reduce_sum(chain(x), (0,)))
    x = J.numpy.ones(3)
    return lambda: J.make_jaxpr(f)(x)
