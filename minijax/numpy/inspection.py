"""Questions about arrays and dtypes that need no computation, and text.

Source: spec/numpy.md §§1.1, 2, 18.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lax
from ..base import dtypes
from ..base.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    NotSupportedError,
)
from ..core import typeof
from ..transforms import eager_jit
from .array_making import asarray
from .promotion import JOIN, check_arrays, is_arraylike, two

if TYPE_CHECKING:
    from ..runtime import Array
    from .promotion import ArrayLike


def _shape_of(a: Any, function: str) -> tuple[int, ...]:
    if hasattr(a, "shape") and not isinstance(a, list | tuple):
        return tuple(a.shape)
    if isinstance(a, list | tuple):
        warnings.warn(
            f"{function} of a list is deprecated: convert it with `asarray`",
            DeprecationWarning,
            stacklevel=3,
        )
        return asarray(a).shape
    check_arrays(function, a)
    return typeof(a).shape


def shape(a: ArrayLike) -> tuple[int, ...]:
    """The sizes of the axes.

    >>> import minijax.numpy as jnp
    >>> jnp.shape(jnp.ones((2, 3)))
    (2, 3)
    """
    return _shape_of(a, "shape")


def ndim(a: ArrayLike) -> int:
    """The number of axes.

    >>> import minijax.numpy as jnp
    >>> jnp.ndim(jnp.ones((2, 3)))
    2
    """
    return len(_shape_of(a, "ndim"))


def size(a: ArrayLike, axis: int | Sequence[int] | None = None) -> int:
    """The number of elements, or of places along axes.

    >>> import minijax.numpy as jnp
    >>> jnp.size(jnp.ones((2, 3)))
    6
    """
    sizes = _shape_of(a, "size")
    if axis is None:
        return int(np.prod(sizes, dtype=np.int64))
    axes = axis if isinstance(axis, list | tuple) else (axis,)
    return int(np.prod([sizes[i] for i in axes], dtype=np.int64))


def isscalar(element: Any) -> bool:
    """Whether something is a number, or an array without axes.

    >>> import minijax.numpy as jnp
    >>> jnp.isscalar(1.0)
    True
    """
    if isinstance(element, bool | int | float | complex | np.number):
        return True
    return hasattr(element, "dtype") and hasattr(element, "ndim") and element.ndim == 0


def iterable(y: Any) -> bool:
    """Whether `iter(y)` works.

    >>> import minijax.numpy as jnp
    >>> jnp.iterable(jnp.ones(2))
    True
    """
    return np.iterable(y) and getattr(y, "ndim", 1) != 0


def iscomplexobj(x: Any) -> bool:
    """Whether the dtype is complex.

    >>> import minijax.numpy as jnp
    >>> jnp.iscomplexobj(1j)
    True
    """
    if x is None:
        return False
    if not is_arraylike(x) and not hasattr(x, "dtype"):
        return np.iscomplexobj(x)
    return dtypes.dtype_of(x) in dtypes.COMPLEXES


def isrealobj(x: Any) -> bool:
    """Whether the dtype is not complex.

    >>> import minijax.numpy as jnp
    >>> jnp.isrealobj(1.0)
    True
    """
    return not iscomplexobj(x)


# --- dtypes ---------------------------------------------------------------------------


def result_type(*args: Any) -> Any:
    """The dtype that arithmetic between arrays, numbers and dtypes gives.

    >>> import minijax.numpy as jnp
    >>> jnp.result_type(jnp.int8, 1.0)
    dtype('float32')

    Raises:
      ValueError: no arguments, or no common dtype.
    """
    return dtypes.result_type(*args)


def promote_types(a: Any, b: Any) -> Any:
    """The common dtype of two dtypes.

    >>> import minijax.numpy as jnp
    >>> jnp.promote_types("int8", "uint8")
    dtype('int16')
    """
    return dtypes.promote_types(a, b)


def issubdtype(arg1: Any, arg2: Any) -> bool:
    """Whether a dtype is of a kind, or is the other dtype.

    >>> import minijax.numpy as jnp
    >>> jnp.issubdtype(jnp.bfloat16, jnp.floating)
    True
    """
    return dtypes.issubdtype(arg1, arg2)


_KINDS = {
    "bool": frozenset({dtypes.BOOL}),
    "signed integer": dtypes.SIGNED,
    "unsigned integer": dtypes.UNSIGNED,
    "integral": dtypes.INTEGERS,
    "real floating": dtypes.FLOATS,
    "complex floating": dtypes.COMPLEXES,
    "numeric": dtypes.NUMERIC,
}


def isdtype(dtype: Any, kind: Any) -> bool:
    """Whether a dtype is of a kind by its array API name, a dtype, or one of several.

    >>> import minijax.numpy as jnp
    >>> jnp.isdtype(jnp.float32, "real floating")
    True

    Raises:
      ValueError: an unknown name.
    """
    found = dtypes.to_dtype(dtype)
    kinds = kind if isinstance(kind, tuple) else (kind,)
    return any(_is_kind(found, one) for one in kinds)


def _is_kind(found: Any, kind: Any) -> bool:
    if isinstance(kind, str) and kind in _KINDS:
        return found in _KINDS[kind]
    try:
        return found == dtypes.to_dtype(kind)
    except TypeError as error:
        raise ArgumentValueError(
            f"A kind is a dtype or one of {', '.join(map(repr, _KINDS))}.",
            f"Found {kind!r}.",
        ) from error


def can_cast(from_: Any, to: Any, casting: str = "safe") -> bool:
    """Whether NumPy's rules allow a conversion between dtypes.

    >>> import minijax.numpy as jnp
    >>> jnp.can_cast("int8", "float32")
    True
    """
    rule: Any = casting
    return np.can_cast(dtypes.to_dtype(from_), dtypes.to_dtype(to), rule)


class finfo:
    """The limits of a float dtype, as NumPy's `finfo`, also for small floats.

    >>> import minijax.numpy as jnp
    >>> print(jnp.finfo(jnp.bfloat16).eps)
    0.0078125
    """

    def __new__(cls, dtype: Any) -> Any:
        if isinstance(dtype, bool | int | float | complex):
            raise ArgumentTypeError("finfo takes a dtype.", f"Found {dtype!r}.")
        return dtypes.finfo(_described(dtype))


class iinfo:
    """The limits of an integer dtype, as NumPy's `iinfo`, also for small integers.

    >>> import minijax.numpy as jnp
    >>> print(jnp.iinfo("int4").max)
    7
    """

    def __new__(cls, dtype: Any) -> Any:
        if isinstance(dtype, int) and not isinstance(dtype, bool):
            return dtypes.iinfo(dtypes.default_int())
        return dtypes.iinfo(_described(dtype))


def _described(dtype: Any) -> Any:
    found = (
        dtype if isinstance(dtype, str | type | np.dtype) else dtypes.dtype_of(dtype)
    )
    return dtypes.to_dtype(found)


# --- equality -------------------------------------------------------------------------


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Array:
    """Whether two arrays have one shape and equal elements: bool[].

    >>> import minijax.numpy as jnp
    >>> print(jnp.array_equal(jnp.arange(3), jnp.arange(3)))
    True
    """
    pair = _as_arrays(a1, a2)
    if pair is None:
        return asarray(False)
    x, y = pair
    if typeof(x).shape != typeof(y).shape:
        return asarray(False)
    return _all_equal(x, y, bool(equal_nan))


def array_equiv(a1: Any, a2: Any) -> Array:
    """Whether two arrays broadcast to equal ones: bool[].

    >>> import minijax.numpy as jnp
    >>> print(jnp.array_equiv(jnp.ones(3), 1.0))
    True
    """
    pair = _as_arrays(a1, a2)
    if pair is None:
        return asarray(False)
    x, y = pair
    try:
        lax.broadcast_shapes(typeof(x).shape, typeof(y).shape)
    except ValueError:
        return asarray(False)
    return _all_equal(x, y, False)


def _as_arrays(a1: Any, a2: Any) -> tuple[Any, Any] | None:
    try:
        return asarray(a1), asarray(a2)
    except (TypeError, ValueError):
        return None


@eager_jit(static_argnums=2)
def _all_equal(x: Any, y: Any, equal_nan: bool) -> Any:
    x, y, dtype = two("array_equal", JOIN, x, y)
    same = lax.eq(x, y)
    if equal_nan and dtype in dtypes.INEXACT:
        same = lax.bitwise_or(same, lax.bitwise_and(lax.ne(x, x), lax.ne(y, y)))
    return lax.reduce_and(same, tuple(range(typeof(same).ndim)))


# --- text and files -------------------------------------------------------------------


def array_repr(
    arr: Any,
    max_line_width: Any = None,
    precision: Any = None,
    suppress_small: Any = None,
) -> str:
    """The elements as text, as NumPy's `array_repr`.

    >>> import minijax.numpy as jnp
    >>> jnp.array_repr(jnp.arange(2))
    'ArrayImpl([0, 1], dtype=int32)'
    """
    return np.array_repr(arr, max_line_width, precision, suppress_small)


def array_str(
    a: Any,
    max_line_width: Any = None,
    precision: Any = None,
    suppress_small: Any = None,
) -> str:
    """The elements as NumPy prints them.

    >>> import minijax.numpy as jnp
    >>> jnp.array_str(jnp.arange(2))
    '[0 1]'
    """
    return np.array_str(a, max_line_width, precision, suppress_small)


def load(file: Any, *args: Any, **kwargs: Any) -> Any:
    """An array from a `.npy` file; a `.npz` file as NumPy gives it."""
    found = np.load(file, *args, **kwargs)
    if isinstance(found, np.ndarray):
        if found.dtype == np.dtype("V2"):
            found = found.view(dtypes.bfloat16)  # how NumPy writes that dtype
        return asarray(found)
    return found


def frombuffer(
    buffer: Any, dtype: Any = float, count: int = -1, offset: int = 0
) -> Array:
    """An array from the bytes of a buffer.

    >>> import minijax.numpy as jnp
    >>> print(jnp.frombuffer(b"ab", dtype="uint8"))
    [97 98]
    """
    return asarray(np.frombuffer(buffer, dtypes.to_dtype(dtype), count, offset))


def fromstring(string: str, dtype: Any = float, count: int = -1, *, sep: str) -> Array:
    """An array from numbers in a text.

    >>> import minijax.numpy as jnp
    >>> print(jnp.fromstring("1 2", sep=" "))
    [1. 2.]
    """
    return asarray(np.fromstring(string, dtypes.to_dtype(dtype), count, sep=sep))


def fromfile(*args: Any, **kwargs: Any) -> Any:
    """Refused: a file may change between reads. Raises: NotImplementedError."""
    raise NotSupportedError(
        "Reading is no function of its arguments.",
        "Found a call of fromfile.",
        "Use `asarray(numpy.fromfile(...))`.",
    )


def fromiter(*args: Any, **kwargs: Any) -> Any:
    """Refused: an iterator is used up. Raises: NotImplementedError."""
    raise NotSupportedError(
        "Reading is no function of its arguments.",
        "Found a call of fromiter.",
        "Use `asarray(numpy.fromiter(...))`.",
    )


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Array:
    """An array of another library, through the DLPack protocol.

    >>> import minijax.numpy as jnp, numpy as np
    >>> print(jnp.from_dlpack(np.arange(2, dtype=np.int32)))
    [0 1]
    """
    host = np.from_dlpack(x) if not isinstance(x, np.ndarray) else x
    return asarray(host, copy=bool(copy), device=device)


save, savez = np.save, np.savez
set_printoptions, get_printoptions = np.set_printoptions, np.get_printoptions
printoptions = np.printoptions
ComplexWarning = np.exceptions.ComplexWarning
