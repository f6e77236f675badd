"""Symbolic zeros, placeholders, and the values that stand for them.

A `Zero` is a tangent or cotangent known to vanish when the program is traced. It holds
a type and no data; rules may receive one in any tangent slot and return one.

Source: spec/ad.md §§2.1, 2.9.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import tree
from ...base import dtypes
from ...core import ShapedArray, add_any_p, broadcast_in_dim_p, typeof


class Zero:
    """A tangent that is zero whatever the input. Field: aval, its own type."""

    __slots__ = ("aval",)

    def __init__(self, aval: ShapedArray) -> None:
        self.aval = aval

    @staticmethod
    def from_primal(x: Any) -> Zero:
        """The zero tangent of the value `x`."""
        return Zero(typeof(x).to_tangent_aval())

    def __repr__(self) -> str:
        return f"Zero({self.aval})"


def _flatten_zero(zero: Zero) -> tuple[tuple[()], ShapedArray]:
    return (), zero.aval


def _unflatten_zero(aval: ShapedArray, _: object) -> Zero:
    return Zero(aval)


# No leaves: a compiled function may take and return one.
tree.register_pytree_node(Zero, _flatten_zero, _unflatten_zero)


class UndefinedPrimal:
    """The place of a linear operand in a transpose rule. Field: aval."""

    __slots__ = ("aval",)

    def __init__(self, aval: ShapedArray) -> None:
        self.aval = aval

    def __repr__(self) -> str:
        return f"UndefinedPrimal({self.aval})"


def is_undefined_primal(x: Any) -> bool:
    """Whether `x` stands for an operand the rule must transpose."""
    return type(x) is UndefinedPrimal


def add_tangents(x_dot: Any, y_dot: Any) -> Any:
    """The sum of two tangents of one type; a `Zero` yields the other."""
    if x_dot.__class__ is Zero:
        return y_dot
    if y_dot.__class__ is Zero:
        return x_dot
    return add_any_p.bind(x_dot, y_dot)


def instantiate_zeros(x: Any) -> Any:
    """`x`, or real zeros of its type if it is a `Zero`."""
    return zeros_of(x.aval) if x.__class__ is Zero else x


def scalar_of(value: int, aval: ShapedArray) -> Any:
    """`value` as a Python or numpy scalar of the dtype and weakness of `aval`."""
    if aval.weak_type:
        return complex(value) if aval.dtype.kind == "c" else float(value)
    return aval.dtype.type(value)


def zeros_of(aval: ShapedArray) -> Any:
    """Zeros of type `aval`; a scalar stays a constant that no equation computes."""
    if aval.dtype == dtypes.float0:
        return np.zeros(aval.shape, dtypes.float0)
    zero = scalar_of(0, aval)
    if not aval.shape:
        return zero
    return broadcast_in_dim_p.bind(
        zero, shape=aval.shape, broadcast_dimensions=(), sharding=None
    )
