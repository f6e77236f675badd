"""Which dtypes exist, and the families they form.

A dtype is a `np.dtype`, or an `ExtendedDType`, whose elements are small arrays of a
`np.dtype` (random keys). The rest of the story is in `dtypes.py`, which shows these
names too; they stand here because `lattice.py` needs them as well.
"""

from collections.abc import Iterable
from typing import Any

import ml_dtypes
import numpy as np

bfloat16 = ml_dtypes.bfloat16
float0 = np.dtype([("float0", np.void, 0)])  # the tangent of integers and booleans


class extended(np.generic):
    """Abstract scalar type above all extended dtypes, for `issubdtype`."""


class prng_key(extended):
    """Abstract scalar type above the dtypes of random keys, for `issubdtype`."""


class ExtendedDType:
    """A dtype whose elements are small arrays, e.g. random keys.

    An array of it of shape `s` is stored as `base_dtype[*s, *element_shape]`. Whoever
    adds a kind derives a class, sets `type` to a subclass of `extended`, and makes one
    object per dtype: they are compared by identity. `name` is what jaxprs print.
    """

    __slots__ = ("base_dtype", "element_shape", "name")

    type: type = extended

    def __init__(
        self, name: str, element_shape: tuple[int, ...], base_dtype: np.dtype
    ) -> None:
        self.name, self.element_shape, self.base_dtype = name, element_shape, base_dtype

    def filled(self, shape: tuple[int, ...], word: int) -> Any:
        """An array of this dtype whose data are `word` everywhere."""
        raise NotImplementedError(
            f"arrays of {self.name} have no numbers to be filled with"
        )

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return int(np.prod(self.element_shape)) * self.base_dtype.itemsize

    def __repr__(self) -> str:
        return self.name


type DType = np.dtype | ExtendedDType

_SIGNED = ("int2", "int4", "int8", "int16", "int32", "int64")
_UNSIGNED = ("uint2", "uint4", "uint8", "uint16", "uint32", "uint64")
SMALL_FLOAT_NAMES = (
    *("float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn"),
    *("float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"),
    *("float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn"),
)
_FLOATS = ("bfloat16", "float16", "float32", "float64")
_COMPLEXES = ("complex64", "complex128")


def _find_dtype(name: str) -> np.dtype:
    return np.dtype(getattr(ml_dtypes, name, None) or getattr(np, name))


# One-bit integers came late to ml_dtypes.
ONE_BIT_NAMES = tuple(name for name in ("int1", "uint1") if hasattr(ml_dtypes, name))

BY_NAME: dict[str, np.dtype] = {
    name: _find_dtype(name)
    for name in (
        *ONE_BIT_NAMES,
        *_SIGNED,
        *_UNSIGNED,
        *SMALL_FLOAT_NAMES,
        *_FLOATS,
        *_COMPLEXES,
    )
} | {"bool": np.dtype(bool)}


def _named(names: Iterable[str]) -> frozenset[np.dtype]:
    return frozenset(BY_NAME[name] for name in names)


BOOL = np.dtype(bool)
SIGNED = _named(name for name in (*ONE_BIT_NAMES, *_SIGNED) if name.startswith("int"))
UNSIGNED = _named(
    name for name in (*ONE_BIT_NAMES, *_UNSIGNED) if name.startswith("uint")
)
INTEGERS = SIGNED | UNSIGNED
SMALL_FLOATS = _named(SMALL_FLOAT_NAMES)
FLOATS = _named(_FLOATS) | SMALL_FLOATS
COMPLEXES = _named(_COMPLEXES)
INEXACT = FLOATS | COMPLEXES
NUMERIC = INTEGERS | INEXACT
# What an array of numbers can have; beside these: float0 and extended dtypes.
ARRAY_DTYPES = NUMERIC | {BOOL}

PYTHON_SCALARS: dict[type, np.dtype] = {
    bool: np.dtype(bool),
    int: np.dtype(np.int64),
    float: np.dtype(np.float64),
    complex: np.dtype(np.complex128),
}
python_scalar_types = frozenset(PYTHON_SCALARS)

TO_32_BITS: dict[Any, np.dtype] = {
    np.dtype(np.int64): np.dtype(np.int32),
    np.dtype(np.uint64): np.dtype(np.uint32),
    np.dtype(np.float64): np.dtype(np.float32),
    np.dtype(np.complex128): np.dtype(np.complex64),
}


def name_of(dtype: DType) -> str:
    """The full name: `float32`, `bfloat16`, `float0`, `key<fry>`."""
    return "float0" if dtype == float0 else dtype.name
