"""Samples of the primitives that combine values along axes, or put them in order."""

import numpy as np

from tests.samples.declaring import Sample, c64, f32, flags, grid, i32

X = grid(2, 3, 4)
COUNTS = i32([[3, 1, 2], [5, 4, 9]])
FLAGS = flags([[1, 0, 1], [1, 1, 1]])


def _reduce(name, primitive=None, axes=(0, 2), x=X, case="", smooth=True):
    return Sample(
        primitive or name,
        lambda J, x: getattr(J.lax, name)(x, axes),
        (x,),
        case,
        differentiable=(0,) if smooth else (),
    )


def _reduce_flags(name):
    return Sample(name, lambda J, x: getattr(J.lax, name)(x, (1,)), (FLAGS,))


def _scan(name):
    def call(J, x):
        return getattr(J.lax, name)(x, 1)

    return Sample(name, call, (X,), differentiable=(0,))


def _spread(J, x):
    """Two reductions at once, by a program of the caller's."""

    def wider(a, b):
        return J.lax.max(a[0], b[0]), J.lax.min(a[1], b[1])

    # jax cannot map over the start values: they stay out of the operands.
    starts = (np.array(-9, x.dtype), np.array(9, x.dtype))
    return J.lax.reduce((x, x), starts, wider, (1,))


SAMPLES = (
    _reduce("reduce_sum"),
    _reduce("reduce_sum", axes=(0, 1), x=COUNTS, case="integers", smooth=False),
    _reduce("reduce_sum", axes=(0,), x=c64(1j, 2, 3 - 1j), case="complex"),
    _reduce("reduce_max"),
    _reduce("reduce_max", axes=(1,), x=COUNTS, case="integers", smooth=False),
    _reduce("reduce_min"),
    _reduce("reduce_min", axes=(1,), x=COUNTS, case="integers", smooth=False),
    _reduce("reduce_prod", axes=(1,)),
    _reduce("reduce_prod", axes=(0,), x=f32(2.0, 0.0, 3.0), case="with a zero"),
    _reduce_flags("reduce_and"),
    _reduce_flags("reduce_or"),
    _reduce_flags("reduce_xor"),
    Sample("reduce", _spread, (X,)),
    Sample("argmax", lambda J, x: J.lax.argmax(x, 1, np.int32), (X,)),
    Sample(
        "argmax",
        lambda J, x: J.lax.argmax(x, 0, np.int32),
        (f32(1.0, float("nan"), 3.0, 3.0),),
        "with a NaN",
    ),
    Sample("argmin", lambda J, x: J.lax.argmin(x, 2, np.int32), (X,)),
    Sample("cumsum", lambda J, x: J.lax.cumsum(x, 1), (X,), differentiable=(0,)),
    Sample(
        "cumsum",
        lambda J, x: J.lax.cumsum(x, 2, reverse=True),
        (X,),
        "reversed",
        differentiable=(0,),
    ),
    Sample("cumsum", lambda J, x: J.lax.cumsum(x, 1), (COUNTS,), "integers"),
    _scan("cumprod"),
    _scan("cummax"),
    _scan("cummin"),
    _scan("cumlogsumexp"),
    Sample("top_k", lambda J, x: J.lax.top_k(x, 2), (X,), differentiable=(0,)),
    Sample(
        "approx_top_k",
        lambda J, x: J.lax.approx_max_k(x, 2),
        (X,),
        differentiable=(0,),
        same_text=False,  # jax looks the tangents up inside a call
    ),
    Sample("sort", lambda J, x: J.lax.sort(x, dimension=1), (X,), differentiable=(0,)),
    Sample(
        "sort",
        lambda J, x: J.lax.sort(x),
        (f32(2.0, float("nan"), -0.0, 0.0, float("-inf")),),
        "special values",
    ),
    Sample(
        "sort",
        lambda J, keys, x: J.lax.sort((keys, x), dimension=0, num_keys=1),
        (i32(3, 1, 2, 1), f32(1.5, 2.5, 3.5, 4.5)),
        "with companions",
        differentiable=(1,),
    ),
    Sample(
        "sort",
        lambda J, a, b: J.lax.sort((a, b), dimension=0, num_keys=2),
        (i32(1, 0, 1, 0), i32(5, 7, 2, 6)),
        "two keys",
    ),
)
