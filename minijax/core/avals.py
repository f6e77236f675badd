"""Abstract values: the types of traced values, interned.

A `ShapedArray` exists once per content, so equality is identity and hashing is free;
every cache above relies on it. `typeof` asks one table, `aval_makers`, keyed by exact
type; whoever owns a type enters it there.

Source: spec/tracing.md §1.
"""

from __future__ import annotations

import enum
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..base import dtypes, flags
from ..base.errors import ArgumentTypeError, NotAnArrayError
from ..base.util import weak_value_interner


class Space(enum.Enum):
    """The memory that holds an array: of the device, of the host, or either."""

    Device = "device"
    Host = "pinned_host"
    Any = "any"

    # Every type is looked up by its space: that of `enum` is written in Python.
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"Space.{self.name}"


class AbstractValue:
    """Base of all types of traced values."""

    __slots__ = ("__weakref__",)

    def to_tangent_aval(self) -> AbstractValue:
        """The type of this value's tangent."""
        raise NotImplementedError(f"{type(self).__name__} has no tangent type")

    def strip_weak_type(self) -> AbstractValue:
        """The same type without the weak mark."""
        return self

    def str_short(self, short_dtypes: bool = False) -> str:
        """The type as jaxprs print it."""
        return repr(self)


class AbstractToken(AbstractValue):
    """The type of a token, which only orders effects."""

    __slots__ = ()

    def to_tangent_aval(self) -> AbstractValue:
        return self

    def str_short(self, short_dtypes: bool = False) -> str:
        return "Tok"

    def __repr__(self) -> str:
        return "AbstractToken()"


token_aval = AbstractToken()


class ShapedArray(AbstractValue):
    """The type of an array: `f32[2,3]`. Interned and immutable.

    shape: tuple of ints. dtype: numpy or extended dtype. weak_type: came from a Python
    scalar and yields to any strong type. sharding, vma (mesh axes along which the
    value varies) and memory_space complete the type.

    >>> import minijax as mj
    >>> mj.core.ShapedArray((2, 3), "float32")
    ShapedArray(float32[2,3])
    """

    __slots__ = (
        "_tangent",
        "dtype",
        "memory_space",
        "ndim",
        "shape",
        "sharding",
        "size",
        "vma",
        "weak_type",
    )
    shape: tuple[int, ...]
    dtype: Any
    weak_type: bool
    sharding: Any
    vma: frozenset[str]
    memory_space: Space
    ndim: int
    size: int
    _tangent: ShapedArray | None  # None until it is asked for

    def __new__(
        cls,
        shape: int | Sequence[int],
        dtype: Any,
        weak_type: bool = False,
        *,
        sharding: Any = None,
        vma: frozenset[str] = frozenset(),
        memory_space: Space = Space.Device,
    ) -> ShapedArray:
        if not isinstance(dtype, np.dtype | dtypes.ExtendedDType):
            dtype = np.dtype(dtype)
        shape = canonical_shape(shape)
        return intern_aval(shape, dtype, bool(weak_type), sharding, vma, memory_space)

    def update(self, **fields: Any) -> ShapedArray:
        """A copy with some fields replaced."""
        own = {name: getattr(self, name) for name in _FIELDS}
        return ShapedArray(**{**own, **fields})

    def strip_weak_type(self) -> ShapedArray:
        return self.update_weak_type(False)

    def update_weak_type(self, weak_type: bool) -> ShapedArray:
        """The same type with the weak mark set to `weak_type`."""
        if self.weak_type is weak_type:
            return self
        return intern_aval(
            self.shape,
            self.dtype,
            weak_type,
            self.sharding,
            self.vma,
            self.memory_space,
        )

    def to_tangent_aval(self) -> ShapedArray:
        tangent = self._tangent
        if tangent is None:
            if self.dtype in dtypes.INEXACT:
                return self  # not stored: an aval that held itself would never die
            tangent = self.update(dtype=dtypes.float0, weak_type=False)
            object.__setattr__(self, "_tangent", tangent)
        return tangent

    def to_cotangent_aval(self) -> ShapedArray:
        """The type of this value's cotangent."""
        return self.to_tangent_aval()

    def str_short(self, short_dtypes: bool = False) -> str:
        name = (
            dtypes.short_name(self.dtype)
            if short_dtypes
            else dtypes.name_of(self.dtype)
        )
        space = (
            ""
            if self.memory_space is Space.Device
            else f"<{self.memory_space.name.lower()}>"
        )
        dims = ",".join(map(str, self.shape))
        return f"{name}{space}[{dims}]{self._vma_text()}"

    def _vma_text(self) -> str:
        if not self.vma:
            return ""
        names = sorted(self.vma)
        return f"{{V:{names[0]}}}" if len(names) == 1 else f"{{V:({','.join(names)})}}"

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"avals are immutable: use aval.update({name}=…)")

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of a scalar type")
        return self.shape[0]

    def __str__(self) -> str:
        return ("~" if self.weak_type else "") + self.str_short()

    def __repr__(self) -> str:
        weak = ", weak_type=True" if self.weak_type else ""
        return f"ShapedArray({self.str_short()}{weak})"

    def __copy__(self) -> ShapedArray:
        return self

    def __deepcopy__(self, memo: Any) -> ShapedArray:
        return self

    def __reduce__(self) -> Any:
        return _rebuild, tuple(getattr(self, name) for name in _FIELDS)


_FIELDS = ("shape", "dtype", "weak_type", "sharding", "vma", "memory_space")


def _rebuild(*fields: Any) -> ShapedArray:
    return ShapedArray(**dict(zip(_FIELDS, fields, strict=True)))


def _make_aval(
    shape: tuple[int, ...],
    dtype: Any,
    weak_type: bool,
    sharding: Any,
    vma: frozenset[str],
    memory_space: Space,
) -> ShapedArray:
    aval = object.__new__(ShapedArray)
    write = object.__setattr__
    write(aval, "shape", shape)
    write(aval, "dtype", dtype)
    write(aval, "weak_type", weak_type)
    write(aval, "sharding", sharding)
    write(aval, "vma", vma)
    write(aval, "memory_space", memory_space)
    write(aval, "ndim", len(shape))
    size = 1
    for dim in shape:
        size *= dim
    write(aval, "size", size)
    write(aval, "_tangent", None)
    return aval


# The interner compares by `==`; `canonical_shape` and `bool()` keep 1 and True apart.
intern_aval: Callable[..., ShapedArray] = weak_value_interner(_make_aval)
_NO_AXES: frozenset[str] = frozenset()


def shaped(shape: tuple[int, ...], dtype: Any, weak_type: bool = False) -> ShapedArray:
    """`ShapedArray` of checked fields: shape and dtype are canonical, as in rules."""
    return intern_aval(shape, dtype, weak_type, None, _NO_AXES, Space.Device)


def canonical_shape(shape: int | Sequence[int]) -> tuple[int, ...]:
    """`shape` as a tuple of Python ints; an int is a 1-tuple. Raises: TypeError."""
    if type(shape) is tuple and all(type(dim) is int for dim in shape):
        return shape
    try:
        if isinstance(shape, int | np.integer):
            return (operator.index(shape),)
        if isinstance(shape, str):
            raise TypeError
        return tuple(operator.index(dim) for dim in shape)
    except TypeError as error:
        raise ArgumentTypeError(
            "A shape is a sequence of integers.", f"Found {shape!r}."
        ) from error


# type -> aval of a value of exactly that type
aval_makers: dict[type, Callable[[Any], AbstractValue]] = {}


def typeof(x: Any) -> Any:
    """The type of an array, tracer, numpy value or Python scalar.

    Raises: TypeError when `x` is nothing a program can hold.

    >>> import minijax as mj
    >>> print(mj.typeof(1.0))
    ~float32[]
    """
    maker = aval_makers.get(type(x))
    return _typeof_subclass(x) if maker is None else maker(x)


def _typeof_subclass(x: Any) -> Any:
    for base in type(x).__mro__[1:]:
        maker = aval_makers.get(base)
        if maker is not None:
            return maker(x)
    if hasattr(x, "__jax_array__"):
        raise ValueError(
            f"a value of type {type(x).__name__} was given where an array is needed.\n"
            "It only converts through `__jax_array__`: call that yourself, or register "
            "the type as a pytree."
        )
    raise NotAnArrayError(type(x).__name__)


def is_array_type(x: Any) -> bool:
    """Whether `typeof(x)` has an answer."""
    kind = type(x)
    if kind in aval_makers and kind is not np.ndarray:
        return True
    try:
        typeof(x)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def _numpy_aval(x: Any) -> ShapedArray:
    dtype = dtypes.canonicalize_dtype(x.dtype)
    if dtype not in dtypes.ARRAY_DTYPES and dtype != dtypes.float0:
        dtypes.check_array_dtype(dtype, "an array")
    return intern_aval(x.shape, dtype, False, None, _NO_AXES, Space.Device)


_SCALAR_AVALS: dict[tuple[type, bool], ShapedArray] = {}


def _python_scalar_maker(kind: type) -> Callable[[Any], ShapedArray]:
    def make(x: Any) -> ShapedArray:
        key = (kind, flags.enable_x64.value)
        aval = _SCALAR_AVALS.get(key)
        if aval is None:
            dtype = dtypes.python_scalar_dtype(kind)
            aval = _SCALAR_AVALS[key] = shaped((), dtype, kind is not bool)
        return aval

    return make


aval_makers[np.ndarray] = _numpy_aval
for _kind in (bool, int, float, complex):
    aval_makers[_kind] = _python_scalar_maker(_kind)


def _numpy_scalar_maker(dtype: Any) -> Callable[[Any], ShapedArray]:
    made: dict[bool, ShapedArray] = {}

    def make(x: Any) -> ShapedArray:
        x64 = flags.enable_x64.value
        aval = made.get(x64)
        if aval is None:
            aval = made[x64] = shaped((), dtypes.canonicalize_dtype(dtype))
        return aval

    return make


for _dtype in dtypes.ARRAY_DTYPES:
    aval_makers[_dtype.type] = _numpy_scalar_maker(_dtype)
aval_makers[np.void] = _numpy_aval  # an element of a float0 array


class ShapeDtypeStruct:
    """Shape and dtype of an array without its data. Immutable and hashable.

    >>> import minijax as mj
    >>> mj.ShapeDtypeStruct((2,), "float32")
    ShapeDtypeStruct(shape=(2,), dtype=float32)
    """

    __slots__ = ("dtype", "shape", "sharding", "weak_type")
    shape: tuple[int, ...]
    dtype: Any
    sharding: Any
    weak_type: bool

    def __init__(
        self, shape: Any, dtype: Any, *, sharding: Any = None, weak_type: bool = False
    ) -> None:
        if dtype is None:
            raise ValueError("a ShapeDtypeStruct needs a dtype, and None was given")
        if shape is None or any(
            dim is None for dim in np.atleast_1d(np.array(shape, object))
        ):
            raise ValueError(
                f"a ShapeDtypeStruct needs a full shape, and {shape} was given"
            )
        if not isinstance(dtype, dtypes.ExtendedDType):
            dtype = np.dtype(dtype)
        write = object.__setattr__
        write(self, "shape", tuple(shape) if not isinstance(shape, int) else (shape,))
        write(self, "dtype", dtype)
        write(self, "sharding", sharding)
        write(self, "weak_type", bool(weak_type))

    def __setattr__(self, name: str, value: Any) -> None:
        raise RuntimeError(f"a ShapeDtypeStruct is immutable: use .update({name}=…)")

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64))

    def update(self, **fields: Any) -> ShapeDtypeStruct:
        """A copy with some fields replaced."""
        own = {name: getattr(self, name) for name in self.__slots__}
        return ShapeDtypeStruct(**{**own, **fields})

    @classmethod
    def like(cls, x: Any) -> ShapeDtypeStruct:
        """The struct that describes the array `x`."""
        aval = typeof(x)
        return cls(aval.shape, aval.dtype, weak_type=aval.weak_type)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of a scalar ShapeDtypeStruct")
        return self.shape[0]

    def _fields(self) -> tuple[Any, ...]:
        return self.shape, self.dtype, self.sharding, self.weak_type

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ShapeDtypeStruct) and self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash(self._fields())

    def __repr__(self) -> str:
        sharding = "" if self.sharding is None else f", sharding={self.sharding}"
        weak = ", weak_type=True" if self.weak_type else ""
        dtype = dtypes.name_of(self.dtype)
        return f"ShapeDtypeStruct(shape={self.shape}, dtype={dtype}{sharding}{weak})"


def _struct_aval(x: ShapeDtypeStruct) -> ShapedArray:
    dtype = dtypes.canonicalize_dtype(x.dtype, allow_extended_dtype=True)
    return shaped(canonical_shape(x.shape), dtype, x.weak_type)


aval_makers[ShapeDtypeStruct] = _struct_aval


def abstractify(x: Any) -> Any:
    """`typeof` that also takes an aval itself and anything with `shape` and `dtype`."""
    if isinstance(x, AbstractValue):
        return x
    try:
        return typeof(x)
    except (TypeError, ValueError):
        if not hasattr(x, "shape") or not hasattr(x, "dtype"):
            raise
    weak = bool(getattr(x, "weak_type", False))
    dtype = dtypes.canonicalize_dtype(x.dtype, allow_extended_dtype=True)
    return shaped(canonical_shape(x.shape), dtype, weak)
