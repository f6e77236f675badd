"""map: a function of each slice along the first axis, one after the other.

Source: spec/control_flow.md §5.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import tree
from ...base.errors import ArgumentTypeError, ArgumentValueError
from ...core import current, typeof, use_trace
from ...interpreters import batching
from ..joining import concatenate
from ..shapes import reshape
from ..slicing import slice_in_dim
from .scans import Scan, run_scan, shape_of, steps_along
from .tracing import Calling, check_callable


def map[X, Y](f: Callable[[X], Y], xs: X, *, batch_size: int | None = None) -> Y:
    """`f` of each slice of `xs` along the first axis, one after the other, stacked.

    As `vmap(f)(xs)`, with the memory of one call. batch_size: so many slices at a time
    are done at once, as by `vmap`.

    >>> import minijax as mj, minijax.numpy as jnp
    >>> print(mj.lax.map(lambda x: x * 2, jnp.arange(3)))
    [0 2 4]

    Raises:
      TypeError: `f` is no function, or leaves differ in size where there is a
        `batch_size`. ValueError: `xs` has no leaves, or their sizes differ.
    """
    check_callable("map", "f", f)
    if batch_size is None:
        return run_scan(Scan(f, _EACH, "map"), None, xs, None, False, 1)[1]
    return _map_in_batches(f, xs, batch_size)


def _run_each(f: Any, _: None, x: Any) -> tuple[None, Any]:
    return None, f(x)


def _run_batch(f: Any, _: None, xs: Any) -> tuple[None, Any]:
    return None, _vmapped(f, xs)


_EACH = Calling(_run_each, lambda _, x: (x,))
_EACH_BATCH = Calling(_run_batch, lambda _, x: (x,))


def _map_in_batches(f: Callable[..., Any], xs: Any, batch_size: int) -> Any:
    leaves = tree.leaves(xs)
    if not leaves:
        raise ArgumentValueError(
            "map must know how many slices there are.", "Found no leaf in xs."
        )
    size = steps_along("map", leaves[:1], None)
    if batch_size < 0:
        raise ArgumentValueError(
            "`batch_size` of map must not be negative.", f"Found {batch_size}."
        )
    for x in leaves:
        shape = shape_of(x)
        if not shape or shape[0] != size:
            raise ArgumentTypeError(
                f"All leaves of xs of map must have {size} slices, as the first has.",
                f"Found a leaf of shape {shape}.",
            )
    if not batch_size or batch_size >= size:
        return _vmapped(f, xs)
    batches = size // batch_size
    main = batches * batch_size
    blocks = tree.map(
        lambda x: reshape(
            slice_in_dim(x, 0, main) if main < size else x,
            (batches, batch_size, *typeof(x).shape[1:]),
        ),
        xs,
    )
    rest = tree.map(lambda x: slice_in_dim(x, main, size), xs) if main < size else None
    done = run_scan(Scan(f, _EACH_BATCH, "map"), None, blocks, None, False, 1)[1]
    if main == size:
        return tree.map(lambda y: _unblocked(y, main), done)
    left = _vmapped(f, rest)
    return tree.map(lambda y, z: concatenate([_unblocked(y, main), z], 0), done, left)


def _unblocked(y: Any, size: int) -> Any:
    return reshape(y, (size, *typeof(y).shape[2:]))


def _vmapped(f: Callable[..., Any], xs: Any) -> Any:
    leaves, in_tree = tree.flatten(xs)
    axis = batching.BatchAxis(batching.UNNAMED, typeof(leaves[0]).shape[0])
    trace = batching.BatchTrace(current.value, axis)
    with use_trace(trace):
        out = f(tree.unflatten(in_tree, [trace.join(x, 0) for x in leaves]))
    results, out_tree = tree.flatten(out)
    ys = [batching.at_front(*trace.split(y), axis.size) for y in results]
    trace.alive = False
    return tree.unflatten(out_tree, ys)
