"""The generators that XLA and the device bring along: bits, and uniform numbers.

Their streams differ by platform and version; `random` has generators that do not.

Source: spec/random.md §§7, 8, 16.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lowering
from ..base import dtypes
from ..base.errors import ArgumentTypeError, ArgumentValueError, NotSupportedError
from ..core import (
    NOT_BATCHABLE,
    NOT_DIFFERENTIABLE,
    NOT_LINEAR,
    Primitive,
    ShapedArray,
    canonical_shape,
    shaped,
    typeof,
)
from ..interpreters import batching
from .definition import define
from .dynamic_slicing import dynamic_update_index_in_dim
from .slicing import index_in_dim
from .typing import ORDERED, check_dtype

if TYPE_CHECKING:
    from .typing import Array, ArrayLike, DTypeLike, Shape

__all__ = [
    "RandomAlgorithm",
    "rng_bit_generator",
    "rng_bit_generator_p",
    "rng_uniform",
    "rng_uniform_p",
]

_U32, _U64 = np.dtype(np.uint32), np.dtype(np.uint64)


class RandomAlgorithm(enum.IntEnum):
    """Which of XLA's generators; the default one differs by platform."""

    RNG_DEFAULT = 0
    RNG_THREE_FRY = 1
    RNG_PHILOX = 2

    def __str__(self) -> str:
        return self.name


# --- rng_bit_generator ----------------------------------------------------------------

rng_bit_generator_p = Primitive("rng_bit_generator", multiple_results=True)


def rng_bit_generator(
    key: Array,
    shape: Shape,
    dtype: DTypeLike = np.uint32,
    algorithm: RandomAlgorithm = RandomAlgorithm.RNG_DEFAULT,
    *,
    out_sharding: Any = None,
) -> tuple[Array, Array]:
    """The next state and bits: u32[4] -> u32[4], uint[*shape]; or a state of u64[2].

    >>> import minijax as mj, numpy as np
    >>> state = np.array([1, 2, 3, 4], np.uint32)
    >>> mj.lax.rng_bit_generator(state, (2,))[0]
    Array([1, 2, 4, 4], dtype=uint32)

    Raises:
      TypeError: no state, or a dtype that is not unsigned.
      NotImplementedError: a placement is given.
    """
    if out_sharding is not None:
        raise NotSupportedError(
            "rng_bit_generator takes no `out_sharding` but None.",
            f"Found {out_sharding!r}.",
        )
    found = dtypes.requested_dtype(dtype, "rng_bit_generator")
    state, bits = rng_bit_generator_p.bind(
        key,
        shape=canonical_shape(shape),
        dtype=found,
        algorithm=RandomAlgorithm(algorithm),
        out_sharding=None,
    )
    return state, bits


def _generator_type(
    key: ShapedArray, *, shape: Any, dtype: Any, algorithm: Any, out_sharding: Any
) -> list[ShapedArray]:
    if (key.shape, key.dtype) not in (((4,), _U32), ((2,), _U64)):
        raise ArgumentTypeError(
            "The state of rng_bit_generator is u32[4] or u64[2].", f"Found {key}."
        )
    if dtype not in dtypes.UNSIGNED:
        raise ArgumentTypeError(
            "rng_bit_generator makes unsigned integers.",
            f"Found dtype {dtypes.name_of(dtype)}.",
        )
    return [key, shaped(shape, dtype)]


def _generator_batch(operands: Any, axes: Any, *, shape: Any, **params: Any) -> Any:
    # All examples are drawn from the first state: no loop, but not what a loop draws.
    (keys,), (axis,) = operands, axes
    keys = batching.moveaxis(keys, axis, 0)
    size = typeof(keys).shape[0]
    first = index_in_dim(keys, 0, keepdims=False)
    state, bits = rng_bit_generator_p.bind(first, shape=(size, *shape), **params)
    return [dynamic_update_index_in_dim(keys, state, 0, 0), bits], [0, 0]


def _generator_lower(
    ctx: Any, key: Any, *, shape: Any, dtype: Any, algorithm: Any, out_sharding: Any
) -> list[Any]:
    (aval,), (_, out) = ctx.avals_in, ctx.avals_out
    pairs, wide = shaped((2, 2), _U32), shaped((2,), _U64)
    if aval.dtype == _U32:
        key = ctx.op("stablehlo.reshape", (key,), pairs)
        key = ctx.op("stablehlo.bitcast_convert", (key,), wide)
    name = algorithm.name.removeprefix("RNG_")
    attribute = lowering.parse_attr(f"#stablehlo<rng_algorithm {name}>")
    state, bits = ctx.op(
        "stablehlo.rng_bit_generator", (key,), [wide, out], rng_algorithm=attribute
    )
    if aval.dtype == _U32:
        state = ctx.op("stablehlo.bitcast_convert", (state,), pairs)
        state = ctx.op("stablehlo.reshape", (state,), aval)
    return [state, bits]


define(
    rng_bit_generator_p,
    abstract_eval=_generator_type,
    jvp=NOT_DIFFERENTIABLE,
    transpose=NOT_LINEAR,
    batch=_generator_batch,
    lower=_generator_lower,
)


# --- rng_uniform ----------------------------------------------------------------------

rng_uniform_p = Primitive("rng_uniform")


def rng_uniform(a: ArrayLike, b: ArrayLike, shape: Shape) -> Array:
    """Numbers spread evenly over [a, b), of no given stream: T[], T[] -> T[*shape].

    For tests of speed: a call has no key, and its numbers cannot be had again.

    Raises:
      TypeError: bounds that differ in dtype or are no numbers with an order.
      ValueError: bounds with axes.
    """
    return rng_uniform_p.bind(a, b, shape=canonical_shape(shape))


def _uniform_type(a: ShapedArray, b: ShapedArray, *, shape: Any) -> ShapedArray:
    check_dtype("rng_uniform", a.dtype, ORDERED)
    if a.dtype != b.dtype:
        raise ArgumentTypeError(
            "The bounds of rng_uniform have one dtype.", f"Found {a} and {b}."
        )
    if a.shape or b.shape:
        raise ArgumentValueError(
            "The bounds of rng_uniform are scalars.", f"Found {a} and {b}."
        )
    return shaped(shape, a.dtype)


def _uniform_lower(ctx: Any, a: Any, b: Any, *, shape: Any) -> list[Any]:
    sizes = ctx.constant(np.array(shape, np.int64))
    distribution = lowering.parse_attr("#stablehlo<rng_distribution UNIFORM>")
    return [
        ctx.op(
            "stablehlo.rng",
            (a, b, sizes),
            ctx.avals_out[0],
            rng_distribution=distribution,
        )
    ]


define(
    rng_uniform_p,
    abstract_eval=_uniform_type,
    jvp=NOT_DIFFERENTIABLE,
    transpose=NOT_LINEAR,
    batch=NOT_BATCHABLE,
    lower=_uniform_lower,
)
