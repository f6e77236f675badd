"""Circular and hyperbolic functions and their inverses.

Source: spec/ad.md §4.1, spec/lowering.md §12.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lowering
from ..base import dtypes
from ..core import NOT_LINEAR, Primitive, hiding_unset, typeof
from ..interpreters import ad, batching
from .accuracies import AccuracyMode, accurate
from .arithmetic import (
    add,
    div,
    mul,
    neg,
    one_minus_square,
    reciprocal,
    square,
    sub,
)
from .comparisons import eq
from .complexes import complex, imag, real
from .definition import define
from .elementwise import abs, max
from .exponentials import expm1, logistic, rsqrt, sqrt
from .generation import fill_like, scalar_like
from .identities import stop_gradient
from .selection import clamp, select_n
from .typing import COMPLEX, FLOATING, nary_type, unary_type

if TYPE_CHECKING:
    from .accuracies import Accuracy
    from .typing import Array, ArrayLike

__all__ = [
    "acos",
    "acos_p",
    "acosh",
    "acosh_p",
    "asin",
    "asin_p",
    "asinh",
    "asinh_p",
    "atan",
    "atan2",
    "atan2_p",
    "atan_p",
    "atanh",
    "atanh_p",
    "cos",
    "cos_p",
    "cosh",
    "cosh_p",
    "sin",
    "sin_p",
    "sinh",
    "sinh_p",
    "tan",
    "tan_p",
    "tanh",
    "tanh_p",
]

sin_p = Primitive("sin")
cos_p = Primitive("cos")
tan_p = Primitive("tan")
asin_p = Primitive("asin")
acos_p = Primitive("acos")
atan_p = Primitive("atan")
atan2_p = Primitive("atan2")
sinh_p = Primitive("sinh")
cosh_p = Primitive("cosh")
tanh_p = Primitive("tanh")
asinh_p = Primitive("asinh")
acosh_p = Primitive("acosh")
atanh_p = Primitive("atanh")

_INEXACT = FLOATING | COMPLEX


# --- sin, cos, tan --------------------------------------------------------------------


def sin(x: ArrayLike, *, accuracy: Accuracy = None) -> Array:
    """Sine of each element, in radians: f[*s] -> f[*s].

    >>> import minijax as mj
    >>> print(mj.lax.sin(0.5))
    0.47942555

    Raises:
      TypeError: an integer or bool.
    """
    return sin_p.bind(x, accuracy=accuracy)


def cos(x: ArrayLike, *, accuracy: Accuracy = None) -> Array:
    """Cosine of each element, in radians: f[*s] -> f[*s].

    >>> import minijax as mj
    >>> print(mj.lax.cos(0.0))
    1.0

    Raises:
      TypeError: an integer or bool.
    """
    return cos_p.bind(x, accuracy=accuracy)


def tan(x: ArrayLike, *, accuracy: Accuracy = None) -> Array:
    """Tangent of each element, in radians: f[*s] -> f[*s].

    >>> import minijax as mj
    >>> print(mj.lax.tan(0.0))
    0.0

    Raises:
      TypeError: an integer or bool.
    """
    return tan_p.bind(x, accuracy=accuracy)


def _sinh_cosh(x: Any) -> tuple[Any, Any]:
    # By expm1: sinh of a small x would cancel in e^x - e^-x.
    up, down = expm1(x), expm1(neg(x))
    two = scalar_like(x, 2)
    return div(sub(up, down), two), div(add(add(up, down), two), two)


def _complex_sin(x: Any, *, accuracy: Any) -> Any:
    """sin(a + ib) = sin a cosh b + i cos a sinh b."""
    re, im = real(x), imag(x)
    sinh_im, cosh_im = _sinh_cosh(im)
    # On the imaginary axis 0·cosh b would be NaN for large b.
    on_axis = eq(re, scalar_like(re, 0))
    up = mul(cos(re), sinh_im)
    return select_n(
        on_axis, complex(mul(sin(re), cosh_im), up), complex(fill_like(re, 0), up)
    )


def _complex_cos(x: Any, *, accuracy: Any) -> Any:
    """cos(a + ib) = cos a cosh b - i sin a sinh b."""
    re, im = real(x), imag(x)
    sinh_im, cosh_im = _sinh_cosh(im)
    on_axis = eq(re, scalar_like(re, 0))
    right = mul(cos(re), cosh_im)
    general = complex(right, mul(neg(sin(re)), sinh_im))
    return select_n(on_axis, general, complex(right, fill_like(re, 0)))


def _by_parts(plain: lowering.Rule, expansion: Any) -> lowering.Rule:
    expanded = lowering.lower_function(expansion)

    def rule(ctx: Any, x: Any, **params: Any) -> Sequence[Any]:
        is_complex = ctx.avals_in[0].dtype in dtypes.COMPLEXES
        return (expanded if is_complex else plain)(ctx, x, **params)

    return rule


define(
    sin_p,
    abstract_eval=unary_type(sin_p, _INEXACT),
    jvp=ad.partials(
        sin_p, lambda x_dot, x, *, accuracy: mul(x_dot, cos(x, accuracy=accuracy))
    ),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(sin_p),
    lower=_by_parts(accurate("stablehlo.sine"), _complex_sin),
    printing=hiding_unset("accuracy"),
)
define(
    cos_p,
    abstract_eval=unary_type(cos_p, _INEXACT),
    jvp=ad.partials(
        cos_p, lambda x_dot, x, *, accuracy: neg(mul(x_dot, sin(x, accuracy=accuracy)))
    ),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(cos_p),
    lower=_by_parts(accurate("stablehlo.cosine"), _complex_cos),
    printing=hiding_unset("accuracy"),
)
define(
    tan_p,
    abstract_eval=unary_type(tan_p, _INEXACT),
    jvp=ad.partials_with_result(
        tan_p,
        lambda x_dot, y, x, *, accuracy: mul(x_dot, add(scalar_like(x, 1), square(y))),
    ),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(tan_p),
    lower=accurate("stablehlo.tan"),
    printing=hiding_unset("accuracy"),
)


# --- asin, acos, atan -----------------------------------------------------------------


def asin(x: ArrayLike) -> Array:
    """The angle between -π/2 and π/2 whose sine is x: f[*s] -> f[*s].

    >>> import minijax as mj
    >>> print(mj.lax.asin(0.0))
    0.0

    Raises:
      TypeError: an integer or bool.
    """
    return asin_p.bind(x)


def acos(x: ArrayLike) -> Array:
    """The angle between 0 and π whose cosine is x: f[*s] -> f[*s].

    >>> import minijax as mj
    >>> print(mj.lax.acos(1.0))
    0.0

    Raises:
      TypeError: an integer or bool.
    """
    return acos_p.bind(x)


def atan(x: ArrayLike) -> Array:
    """The angle between -π/2 and π/2 whose tangent is x: f[*s] -> f[*s].

    >>> import minijax as mj
    >>> print(mj.lax.atan(1.0))
    0.7853982

    Raises:
      TypeError: an integer or bool.
    """
    return atan_p.bind(x)


def atan2(x: ArrayLike, y: ArrayLike) -> Array:
    """The angle from the positive second axis to the point (y, x): f[*s] -> f[*s].

    >>> import minijax as mj
    >>> print(mj.lax.atan2(1.0, 0.0))
    1.5707964

    Raises:
      TypeError: integers or bool, differing dtypes, or shapes that do not fit.
    """
    return atan2_p.bind(x, y)


def _asin(x: Any) -> Any:
    one = scalar_like(x, 1)
    return atan2(x, sqrt(mul(sub(one, x), add(one, x))))


_emit_asin = lowering.emit("chlo.asin")
_expand_asin = lowering.lower_function(_asin)


def _asin_lower(ctx: Any, x: Any) -> Sequence[Any]:
    is_complex = ctx.avals_in[0].dtype in dtypes.COMPLEXES
    return (_emit_asin if is_complex else _expand_asin)(ctx, x)


define(
    asin_p,
    abstract_eval=unary_type(asin_p, _INEXACT),
    jvp=ad.partials(asin_p, lambda x_dot, x: mul(x_dot, rsqrt(one_minus_square(x)))),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(asin_p),
    lower=lowering.by_platform(_asin_lower, gpu=_emit_asin),
)
define(
    acos_p,
    abstract_eval=unary_type(acos_p, _INEXACT),
    jvp=ad.partials(
        acos_p, lambda x_dot, x: mul(x_dot, neg(rsqrt(one_minus_square(x))))
    ),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(acos_p),
    lower=lowering.emit("chlo.acos"),
)
define(
    atan_p,
    abstract_eval=unary_type(atan_p, _INEXACT),
    jvp=ad.partials(
        atan_p, lambda x_dot, x: div(x_dot, add(scalar_like(x, 1), square(x)))
    ),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(atan_p),
    lower=lowering.emit("chlo.atan"),
)
define(
    atan2_p,
    abstract_eval=nary_type(atan2_p, _INEXACT),
    jvp=ad.partials(
        atan2_p,
        lambda x_dot, x, y: mul(x_dot, div(y, add(square(x), square(y)))),
        lambda y_dot, x, y: mul(y_dot, div(neg(x), add(square(x), square(y)))),
    ),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(atan2_p),
    lower=lowering.emit("stablehlo.atan2"),
)


# --- sinh, cosh, tanh -----------------------------------------------------------------


def sinh(x: ArrayLike) -> Array:
    """Hyperbolic sine: f[*s] -> f[*s].

    >>> import minijax as mj
    >>> print(mj.lax.sinh(0.0))
    0.0

    Raises:
      TypeError: an integer or bool.
    """
    return sinh_p.bind(x)


def cosh(x: ArrayLike) -> Array:
    """Hyperbolic cosine: f[*s] -> f[*s].

    >>> import minijax as mj
    >>> print(mj.lax.cosh(0.0))
    1.0

    Raises:
      TypeError: an integer or bool.
    """
    return cosh_p.bind(x)


def tanh(x: ArrayLike, *, accuracy: Accuracy = None) -> Array:
    """Hyperbolic tangent: f[*s] -> f[*s].

    >>> import minijax as mj
    >>> print(mj.lax.tanh(0.0))
    0.0

    Raises:
      TypeError: an integer or bool.
    """
    return tanh_p.bind(x, accuracy=accuracy)


def _tanh_partial(x_dot: Any, y: Any, x: Any, *, accuracy: Any) -> Any:
    if accuracy is not AccuracyMode.HIGHEST:
        return mul(x_dot, one_minus_square(y))
    # 1 - tanh² = 4·σ(2x)·σ(-2x), without the cancellation for large x.
    right = logistic(mul(scalar_like(x, 2), x), accuracy=accuracy)
    left = logistic(mul(scalar_like(x, -2), x), accuracy=accuracy)
    return mul(x_dot, mul(scalar_like(x, 4), mul(right, left)))


define(
    sinh_p,
    abstract_eval=unary_type(sinh_p, _INEXACT),
    jvp=ad.partials(sinh_p, lambda x_dot, x: mul(x_dot, cosh(x))),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(sinh_p),
    lower=lowering.emit("chlo.sinh"),
)
define(
    cosh_p,
    abstract_eval=unary_type(cosh_p, _INEXACT),
    jvp=ad.partials(cosh_p, lambda x_dot, x: mul(x_dot, sinh(x))),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(cosh_p),
    lower=lowering.emit("chlo.cosh"),
)
define(
    tanh_p,
    abstract_eval=unary_type(tanh_p, _INEXACT),
    jvp=ad.partials_with_result(tanh_p, _tanh_partial),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(tanh_p),
    lower=accurate("stablehlo.tanh"),
    printing=hiding_unset("accuracy"),
)


# --- asinh, acosh, atanh --------------------------------------------------------------


def asinh(x: ArrayLike) -> Array:
    """The inverse of sinh: f[*s] -> f[*s].

    >>> import minijax as mj
    >>> print(mj.lax.asinh(0.0))
    0.0

    Raises:
      TypeError: an integer or bool.
    """
    return asinh_p.bind(x)


def acosh(x: ArrayLike) -> Array:
    """The inverse of cosh, not negative: f[*s] -> f[*s]; NaN below 1.

    >>> import minijax as mj
    >>> print(mj.lax.acosh(1.0))
    0.0

    Raises:
      TypeError: an integer or bool.
    """
    return acosh_p.bind(x)


def atanh(x: ArrayLike) -> Array:
    """The inverse of tanh: f[*s] -> f[*s]; NaN outside -1 to 1.

    >>> import minijax as mj
    >>> print(mj.lax.atanh(0.0))
    0.0

    Raises:
      TypeError: an integer or bool.
    """
    return atanh_p.bind(x)


# asinh'(x) = 1 / √(x² + 1), whose square overflows for large x. With s = 1 / |x| for
# such x, and 1 for the others, it is s / √((x·s)² + s²). The scale carries no
# derivative: whatever s is, the value is the same.
def _asinh_scale(size: Any) -> Any:
    half = np.finfo(typeof(size).dtype).maxexp // 2
    shrunk = mul(size, scalar_like(size, 2.0 ** (2 - half)))
    bounds = scalar_like(size, 1), scalar_like(size, 2.0 ** (half + 2))
    return reciprocal(stop_gradient(clamp(bounds[0], shrunk, bounds[1])))


def _asinh_partial(x_dot: Any, x: Any) -> Any:
    if typeof(x).dtype in dtypes.COMPLEXES:
        return mul(x_dot, _complex_asinh_slope(x))
    scale = _asinh_scale(abs(x))
    root = rsqrt(add(square(mul(x, scale)), square(scale)))
    return mul(x_dot, mul(scale, root))


def _complex_asinh_slope(x: Any) -> Any:
    re, im = real(x), imag(x)
    size = max(abs(re), abs(im))
    scale = _asinh_scale(size)
    a, b = mul(re, scale), mul(im, scale)
    # x² + 1 = a² + (1 - b²) + 2abi, scaled.
    inside = complex(
        add(square(a), one_minus_square(b)), mul(scalar_like(a, 2), mul(a, b))
    )
    root = rsqrt(inside)
    at_infinity = eq(size, scalar_like(size, np.inf))
    zero = fill_like(x, 0)
    slope = complex(mul(real(root), scale), mul(imag(root), scale))
    return select_n(at_infinity, slope, zero)


define(
    asinh_p,
    abstract_eval=unary_type(asinh_p, _INEXACT),
    jvp=ad.partials(asinh_p, _asinh_partial),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(asinh_p),
    lower=lowering.emit("chlo.asinh"),
)
define(
    acosh_p,
    abstract_eval=unary_type(acosh_p, _INEXACT),
    jvp=ad.partials(
        acosh_p,
        lambda x_dot, x: mul(
            x_dot,
            mul(rsqrt(sub(x, scalar_like(x, 1))), rsqrt(add(x, scalar_like(x, 1)))),
        ),
    ),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(acosh_p),
    lower=lowering.emit("chlo.acosh"),
)
define(
    atanh_p,
    abstract_eval=unary_type(atanh_p, _INEXACT),
    jvp=ad.partials(atanh_p, lambda x_dot, x: div(x_dot, one_minus_square(x))),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(atanh_p),
    lower=lowering.emit("chlo.atanh"),
)
