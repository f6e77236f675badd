"""`vmap`: a function of one example becomes a function of many.

The function is run once, on tracers that show one example each and hold them all. What
an argument or result is mapped over is told by prefix trees of axes; a wrong one is
answered with names and paths, which are looked up only then: a call that goes well pays
for the run and for one pass over the leaves.

Source: spec/batching.md §1.
"""

from __future__ import annotations

import functools
import inspect
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

from .. import tree
from ..base import util
from ..base.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    AxisOutOfRangeError,
    NotAnArrayError,
    NotAnArrayResultError,
    NotCallableError,
)
from ..core import (
    Transform,
    argument_names,
    binding_axes,
    check_leaks,
    current,
    current_scope,
    is_array_type,
    set_scope,
    typeof,
)
from ..interpreters import batching

_SCOPE = (Transform("vmap"),)


def vmap[F: Callable[..., Any]](
    fun: F,
    in_axes: int | Sequence[Any] | None = 0,
    out_axes: Any = 0,
    axis_name: Hashable | None = None,
    axis_size: int | None = None,
    spmd_axis_name: Hashable | tuple[Hashable, ...] | None = None,
    sum_match: bool = False,
) -> F:
    """Map `fun` over an axis of its arguments, all examples at once.

    in_axes: which axis of each positional argument is mapped: an int for all, or a
    tuple with an entry per argument, each an int, None (not mapped), or a prefix of the
    argument's tree with such leaves. Keyword arguments are mapped over axis 0.
    out_axes: where the mapped axis stands in each result: an int, or a prefix of the
    result's tree; None for a result that does not depend on the mapped arguments.
    axis_name: what collectives inside `fun` call the axis. axis_size: its size, needed
    if no argument is mapped. spmd_axis_name: mesh axes that the mapped axis is laid out
    over. sum_match: a result that has the axis and None in `out_axes` is summed.

    `T[*s]` mapped at k is `T[*s[:k], size, *s[k:]]`.

    Raises:
        TypeError: `fun` is not a function, or an axis is neither an int nor None; a
            mapped argument or a result is not an array.
        ValueError: axes and arguments do not fit, or mapped sizes differ.

    Example:
        >>> import minijax as mj, minijax.numpy as jnp
        >>> rows = jnp.arange(6.0).reshape(2, 3)
        >>> mj.vmap(jnp.dot, in_axes=(0, None))(rows, jnp.ones(3))
        Array([ 3., 12.], dtype=float32)
    """
    _check_function(fun)
    axes: Any = tuple(in_axes) if isinstance(in_axes, list) else in_axes
    _check_axes(axes, out_axes)
    spmd = (spmd_axis_name,) if isinstance(spmd_axis_name, str) else spmd_axis_name
    name = batching.UNNAMED if axis_name is None else axis_name
    mapping = _Mapping(fun, axes, out_axes, name, axis_size, spmd, sum_match)

    @functools.wraps(fun)
    def mapped(*args: Any, **kwargs: Any) -> Any:
        return _call(mapping, args, kwargs)

    mapped.__doc__ = _docstring(fun)
    return mapped  # type: ignore[return-value]


class _Mapping(NamedTuple):
    """What `vmap` was told; its arguments, checked."""

    fun: Callable[..., Any]
    in_axes: int | tuple[Any, ...] | None
    out_axes: Any
    name: Hashable
    axis_size: int | None
    spmd_name: Any
    sum_match: bool


def _docstring(fun: Callable[..., Any]) -> str:
    name = util.function_name(fun)
    first = f"`{name}` mapped over array axes: its arguments and results have one more."
    own = (
        inspect.getdoc(fun) if isinstance(getattr(fun, "__doc__", None), str) else None
    )
    return f"{first}\n\nWhat `{name}` does:\n\n{own}" if own else first


# --- When it is wrapped -------------------


def _check_function(fun: Any) -> None:
    if not callable(fun):
        raise NotCallableError("vmap", f"{fun!r} of type {type(fun).__name__}")
    if inspect.isgeneratorfunction(fun):
        raise NotCallableError(
            "vmap",
            f"the generator function {fun.__name__}",
            "Return the values as a tuple or an array instead of yielding them.",
        )


def _check_axes(in_axes: Any, out_axes: Any) -> None:
    if in_axes is not None and type(in_axes) not in (int, tuple):
        raise ArgumentTypeError(
            "vmap in_axes is an int, None, or a tuple with an entry per positional "
            "argument.",
            f"Found {in_axes!r} of type {type(in_axes).__name__}.",
            "A prefix tree for a single argument goes into a tuple of one: (prefix,).",
        )
    for what, axes in (("in_axes", in_axes), ("out_axes", out_axes)):
        for leaf in tree.none_leaf_registry.flatten(axes)[0]:
            # `type`: True counts as no axis, and NumPy's integers are not hashed alike.
            if leaf is not None and type(leaf) is not int:
                raise ArgumentTypeError(
                    f"The leaves of vmap {what} are ints and None.",
                    f"Found {leaf!r} of type {type(leaf).__name__}.",
                )


# --- When it is called --------------------


def _call(mapping: _Mapping, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    in_axes = mapping.in_axes
    if type(in_axes) is tuple and len(in_axes) != len(args):
        raise _wrong_count(len(in_axes), len(args), kwargs)
    leaves, in_tree = tree.flatten((args, kwargs))
    axes = _in_axes(in_axes, in_tree, kwargs)
    axes, size = _mapped_size(mapping, leaves, axes, args, kwargs)
    axis = batching.BatchAxis(mapping.name, size, mapping.spmd_name)
    trace = batching.BatchTrace(current.value, axis)
    outs, out_tree = _run(mapping.fun, trace, leaves, axes, in_tree)
    out_axes = _out_axes(mapping.out_axes, out_tree)
    for i, (out, dst) in enumerate(zip(outs, out_axes, strict=True)):
        outs[i] = _place(mapping, axis, out, dst, i, out_tree)
    check_leaks(trace)
    return tree.unflatten(out_tree, outs)


def _run(
    fun: Callable[..., Any],
    trace: batching.BatchTrace,
    leaves: list[Any],
    axes: Sequence[int | None],
    in_tree: Any,
) -> tuple[list[Any], Any]:
    """The function's results, each with the position of the mapped axis."""
    tracers = [trace.join(x, axis) for x, axis in zip(leaves, axes, strict=True)]
    args, kwargs = tree.unflatten(in_tree, tracers)
    axis, scope = trace.axis, current_scope()
    set_scope(scope + _SCOPE)
    previous = current.swap_local(trace)
    try:
        if axis.is_named:
            with binding_axes([(axis.name, axis.size)]):
                out = fun(*args, **kwargs)
        else:
            out = fun(*args, **kwargs)
    finally:
        current.set_local(previous)
        set_scope(scope)
        trace.alive = False
    leaves, out_tree = tree.flatten(out)
    outs = [trace.split(x) for x in leaves]
    for i, (x, position) in enumerate(outs):
        if position is None and not is_array_type(x):
            raise _no_array(fun, out, i)
    return outs, out_tree


def _in_axes(
    in_axes: Any, in_tree: Any, kwargs: dict[str, Any]
) -> Sequence[int | None]:
    if type(in_axes) is not tuple and not kwargs:
        return [in_axes] * in_tree.num_leaves
    # Keyword arguments are mapped over axis 0 whatever in_axes says.
    prefix = (in_axes, 0)
    try:
        return _flat_in_axes(prefix, in_tree)
    except TypeError:  # a prefix with dicts or lists is no key
        return _flatten_in_axes(prefix, in_tree)


def _flatten_in_axes(prefix: Any, in_tree: Any) -> Sequence[int | None]:
    return tree.flatten_axes("vmap in_axes", in_tree, prefix, kws=True)


_flat_in_axes = util.memoize(maxsize=1024)(_flatten_in_axes)


def _out_axes(out_axes: Any, out_tree: Any) -> Sequence[int | None]:
    if out_axes is None or type(out_axes) is int:
        return [out_axes] * out_tree.num_leaves
    return tree.flatten_axes("vmap out_axes", out_tree, out_axes)


def _mapped_size(
    mapping: _Mapping,
    leaves: list[Any],
    axes: Sequence[int | None],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> tuple[list[int | None], int]:
    """The axes as positions from the front, and the size they share."""
    positions: list[int | None] = []
    sizes: list[tuple[int, int]] = []  # which leaf, its size
    for i, (x, axis) in enumerate(zip(leaves, axes, strict=True)):
        if axis is not None:
            shape = _shape(x, i, mapping, args, kwargs)
            if not -len(shape) <= axis < len(shape):
                raise _rank_too_small(axis, shape, i, mapping, args, kwargs)
            axis %= len(shape)
            sizes.append((i, shape[axis]))
        positions.append(axis)
    size = mapping.axis_size
    if size is None:
        if not sizes:
            raise _no_size(leaves, args, kwargs)
        size = sizes[0][1]
    if any(one != size for _, one in sizes):
        raise _sizes_differ(mapping, leaves, positions, sizes, args, kwargs)
    return positions, size


def _shape(
    x: Any, i: int, mapping: _Mapping, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[int, ...]:
    try:
        return typeof(x).shape
    except NotAnArrayError:
        raise NotAnArrayError(
            type(x).__name__,
            function=f"vmap of {util.function_name(mapping.fun)}",
            path=_leaf_names(mapping.fun, args, kwargs)[i],
            value=repr(x),
            do="Give it None in in_axes to pass it to the function as it is.",
        ) from None


def _place(
    mapping: _Mapping,
    axis: batching.BatchAxis,
    out: tuple[Any, int | None],
    dst: int | None,
    i: int,
    out_tree: Any,
) -> Any:
    """One result, with the mapped axis where it was asked for."""
    x, src = out
    if dst is None:
        if src is None:
            return x
        if mapping.sum_match:
            return batching.sum_over(x, src)
        raise _mapped_but_not_wanted(mapping, src, i, out_tree)
    ndim = len(typeof(x).shape) + (src is None)
    if not -ndim <= dst < ndim:
        raise AxisOutOfRangeError(dst, ndim, "vmap out_axes")
    return batching.match(axis, x, src, dst % ndim)[0]


# --- What is said when it does not fit ----


def _no_array(fun: Callable[..., Any], out: Any, i: int) -> NotAnArrayResultError:
    path, x = tree.leaves_with_path(out)[i]
    function = f"{util.function_name(fun)} (which returned {x!r})"
    kind = type(x).__name__
    return NotAnArrayResultError(
        kind, function=function, path=tree.keystr(path), by="vmap"
    )


def _wrong_count(axes: int, args: int, kwargs: dict[str, Any]) -> ArgumentValueError:
    asked = "vmap in_axes, if a tuple, has one entry per positional argument."
    found = f"Found {axes} entries for {args} positional arguments."
    if not kwargs:
        return ArgumentValueError(asked, found)
    names = ", ".join(map(repr, kwargs))
    found += (
        f" {len(kwargs)} more were passed by keyword ({names}): these are always mapped"
        " over axis 0, and in_axes says nothing about them."
    )
    do = (
        "Pass them by position, or shorten in_axes, or bind them beforehand with "
        "functools.partial inside the mapped function."
    )
    return ArgumentValueError(asked, found, do)


def _leaf_names(
    fun: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> list[str]:
    """A name per leaf, in the order of the leaves of `(args, kwargs)`."""
    by_keyword = [
        f"kwargs[{name!r}]{tree.keystr(path)}"
        for name in sorted(kwargs)
        for path, _ in tree.leaves_with_path(kwargs[name])
    ]
    return [*argument_names(fun, args, {}), *by_keyword]


def _rank_too_small(
    axis: int,
    shape: tuple[int, ...],
    i: int,
    mapping: _Mapping,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> ArgumentValueError:
    rank = axis + 1 if axis >= 0 else -axis
    name = _leaf_names(mapping.fun, args, kwargs)[i]
    return ArgumentValueError(
        f"vmap maps {name} over axis {axis}, so its rank must be at least {rank}.",
        f"Found rank {len(shape)}, shape {shape}.",
        "A Python list is a tree of scalars: make it an array." if not shape else "",
    )


def _no_size(
    leaves: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> ArgumentValueError:
    asked = "vmap needs the size of the mapped axis."
    if leaves:
        return ArgumentValueError(
            asked,
            "Found no mapped argument: in_axes is None for all of them.",
            "Map one of them, or pass axis_size.",
        )
    return ArgumentValueError(
        asked,
        f"Found arguments without arrays: args={args}, kwargs={kwargs}.",
        "Pass an array, or axis_size.",
    )


def _sizes_differ(
    mapping: _Mapping,
    leaves: list[Any],
    positions: list[int | None],
    sizes: list[tuple[int, int]],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> ArgumentValueError:
    names = _leaf_names(mapping.fun, args, kwargs)
    examples: dict[int, str] = {}
    for i, size in sizes:
        text = (
            f"axis {positions[i]} of {names[i]} of type {typeof(leaves[i]).str_short()}"
        )
        examples.setdefault(size, text)
    lines = []
    if mapping.axis_size is not None:
        lines.append(f"* the axis_size argument was {mapping.axis_size}")
    counts = Counter(size for _, size in sizes).most_common()
    for rank, (size, count) in enumerate(counts):
        if count == 1:
            lines.append(f"* size {size}: one axis, {examples[size]}")
        else:
            share = "some" if rank else "most"
            lines.append(
                f"* size {size}: {share} axes ({count}), e.g. {examples[size]}"
            )
    found = "Found:\n  " + "\n  ".join(lines)
    return ArgumentValueError("vmap maps over axes of one size.", found)


def _out_path(i: int, out_tree: Any, out_axes: Any) -> str:
    """Where, in the prefix `out_axes`, the entry for result number `i` stands."""
    paths, structure = tree.none_leaf_registry.flatten_with_path(out_axes)
    numbers = structure.unflatten(range(len(paths)))
    number = tree.flatten_axes("vmap out_axes", out_tree, numbers)[i]
    return tree.keystr(paths[number][0])


def _mapped_but_not_wanted(
    mapping: _Mapping, src: int, i: int, out_tree: Any
) -> ArgumentValueError:
    path = _out_path(i, out_tree, mapping.out_axes)
    named = mapping.name is not batching.UNNAMED
    over = f" {mapping.name!r}" if named else ""
    return ArgumentValueError(
        f"vmap out_axes{path} is None: the result is to be the same for all examples.",
        f"Found a result that has the mapped axis{over}, at position {src}.",
        "Give the result an axis, or sum it over the examples (sum_match=True, or a "
        "collective over a named axis).",
    )
