"""Batch rules that many primitives share, made by saying of what kind they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core import Primitive, broadcast_in_dim_p, typeof
from .axes import Axis, at_front, moveaxis, renumber, size_of

Rule = Callable[..., tuple[Any, Any]]


def elementwise(primitive: Primitive) -> Rule:
    """The rule of a primitive whose results have, element by element, its operands.

    Operands that agree in shape and axis stay as they are, scalars beside them too, and
    the result has the axis in the same place. Otherwise the axis comes to the front,
    and an operand without it gets a leading axis of size 1, which the primitive
    broadcasts.
    """

    def rule(operands: tuple[Any, ...], axes: tuple[Axis, ...], **params: Any) -> Any:
        axis = axes[0]
        if not _alike(operands, axes):
            operands, axis = _agreeing(operands, axes)
        out = primitive.bind(*operands, **params)
        return (out, [axis] * len(out)) if primitive.multiple_results else (out, axis)

    return rule


def _alike(operands: tuple[Any, ...], axes: tuple[Axis, ...]) -> bool:
    """Whether all operands have one shape and the axis in one place: the usual case."""
    axis = axes[0]
    if axis is None:
        return False
    if len(operands) == 1:
        return True
    shape = typeof(operands[0]).shape
    for x, one in zip(operands, axes, strict=True):
        if one != axis or typeof(x).shape != shape:
            return False
    return True


def _agreeing(
    operands: tuple[Any, ...], axes: tuple[Axis, ...]
) -> tuple[tuple[Any, ...], int]:
    shapes = [typeof(x).shape for x in operands]
    first, axis = next(
        (shape, axis)
        for shape, axis in zip(shapes, axes, strict=True)
        if axis is not None
    )
    if all(
        not shape or (shape == first and one == axis)
        for shape, one in zip(shapes, axes, strict=True)
    ):
        return operands, axis
    ndim = max(
        len(shape) + (one is None and bool(shape))
        for shape, one in zip(shapes, axes, strict=True)
    )
    moved = [
        x if not shape else _leading(x, shape, one, ndim)
        for x, shape, one in zip(operands, shapes, axes, strict=True)
    ]
    return tuple(moved), 0


def _leading(x: Any, shape: tuple[int, ...], axis: Axis, ndim: int) -> Any:
    """`x` with a leading axis, and if it has the batch axis, of `ndim` axes."""
    if axis is None:
        return _spread(x, (1, *shape), tuple(range(1, len(shape) + 1)))
    x = moveaxis(x, axis, 0)
    missing = ndim - len(shape)
    if not missing:
        return x
    shape = (shape[axis], *shape[:axis], *shape[axis + 1 :])
    return _spread(x, shape + (1,) * missing, tuple(range(len(shape))))


def _spread(x: Any, shape: tuple[int, ...], dims: tuple[int, ...]) -> Any:
    return broadcast_in_dim_p.bind(
        x, shape=shape, broadcast_dimensions=dims, sharding=None
    )


def reducer(primitive: Primitive) -> Rule:
    """The rule of a primitive of one operand that removes the axes in param `axes`."""

    def rule(
        operands: tuple[Any],
        batch_axes: tuple[int],
        *,
        axes: tuple[int, ...],
        **params: Any,
    ) -> Any:
        (x,), (axis,) = operands, batch_axes
        axes = renumber(axes, past=axis)
        out = primitive.bind(x, axes=axes, **params)
        return out, axis - sum(one < axis for one in axes)

    return rule


def leading(primitive: Primitive) -> Rule:
    """The rule of a primitive that maps over leading axes: they all come to the front.

    An operand without the axis is repeated along it.
    """

    def rule(operands: tuple[Any, ...], axes: tuple[Axis, ...], **params: Any) -> Any:
        size = size_of(operands, axes)
        moved = [
            at_front(x, axis, size) for x, axis in zip(operands, axes, strict=True)
        ]
        out = primitive.bind(*moved, **params)
        return (out, [0] * len(out)) if primitive.multiple_results else (out, 0)

    return rule
