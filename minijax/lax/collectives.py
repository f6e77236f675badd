"""Reductions along named axes, and where along them one stands.

Under `vmap(axis_name=…)` a sum along the name is a sum along an axis of the batched
array, and its result is the same for all examples. `psum[axes=(0, 'j')]` means: along
axis 0 of the operand and along the name 'j'; that is what several mapped names come to
when one of them has been turned into a position.

Source: spec/batching.md §4, spec/sharding.md §11.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lowering, tree
from ..base import dtypes
from ..core import (
    NOT_DIFFERENTIABLE,
    NOT_LINEAR,
    AxisName,
    Primitive,
    ShapedArray,
    Tracer,
    axis_size,
    is_literalable,
    typeof,
)
from ..interpreters import ad, batching
from .arithmetic import add, div, mul
from .axis_names import (
    Groups,
    Names,
    batch_over,
    effects_over,
    lower_over,
    names_of,
    parsed_groups,
    refuse_groups,
    size_of_names,
)
from .conversions import convert
from .definition import define
from .generation import iota, scalar_like
from .reductions import reduce_max, reduce_min, reduce_sum
from .shapes import broadcast_in_dim

if TYPE_CHECKING:
    from .typing import Array

__all__ = [
    "axis_index",
    "axis_index_p",
    "axis_size",
    "pmax",
    "pmax_p",
    "pmean",
    "pmin",
    "pmin_p",
    "psum",
    "psum_p",
]

psum_p = Primitive("psum")
pmax_p = Primitive("pmax")
pmin_p = Primitive("pmin")
axis_index_p = Primitive("axis_index")

_INT32 = np.dtype(np.int32)


# --- the functions --------------------------------------------------------------------


def psum(x: Any, axis_name: AxisName, *, axis_index_groups: Any = None) -> Any:
    """The sum along a named axis, leaf by leaf: T[*s] -> T[*s]; bool -> int32.

    axis_name: a name, or a tuple for several axes together. axis_index_groups: lists of
    indices; each sums within its own. A leaf whose value is known is multiplied by the
    size of the axis: `psum(1, name)` is that size, a Python int.

    >>> import minijax as mj, numpy as np
    >>> x = np.arange(3.0, dtype=np.float32)
    >>> mj.vmap(lambda x: x / mj.lax.psum(x, "i"), axis_name="i")(x)
    Array([0.       , 0.3333333, 0.6666667], dtype=float32)

    Raises:
        NameError: nobody bound the name.
        ValueError: the groups do not divide the axis.
    """
    names = names_of(axis_name)
    if not names:
        return x
    groups = parsed_groups(axis_index_groups, names)
    size = size_of_names(_hidden(names), groups)
    return tree.map(lambda leaf: _sum_of(leaf, names, groups, size), x)


def pmean(x: Any, axis_name: AxisName, *, axis_index_groups: Any = None) -> Any:
    """The mean along a named axis, leaf by leaf: T[*s] -> T[*s]; integers -> floats.

    >>> import minijax as mj, numpy as np
    >>> x = np.arange(4.0, dtype=np.float32)
    >>> mj.vmap(lambda x: mj.lax.pmean(x, "i"), axis_name="i", out_axes=None)(x)
    Array(1.5, dtype=float32)

    Raises: as `psum`.
    """
    size = psum(1, axis_name, axis_index_groups=axis_index_groups)
    total = psum(x, axis_name, axis_index_groups=axis_index_groups)
    return tree.map(lambda leaf: _divided(leaf, size), total)


def pmax(x: Any, axis_name: AxisName, *, axis_index_groups: Any = None) -> Any:
    """The largest element along a named axis, leaf by leaf: T[*s] -> T[*s].

    It has no derivative.

    >>> import minijax as mj, numpy as np
    >>> x = np.array([1, 3, 2])
    >>> mj.vmap(lambda x: mj.lax.pmax(x, "i"), axis_name="i", out_axes=None)(x)
    Array(3, dtype=int32)

    Raises: as `psum`.
    """
    return _extremum(pmax_p, x, axis_name, axis_index_groups)


def pmin(x: Any, axis_name: AxisName, *, axis_index_groups: Any = None) -> Any:
    """The smallest element along a named axis, leaf by leaf: T[*s] -> T[*s].

    It has no derivative.

    >>> import minijax as mj, numpy as np
    >>> x = np.array([2, 1, 3])
    >>> mj.vmap(lambda x: mj.lax.pmin(x, "i"), axis_name="i", out_axes=None)(x)
    Array(1, dtype=int32)

    Raises: as `psum`.
    """
    return _extremum(pmin_p, x, axis_name, axis_index_groups)


def axis_index(axis_name: AxisName) -> Array:
    """Where along a named axis one stands: i32[].

    Along a tuple of names: the number that counts the last name fastest.

    >>> import minijax as mj
    >>> mj.vmap(lambda: mj.lax.axis_index("i"), axis_name="i", axis_size=3)()
    Array([0, 1, 2], dtype=int32)

    Raises:
        NameError: nobody bound the name.
    """
    if not isinstance(axis_name, tuple | list):
        axis_size(axis_name)  # raises
        return axis_index_p.bind(axis_name=axis_name)
    number: Any = 0
    stride = 1
    for name in reversed(axis_name):
        number = add(number, mul(axis_index(name), _INT32.type(stride)))
        stride *= axis_size(name)
    return number


def _hidden(names: Names) -> Names:
    """Without positions, which are axes of the operand itself."""
    return tuple([name for name in names if not isinstance(name, int)])


def _sum_of(leaf: Any, names: Names, groups: Groups, size: int) -> Any:
    if isinstance(leaf, Tracer) or len(_hidden(names)) < len(names):
        if typeof(leaf).dtype == dtypes.BOOL:
            leaf = convert(leaf, _INT32)
        return psum_p.bind(leaf, axes=names, axis_index_groups=groups)
    if typeof(leaf).dtype == dtypes.BOOL:
        leaf = convert(leaf, _INT32)
    if is_literalable(leaf):
        return leaf * size
    return mul(scalar_like(leaf, size), leaf)


def _divided(leaf: Any, size: int) -> Any:
    if is_literalable(leaf):
        return leaf / size
    dtype = typeof(leaf).dtype
    if dtype in dtypes.INTEGERS:
        leaf = convert(leaf, dtypes.to_inexact_dtype(dtype))
    return div(leaf, scalar_like(leaf, size))


def _extremum(primitive: Primitive, x: Any, axis_name: Any, groups: Any) -> Any:
    names = names_of(axis_name)
    if not names:
        return x
    parsed = parsed_groups(groups, names)
    size_of_names(_hidden(names), parsed)  # raises
    return tree.map(
        lambda leaf: primitive.bind(leaf, axes=names, axis_index_groups=parsed), x
    )


# --- their rules ----------------------------------------------------------------------


def _positions(axes: Names) -> tuple[int, ...]:
    return tuple([axis for axis in axes if isinstance(axis, int)])


def _reduced_type(x: ShapedArray, *, axes: Names, axis_index_groups: Any) -> Any:
    gone = _positions(axes)
    if not gone:
        return x
    shape = tuple([size for axis, size in enumerate(x.shape) if axis not in gone])
    return x.update(shape=shape)


def _renumbered(axes: Names, past: int) -> Names:
    return tuple(
        [
            batching.renumber(axis, past) if isinstance(axis, int) else axis
            for axis in axes
        ]
    )


def _batch(primitive: Primitive, of_equal: Any) -> Any:
    """of_equal(x, size): the reduction of `size` equal values."""

    def own(axis: Any, operands: Any, axes: Any, /, **params: Any) -> Any:
        (x,), (position,) = operands, axes
        names, groups = params["axes"], params["axis_index_groups"]
        refuse_groups(primitive, groups, axis.name)
        if position is None:
            rest = tuple([name for name in names if name != axis.name])
            if rest:
                x = primitive.bind(x, axes=rest, axis_index_groups=groups)
            return of_equal(x, axis.size), None
        placed = [
            position if name == axis.name else name
            for name in _renumbered(names, position)
        ]
        # A name means an axis once, however often it is written.
        once = tuple(dict.fromkeys(placed))
        return primitive.bind(x, axes=once, axis_index_groups=groups), None

    def other(axis: Any, operands: Any, axes: Any, /, **params: Any) -> Any:
        (x,), (position,) = operands, axes
        names = _renumbered(params["axes"], position)
        out = primitive.bind(x, **{**params, "axes": names})
        return out, position - sum(one < position for one in _positions(names))

    return batch_over(primitive, "axes", own, other)


def _times(x: Any, size: int) -> Any:
    return mul(scalar_like(x, size), x)


def _psum_transpose(
    y_bar: Any, x: Any, *, axes: Names, axis_index_groups: Any
) -> list[Any]:
    gone, names = _positions(axes), _hidden(axes)
    if names:
        y_bar = psum_p.bind(y_bar, axes=names, axis_index_groups=axis_index_groups)
    if gone:
        shape = x.aval.shape
        kept = [axis for axis in range(len(shape)) if axis not in gone]
        y_bar = broadcast_in_dim(y_bar, shape, kept)
    return [y_bar]


def _lower(reduce: Any) -> Any:
    def by_position(x: Any, *, axes: Any, axis_index_groups: Any) -> Any:
        return reduce(x, axes)

    positional, named = lowering.lower_function(by_position), lower_over("axes")

    def rule(ctx: Any, x: Any, **params: Any) -> Any:
        lower = named if _hidden(params["axes"]) else positional
        return lower(ctx, x, **params)

    return rule


define(
    psum_p,
    abstract_eval=_reduced_type,
    effects=effects_over("axes"),
    jvp=ad.linear(psum_p),
    transpose=_psum_transpose,
    batch=_batch(psum_p, _times),
    lower=_lower(reduce_sum),
)

for _primitive, _reduce in ((pmax_p, reduce_max), (pmin_p, reduce_min)):
    define(
        _primitive,
        abstract_eval=_reduced_type,
        effects=effects_over("axes"),
        jvp=NOT_DIFFERENTIABLE,
        transpose=NOT_LINEAR,
        batch=_batch(_primitive, lambda x, size: x),
        lower=_lower(_reduce),
    )


def _own_index(axis: Any, operands: Any, axes: Any, /, **params: Any) -> Any:
    return iota(_INT32, axis.size), 0


define(
    axis_index_p,
    abstract_eval=lambda *, axis_name: ShapedArray((), _INT32),
    effects=effects_over("axis_name"),
    jvp=NOT_DIFFERENTIABLE,
    transpose=NOT_LINEAR,
    batch=batch_over(axis_index_p, "axis_name", _own_index, _own_index),
    lower=lower_over("axis_name"),
)
