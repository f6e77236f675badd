"""Lowering of elementwise primitives: one operation, operands stretched to its shape.

StableHLO never broadcasts, lax primitives stretch scalars and axes of size 1: what lies
between the two is here, with the `accuracy` of the transcendental functions.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from typing import Any

from ..base.errors import ArgumentValueError, NotSupportedError
from ..core import ShapedArray
from ..lowering import i64_array, parse_attr

type LowerRule = Callable[..., list[Any]]


def stretch(ctx: Any, value: Any, aval: ShapedArray, shape: tuple[int, ...]) -> Any:
    """`value` of type `aval`, broadcast to `shape`: its axes are the first or none."""
    if aval.shape == shape:
        return value
    return ctx.op(
        "stablehlo.broadcast_in_dim",
        [value],
        aval.update(shape=shape),
        broadcast_dimensions=i64_array(range(aval.ndim)),
    )


def stretch_all(ctx: Any, values: tuple[Any, ...]) -> list[Any]:
    """The operands, each in the shape of the result."""
    shape = ctx.avals_out[0].shape
    return [
        stretch(ctx, value, aval, shape)
        for value, aval in zip(values, ctx.avals_in, strict=True)
    ]


def nary(op: str, **attributes: Any) -> LowerRule:
    """The rule of a primitive that is one operation on operands of one shape."""

    def rule(ctx: Any, *values: Any, **params: Any) -> list[Any]:
        out = ctx.avals_out[0]
        return [ctx.op(op, stretch_all(ctx, values), out, **attributes)]

    return rule


def filled(ctx: Any, value: Any, aval: ShapedArray) -> Any:
    """A constant `value` in every element of an array of type `aval`."""
    scalar = aval.update(shape=())
    return stretch(ctx, ctx.constant(value, scalar), scalar, aval.shape)


# --- accuracy -------------------------------------------------------------------------


class AccuracyMode(enum.Enum):
    """How exact a transcendental function is to be computed, in words."""

    HIGHEST = 1
    DEFAULT = 2


class Tolerance:
    """How exact a transcendental function is to be computed, in numbers.

    atol, rtol: absolute and relative error; ulps: error in units of the last place.

    Raises: ValueError, if one of them is negative or all are zero.
    """

    __slots__ = ("atol", "rtol", "ulps")

    def __init__(self, atol: float = 0.0, rtol: float = 0.0, ulps: int = 0) -> None:
        if min(atol, rtol, ulps) < 0 or not (atol or rtol or ulps):
            raise ArgumentValueError(
                "A tolerance needs at least one of atol, rtol and ulps, none negative.",
                f"Found atol={atol}, rtol={rtol}, ulps={ulps}.",
            )
        self.atol, self.rtol, self.ulps = atol, rtol, ulps

    def _fields(self) -> tuple[float, float, int]:
        return self.atol, self.rtol, self.ulps

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tolerance) and self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash(self._fields())

    def __repr__(self) -> str:
        return f"Tolerance(atol={self.atol}, rtol={self.rtol}, ulps={self.ulps})"


type Accuracy = AccuracyMode | Tolerance | None


def accuracy_attributes(accuracy: Accuracy) -> dict[str, Any]:
    """The attributes that ask XLA for `accuracy`. Raises: NotImplementedError."""
    if accuracy is None:
        return {}
    if isinstance(accuracy, AccuracyMode):
        fields = f"mode = #stablehlo.result_accuracy_mode<{accuracy.name}>"
    elif isinstance(accuracy, Tolerance):
        fields = (
            f"atol = {float(accuracy.atol):e}, rtol = {float(accuracy.rtol):e}, "
            f"ulps = {accuracy.ulps}, mode = #stablehlo.result_accuracy_mode<TOLERANCE>"
        )
    else:
        raise NotSupportedError(
            "accuracy is an AccuracyMode, a Tolerance or None.", f"Found {accuracy!r}."
        )
    return {"result_accuracy": parse_attr(f"#stablehlo.result_accuracy<{fields}>")}


def accurate(op: str) -> LowerRule:
    """The rule of a primitive that is one operation with an `accuracy` parameter."""

    def rule(ctx: Any, x: Any, *, accuracy: Accuracy) -> list[Any]:
        return [ctx.op(op, [x], ctx.avals_out[0], **accuracy_attributes(accuracy))]

    return rule


def hide_if_none(*names: str) -> Callable[[Any], Mapping[str, Any]]:
    """The printing rule of a primitive whose parameters `names` are mostly None."""

    def shown(eqn: Any) -> Mapping[str, Any]:
        return {
            name: value
            for name, value in eqn.params.items()
            if value is not None or name not in names
        }

    return shown
