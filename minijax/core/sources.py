"""Where an equation comes from: the user's line, and the scopes around it.

Two facts are recorded with every equation, so both must cost next to nothing: a
traceback (taken by C++, read only if somebody looks) and the scope, a tuple of names
given by the user (`named_scope`) and of transformations at work.

Rules:
1. A scope is a tuple of `Scope` and `Transform`, outermost first; it never changes.
2. In text, a transformation wraps the first name inside it: `vmap(enc)/inner`.
3. A frame is the user's if its file lies outside the package.
"""

import functools
import os
import threading
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, NamedTuple

from ..base import jaxlib_core
from ..base.errors import ArgumentTypeError
from ..base.util import function_name

# A jaxlib traceback of the caller, or None where they are turned off.
get_traceback: Callable[[], Any] = jaxlib_core.Traceback.get_traceback
_location = jaxlib_core.Traceback.code_addr2location


# --- Scopes -------------------------------


class _Named:
    """Equal if of one class and one name."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.name == self.name

    def __hash__(self) -> int:
        return hash((type(self), self.name))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


class Scope(_Named):
    """A name the user gave to a stretch of a program."""

    __slots__ = ()


class Transform(_Named):
    """A transformation at work, such as `vmap`."""

    __slots__ = ()


ScopeStack = tuple[Scope | Transform, ...]


class _ThreadScope(threading.local):
    stack: ScopeStack = ()  # what a thread sees that has set nothing
    line: Any = None  # of the equation that is bound again, if one is


_thread = _ThreadScope()


def current_scope() -> ScopeStack:
    """The scopes around the caller, in this thread."""
    return _thread.stack


def set_scope(scope: ScopeStack) -> ScopeStack:
    """Put `scope` in place of the scopes around the caller; return the former ones."""
    previous = _thread.stack
    _thread.stack = scope
    return previous


def current_line() -> Any:
    """Where what is bound now was written: a traceback, or None.

    An equation that is bound again was written where it was bound first.
    """
    return _thread.line or get_traceback()


def set_line(line: Any) -> Any:
    """Let `line` be where things are written, None for where they are called.

    Returns the former value.
    """
    previous = _thread.line
    _thread.line = line
    return previous


class extended_scope:
    """Context: the scopes around the caller are followed by `inner`.

    One object may be entered again and inside itself, by one thread.
    """

    __slots__ = ("_inner", "_outer")

    def __init__(self, inner: ScopeStack) -> None:
        self._inner = inner
        self._outer: list[ScopeStack] = []

    def __enter__(self) -> None:
        outer = _thread.stack
        self._outer.append(outer)
        _thread.stack = outer + self._inner

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _thread.stack = self._outer.pop()


def push_transform(name: str) -> extended_scope:
    """Context: what happens inside is the work of the transformation `name`."""
    return extended_scope(_transform_alone(name))


@functools.cache  # there are as many entries as transformations
def _transform_alone(name: str) -> ScopeStack:
    return (Transform(name),)


class named_scope(extended_scope):
    """Name a stretch of a program, in profiles and in lowered code.

    A context manager, and a decorator for functions. Names nest as `outer/inner`; they
    change neither results nor jaxprs nor cache keys.

    Raises:
        TypeError: `name` is not a string.

    Example:
        >>> with named_scope("encoder"):
        ...     scope_text(current_scope())
        'encoder'
    """

    __slots__ = ()

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ArgumentTypeError(
                "The name of a scope must be a string.",
                f"Found {name!r} of type {type(name).__name__}.",
            )
        super().__init__((Scope(name),))

    def __call__[**P, R](self, fun: Callable[P, R]) -> Callable[P, R]:
        inner = self._inner

        @functools.wraps(fun)
        def scoped(*args: P.args, **kwargs: P.kwargs) -> R:
            with extended_scope(inner):  # a fresh one: threads may share `fun`
                return fun(*args, **kwargs)

        return scoped


@functools.lru_cache(maxsize=4096)
def scope_text(scope: ScopeStack) -> str:
    """A scope as text: `transpose(jvp(enc))/inner`."""
    names: list[str] = []  # innermost first
    for entry in reversed(scope):
        if isinstance(entry, Scope):
            names.append(entry.name)
        elif names:
            names[-1] = f"{entry.name}({names[-1]})"
        else:
            names.append(f"{entry.name}()")
    return "/".join(reversed(names))


# --- The user's lines ---------------------


class Frame(NamedTuple):
    """One call on the way to an equation; columns count from 0, -1 if unknown."""

    file: str
    function: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column} ({self.function})"


_package = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_not_the_users: list[str] = [_package]


def hide_frames_of(path: str) -> None:
    """Treat the files whose name starts with `path` as a library's, not the user's."""
    _not_the_users.append(path)
    is_user_file.cache_clear()


@functools.lru_cache(maxsize=4096)
def is_user_file(file: str) -> bool:
    """Whether frames of `file` are shown to the user."""
    return not file.startswith(tuple(_not_the_users))


def user_frames(traceback: Any) -> Iterator[Frame]:
    """The user's calls that led to an equation, innermost first."""
    if traceback is None:
        return
    for code, instruction in zip(*traceback.raw_frames(), strict=True):
        if is_user_file(code.co_filename):
            yield _frame(code, instruction)


def _frame(code: Any, instruction: int) -> Frame:
    line, column, end_line, end_column = _location(code, instruction)
    return Frame(code.co_filename, code.co_qualname, line, column, end_line, end_column)


def user_frame(traceback: Any) -> Frame | None:
    """The user's innermost call, or None if there is none."""
    return next(user_frames(traceback), None)


def summarize(traceback: Any) -> str:
    """The user's line as `file:line:column (function)`; empty if unknown."""
    frame = user_frame(traceback)
    return "" if frame is None else str(frame)


def named_call[**P, R](
    fun: Callable[P, R], *, name: str | None = None
) -> Callable[P, R]:
    """`fun` under a scope of its own, named `name` or like the function.

    Example:
        >>> import minijax as mj
        >>> print(named_call(abs, name="magnitude")(-2))
        2
    """
    return named_scope(function_name(fun) if name is None else name)(fun)
