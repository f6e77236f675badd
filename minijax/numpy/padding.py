"""pad: more elements around an array, in many ways.

Source: spec/numpy.md §14.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lax
from ..base import dtypes
from ..base.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    ConcretizationTypeError,
    NotSupportedError,
)
from ..core import Tracer, typeof
from ..transforms import eager_jit
from .arithmetic import stretch
from .exponents import round as round_to
from .promotion import as_is, cast_to, check_arrays
from .quantiles import median
from .reductions import max as largest
from .reductions import min as smallest
from .sequences import linspace
from .statistics import mean

if TYPE_CHECKING:
    from ..runtime import Array
    from .promotion import ArrayLike

type Widths = tuple[tuple[int, int], ...]

_OPTIONS = {
    "constant": {"constant_values"},
    "edge": set(),
    "empty": set(),
    "linear_ramp": {"end_values"},
    "maximum": {"stat_length"},
    "mean": {"stat_length"},
    "median": {"stat_length"},
    "minimum": {"stat_length"},
    "reflect": {"reflect_type"},
    "symmetric": {"reflect_type"},
    "wrap": set(),
}


def pad(
    array: ArrayLike,
    pad_width: Any,
    mode: str | Callable[..., Any] = "constant",
    **kwargs: Any,
) -> Array:
    """An array with elements added before and after each axis.

    pad_width: one number, a pair, or a pair per axis. mode: "constant", "edge",
    "linear_ramp", "maximum", "mean", "median", "minimum", "reflect", "symmetric",
    "wrap", "empty", or a function of (vector, widths, axis, options) that returns the
    padded vector.

    >>> import minijax.numpy as jnp
    >>> print(jnp.pad(jnp.arange(3), (1, 2), constant_values=9))
    [9 0 1 2 9 9]

    Raises:
      NotImplementedError: another mode.
      ValueError: a negative width, or an option the mode does not have.
      TypeError: a width that is no integer.
    """
    check_arrays("pad", array)
    widths = _widths(pad_width, typeof(array).ndim)
    if callable(mode):
        return _pad_by(array, widths, mode, kwargs)
    if mode not in _OPTIONS:
        raise NotSupportedError(
            f"The modes of pad are {', '.join(map(repr, _OPTIONS))}.",
            f"Found {mode!r}.",
        )
    unknown = set(kwargs) - _OPTIONS[mode]
    if unknown:
        raise ArgumentValueError(
            f"The mode {mode!r} of pad has the options {sorted(_OPTIONS[mode])}.",
            f"Found {sorted(unknown)}.",
        )
    values = kwargs.get("constant_values", kwargs.get("end_values", 0))
    length = kwargs.get("stat_length")
    length = None if length is None else _widths(length, typeof(array).ndim)
    reflect_type = kwargs.get("reflect_type", "even")
    return _pad(array, widths, mode, _as_values(values), length, reflect_type)


def _widths(pad_width: Any, rank: int) -> Widths:
    if isinstance(pad_width, dict):
        raise ArgumentTypeError("Widths are numbers in tuples.", "Found a dict.")
    if isinstance(pad_width, Tracer) and pad_width.concrete() is None:
        raise ConcretizationTypeError(pad_width, "The widths of pad decide a shape.")
    items = np.asarray(pad_width)
    if items.dtype.kind not in "iu" and items.size:
        raise ArgumentTypeError("Widths are integers.", f"Found {pad_width!r}.")
    try:
        pairs = np.broadcast_to(items, (rank, 2))
    except ValueError as error:
        raise ArgumentValueError(
            f"Widths are one number, a pair, or {rank} pairs.", f"Found {pad_width!r}."
        ) from error
    if (pairs < 0).any():
        raise ArgumentValueError("Widths are not negative.", f"Found {pad_width!r}.")
    return tuple((int(before), int(after)) for before, after in pairs)


def _as_values(values: Any) -> Any:
    return (
        np.asarray(values)
        if isinstance(values, list | tuple) and not _traced(values)
        else values
    )


def _traced(values: Any) -> bool:
    return any(
        isinstance(v, Tracer) or (isinstance(v, list | tuple) and _traced(v))
        for v in values
    )


@eager_jit(static_argnums=(1, 2, 4, 5))
def _pad(
    x: Any, widths: Widths, mode: str, values: Any, length: Any, reflect_type: str
) -> Any:
    x = as_is(x)
    if mode in ("constant", "empty"):
        return _with_constants(x, widths, values)
    for axis, (before, after) in enumerate(widths):
        if before or after:
            size = typeof(x).shape[axis]
            if not size:
                raise ArgumentValueError(
                    f"The mode {mode!r} of pad needs elements.", f"Found {typeof(x)}."
                )
            if mode in ("reflect", "symmetric"):
                x = _reflected(x, axis, before, after, mode, reflect_type)
            elif mode == "wrap":
                x = _wrapped(x, axis, before, after)
            elif mode == "edge":
                x = _around(x, axis, *_edges(x, axis, before, after))
            elif mode == "linear_ramp":
                x = _ramped(x, axis, before, after, values, len(widths))
            else:
                held = length[axis] if length is not None else (size, size)
                x = _with_statistic(x, axis, before, after, mode, held)
    return x


def _around(x: Any, axis: int, before: Any, after: Any) -> Any:
    parts = [p for p in (before, x, after) if p is not None]
    return lax.concatenate(parts, axis) if len(parts) > 1 else x


def _pairs_of(values: Any, rank: int) -> Any:
    """Values per axis and side: T[rank, 2], or one scalar."""
    if isinstance(values, tuple | list):
        values = lax.stack([_pairs_of(v, 0) for v in values], 0)
    if not typeof(values).shape or not rank:
        return values
    return stretch(values, (rank, 2))


def _with_constants(x: Any, widths: Widths, values: Any) -> Any:
    dtype = typeof(x).dtype
    values = _pairs_of(values, len(widths))
    if not typeof(values).shape:
        config = [(before, after, 0) for before, after in widths]
        return lax.pad(x, cast_to(values, dtype), config)
    values = cast_to(values, dtype)
    for axis, pair in enumerate(widths):
        for side in (0, 1):
            config = [(0, 0, 0)] * len(widths)
            config[axis] = (pair[0], 0, 0) if side == 0 else (0, pair[1], 0)
            x = lax.pad(x, values[axis, side], config)
    return x


def _part(x: Any, axis: int, start: int, stop: int) -> Any:
    return lax.slice_in_dim(x, start, stop, 1, axis)


def _repeated(part: Any, axis: int, count: int) -> Any:
    shape = list(typeof(part).shape)
    shape[axis] = count
    return stretch(part, tuple(shape)) if count else None


def _edges(x: Any, axis: int, before: int, after: int) -> tuple[Any, Any]:
    size = typeof(x).shape[axis]
    return (
        _repeated(_part(x, axis, 0, 1), axis, before),
        _repeated(_part(x, axis, size - 1, size), axis, after),
    )


def _reflected(
    x: Any, axis: int, before: int, after: int, mode: str, reflect_type: str
) -> Any:
    if reflect_type not in ("even", "odd"):
        raise ArgumentValueError(
            "reflect_type is 'even' or 'odd'.", f"Found {reflect_type!r}."
        )
    # A mirror that is not the edge itself leaves the edge out.
    skip = 1 if mode == "reflect" else 0
    if typeof(x).shape[axis] == 1 and skip:
        return _around(x, axis, *_edges(x, axis, before, after))
    for front, missing in ((True, before), (False, after)):
        while missing:
            size = typeof(x).shape[axis]
            # The mirror image of what is there, as far as it goes.
            count = min(missing, size - skip)
            start = skip if front else size - skip - count
            part = lax.rev(_part(x, axis, start, start + count), (axis,))
            if reflect_type == "odd":
                edge = 0 if front else size - 1
                at_edge = _part(x, axis, edge, edge + 1)
                twice = lax.add(at_edge, at_edge)
                part = lax.sub(stretch(twice, typeof(part).shape), part)
            x = _around(x, axis, part if front else None, None if front else part)
            missing -= count
    return x


def _wrapped(x: Any, axis: int, before: int, after: int) -> Any:
    size = typeof(x).shape[axis]
    copies = [x] * (-(-before // size) + 1 + -(-after // size))
    whole = lax.concatenate(copies, axis) if len(copies) > 1 else x
    start = -before % size
    return _part(whole, axis, start, start + before + size + after)


def _ramped(x: Any, axis: int, before: int, after: int, values: Any, rank: int) -> Any:
    values = _pairs_of(values, rank)
    ends = [values[axis, side] if typeof(values).shape else values for side in (0, 1)]
    size, dtype = typeof(x).shape[axis], typeof(x).dtype
    sides: list[Any] = []
    for end, count, place in ((ends[0], before, 0), (ends[1], after, size - 1)):
        if not count:
            sides.append(None)
            continue
        edge = lax.squeeze(_part(x, axis, place, place + 1), (axis,))
        ramp = linspace(end, edge, count, endpoint=False, dtype=dtype, axis=axis)
        sides.append(ramp if place == 0 else lax.rev(ramp, (axis,)))
    return _around(x, axis, *sides)


_STATISTICS: dict[str, Callable[..., Any]] = {
    "maximum": largest,
    "minimum": smallest,
    "mean": mean,
    "median": median,
}


def _with_statistic(
    x: Any, axis: int, before: int, after: int, mode: str, held: tuple[int, int]
) -> Any:
    size, dtype = typeof(x).shape[axis], typeof(x).dtype
    if 0 in held and mode in ("maximum", "minimum"):
        raise ArgumentValueError(
            f"The {mode} of no elements is unknown.", f"Found stat_length {held}."
        )
    sides = []
    for count, length, front in ((before, held[0], True), (after, held[1], False)):
        length = min(length, size)
        start = 0 if front else size - length
        found = _STATISTICS[mode](
            _part(x, axis, start, start + length), axis=axis, keepdims=True
        )
        if dtype in dtypes.INTEGERS and mode in ("mean", "median"):
            found = round_to(found)
        sides.append(_repeated(cast_to(found, dtype), axis, count))
    return _around(x, axis, *sides)


def _pad_by(x: Any, widths: Widths, function: Any, options: Any) -> Any:
    x = _pad(x, widths, "constant", 0, None, "even")
    for axis, pair in enumerate(widths):
        rank = typeof(x).ndim
        order = [*(i for i in range(rank) if i != axis), axis]
        moved = lax.transpose(x, order)
        shape = typeof(moved).shape
        rows = lax.reshape(moved, (int(np.prod(shape[:-1])), shape[-1]))
        made = [function(row, pair, axis, options) for row in lax.unstack(rows)]
        moved = lax.reshape(lax.stack([as_is(m) for m in made], 0), shape)
        x = lax.transpose(moved, [order.index(i) for i in range(rank)])
    return x
