"""XLA's own generators: states, bits, bounds, batches, and what is refused."""

import numpy as np
import pytest

import minijax as mj
from minijax import lax
from tests.lax import generator_programs as programs

STATE = np.array([1, 2, 3, 4], np.uint32)


@pytest.mark.parametrize("algorithm", ["RNG_DEFAULT", "RNG_THREE_FRY", "RNG_PHILOX"])
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32"])
def test_bits_and_the_next_state(oracle, algorithm, dtype):
    oracle.compare(programs.drawn, STATE, (3, 2), dtype, algorithm)


def test_a_state_of_two_wide_words(oracle):
    state = np.array([1, 2], np.uint64)
    oracle.compare(programs.drawn, state, (3,), "uint64", "RNG_PHILOX", x64=True)


def test_the_program(oracle):
    oracle.compare(programs.program, STATE)


def test_a_batch_is_drawn_from_the_first_state(oracle):
    oracle.compare(programs.mapped, np.stack([STATE, STATE + 1]))


def test_the_next_state_gives_other_bits():
    state, first = lax.rng_bit_generator(STATE, (4,))
    _, again = lax.rng_bit_generator(STATE, (4,))
    _, second = lax.rng_bit_generator(state, (4,))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, second)


@pytest.mark.parametrize(
    "state, options, error",
    [
        (STATE[:3], {}, TypeError),
        (STATE.astype(np.int32), {}, TypeError),
        (STATE, {"dtype": np.int32}, TypeError),
        (STATE, {"out_sharding": 1}, NotImplementedError),
    ],
)
def test_refusals(state, options, error):
    with pytest.raises(error, match="rng_bit_generator"):
        lax.rng_bit_generator(state, (2,), **options)


def test_the_algorithms_have_short_texts():
    assert str(lax.RandomAlgorithm.RNG_PHILOX) == "RNG_PHILOX"
    assert lax.RandomAlgorithm(1) is lax.RandomAlgorithm.RNG_THREE_FRY


# --- rng_uniform ----------------------------------------------------------------------


def test_uniform_numbers_lie_between_the_bounds_and_differ():
    x = np.asarray(lax.rng_uniform(np.float32(2), np.float32(3), (1000,)))
    assert x.dtype == np.float32 and x.shape == (1000,)
    assert (x >= 2).all() and (x < 3).all()
    assert len(np.unique(x)) > 900
    n = np.asarray(mj.jit(lambda: lax.rng_uniform(np.int32(5), np.int32(8), (300,)))())
    assert set(n) == {5, 6, 7}


@pytest.mark.parametrize(
    "low, high",
    [
        (np.float32(0), np.float16(1)),
        (np.zeros(2, np.float32), np.float32(1)),
        (np.complex64(0), np.complex64(1)),
    ],
)
def test_bounds_that_are_refused(low, high):
    with pytest.raises((TypeError, ValueError), match="rng_uniform"):
        lax.rng_uniform(low, high, (2,))


def test_it_has_no_derivative_and_no_batch():
    one = np.float32(1)
    with pytest.raises(NotImplementedError, match="no derivative"):
        mj.jvp(lambda b: lax.rng_uniform(np.float32(0), b, ()), (one,), (one,))
    with pytest.raises(NotImplementedError, match="mapped"):
        mj.vmap(lambda b: lax.rng_uniform(np.float32(0), b, ()))(np.ones(2, "f"))
