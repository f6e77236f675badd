"""polynomial: a sum of powers as one equation.

A file of its own because it takes any number of operands: the point, then coefficients,
lowest first.

Source: spec/primitives.md §4, spec/ad.md §4.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .. import lowering
from ..base import dtypes
from ..base.errors import ArgumentTypeError
from ..core import Primitive, hiding_unset, typeof
from ..interpreters import ad, batching
from .arithmetic import add, mul, spread, unspread
from .conversions import convert
from .definition import define
from .generation import scalar_like
from .typing import NUMBER, nary_type

if TYPE_CHECKING:
    from .typing import Array, ArrayLike

__all__ = ["polynomial", "polynomial_p"]

polynomial_p = Primitive("polynomial")


def polynomial(
    x: ArrayLike, coeffs: Sequence[ArrayLike], *, unroll: int | None = None
) -> Array:
    """c₀ + c₁·x + c₂·x² + …: T[*s], T[*s]… -> T[*s].

    coeffs: numbers or arrays, lowest power first, converted to the dtype of x. unroll:
    a hint for compilers, without influence on the result.

    >>> import minijax as mj
    >>> print(mj.lax.polynomial(2.0, [1.0, 0.0, 3.0]))
    13.0

    Raises:
      TypeError: a coefficient is no number, or shapes do not fit.
    """
    aval = typeof(x)
    if len(coeffs) < 2:
        constant = coeffs[0] if coeffs else scalar_like(x, 0)
        return spread(convert(constant, aval.dtype, aval.weak_type), aval.shape)
    numbers = [_as_coefficient(x, c) for c in coeffs]
    hint = {} if unroll is None else {"unroll": unroll}
    return polynomial_p.bind(x, *numbers, **hint)


def _as_coefficient(x: Any, c: Any) -> Any:
    aval, given = typeof(x), typeof(c)
    if given.dtype in dtypes.COMPLEXES and aval.dtype not in dtypes.COMPLEXES:
        names = dtypes.name_of(given.dtype), dtypes.name_of(aval.dtype)
        raise ArgumentTypeError(
            "The coefficients of a polynomial take the dtype of its point.",
            f"Found a coefficient of dtype {names[0]} at a point of dtype {names[1]}.",
            "Convert the point to a complex dtype.",
        )
    if isinstance(c, int | float | complex):
        return scalar_like(x, c)
    return convert(c, aval.dtype, given.weak_type)


def _horner(x: Any, *coeffs: Any, unroll: int | None = None) -> Any:
    value = coeffs[-1]
    for c in reversed(coeffs[:-1]):
        value = add(mul(value, x), c)
    return value


def _polynomial_jvp(primals: Any, tangents: Any, **hint: Any) -> tuple[Any, Any]:
    (x, *coeffs), (x_dot, *coeff_dots) = primals, tangents
    out = polynomial_p.bind(x, *coeffs, **hint)
    out_dot: Any = ad.Zero.from_primal(out)
    if x_dot.__class__ is not ad.Zero:
        slopes = [mul(scalar_like(c, k), c) for k, c in enumerate(coeffs[1:], start=1)]
        slope = polynomial_p.bind(x, *slopes, **hint) if len(slopes) > 1 else slopes[0]
        out_dot = spread(mul(x_dot, slope), typeof(out).shape)
    if any(c_dot.__class__ is not ad.Zero for c_dot in coeff_dots):
        filled = [
            scalar_like(c, 0) if c_dot.__class__ is ad.Zero else c_dot
            for c, c_dot in zip(coeffs, coeff_dots, strict=True)
        ]
        moved = polynomial_p.bind(x, *filled, **hint)
        out_dot = ad.add_tangents(out_dot, moved)
    return out, out_dot


def _polynomial_transpose(y_bar: Any, x: Any, *coeffs: Any, **hint: Any) -> list[Any]:
    bars: list[Any] = [None]
    for k, c in enumerate(coeffs):
        if k:
            y_bar = mul(y_bar, x)
        is_linear = ad.is_undefined_primal(c)
        bars.append(unspread(y_bar, c.aval) if is_linear else None)
    return bars


define(
    polynomial_p,
    abstract_eval=nary_type(polynomial_p, NUMBER),
    jvp=_polynomial_jvp,
    transpose=_polynomial_transpose,
    batch=batching.elementwise(polynomial_p),
    lower=lowering.lower_function(_horner),
    printing=hiding_unset("unroll"),
)
