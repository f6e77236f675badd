"""Samples of the product that contracts axes."""

import numpy as np

from tests.samples.declaring import Sample, c64, f32, grid, i32


def _dot(contract, batch=((), ()), **options):
    return lambda J, x, y: J.lax.dot_general(x, y, (contract, batch), **options)


def _product(case, x, y, contract, batch=((), ())):
    return Sample(
        "dot_general", _dot(contract, batch), (x, y), case, differentiable=(0, 1)
    )


SAMPLES = (
    Sample(
        "ragged_dot_general",
        lambda J, x, y, sizes: J.lax.ragged_dot(x, y, sizes),
        (grid(5, 2), grid(3, 2, 4), i32(2, 1, 2)),
        differentiable=(0, 1),
        batched=(),
        refused=(("grad", "grad"),),
    ),
    _product("matrices", grid(2, 3), grid(3, 4), ((1,), (0,))),
    _product("vectors", grid(3), f32(0.5, -1.0, 2.0), ((0,), (0,))),
    _product("outer", grid(2), grid(3), ((), ())),
    _product("batched", grid(2, 3, 4), grid(4, 2, 2), ((2,), (0,)), ((0,), (1,))),
    _product("two axes", grid(2, 3, 4), grid(4, 3), ((1, 2), (1, 0))),
    _product("complex", c64([[1, 2j], [3, 1 - 1j]]), c64([1j, 2.0]), ((1,), (0,))),
    Sample(
        "dot_general",
        _dot(((1,), (0,))),
        (i32([[1, 2], [3, 4]]), i32([5, 6])),
        "integers",
    ),
    Sample(
        "dot_general",
        _dot(((1,), (0,)), preferred_element_type=np.int32),
        (np.arange(6, dtype=np.int8).reshape(2, 3), np.array([100, -90, 80], np.int8)),
        "wider result",
    ),
)
