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
