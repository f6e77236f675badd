"""scatter and its kin."""

import numpy as np
import pytest

from tests.lax.comparing import (
    same_error,
    same_jvp,
    same_text,
    same_value,
    same_vjp,
    same_vmap,
    text,
)
from tests.oracle import compare, run_here
from tests.records import unpacked
from tests.samples.declaring import f32, grid, i32

X = grid(4, 3)
ROWS = i32([[2], [0], [3]])
TWICE = i32([[2], [0], [2]])
FAR = i32([[2], [9], [-7]])
NEW = grid(3, 3) * 1.5
NAMES = ("scatter", "scatter_add", "scatter_sub", "scatter_mul", "scatter_min",
         "scatter_max")  # fmt: skip
COMBINING = NAMES[1:]

# name -> (fields of ScatterDimensionNumbers, operand, indices, updates)
SHAPES = {
    "rows": (((1,), (0,), (0,)), X, ROWS, NEW),
    "columns": (((0,), (1,), (1,)), X, i32([[2], [0]]), grid(4, 2)),
    "points": (((), (0, 1), (0, 1)), X, i32([[1, 2], [3, 0]]), grid(2)),
    "windows": (((1, 2), (), (0, 1)), X, i32([[0, 0], [2, 1]]), grid(2, 2, 2)),
    "one window": (((0, 1), (), (1,)), X, i32([1]), grid(4, 2)),
    "batched": (
        ((1,), (1,), (1,), (0,), (0,)),
        grid(2, 4, 3),
        i32([[3], [1]]),
        grid(2, 3),
    ),
    "no updates": (((1,), (0,), (0,)), X, np.zeros((0, 1), np.int32), grid(0, 3)),
}


def scatter(J, x, indices, updates, name, fields, options):
    numbers = J.lax.ScatterDimensionNumbers(*fields)
    return getattr(J.lax, name)(x, indices, updates, numbers, **options)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("mode", ["clip", "fill", "promise_in_bounds"])
def test_shapes(shape, mode):
    fields, *operands = SHAPES[shape]
    for name in ("scatter", "scatter_add"):
        static = (name, fields, {"mode": mode, "unique_indices": True})
        same_value(scatter, *operands, static=static)
        same_jvp(scatter, *operands, where=(0, 2), static=static)
        same_vjp(scatter, *operands, where=(0, 2), static=static)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("mode", [None, "clip", "fill", "promise_in_bounds"])
def test_check_42_out_of_bounds(name, mode):
    indices = ROWS if mode == "promise_in_bounds" else FAR
    static = (name, SHAPES["rows"][0], {"mode": mode})
    same_value(scatter, X, indices, NEW, static=static)
    same_text(scatter, X, indices, NEW, static=static)


def one_hot(J, x, indices, updates):
    return scatter(J, x, indices, updates, "scatter_add", SHAPES["rows"][0],
                   {"mode": "one_hot"})  # fmt: skip


def test_one_hot_is_a_promise():
    same_text(one_hot, X, ROWS, NEW)


@pytest.mark.parametrize("name", COMBINING)
@pytest.mark.parametrize("dtype", ["int32", "uint8", "bfloat16", "complex64"])
def test_other_dtypes(name, dtype):
    import ml_dtypes  # noqa: F401  makes numpy know bfloat16

    x, new = (np.abs(v * 3).astype(dtype) for v in (X, NEW))
    static = (name, SHAPES["rows"][0], {})
    same_value(scatter, x, TWICE, new, static=static)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
@pytest.mark.parametrize("mode", ["clip", "fill"])
def test_index_dtypes(dtype, mode):
    x = np.zeros((300, 3), np.float32)
    indices = np.array([[3], [100], [127]]).astype(dtype)
    static = ("scatter_add", SHAPES["rows"][0], {"mode": mode})
    same_value(scatter, x, indices, NEW, static=static)


@pytest.mark.parametrize("name", COMBINING)
def test_overlapping_windows_all_count(name):
    same_value(scatter, X, TWICE, NEW, static=(name, SHAPES["rows"][0], {}))


# --- derivatives ----------------------------------------------------------------------


@pytest.mark.parametrize("where", [(0, 2), (0,), (2,)])
@pytest.mark.parametrize("name", ["scatter_add", "scatter_sub"])
@pytest.mark.parametrize("mode", ["clip", "fill"])
def test_derivatives_of_sums(name, mode, where):
    static = (name, SHAPES["rows"][0], {"mode": mode})
    for indices in (TWICE, FAR):
        same_jvp(scatter, X, indices, NEW, where=where, static=static)
        same_vjp(scatter, X, indices, NEW, where=where, static=static)


@pytest.mark.parametrize("where", [(0, 2), (0,), (2,)])
@pytest.mark.parametrize("mode", ["clip", "fill"])
def test_derivatives_of_unique_replacement(mode, where):
    static = ("scatter", SHAPES["rows"][0], {"mode": mode, "unique_indices": True})
    for indices in (ROWS, i32([[2], [0], [9]])):
        same_jvp(scatter, X, indices, NEW, where=where, static=static)
        # jax also computes zeros that nobody reads.
        same_vjp(scatter, X, indices, NEW, where=where, static=static, with_text=False)


@pytest.mark.parametrize("where", [(0, 2), (0,), (2,)])
@pytest.mark.parametrize("mode", ["clip", "fill"])
def test_derivatives_of_contested_replacement(mode, where):
    static = ("scatter", SHAPES["rows"][0], {"mode": mode})
    for indices in (TWICE, FAR):
        same_jvp(scatter, X, indices, NEW, where=where, static=static)
        same_vjp(scatter, X, indices, NEW, where=where, static=static)


def gradients(J, x, indices, updates, name, options):
    def fun(x, updates):
        return scatter(J, x, indices, updates, name, ((), (0,), (0,)), options)

    def pull(x, updates, y_bar):
        return J.vjp(fun, x, updates)[1](y_bar)

    return J.jit(pull)(x, updates, f32(1, 10, 100))


@pytest.mark.parametrize(
    ("name", "x", "indices", "updates", "expected"),
    [
        ("scatter", [1, 2, 3], [[1], [1]], [4, 5], ([1, 0, 100], [0, 10])),
        ("scatter_add", [1, 2, 3], [[1], [1]], [4, 5], ([1, 10, 100], [10, 10])),
        ("scatter_add", [1, 2, 3], [[1], [9]], [4, 5], ([1, 10, 100], [10, 0])),
        ("scatter_max", [1, 2, 3], [[1], [0]], [2, 0], ([1, 5, 100], [5, 0])),
    ],
)
def test_check_42_gradients(name, x, indices, updates, expected):
    args = f32(x), i32(indices), f32(updates), name, {}
    compare(gradients, *args)
    ours = run_here(gradients, *args)
    for (_, cotangent), one in zip(ours.children, expected):
        np.testing.assert_array_equal(unpacked(cotangent.array), one)


@pytest.mark.parametrize("where", [(0, 2), (0,), (2,)])
def test_derivatives_of_products(where):
    static = (
        "scatter_mul",
        SHAPES["rows"][0],
        {"mode": "clip", "unique_indices": True},
    )
    same_jvp(scatter, X, ROWS, NEW, where=where, static=static)
    same_vjp(scatter, X, ROWS, NEW, where=where, static=static)


def test_check_42_contested_products():
    static = ("scatter_mul", SHAPES["rows"][0], {})
    same_jvp(scatter, X, TWICE, NEW, where=(0,), static=static)
    same_vjp(scatter, X, TWICE, NEW, where=(0,), static=static)
    compare(jvp_text, X, TWICE, NEW, "scatter_mul", 2, raises=True)


def jvp_text(J, x, indices, updates, name, position):
    def fun(moving):
        operands = [x, indices, updates]
        operands[position] = moving
        return scatter(J, *operands, name, SHAPES["rows"][0], {})

    moving = (x, indices, updates)[position]
    return text(J, lambda z: J.jvp(fun, (z,), (z,)), moving)


@pytest.mark.parametrize("where", [(0, 2), (0,), (2,)])
@pytest.mark.parametrize("name", ["scatter_min", "scatter_max"])
@pytest.mark.parametrize("mode", ["clip", "fill"])
def test_derivatives_of_extrema(name, mode, where):
    static = (name, SHAPES["rows"][0], {"mode": mode})
    tied = NEW.copy()
    tied[0] = tied[2] = X[2]
    # What jax compares with a NumPy array it compares the other way round.
    shown = 2 in where
    for indices, updates in ((ROWS, NEW), (TWICE, NEW), (TWICE, tied), (FAR, tied)):
        operands = X, indices, updates
        same_jvp(scatter, *operands, where=where, static=static, with_text=shown)
        same_vjp(scatter, *operands, where=where, static=static, with_text=shown)


def transposed(J, x, indices, y_bar, name, options, position):
    def linear(moving):
        operands = [np.zeros_like(x), indices, np.zeros((3, 3), np.float32)]
        operands[position] = moving
        return scatter(J, *operands, name, SHAPES["rows"][0], options)

    like = x if position == 0 else np.zeros((3, 3), np.float32)
    return J.jit(J.linear_transpose(linear, like))(y_bar)


@pytest.mark.parametrize("name", NAMES[:4])
@pytest.mark.parametrize("position", [0, 2])
def test_transposes(name, position):
    options = {"unique_indices": True, "mode": "clip"}
    compare(transposed, X, ROWS, X + 1, name, options, position)


@pytest.mark.parametrize("name", ["scatter", "scatter_mul"])
def test_transposes_need_unique_indices(name):
    compare(transposed, X, TWICE, X + 1, name, {}, 2, raises=True)


def second(J, x, indices, updates, name):
    def reduce(x):
        out = scatter(J, x, indices, updates, name, SHAPES["rows"][0], {})
        return J.lax.reduce_sum(J.lax.mul(out, out), (0, 1))

    pull = lambda x: J.vjp(reduce, x)[1](np.float32(1))[0]  # noqa: E731
    return J.jvp(pull, (x,), (x,))


@pytest.mark.parametrize("name", NAMES)
def test_second_order(name):
    compare(second, X, TWICE, NEW, name, rtol=1e-5)


# --- vmap -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "axes",
    [
        (0, None, None),
        (None, 0, None),
        (None, None, 0),
        (1, None, 1),
        (1, 1, None),
        (None, 2, 1),
        (2, 2, 2),
    ],
)
def test_batches(name, axes):
    static = (name, SHAPES["rows"][0], {"unique_indices": True, "mode": "clip"})
    same_vmap(scatter, X, ROWS, NEW, static=static, axes=[axes])


@pytest.mark.parametrize("shape", ["windows", "batched", "one window"])
def test_batches_of_other_shapes(shape):
    fields, *operands = SHAPES[shape]
    for axes in ((0, None, None), (0, 0, 0), (None, 1, None)):
        same_vmap(scatter, *operands, static=("scatter_add", fields, {}), axes=[axes])


# --- scatter_apply --------------------------------------------------------------------


def apply_sin(J, x, indices):
    numbers = J.lax.ScatterDimensionNumbers(*SHAPES["rows"][0])
    return J.lax.scatter_apply(x, indices, J.lax.sin, numbers, update_shape=(3, 3))


def apply_closure(J, x, indices, scale):
    numbers = J.lax.ScatterDimensionNumbers(*SHAPES["rows"][0])
    return J.lax.scatter_apply(
        x, indices, lambda v: J.lax.mul(v, scale), numbers, update_shape=(3, 3)
    )


def test_apply():
    same_value(apply_sin, X, ROWS)
    same_text(apply_sin, X, ROWS)
    same_vmap(apply_sin, X, ROWS, axes=[(0, 0), (1, None)])
    same_value(apply_closure, X, ROWS, static=(2.0,))


def test_check_42_apply_is_not_differentiable():
    compare(derivative_of_apply, X, ROWS, raises=True)


def derivative_of_apply(J, x, indices):
    return J.jvp(lambda x: apply_sin(J, x, indices), (x,), (x,))


def test_apply_of_a_closure_over_a_traced_value():
    same_error(apply_closure, X, ROWS, np.float32(2))


# --- refusals -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "indices", "updates", "options"),
    [
        (((1,), (0,), (0,)), ROWS, NEW.astype(np.float16), {}),
        (((1,), (0,), (0,)), ROWS.astype(np.float32), NEW, {}),
        (((1,), (0,), (0,)), i32(0), grid(3), {}),
        (((1,), (0,), (0,)), ROWS, NEW, {"mode": "wrap"}),
        (((1,), (0,), (0,)), ROWS, grid(2, 3), {}),
        (((1,), (0,), (0,)), ROWS, grid(3, 4), {}),
        (((1,), (0,), (0,)), ROWS, grid(3), {}),
        (((2,), (0,), (0,)), ROWS, NEW, {}),
        (((1, 0), (0,), (0,)), ROWS, NEW, {}),
        (((1,), (2,), (0,)), ROWS, NEW, {}),
        (((1,), (0,), (2,)), ROWS, NEW, {}),
        (((1,), (0,), (0, 1)), ROWS, NEW, {}),
        (((1,), (0,), (0,), (0,), (0,)), ROWS, NEW, {}),
        (((1,), (), (1,), (0,), (0,)), ROWS, NEW, {}),
    ],
)
def test_refusals(fields, indices, updates, options):
    same_error(scatter, X, indices, updates, static=("scatter_add", fields, options))


def boolean_sum(J):
    x = np.ones(3, bool)
    return scatter(J, x, i32([[0]]), x[:1], "scatter_add", ((), (0,), (0,)), {})


def test_booleans_have_no_sum():
    compare(boolean_sum, raises=True)


def weak(J, weak_operand, weak_updates):
    w, s = J.lax.full((1,), 1.0), np.ones(1, np.float32)
    operands = w if weak_operand else s, w if weak_updates else s

    def fun(x, updates):
        return scatter(J, x, i32([[0]]), updates, "scatter_add", ((), (0,), (0,)), {})

    return [aval.weak_type for aval in J.make_jaxpr(fun)(*operands).out_avals]


def test_weak_as_the_operand():
    for operand in (True, False):
        for updates in (True, False):
            compare(weak, operand, updates)
