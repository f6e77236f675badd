"""Exponentials, logarithms, roots and powers.

Source: spec/ad.md §4.1, spec/lowering.md §12.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from .. import lowering
from ..base import dtypes
from ..base.errors import DTypeMismatchError
from ..core import (
    NOT_LINEAR,
    Primitive,
    ShapedArray,
    Tracer,
    hiding_unset,
    is_literalable,
    typeof,
)
from ..interpreters import ad, batching
from .accuracies import AccuracyMode, accurate
from .arithmetic import add, div, integer_pow, mul, neg, spread, sub
from .comparisons import eq
from .complexes import complex, imag, real
from .conversions import convert_element_type
from .definition import define
from .generation import fill_like, scalar_like, strong_scalar
from .selection import select_n
from .typing import (
    COMPLEX,
    FLOATING,
    NUMBER,
    check_dtype,
    joined_type,
    unary_type,
)

if TYPE_CHECKING:
    from .accuracies import Accuracy
    from .typing import Array, ArrayLike

__all__ = [
    "cbrt",
    "cbrt_p",
    "exp",
    "exp2",
    "exp2_p",
    "exp_p",
    "expm1",
    "expm1_p",
    "log",
    "log1p",
    "log1p_p",
    "log2",
    "log2_p",
    "log_p",
    "logistic",
    "logistic_p",
    "pow",
    "pow_p",
    "rsqrt",
    "rsqrt_p",
    "sqrt",
    "sqrt_p",
]

exp_p = Primitive("exp")
exp2_p = Primitive("exp2")
expm1_p = Primitive("expm1")
log_p = Primitive("log")
log2_p = Primitive("log2")
log1p_p = Primitive("log1p")
sqrt_p = Primitive("sqrt")
rsqrt_p = Primitive("rsqrt")
cbrt_p = Primitive("cbrt")
logistic_p = Primitive("logistic")
pow_p = Primitive("pow")

_INEXACT = FLOATING | COMPLEX


# --- exp ------------------------------------------------------------------------------


def exp(x: ArrayLike, *, accuracy: Accuracy = None) -> Array:
    """e to the power x: f[*s] -> f[*s].

    >>> import minijax as mj
    >>> print(mj.lax.exp(0.0))
    1.0

    Raises:
      TypeError: an integer or bool.
    """
    return exp_p.bind(x, accuracy=accuracy)


define(
    exp_p,
    abstract_eval=unary_type(exp_p, _INEXACT),
    jvp=ad.partials_with_result(exp_p, lambda x_dot, y, x, *, accuracy: mul(x_dot, y)),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(exp_p),
    lower=accurate("stablehlo.exponential"),
    printing=hiding_unset("accuracy"),
)


def exp2(x: ArrayLike, *, accuracy: Accuracy = None) -> Array:
    """2 to the power x: f[*s] -> f[*s].

    >>> import minijax as mj
    >>> print(mj.lax.exp2(3.0))
    8.0

    Raises:
      TypeError: an integer or bool.
    """
    return exp2_p.bind(x, accuracy=accuracy)


define(
    exp2_p,
    abstract_eval=unary_type(exp2_p, _INEXACT),
    jvp=ad.partials_with_result(
        exp2_p,
        lambda x_dot, y, x, *, accuracy: mul(log(scalar_like(x, 2)), mul(x_dot, y)),
    ),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(exp2_p),
    lower=lowering.lower_function(
        lambda x, *, accuracy: exp(
            mul(scalar_like(x, math.log(2)), x), accuracy=accuracy
        )
    ),
    printing=hiding_unset("accuracy"),
)


def expm1(x: ArrayLike, *, accuracy: Accuracy = None) -> Array:
    """e^x - 1, exact for small x: f[*s] -> f[*s].

    >>> import minijax as mj
    >>> print(mj.lax.expm1(1e-10))
    1e-10

    Raises:
      TypeError: an integer or bool.
    """
    return expm1_p.bind(x, accuracy=accuracy)


define(
    expm1_p,
    abstract_eval=unary_type(expm1_p, _INEXACT),
    # Not y + 1: for very negative x that has lost all digits of e^x.
    jvp=ad.partials(
        expm1_p, lambda x_dot, x, *, accuracy: mul(x_dot, exp(x, accuracy=accuracy))
    ),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(expm1_p),
    lower=accurate("stablehlo.exponential_minus_one"),
    printing=hiding_unset("accuracy"),
)


# --- log ------------------------------------------------------------------------------


def log(x: ArrayLike, *, accuracy: Accuracy = None) -> Array:
    """The natural logarithm: f[*s] -> f[*s]; NaN below 0.

    >>> import minijax as mj
    >>> print(mj.lax.log(1.0))
    0.0

    Raises:
      TypeError: an integer or bool.
    """
    return log_p.bind(x, accuracy=accuracy)


define(
    log_p,
    abstract_eval=unary_type(log_p, _INEXACT),
    jvp=ad.partials(log_p, lambda x_dot, x, *, accuracy: div(x_dot, x)),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(log_p),
    lower=accurate("stablehlo.log"),
    printing=hiding_unset("accuracy"),
)


def log2(x: ArrayLike, *, accuracy: Accuracy = None) -> Array:
    """The logarithm to base 2: f[*s] -> f[*s]; NaN below 0.

    >>> import minijax as mj
    >>> print(mj.lax.log2(8.0))
    3.0

    Raises:
      TypeError: an integer or bool.
    """
    return log2_p.bind(x, accuracy=accuracy)


def _log2(x: Any, *, accuracy: Accuracy) -> Any:
    y = log(x, accuracy=accuracy)
    if typeof(x).dtype not in dtypes.COMPLEXES:
        return mul(y, scalar_like(y, 1 / math.log(2)))
    # Part by part: a complex product would make NaN of an infinity and a zero.
    re, im = real(y), imag(y)
    factor = scalar_like(re, 1 / math.log(2))
    return complex(mul(re, factor), mul(im, factor))


define(
    log2_p,
    abstract_eval=unary_type(log2_p, _INEXACT),
    jvp=ad.partials(
        log2_p,
        lambda x_dot, x, *, accuracy: div(x_dot, mul(x, log(scalar_like(x, 2)))),
    ),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(log2_p),
    lower=lowering.lower_function(_log2),
    printing=hiding_unset("accuracy"),
)


def log1p(x: ArrayLike, *, accuracy: Accuracy = None) -> Array:
    """log(1 + x), exact for small x: f[*s] -> f[*s].

    >>> import minijax as mj
    >>> print(mj.lax.log1p(1e-10))
    1e-10

    Raises:
      TypeError: an integer or bool.
    """
    return log1p_p.bind(x, accuracy=accuracy)


define(
    log1p_p,
    abstract_eval=unary_type(log1p_p, _INEXACT),
    jvp=ad.partials(
        log1p_p, lambda x_dot, x, *, accuracy: div(x_dot, add(x, scalar_like(x, 1)))
    ),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(log1p_p),
    lower=accurate("stablehlo.log_plus_one"),
    printing=hiding_unset("accuracy"),
)


# --- roots ----------------------------------------------------------------------------


def sqrt(x: ArrayLike, *, accuracy: Accuracy = None) -> Array:
    """The square root: f[*s] -> f[*s]; NaN below 0.

    >>> import minijax as mj
    >>> print(mj.lax.sqrt(9.0))
    3.0

    Raises:
      TypeError: an integer or bool.
    """
    return sqrt_p.bind(x, accuracy=accuracy)


define(
    sqrt_p,
    abstract_eval=unary_type(sqrt_p, _INEXACT),
    jvp=ad.partials_with_result(
        sqrt_p,
        lambda x_dot, y, x, *, accuracy: mul(x_dot, div(scalar_like(x, 0.5), y)),
    ),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(sqrt_p),
    lower=accurate("stablehlo.sqrt"),
    printing=hiding_unset("accuracy"),
)


def rsqrt(x: ArrayLike, *, accuracy: Accuracy = None) -> Array:
    """1 / √x: f[*s] -> f[*s]; NaN below 0.

    >>> import minijax as mj
    >>> print(mj.lax.rsqrt(4.0))
    0.5

    Raises:
      TypeError: an integer or bool.
    """
    return rsqrt_p.bind(x, accuracy=accuracy)


define(
    rsqrt_p,
    abstract_eval=unary_type(rsqrt_p, _INEXACT),
    jvp=ad.partials_with_result(
        rsqrt_p,
        lambda x_dot, y, x, *, accuracy: mul(
            x_dot, mul(scalar_like(x, -0.5), div(y, x))
        ),
    ),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(rsqrt_p),
    lower=accurate("stablehlo.rsqrt"),
    printing=hiding_unset("accuracy"),
)


def cbrt(x: ArrayLike, *, accuracy: Accuracy = None) -> Array:
    """The real cube root, also of negative numbers: f[*s] -> f[*s].

    >>> import minijax as mj
    >>> print(mj.lax.cbrt(-8.0))
    -2.0

    Raises:
      TypeError: no float.
    """
    return cbrt_p.bind(x, accuracy=accuracy)


define(
    cbrt_p,
    abstract_eval=unary_type(cbrt_p, FLOATING),
    jvp=ad.partials_with_result(
        cbrt_p,
        lambda x_dot, y, x, *, accuracy: mul(
            x_dot, mul(scalar_like(x, 1 / 3), integer_pow(y, -2))
        ),
    ),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(cbrt_p),
    lower=accurate("stablehlo.cbrt"),
    printing=hiding_unset("accuracy"),
)


# --- logistic -------------------------------------------------------------------------


def logistic(x: ArrayLike, *, accuracy: Accuracy = None) -> Array:
    """1 / (1 + e^-x), the sigmoid function: f[*s] -> f[*s].

    >>> import minijax as mj
    >>> print(mj.lax.logistic(0.0))
    0.5

    Raises:
      TypeError: an integer or bool.
    """
    return logistic_p.bind(x, accuracy=accuracy)


def _logistic_partial(x_dot: Any, y: Any, x: Any, *, accuracy: Any) -> Any:
    if accuracy is AccuracyMode.HIGHEST:
        # 1 - y cancels where y is near 1; its mirror image does not.
        return mul(x_dot, mul(y, logistic(neg(x))))
    return mul(x_dot, mul(y, sub(scalar_like(x, 1), y)))


define(
    logistic_p,
    abstract_eval=unary_type(logistic_p, _INEXACT),
    jvp=ad.partials_with_result(logistic_p, _logistic_partial),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(logistic_p),
    lower=lowering.lower_function(
        lambda x, *, accuracy: div(
            scalar_like(x, 1), add(scalar_like(x, 1), exp(neg(x)))
        )
    ),
    printing=hiding_unset("accuracy"),
)


# --- pow ------------------------------------------------------------------------------


def pow(x: ArrayLike, y: ArrayLike) -> Array:
    """x to the power y: f[*s], f[*s] -> f[*s], or f[*s], i[*s] -> f[*s].

    With an integer exponent 0 the derivative is 0 even at x = 0; with a float one it is
    NaN there.

    >>> import minijax as mj
    >>> print(mj.lax.pow(2.0, 3))
    8.0

    Raises:
      TypeError: x is an integer, y a bool, two inexact dtypes differ, or shapes do not
        fit.
    """
    return pow_p.bind(x, y)


def _pow_type(x: ShapedArray, y: ShapedArray) -> ShapedArray:
    check_dtype("pow", x.dtype, _INEXACT, 0)
    check_dtype("pow", y.dtype, NUMBER, 1)
    if y.dtype not in dtypes.INTEGERS and x.dtype != y.dtype:
        names = [dtypes.name_of(aval.dtype) for aval in (x, y)]
        raise DTypeMismatchError("pow", names)
    return joined_type("pow", (x, y), x.dtype)


def _pow_base_partial(x_dot: Any, z: Any, x: Any, y: Any) -> Any:
    is_integer = typeof(y).dtype in dtypes.INTEGERS
    x, y = _strong(x, typeof(z).dtype), _strong(y, typeof(z).dtype)
    if is_integer:
        y = spread(y, typeof(z).shape)
        is_zero, zeros = eq(y, scalar_like(y, 0)), fill_like(y, 0)
        # 0 · x^-1 would be NaN at x = 0.
        return mul(x_dot, select_n(is_zero, _pow_slope(x, _not_zero(y), y), zeros))
    return mul(x_dot, _pow_slope(x, y, y))


def _strong(x: Any, dtype: Any) -> Any:
    # As in jax, neither derivative of a power is weak.
    if not isinstance(x, Tracer) and not typeof(x).shape and is_literalable(x):
        return strong_scalar(x, dtype)
    return convert_element_type(x, dtype)


def _pow_slope(x: Any, factor: Any, y: Any) -> Any:
    return mul(factor, pow(x, sub(y, fill_like(y, 1))))


def _not_zero(x: Any) -> Any:
    return select_n(eq(x, scalar_like(x, 0)), x, fill_like(x, 1))


def _pow_exponent_partial(y_dot: Any, z: Any, x: Any, y: Any) -> Any:
    # At x = 0 the power is 0 or 1 all around, and its logarithm must not spoil that.
    return _strong(mul(y_dot, mul(log(_not_zero(x)), z)), typeof(z).dtype)


def _pow_lower(ctx: Any, x: Any, y: Any) -> Any:
    (base, exponent), (out,) = ctx.avals_in, ctx.avals_out
    if exponent.dtype != base.dtype:
        exponent = exponent.update(dtype=base.dtype)
        y = ctx.op("stablehlo.convert", [y], exponent)
    x = lowering.broadcast_to(ctx, x, base, out.shape)
    y = lowering.broadcast_to(ctx, y, exponent, out.shape)
    return [ctx.op("stablehlo.power", [x, y], out)]


define(
    pow_p,
    abstract_eval=_pow_type,
    jvp=ad.partials_with_result(pow_p, _pow_base_partial, _pow_exponent_partial),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(pow_p),
    lower=_pow_lower,
)
