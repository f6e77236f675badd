"""The vocabulary of gather and scatter."""

import numpy as np
import pytest

from tests.lax.comparing import same_text
from tests.lax.test_gathering import ROWS, X
from tests.oracle import compare, run_here
from tests.records import unpacked


def modes(J):
    return [
        (mode.name, J.lax.GatherScatterMode.from_any(mode) is mode, str(mode))
        for mode in J.lax.GatherScatterMode
    ]


def lists(J, x, indices):
    numbers = J.lax.GatherDimensionNumbers([1], [0], [0])
    return J.lax.gather(x, indices, numbers, [1, 3])


def test_vocabulary():
    compare(modes)
    ours = run_here(lists, X, ROWS)  # jax wants tuples
    np.testing.assert_array_equal(unpacked(ours.array), X[[2, 0, 3]])


def numbers(J):
    gather = J.lax.GatherDimensionNumbers((1,), (0,), (0,))
    scatter = J.lax.ScatterDimensionNumbers((1,), (0,), (0,))
    return repr(gather), repr(scatter), gather._fields, scatter._fields


def test_numbers_print_as_in_jax():
    compare(numbers)


def mapped_in(J, x, indices, axes):
    fields = J.lax.GatherDimensionNumbers((1,), (0,), (0,))

    def rows(x, indices):
        return J.lax.gather(x, indices, fields, (1, 3))

    return J.vmap(rows, in_axes=axes)(x, indices)


@pytest.mark.parametrize("axes", [(0, None), (None, 0), (0, 0)])
def test_numbers_under_vmap(axes):
    x = X if axes[0] is None else np.stack([X, X + 1])
    indices = ROWS if axes[1] is None else np.stack([ROWS, ROWS[::-1]])
    same_text(mapped_in, x, indices, static=(axes,))


def wrong(J, fields, indices):
    try:
        J.lax.gather(X, indices, J.lax.GatherDimensionNumbers(*fields), (1, 3))
    except TypeError as error:
        return str(error)


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        (((1,), (7,), (0,)), "collapsed_slice_dims"),
        (((1,), (0,), (7,)), "start_index_map"),
        (((1,), (0,), (0,), (9,), (0,)), "operand_batching_dims"),
        (((1,), (), (1,), (0,), (0,)), "pair axes of equal size"),
    ],
)
def test_refusals_name_the_field(fields, word):
    assert word in run_here(wrong, fields, ROWS).facts["value"]
