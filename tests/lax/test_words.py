"""Primitives that move elements about, on arrays of random keys."""

import numpy as np
import pytest

from tests.oracle import compare, run_here
from tests.records import unpacked
from tests.samples.declaring import i32

CALLS = {
    "reshape": lambda J, k: J.lax.reshape(k, (2, 3)),
    "broadcast_in_dim": lambda J, k: J.lax.broadcast_in_dim(k, (2, 6), (1,)),
    "transpose": lambda J, k: J.lax.transpose(J.lax.reshape(k, (2, 3)), (1, 0)),
    "squeeze": lambda J, k: J.lax.squeeze(J.lax.slice(k, (1,), (2,)), (0,)),
    "rev": lambda J, k: J.lax.rev(k, (0,)),
    "tile": lambda J, k: J.lax.tile(k, (2,)),
    "copy": lambda J, k: J.lax.copy_p.bind(k),
    "concatenate": lambda J, k: J.lax.concatenate([k, k], 0),
    "split": lambda J, k: J.lax.split(k, (2, 4)),
    "stack": lambda J, k: J.lax.stack([k, k], 1),
    "unstack": lambda J, k: J.lax.unstack(k),
    "slice": lambda J, k: J.lax.slice(k, (1,), (6,), (2,)),
    "dynamic_slice": lambda J, k: J.lax.dynamic_slice(k, (i32(4),), (3,)),
    "dynamic_update_slice": lambda J, k: J.lax.dynamic_update_slice(
        k, J.lax.slice(k, (4,), (6,)), (i32(1),)
    ),
    "gather": lambda J, k: rows(J, k, "clip"),
    "gather with fill": lambda J, k: rows(J, k, "fill"),
    "scatter": lambda J, k: J.lax.scatter(
        k,
        i32([[5], [0]]),
        J.lax.slice(k, (1,), (3,)),
        J.lax.ScatterDimensionNumbers((), (0,), (0,)),
        unique_indices=True,
    ),
    "optimization_barrier": lambda J, k: J.lax.optimization_barrier(k),
}


def rows(J, k, mode):
    numbers = J.lax.GatherDimensionNumbers((), (0,), (0,))
    return J.lax.gather(k, i32([[2], [9], [0]]), numbers, (1,), mode=mode)


def on_keys(J, name, implementation):
    def fun(keys):
        return CALLS[name](J, keys)

    keys = J.random.split(J.random.key(3, impl=implementation), 6)
    return J.tree_util.tree_map(J.random.key_data, (fun(keys), J.jit(fun)(keys)))


def mapped_over_keys(J, name):
    keys = J.lax.reshape(J.random.split(J.random.key(3), 12), (6, 2))
    out = J.vmap(lambda k: CALLS[name](J, k), in_axes=1)(keys)
    return J.tree_util.tree_map(J.random.key_data, out)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("implementation", ["threefry2x32", "rbg"])
def test_keys_move_as_wholes(name, implementation):
    compare(on_keys, name, implementation)


@pytest.mark.parametrize("name", CALLS)
def test_keys_move_under_vmap(name):
    compare(mapped_over_keys, name)


def reordered(J):
    keys = J.lax.reshape(J.random.split(J.random.key(3), 6), (2, 3))
    read, put = J.lax.reshape(keys, (6,), (1, 0)), J.lax.transpose(keys, (1, 0))
    return J.random.key_data(read), J.random.key_data(J.lax.reshape(put, (6,)))


def test_keys_read_in_another_order():
    # jax cannot lower this one.
    read, expected = (unpacked(c.array) for _, c in run_here(reordered).children)
    np.testing.assert_array_equal(read, expected)
