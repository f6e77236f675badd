"""Numbers at regular distances.

Integers are counted by NumPy outside of traces; floats always by the compiler, so that
eager and compiled results have the same bits.

Source: spec/numpy.md §4.
"""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lax
from ..base import dtypes
from ..base.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    ConcretizationTypeError,
)
from ..core import Tracer, typeof
from ..transforms import eager_jit
from .arithmetic import stretch
from .array_making import placed
from .creation import is_eager, on_device
from .promotion import INEXACT, cast_to, check_arrays, common_kind, constant_like

if TYPE_CHECKING:
    from ..runtime import Array
    from .promotion import ArrayLike, DTypeLike


def arange(
    start: Any,
    stop: Any = None,
    step: Any = None,
    dtype: DTypeLike | None = None,
    *,
    device: Any = None,
    out_sharding: Any = None,
) -> Array:
    """Numbers from start up to stop, stop excluded, in steps.

    With one argument, from zero up to it. The dtype is the common one of the arguments.

    >>> import minijax.numpy as jnp
    >>> print(jnp.arange(2, 8, 3))
    [2 5]

    Raises:
      TypeError: ConcretizationTypeError for a traced argument; a boolean dtype.
      ValueError: complex numbers.
      ZeroDivisionError: a step of zero.
    """
    given = [x for x in (start, stop, step) if x is not None]
    for x in given:
        check_arrays("arange", x)
        if isinstance(x, Tracer) and x.concrete() is None:
            raise ConcretizationTypeError(
                x, "The length of `arange` is known when a program is traced."
            )
        if typeof(x).shape:
            raise ArgumentValueError("arange takes scalars.", f"Found {typeof(x)}.")
    if not given:
        raise ArgumentTypeError("arange counts up to a number.", "Found None.")
    joined = common_kind("join", *given)[0]
    wanted = joined if dtype is None else dtypes.requested_dtype(dtype, "arange")
    if wanted in dtypes.COMPLEXES or joined in dtypes.COMPLEXES:
        raise ArgumentValueError("arange counts real numbers.", f"Found {wanted}.")
    if wanted == dtypes.BOOL:
        raise ArgumentTypeError("arange counts numbers.", "Found the dtype bool.")
    first, last, width = [
        None if x is None else np.asarray(x).item() for x in (start, stop, step)
    ]
    if last is None:
        first, last = 0, first
    return placed(
        _arange(first, last, width, wanted),
        device if device is not None else out_sharding,
    )


_MOST = 2**63 - 1


def _arange(start: Any, stop: Any, step: Any, dtype: Any) -> Any:
    size = max(0, math.ceil((stop - start) / (1 if step is None else step)))
    if size > _MOST:
        raise ArgumentValueError(
            "An axis has less than 2**63 places.", f"Found {size}."
        )
    exact = step is None or all(isinstance(x, int) for x in (start, step))
    if is_eager() and dtype in dtypes.INTEGERS and exact:
        numbers = np.arange(size, dtype=np.int64) * (step or 1) + int(start)
        return on_device(numbers.astype(dtype))
    if step is None:
        numbers = lax.iota(dtype, size)
        if start == 0:
            return numbers
        return lax.add(np.asarray(start).astype(dtype)[()], numbers)
    return _stepped(start, step, dtype, size)


def _stepped(start: Any, step: Any, dtype: Any, size: int) -> Any:
    work = dtype
    if dtype in dtypes.FLOATS and dtypes.itemsize_bits(dtype) < 32:
        work = np.dtype(np.float32)
    first, width = [np.asarray(x).astype(work)[()] for x in (start, step)]
    out = _progression(first, width, str(work), size)
    return cast_to(out, dtype)


@eager_jit(static_argnums=(2, 3))
def _progression(first: Any, width: Any, dtype: str, size: int) -> Any:
    return lax.add(first, lax.mul(width, lax.iota(dtype, size)))


def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike | None = None,
    axis: int = 0,
    *,
    device: Any = None,
) -> Any:
    """`num` numbers at equal distances from start to stop, both arrays if wished.

    Integer dtypes round down. With `retstep`, the distance as well.

    >>> import minijax.numpy as jnp
    >>> print(jnp.linspace(0, 1, 5))
    [0.   0.25 0.5  0.75 1.  ]

    Raises:
      ValueError: a negative `num`. TypeError: one that is no integer.
    """
    count = counted(num, "linspace")
    wanted = None if dtype is None else dtypes.requested_dtype(dtype, "linspace")
    out, step = _linspace(start, stop, count, bool(endpoint), wanted, axis)
    out = placed(out, device)
    return (out, step) if retstep else out


def counted(num: Any, function: str) -> int:
    """A number of elements as an int. Raises: TypeError, ValueError."""
    if isinstance(num, Tracer) and num.concrete() is None:
        raise ConcretizationTypeError(num, f"`num` of {function} decides a shape.")
    try:
        count = operator.index(num)
    except TypeError as error:
        raise ArgumentTypeError(
            f"`num` of {function} is an integer.", f"Found {num!r}."
        ) from error
    if count < 0:
        raise ArgumentValueError(
            f"`num` of {function} is not negative.", f"Found {count}."
        )
    return count


@eager_jit(static_argnums=(2, 3, 4, 5))
def _linspace(
    start: Any, stop: Any, num: int, endpoint: bool, dtype: Any, axis: int
) -> Any:
    check_arrays("linspace", start, stop)
    joined = common_kind(INEXACT, start, stop)[0]
    wanted = joined if dtype is None else dtype
    work = common_kind(INEXACT, np.zeros((), wanted), np.zeros((), joined))[0]
    shape = lax.broadcast_shapes(typeof(start).shape, typeof(stop).shape)
    first, last = [
        stretch(lax.convert_element_type(x, work), shape) for x in (start, stop)
    ]
    rank = len(shape) + 1
    at = axis + rank if axis < 0 else axis
    divisions = num - 1 if endpoint else num
    step = lax.full_like(first, np.nan)
    if divisions > 0:
        step = lax.div(lax.sub(last, first), constant_like(first, divisions))
    if num > 1:
        out = _interpolated(first, last, divisions, work, at, rank)
        if endpoint:
            out = lax.concatenate([out, lax.expand_dims(last, (at,))], at)
    elif num == 1:
        out = lax.expand_dims(first, (at,))
    else:
        out = lax.full((*shape[:at], 0, *shape[at:]), 0, work)
    if wanted in dtypes.INTEGERS and work not in dtypes.INTEGERS:
        out = lax.floor(out)
    return lax.convert_element_type(out, wanted), step


def _interpolated(
    first: Any, last: Any, divisions: int, dtype: Any, at: int, rank: int
) -> Any:
    count = constant_like(first, divisions)
    sizes = [divisions if axis == at else 1 for axis in range(rank)]
    steps = lax.reshape(lax.iota(_real(dtype), divisions), sizes)
    steps = lax.convert_element_type(steps, dtype)
    share = lax.div(steps, count)
    first, last = [lax.expand_dims(x, (at,)) for x in (first, last)]
    down = lax.mul(first, lax.sub(constant_like(first, 1), share))
    return lax.add(down, lax.mul(lax.div(last, count), steps))


def _real(dtype: Any) -> Any:
    return dtypes.to_real_dtype(dtype)


def logspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    base: ArrayLike = 10.0,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Array:
    """`base` to the power of equally spaced numbers from start to stop.

    >>> import minijax.numpy as jnp
    >>> print(jnp.logspace(0, 2, 3, base=2))
    [1. 2. 4.]
    """
    count = counted(num, "logspace")
    wanted = None if dtype is None else dtypes.requested_dtype(dtype, "logspace")
    return _logspace(start, stop, base, count, bool(endpoint), wanted, axis)


@eager_jit(static_argnums=(3, 4, 5, 6))
def _logspace(
    start: Any, stop: Any, base: Any, num: int, endpoint: bool, dtype: Any, axis: int
) -> Any:
    joined = common_kind(INEXACT, start, stop)[0]
    exponents, _ = _linspace(start, stop, num, endpoint, joined, axis)
    out = lax.pow(lax.convert_element_type(base, joined), exponents)
    return out if dtype is None else lax.convert_element_type(out, dtype)


def geomspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Array:
    """`num` numbers from start to stop with equal ratios.

    >>> import minijax.numpy as jnp
    >>> print(jnp.geomspace(1, 4, 3).round(3))
    [1. 2. 4.]
    """
    count = counted(num, "geomspace")
    wanted = None if dtype is None else dtypes.requested_dtype(dtype, "geomspace")
    return _geomspace(start, stop, count, bool(endpoint), wanted, axis)


@eager_jit(static_argnums=(2, 3, 4, 5))
def _geomspace(
    start: Any, stop: Any, num: int, endpoint: bool, dtype: Any, axis: int
) -> Any:
    joined = common_kind(INEXACT, start, stop)[0]
    first, last = [lax.convert_element_type(x, joined) for x in (start, stop)]
    signs = lax.sign(first)
    digit = constant_like(first, 1 / np.log(10))
    logs = [lax.mul(lax.log(lax.div(x, signs)), digit) for x in (first, last)]
    out = _logspace(*logs, 10.0, num, endpoint, joined, 0)
    out = lax.mul(signs, out) if not typeof(signs).shape else _signed(signs, out)
    if axis:
        rank = typeof(out).ndim
        order = list(range(1, rank))
        order.insert(axis + rank if axis < 0 else axis, 0)
        out = lax.transpose(out, order)
    return out if dtype is None else lax.convert_element_type(out, dtype)


def _signed(signs: Any, out: Any) -> Any:
    return lax.mul(lax.expand_dims(signs, (0,)), out)
