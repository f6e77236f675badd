"""Ways to state a derivative: what `define` calls use.

A derivative is stated per operand, as the contribution of that operand's tangent to
the tangent of the result. Contributions of operands that do not move are never
computed.

Source: spec/ad.md §2.6.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core import Primitive, add_any_p, typeof
from .zeros import UndefinedPrimal, Zero, instantiate_zeros

Partial = Callable[..., Any] | None
JVPRule = Callable[..., tuple[Any, Any]]
TransposeRule = Callable[..., list[Any]]


def partials(primitive: Primitive, *contributions: Partial) -> JVPRule:
    """One `f(x_dot, *primals, **params)` per operand; None: no derivative there.

    The tangent of the result is the sum of the contributions.
    """

    def jvp(primals: Any, tangents: Any, **params: Any) -> tuple[Any, Any]:
        out = primitive.bind(*primals, **params)
        out_dot: Any = None
        for contribution, x_dot in zip(contributions, tangents, strict=True):
            if contribution is not None and x_dot.__class__ is not Zero:
                out_dot = _plus(out_dot, contribution(x_dot, *primals, **params))
        return out, _tangent_of(out, out_dot)

    return jvp


def partials_with_result(primitive: Primitive, *contributions: Partial) -> JVPRule:
    """`partials` whose contributions are `f(x_dot, out, *primals, **params)`."""

    def jvp(primals: Any, tangents: Any, **params: Any) -> tuple[Any, Any]:
        out = primitive.bind(*primals, **params)
        out_dot: Any = None
        for contribution, x_dot in zip(contributions, tangents, strict=True):
            if contribution is not None and x_dot.__class__ is not Zero:
                out_dot = _plus(out_dot, contribution(x_dot, out, *primals, **params))
        return out, _tangent_of(out, out_dot)

    return jvp


def _plus(sum_so_far: Any, term: Any) -> Any:
    if sum_so_far is None or sum_so_far.__class__ is Zero:
        return term
    if term.__class__ is Zero:
        return sum_so_far
    return add_any_p.bind(sum_so_far, term)


def _tangent_of(out: Any, out_dot: Any) -> Any:
    return Zero(typeof(out).to_tangent_aval()) if out_dot is None else out_dot


def linear(primitive: Primitive) -> JVPRule:
    """The primitive is linear in all operands together: it maps tangents itself."""

    def jvp(primals: Any, tangents: Any, **params: Any) -> tuple[Any, Any]:
        out = primitive.bind(*primals, **params)
        x_dots = [instantiate_zeros(x_dot) for x_dot in tangents]
        return out, primitive.bind(*x_dots, **params)

    return jvp


def bilinear(primitive: Primitive) -> JVPRule:
    """The primitive is linear in each of two operands: the product rule."""

    def left(x_dot: Any, x: Any, y: Any, **params: Any) -> Any:
        return primitive.bind(x_dot, y, **params)

    def right(y_dot: Any, x: Any, y: Any, **params: Any) -> Any:
        return primitive.bind(x, y_dot, **params)

    return partials(primitive, left, right)


def zero_jvp(primitive: Primitive) -> JVPRule:
    """The result moves with nothing: comparisons, rounding, integer results."""

    def jvp(primals: Any, tangents: Any, **params: Any) -> tuple[Any, Any]:
        out = primitive.bind(*primals, **params)
        if primitive.multiple_results:
            return out, [Zero.from_primal(y) for y in out]
        return out, Zero.from_primal(out)

    return jvp


ZERO = zero_jvp


def bilinear_transpose(
    lhs_rule: Callable[..., Any], rhs_rule: Callable[..., Any]
) -> TransposeRule:
    """Transpose in whichever of two operands is linear.

    `lhs_rule(y_bar, lhs_placeholder, rhs, **params)` and
    `rhs_rule(y_bar, lhs, rhs_placeholder, **params)` give one cotangent each.
    """

    def transpose(y_bar: Any, lhs: Any, rhs: Any, **params: Any) -> list[Any]:
        lhs_is_linear = type(lhs) is UndefinedPrimal
        if lhs_is_linear and type(rhs) is UndefinedPrimal:
            raise NotImplementedError(
                "a product of two linear operands is not linear.\n"
                "Only one operand of a bilinear primitive may depend on the input that "
                "is transposed."
            )
        if lhs_is_linear:
            return [lhs_rule(y_bar, lhs, rhs, **params), None]
        return [None, rhs_rule(y_bar, lhs, rhs, **params)]

    return transpose
