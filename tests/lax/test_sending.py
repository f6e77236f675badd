import numpy as np
import pytest

import minijax as mj
from minijax import lax


def numbers(*shape):
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def test_check_53_ppermute():
    ring = [(0, 1), (1, 2), (2, 0)]
    out = mj.vmap(lambda x: lax.ppermute(x, "i", ring), axis_name="i")(numbers(3))
    assert out.tolist() == [2.0, 0.0, 1.0]
    with pytest.raises(ValueError, match="3 pairs"):
        mj.vmap(lambda x: lax.ppermute(x, "i", ring[:2]), axis_name="i")(numbers(3))
    with pytest.raises(ValueError, match="below 3"):
        mj.vmap(lambda x: lax.ppermute(x, "i", [(0, 3)]), axis_name="i")(numbers(3))


def test_who_receives_nothing_has_zeros():
    twice = [(1, 0), (2, 0), (1, 1)]  # nothing for 2
    out = mj.vmap(lambda x: lax.ppermute(x, "i", twice), axis_name="i")(numbers(3) + 1)
    assert out.tolist() == [3.0, 2.0, 0.0]
    same = mj.vmap(lambda _: lax.ppermute(5.0, "i", twice), axis_name="i")(numbers(3))
    assert same.tolist() == [5.0, 5.0, 0.0]


# jax 0.12 fails on pbroadcast under vmap, so it is compared with what it says.
def test_pbroadcast():
    x = numbers(3, 2)
    out = mj.vmap(lambda x: lax.pbroadcast(x, "i", 1), axis_name="i")(x)
    np.testing.assert_array_equal(out, np.stack([x[1]] * 3))
    one = mj.vmap(lambda _: lax.pbroadcast(7.0, "i", 1), axis_name="i", out_axes=None)
    assert float(one(x)) == 7.0
    with pytest.raises(ValueError, match="below 3"):
        mj.vmap(lambda x: lax.pbroadcast(x, "i", 3), axis_name="i")(x)


def test_pbroadcast_from_a_computed_source():
    x = numbers(3, 2)

    def call(x, source):
        return lax.pbroadcast(x, "i", source)

    same = mj.vmap(call, in_axes=(0, None), axis_name="i")(x, np.array(2))
    np.testing.assert_array_equal(same, np.stack([x[2]] * 3))
    own = mj.vmap(call, axis_name="i")(x, np.array([2, 0, 0]))
    np.testing.assert_array_equal(own, x[[2, 0, 0]])


@pytest.mark.parametrize("source", [1, np.array(1)])
def test_the_slope_of_pbroadcast_is_at_the_source(source):
    weights = np.array([2.0, 3.0, 5.0], np.float32)

    def loss(x, source, w):
        return lax.pbroadcast(x, "i", source) * w

    axes = (0, None, 0)
    if type(source) is int:
        slope = mj.vmap(mj.grad(lambda x, w: loss(x, source, w)), axis_name="i")(
            weights, weights
        )
    else:
        slope = mj.vmap(mj.grad(loss), in_axes=axes, axis_name="i")(
            weights, source, weights
        )
    assert slope.tolist() == [0.0, 10.0, 0.0]


def test_pbroadcast_is_staged_like_jax(oracle):
    from tests.lax import collective_programs as programs

    oracle.compare(programs.pbroadcast_text)


def test_what_is_refused_under_vmap():
    def over_two(fun):
        return mj.vmap(mj.vmap(fun, axis_name="j"), axis_name="i")(numbers(2, 3))

    perm = [(k, (k + 1) % 6) for k in range(6)]
    with pytest.raises(NotImplementedError, match="one named axis"):
        over_two(lambda x: lax.ppermute(x, ("i", "j"), perm))
    with pytest.raises(NotImplementedError, match="one named axis"):
        over_two(lambda x: lax.pbroadcast(x, ("i", "j"), 0))
