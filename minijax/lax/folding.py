"""Reductions and scans as trees of elementwise steps.

A tree costs more than the one operation a compiler has for it, but its derivative is
that of its steps, right where one formula for the whole would divide by zero. Both
kinds of trees here take and return lists of arrays of one shape, one per component of
what is combined.

Source: spec/ad.md §4.3, spec/control_flow.md §6.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from ..base.errors import ArgumentTypeError, ArgumentValueError, NotAnArrayError
from ..core import current, is_array_type, typeof, use_trace
from ..interpreters import ad
from ..tree import keystr, tree_flatten, tree_leaves_with_path, tree_unflatten
from .arithmetic import add
from .bits import bitwise_or
from .generation import fill, scalar_like
from .joining import concatenate
from .shapes import reshape, rev, squeeze
from .slicing import pad, slice, slice_in_dim

__all__ = ["associative_scan"]

type Combine = Callable[[list[Any], list[Any]], Sequence[Any]]


def jvp_of(
    fun: Callable[..., Sequence[Any]], primals: Sequence[Any], tangents: Sequence[Any]
) -> tuple[list[Any], list[Any]]:
    """The results of `fun` and their tangents, by forward mode through its steps."""
    trace = ad.JVPTrace(current.value)
    with use_trace(trace):
        outs = fun(*map(trace.wrap, primals, tangents))
    trace.alive = False
    pairs = [trace.split(out) for out in outs]
    return [out for out, _ in pairs], [out_dot for _, out_dot in pairs]


# --- reduction ------------------------------------------------------------------------


def reduce_by_tree(
    combine: Combine, operands: Sequence[Any], inits: Sequence[Any], axes: Sequence[int]
) -> list[Any]:
    """Combine all along `axes`, halves with halves; `inits` fill up odd sizes."""
    shape = typeof(operands[0]).shape
    rest = [axis for axis in range(len(shape)) if axis not in axes]
    kept = tuple(shape[axis] for axis in rest)
    size = prod(shape[axis] for axis in axes)
    if size == 0:
        return [fill(init, kept) for init in inits]
    order = (*axes, *rest)
    # Along one leading axis all is a matter of slices.
    xs = [reshape(x, (size, *kept), order) for x in operands]
    while size > 1:
        half, other = (size + 1) // 2, size // 2
        low = [slice_in_dim(x, 0, half) for x in xs]
        high = [slice_in_dim(x, half, size) for x in xs]
        if other < half:
            config = ((0, 1, 0),) + ((0, 0, 0),) * len(kept)
            high = [pad(x, init, config) for x, init in zip(high, inits, strict=True)]
        xs, size = list(combine(low, high)), half
    return [squeeze(x, (0,)) for x in xs]


# --- scan -----------------------------------------------------------------------------


def associative_scan(
    fn: Callable[[Any, Any], Any], elems: Any, reverse: bool = False, axis: int = 0
) -> Any:
    """All prefixes of `elems` along an axis, combined by an associative function.

    fn: takes two pytrees like `elems`, whose arrays hold many elements along the axis,
    and combines them pairwise. It is called a logarithmic number of times. With
    `reverse`, suffixes, with the later element first.

    >>> import minijax as mj
    >>> print(mj.lax.associative_scan(mj.lax.add, mj.numpy.arange(4)))
    [0 1 3 6]

    Raises:
      TypeError: `fn` is not callable.
      ValueError: an array has no axis to scan along, or the sizes differ.
    """
    if not callable(fn):
        raise ArgumentTypeError(
            "associative_scan needs a function to combine with.", f"Found {fn!r}."
        )
    leaves, structure = tree_flatten(elems)
    for path, x in tree_leaves_with_path(elems):
        if not is_array_type(x):
            raise NotAnArrayError(
                type(x).__name__,
                function="associative_scan",
                path="elems" + keystr(path),
                value=repr(x)[:80],
            )
    axis = _scanned_axis(leaves, axis)

    def combine(xs: list[Any], ys: list[Any]) -> list[Any]:
        out = fn(tree_unflatten(structure, xs), tree_unflatten(structure, ys))
        combined = tree_flatten(out)[0]
        if len(combined) != len(leaves):
            raise ArgumentValueError(
                f"`fn` must return {len(leaves)} arrays, as many as it is given.",
                f"Found {len(combined)}.",
            )
        return combined

    outs = scan_by_tree(combine, leaves, axis, reverse=reverse)
    return tree_unflatten(structure, outs)


def _scanned_axis(leaves: Sequence[Any], axis: int) -> int:
    shapes = [typeof(x).shape for x in leaves]
    rank = len(shapes[0]) if shapes else 0
    position = axis + rank if axis < 0 else axis
    if any(not 0 <= position < len(shape) for shape in shapes):
        raise ArgumentValueError(
            f"associative_scan goes along axis {axis} of every array.",
            f"Found shapes {shapes}.",
        )
    if len({shape[position] for shape in shapes}) > 1:
        raise ArgumentValueError(
            f"associative_scan needs arrays of one size along axis {axis}.",
            f"Found shapes {shapes}.",
        )
    return position


def scan_by_tree(
    combine: Combine, xs: Sequence[Any], axis: int, *, reverse: bool = False
) -> list[Any]:
    """All prefixes along `axis`: pairs are combined, scanned, and put in between."""
    if reverse:
        flipped = [rev(x, (axis,)) for x in xs]
        return [rev(x, (axis,)) for x in _prefixes(combine, flipped, axis)]
    return _prefixes(combine, list(xs), axis)


def _prefixes(combine: Combine, xs: list[Any], axis: int) -> list[Any]:
    size = typeof(xs[0]).shape[axis] if xs else 0
    if size < 2:
        return xs
    pairs = combine(
        [_cut(x, 0, size - 1, 2, axis) for x in xs],
        [_cut(x, 1, size, 2, axis) for x in xs],
    )
    odd = _prefixes(combine, list(pairs), axis)
    before = odd
    if size % 2 == 0:
        before = [_cut(x, 0, typeof(x).shape[axis] - 1, 1, axis) for x in odd]
    even = combine(before, [_cut(x, 2, size, 2, axis) for x in xs])
    even = [
        concatenate([_cut(x, 0, 1, 1, axis), y], axis)
        for x, y in zip(xs, even, strict=True)
    ]
    return [_interleave(x, y, axis) for x, y in zip(even, odd, strict=True)]


def _cut(x: Any, start: int, stop: int, step: int, axis: int) -> Any:
    shape = typeof(x).shape
    starts = [0] * len(shape)
    stops, steps = list(shape), [1] * len(shape)
    starts[axis], stops[axis], steps[axis] = min(start, stop), stop, step
    return slice(x, starts, stops, steps)


def _interleave(even: Any, odd: Any, axis: int) -> Any:
    """Elements of `even` and `odd` in turns: spaced out with zeros, and added."""
    aval = typeof(even)
    missing = aval.shape[axis] - typeof(odd).shape[axis]
    zero = scalar_like(even, 0)
    spaced = [
        pad(even, zero, _spacing(aval.ndim, axis, 0, 1 - missing)),
        pad(odd, zero, _spacing(aval.ndim, axis, 1, missing)),
    ]
    return (bitwise_or if aval.dtype == bool else add)(*spaced)


def _spacing(ndim: int, axis: int, low: int, high: int) -> tuple[Any, ...]:
    config = [(0, 0, 0)] * ndim
    config[axis] = (low, high, 1)
    return tuple(config)
