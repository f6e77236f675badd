"""Generators whose bits come from XLA: `rbg` and `unsafe_rbg`.

`rbg` derives keys as the default generator does and takes only its bits from XLA;
`unsafe_rbg` takes everything from there, so its keys are less independent. Mapped over
keys, both draw all bits from the first of them.

Source: spec/random.md §7.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import lax
from ..core import typeof
from ..transforms import vmap
from .implementations import PRNGImpl, register
from .threefry import fold_in_words, split_words, threefry_seed, uint

_HALVES = (2, 2)
# How many rows of bits apart new keys are taken.
_STRIDE = 10


def _seed(seed: Any) -> Any:
    half = threefry_seed(seed)
    return lax.concatenate([half, half], 0)


def _split(key: Any, shape: tuple[int, ...]) -> Any:
    halves = vmap(lambda half: split_words(half, shape), out_axes=len(shape))(
        lax.reshape(key, _HALVES)
    )
    return lax.reshape(halves, (*shape, 4))


def _fold_in(key: Any, data: Any) -> Any:
    halves = vmap(fold_in_words, in_axes=(0, None))(lax.reshape(key, _HALVES), data)
    return lax.reshape(halves, (4,))


def _bits(key: Any, bit_width: int, shape: tuple[int, ...]) -> Any:
    return lax.rng_bit_generator(key, shape, uint(bit_width))[1]


def _unsafe_split(key: Any, shape: tuple[int, ...]) -> Any:
    rows = _STRIDE * math.prod(shape)
    drawn = lax.rng_bit_generator(key, (rows, 4), np.uint32)[1]
    kept = lax.slice(drawn, (0, 0), (rows, 4), (_STRIDE, 1))
    return lax.reshape(kept, (*shape, 4))


def _unsafe_fold_in(key: Any, data: Any) -> Any:
    drawn = lax.rng_bit_generator(_seed(data), (_STRIDE, 4), np.uint32)[1]
    last = lax.index_in_dim(drawn, typeof(drawn).shape[0] - 1, keepdims=False)
    return lax.bitwise_xor(key, last)


rbg_prng_impl = register(
    PRNGImpl(
        key_shape=(4,),
        seed=_seed,
        split=_split,
        random_bits=_bits,
        fold_in=_fold_in,
        name="rbg",
        tag="rbg",
    )
)
unsafe_rbg_prng_impl = register(
    PRNGImpl(
        key_shape=(4,),
        seed=_seed,
        split=_unsafe_split,
        random_bits=_bits,
        fold_in=_unsafe_fold_in,
        name="unsafe_rbg",
        tag="urbg",
    )
)
