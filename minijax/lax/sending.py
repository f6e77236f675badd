"""Sending along named axes: to one, or from one to all.

Under `vmap(axis_name=…)` each is a choice of rows of the batched array.

Source: spec/batching.md §4, spec/sharding.md §11, spec/ad.md §4.6.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import tree
from ..base.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    NotSupportedError,
)
from ..core import AxisName, Primitive
from ..interpreters import ad, batching
from .axis_names import (
    batch_over,
    effects_over,
    lower_over,
    names_of,
    shape_of,
    size_of_names,
)
from .collectives import axis_index, psum
from .comparisons import eq
from .definition import define
from .dynamic_slicing import dynamic_index_in_dim
from .gathering import gather, index_take
from .generation import fill_like, scalar_like
from .indexing import GatherDimensionNumbers
from .selection import select
from .slicing import index_in_dim

if TYPE_CHECKING:
    from .typing import ArrayLike

__all__ = ["pbroadcast", "ppermute", "ppermute_p", "pshuffle"]

ppermute_p = Primitive("ppermute")
pbroadcast_p = Primitive("pbroadcast")
pbroadcast_dynamic_p = Primitive("pbroadcast_dynamic")


# --- ppermute -------------------------------------------------------------------------


def ppermute(x: Any, axis_name: AxisName, perm: Sequence[tuple[int, int]]) -> Any:
    """Send along a named axis, leaf by leaf: T[*s] -> T[*s].

    perm: pairs of source and destination. Whoever receives nothing has zeros.

    >>> import minijax as mj, numpy as np
    >>> right = [(0, 1), (1, 2), (2, 0)]
    >>> f = lambda x: mj.lax.ppermute(x, "i", right)
    >>> mj.vmap(f, axis_name="i")(np.arange(3))
    Array([2, 0, 1], dtype=int32)

    Raises:
        TypeError: `perm` is neither a list nor a tuple.
        ValueError: an index is out of range.
        NameError: nobody bound the name.
    """
    if not isinstance(perm, list | tuple):
        raise ArgumentTypeError(
            "The permutation of ppermute is a list or tuple of pairs.",
            f"Found {perm!r} of type {type(perm).__name__}.",
        )
    names = names_of(axis_name)
    size = size_of_names(names)
    pairs = tuple([(int(src), int(dst)) for src, dst in perm])
    if not all(0 <= i < size for pair in pairs for i in pair):
        raise ArgumentValueError(
            f"ppermute sends between indices below {size}, the size of {axis_name!r}.",
            f"Found {perm}.",
        )
    return tree.map(lambda leaf: ppermute_p.bind(leaf, axis_name=names, perm=pairs), x)


def pshuffle(x: Any, axis_name: AxisName, perm: Sequence[int]) -> Any:
    """Permute along a named axis: the i-th receives from the one `perm[i]`.

    >>> import minijax as mj, numpy as np
    >>> f = lambda x: mj.lax.pshuffle(x, "i", [1, 2, 0])
    >>> mj.vmap(f, axis_name="i")(np.arange(3))
    Array([1, 2, 0], dtype=int32)

    Raises:
        ValueError: `perm` is no permutation of the indices.
        NameError: nobody bound the name.
    """
    if sorted(perm) != list(range(len(perm))):
        raise ArgumentValueError(
            "pshuffle takes a permutation: each index below its length, once.",
            f"Found {perm}.",
        )
    pairs = list(zip(perm, range(len(perm)), strict=True))
    return ppermute(x, axis_name, pairs)


def _permute_own(axis: Any, operands: Any, axes: Any, **params: Any) -> Any:
    (x,), (position,) = operands, axes
    names, perm = params["axis_name"], params["perm"]
    if len(names) > 1:
        raise NotSupportedError(
            "Under vmap ppermute sends along one named axis.",
            f"Found {names}.",
            "Permute along one after the other.",
        )
    if len(perm) != axis.size:
        raise ArgumentValueError(
            f"ppermute along a mapped axis takes {axis.size} pairs, one for each.",
            f"Found {len(perm)}: {perm}.",
        )
    source = [-1] * axis.size
    for src, dst in perm:
        source[dst] = src
    if position is None:
        if min(source) >= 0:
            return x, None  # all have the same
        x, position = batching.broadcast(x, axis.size, 0), 0
    x = batching.moveaxis(x, position, 0)
    rows = np.array(source, np.int32)
    out = _rows(x, np.maximum(rows, 0))
    if min(source) < 0:
        hit = np.reshape(rows >= 0, (-1,) + (1,) * (len(shape_of(x)) - 1))
        out = select(np.broadcast_to(hit, shape_of(x)), out, fill_like(out, 0))
    return out, 0


def _rows(x: Any, rows: np.ndarray) -> Any:
    """Rows of known numbers, all in range."""
    shape = shape_of(x)
    numbers = GatherDimensionNumbers(
        offset_dims=tuple(range(1, len(shape))),
        collapsed_slice_dims=(0,),
        start_index_map=(0,),
    )
    return gather(x, rows[:, None], numbers, (1, *shape[1:]))


def _permute_other(axis: Any, operands: Any, axes: Any, **params: Any) -> Any:
    return ppermute_p.bind(*operands, **params), axes[0]


def _permute_transpose(y_bar: Any, x: Any, *, axis_name: Any, perm: Any) -> list[Any]:
    back = tuple([(dst, src) for src, dst in perm])
    return [ppermute_p.bind(y_bar, axis_name=axis_name, perm=back)]


define(
    ppermute_p,
    abstract_eval=lambda x, **params: x,
    effects=effects_over("axis_name"),
    jvp=ad.linear(ppermute_p),
    transpose=_permute_transpose,
    batch=batch_over(ppermute_p, "axis_name", _permute_own, _permute_other),
    lower=lower_over("axis_name"),
)


# --- pbroadcast -----------------------------------------------------------------------


def pbroadcast(x: Any, axis_name: AxisName, source: ArrayLike) -> Any:
    """What the one at index `source` has, for all along a named axis: T[*s] -> T[*s].

    source: an int, or an integer scalar that is computed.

    >>> import minijax as mj, numpy as np
    >>> f = lambda x: x - mj.lax.pbroadcast(x, "i", 1)
    >>> mj.vmap(f, axis_name="i")(np.arange(3))
    Array([-1,  0,  1], dtype=int32)

    Raises:
        ValueError: the index is out of range.
        NameError: nobody bound the name.
    """
    size = size_of_names(names_of(axis_name))
    if not isinstance(source, int | np.integer):
        return tree.map(
            lambda leaf: pbroadcast_dynamic_p.bind(leaf, source, axis_name=axis_name), x
        )
    if not 0 <= source < size:
        raise ArgumentValueError(
            f"The source of pbroadcast is an index below {size}.", f"Found {source}."
        )
    return tree.map(
        lambda leaf: pbroadcast_p.bind(leaf, axis_name=axis_name, source=int(source)), x
    )


def _one_name(axis_name: Any) -> None:
    if len(names_of(axis_name)) > 1:
        raise NotSupportedError(
            "Under vmap pbroadcast is along one named axis.", f"Found {axis_name}."
        )


def _broadcast_own(
    axis: Any, operands: Any, axes: Any, *, axis_name: Any, source: int
) -> Any:
    (x,), (position,) = operands, axes
    _one_name(axis_name)
    if position is None:
        return x, None
    return index_in_dim(x, source, position, keepdims=False), None


def _broadcast_other(axis: Any, operands: Any, axes: Any, **params: Any) -> Any:
    return pbroadcast_p.bind(*operands, **params), axes[0]


def _at_source(y_bar: Any, axis_name: Any, source: Any) -> Any:
    """The sum of what arrives everywhere, at the source; zero elsewhere."""
    total = psum(y_bar, axis_name)
    index = axis_index(axis_name)
    chosen = eq(index, scalar_like(index, source) if type(source) is int else source)
    return select(chosen, total, fill_like(total, 0))


define(
    pbroadcast_p,
    abstract_eval=lambda x, **params: x,
    effects=effects_over("axis_name"),
    jvp=ad.linear(pbroadcast_p),
    transpose=lambda y_bar, x, *, axis_name, source: [
        _at_source(y_bar, axis_name, source)
    ],
    batch=batch_over(pbroadcast_p, "axis_name", _broadcast_own, _broadcast_other),
    lower=lower_over("axis_name"),
)


def _dynamic_own(axis: Any, operands: Any, axes: Any, *, axis_name: Any) -> Any:
    (x, source), (position, source_axis) = operands, axes
    _one_name(axis_name)
    if position is None:
        return x, None
    if source_axis is None:
        return dynamic_index_in_dim(x, source, position, keepdims=False), None
    return index_take(batching.moveaxis(x, position, 0), (source,), (0,)), 0


def _dynamic_other(axis: Any, operands: Any, axes: Any, *, axis_name: Any) -> Any:
    x, source = operands
    if axes[1] is not None:
        raise NotSupportedError(
            "pbroadcast takes one computed source for all examples of vmap.",
            "Found one per example.",
        )
    return pbroadcast_dynamic_p.bind(x, source, axis_name=axis_name), axes[0]


def _dynamic_partial(x_dot: Any, x: Any, source: Any, **params: Any) -> Any:
    return pbroadcast_dynamic_p.bind(x_dot, source, **params)


define(
    pbroadcast_dynamic_p,
    abstract_eval=lambda x, source, **params: x,
    effects=effects_over("axis_name"),
    jvp=ad.partials(pbroadcast_dynamic_p, _dynamic_partial, None),
    transpose=lambda y_bar, x, source, *, axis_name: [
        _at_source(y_bar, axis_name, source),
        None,
    ],
    batch=batch_over(pbroadcast_dynamic_p, "axis_name", _dynamic_own, _dynamic_other),
    lower=lower_over("axis_name"),
)
