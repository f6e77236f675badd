"""Calls as keys: the structure of the arguments and the static values, hashable.

A call is flattened argument by argument. Its leaves stand in the order in which C++
flattens it: positional arguments, then keyword arguments by name.

Source: spec/jit.md §§3, 7.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

from .. import tree
from ..base.errors import StaticArgumentError
from ..base.util import function_name
from .signatures import Selected, leading_keywords


class Static(NamedTuple):
    """A static argument: equal only to values of its own type."""

    kind: type
    value: Any


Part = Any  # a PyTreeDef or a Static


class CallKey(NamedTuple):
    """The structure of a call.

    positional: a treedef or a static value per argument. keywords: (name, the same),
    sorted by name.
    """

    positional: tuple[Part, ...]
    keywords: tuple[tuple[str, Part], ...] = ()

    @property
    def num_leaves(self) -> int:
        return sum(map(_count, self._parts()))

    def _parts(self) -> list[Part]:
        return [*self.positional, *(part for _, part in self.keywords)]

    def fill(
        self, leaves: Sequence[Any], *, with_static: bool = True
    ) -> tuple[list[Any], dict[str, Any]]:
        """The arguments with these leaves; static ones are left out on demand."""
        rest = iter(leaves)
        args = [
            _value(part, rest)
            for part in self.positional
            if with_static or type(part) is not Static
        ]
        kwargs = {
            name: _value(part, rest)
            for name, part in self.keywords
            if with_static or type(part) is not Static
        }
        return args, kwargs

    def static_positions(self) -> tuple[int, ...]:
        """Which positional arguments are static."""
        return tuple(i for i, p in enumerate(self.positional) if type(p) is Static)

    def static_names(self) -> tuple[str, ...]:
        """Which keyword arguments are static."""
        return tuple(name for name, p in self.keywords if type(p) is Static)

    def selected_leaves(self, chosen: Selected) -> tuple[bool, ...]:
        """For each leaf, whether its argument is among the chosen ones."""
        count = len(self.positional)
        numbers = {n + count if n < 0 else n for n in chosen.numbers}
        flags: list[bool] = []
        for i, part in enumerate(self.positional):
            flags += [i in numbers] * _count(part)
        for name, part in self.keywords:
            flags += [name in chosen.names] * _count(part)
        return tuple(flags)

    def leaf_owners(self) -> list[int | str]:
        """For each leaf, the position or name of its argument."""
        owners: list[int | str] = []
        for i, part in enumerate(self.positional):
            owners += [i] * _count(part)
        for name, part in self.keywords:
            owners += [name] * _count(part)
        return owners

    def normalised(self, fun: Callable[..., Any]) -> "tuple[CallKey, tuple[int, ...]]":
        """The same call with arguments by position as far as possible.

        `f(1, y=2)` and `f(x=1, y=2)` become one. Also returns, per leaf of the result,
        which leaf of this call it is.
        """
        if not self.keywords:
            return self, tuple(range(self.num_leaves))
        given = dict(self.keywords)
        starts = self._keyword_starts()
        positional = list(self.positional)
        first = starts[self.keywords[0][0]]
        order = list(range(first))
        for name in leading_keywords(fun, len(positional)):
            if name not in given:
                break
            part = given.pop(name)
            positional.append(part)
            order += range(starts[name], starts[name] + _count(part))
        for name, part in given.items():
            order += range(starts[name], starts[name] + _count(part))
        return CallKey(tuple(positional), tuple(given.items())), tuple(order)

    def _keyword_starts(self) -> dict[str, int]:
        start = sum(map(_count, self.positional))
        starts = {}
        for name, part in self.keywords:
            starts[name] = start
            start += _count(part)
        return starts


def _count(part: Part) -> int:
    return 0 if type(part) is Static else part.num_leaves


def _value(part: Part, leaves: Any) -> Any:
    if type(part) is Static:
        return part.value
    return part.unflatten([next(leaves) for _ in range(part.num_leaves)])


def flatten_call(
    fun: Callable[..., Any],
    args: Sequence[Any],
    kwargs: dict[str, Any],
    static: Selected = Selected(),  # noqa: B008  (immutable)
) -> tuple[CallKey, list[Any]]:
    """A call as a key and the leaves of its dynamic arguments.

    Raises:
        ValueError: a static argument is unhashable; keys of a dict cannot be sorted.
    """
    if not kwargs and not static.numbers:
        return _flatten_positional(args)
    leaves: list[Any] = []
    count = len(args)
    numbers: Collection[int] = ()
    if static.numbers:
        numbers = {n + count if n < 0 else n for n in static.numbers}
    positional = tuple(
        _static(fun, str(i), x) if i in numbers else _flatten(x, leaves)
        for i, x in enumerate(args)
    )
    keywords = tuple(
        (name, _static(fun, name, x) if name in static.names else _flatten(x, leaves))
        for name, x in sorted(kwargs.items())
    )
    return CallKey(positional, keywords), leaves


def _flatten_positional(args: Sequence[Any]) -> tuple[CallKey, list[Any]]:
    leaves: list[Any] = []
    parts = []
    for x in args:
        found, structure = tree.registry.flatten(x)
        leaves += found
        parts.append(structure)
    return CallKey(tuple(parts)), leaves


def _flatten(x: Any, leaves: list[Any]) -> Part:
    found, structure = tree.flatten(x)
    leaves += found
    return structure


def _static(fun: Callable[..., Any], path: str, x: Any) -> Static:
    try:
        hash(x)
    except TypeError as error:
        name, kind = function_name(fun), type(x).__name__
        raise StaticArgumentError(name, path, kind, repr(x), str(error)) from error
    return Static(type(x), x)
