"""What a function closes over, to notice that it closes over something else.

A traced function is kept with its program, which is right as long as the variables of
its closure hold the objects they held. Nothing here keeps those objects alive: what is
kept must be able to go with the function, and a closure may hold the function itself.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

# Values of these types refer to nothing, and cannot be referred to weakly.
_PLAIN = (bool, int, float, complex, str, bytes, type(None))


class Closure:
    """The contents of a function's closure at one time."""

    __slots__ = ("_contents",)

    def __init__(self, fun: Callable[..., Any]) -> None:
        cells = getattr(fun, "__closure__", None) or ()
        self._contents = tuple([_reference(cell) for cell in cells])

    def has_changed(self, fun: Callable[..., Any]) -> bool:
        """Whether a variable of `fun`'s closure holds another object than before.

        Example:
            >>> def make():
            ...     y = 1.5
            ...     def f():
            ...         return y
            ...     then = Closure(f)
            ...     y = 2.5
            ...     return then.has_changed(f)
            >>> make()
            True
        """
        if not self._contents:
            return False
        cells = getattr(fun, "__closure__", None) or ()
        return any(
            not _is_same(reference, cell)
            for reference, cell in zip(self._contents, cells, strict=True)
        )


class _Empty:
    """In place of the contents of a cell that has none yet."""


def _contents_of(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # the variable is not bound yet
        return _Empty


def _reference(cell: Any) -> tuple[Any, Any]:
    """(value, None), (None, weak reference) or (None, number of the object)."""
    value = _contents_of(cell)
    if isinstance(value, _PLAIN):
        return value, None
    try:
        return None, weakref.ref(value)
    except TypeError:
        return None, id(value)


def _is_same(reference: tuple[Any, Any], cell: Any) -> bool:
    value = _contents_of(cell)
    kept, mark = reference
    if mark is None:
        return value is kept
    if type(mark) is int:
        return id(value) == mark
    return mark() is value
