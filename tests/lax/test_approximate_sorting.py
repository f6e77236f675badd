"""approx_max_k and approx_min_k."""

import numpy as np
import pytest

from tests.lax.comparing import same_error, same_jvp, same_text, same_value, same_vmap
from tests.oracle import compare, run_here
from tests.records import unpacked
from tests.samples.declaring import grid

X = grid(4, 100)


def top(J, x, name, k, options=None):
    return getattr(J.lax, name)(x, k, **(options or {}))


def values(J, x, name, k, options=None):
    return getattr(J.lax, name)(x, k, **(options or {}))[0]


CALLS = [
    ("approx_max_k", 3, {}),
    ("approx_min_k", 3, {}),
    ("approx_max_k", 2, {"reduction_dimension": 0}),
    ("approx_min_k", 5, {"recall_target": 0.5, "reduction_dimension": 1}),
    ("approx_max_k", 3, {"aggregate_to_topk": False}),
]


@pytest.mark.parametrize(("name", "k", "options"), CALLS)
def test_values_and_programs(name, k, options):
    same_value(top, X, static=(name, k, options), exact=True)
    same_text(top, X, static=(name, k, options))


@pytest.mark.parametrize(("name", "k", "options"), CALLS[:4])
def test_derivatives_and_batches(name, k, options):
    # jax wraps the look-up of the tangents in a call.
    same_jvp(values, X, static=(name, k, options), with_text=False)
    same_vmap(top, grid(2, 6), static=(name, min(k, 2), options))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_other_dtypes(dtype):
    import ml_dtypes  # noqa: F401  makes numpy know bfloat16

    same_value(top, X.astype(np.dtype(dtype)), static=("approx_max_k", 3), exact=True)


def sizes(J, override):
    options = {
        "aggregate_to_topk": False,
        "recall_target": 0.5,
        "reduction_input_size_override": override,
    }
    like = J.ShapeDtypeStruct((4, 100_000), np.float32)
    return J.eval_shape(lambda x: J.lax.approx_max_k(x, 3, **options), like)


@pytest.mark.parametrize("override", [-1, 200_000])
def test_number_of_bins(override):
    compare(sizes, override)


def compiled(J, name):
    words = J.jit(lambda x: getattr(J.lax, name)(x, 3)).lower(X).as_text()
    marks = (
        "@ApproxTopK",
        "comparator",
        "is_fallback = true",
        "compare GT",
        "compare LT",
    )
    return {mark: words.count(mark) for mark in marks}


@pytest.mark.parametrize("name", ["approx_max_k", "approx_min_k"])
def test_check_51_custom_call(name):
    compare(compiled, name)


def test_it_is_exact_on_a_cpu():
    ours = run_here(values, X, "approx_max_k", 3)
    expected = np.sort(X, axis=1)[:, :-4:-1]
    np.testing.assert_array_equal(unpacked(ours.array), expected)


@pytest.mark.parametrize(
    ("x", "k", "options"),
    [
        (X, 101, {}),
        (X, 0, {}),
        (X, -1, {}),
        (X, 1, {"reduction_dimension": 2}),
        (X.astype(np.int32), 1, {}),
        (X.astype(np.complex64), 1, {}),
        (np.float32(1), 1, {}),
    ],
)
def test_refusals(x, k, options):
    same_error(top, x, static=("approx_max_k", k, options))
