"""ragged_dot and ragged_dot_general."""

import numpy as np
import pytest

from tests.lax.comparing import (
    same_error,
    same_jvp,
    same_text,
    same_value,
    same_vjp,
    text,
)
from tests.oracle import compare, run_here
from tests.records import unpacked
from tests.samples.declaring import grid, i32

LHS, RHS, SIZES = grid(11, 5), grid(3, 5, 7), i32(4, 3, 4)
ROWS = ((((1,), (1,)), ((), ())), (0,), (0,))

# name -> (numbers, lhs, rhs, group sizes)
KINDS = {
    "rows": (ROWS, LHS, RHS, SIZES),
    "with an empty group": (ROWS, LHS, RHS, i32(4, 0, 7)),
    "that leave a rest": (ROWS, LHS, RHS, i32(2, 1, 3)),
    "in a batch": (
        ((((2,), (2,)), ((0,), (1,))), (1,), (0,)),
        grid(4, 6, 5),
        grid(3, 4, 5, 2),
        i32([[1, 2, 3], [6, 0, 0], [2, 2, 1], [0, 1, 5]]),
    ),
    "behind a free axis": (
        ((((2,), (1,)), ((), ())), (1,), (0,)),
        grid(2, 6, 4),
        grid(3, 4, 2),
        i32([[1, 1, 1], [2, 2, 2]]),
    ),
    "contracted": (((((0,), (0,)), ((), ())), (0,), ()), LHS, grid(11, 7), SIZES),
    "contracted in a batch": (
        ((((1,), (2,)), ((0,), (0,))), (1,), ()),
        grid(2, 6, 3),
        grid(2, 4, 6),
        i32([[1, 2, 3], [2, 1, 0]]),
    ),
    "batch": (
        ((((2,), (1,)), ((0,), (0,))), (0,), ()),
        grid(6, 3, 5),
        grid(6, 5, 2),
        i32(4, 2),
    ),
}
FREE = ("rows", "with an empty group", "that leave a rest", "in a batch")


def ragged(J, lhs, rhs, sizes, numbers, options=None):
    numbers = J.lax.RaggedDotDimensionNumbers(*numbers)
    return J.lax.ragged_dot_general(lhs, rhs, sizes, numbers, **(options or {}))


def ragged_dot(J, lhs, rhs, sizes):
    return J.lax.ragged_dot(lhs, rhs, sizes)


@pytest.mark.parametrize("name", KINDS)
def test_kinds(name):
    numbers, *operands = KINDS[name]
    same_value(ragged, *operands, static=(numbers,), rtol=1e-5)
    same_text(ragged, *operands, static=(numbers,))


def test_groups_of_rows_by_hand():
    ours = unpacked(run_here(ragged_dot, LHS, RHS, SIZES).array)
    parts = [LHS[:4] @ RHS[0], LHS[4:7] @ RHS[1], LHS[7:] @ RHS[2]]
    np.testing.assert_allclose(ours, np.concatenate(parts), rtol=1e-5)


@pytest.mark.parametrize("name", FREE)
@pytest.mark.parametrize("where", [(0, 1), (0,), (1,)])
def test_derivatives(name, where):
    numbers, *operands = KINDS[name]
    same_jvp(
        ragged, *operands, where=where, static=(numbers,), with_text=where == (0, 1)
    )
    same_vjp(
        ragged, *operands, where=where, static=(numbers,), with_text=where == (0, 1)
    )


def pullback_of_contracted(J):
    numbers, lhs, rhs, sizes = KINDS["contracted"]
    pull = J.vjp(lambda lhs: ragged(J, lhs, rhs, sizes, numbers), lhs)[1]
    return pull(grid(3, 5, 7))


def test_only_a_free_ragged_axis_is_transposed():
    compare(pullback_of_contracted, raises=True)


def test_narrow_operands():
    import ml_dtypes

    narrow = (x.astype(ml_dtypes.bfloat16) for x in (LHS, RHS))
    options = {"preferred_element_type": np.float32}
    operands = *narrow, SIZES
    same_value(ragged, *operands, static=(ROWS, options), rtol=1e-2)
    same_vjp(ragged, *operands, where=(0, 1), static=(ROWS, options), with_text=False)


def stacked(x):
    return np.stack([x, x[::-1]])


def mapped(J, *operands_and_axes):
    *operands, axes = operands_and_axes
    return J.vmap(lambda *xs: J.lax.ragged_dot(*xs), in_axes=axes)(*operands)


def mapped_text(J, *operands):
    return text(J, lambda *xs: mapped(J, *xs, 0), *operands)


def test_batch_of_everything():
    operands = stacked(LHS), stacked(RHS), stacked(i32(4, 3, 2))
    compare(mapped, *operands, 0, rtol=1e-5)
    compare(mapped_text, *operands)


@pytest.mark.parametrize("axes", [(0, None, None), (None, 0, None), (None, None, 0)])
def test_batches_of_some(axes):
    # jax maps over all operands or none.
    operands = [
        x if axis is None else stacked(x)
        for x, axis in zip((LHS, RHS, i32(4, 3, 2)), axes)
    ]
    ours = unpacked(run_here(mapped, *operands, axes).array)
    for example in range(2):
        chosen = [x if axis is None else x[example] for x, axis in zip(operands, axes)]
        alone = unpacked(run_here(ragged_dot, *chosen).array)
        np.testing.assert_allclose(ours[example], alone, rtol=1e-5)


def mapped_kind(J, name, axes):
    numbers, *operands = KINDS[name]
    batches = [x if a is None else stacked(x) for x, a in zip(operands, axes)]

    def fun(*operands):
        return ragged(J, *operands, numbers)

    apart = [
        fun(*(x if a is None else x[i] for x, a in zip(batches, axes)))
        for i in range(2)
    ]
    together = J.vmap(fun, in_axes=axes)(*batches)
    return apart, J.lax.unstack(together)


@pytest.mark.parametrize("name", ["in a batch", "contracted", "contracted in a batch"])
@pytest.mark.parametrize("axes", [(0, None, None), (0, 0, 0), (None, 0, None)])
def test_a_batch_is_a_loop(name, axes):
    apart, together = run_here(mapped_kind, name, axes).children
    for (_, x), (_, y) in zip(apart[1].children, together[1].children):
        np.testing.assert_allclose(unpacked(x.array), unpacked(y.array), rtol=1e-5)


@pytest.mark.parametrize(
    ("lhs", "rhs", "sizes", "numbers"),
    [
        (grid(11, 6), RHS, SIZES, ROWS),
        (LHS, RHS, i32(1, 2), ROWS),
        (LHS, RHS, SIZES.astype(np.float32), ROWS),
        (LHS, RHS, SIZES[None], ROWS),
        (LHS, RHS, SIZES, (ROWS[0], (0, 1), (0,))),
        (LHS, RHS, SIZES, (ROWS[0], (), (0,))),
        (LHS, RHS, SIZES, (ROWS[0], (3,), (0,))),
        (LHS, RHS, SIZES, (ROWS[0], (0,), ())),
        (LHS, RHS, SIZES, (ROWS[0], (0,), (1,))),
        (LHS, RHS, SIZES, (ROWS[0], (0,), (0, 2))),
        (LHS, grid(11, 7), SIZES, ((((0,), (0,)), ((), ())), (0,), (1,))),
    ],
)
def test_refusals(lhs, rhs, sizes, numbers):
    same_error(ragged, lhs, rhs, sizes, static=(numbers,))


def offset(J):
    try:
        J.lax.ragged_dot(LHS, RHS, SIZES, group_offset=i32(0))
    except NotImplementedError as error:
        return str(error)


def test_a_group_offset_is_refused():
    assert "offset" in run_here(offset).facts["value"]


def numbers(J):
    made = J.lax.RaggedDotDimensionNumbers((((1,), (1,)), ((), ())), [0], [0])
    same = J.lax.RaggedDotDimensionNumbers((((1,), (1,)), ((), ())), (0,), (0,))
    return repr(made), made == same, hash(made) == hash(same)


def test_numbers():
    compare(numbers)
