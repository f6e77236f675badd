"""Other counter-based generators: Philox with two and four words, Threefry with four.

Written with plain `lax` operations: they need no primitive of their own.

Source: spec/random.md §7; J. Salmon et al., Parallel random numbers: as easy as 1, 2,
3, SC 2011.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from .. import lax
from ..transforms import jit
from .counters import counters
from .implementations import PRNGImpl, register
from .threefry import join_words, stack_words, threefry_seed, uint, word

type Words = list[Any]
type Cipher = Callable[[Words, Words], Words]

_ZERO = np.uint32(0)


def _add(x: Any, y: Any) -> Any:
    return lax.add(x, y)


def _rotate(x: Any, left: int) -> Any:
    up = lax.shift_left(x, np.uint32(left))
    return lax.bitwise_or(up, lax.shift_right_logical(x, np.uint32(32 - left)))


# --- Philox ---------------------------------------------------------------------------

_WEYL = (0x9E3779B9, 0xBB67AE85)
_PHILOX_2, _PHILOX_4 = 0xD256D193, (0xD2511F53, 0xCD9E8D57)
_PHILOX_ROUNDS = 10


def _halves(x: Any, factor: int) -> tuple[Any, Any]:
    """The high and the low word of a product."""
    times = np.uint32(factor)
    return lax.mulhi(x, times), lax.mul(x, times)


def _philox2x32(key: Words, counter: Words) -> Words:
    (k,), (x0, x1) = key, counter
    for turn in range(_PHILOX_ROUNDS):
        if turn:
            k = _add(k, np.uint32(_WEYL[0]))
        high, low = _halves(x0, _PHILOX_2)
        x0, x1 = lax.bitwise_xor(lax.bitwise_xor(high, k), x1), low
    return [x0, x1]


def _philox4x32(key: Words, counter: Words) -> Words:
    (k0, k1), (x0, x1, x2, x3) = key, counter
    for turn in range(_PHILOX_ROUNDS):
        if turn:
            k0, k1 = _add(k0, np.uint32(_WEYL[0])), _add(k1, np.uint32(_WEYL[1]))
        high0, low0 = _halves(x0, _PHILOX_4[0])
        high1, low1 = _halves(x2, _PHILOX_4[1])
        x0 = lax.bitwise_xor(lax.bitwise_xor(high1, x1), k0)
        x2 = lax.bitwise_xor(lax.bitwise_xor(high0, x3), k1)
        x1, x3 = low1, low0
    return [x0, x1, x2, x3]


# --- Threefry with four words ---------------------------------------------------------

_PARITY = np.uint32(0x1BD11BDA)
_TURNS = (
    *((10, 26), (11, 21), (13, 27), (23, 5)),
    *((6, 20), (17, 11), (25, 10), (18, 20)),
)
_THREEFRY_ROUNDS = 20


def _threefry4x32(key: Words, counter: Words) -> Words:
    keys = [*key, reduce(lax.bitwise_xor, [*key, _PARITY])]
    x = [_add(word, k) for word, k in zip(counter, key)]
    for turn in range(_THREEFRY_ROUNDS):
        partner = 3 if turn % 2 else 1
        for i, j, left in ((0, partner, 0), (2, 4 - partner, 1)):
            x[i] = _add(x[i], x[j])
            x[j] = lax.bitwise_xor(_rotate(x[j], _TURNS[turn % 8][left]), x[i])
        if turn % 4 == 3:
            step = (turn + 1) // 4
            x = [_add(word, keys[(step + i) % 5]) for i, word in enumerate(x)]
            x[3] = _add(x[3], np.uint32(step))
    return x


# --- from ciphers to generators -------------------------------------------------------


def _key_words(key: Any, count: int) -> Words:
    return [word(key, i) for i in range(count)]


def _make(
    cipher: Cipher,
    *,
    key_words: int,
    block: int,
    seed: Callable[[Any], Any],
    joined: Callable[[Words], tuple[Any, Any]],
    name: str,
    tag: str,
) -> PRNGImpl:
    """A generator whose keys are the first words of blocks.

    Counters of keys end a block, counters of bits begin it. joined: the two halves of
    64 bits of a block.
    """
    zeros = [_ZERO] * (block - 2)

    def split(key: Any, shape: tuple[int, ...]) -> Any:
        drawn = cipher(_key_words(key, key_words), [*zeros, *counters(shape)])
        return stack_words(drawn[:key_words])

    def fold_in(key: Any, data: Any) -> Any:
        counter = [*zeros, lax.full_like(data, _ZERO), data]
        return stack_words(cipher(_key_words(key, key_words), counter)[:key_words])

    def random_bits(key: Any, bit_width: int, shape: tuple[int, ...]) -> Any:
        high, low = counters(shape)
        drawn = cipher(_key_words(key, key_words), [high, low, *zeros])
        if bit_width == 64:
            return join_words(*joined(drawn))
        mixed = reduce(lax.bitwise_xor, drawn)
        return lax.convert_element_type(mixed, uint(bit_width))

    return PRNGImpl(
        key_shape=(key_words,),
        seed=seed,
        split=jit(split, static_argnums=1),
        random_bits=jit(random_bits, static_argnums=(1, 2)),
        fold_in=jit(fold_in),
        name=name,
        tag=tag,
    )


def _first_two(drawn: Sequence[Any]) -> tuple[Any, Any]:
    return drawn[0], drawn[1]


def _pairs(drawn: Sequence[Any]) -> tuple[Any, Any]:
    return lax.bitwise_xor(drawn[0], drawn[2]), lax.bitwise_xor(drawn[1], drawn[3])


def _seed_threefry4(seed: Any) -> Any:
    zeros = [_ZERO] * 4
    return stack_words(
        _threefry4x32([*_key_words(threefry_seed(seed), 2), _ZERO, _ZERO], zeros)
    )


def _seed_philox2(seed: Any) -> Any:
    drawn = _philox2x32([_ZERO], _key_words(threefry_seed(seed), 2))
    return stack_words(drawn[:1])


def _seed_philox4(seed: Any) -> Any:
    words = [*_key_words(threefry_seed(seed), 2), _ZERO, _ZERO]
    return stack_words(_philox4x32([_ZERO, _ZERO], words)[:2])


threefry4x32_prng_impl = register(
    _make(
        _threefry4x32,
        key_words=4,
        block=4,
        seed=jit(_seed_threefry4),
        joined=_pairs,
        name="threefry4x32",
        tag="fry4",
    )
)
philox2x32_prng_impl = register(
    _make(
        _philox2x32,
        key_words=1,
        block=2,
        seed=jit(_seed_philox2),
        joined=_first_two,
        name="philox2x32",
        tag="phx2",
    )
)
philox4x32_prng_impl = register(
    _make(
        _philox4x32,
        key_words=2,
        block=4,
        seed=jit(_seed_philox4),
        joined=_first_two,
        name="philox4x32",
        tag="phx4",
    )
)
