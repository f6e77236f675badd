"""Objects that are indexed to make arrays: `r_`, `c_`, `mgrid`, `ogrid`; and `ix_`.

Source: spec/numpy.md §4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lax
from ..base import dtypes
from ..base.errors import (
    ArgumentValueError,
    ConcretizationTypeError,
    NotSupportedError,
)
from ..core import Tracer, typeof
from .array_making import array, asarray
from .grids import meshgrid
from .joining import concatenate
from .promotion import check_arrays
from .sequences import arange, linspace

if TYPE_CHECKING:
    from ..runtime import Array
    from .promotion import ArrayLike

s_, index_exp = np.s_, np.index_exp


def _from_slice(item: slice) -> Any:
    for bound in (item.start, item.stop, item.step):
        if isinstance(bound, Tracer) and bound.concrete() is None:
            raise ConcretizationTypeError(bound, "The bounds of a range are known.")
    start = 0 if item.start is None else item.start
    if isinstance(item.step, complex):
        return linspace(start, item.stop, int(abs(item.step)))
    return arange(start, item.stop, 1 if item.step is None else item.step)


class _Grid:
    """The coordinates of a grid, made from slices: `mgrid[0:2, 0:3]`."""

    def __init__(self, name: str, *, sparse: bool) -> None:
        self._name, self._sparse = name, sparse

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return _from_slice(key)
        axes = [_from_slice(item) for item in key]
        dtype = dtypes.result_type(*axes)
        axes = [asarray(axis, dtype) for axis in axes]
        parts = meshgrid(*axes, indexing="ij", sparse=self._sparse)
        return list(parts) if self._sparse else lax.stack(parts, 0)

    def __repr__(self) -> str:
        return f"<minijax.numpy.{self._name}>"


mgrid, ogrid = _Grid("mgrid", sparse=False), _Grid("ogrid", sparse=True)


class _Joiner:
    """Numbers, ranges and arrays joined: `r_[1, 2:5, x]`.

    A text in front gives the axis, the least number of axes, and where those of an
    array with fewer stand: "0,2,1".
    """

    def __init__(self, name: str, axis: int, ndmin: int, place: int) -> None:
        self._name, self._defaults = name, (axis, ndmin, place)

    def __getitem__(self, key: Any) -> Array:
        items = list(key) if isinstance(key, tuple) else [key]
        axis, ndmin, place = self._defaults
        as_matrix = None
        if items and isinstance(items[0], str):
            text = items.pop(0)
            if text in ("r", "c"):
                as_matrix = text
            else:
                given = _numbers(text)
                axis, ndmin, place = (*given, *(axis, ndmin, place)[len(given) :])
        parts = [self._part(item, ndmin, place) for item in items]
        out = concatenate(parts, axis=axis)
        if as_matrix is None or typeof(out).ndim > 1:
            return out
        return out[None, :] if as_matrix == "r" else out[:, None]

    def _part(self, item: Any, ndmin: int, place: int) -> Any:
        if isinstance(item, slice):
            item = _from_slice(item)
            if ndmin > 1:
                item = array(item, ndmin=ndmin)
                if place != -1:
                    item = _moved(item, ndmin - 1, place)
            return item
        made = asarray(item)
        rank = typeof(made).ndim
        if rank >= ndmin:
            return made if rank else made.reshape(1)
        made = array(made, ndmin=ndmin)
        missing = ndmin - rank
        start = place if place >= 0 else place + missing + 1
        order = list(range(missing, ndmin))
        full = list(range(missing))
        full[start:start] = order
        return made.transpose(full) if rank else made

    def __repr__(self) -> str:
        return f"<minijax.numpy.{self._name}>"


def _moved(x: Any, source: int, place: int) -> Any:
    order = [i for i in range(typeof(x).ndim) if i != source]
    order.insert(place, source)
    return x.transpose(order)


def _numbers(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError as error:
        raise ArgumentValueError(
            "The text in front is 'r', 'c', or up to three numbers.", f"Found {text!r}."
        ) from error


r_, c_ = _Joiner("r_", 0, 1, -1), _Joiner("c_", -1, 2, 0)


def ix_(*args: ArrayLike) -> tuple[Array, ...]:
    """Arrays of one axis as an index of all their combinations.

    >>> import minijax.numpy as jnp
    >>> [x.shape for x in jnp.ix_(jnp.arange(2), jnp.arange(3))]
    [(2, 1), (1, 3)]

    Raises:
      NotImplementedError: a boolean mask. ValueError: more than one axis.
    """
    check_arrays("ix_", *args)
    out = []
    for i, x in enumerate(args):
        made = asarray(x)
        if typeof(made).ndim != 1:
            raise ArgumentValueError(
                "ix_ takes one axis each.", f"Found {typeof(made)}."
            )
        if typeof(made).dtype == dtypes.BOOL:
            raise NotSupportedError(
                "ix_ takes numbers.", "Found a mask.", "Use `nonzero`."
            )
        if not typeof(made).size:
            made = made.astype(dtypes.default_int())
        shape = [typeof(made).size if j == i else 1 for j in range(len(args))]
        out.append(made.reshape(shape))
    return tuple(out)
