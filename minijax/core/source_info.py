"""Where equations come from, under the names by which extending libraries ask.

A `NameStack` is a tuple of scopes as `sources.py` keeps it, with JAX's methods.

Source: spec/tracing.md §§19, 20.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, NamedTuple

from . import sources
from .jaxprs import SourceInfo
from .sources import Scope, Transform, current_scope, get_traceback, scope_text


class NameStack(NamedTuple):
    """The scopes around a place in a program, the outermost first."""

    stack: tuple[Scope | Transform, ...] = ()

    def extend(self, name: str) -> NameStack:
        """With one more scope inside."""
        return NameStack((*self.stack, Scope(name)))

    def transform(self, name: str) -> NameStack:
        """Wrapped by a transformation."""
        return NameStack((*self.stack, Transform(name)))

    def __str__(self) -> str:
        return scope_text(self.stack)


def new_name_stack(name: str = "") -> NameStack:
    """A stack of one scope, or of none."""
    return NameStack().extend(name) if name else NameStack()


def current_name_stack() -> NameStack:
    """The scopes around the caller."""
    return NameStack(current_scope())


def new_source_info() -> SourceInfo:
    """Of nowhere."""
    return SourceInfo(None, ())


def current() -> SourceInfo:
    """The caller's line and scopes."""
    return SourceInfo(get_traceback(), current_scope())


@contextmanager
def set_name_stack(name_stack: NameStack) -> Iterator[NameStack]:
    """Context: the scopes are these."""
    outer = sources.set_scope(tuple(name_stack.stack))
    try:
        yield name_stack
    finally:
        sources.set_scope(outer)


def reset_name_stack() -> Any:
    """Context: there are no scopes."""
    return set_name_stack(NameStack())


def extend_name_stack(name: str) -> Any:
    """Context: one more scope; gives the stack.

    >>> with extend_name_stack("encoder") as stack:
    ...     print(stack)
    encoder
    """
    return set_name_stack(current_name_stack().extend(name))


def transform_name_stack(name: str) -> Any:
    """Context: a transformation wraps the scopes inside."""
    return set_name_stack(current_name_stack().transform(name))


@contextmanager
def user_context(
    traceback: Any, *, name_stack: NameStack | None = None
) -> Iterator[None]:
    """Context for what is done on behalf of a line elsewhere: its scopes, if given."""
    with set_name_stack(name_stack or current_name_stack()):
        yield


def summarize(source_info: SourceInfo, num_frames: int = 1) -> str:
    """The user's line as text, the innermost of `num_frames` first."""
    if num_frames == 1:
        return sources.summarize(source_info.traceback)
    frames = islice(sources.user_frames(source_info.traceback), num_frames)
    return "\n".join(map(str, frames))
