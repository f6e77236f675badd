"""Types of results that are derived from the types of operands.

A file of its own because every structural family needs it: whatever is added to a type
(a mesh axis along which it varies, a memory space) must travel through all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..base.errors import DTypeMismatchError
from ..core import ShapedArray


def in_shape(
    aval: ShapedArray, shape: Sequence[int], sharding: Any = None
) -> ShapedArray:
    """T[*s] -> T[*shape]: the same kind of values in another shape."""
    return aval.update(shape=tuple(shape), sharding=sharding)


def joint_type(
    avals: Sequence[ShapedArray],
    shape: Sequence[int],
    *,
    dtype: Any = None,
    weak_type: bool | None = None,
    sharding: Any = None,
) -> ShapedArray:
    """The type of a result that mixes values of all operands.

    dtype: that of the first operand unless given. weak_type: weak if all operands are,
    unless given. The result varies along every mesh axis along which an operand does.
    """
    first = avals[0]
    if weak_type is None:
        weak_type = all(aval.weak_type for aval in avals)
    return first.update(
        shape=tuple(shape),
        dtype=first.dtype if dtype is None else dtype,
        weak_type=weak_type,
        sharding=sharding,
        vma=frozenset().union(*(aval.vma for aval in avals)),
    )


def require_one_dtype(function: str, avals: Sequence[ShapedArray]) -> None:
    """Raises: TypeError unless all operands have one dtype."""
    dtypes = [aval.dtype for aval in avals]
    if any(dtype != dtypes[0] for dtype in dtypes):
        raise DTypeMismatchError(function, [str(dtype) for dtype in dtypes])


def plain_ints(values: Any) -> tuple[int, ...]:
    """Integers of any kind as Python's, which is how jaxprs print them."""
    if type(values) is tuple and all(type(value) is int for value in values):
        return values
    return tuple(value if type(value) is int else _plain(value) for value in values)


def _plain(value: Any) -> Any:
    return value.__index__() if hasattr(value, "__index__") else value
