"""Dtypes: which exist, what they are called, their order, and type promotion.

A dtype is a `np.dtype`, or an `ExtendedDType`, whose elements are small arrays of a
`np.dtype` (random keys). *Weak* is what Python scalars are: their dtype yields to that
of an array. Rules of this file:

1. Every dtype that leaves it is a `np.dtype` or an `ExtendedDType`, never a name.
2. Without 64-bit types a Python scalar, NumPy value or requested dtype shrinks to its
   32-bit sibling; the dtype of a device array is a fact and stays.
3. Booleans are never weak.
4. What the options can change is looked up by their value, so nothing is cleared.
"""

import os
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import ml_dtypes
import numpy as np

from . import flags
from .errors import (
    ArgumentTypeError,
    ArgumentValueError,
    IntegerOverflowError,
    InvalidDTypeError,
    X64RequestError,
    X64TruncationWarning,
    x64_text,
)
from .families import (
    ARRAY_DTYPES,
    BOOL,
    BY_NAME,
    COMPLEXES,
    FLOATS,
    INEXACT,
    INTEGERS,
    NUMERIC,
    PYTHON_SCALARS,
    SIGNED,
    SMALL_FLOATS,
    TO_32_BITS,
    UNSIGNED,
    DType,
    ExtendedDType,
    bfloat16,
    extended,
    float0,
    name_of,
    prng_key,
    python_scalar_types,
)
from .lattice import join, weak_node

__all__ = [
    "ARRAY_DTYPES",
    "BOOL",
    "COMPLEXES",
    "FLOATS",
    "INEXACT",
    "INTEGERS",
    "NUMERIC",
    "SIGNED",
    "SMALL_FLOATS",
    "UNSIGNED",
    "DType",
    "ExtendedDType",
    "Kind",
    "bfloat16",
    "canonicalize_dtype",
    "check_array_dtype",
    "check_int_fits",
    "default_complex",
    "default_float",
    "default_int",
    "dtype_of",
    "extended",
    "finfo",
    "float0",
    "iinfo",
    "is_array_dtype",
    "is_extended",
    "is_weakly_typed",
    "issubdtype",
    "itemsize_bits",
    "join_kinds",
    "kind_of",
    "lattice_result_type",
    "name_of",
    "physical_dtype",
    "physical_shape",
    "prng_key",
    "promote_types",
    "python_scalar_dtype",
    "python_scalar_types",
    "read_as_strong",
    "requested_dtype",
    "result_type",
    "scalar_type_of",
    "short_name",
    "to_complex_dtype",
    "to_dtype",
    "to_inexact_dtype",
    "to_real_dtype",
    "to_tangent_dtype",
]


def is_array_dtype(dtype: Any) -> bool:
    """Whether an array can have this dtype: numbers, bool, float0, extended."""
    return dtype in ARRAY_DTYPES or isinstance(dtype, ExtendedDType) or dtype == float0


def is_extended(dtype: Any) -> bool:
    """Whether `dtype` is an `ExtendedDType`."""
    return isinstance(dtype, ExtendedDType)


# A warning is about the first line outside of the package.
_PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep

# --- From a description to a dtype ----------------------------------------------------


def to_dtype(dtype: Any) -> Any:
    """The dtype that a name, a scalar type, a NumPy or extended dtype describes.

    Nothing shrinks and every NumPy dtype passes.

    >>> to_dtype("bfloat16"), to_dtype(float)
    (dtype(bfloat16), dtype('float64'))

    Raises:
      TypeError: it describes no dtype.
    """
    if isinstance(dtype, (np.dtype, ExtendedDType)):
        return dtype
    if isinstance(dtype, str) and dtype in BY_NAME:
        return BY_NAME[dtype]
    own = getattr(dtype, "dtype", None)  # scalar types made of a dtype
    if isinstance(own, (np.dtype, ExtendedDType)):
        return own
    return np.dtype(dtype)


# Keyed by what was asked for, which may be a name or a type; by x64.
_canonical: tuple[dict[Any, DType], dict[Any, DType]] = ({}, {})


def canonicalize_dtype(dtype: Any, allow_extended_dtype: bool = False) -> Any:
    """The dtype that an array gets when this one is asked for or found in NumPy data.

    Without 64-bit types the 32-bit sibling, else the dtype itself.

    >>> canonicalize_dtype("float64")
    dtype('float32')

    Raises:
      TypeError: it describes no dtype.
      ValueError: an extended dtype where that is not allowed.
    """
    x64 = flags.enable_x64.value
    try:
        return _canonical[x64][dtype]
    except (KeyError, TypeError):
        pass
    found = to_dtype(dtype)
    if isinstance(found, ExtendedDType):
        if not allow_extended_dtype:
            raise ArgumentValueError(
                "A numeric or boolean dtype is needed here.",
                f"Found the extended dtype {found}.",
            )
        return found
    result = found if x64 else TO_32_BITS.get(found, found)
    if found in ARRAY_DTYPES and isinstance(dtype, (str, type, np.dtype)):
        _canonical[x64][dtype] = result
    return result


def default_int() -> np.dtype:
    """The dtype of a Python int: int32, with 64-bit types int64."""
    return _DEFAULTS[flags.enable_x64.value][int]


def default_float() -> np.dtype:
    """The dtype of a Python float: float32, with 64-bit types float64."""
    return _DEFAULTS[flags.enable_x64.value][float]


def default_complex() -> np.dtype:
    """The dtype of a Python complex: complex64, with 64-bit types complex128."""
    return _DEFAULTS[flags.enable_x64.value][complex]


_DEFAULTS: tuple[dict[type, np.dtype], dict[type, np.dtype]] = (
    {kind: TO_32_BITS.get(dtype, dtype) for kind, dtype in PYTHON_SCALARS.items()},
    PYTHON_SCALARS,
)


def python_scalar_dtype(kind: type) -> np.dtype:
    """The dtype of a Python scalar of type bool, int, float or complex."""
    return _DEFAULTS[flags.enable_x64.value][kind]


def requested_dtype(dtype: Any, function: str = "dtype") -> Any:
    """The dtype that is given when a user asks for one explicitly in `function`.

    A 64-bit one without 64-bit types: as `jax_explicit_x64_dtypes` says, a warning and
    the 32-bit sibling, an error, or the dtype itself. Python's `int`, `float` and
    `complex` mean the default width.

    Raises:
      TypeError: no dtype, or none that arrays have.
      ValueError: 64 bits, and `jax_explicit_x64_dtypes` is "error".
    """
    if dtype in python_scalar_types:
        return _DEFAULTS[flags.enable_x64.value][dtype]
    found = to_dtype(dtype)
    if not is_array_dtype(found):
        raise InvalidDTypeError(str(found), f"in {function}")
    smaller = TO_32_BITS.get(found)
    if smaller is None or flags.enable_x64.value:
        return found
    policy = flags.explicit_x64_dtypes.value
    if policy == "allow":
        return found
    if policy == "error":
        raise X64RequestError(str(found), function, str(smaller))
    text = x64_text(str(found), function, str(smaller))
    warnings.warn(text, X64TruncationWarning, skip_file_prefixes=(_PACKAGE,))
    return smaller


def check_array_dtype(dtype: Any, context: str = "") -> None:
    """Refuse a dtype no array can have. Raises: TypeError."""
    if not is_array_dtype(dtype):
        raise InvalidDTypeError(str(dtype), context)


def check_int_fits(value: int, dtype: np.dtype, path: str = "") -> None:
    """Refuse a Python int that an integer dtype cannot hold. `path`: whose argument.

    Raises:
      OverflowError: it does not fit.
    """
    if dtype in INTEGERS:
        bounds = ml_dtypes.iinfo(dtype)
        if not bounds.min <= value <= bounds.max:
            raise IntegerOverflowError(value, str(dtype), path)


# --- Names, sizes, kinds --------------------------------------------------------------

_short_names: dict[DType, str] = {}


def short_name(dtype: Any) -> str:
    """The name as jaxprs print it: `f32`, `bf16`, `u8`, `bool`, `key<fry>`."""
    try:
        return _short_names[dtype]
    except (KeyError, TypeError):
        pass
    found = to_dtype(dtype)
    name = name_of(found)
    if found in ARRAY_DTYPES:
        for long, short in (
            ("float", "f"),
            ("uint", "u"),
            ("int", "i"),
            ("complex", "c"),
        ):
            name = name.replace(long, short)
    if isinstance(dtype, (np.dtype, ExtendedDType)):
        _short_names[dtype] = name
    return name


def itemsize_bits(dtype: Any) -> int:
    """Bits of one number: 4 for int4, 8 for bool.

    Raises:
      ValueError: not a numeric or boolean dtype.
    """
    found = to_dtype(dtype)
    if isinstance(found, np.dtype):
        found = found.newbyteorder("=")
    if found == BOOL:
        return 8
    if found in INTEGERS:
        return ml_dtypes.iinfo(found).bits
    if found in COMPLEXES:
        return 8 * found.itemsize
    if found in FLOATS:
        return ml_dtypes.finfo(found).bits
    raise ArgumentValueError(
        "The bits of a numeric or boolean dtype are asked for.", f"Found {found}."
    )


# As NumPy's, for all of our dtypes.
finfo = ml_dtypes.finfo
iinfo = ml_dtypes.iinfo


def scalar_type_of(x: Any) -> type:
    """The Python type for the kind of `x`, a value or a dtype: bool, int, float, …

    Raises:
      TypeError: no such type.
    """
    described = isinstance(x, (str, type, np.dtype))
    dtype = to_dtype(x) if described else dtype_of(x)
    for kind, members in (
        (bool, {BOOL}),
        (int, INTEGERS),
        (float, FLOATS),
        (complex, COMPLEXES),
    ):
        if dtype in members:
            return kind
    raise ArgumentTypeError(
        "The Python scalar type for a numeric or boolean dtype is asked for.",
        f"Found {x!r}.",
    )


def to_inexact_dtype(dtype: Any) -> Any:
    """The float dtype in which a function of integers answers; others stay.

    float64 for 64-bit integers, else float32 (bool and small integers as well).
    """
    found = to_dtype(dtype)
    if found in INEXACT or found == float0 or isinstance(found, ExtendedDType):
        return found
    return np.dtype(np.float64 if found.itemsize == 8 else np.float32)


def to_real_dtype(dtype: Any) -> Any:
    """The dtype of the parts of a complex dtype; others stay."""
    found = to_dtype(dtype)
    return _REAL.get(found, found)


def to_complex_dtype(dtype: Any) -> Any:
    """complex128 for 64-bit numbers, else complex64."""
    found = to_dtype(dtype)
    if found in COMPLEXES:
        return found
    return np.dtype(np.complex128 if found.itemsize == 8 else np.complex64)


_REAL: dict[Any, np.dtype] = {
    np.dtype(np.complex64): np.dtype(np.float32),
    np.dtype(np.complex128): np.dtype(np.float64),
}


def to_tangent_dtype(dtype: Any) -> DType:
    """The dtype of tangents: that of an inexact dtype is itself, of others float0."""
    return dtype if dtype in INEXACT else float0


def physical_dtype(dtype: DType) -> np.dtype:
    """The dtype under an extended dtype; others stay."""
    return dtype.base_dtype if isinstance(dtype, ExtendedDType) else dtype


def physical_shape(shape: tuple[Any, ...], dtype: DType) -> tuple[Any, ...]:
    """The shape of the data under an array of this dtype."""
    return (*shape, *dtype.element_shape) if isinstance(dtype, ExtendedDType) else shape


# Abstract types of NumPy -> our dtypes of that kind that NumPy does not count.
_OURS_BY_KIND: dict[type, frozenset[np.dtype]] = {
    np.signedinteger: SIGNED,
    np.unsignedinteger: UNSIGNED,
    np.integer: INTEGERS,
    np.floating: FLOATS,
    np.complexfloating: COMPLEXES,
    np.inexact: INEXACT,
    np.number: NUMERIC,
    np.generic: ARRAY_DTYPES,
}


def _is_abstract(x: Any) -> bool:
    return isinstance(x, type) and (x in _ABSTRACT or issubclass(x, extended))


def _scalar_type(x: Any) -> tuple[type, DType | None]:
    # An abstract type stands for itself and has no dtype.
    if _is_abstract(x):
        return x, None
    found = to_dtype(x)
    return found.type, found


_ABSTRACT = frozenset((*_OURS_BY_KIND, np.flexible, np.character))

_subdtype: dict[tuple[Any, Any], bool] = {}


def issubdtype(a: Any, b: Any) -> bool:
    """Whether dtype or abstract type `a` lies below `b`; ours count as NumPy's do.

    >>> issubdtype("bfloat16", np.floating)
    True
    >>> issubdtype(prng_key, np.number)
    False

    Raises:
      TypeError: `a` or `b` describes no dtype.
    """
    try:
        return _subdtype[a, b]
    except (KeyError, TypeError):
        pass
    a_type, a_dtype = _scalar_type(a)
    b_type, b_dtype = _scalar_type(b)
    if b_dtype is not None:
        # Below a concrete dtype lies only itself; numpy compares the scalar types.
        answer = a_dtype is not None and (
            a_dtype is b_dtype if is_extended(b_dtype) else a_type is b_type
        )
    elif a_dtype in ARRAY_DTYPES and b_type in _OURS_BY_KIND:
        answer = a_dtype in _OURS_BY_KIND[b_type]
    else:
        answer = issubclass(a_type, b_type)
    if isinstance(a, (np.dtype, type)) and isinstance(b, (np.dtype, type)):
        _subdtype[a, b] = answer
    return answer


# --- Joining kinds --------------------------------------------------------------------

type Kind = tuple[Any, bool]  # a dtype, and whether it is weak


def _join_kinds(kinds: Iterable[Kind], *, strict: bool, x64: bool) -> Kind:
    distinct = list(dict.fromkeys(kinds))
    all_weak = all(weak for _, weak in distinct)
    if len(distinct) == 1:
        dtype, weak = distinct[0]
        return (
            (dtype if x64 else TO_32_BITS.get(dtype, dtype), True)
            if weak
            else (
                dtype,
                False,
            )
        )
    if all_weak and not strict:
        nodes = {dtype for dtype, _ in distinct}
    else:
        nodes = {weak_node(dtype) if weak else dtype for dtype, weak in distinct}
    node = join(nodes, strict=strict, x64=x64)
    if isinstance(node, type):
        return _DEFAULTS[x64][node], True
    if all_weak and not x64:
        node = TO_32_BITS.get(node, node)
    return node, all_weak and node != BOOL


# Answers by operand kinds; one table per (strict, x64).
_joined: tuple[tuple[dict[Any, Kind], dict[Any, Kind]], ...] = (({}, {}), ({}, {}))


def join_kinds(*kinds: Kind) -> Kind:
    """The common (dtype, weak) of some (dtype, weak); remembered.

    >>> join_kinds((np.dtype("int8"), False), (np.dtype("float32"), True))
    (dtype('float32'), True)

    Raises:
      ValueError: there is none (`TypePromotionError`).
    """
    strict = flags.numpy_dtype_promotion.value == "strict"
    x64 = flags.enable_x64.value
    table = _joined[strict][x64]
    try:
        return table[kinds]
    except KeyError:
        answer = table[kinds] = _join_kinds(kinds, strict=strict, x64=x64)
        return answer


# --- Reading operands -----------------------------------------------------------------


def _read_python_scalar(x: Any) -> Kind:
    kind = type(x)
    return _DEFAULTS[flags.enable_x64.value][kind], kind is not bool


def _read_python_scalar_subclass(x: Any) -> Kind:
    kind = next(base for base in type(x).__mro__ if base in python_scalar_types)
    return _DEFAULTS[flags.enable_x64.value][kind], kind is not bool


def _read_numpy(x: Any) -> Kind:
    dtype = canonicalize_dtype(x.dtype)
    if dtype not in ARRAY_DTYPES and dtype != float0:
        raise InvalidDTypeError(str(dtype))
    return dtype, False


def _read_weak_aware(x: Any) -> Kind:
    return x.dtype, bool(x.weak_type)


def _read_strong(x: Any) -> Kind:
    return x.dtype, False


def _read_description(x: Any) -> Kind:
    """`x` is a name, a type or a dtype: as if an array of this dtype were given."""
    if x in python_scalar_types:
        return _DEFAULTS[flags.enable_x64.value][x], x is not bool
    return requested_dtype(x, "dtype"), False


# How to read a value of this type; filled as types are met.
_readers: dict[type, Callable[[Any], Kind]] = dict.fromkeys(
    python_scalar_types, _read_python_scalar
)


def read_as_strong(cls: type) -> type:
    """Declare that values of `cls` count as strong whatever their `weak_type` says."""
    _readers[cls] = _read_strong
    return cls


def _reader_for(x: Any) -> Callable[[Any], Kind]:
    cls = type(x)
    if isinstance(x, (str, type, np.dtype, ExtendedDType)) or x is None:
        reader = _read_description
    elif isinstance(getattr(x, "weak_type", None), (bool, np.bool_)):
        reader = _read_weak_aware
    elif isinstance(x, (np.ndarray, np.generic)):
        reader = _read_numpy
    elif isinstance(x, (bool, int, float, complex)):
        reader = _read_python_scalar_subclass
    elif isinstance(getattr(x, "dtype", None), (np.dtype, ExtendedDType)):
        is_numpy = hasattr(x, "__array__") and isinstance(x.dtype, np.dtype)
        reader = _read_numpy if is_numpy else _read_strong
    else:
        raise ArgumentTypeError(
            "A value with a dtype, or a dtype, is needed.",
            f"Found {x!r} of type {cls.__name__}.",
        )
    _readers[cls] = reader
    return reader


def kind_of(x: Any) -> Kind:
    """(dtype, weak) of a value, an aval or anything that describes a dtype.

    >>> kind_of(1.0), kind_of(np.float64(1.0))
    ((dtype('float32'), True), (dtype('float32'), False))

    Raises:
      TypeError: `x` has no dtype, or one that no array has.
    """
    reader = _readers.get(type(x)) or _reader_for(x)
    return reader(x)


def dtype_of(x: Any) -> DType:
    """The dtype of a value, an aval or anything that describes a dtype."""
    return kind_of(x)[0]


def is_weakly_typed(x: Any) -> bool:
    """Whether `x` is a Python number, or an array that came of Python numbers only."""
    return kind_of(x)[1]


# --- Promotion ------------------------------------------------------------------------


def lattice_result_type(*args: Any) -> Kind:
    """The common (dtype, weak) of values, avals and dtypes.

    Raises:
      TypeError: an argument has no dtype.
      ValueError: no argument, or no common dtype (`TypePromotionError`).
    """
    if not args:
        raise ArgumentValueError("A common dtype needs at least one array or dtype.")
    return join_kinds(*[kind_of(x) for x in args])


def result_type(*args: Any, return_weak_type_flag: bool = False) -> Any:
    """The dtype that arithmetic between the arguments gives.

    Arguments are arrays, Python numbers and dtypes. With `return_weak_type_flag` the
    result is (dtype, weak).

    >>> result_type("int8", 1.0)
    dtype('float32')

    Raises:
      TypeError: an argument has no dtype.
      ValueError: no argument, or no common dtype (`TypePromotionError`).
    """
    kind = lattice_result_type(*args)
    return kind if return_weak_type_flag else kind[0]


def promote_types(a: Any, b: Any) -> np.dtype:
    """The common dtype of two dtypes, whose widths count as they are written.

    Python's `int`, `float` and `complex` are weak.

    >>> promote_types("int8", "uint8"), promote_types("bfloat16", float)
    (dtype('int16'), dtype(bfloat16))

    Raises:
      TypeError: an argument describes no dtype.
      ValueError: no common dtype (`TypePromotionError`).
    """
    strict = flags.numpy_dtype_promotion.value == "strict"
    nodes = {x if x in (int, float, complex) else to_dtype(x) for x in (a, b)}
    node = join(nodes, strict=strict, x64=flags.enable_x64.value)
    return PYTHON_SCALARS[node] if isinstance(node, type) else node
