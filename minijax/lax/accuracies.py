"""How exact a transcendental function is to be: a request, and what XLA is told.

`None`, the default, leaves the choice to XLA and costs nothing.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

from .. import lowering
from ..base.errors import ArgumentValueError, NotSupportedError

__all__ = ["AccuracyMode", "Tolerance"]


class AccuracyMode(enum.Enum):
    """How exact a transcendental function is to be, in words."""

    HIGHEST = 1
    DEFAULT = 2


class Tolerance:
    """How exact a transcendental function is to be, in numbers.

    atol, rtol: absolute and relative error; ulps: error in units of the last place.

    >>> import minijax as mj
    >>> mj.lax.Tolerance(rtol=1e-3)
    Tolerance(atol=0.0, rtol=0.001, ulps=0)

    Raises:
      ValueError: one of them is negative, or all are zero.
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
    """The attributes that ask XLA for `accuracy`.

    Raises:
      NotImplementedError: it is neither a mode nor a tolerance.
    """
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
    text = f"#stablehlo.result_accuracy<{fields}>"
    return {"result_accuracy": lowering.parse_attr(text)}


def accurate(op: str) -> lowering.Rule:
    """The lowering rule of a primitive that is one operation with an `accuracy`."""
    plain = lowering.emit(op)
    asked = lowering.emit(op, lambda params: accuracy_attributes(params["accuracy"]))

    def rule(ctx: Any, *operands: Any, **params: Any) -> Sequence[Any]:
        chosen = plain if params["accuracy"] is None else asked
        return chosen(ctx, *operands, **params)

    return rule
