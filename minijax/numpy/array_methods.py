"""The methods and properties of arrays and tracers, apart from the operators.

Source: spec/numpy.md §3.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import lax
from ..base import dtypes
from ..base.errors import ArgumentValueError, NotSupportedError
from ..core import Operator, define_operators, typeof
from . import array_making
from .array_api import API_VERSION
from .array_making import copied
from .contractions import dot
from .cumulating import cumprod, cumsum
from .exponents import round
from .floats import clip, conjugate, imag, real
from .getting import take
from .grids import diagonal, trace
from .joining import repeat
from .promotion import as_is
from .reductions import all, any, argmax, argmin, max, min, prod, ptp, sum
from .searching import compress, nonzero, searchsorted
from .shaping import matrix_transpose, ravel, reshape, squeeze, swapaxes, transpose
from .sorting import argpartition, argsort, sort
from .statistics import mean, std, var
from .taking import choose


def _property(get: Callable[[Any], Any]) -> Operator:
    return Operator(property(get), property(get))


def _astype(self: Any, dtype: Any, copy: bool = False, device: Any = None) -> Any:
    """The elements converted to a dtype."""
    return array_making.astype(self, dtype, copy=copy, device=device)


def _reshape(self: Any, *args: Any, order: str = "C", out_sharding: Any = None) -> Any:
    """The elements in another shape, given as sizes or as one tuple."""
    shape = args[0] if len(args) == 1 else args
    return reshape(self, shape, order, out_sharding=out_sharding)


def _transpose(self: Any, *args: Any) -> Any:
    """The axes in another order, given as numbers or as one tuple."""
    if not args:
        return transpose(self)
    axes = args[0] if len(args) == 1 and not isinstance(args[0], int) else args
    return transpose(self, axes)


def _flatten(self: Any, order: str = "C", *, out_sharding: Any = None) -> Any:
    """All elements along one axis."""
    return ravel(self, order, out_sharding=out_sharding)


def _view(self: Any, dtype: Any = None, type: None = None) -> Any:
    """The bits of the elements read as another dtype; the last axis may change."""
    if type is not None:
        raise NotSupportedError("Arrays have one type.", f"Found {type!r}.")
    if dtype is None:
        return self
    return _viewed(self, dtypes.requested_dtype(dtype, "view"))


def _viewed(x: Any, wanted: Any) -> Any:
    old = typeof(x).dtype
    if old == wanted:
        return x
    if dtypes.BOOL in (old, wanted):
        # A boolean is one byte, which only is 0 or 1.
        if old == dtypes.BOOL:
            return _viewed(lax.convert_element_type(x, np.uint8), wanted)
        return lax.ne(_viewed(x, np.dtype(np.uint8)), np.uint8(0))
    if old in dtypes.COMPLEXES:
        parts = lax.stack([lax.real(x), lax.imag(x)], typeof(x).ndim)
        return _viewed(_merged(parts), wanted)
    if wanted in dtypes.COMPLEXES:
        parts = _viewed(x, dtypes.to_real_dtype(wanted))
        return lax.complex(parts[..., 0::2], parts[..., 1::2])
    return _recast(x, old, wanted)


def _recast(x: Any, old: Any, wanted: Any) -> Any:
    before, after = dtypes.itemsize_bits(old), dtypes.itemsize_bits(wanted)
    shape = typeof(x).shape
    if before == after:
        return lax.bitcast_convert_type(x, wanted)
    if not shape:
        raise ArgumentValueError(
            "A scalar is viewed as a dtype of its own size.",
            f"Found {old} as {wanted}.",
        )
    if before > after:
        return _merged(lax.bitcast_convert_type(x, wanted))
    ratio = after // before
    if shape[-1] % ratio:
        raise ArgumentValueError(
            f"{ratio} elements of {old} make one of {wanted}.",
            f"Found a last axis of {shape[-1]}.",
        )
    split = lax.reshape(x, (*shape[:-1], shape[-1] // ratio, ratio))
    return lax.bitcast_convert_type(split, wanted)


def _merged(x: Any) -> Any:
    """The last two axes as one."""
    shape = typeof(x).shape
    if len(shape) == 1:
        raise ArgumentValueError("A scalar has no axis that could grow.", "Found one.")
    return lax.reshape(x, (*shape[:-2], shape[-2] * shape[-1]))


def _byteswap(self: Any) -> Any:
    """The bytes of every element in reverse order."""
    size = typeof(self).dtype.itemsize
    if size == 1:
        return as_is(self)
    if typeof(self).dtype in dtypes.COMPLEXES:
        return lax.complex(_byteswap(lax.real(self)), _byteswap(lax.imag(self)))
    rank = typeof(self).ndim
    raw = lax.bitcast_convert_type(self, np.uint8)
    return lax.bitcast_convert_type(lax.rev(raw, (rank,)), typeof(self).dtype)


def _flat(self: Any) -> Any:
    """Refused: arrays are not iterated over element by element."""
    raise NotSupportedError(
        "Arrays have no flat iterator.", "Found `x.flat`.", "Use `x.ravel()`."
    )


def _array_namespace(self: Any, *, api_version: str | None = None) -> Any:
    """The module of functions for arrays, as the array API asks for it."""
    if api_version not in (None, API_VERSION):
        raise ArgumentValueError(
            f"This is version {API_VERSION} of the array API.",
            f"Found {api_version!r}.",
        )
    return sys.modules[__name__.rpartition(".")[0]]


_METHODS: dict[str, Callable[..., Any]] = {
    "all": all,
    "any": any,
    "argmax": argmax,
    "argmin": argmin,
    "argpartition": argpartition,
    "argsort": argsort,
    "astype": _astype,
    "byteswap": _byteswap,
    "choose": choose,
    "clip": clip.__wrapped__,
    "compress": lambda self, condition, *args, **options: compress(
        condition, self, *args, **options
    ),
    "conj": conjugate.__wrapped__,
    "conjugate": conjugate.__wrapped__,
    "copy": copied,
    "cumprod": cumprod,
    "cumsum": cumsum,
    "diagonal": diagonal.__wrapped__,
    "dot": dot.__wrapped__,
    "flatten": _flatten,
    "max": max,
    "mean": mean,
    "min": min,
    "nonzero": nonzero,
    "prod": prod,
    "ptp": ptp,
    "ravel": ravel,
    "repeat": repeat,
    "reshape": _reshape,
    "round": round,
    "searchsorted": searchsorted,
    "sort": sort,
    "squeeze": squeeze,
    "std": std,
    "sum": sum,
    "swapaxes": swapaxes,
    "take": take,
    "trace": trace,
    "transpose": _transpose,
    "var": var,
    "view": _view,
    "__array_namespace__": _array_namespace,
}
# Functions that are compiled as they are serve arrays directly.
_COMPILED = {"clip": clip, "conj": conjugate, "conjugate": conjugate, "dot": dot}
_COMPILED["diagonal"] = diagonal

define_operators(
    {
        name: Operator(function, _COMPILED.get(name, function))
        for name, function in _METHODS.items()
    }
    | {
        "T": _property(transpose),
        "mT": _property(matrix_transpose),
        "real": _property(real),
        "imag": _property(imag),
        "flat": _property(_flat),
    }
)
