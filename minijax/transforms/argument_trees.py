"""Helpers about trees of arguments, under JAX's names, for libraries that extend it.

minijax itself flattens calls in `call_keys.py`; nothing here is used by it.

Source: spec/tracing.md §§13, 17.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import tree
from ..base.errors import StaticArgumentError
from ..core.linear_util import (
    Store,
    WrappedFun,
    transformation2,
    transformation_with_aux2,
)


@transformation_with_aux2
def flatten_fun(
    f: Callable[..., Any], store: Store, in_tree: tree.PyTreeDef, *leaves: Any
) -> list[Any]:
    """A wrapped function on leaves: `in_tree` is of `(args, kwargs)`.

    Used as `flat, out_tree = flatten_fun(fun, in_tree)`; `out_tree()` is known once
    `flat` has run.
    """
    args, kwargs = in_tree.unflatten(leaves)
    results, structure = tree.flatten(f(*args, **kwargs))
    store.store(structure)
    return results


@transformation_with_aux2
def flatten_fun_nokwargs(
    f: Callable[..., Any], store: Store, in_tree: tree.PyTreeDef, *leaves: Any
) -> list[Any]:
    """`flatten_fun` where `in_tree` is of the positional arguments alone."""
    results, structure = tree.flatten(f(*in_tree.unflatten(leaves)))
    store.store(structure)
    return results


@transformation2
def _with_fixed(
    f: Callable[..., Any],
    dynamic: tuple[int, ...],
    fixed: tuple[Any, ...],
    *args: Any,
    **kwargs: Any,
) -> Any:
    given, rest = dict(zip(dynamic, args, strict=True)), iter(fixed)
    count = len(dynamic) + len(fixed)
    every = [given[i] if i in given else next(rest).value for i in range(count)]
    return f(*every, **kwargs)


class _Fixed:
    """A static argument: equal if the values are, by identity if those do not hash."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Fixed) and (
            self.value is other.value or self.value == other.value
        )

    def __hash__(self) -> int:
        try:
            return hash(self.value)
        except TypeError:
            return id(self.value)


def argnums_partial(
    f: WrappedFun,
    dyn_argnums: int | Sequence[int],
    args: Sequence[Any],
    require_static_args_hashable: bool = True,
) -> tuple[WrappedFun, tuple[Any, ...]]:
    """The function of some positional arguments, the others fixed; and these.

    Raises:
        ValueError: one that is fixed is not hashable, and must be.
    """
    numbers = (dyn_argnums,) if isinstance(dyn_argnums, int) else tuple(dyn_argnums)
    dynamic = tuple([i % len(args) for i in numbers])
    fixed = []
    for i, x in enumerate(args):
        if i in dynamic:
            continue
        if require_static_args_hashable and not _is_hashable(x):
            raise StaticArgumentError(
                f.__name__, f"argument {i}", type(x).__name__, repr(x), "unhashable"
            )
        fixed.append(_Fixed(x))
    ordered = tuple(sorted(dynamic))
    return _with_fixed(f, ordered, tuple(fixed)), tuple([args[i] for i in ordered])


def _is_hashable(x: Any) -> bool:
    try:
        hash(x)
    except TypeError:
        return False
    return True


def donation_vector(
    donate_argnums: Sequence[int],
    donate_argnames: Sequence[str],
    in_tree: tree.PyTreeDef,
    kws: bool = True,
) -> tuple[bool, ...]:
    """Per leaf of `(args, kwargs)`, whether it is donated; `kws=False`: of `args`."""
    counts = in_tree.unflatten(range(in_tree.num_leaves))
    args, kwargs = counts if kws else (counts, {})
    flags: list[bool] = []
    for i, arg in enumerate(args):
        flags += [i in donate_argnums] * len(tree.leaves(arg))
    for name in sorted(kwargs):
        flags += [name in donate_argnames] * len(tree.leaves(kwargs[name]))
    return tuple(flags)


def rebase_donate_argnums(
    donate_argnums: Sequence[int], static_argnums: Sequence[int]
) -> tuple[int, ...]:
    """The numbers of donated arguments among those that are not static."""
    return tuple(
        sorted(
            number - sum(static < number for static in static_argnums)
            for number in donate_argnums
        )
    )


def flatten_axes(
    name: str,
    treedef: tree.PyTreeDef,
    axis_tree: Any,
    *,
    kws: bool = False,
    tupled_args: bool = False,
) -> list[Any]:
    """The leaves of a prefix tree, each repeated for all leaves of `treedef` below it.

    Raises:
        ValueError: it is no prefix.
    """
    return list(tree.flatten_axes(name, treedef, axis_tree, kws=kws))
