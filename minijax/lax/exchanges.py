"""Exchanging values along named axes: gathering, scattering, all to all.

Under `vmap(axis_name=…)` each is a rearrangement of the batched array. A collective
over several names at once, one of them mapped here, is taken apart into one per name.

Source: spec/batching.md §4, spec/sharding.md §11, spec/ad.md §4.6.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .. import tree
from ..base.errors import (
    ArgumentValueError,
    NotSupportedError,
)
from ..base.util import canonicalize_axis, tuple_replace
from ..core import AxisName, Primitive, ShapedArray, axis_size
from ..interpreters import ad, batching
from .arithmetic import mul
from .axis_names import (
    Names,
    batch_over,
    effects_over,
    lower_over,
    merged_axes,
    names_of,
    parsed_groups,
    per_example,
    refuse_groups,
    shape_of,
    size_of_names,
)
from .definition import define
from .generation import scalar_like
from .shapes import expand_dims, reshape, squeeze, transpose

if TYPE_CHECKING:
    pass

__all__ = [
    "all_gather",
    "all_gather_p",
    "all_to_all",
    "all_to_all_p",
    "psum_scatter",
    "pswapaxes",
]

all_gather_p = Primitive("all_gather")
reduce_scatter_p = Primitive("reduce_scatter")
all_to_all_p = Primitive("all_to_all")


# --- all_gather -----------------------------------------------------------------------


def all_gather(
    x: Any,
    axis_name: AxisName,
    *,
    axis_index_groups: Any = None,
    axis: int = 0,
    tiled: bool = False,
    to: str = "varying",
) -> Any:
    """The values of all along a named axis, leaf by leaf: T[*s] -> T[size, *s].

    axis: where the new axis stands. tiled: no new axis, the values are concatenated
    along `axis`.

    >>> import minijax as mj, numpy as np
    >>> x = np.arange(3)
    >>> mj.vmap(lambda x: mj.lax.all_gather(x, "i"), axis_name="i", out_axes=None)(x)
    Array([0, 1, 2], dtype=int32)

    Raises:
        NameError: nobody bound the name.
        ValueError: `axis` is out of range, or the groups do not divide the axis.
    """
    if to != "varying":
        raise NotSupportedError(
            "all_gather to an invarying or reduced result is for axes of a mesh.",
            f"Found to={to!r}.",
        )
    names = names_of(axis_name)
    groups = parsed_groups(axis_index_groups, names)
    size = size_of_names(names, groups)

    def gathered(leaf: Any) -> Any:
        place = canonicalize_axis(axis, len(shape_of(leaf)) + (not tiled))
        return all_gather_p.bind(
            leaf,
            all_gather_dimension=place,
            axis_index_groups=groups,
            axis_name=names,
            axis_size=size,
            tiled=bool(tiled),
        )

    return tree.map(gathered, x)


def _gathered_type(
    x: ShapedArray, *, all_gather_dimension: int, axis_size: int, tiled: bool, **_: Any
) -> ShapedArray:
    place, shape = all_gather_dimension, x.shape
    if tiled:
        return x.update(shape=tuple_replace(shape, place, shape[place] * axis_size))
    return x.update(shape=(*shape[:place], axis_size, *shape[place:]))


def _gather_own(axis: Any, operands: Any, axes: Any, **params: Any) -> Any:
    (x,), (position,) = operands, axes
    names, place = params["axis_name"], params["all_gather_dimension"]
    refuse_groups(all_gather_p, params["axis_index_groups"], axis.name)
    if len(names) > 1:
        return per_example(
            axis,
            lambda x: _gather_in_turn(x, names, place, tiled=params["tiled"]),
            x,
            position,
        )
    if position is None:
        out = batching.broadcast(x, axis.size, place)
    else:
        out = batching.moveaxis(x, position, place)
    if params["tiled"]:
        out = reshape(out, merged_axes(shape_of(out), place))
    return out, None


def _gather_in_turn(x: Any, names: Names, place: int, *, tiled: bool) -> Any:
    """Gather along each name, the last one first, and make one axis of theirs."""
    for name in reversed(names):
        x = all_gather(x, name, axis=place)
    for _ in names[1:]:
        x = reshape(x, merged_axes(shape_of(x), place))
    return reshape(x, merged_axes(shape_of(x), place)) if tiled else x


def _gather_other(axis: Any, operands: Any, axes: Any, **params: Any) -> Any:
    (x,), (position,) = operands, axes
    place = batching.renumber(params["all_gather_dimension"], past=position)
    out = all_gather_p.bind(x, **{**params, "all_gather_dimension": place})
    is_before = not params["tiled"] and place <= position
    return out, position + is_before


def _gather_transpose(y_bar: Any, x: Any, **params: Any) -> list[Any]:
    place = params.pop("all_gather_dimension")
    return [reduce_scatter_p.bind(y_bar, scatter_dimension=place, **params)]


define(
    all_gather_p,
    abstract_eval=_gathered_type,
    effects=effects_over("axis_name"),
    jvp=ad.linear(all_gather_p),
    transpose=_gather_transpose,
    batch=batch_over(all_gather_p, "axis_name", _gather_own, _gather_other),
    lower=lower_over("axis_name"),
)


# --- psum_scatter ---------------------------------------------------------------------


def psum_scatter(
    x: Any,
    axis_name: AxisName,
    *,
    scatter_dimension: int = 0,
    axis_index_groups: Any = None,
    tiled: bool = False,
) -> Any:
    """The sum along a named axis, of which each gets its own part, leaf by leaf.

    T[size, *s] -> T[*s]: the part is an element of axis `scatter_dimension`. tiled: a
    block of it, T[size * n, *s] -> T[n, *s].

    >>> import minijax as mj, numpy as np
    >>> x = np.arange(4).reshape(2, 2)
    >>> mj.vmap(lambda x: mj.lax.psum_scatter(x, "i"), axis_name="i")(x)
    Array([2, 4], dtype=int32)

    Raises:
        NameError: nobody bound the name.
        ValueError: the size of the axis does not fit.
    """
    names = names_of(axis_name)
    groups = parsed_groups(axis_index_groups, names)
    size = size_of_names(names, groups)

    def scattered(leaf: Any) -> Any:
        return reduce_scatter_p.bind(
            leaf,
            axis_index_groups=groups,
            axis_name=names,
            axis_size=size,
            scatter_dimension=canonicalize_axis(scatter_dimension, len(shape_of(leaf))),
            tiled=bool(tiled),
        )

    return tree.map(scattered, x)


def _scattered_type(
    x: ShapedArray, *, scatter_dimension: int, axis_size: int, tiled: bool, **_: Any
) -> ShapedArray:
    place, shape = scatter_dimension, x.shape
    size = shape[place]
    if tiled and size % axis_size == 0:
        return x.update(shape=tuple_replace(shape, place, size // axis_size))
    if tiled or size != axis_size:
        needed = "a multiple of" if tiled else ""
        raise ArgumentValueError(
            f"psum_scatter gives each of {axis_size} a part of axis {place}: its size "
            f"is {needed} {axis_size}.".replace("  ", " "),
            f"Found an operand of shape {shape}.",
            "" if tiled else "With tiled=True the parts are blocks.",
        )
    return x.update(shape=(*shape[:place], *shape[place + 1 :]))


def _scatter_own(axis: Any, operands: Any, axes: Any, **params: Any) -> Any:
    (x,), (position,) = operands, axes
    names, place = params["axis_name"], params["scatter_dimension"]
    refuse_groups(reduce_scatter_p, params["axis_index_groups"], axis.name)
    if len(names) > 1:
        return per_example(
            axis,
            lambda x: _scatter_in_turn(x, names, place, tiled=params["tiled"]),
            x,
            position,
        )
    if position is None:
        total = mul(x, scalar_like(x, axis.size))
    else:
        total = batching.sum_over(x, position)
    if params["tiled"]:
        shape = shape_of(total)
        blocks = (axis.size, shape[place] // axis.size)
        total = reshape(total, (*shape[:place], *blocks, *shape[place + 1 :]))
    return total, place


def _scatter_in_turn(x: Any, names: Names, place: int, *, tiled: bool) -> Any:
    for name in names:
        x = psum_scatter(x, name, scatter_dimension=place, tiled=True)
    return x if tiled else squeeze(x, (place,))


def _scatter_other(axis: Any, operands: Any, axes: Any, **params: Any) -> Any:
    (x,), (position,) = operands, axes
    place = batching.renumber(params["scatter_dimension"], past=position)
    out = reduce_scatter_p.bind(x, **{**params, "scatter_dimension": place})
    is_before = not params["tiled"] and place < position
    return out, position - is_before


def _scatter_transpose(y_bar: Any, x: Any, **params: Any) -> list[Any]:
    place = params.pop("scatter_dimension")
    return [all_gather_p.bind(y_bar, all_gather_dimension=place, **params)]


define(
    reduce_scatter_p,
    abstract_eval=_scattered_type,
    effects=effects_over("axis_name"),
    jvp=ad.linear(reduce_scatter_p),
    transpose=_scatter_transpose,
    batch=batch_over(reduce_scatter_p, "axis_name", _scatter_own, _scatter_other),
    lower=lower_over("axis_name"),
)


# --- all_to_all -----------------------------------------------------------------------


def all_to_all(
    x: Any,
    axis_name: AxisName,
    split_axis: int,
    concat_axis: int,
    *,
    axis_index_groups: Any = None,
    tiled: bool = False,
) -> Any:
    """Each sends the i-th part along `split_axis` to the i-th, leaf by leaf.

    What arrives stands along `concat_axis`: a new axis, and `split_axis`, whose size is
    that of the named axis, is gone. tiled: parts are blocks, and are concatenated.

    >>> import minijax as mj, numpy as np
    >>> x = np.arange(4).reshape(2, 2)
    >>> mj.vmap(lambda x: mj.lax.all_to_all(x, "i", 0, 0), axis_name="i")(x)
    Array([[0, 2],
           [1, 3]], dtype=int32)

    Raises:
        NameError: nobody bound the name.
        ValueError: the size of the split axis does not fit.
    """
    names = names_of(axis_name)
    groups = parsed_groups(axis_index_groups, names)
    size = size_of_names(names, groups)

    def exchanged(leaf: Any) -> Any:
        shape = shape_of(leaf)
        split = canonicalize_axis(split_axis, len(shape), "split_axis")
        concat = canonicalize_axis(concat_axis, len(shape), "concat_axis")
        _check_split(shape, split, size, tiled=tiled)
        if tiled or split == concat:
            return _exchange(leaf, axis_name, split, concat, groups, tiled=tiled)
        # The axis that is to come is there already, with size 1.
        place = concat + (concat >= split)
        split += concat < split
        leaf = expand_dims(leaf, (place,))
        out = _exchange(leaf, axis_name, split, place, groups, tiled=False)
        return squeeze(out, (split,))

    return tree.map(exchanged, x)


def pswapaxes(
    x: Any, axis_name: AxisName, axis: int, *, axis_index_groups: Any = None
) -> Any:
    """Swap a named axis with axis `axis`, of the same size: T[*s] -> T[*s].

    >>> import minijax as mj, numpy as np
    >>> x = np.arange(4).reshape(2, 2)
    >>> mj.vmap(lambda x: mj.lax.pswapaxes(x, "i", 0), axis_name="i")(x)
    Array([[0, 2],
           [1, 3]], dtype=int32)

    Raises: as `all_to_all`.
    """
    return all_to_all(x, axis_name, axis, axis, axis_index_groups=axis_index_groups)


def _check_split(shape: Sequence[int], split: int, size: int, *, tiled: bool) -> None:
    found = shape[split]
    if found == size or (tiled and found % size == 0):
        return
    needed = f"a multiple of {size}" if tiled else f"{size}"
    raise ArgumentValueError(
        f"all_to_all sends a part of axis {split} to each of {size}: its size is "
        f"{needed}.",
        f"Found an operand of shape {tuple(shape)}.",
        "" if tiled else "With tiled=True the parts are blocks.",
    )


def _exchange(
    x: Any, axis_name: Any, split: int, concat: int, groups: Any, *, tiled: bool
) -> Any:
    return all_to_all_p.bind(
        x,
        axis_index_groups=groups,
        axis_name=axis_name,
        concat_axis=concat,
        split_axis=split,
        tiled=bool(tiled),
    )


def _exchanged_type(
    x: ShapedArray,
    *,
    axis_name: Any,
    axis_index_groups: Any,
    split_axis: int,
    concat_axis: int,
    **_: Any,
) -> ShapedArray:
    if split_axis == concat_axis:
        return x
    size = size_of_names(names_of(axis_name), axis_index_groups)
    shape = tuple_replace(x.shape, split_axis, x.shape[split_axis] // size)
    concat = shape[concat_axis] * size
    return x.update(shape=tuple_replace(shape, concat_axis, concat))


def _exchange_own(axis: Any, operands: Any, axes: Any, **params: Any) -> Any:
    (x,), (position,) = operands, axes
    names = names_of(params["axis_name"])
    split, concat = params["split_axis"], params["concat_axis"]
    refuse_groups(all_to_all_p, params["axis_index_groups"], axis.name)
    if position is None:
        x, position = batching.broadcast(x, axis.size, 0), 0
    place = batching.renumber(split, past=position)
    if len(names) > 1 or split != concat or shape_of(x)[place] != axis.size:
        return per_example(
            axis, lambda x: _exchange_in_turn(x, names, split, concat), x, position
        )
    # As many parts as takers, and they stay where they are: the two axes swap.
    return _swapped(x, place, position), position


def _swapped(x: Any, one: int, other: int) -> Any:
    order = list(range(len(shape_of(x))))
    order[one], order[other] = other, one
    return x if one == other else transpose(x, order)


def _exchange_in_turn(x: Any, names: Names, split: int, concat: int) -> Any:
    """An axis of its own for each name, swaps, and these axes in front of `concat`."""
    sizes = [axis_size(name) for name in names]
    shape, end = shape_of(x), split + len(names)
    block = shape[split] // math.prod(sizes)
    x = reshape(x, (*shape[:split], *sizes, block, *shape[split + 1 :]))
    for place, name in enumerate(names, split):
        x = pswapaxes(x, name, place)
    others = [i for i in range(len(shape_of(x))) if not split <= i < end]
    x = transpose(x, [*others[:concat], *range(split, end), *others[concat:]])
    for _ in names:
        x = reshape(x, merged_axes(shape_of(x), concat))
    return x


def _exchange_other(axis: Any, operands: Any, axes: Any, **params: Any) -> Any:
    (x,), (position,) = operands, axes
    places = {
        name: batching.renumber(params[name], past=position)
        for name in ("split_axis", "concat_axis")
    }
    return all_to_all_p.bind(x, **{**params, **places}), position


def _exchange_transpose(
    y_bar: Any, x: Any, *, split_axis: int, concat_axis: int, **params: Any
) -> list[Any]:
    return [
        all_to_all_p.bind(
            y_bar, split_axis=concat_axis, concat_axis=split_axis, **params
        )
    ]


define(
    all_to_all_p,
    abstract_eval=_exchanged_type,
    effects=effects_over("axis_name"),
    jvp=ad.linear(all_to_all_p),
    transpose=_exchange_transpose,
    batch=batch_over(all_to_all_p, "axis_name", _exchange_own, _exchange_other),
    lower=lower_over("axis_name"),
)
