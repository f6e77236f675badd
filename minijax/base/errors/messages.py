"""How a message is put together, and the errors that have no fact of their own.

A case that has no class of its own uses the `Argument…Error` of the right builtin.
"""

from collections.abc import Sequence
from typing import Any


def compose(asked: str, found: str = "", do: str = "", link: str = "") -> str:
    """Join the parts of a message, one per line; empty parts leave no line."""
    return "\n".join(part for part in (asked, found, do, link) if part)


def link_of(error: object) -> str:
    return f"Explained in docs/errors.md#{type(error).__name__.lower()}"


def join_names(names: Sequence[str]) -> str:
    """List names in a sentence: `a`, `a and b`, `a, b, and c`."""
    if len(names) < 3:
        return " and ".join(names)
    return ", ".join(names[:-1]) + f", and {names[-1]}"


class Reported(Exception):
    """Base of every error here: pickled as its text and fields, whatever its makers."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _remake, (type(self), str(self), vars(self))


def _remake(cls: type[Reported], message: str, fields: dict[str, Any]) -> Reported:
    error = cls.__new__(cls, message)
    error.args = (message,)
    vars(error).update(fields)
    return error


class _ThreeParts(Reported):
    """Fields: asked, found, do."""

    def __init__(self, asked: str, found: str = "", do: str = "") -> None:
        self.asked, self.found, self.do = asked, found, do
        super().__init__(compose(asked, found, do))


class ArgumentTypeError(_ThreeParts, TypeError):
    """An argument is of the wrong kind. Fields: asked, found, do."""


class ArgumentValueError(_ThreeParts, ValueError):
    """An argument has a value that cannot be used. Fields: asked, found, do."""


class ArgumentIndexError(_ThreeParts, IndexError):
    """An index does not fit the array. Fields: asked, found, do."""


class ArgumentAttributeError(_ThreeParts, AttributeError):
    """An attribute is missing, or needs a step first. Fields: asked, found, do."""


class NotSupportedError(_ThreeParts, NotImplementedError):
    """A combination that has no meaning here. Fields: asked, found, do."""


class StateError(_ThreeParts, RuntimeError):
    """Something was called at the wrong moment. Fields: asked, found, do."""
