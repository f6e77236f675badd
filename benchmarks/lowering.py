"""Claim: a traced program becomes StableHLO, and a first result, faster."""

from typing import Any

from benchmarks.harness import Group, unique
from benchmarks.tracing import lax_chain

GROUP = Group()


def _lower(size: int) -> Any:
    def body(J: Any) -> Any:
        traced = J.jit(lax_chain(J, size)).trace(J.numpy.ones(4))
        return traced.lower

    return body


GROUP.fresh("lower 300 equations", scale=300, quick=False)(_lower(300))
GROUP.fresh("lower 3000 equations", target=0.4, scale=3000)(_lower(3000))
GROUP.fresh("lower 30000 equations", scale=30_000, quick=False)(_lower(30_000))


@GROUP.fresh("first call of a small function")
def first_small(J: Any) -> Any:
    c, x = unique(), J.numpy.ones(4)
    f = J.jit(lambda x: J.numpy.sin(x) * c)
    return lambda: J.block_until_ready(f(x))


@GROUP.fresh("first call of 300 equations")
def first_chain(J: Any) -> Any:
    c, x, chain = unique(), J.numpy.ones(4), lax_chain(J, 300)
    f = J.jit(lambda x: chain(x * c))
    return lambda: J.block_until_ready(f(x))
