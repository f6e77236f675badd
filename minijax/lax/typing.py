"""The types of results: families of dtypes, and the shape rules of elementwise ops.

Every `abstract_eval` answer of an elementwise primitive is built here, so that a wrong
operand is refused in the same words everywhere. Rules:

1. Nothing promotes: the operands of one application have one dtype.
2. Axes of size 1 stretch, and scalars go with any shape; ranks never differ otherwise.
3. A result is weakly typed if all operands are.

Source: spec/primitives.md §2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base import dtypes
from ..base.errors import (
    ArgumentValueError,
    DTypeNotAcceptedError,
    DuplicateAxisError,
    ShapeMismatchError,
)
from ..core import Primitive, ShapedArray
from .result_types import joint_type, require_one_dtype

if TYPE_CHECKING:
    from ..runtime import Array

    type ArrayLike = Array | np.ndarray | np.generic | bool | int | float | complex
    type DTypeLike = Any
    type Shape = Sequence[int]

type TypeRule = Callable[..., ShapedArray]


class Family:
    """A set of dtypes with a name for error texts; `|` unites."""

    __slots__ = ("members", "names")

    def __init__(self, names: str, members: frozenset[Any]) -> None:
        self.names, self.members = names, members

    def __or__(self, other: Family) -> Family:
        return Family(f"{self.names} or {other.names}", self.members | other.members)


BOOLEAN = Family("bool", frozenset({dtypes.BOOL}))
SIGNED = Family("signed integer", dtypes.SIGNED)
INTEGER = Family("integer", dtypes.INTEGERS)
FLOATING = Family("floating-point", dtypes.FLOATS)
COMPLEX = Family("complex", dtypes.COMPLEXES)
# What the parts of a complex number can be.
PARTS = Family(
    "float32 or float64", frozenset({np.dtype(np.float32), np.dtype(np.float64)})
)
NUMBER = INTEGER | FLOATING | COMPLEX
ORDERED = INTEGER | FLOATING | BOOLEAN
BITS = INTEGER | BOOLEAN
ANY = NUMBER | BOOLEAN

_FLOAT0_ADVICE = (
    "float0 is the type of derivatives of integers and booleans: there is nothing to "
    "compute with."
)


def check_dtype(
    function: str, dtype: Any, accepted: Family, position: int | None = None
) -> None:
    """Refuse a dtype outside `accepted`.

    Raises:
      TypeError: names the dtype and what is accepted.
    """
    if dtype in accepted.members:
        return
    if position is not None:
        function = f"{function} (operand {position})"
    advice = _FLOAT0_ADVICE if dtype == dtypes.float0 else ""
    raise DTypeNotAcceptedError(function, dtypes.name_of(dtype), accepted.names, advice)


def unary_type(
    primitive: Primitive,
    accepted: Family,
    result: Callable[[Any], Any] | None = None,
) -> TypeRule:
    """The type of an elementwise function of one operand: T[*s] -> R[*s].

    `result` maps the operand's dtype to the result's; without it they are the same.
    """
    name, members = primitive.name, accepted.members

    def rule(x: ShapedArray, **params: Any) -> ShapedArray:
        if x.dtype not in members:
            check_dtype(name, x.dtype, accepted)
        return x if result is None else x.update(dtype=result(x.dtype))

    return rule


def nary_type(
    primitive: Primitive,
    *accepted: Family,
    result: Callable[[Any], Any] | None = None,
) -> TypeRule:
    """The type of an elementwise function of several operands of one dtype.

    `accepted` holds one family for all operands or one per operand.
    """
    name = primitive.name

    def rule(*avals: ShapedArray, **params: Any) -> ShapedArray:
        families = accepted * len(avals) if len(accepted) == 1 else accepted
        for position, (aval, family) in enumerate(zip(avals, families, strict=True)):
            if aval.dtype not in family.members:
                check_dtype(name, aval.dtype, family, position)
        require_one_dtype(name, avals)
        dtype = avals[0].dtype
        return joined_type(name, avals, dtype if result is None else result(dtype))

    return rule


def joined_type(function: str, avals: Sequence[ShapedArray], dtype: Any) -> ShapedArray:
    """The type of an elementwise result of operands of these types.

    Raises:
      TypeError: the shapes do not fit.
    """
    shape = joined_shape(function, [aval.shape for aval in avals])
    sharding = next((aval.sharding for aval in avals if aval.shape == shape), None)
    return joint_type(avals, shape, dtype=dtype, sharding=sharding)


def joined_shape(function: str, shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The shape that shapes of one rank, and scalars, broadcast to.

    Raises:
      TypeError: there is none.
    """
    distinct = {shape for shape in shapes if shape}
    if len(distinct) < 2:
        return next(iter(distinct), ())
    if len({len(shape) for shape in distinct}) > 1:
        rule = "one number of dimensions (scalars go with any)"
        raise ShapeMismatchError(function, shapes, rule)
    joined = []
    for sizes in zip(*distinct, strict=True):
        stretched = {size for size in sizes if size != 1}
        if len(stretched) > 1:
            raise ShapeMismatchError(function, shapes, "equal sizes, or size 1")
        joined.append(stretched.pop() if stretched else 1)
    return tuple(joined)


def check_axes(function: str, axes: Sequence[int], ndim: int) -> None:
    """Refuse axes that are negative, out of range or listed twice.

    Raises:
      ValueError: names the axes and the rank.
    """
    if not all(0 <= axis < ndim for axis in axes):
        raise ArgumentValueError(
            f"{function} needs axes from 0 to {ndim - 1}, counted from the first.",
            f"Found {axes}.",
        )
    if len(set(axes)) < len(axes):
        raise DuplicateAxisError(axes, "axes")
