"""What a sample is, and the operands that samples share.

Operands are numpy arrays. The laws that need precision cast the floating ones to 64
bits, so a call takes dtypes from its operands rather than naming them.
"""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np


@dataclasses.dataclass(frozen=True)
class Sample:
    """One call that binds `primitive`.

    call: the call, over a namespace and the operands.
    operands: numpy arrays.
    case: what is special about it, when a primitive has several samples.
    differentiable: positions of the operands that a derivative flows from, to any
      inexact result. Empty for a call that is constant, integer or piecewise constant.
    batched: positions of the operands that vmap may map over; none where vmap is not a
      loop, or jax has no rule.
    others: operands of the second element of a batch; the first has `operands`. Without
      it they are the operands with their values rolled by one place.
    same_text: whether its jaxpr prints as in jax.
    shown: whether the primitive stands in the jaxpr of the call.
    refused: pairs of transformations, outer and inner, that jax has no rule for.
    """

    primitive: str
    call: Callable[..., Any]
    operands: tuple[Any, ...]
    case: str = ""
    differentiable: tuple[int, ...] = ()
    batched: tuple[int, ...] | None = None
    others: tuple[Any, ...] | None = None
    same_text: bool = True
    shown: bool = True
    refused: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        return f"{self.primitive} {self.case}".strip()

    @property
    def mapped(self) -> tuple[int, ...]:
        if self.batched is None:
            return tuple(range(len(self.operands)))
        return self.batched

    def pairs(self) -> list[np.ndarray]:
        """Each operand as a batch of two, on a leading axis."""
        others = self.others or [_rolled(x) for x in self.operands]
        return [
            np.stack([x, y]) for x, y in zip(map(np.asarray, self.operands), others)
        ]


def _rolled(x: Any) -> np.ndarray:
    """Other values from the same domain: the same ones, elsewhere."""
    x = np.asarray(x)
    return np.roll(x.reshape(-1), 1).reshape(x.shape)


def f32(*values: Any) -> np.ndarray:
    return np.array(values[0] if len(values) == 1 else values, np.float32)


def i32(*values: Any) -> np.ndarray:
    return np.array(values[0] if len(values) == 1 else values, np.int32)


def u32(*values: Any) -> np.ndarray:
    return np.array(values[0] if len(values) == 1 else values, np.uint32)


def c64(*values: Any) -> np.ndarray:
    return np.array(values[0] if len(values) == 1 else values, np.complex64)


def flags(*values: Any) -> np.ndarray:
    return np.array(values[0] if len(values) == 1 else values, bool)


def grid(*shape: int, low: float = -2.0, high: float = 2.0) -> np.ndarray:
    """f32[*shape]: distinct values between two bounds, in no order, none round."""
    count = int(np.prod(shape, dtype=np.int64))
    order = np.random.default_rng(count).permutation(count)
    return (
        (low + (high - low) * (order + 0.37) / count).reshape(shape).astype(np.float32)
    )
