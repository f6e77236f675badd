"""How the operands of one function become operands of one primitive.

A function of several arrays joins their dtypes, converts each operand, and gives all
that have axes the same number of them. What has to be done depends on the types alone,
so it is worked out once per combination of types and remembered as a `Plan`; applying
a plan is a lookup and at most two calls per operand.

Rules:
1. A Python scalar never costs an equation: it becomes a scalar of the common dtype.
2. Nothing is repeated here: axes of size 1 and scalars are stretched by the primitives.
3. The options that change promotion are part of the key, so nothing is ever cleared.

Source: spec/tracing.md §2, spec/numpy.md §§2, 8.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base import dtypes, flags
from ..base.errors import (
    ArgumentTypeError,
    DTypeNotAcceptedError,
    NotAnArrayError,
    RankPromotionError,
    RankPromotionWarning,
)
from ..base.util import register_cache
from ..core import (
    ShapedArray,
    Tracer,
    aval_makers,
    broadcast_in_dim_p,
    convert_element_type_p,
    typeof,
)
from ..lax import broadcast_shapes
from ..runtime import Array

if TYPE_CHECKING:
    type ArrayLike = Array | np.ndarray | np.generic | bool | int | float | complex
    type DTypeLike = Any
    type Shape = int | Sequence[int]
    type Axis = int | Sequence[int] | None

PYTHON_SCALARS = frozenset((bool, int, float, complex))

# What happens to the common dtype before the operands are converted to it.
JOIN = "join"
NUMERIC = "numeric"  # booleans count as integers
INEXACT = "inexact"  # booleans and integers become floats

type Convert = Callable[[Any], Any] | None


class Plan:
    """What to do with the operands of one function, given their types.

    dtype, weak: of the common type. converters: per operand a function, or None where
    it can stay as it is.
    """

    __slots__ = ("converters", "dtype", "weak")

    def __init__(self, dtype: Any, weak: bool, converters: tuple[Convert, ...]) -> None:
        self.dtype, self.weak, self.converters = dtype, weak, converters


_plans: dict[Any, Plan] = {}
register_cache("numpy promotion", _plans.clear)


def kind_key(x: Any) -> Any:
    """What promotion has to know of an operand: its aval, or its Python type.

    Raises:
      TypeError: `x` is no array and no number.
    """
    kind = x.__class__
    return kind if kind in PYTHON_SCALARS else typeof(x)


def two(function: str, mode: str, x: Any, y: Any) -> tuple[Any, Any, Any]:
    """Two operands with one dtype and one rank, and that dtype.

    Raises:
      TypeError: an operand is no array and no number.
      ValueError: there is no common dtype.
    """
    x_kind, y_kind = x.__class__, y.__class__
    key = (
        mode,
        x_kind if x_kind in PYTHON_SCALARS else typeof(x),
        y_kind if y_kind in PYTHON_SCALARS else typeof(y),
        flags.enable_x64.value,
        flags.numpy_dtype_promotion.value,
        flags.numpy_rank_promotion.value,
    )
    plan = _plans.get(key)
    if plan is None:
        plan = _make_plan(function, key, (x, y))
    left, right = plan.converters
    if left is not None:
        x = left(x)
    if right is not None:
        y = right(y)
    return x, y, plan.dtype


def several(function: str, mode: str, *xs: Any) -> tuple[list[Any], Any]:
    """Any number of operands with one dtype and one rank, and that dtype."""
    key = (
        mode,
        *[kind_key(x) for x in xs],
        flags.enable_x64.value,
        flags.numpy_dtype_promotion.value,
        flags.numpy_rank_promotion.value,
    )
    plan = _plans.get(key)
    if plan is None:
        plan = _make_plan(function, key, xs)
    converted = [
        x if convert is None else convert(x)
        for x, convert in zip(xs, plan.converters, strict=True)
    ]
    return converted, plan.dtype


def _make_plan(function: str, key: tuple[Any, ...], xs: Sequence[Any]) -> Plan:
    mode, kinds = key[0], key[1:-3]
    avals = [typeof(x) for x in xs]
    if any(aval.dtype == dtypes.float0 for aval in avals):
        raise DTypeNotAcceptedError(
            function,
            "float0",
            "numeric",
            "float0 is the type of derivatives of integers: there is nothing to "
            "compute with.",
        )
    dtype, weak = common_kind(mode, *xs)
    rank = _common_rank(function, [aval.shape for aval in avals])
    converters = tuple(
        _converter(kind, aval, dtype, weak, rank)
        for kind, aval in zip(kinds, avals, strict=True)
    )
    plan = Plan(dtype, weak, converters)
    if flags.numpy_rank_promotion.value != "warn":
        _plans[key] = plan  # a warning must be given every time
    return plan


def common_kind(mode: str, *xs: Any) -> dtypes.Kind:
    """The (dtype, weak) that the operands of a function join to.

    Raises:
      ValueError: there is none (`TypePromotionError`).
    """
    dtype, weak = dtypes.join_kinds(*[dtypes.kind_of(x) for x in xs])
    if mode is NUMERIC and dtype == dtypes.BOOL:
        return dtypes.default_int(), False
    if mode is INEXACT and not dtypes.is_extended(dtype):
        if dtype not in dtypes.INEXACT and weak:
            return dtypes.default_float(), True
        return dtypes.to_inexact_dtype(dtype), weak
    return dtype, weak


def _common_rank(function: str, shapes: list[tuple[int, ...]]) -> int:
    ranks = {len(shape) for shape in shapes if shape}
    if len(ranks) > 1:
        broadcast_shapes(*shapes)  # refuses shapes that do not fit
    if len(ranks) > 1 and flags.numpy_rank_promotion.value != "allow":
        error = RankPromotionError(function, shapes)
        if flags.numpy_rank_promotion.value == "raise":
            raise error
        warnings.warn(str(error), RankPromotionWarning, stacklevel=5)
    return max(ranks, default=0)


def _converter(
    kind: Any, aval: ShapedArray, dtype: Any, weak: bool, rank: int
) -> Convert:
    steps = []
    if kind in PYTHON_SCALARS:
        scalar = scalar_converter(kind, dtype, weak)
        if scalar is not None:
            steps.append(scalar)
    elif aval.dtype != dtype or aval.weak_type is not weak:
        steps.append(_cast(dtype, weak))
    if aval.shape and aval.ndim < rank:
        steps.append(_lift(aval.shape, rank))
    if len(steps) < 2:
        return steps[0] if steps else None
    first, second = steps
    return lambda x: second(first(x))


def _cast(dtype: Any, weak: bool) -> Callable[[Any], Any]:
    def cast(x: Any) -> Any:
        return convert_element_type_p.bind(
            x, new_dtype=dtype, weak_type=weak, sharding=None
        )

    return cast


def _lift(shape: tuple[int, ...], rank: int) -> Callable[[Any], Any]:
    added = rank - len(shape)
    wanted = (1,) * added + shape
    dims = tuple(range(added, rank))

    def lift(x: Any) -> Any:
        return broadcast_in_dim_p.bind(
            x, shape=wanted, broadcast_dimensions=dims, sharding=None
        )

    return lift


# --- Python scalars -------------------------------------------------------------------

_BY_LETTER: dict[str, type] = {"b": bool, "i": int, "f": float, "c": complex}
# Python floats below this are no infinities in any dtype that has 8 bits of exponent.
_SAFE = 1e38


def scalar_converter(kind: type, dtype: Any, weak: bool) -> Convert:
    """The function that turns Python scalars of type `kind` into `dtype`.

    Weak results stay Python scalars, strong ones are NumPy scalars.
    """
    if weak:
        wanted = _BY_LETTER.get(dtype.kind)
        if wanted is not None and dtypes.python_scalar_dtype(wanted) == dtype:
            return None if wanted is kind else wanted
    make = dtype.type
    if kind is float and dtype in (np.float32, np.float64):
        return lambda x: make(x) if -_SAFE < x < _SAFE else to_scalar(x, dtype)
    if kind is int:
        low, high = _exact_range(dtype)
        return lambda x: make(x) if low <= x <= high else _int_to_scalar(x, dtype)
    return lambda x: to_scalar(x, dtype)


def _exact_range(dtype: Any) -> tuple[int, int]:
    """Python ints that become scalars of the dtype unchanged, whatever the options."""
    low, high = -(2**31), 2**31 - 1
    if dtype in dtypes.INTEGERS:
        limits = dtypes.iinfo(dtype)
        return max(low, int(limits.min)), min(high, int(limits.max))
    wide = dtype in (np.float32, np.float64, np.complex64, np.complex128)
    return (low, high) if wide else (0, -1)


def to_scalar(x: Any, dtype: Any) -> Any:
    """A Python or NumPy number as a NumPy scalar, strongly typed."""
    with np.errstate(all="ignore"):
        return np.asarray(x).astype(dtype)[()]


def _int_to_scalar(x: int, dtype: Any) -> Any:
    # A Python int is an integer of the default width first: it must fit there, and
    # wraps on the way to a narrower one.
    default = dtypes.default_int()
    dtypes.check_int_fits(x, default)
    return to_scalar(np.asarray(x, default), dtype)


# --- one operand ----------------------------------------------------------------------

# aval of integers -> the float type they become
_inexact_of: dict[Any, tuple[Any, bool] | None] = {}


def inexact(function: str, x: Any) -> Any:
    """`x` in a dtype with fractions: integers and booleans become floats.

    Raises:
      TypeError: `x` is no array and no number.
    """
    aval = typeof(x)
    if aval.dtype in dtypes.INEXACT:
        return x
    kind = x.__class__
    if kind in PYTHON_SCALARS:
        if kind is int:
            dtypes.check_int_fits(x, aval.dtype)
        return float(x) if aval.weak_type else np.float32(x)
    if aval.weak_type:
        return cast_to(x, dtypes.default_float(), weak=True)
    return cast_to(x, dtypes.to_inexact_dtype(aval.dtype))


def numeric(function: str, x: Any) -> Any:
    """`x`, where booleans become integers."""
    if typeof(x).dtype == dtypes.BOOL:
        return cast_to(x, dtypes.default_int())
    return x


def is_host(x: Any) -> bool:
    """Whether `x` is a Python or NumPy value: no array of ours, no tracer."""
    return x.__class__ in PYTHON_SCALARS or isinstance(x, _HOST)


_HOST = (np.ndarray, np.generic, bool, int, float, complex)


def cast_to(x: Any, dtype: Any, *, weak: bool = False) -> Any:
    """`x` in a canonical dtype; itself if it is an array or tracer of it."""
    aval = typeof(x)
    same = aval.weak_type is weak and (aval.dtype is dtype or aval.dtype == dtype)
    if same and not is_host(x):
        return x
    return convert_element_type_p.bind(
        x, new_dtype=dtype, weak_type=weak, sharding=None
    )


def constant_like(x: Any, value: Any) -> Any:
    """`value` as a scalar constant in the dtype of `x`, weakly typed if `x` is."""
    aval = typeof(x)
    if aval.weak_type:
        kind = _BY_LETTER.get(aval.dtype.kind)
        if kind is not None and dtypes.python_scalar_dtype(kind) == aval.dtype:
            return kind(value)
    return to_scalar(value, aval.dtype)


def as_is(x: Any) -> Any:
    """`x` as an array or tracer of its own type."""
    if not is_host(x):
        return x
    aval = typeof(x)
    return cast_to(x, aval.dtype, weak=aval.weak_type)


def with_rank(x: Any, rank: int) -> Any:
    """`x` with leading axes of size 1 up to `rank`; scalars stay."""
    shape = typeof(x).shape
    return _lift(shape, rank)(x) if shape and len(shape) < rank else x


def check_arrays(function: str, *xs: Any) -> None:
    """Refuse what is no array and no number.

    Raises:
      TypeError: names the function and the type.
    """
    for x in xs:
        if x.__class__ not in aval_makers and not is_arraylike(x):
            raise NotAnArrayError(
                type(x).__name__,
                function=function,
                value=repr(x)[:80],
                do="Convert it with `minijax.numpy.asarray`.",
            )


def is_arraylike(x: Any) -> bool:
    """Whether `x` is an array, a tracer, a NumPy value or a number."""
    if x.__class__ in aval_makers or isinstance(x, (*_HOST, Array, Tracer)):
        return True
    return hasattr(x, "__jax_array__")


def refuse(function: str, **arguments: Any) -> None:
    """Refuse arguments that exist for NumPy's sake only.

    Raises:
      NotImplementedError: one of them is given.
    """
    for name, value in arguments.items():
        if value is not None:
            raise NotImplementedError(
                f"`{name}` of {function} has no meaning for immutable arrays.\n"
                f"Leave it out and use the result."
            )


def require_sequence(function: str, arrays: Any) -> Sequence[Any]:
    """A list of arrays, or the rows of one array.

    Raises:
      TypeError: it is neither.
    """
    if isinstance(arrays, list | tuple):
        return arrays
    if not isinstance(arrays, Array | Tracer | np.ndarray):
        raise ArgumentTypeError(
            f"{function} needs a list or tuple of arrays.",
            f"Found {type(arrays).__name__}.",
        )
    rows: Any = arrays
    return list(rows)
