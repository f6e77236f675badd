import numpy as np
import pytest

import minijax as mj
from minijax import lax


def numbers(*shape):
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def over_both(fun, **axes):
    return mj.vmap(mj.vmap(fun, axis_name="j", **axes), axis_name="i", **axes)


def as_one(fun, x, **axes):
    """The axes of both names as one: what several names mean together."""
    flat = x.reshape(-1, *x.shape[2:])
    return np.asarray(mj.vmap(fun, axis_name="k", **axes)(flat))


CALLS = {
    "all_gather": (lambda x, n: lax.all_gather(x, n, axis=1), (4, 6)),
    "all_gather tiled": (lambda x, n: lax.all_gather(x, n, tiled=True), (4, 6)),
    "psum_scatter": (lambda x, n: lax.psum_scatter(x, n), (6, 2)),
    "psum_scatter tiled": (lambda x, n: lax.psum_scatter(x, n, tiled=True), (12, 2)),
    "all_to_all": (lambda x, n: lax.all_to_all(x, n, 0, 1), (6, 2)),
    "all_to_all back": (lambda x, n: lax.all_to_all(x, n, 1, 0), (2, 6)),
    "all_to_all in place": (lambda x, n: lax.all_to_all(x, n, 1, 1), (2, 6)),
    "all_to_all tiled": (lambda x, n: lax.all_to_all(x, n, 0, 0, tiled=True), (12, 2)),
    "all_to_all tiled back": (
        lambda x, n: lax.all_to_all(x, n, 1, 0, tiled=True),
        (2, 12),
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_several_names_are_one_axis(name):
    call, shape = CALLS[name]
    x = numbers(2, 3, *shape)
    found = np.asarray(over_both(lambda x: call(x, ("i", "j")))(x))
    expected = as_one(lambda x: call(x, "k"), x)
    np.testing.assert_array_equal(found.reshape(expected.shape), expected)


def test_all_to_all_of_what_all_have():
    y = numbers(4, 2)
    out = mj.vmap(
        lambda _, y: lax.all_to_all(y, "i", 0, 1), in_axes=(0, None), axis_name="i"
    )(numbers(4), y)
    expected = np.stack([np.stack([y[i]] * 4, axis=1) for i in range(4)])
    np.testing.assert_array_equal(out, expected)


def test_psum_scatter_beside_another_mapped_axis():
    x = numbers(4, 4, 3, 2)
    inner = mj.vmap(lambda x: lax.psum_scatter(x, "i"), in_axes=-1)
    out = mj.vmap(inner, axis_name="i")(x)
    np.testing.assert_array_equal(out, np.moveaxis(x.sum(0), -1, 1))


def test_check_52_all_gather_shapes():
    x = numbers(2, 3)
    gathered = mj.vmap(
        lambda x: lax.all_gather(x, "i", axis=1), axis_name="i", out_axes=None
    )(x)
    assert gathered.shape == (3, 2)


def test_check_54_all_to_all_transposes():
    x = numbers(4, 4)
    out = mj.vmap(lambda x: lax.all_to_all(x, "i", 0, 0), axis_name="i")(x)
    np.testing.assert_array_equal(out, x.T)


def test_check_55_psum_scatter():
    x = numbers(4, 4)
    sums = mj.vmap(lambda x: lax.psum_scatter(x, "i"), axis_name="i")(x)
    np.testing.assert_array_equal(sums, x.sum(0))
    tiled = mj.vmap(lambda x: lax.psum_scatter(x, "i", tiled=True), axis_name="i")
    np.testing.assert_array_equal(
        tiled(numbers(4, 8)), numbers(4, 8).sum(0).reshape(4, 2)
    )


@pytest.mark.parametrize("axes", [(0, 1), (1, 0)])
def test_the_slope_of_all_to_all_sends_back(axes):
    split, concat = axes
    shape = (4, 3) if split == 0 else (3, 4)
    x = mj.numpy.asarray(numbers(4, *shape))

    def call(x):
        return lax.all_to_all(x, "i", split, concat)

    y, pull = mj.vjp(mj.vmap(call, axis_name="i"), x)
    (x_bar,) = pull(y)
    np.testing.assert_array_equal(x_bar, x)


def test_gathering_to_other_kinds_of_results_is_for_meshes():
    with pytest.raises(NotImplementedError, match="invarying"):
        mj.vmap(lambda x: lax.all_gather(x, "i", to="invarying"), axis_name="i")(
            numbers(2)
        )
