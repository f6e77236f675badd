"""Samples of the primitives that find places by computed indices."""

import numpy as np

from tests.samples.declaring import Sample, f32, grid, i32

X = grid(4, 3)
ROWS = i32([[2], [0], [3]])
POINTS = i32([[1, 2], [3, 0]])
FAR = i32([[2], [9], [-1]])


def _gather(mode=None, fill=None):
    """Whole rows, by number."""

    def call(J, x, indices):
        numbers = J.lax.GatherDimensionNumbers(
            offset_dims=(1,), collapsed_slice_dims=(0,), start_index_map=(0,)
        )
        return J.lax.gather(x, indices, numbers, (1, 3), mode=mode, fill_value=fill)

    return call


def _gather_points(J, x, indices):
    numbers = J.lax.GatherDimensionNumbers(
        offset_dims=(), collapsed_slice_dims=(0, 1), start_index_map=(0, 1)
    )
    return J.lax.gather(x, indices, numbers, (1, 1), mode="clip")


def _scatter(name, mode=None, unique=False):
    """Whole rows, by number."""

    def call(J, x, indices, rows):
        numbers = J.lax.ScatterDimensionNumbers(
            update_window_dims=(1,),
            inserted_window_dims=(0,),
            scatter_dims_to_operand_dims=(0,),
        )
        scatter = getattr(J.lax, name)
        return scatter(x, indices, rows, numbers, mode=mode, unique_indices=unique)

    return call


SAMPLES = (
    Sample(
        "dynamic_slice",
        lambda J, x, i, j: J.lax.dynamic_slice(x, (i, j), (2, 2)),
        (X, i32(1), i32(0)),
        differentiable=(0,),
        others=(X[::-1], i32(2), i32(1)),
    ),
    Sample(
        "dynamic_slice",
        lambda J, x, i, j: J.lax.dynamic_slice(x, (i, j), (2, 3)),
        (X, i32(7), i32(0)),
        "past the end",
        differentiable=(0,),
        others=(X[::-1], i32(3), i32(1)),
    ),
    Sample(
        "dynamic_update_slice",
        lambda J, x, y, i, j: J.lax.dynamic_update_slice(x, y, (i, j)),
        (X, grid(2, 2), i32(1), i32(1)),
        differentiable=(0, 1),
        others=(X[::-1], -grid(2, 2), i32(2), i32(0)),
    ),
    Sample("gather", _gather(), (X, ROWS), differentiable=(0,)),
    Sample("gather", _gather("clip"), (X, FAR), "clipped", differentiable=(0,)),
    Sample("gather", _gather("fill"), (X, FAR), "filled with NaN"),
    Sample("gather", _gather("fill", 0.0), (X, FAR), "filled", differentiable=(0,)),
    Sample("gather", _gather_points, (X, POINTS), "points", differentiable=(0,)),
    Sample(
        "gather",
        _gather("fill"),
        (np.arange(12, dtype=np.int32).reshape(4, 3), FAR),
        "integers",
    ),
    Sample(
        "scatter",
        _scatter("scatter", unique=True),
        (X, ROWS, grid(3, 3)),
        differentiable=(0, 2),
    ),
    Sample(
        "scatter",
        _scatter("scatter", "clip", unique=True),
        (X, i32([[2], [9]]), grid(2, 3)),
        "clipped",
        differentiable=(0, 2),
    ),
    Sample(
        "scatter-add",
        _scatter("scatter_add"),
        (X, i32([[2], [0], [2]]), grid(3, 3)),
        differentiable=(0, 2),
    ),
    Sample(
        "scatter-add",
        _scatter("scatter_add", "fill"),
        (X, FAR, grid(3, 3)),
        "out of range dropped",
        differentiable=(0, 2),
    ),
    Sample(
        "scatter-add",
        _scatter("scatter_add"),
        (i32([[1, 2, 3]] * 4), ROWS, i32([[1, 2, 3], [4, 5, 6], [7, 8, 9]])),
        "integers",
    ),
    Sample(
        "scatter-sub",
        _scatter("scatter_sub"),
        (X, i32([[2], [0], [2]]), grid(3, 3)),
        differentiable=(0, 2),
    ),
    Sample(
        "scatter-mul",
        _scatter("scatter_mul", unique=True),
        (X, ROWS, grid(3, 3)),
        differentiable=(0, 2),
    ),
    Sample("scatter-min", _scatter("scatter_min"), (X, ROWS, grid(3, 3))),
    Sample("scatter-max", _scatter("scatter_max"), (X, ROWS, grid(3, 3))),
    Sample(
        "dynamic_slice",
        lambda J, x, i: J.lax.dynamic_index_in_dim(x, i, 0, keepdims=False),
        (f32(1, 2, 3), i32(1)),
        "one element",
        differentiable=(0,),
        others=(f32(4, 5, 6), i32(2)),
        same_text=False,  # jax wraps this one in a call
    ),
)
