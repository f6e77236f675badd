"""The default generator: Threefry with two words of 32 bits and twenty rounds.

Bits are a function of the key and a counter, so that every element can be computed
anywhere on its own. `jax_threefry_partitionable=False` is the older numbering, in which
the halves of one long counter are paired.

Source: spec/random.md §§5, 6, 16; J. Salmon et al., Parallel random numbers: as easy as
1, 2, 3, SC 2011.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import lax, lowering
from ..base import flags
from ..base.errors import ArgumentTypeError
from ..core import (
    NOT_DIFFERENTIABLE,
    NOT_LINEAR,
    Primitive,
    ShapedArray,
    shaped,
    typeof,
)
from ..interpreters import batching
from ..lax import define
from ..transforms import eager_jit, jit
from .counters import U32, counters
from .implementations import PRNGImpl, register

_PARITY = 0x1BD11BDA
_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_GROUPS = 5
_I32 = shaped((), np.dtype(np.int32))
_FOUR = shaped((4,), U32)

threefry2x32_p = Primitive("threefry2x32", multiple_results=True)


# --- the block ------------------------------------------------------------------------


class _Emitter:
    """Emits arithmetic on words of one shape; scalars are stretched to it."""

    def __init__(self, ctx: Any, aval: ShapedArray) -> None:
        self.ctx, self.aval = ctx, aval

    def op(self, name: str, x: Any, y: Any) -> Any:
        return self.ctx.op(f"stablehlo.{name}", (x, y), self.aval)

    def stretch(self, x: Any, aval: ShapedArray) -> Any:
        return lowering.broadcast_to(self.ctx, x, aval, self.aval.shape)

    def rotate(self, x: Any, left: Any, right: Any) -> Any:
        up = self.op("shift_left", x, left)
        return self.op("or", up, self.op("shift_right_logical", x, right))

    def mix(self, x: Sequence[Any], left: Any, right: Any) -> tuple[Any, Any]:
        """One round: both words after it."""
        first = self.op("add", x[0], x[1])
        return first, self.op("xor", first, self.rotate(x[1], left, right))


def _start(ctx: Any, operands: Sequence[Any]) -> tuple[_Emitter, Any, Any, Any]:
    """The emitter of results; the key schedule and its type; the first words."""
    k0_aval, k1_aval, *count_avals = ctx.avals_in
    out = _Emitter(ctx, ctx.avals_out[0])
    schedule = _Emitter(ctx, k0_aval if k0_aval.ndim else k1_aval)
    keys = [schedule.stretch(k, aval) for k, aval in zip(operands, (k0_aval, k1_aval))]
    parity = ctx.constant(np.uint32(_PARITY), schedule.aval)
    keys.append(schedule.op("xor", schedule.op("xor", *keys), parity))
    words = [
        out.op("add", out.stretch(x, aval), out.stretch(k, schedule.aval))
        for x, aval, k in zip(operands[2:], count_avals, keys)
    ]
    return out, keys, schedule.aval, words


def _lower_unrolled(ctx: Any, *operands: Any) -> list[Any]:
    out, keys, key_aval, words = _start(ctx, operands)
    keys = [out.stretch(k, key_aval) for k in keys]
    constant = lambda n: ctx.constant(np.uint32(n), out.aval)  # noqa: E731
    for group in range(_GROUPS):
        for turn in _ROTATIONS[group % 2]:
            words = out.mix(words, constant(turn), constant(32 - turn))
        first, second = keys[(group + 1) % 3], keys[(group + 2) % 3]
        second = out.op("add", second, constant(group + 1))
        words = [out.op("add", words[0], first), out.op("add", words[1], second)]
    return list(words)


def _lower_looped(ctx: Any, *operands: Any) -> list[Any]:
    # A loop in place of 100 operations: CPU programs compile in a third of the time.
    out, keys, key_aval, words = _start(ctx, operands)
    even, odd = (ctx.constant(np.array(turns, U32), _FOUR) for turns in _ROTATIONS)
    carry = [_I32, out.aval, out.aval, *[key_aval] * 3, _FOUR, _FOUR]
    first = ctx.constant(0, _I32)

    def goes_on(ctx: Any, i: Any, *rest: Any) -> list[Any]:
        return [lowering.compare(ctx, "LT", i, ctx.constant(_GROUPS, _I32), _I32)]

    def group(ctx: Any, i: Any, *rest: Any) -> list[Any]:
        return _group(ctx, out.aval, key_aval, i, *rest)

    looped = ctx.op_with_regions(
        "stablehlo.while",
        [first, *words, keys[1], keys[2], keys[0], even, odd],
        carry,
        {},
        [(carry, goes_on), (carry, group)],
    )
    return list(looped[1:3])


def _group(
    ctx: Any, aval: ShapedArray, key_aval: ShapedArray, i: Any, *carry: Any
) -> list[Any]:
    """Four rounds and the addition of keys; keys and rotations move on by one."""
    x0, x1, k0, k1, k2, turns, next_turns = carry
    out, scalar = _Emitter(ctx, aval), shaped((), U32)
    words, whole = (x0, x1), ctx.constant(np.uint32(32), scalar)
    for place in range(4):
        turn = _element(ctx, turns, place)
        rest = ctx.op("stablehlo.subtract", (whole, turn), scalar)
        words = out.mix(words, out.stretch(turn, scalar), out.stretch(rest, scalar))
    i = ctx.op("stablehlo.add", (i, ctx.constant(1, _I32)), _I32)
    count = ctx.op("stablehlo.convert", (i,), scalar)
    x0 = out.op("add", words[0], out.stretch(k0, key_aval))
    x1 = out.op("add", words[1], out.stretch(k1, key_aval))
    x1 = out.op("add", x1, out.stretch(count, scalar))
    return [i, x0, x1, k1, k2, k0, next_turns, turns]


def _element(ctx: Any, x: Any, place: int) -> Any:
    array = lowering.i64_array
    part = ctx.op(
        "stablehlo.slice",
        (x,),
        shaped((1,), U32),
        start_indices=array((place,)),
        limit_indices=array((place + 1,)),
        strides=array((1,)),
    )
    return ctx.op("stablehlo.reshape", (part,), shaped((), U32))


def _block_type(*avals: ShapedArray) -> list[ShapedArray]:
    if any(aval.dtype != U32 for aval in avals):
        raise ArgumentTypeError(
            "threefry2x32 takes words of type uint32.",
            f"Found {', '.join(map(str, avals))}.",
        )
    shape = lax.broadcast_shapes(*(aval.shape for aval in avals))
    return [shaped(shape, U32)] * 2


define(
    threefry2x32_p,
    abstract_eval=_block_type,
    jvp=NOT_DIFFERENTIABLE,
    transpose=NOT_LINEAR,
    batch=batching.elementwise(threefry2x32_p),
    lower=lowering.shared(
        lowering.by_platform(_lower_unrolled, cpu=_lower_looped), "threefry2x32"
    ),
)


# --- counts to bits -------------------------------------------------------------------


def word(key: Any, place: int) -> Any:
    """One word of a key: u32[n] -> u32[]."""
    return lax.index_in_dim(key, place, keepdims=False)


def stack_words(words: Sequence[Any]) -> Any:
    """n × u32[*s] -> u32[*s, n]."""
    last = typeof(words[0]).ndim
    return lax.concatenate([lax.expand_dims(x, (last,)) for x in words], last)


def _threefry_2x32(keypair: Any, count: Any) -> Any:
    """Encrypt counts, the first half of them paired with the second: u32[*s].

    keypair: u32[2], or a pair of u32[].

    >>> import minijax as mj
    >>> key = mj.numpy.array([0, 0], "uint32")
    >>> bits = mj.extend.random.threefry_2x32(key, key)
    >>> [hex(int(word)) for word in bits]
    ['0x6b200159', '0x99ba4efe']

    Raises:
      TypeError: the words are not uint32.
    """
    k0, k1 = keypair if isinstance(keypair, tuple | list) else lax.unstack(keypair)
    aval = typeof(count)
    if any(typeof(x).dtype != U32 for x in (k0, k1, count)):
        raise ArgumentTypeError(
            "threefry_2x32 takes words of type uint32.",
            f"Found {typeof(k0)}, {typeof(k1)} and {aval}.",
        )
    flat = count if aval.ndim == 1 else lax.reshape(count, (aval.size,))
    if aval.size % 2:
        flat = lax.concatenate([flat, np.zeros(1, U32)], 0)
    half = typeof(flat).size // 2
    x0, x1 = lax.split(flat, (half, half))
    out = lax.concatenate(threefry2x32_p.bind(k0, k1, x0, x1), 0)
    if aval.size % 2:
        out = lax.slice(out, (0,), (aval.size,))
    return out if aval.ndim == 1 else lax.reshape(out, aval.shape)


_threefry_2x32.__name__ = "threefry_2x32"
threefry_2x32 = eager_jit(_threefry_2x32)


def encrypt_counters(key: Any, shape: Sequence[int]) -> tuple[Any, Any]:
    """The block of each element's counter: u32[2] -> 2 × u32[*shape]."""
    high, low = counters(shape)
    x0, x1 = threefry2x32_p.bind(word(key, 0), word(key, 1), high, low)
    return x0, x1


def threefry_seed(seed: Any) -> Any:
    """The two halves of a seed, which may be narrower: i[] -> u32[2]."""
    shift = np.array(32, typeof(seed).dtype)[()]
    high = lax.convert_element_type(lax.shift_right_logical(seed, shift), U32)
    return stack_words([high, lax.convert_element_type(seed, U32)])


def _threefry_split(key: Any, shape: tuple[int, ...]) -> Any:
    if flags.threefry_partitionable.value:
        return stack_words(encrypt_counters(key, shape))
    counts = lax.iota(U32, 2 * math.prod(shape))
    return lax.reshape(threefry_2x32(key, counts), (*shape, 2))


def _threefry_fold_in(key: Any, data: Any) -> Any:
    return threefry_2x32(key, threefry_seed(data))


split_words = jit(_threefry_split, static_argnums=1)
fold_in_words = jit(_threefry_fold_in)


def threefry_random_bits(key: Any, bit_width: int, shape: tuple[int, ...]) -> Any:
    """Bits of each element: u32[2] -> uint[*shape]."""
    if not flags.threefry_partitionable.value:
        return _bits_in_halves(key, bit_width, shape)
    x0, x1 = encrypt_counters(key, shape)
    if bit_width == 64:
        return join_words(x0, x1)
    return lax.convert_element_type(lax.bitwise_xor(x0, x1), uint(bit_width))


def uint(bit_width: int) -> np.dtype:
    """The unsigned dtype of a width."""
    return np.dtype(f"uint{bit_width}")


def join_words(high: Any, low: Any) -> Any:
    """2 × u32[*s] -> u64[*s]."""
    u64 = uint(64)
    high, low = (lax.convert_element_type(x, u64) for x in (high, low))
    return lax.bitwise_or(lax.shift_left(high, np.uint64(32)), low)


_MOST_WORDS = 2**32 - 1


def _bits_in_halves(key: Any, bit_width: int, shape: tuple[int, ...]) -> Any:
    size = math.prod(shape)
    words = -(-bit_width * size // 32)
    blocks, rest = divmod(words, _MOST_WORDS)
    if not blocks:
        drawn = threefry_2x32(key, lax.iota(U32, rest))
    else:
        keys = split_words(key, (blocks + 1,))
        sizes = [_MOST_WORDS] * blocks + [rest]
        parts = [
            threefry_2x32(word(keys, i), lax.iota(U32, n)) for i, n in enumerate(sizes)
        ]
        drawn = lax.concatenate(parts, 0)
    return lax.reshape(_recut(drawn, bit_width, size), shape)


def _recut(words: Any, bit_width: int, size: int) -> Any:
    """Words as `size` integers of another width."""
    if bit_width == 32:
        return words
    if bit_width == 64:
        return join_words(
            lax.slice(words, (0,), (size,)), lax.slice(words, (size,), (2 * size,))
        )
    per_word = 32 // bit_width
    count = typeof(words).size
    shifts = lax.mul(lax.broadcasted_iota(U32, (1, per_word), 1), np.uint32(bit_width))
    spread = lax.broadcast_in_dim(words, (count, 1), (0,))
    parts = lax.shift_right_logical(spread, shifts)
    parts = lax.convert_element_type(parts, uint(bit_width))
    return lax.slice(lax.reshape(parts, (count * per_word,)), (0,), (size,))


threefry_prng_impl = register(
    PRNGImpl(
        key_shape=(2,),
        seed=threefry_seed,
        split=split_words,
        random_bits=threefry_random_bits,
        fold_in=fold_in_words,
        name="threefry2x32",
        tag="fry",
    )
)
