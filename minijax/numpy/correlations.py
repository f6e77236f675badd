"""Convolution, correlation and covariance.

Source: spec/numpy.md §12.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import lax
from ..base import dtypes
from ..base.errors import ArgumentTypeError, ArgumentValueError
from ..core import typeof
from ..transforms import eager_jit
from .arithmetic import true_divide
from .contractions import dot
from .floats import clip
from .getting import take
from .grids import diag
from .promotion import (
    INEXACT,
    as_is,
    cast_to,
    check_arrays,
    common_kind,
    constant_like,
    two,
)
from .shaping import atleast_2d
from .statistics import average

if TYPE_CHECKING:
    from ..runtime import Array
    from .promotion import ArrayLike, DTypeLike

_OPTIONS = ("mode", "precision", "preferred_element_type")


def _convolved(
    function: str, x: Any, y: Any, mode: str, precision: Any, preferred: Any
) -> Any:
    """The convolution of x with y reversed, that is their correlation."""
    for v in (x, y):
        if typeof(v).ndim != 1 or not typeof(v).size:
            raise ArgumentValueError(
                f"{function} takes arrays of one axis with elements.",
                f"Found {typeof(v)}.",
            )
    if mode not in ("full", "same", "valid"):
        raise ArgumentValueError(
            "mode is 'full', 'same' or 'valid'.", f"Found {mode!r}."
        )
    m, n = typeof(x).size, typeof(y).size
    if mode == "valid":
        padding = (0, 0)
    elif mode == "same":
        padding = (n // 2, n - n // 2 - 1)
    else:
        padding = (n - 1, n - 1)
    # Every window of x as a row, times y: n times the memory of x.
    padded = lax.pad(x, constant_like(x, 0), [(*padding, 0)])
    shape = (max(m + sum(padding) - n + 1, 0), n)
    places = lax.add(
        lax.broadcasted_iota("int32", shape, 0), lax.broadcasted_iota("int32", shape, 1)
    )
    return lax.dot_general(
        take(padded, places, mode="clip"),
        y,
        (((1,), (0,)), ((), ())),
        precision=precision,
        preferred_element_type=preferred,
    )


@eager_jit(static_argnames=_OPTIONS)
def convolve(
    a: ArrayLike,
    v: ArrayLike,
    mode: str = "full",
    *,
    precision: Any = None,
    preferred_element_type: DTypeLike | None = None,
) -> Array:
    """The convolution of two arrays of one axis, in floats.

    >>> import minijax.numpy as jnp
    >>> print(jnp.convolve(jnp.array([1, 2, 3]), jnp.array([0, 1])))
    [0. 1. 2. 3.]

    Raises:
      ValueError: more than one axis, or no elements.
    """
    check_arrays("convolve", a, v)
    x, y = _operands(a, v, preferred_element_type)
    if typeof(x).ndim == 1 and typeof(y).ndim == 1 and typeof(x).size < typeof(y).size:
        x, y = y, x
    flipped = lax.rev(y, (0,)) if typeof(y).ndim == 1 else y
    return _convolved(
        "convolve", x, flipped, mode, precision, _wanted(preferred_element_type)
    )


def _wanted(preferred: Any) -> Any:
    return None if preferred is None else dtypes.requested_dtype(preferred, "convolve")


def _operands(a: Any, v: Any, preferred: Any) -> tuple[Any, Any]:
    if preferred is not None:
        wanted = dtypes.to_dtype(preferred)
        if wanted in dtypes.INTEGERS:
            return cast_to(a, wanted), cast_to(v, wanted)
    dtype = common_kind(INEXACT, a, v)[0]
    return cast_to(a, dtype), cast_to(v, dtype)


@eager_jit(static_argnames=_OPTIONS)
def correlate(
    a: ArrayLike,
    v: ArrayLike,
    mode: str = "valid",
    *,
    precision: Any = None,
    preferred_element_type: DTypeLike | None = None,
) -> Array:
    """The correlation of two arrays of one axis, the second conjugated, in floats.

    >>> import minijax.numpy as jnp
    >>> print(jnp.correlate(jnp.array([1, 2, 3]), jnp.array([0, 1, 0.5])))
    [3.5]

    Raises:
      ValueError: more than one axis, or no elements.
    """
    check_arrays("correlate", a, v)
    x, y = _operands(a, v, preferred_element_type)
    if typeof(y).dtype in dtypes.COMPLEXES:
        y = lax.conj(y)
    exchanged = (
        typeof(x).ndim == 1 and typeof(y).ndim == 1 and typeof(x).size < typeof(y).size
    )
    wanted = _wanted(preferred_element_type)
    if not exchanged:
        return _convolved("correlate", x, y, mode, precision, wanted)
    flipped = [lax.rev(v, (0,)) for v in (y, x)]
    return _convolved("correlate", flipped[0], flipped[1], mode, precision, wanted)


@eager_jit(static_argnames=("rowvar", "bias", "ddof", "dtype"))
def cov(
    m: ArrayLike,
    y: ArrayLike | None = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: ArrayLike | None = None,
    aweights: ArrayLike | None = None,
    dtype: DTypeLike | None = None,
) -> Array:
    """The covariance matrix of variables, one per row, or per column without `rowvar`.

    fweights: how often an observation counts; aweights: how much.

    >>> import minijax.numpy as jnp
    >>> print(jnp.cov(jnp.array([1.0, 3.0])))
    2.0

    Raises:
      ValueError: more than two axes. TypeError: weights that are no integers.
    """
    check_arrays("cov", m)
    if typeof(m).ndim > 2:
        raise ArgumentValueError("cov takes one or two axes.", f"Found {typeof(m)}.")
    if y is None:
        x = cast_to(m, common_kind(INEXACT, m)[0])
        x = _as_rows(x, rowvar)
    else:
        check_arrays("cov", y)
        joined = common_kind(INEXACT, m, y)[0]
        x, other = [_as_rows(cast_to(v, joined), rowvar) for v in (m, y)]
        x = lax.concatenate([x, other], 0)
    if dtype is not None:
        x = cast_to(x, dtypes.requested_dtype(dtype, "cov"))
    ddof = (0 if bias else 1) if ddof is None else ddof
    weights = _weights(fweights, aweights, typeof(x))
    middle, total = average(x, 1, weights, returned=True)
    total = lax.index_in_dim(total, 0, 0, keepdims=False)
    if weights is None:
        divisor = constant_like(x, typeof(x).shape[1] - ddof)
    elif aweights is None:
        divisor = total - ddof
    elif not ddof:
        divisor = total
    else:
        divisor = total - ddof * (weights * aweights).sum() / total
    x = lax.sub(x, lax.expand_dims(middle, (1,)))
    right = x if weights is None else lax.mul(x, lax.expand_dims(weights, (0,)))
    right = lax.transpose(right, (1, 0))
    if typeof(right).dtype in dtypes.COMPLEXES:
        right = lax.conj(right)
    out = true_divide(dot(x, right), divisor)
    return lax.squeeze(out, [i for i in (0, 1) if typeof(out).shape[i] == 1])


def _as_rows(x: Any, rowvar: bool) -> Any:
    x = atleast_2d(x)
    return x if rowvar or typeof(x).shape[0] == 1 else lax.transpose(x, (1, 0))


def _weights(fweights: Any, aweights: Any, aval: Any) -> Any:
    found = None
    if fweights is not None:
        if typeof(fweights).dtype not in dtypes.INTEGERS:
            raise ArgumentTypeError(
                "fweights are integers.", f"Found {typeof(fweights)}."
            )
        found = fweights
    if aweights is not None:
        found = (
            aweights
            if found is None
            else two("cov", INEXACT, found, aweights)[0] * aweights
        )
    if found is None:
        return None
    if typeof(found).shape != (aval.shape[1],):
        raise ArgumentValueError(
            "cov takes one weight per observation.",
            f"Found {typeof(found)} for {aval}.",
        )
    return lax.abs(cast_to(found, dtypes.to_real_dtype(aval.dtype)))


@eager_jit(static_argnames=("rowvar", "dtype"))
def corrcoef(
    x: ArrayLike,
    y: ArrayLike | None = None,
    rowvar: bool = True,
    dtype: DTypeLike | None = None,
) -> Array:
    """The correlation coefficients of variables, one per row, between -1 and 1.

    >>> import minijax.numpy as jnp
    >>> print(jnp.corrcoef(jnp.array([[1.0, 2.0], [2.0, 4.0]]))[0, 1].round(3))
    1.0
    """
    c = cov(x, y, rowvar, dtype=dtype)
    if not typeof(c).shape:
        return lax.div(c, c)
    spread = diag(c)
    if typeof(spread).dtype in dtypes.COMPLEXES:
        spread = lax.real(spread)
    spread = cast_to(lax.sqrt(spread), typeof(c).dtype)
    out = lax.div(c, lax.expand_dims(spread, (1,)))
    out = lax.div(out, lax.expand_dims(spread, (0,)))
    if typeof(out).dtype in dtypes.COMPLEXES:
        return lax.complex(clip(lax.real(out), -1, 1), clip(lax.imag(out), -1, 1))
    return clip(as_is(out), -1, 1)
