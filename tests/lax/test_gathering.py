"""gather."""

import numpy as np
import pytest

from tests.lax.comparing import (
    all_axes,
    same_error,
    same_jvp,
    same_text,
    same_value,
    same_vjp,
    same_vmap,
)
from tests.oracle import compare, run_here
from tests.records import unpacked
from tests.samples.declaring import f32, grid, i32

X = grid(4, 3)
ROWS = i32([[2], [0], [3]])
FAR = i32([[2], [9], [-1], [-7]])
MODES = (None, "clip", "fill", "drop", "promise_in_bounds")

# name -> (fields of GatherDimensionNumbers, slice sizes, operand, indices)
SHAPES = {
    "rows": (((1,), (0,), (0,)), (1, 3), X, ROWS),
    "columns": (((0,), (1,), (1,)), (4, 1), X, i32([[2], [0]])),
    "points": (((), (0, 1), (0, 1)), (1, 1), X, i32([[1, 2], [3, 0]])),
    "crossed points": (((), (0, 1), (1, 0)), (1, 1), X, i32([[2, 1], [0, 3]])),
    "windows": (((1, 2), (), (0, 1)), (2, 2), X, i32([[1, 1], [2, 0], [9, 9]])),
    "one window": (((0, 1), (), (1,)), (4, 2), X, i32([1])),
    "grid of rows": (((2,), (0,), (0,)), (1, 3), X, i32([[[2], [0]], [[1], [3]]])),
    "offsets first": (((0,), (0,), (0,)), (1, 3), X, ROWS),
    "batched": (
        ((1,), (1,), (1,), (0,), (0,)),
        (1, 1, 3),
        grid(2, 4, 3),
        i32([[3], [1]]),
    ),
    "batched at another axis": (
        ((2,), (1,), (1,), (0,), (1,)),
        (1, 1, 3),
        grid(2, 4, 3),
        i32([[[3], [1]], [[0], [2]], [[1], [1]]]),
    ),
    "no windows": (((1,), (0,), (0,)), (1, 3), X, np.zeros((0, 1), np.int32)),
    "empty windows": (((1, 2), (), (0,)), (2, 0), X, ROWS),
}


def gather(J, x, indices, fields, sizes, options):
    numbers = J.lax.GatherDimensionNumbers(*fields)
    return J.lax.gather(x, indices, numbers, sizes, **options)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("mode", ["clip", "fill", "promise_in_bounds"])
def test_shapes(name, mode):
    fields, sizes, x, indices = SHAPES[name]
    static = (fields, sizes, {"mode": mode})
    safe = mode != "promise_in_bounds" or name != "windows"
    if safe:
        same_value(gather, x, indices, static=static, exact=True)
        same_vjp(gather, x, indices, static=static)
    same_text(gather, x, indices, static=static)
    same_jvp(gather, x, indices, static=static)


def test_one_hot_is_a_promise():
    # jax traces it and cannot lower it.
    fields, sizes, x, indices = SHAPES["rows"]
    static = (fields, sizes, {"mode": "one_hot"})
    same_text(gather, x, indices, static=static)
    ours = run_here(gather, x, indices, *static)
    np.testing.assert_array_equal(unpacked(ours.array), x[[2, 0, 3]])


@pytest.mark.parametrize("mode", MODES)
def test_check_41_out_of_bounds(mode):
    fields, sizes, x, _ = SHAPES["rows"]
    indices = ROWS if mode == "promise_in_bounds" else FAR
    static = (fields, sizes, {"mode": mode})
    same_value(gather, x, indices, static=static, exact=True)
    same_text(gather, x, indices, static=static)
    same_jvp(gather, x, indices, static=static)
    same_vjp(gather, x, indices, static=static)


@pytest.mark.parametrize(
    "dtype", ["int32", "uint8", "int8", "bool", "complex64", "float16"]
)
def test_check_54_default_fill(dtype):
    x = np.arange(12).reshape(4, 3).astype(dtype)
    static = (*SHAPES["rows"][:2], {"mode": "fill"})
    same_value(gather, x, FAR, static=static, exact=True)
    same_text(gather, x, FAR, static=static)


def test_given_fill():
    for value in (7.0, np.float32(3), float("inf")):
        static = (*SHAPES["rows"][:2], {"mode": "fill", "fill_value": value})
        same_value(gather, X, FAR, static=static, exact=True)
        same_text(gather, X, FAR, static=static)
    static = (*SHAPES["rows"][:2], {"mode": "clip", "fill_value": 7.0})
    same_text(gather, X, FAR, static=static)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint32"])
@pytest.mark.parametrize("mode", ["clip", "fill"])
def test_index_dtypes(dtype, mode):
    x = np.arange(600, dtype=np.float32).reshape(300, 2)
    indices = np.array([[3], [100], [127]]).astype(dtype)
    static = (((1,), (0,), (0,)), (1, 2), {"mode": mode})
    same_value(gather, x, indices, static=static, exact=True)


@pytest.mark.parametrize("mode", ["clip", "fill"])
def test_negative_small_indices_are_out_of_bounds(mode):
    x = np.arange(600, dtype=np.float32).reshape(300, 2)
    static = (((1,), (0,), (0,)), (1, 2), {"mode": mode})
    same_value(gather, x, np.array([[-3]], np.int8), static=static, exact=True)


@pytest.mark.parametrize("name", ["rows", "windows", "batched", "one window"])
@pytest.mark.parametrize("mode", ["clip", "fill"])
def test_batches_over_every_axis(name, mode):
    fields, sizes, x, indices = SHAPES[name]
    options = {"mode": mode, "unique_indices": True, "indices_are_sorted": True}
    axes = all_axes((x, indices))
    static = (fields, sizes, options)
    same_vmap(gather, x, indices, static=static, axes=axes[:: 1 + len(axes) // 12],
              with_text=True)  # fmt: skip


def nested(J, x, indices, inner, outer):
    fields, sizes, _, _ = SHAPES["rows"]

    def once(x, i):
        return gather(J, x, i, fields, sizes, {})

    return J.vmap(J.vmap(once, in_axes=inner), in_axes=outer)(x, indices)


@pytest.mark.parametrize(
    ("inner", "outer", "x", "indices"),
    [
        ((1, 0), (0, 0), grid(2, 4, 5, 3), np.tile(ROWS, (2, 5, 1, 1))),
        ((None, 0), (0, 0), grid(2, 4, 3), np.tile(ROWS, (2, 5, 1, 1))),
        ((0, 0), (None, 0), grid(5, 4, 3), np.tile(ROWS, (2, 5, 1, 1))),
        ((0, 0), (0, None), grid(2, 5, 4, 3), np.tile(ROWS, (5, 1, 1))),
    ],
)
def test_nested_batches(inner, outer, x, indices):
    same_value(nested, x, indices, static=(inner, outer), exact=True)
    same_text(nested, x, indices, static=(inner, outer))


def gradient_sum(J, x, indices, mode):
    static = ((), (0,), (0,))
    fun = lambda x: gather(J, x, indices, static, (1,), {"mode": mode})  # noqa: E731
    return J.vjp(fun, x)[1](np.ones(len(indices), np.float32))[0]


@pytest.mark.parametrize(
    ("indices", "mode", "expected"),
    [
        ([[1], [1], [0]], None, [1, 2, 0]),
        ([[1], [7]], "fill", [0, 1, 0]),
        ([[1], [7]], "clip", [0, 1, 1]),
    ],
)
def test_check_41_gradients(indices, mode, expected):
    compare(gradient_sum, f32(1, 2, 3), i32(indices), mode)
    ours = run_here(gradient_sum, f32(1, 2, 3), i32(indices), mode)
    assert list(unpacked(ours.array)) == expected


@pytest.mark.parametrize(
    ("fields", "sizes", "indices", "options"),
    [
        (((0,), (0,), (0,)), (1, 3), i32([0, 1]), {}),
        (((0,), (0,), (0,)), (1, 3), i32(0), {}),
        (((0,), (0,), (0,)), (1, 3), np.zeros(1, np.float32), {}),
        (((1,), (0,), (0,)), (1, 3), ROWS, {"mode": "wrap"}),
        (((1,), (0,), (0,)), (1, 3), ROWS, {"mode": 1}),
        (((1,), (0,), (0,)), (2, 3), ROWS, {}),
        (((1,), (0,), (0,)), (1, 4), ROWS, {}),
        (((1,), (0,), (0,)), (1,), ROWS, {}),
        (((1, 0), (), (0,)), (1, 3), ROWS, {}),
        (((2,), (0,), (0,)), (1, 3), ROWS, {}),
        (((1, 1), (), (0,)), (1, 3), ROWS, {}),
        (((1,), (2,), (0,)), (1, 3), ROWS, {}),
        (((1,), (0,), (2,)), (1, 3), ROWS, {}),
        (((1,), (0, 0), (0,)), (1, 3), ROWS, {}),
        (((1,), (), (0,), (0,), (0,)), (1, 3), ROWS, {}),
        (((1,), (), (1,), (0,), (0,)), (1, 3), ROWS, {}),
        (((1,), (), (1,), (0,), ()), (1, 3), ROWS, {}),
        (((1,), (0,), (1,), (0,), (0,)), (1, 3), ROWS, {}),
    ],
)
def test_refusals(fields, sizes, indices, options):
    same_error(gather, X, indices, static=(fields, sizes, options))


def taken(J, x, positions, axes):
    return J.lax.index_take(x, positions, axes)


@pytest.mark.parametrize(
    ("positions", "axes"),
    [(i32([[0, 3, 9], [2, -1, 4]]), (0, 1)), (i32([[1, -7, 5]]), (1,))],
)
def test_index_take_wraps(positions, axes):
    same_value(taken, X, positions, static=(axes,), exact=True)
    same_vjp(taken, X, positions, static=(axes,), with_text=False)


def compiled(J, mode):
    def fun(x, indices):
        return gather(J, x, indices, *SHAPES["rows"][:2], {"mode": mode})

    words = J.jit(fun).lower(X, ROWS).as_text()
    marks = ("stablehlo.gather", "compare", "stablehlo.select", "0x7FC00000", "clamp")
    return {mark: words.count(mark) > 0 for mark in marks}


@pytest.mark.parametrize("mode", ["clip", "fill", "promise_in_bounds"])
def test_check_54_only_fill_masks(mode):
    compare(compiled, mode)
