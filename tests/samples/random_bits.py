"""Samples of the primitives behind random numbers. Keys travel as u32[2] words."""

import importlib

import numpy as np

from tests.samples.declaring import Sample, f32, i32, u32

KEY = u32(0, 42)
OTHER = u32(7, 11)


def _wrapped(use):
    return lambda J, words, *rest: use(J, J.random.wrap_key_data(words), *rest)


def _threefry(J, words, counts):
    extension = importlib.import_module(f"{J.__name__}.extend.random")
    return extension.threefry_2x32(words, counts)


def _uniform(J, low, high):
    """Numbers that nobody can foretell: only that they lie between the bounds."""
    drawn = J.lax.rng_uniform(low, high, (3,))
    above = J.lax.ge(drawn, J.lax.broadcast(low, (3,)))
    return J.lax.bitwise_and(above, J.lax.lt(drawn, J.lax.broadcast(high, (3,))))


def _gamma(J, key, a):
    return J.random.random_gamma_p.bind(key, a, log_space=False)


SAMPLES = (
    Sample(
        "threefry2x32",
        _threefry,
        (KEY, u32(0, 1, 2, 3)),
        same_text=False,  # jax shows `np.int64(2)` among the sizes
    ),
    Sample(
        "random_seed",
        lambda J, seed: J.random.key_data(J.random.key(seed)),
        (i32(3),),
        others=(i32(-1),),
    ),
    Sample("random_wrap", _wrapped(lambda J, key: J.random.key_data(key)), (KEY,)),
    Sample("random_unwrap", _wrapped(lambda J, key: J.random.key_data(key)), (OTHER,)),
    Sample(
        "random_split",
        _wrapped(lambda J, key: J.random.key_data(J.random.split(key, 3))),
        (KEY,),
    ),
    Sample(
        "random_fold_in",
        _wrapped(lambda J, key, n: J.random.key_data(J.random.fold_in(key, n))),
        (KEY, u32(5)),
        others=(OTHER, u32(6)),
    ),
    Sample(
        "rng_bit_generator",
        lambda J, state: J.lax.rng_bit_generator(state, (3,), np.uint32),
        (u32(1, 2, 3, 4),),
        batched=(),
    ),
    Sample("rng_uniform", _uniform, (f32(0.0), f32(2.0)), batched=()),
    # Its derivative is that of the distribution, not of the loop that draws: no
    # difference shows it (tests/random/test_gammas.py).
    Sample("random_gamma", _wrapped(_gamma), (KEY, f32(0.5, 2.0))),
    Sample(
        "random_clone",
        _wrapped(lambda J, key: J.random.key_data(J.random.clone(key))),
        (KEY,),
    ),
    Sample("random_bits", _wrapped(lambda J, key: J.random.bits(key, (3,))), (KEY,)),
    Sample(
        "random_bits",
        _wrapped(lambda J, key: J.random.bits(key, (2, 2), "uint8")),
        (KEY,),
        "narrow",
    ),
)
