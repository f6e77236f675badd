"""sort and top_k."""

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

X, Y = grid(2, 3), grid(2, 3)[::-1].copy()
TIES = i32([[2, 1, 2], [0, 0, 0]])
NAN, INF = float("nan"), float("inf")


def sort(J, *operands_and_options):
    *operands, options = operands_and_options
    return J.lax.sort(operands, **options)


def sort_one(J, x, options):
    return J.lax.sort(x, **options)


def sort_key_val(J, keys, values, options):
    return J.lax.sort_key_val(keys, values, **options)


def top_k(J, x, k, options):
    return J.lax.top_k(x, k, **options)


def largest(J, x, k, options):
    return J.lax.top_k(x, k, **options)[0]


SORTS = [
    (sort_one, (X,), {}),
    (sort_one, (X,), {"dimension": 0, "is_stable": False}),
    (sort, (X,), {}),
    (sort, (X, Y), {"dimension": 0, "is_stable": True}),
    (sort, (X, Y), {"num_keys": 2}),
    (sort, (TIES, X), {}),
    (sort, (TIES, X, Y), {"num_keys": 2}),
    (sort_key_val, (X, Y), {}),
    (sort_key_val, (TIES, Y), {"dimension": 0, "is_stable": True}),
]


@pytest.mark.parametrize(("call", "operands", "options"), SORTS)
def test_values_and_programs(call, operands, options):
    same_value(call, *operands, static=(options,), exact=True)
    same_text(call, *operands, static=(options,))


@pytest.mark.parametrize(("call", "operands", "options"), SORTS)
def test_derivatives(call, operands, options):
    inexact = tuple(i for i, x in enumerate(operands) if x.dtype == np.float32)
    for where in {inexact, inexact[-1:]}:
        # jax builds zeros of the integer keys' tangents by an equation.
        shown = len(inexact) == len(operands)
        same_jvp(call, *operands, where=where, static=(options,), with_text=shown)
        if len(inexact) == len(operands):
            same_vjp(call, *operands, where=where, static=(options,))


@pytest.mark.parametrize(("call", "operands", "options"), SORTS)
def test_batches(call, operands, options):
    axes = all_axes(operands)
    same_vmap(call, *operands, static=(options,), axes=axes[:: 1 + len(axes) // 10])


@pytest.mark.parametrize(
    "dtype", ["float32", "float16", "complex64", "int8", "uint32", "bool"]
)
def test_check_50_total_order(dtype):
    values = [3, NAN, -0.0, 0.0, INF, -INF, -NAN, -1, 0.0, -0.0, 1, 3]
    if dtype in ("int8", "uint32", "bool"):
        values = [3, 0, 1, 2, 100, 1, 0]
    x = np.array(values, dtype)
    if dtype == "complex64":
        x = x + 1j * np.array(values[::-1], np.float32)
    positions = np.arange(len(values), dtype=np.int32)
    for options in ({}, {"num_keys": 2}):
        same_value(sort, x, positions, static=(options,), exact=True)


def gradient(J, weights, *operands):
    def fun(*operands):
        out = J.lax.sort(operands, num_keys=1)
        return out[-1]

    *keys, values = operands
    pull = J.vjp(lambda v: fun(*keys, v), values)[1]
    return pull(weights)[0]


def test_check_40_gradient_follows_the_permutation():
    weights = f32(1, 10, 100)
    compare(gradient, weights, f32(3, 1, 2))
    ours = run_here(gradient, weights, f32(3, 1, 2))
    assert list(unpacked(ours.array)) == [100, 1, 10]
    keyed = run_here(gradient, weights, i32(3, 1, 2), f32(7, 8, 9))
    assert list(unpacked(keyed.array)) == [100, 1, 10]


TOPS = [
    (X, 2, {}),
    (X, 1, {"axis": 0}),
    (grid(3, 4, 2), 2, {"axis": 1}),
    (X, 0, {}),
    (X, 3, {"is_stable": False}),
]


@pytest.mark.parametrize(("x", "k", "options"), TOPS)
def test_check_51_top_k(x, k, options):
    same_value(top_k, x, static=(k, options), exact=True)
    same_text(top_k, x, static=(k, options))
    same_jvp(largest, x, static=(k, options))
    same_vjp(largest, x, static=(k, options))
    same_vmap(top_k, x, static=(k, options))


@pytest.mark.parametrize("dtype", ["int32", "uint8", "bool", "float16"])
def test_top_k_of_other_dtypes(dtype):
    x = np.array([3, 1, 3, 0, 2]).astype(dtype)
    same_value(top_k, x, static=(3, {}), exact=True)


def one_hot_gradient(J, x):
    return J.vjp(lambda x: J.lax.top_k(x, 1)[0], x)[1](np.ones(1, np.float32))[0]


def test_check_40_top_k_gradient_is_one_hot():
    compare(one_hot_gradient, f32(1, 5, 2))
    ours = run_here(one_hot_gradient, f32(1, 5, 2))
    assert list(unpacked(ours.array)) == [0, 1, 0]


@pytest.mark.parametrize(
    ("operands", "options"),
    [
        ((), {}),
        ((X,), {"num_keys": 2}),
        ((X,), {"num_keys": 0}),
        ((X, grid(3)), {}),
        ((X,), {"dimension": 2}),
        ((np.float32(1),), {}),
    ],
)
def test_refused_sorts(operands, options):
    same_error(sort, *operands, static=(options,))


@pytest.mark.parametrize(
    ("x", "k", "options"),
    [
        (X, 4, {}),
        (X, -1, {}),
        (X, 1.0, {}),
        (np.float32(1), 1, {}),
        (X.astype(np.complex64), 1, {}),
        (X, 1, {"axis": 2}),
    ],
)
def test_refused_tops(x, k, options):
    same_error(top_k, x, static=(k, options))


def compiled(J, call, operands, static):
    def fun(*operands):
        return call(J, *operands, *static)

    return J.jit(fun).lower(*operands).as_text()


def comparator(J, operands, options):
    """How often each word stands in the compiled text."""
    words = compiled(J, sort, operands, (options,))
    marks = ("TOTALORDER", "SIGNED", "stablehlo.and", "stablehlo.or", "select", "real")
    return {mark: words.count(mark) for mark in marks}


@pytest.mark.parametrize(
    ("operands", "options"),
    [
        ((X,), {}),
        ((X, TIES), {"num_keys": 2}),
        ((X.astype(np.complex64), X > 0, X), {"num_keys": 3}),
    ],
)
def test_check_50_comparator(operands, options):
    compare(comparator, operands, options)


def top_k_text(J, axis):
    words = compiled(J, top_k, (grid(3, 4),), (2, {"axis": axis}))
    return words.count("chlo.top_k"), words.count("stablehlo.transpose")


@pytest.mark.parametrize("axis", [0, 1])
def test_check_51_top_k_looks_along_the_last_axis(axis):
    ours = compare(top_k_text, axis)
    assert [c.facts["value"] for _, c in ours.children] == [1, 3 if axis == 0 else 0]
