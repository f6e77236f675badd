"""Complex numbers: taking them apart and putting them together.

All four are linear over the reals. Cotangents follow JAX's convention: the transpose
of `real` is `complex(x_bar, 0)`, that of `imag` is `complex(0, -x_bar)`.

Source: spec/ad.md §4.1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import lowering
from ..base import dtypes
from ..core import Primitive, ShapedArray, typeof
from ..interpreters import ad, batching
from .arithmetic import neg, unspread
from .definition import define
from .generation import fill_like, strong_scalar
from .typing import COMPLEX, PARTS, check_dtype, nary_type, unary_type

if TYPE_CHECKING:
    from .typing import Array, ArrayLike

__all__ = ["complex", "complex_p", "conj", "conj_p", "imag", "imag_p", "real", "real_p"]

complex_p = Primitive("complex")
real_p = Primitive("real")
imag_p = Primitive("imag")
conj_p = Primitive("conj")


def complex(x: ArrayLike, y: ArrayLike) -> Array:
    """x + iy: f32[*s], f32[*s] -> c64[*s], or f64 to c128.

    >>> import minijax as mj
    >>> print(mj.lax.complex(1.0, 2.0))
    (1+2j)

    Raises:
      TypeError: other dtypes, differing ones, or shapes that do not fit.
    """
    return complex_p.bind(x, y)


def real(x: ArrayLike) -> Array:
    """The real part: c64[*s] -> f32[*s].

    >>> import minijax as mj
    >>> print(mj.lax.real(1 + 2j))
    1.0

    Raises:
      TypeError: the dtype is not complex.
    """
    return real_p.bind(x)


def imag(x: ArrayLike) -> Array:
    """The imaginary part: c64[*s] -> f32[*s].

    >>> import minijax as mj
    >>> print(mj.lax.imag(1 + 2j))
    2.0

    Raises:
      TypeError: the dtype is not complex.
    """
    return imag_p.bind(x)


def conj(x: ArrayLike) -> Array:
    """The complex conjugate: c64[*s] -> c64[*s]; reals become complex.

    >>> import minijax as mj
    >>> print(mj.lax.conj(1 + 2j))
    (1-2j)

    Raises:
      TypeError: neither complex nor float32 nor float64.
    """
    return conj_p.bind(x, input_dtype=typeof(x).dtype)


# --- complex --------------------------------------------------------------------------


def _complex_transpose(z_bar: Any, x: Any, y: Any) -> list[Any]:
    return [
        unspread(real(z_bar), x.aval) if ad.is_undefined_primal(x) else None,
        unspread(imag(neg(z_bar)), y.aval) if ad.is_undefined_primal(y) else None,
    ]


define(
    complex_p,
    abstract_eval=nary_type(complex_p, PARTS, result=dtypes.to_complex_dtype),
    jvp=ad.linear(complex_p),
    transpose=_complex_transpose,
    batch=batching.elementwise(complex_p),
    lower=lowering.emit("stablehlo.complex"),
)


# --- real and imag --------------------------------------------------------------------

define(
    real_p,
    abstract_eval=unary_type(real_p, COMPLEX, result=dtypes.to_real_dtype),
    jvp=ad.linear(real_p),
    transpose=lambda y_bar, x: [complex(y_bar, strong_scalar(0, typeof(y_bar).dtype))],
    batch=batching.elementwise(real_p),
    lower=lowering.emit("stablehlo.real"),
)
define(
    imag_p,
    abstract_eval=unary_type(imag_p, COMPLEX, result=dtypes.to_real_dtype),
    jvp=ad.linear(imag_p),
    transpose=lambda y_bar, x: [
        complex(strong_scalar(0, typeof(y_bar).dtype), neg(y_bar))
    ],
    batch=batching.elementwise(imag_p),
    lower=lowering.emit("stablehlo.imag"),
)


# --- conj -----------------------------------------------------------------------------


def _conj_type(x: ShapedArray, *, input_dtype: Any) -> ShapedArray:
    check_dtype("conj", x.dtype, PARTS | COMPLEX)
    return x.update(dtype=dtypes.to_complex_dtype(x.dtype))


def _conj_transpose(y_bar: Any, x: Any, *, input_dtype: Any) -> list[Any]:
    if input_dtype in dtypes.COMPLEXES:
        return [conj(y_bar)]
    return [real(y_bar)]


def _conj(x: Any, *, input_dtype: Any) -> Any:
    if input_dtype in dtypes.COMPLEXES:
        return complex(real(x), neg(imag(x)))
    return complex(x, fill_like(x, 0))


define(
    conj_p,
    abstract_eval=_conj_type,
    jvp=ad.linear(conj_p),
    transpose=_conj_transpose,
    batch=batching.elementwise(conj_p),
    lower=lowering.lower_function(_conj),
)
