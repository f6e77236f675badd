"""Counters of the elements of an array, 64 bits wide, as two words each.

A primitive of its own: the count needs 64-bit integers in the program even where the
user has none.

Source: spec/random.md §§6, 16.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import lowering
from ..base.errors import NotSupportedError
from ..core import (
    NOT_BATCHABLE,
    NOT_DIFFERENTIABLE,
    NOT_LINEAR,
    Primitive,
    ShapedArray,
    shaped,
)
from ..lax import define

U32, U64 = np.dtype(np.uint32), np.dtype(np.uint64)
_LIMIT = 2**64

counters_p = Primitive("iota_2x32_shape", multiple_results=True)


def counters(shape: Sequence[int]) -> tuple[Any, Any]:
    """The row-major number of each element, high and low word: 2 × u32[*shape].

    Raises:
      NotImplementedError: 64 bits do not count the elements.
    """
    if math.prod(shape) > _LIMIT:
        raise NotSupportedError(
            "Random bits are numbered by 64-bit counters.",
            f"Found a shape of {math.prod(shape)} elements.",
        )
    high, low = counters_p.bind(shape=tuple(shape))
    return high, low


def _counters_lower(ctx: Any, *, shape: tuple[int, ...]) -> list[Any]:
    words, counts = shaped(shape, U32), shaped(shape, U64)
    if not shape:
        return [ctx.constant(0, words)] * 2
    strides = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    total = None
    for axis, stride in enumerate(strides):
        along = lowering.i64_attr(axis)
        part = ctx.op("stablehlo.iota", (), counts, iota_dimension=along)
        step = ctx.constant(np.uint64(stride), counts)
        part = ctx.op("stablehlo.multiply", (step, part), counts)
        total = (
            part if total is None else ctx.op("stablehlo.add", (total, part), counts)
        )
    shift = ctx.constant(np.uint64(32), counts)
    high = ctx.op("stablehlo.shift_right_logical", (total, shift), counts)
    return [ctx.op("stablehlo.convert", (x,), words) for x in (high, total)]


def _counters_type(*, shape: tuple[int, ...]) -> list[ShapedArray]:
    return [shaped(shape, U32)] * 2


define(
    counters_p,
    abstract_eval=_counters_type,
    jvp=NOT_DIFFERENTIABLE,
    transpose=NOT_LINEAR,
    batch=NOT_BATCHABLE,
    lower=_counters_lower,
)
