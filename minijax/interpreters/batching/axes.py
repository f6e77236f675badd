"""The axis that is mapped over, and moving it about in an array.

A batch axis has two faces: inside the mapped function it may have a name, outside it is
a position in each array, or None for an array that does not have it. Positions are
never negative.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple, overload

from ...base import util
from ...core import broadcast_in_dim_p, reduce_sum_p, transpose_p, typeof

Axis = int | None


class _Unnamed:
    """The name of an axis nobody named: one object, so that caches hit."""

    def __repr__(self) -> str:
        return "<unnamed axis>"


UNNAMED = _Unnamed()


class BatchAxis(NamedTuple):
    """What a mapped axis is to everybody: part of the keys of batched jaxprs.

    name: what collectives call it, or UNNAMED. size: its length. spmd_name: mesh axes
    that it is laid out over, for sharding parameters.
    """

    name: Hashable
    size: int
    spmd_name: Hashable = None

    @property
    def is_named(self) -> bool:
        return self.name is not UNNAMED


class _ZeroIfMapped:
    """As a destination: position 0 for a result that has the axis."""

    def __repr__(self) -> str:
        return "zero_if_mapped"


zero_if_mapped = _ZeroIfMapped()
Destination = int | None | _ZeroIfMapped


# --- Numbers of axes ----------------------


@overload
def renumber(dims: int, past: int) -> int: ...
@overload
def renumber(dims: Sequence[int], past: int) -> tuple[int, ...]: ...
def renumber(dims: int | Sequence[int], past: int) -> int | tuple[int, ...]:
    """The numbers of the same axes once a batch axis stands at position `past`.

    >>> renumber((0, 1, 2), past=1)
    (0, 2, 3)
    """
    if isinstance(dims, int):
        return dims + (dims >= past)
    return tuple([dim + (dim >= past) for dim in map(int, dims)])


# --- Moving -------------------------------


def moveaxis(x: Any, src: int, dst: int) -> Any:
    """Bring axis `src` to position `dst`; the others keep their order."""
    ndim = len(typeof(x).shape)
    src = util.canonicalize_axis(src, ndim)
    dst = util.canonicalize_axis(dst, ndim)
    if src == dst:
        return x
    order = [axis for axis in range(ndim) if axis != src]
    order.insert(dst, src)
    return transpose_p.bind(x, permutation=tuple(order))


def broadcast(x: Any, size: int, axis: int) -> Any:
    """Repeat `x` along a new axis: T[*s] -> T[*s[:axis], size, *s[axis:]]."""
    shape = typeof(x).shape
    axis = util.canonicalize_axis(axis, len(shape) + 1)
    return broadcast_in_dim_p.bind(
        x,
        shape=(*shape[:axis], size, *shape[axis:]),
        broadcast_dimensions=renumber(tuple(range(len(shape))), past=axis),
        sharding=None,
    )


def at_front(x: Any, axis: Axis, size: int) -> Any:
    """`x` with its batch axis at position 0, repeated along it if it has none."""
    if axis == 0:
        return x
    return broadcast(x, size, 0) if axis is None else moveaxis(x, axis, 0)


def sum_over(x: Any, axis: int) -> Any:
    """The sum along one axis, which is gone afterwards."""
    return reduce_sum_p.bind(x, axes=(axis,), out_sharding=None)


def match(batch: BatchAxis, x: Any, src: Axis, dst: Destination) -> tuple[Any, Axis]:
    """`x` with its batch axis where `dst` says, and where it is then.

    A number: there, by moving or repeating. None: where it is. `zero_if_mapped`: at 0
    if `x` has it.
    """
    if dst is None or (src is None and dst is zero_if_mapped):
        return x, src
    position = 0 if isinstance(dst, _ZeroIfMapped) else dst
    if src is None:
        return broadcast(x, batch.size, position), position
    return moveaxis(x, src, position), position


def size_of(operands: Sequence[Any], axes: Sequence[Axis]) -> int:
    """The size of the batch axis, read off the first operand that has it."""
    for x, axis in zip(operands, axes, strict=True):
        if axis is not None:
            return typeof(x).shape[axis]
    raise AssertionError("a batch rule runs only where an operand has the axis")


def align(operands: Sequence[Any], axes: Sequence[Axis]) -> tuple[list[Any], int]:
    """The operands with the batch axis at one place, position 0: moved or repeated."""
    size = size_of(operands, axes)
    moved = [at_front(x, axis, size) for x, axis in zip(operands, axes, strict=True)]
    return moved, 0
