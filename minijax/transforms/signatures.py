"""Which arguments are static, which are donated: read from what the user wrote.

Everything here runs once per `jit(...)`, and raises there, not at the first call.

Source: spec/jit.md §§2, 3, 4.
"""

import inspect
import operator
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, NamedTuple

from ..base.errors import ArgumentTypeError, ArgumentValueError, NotCallableError
from ..base.util import function_name
from ..core import signature_of

_Kind = inspect.Parameter


class Selected(NamedTuple):
    """Arguments chosen by position and by name. Positions may be negative."""

    numbers: tuple[int, ...] = ()
    names: tuple[str, ...] = ()


class Choice(NamedTuple):
    """What a jitted function does with its arguments."""

    static: Selected
    donated: Selected


def check_function(fun: Any, transformation: str = "jit") -> None:
    """Raises: TypeError, if `fun` is no function that can be transformed."""
    if isinstance(fun, staticmethod):
        do = "Put the decorator below `@staticmethod`."
        raise NotCallableError(transformation, f"the staticmethod object {fun!r}", do)
    if not callable(fun):
        text = f"{fun!r} of type {type(fun).__name__}"
        raise NotCallableError(transformation, text)
    if inspect.isgeneratorfunction(fun):
        text = f"{function_name(fun)}, a generator function"
        raise NotCallableError(transformation, text, "Return a list or an array.")


def choose(
    fun: Callable[..., Any],
    static_argnums: Any = None,
    static_argnames: Any = None,
    donate_argnums: Any = None,
    donate_argnames: Any = None,
) -> Choice:
    """Read and check the choices of arguments.

    Where only positions or only names are given, the others follow from the signature.

    Raises:
        TypeError: a position that is no int, a name that is no str.
        ValueError: the function has no such argument, or one is static and donated.
    """
    static = _select(fun, "static", static_argnums, static_argnames)
    donated = _select(fun, "donate", donate_argnums, donate_argnames)
    both: list[Any] = sorted({*static.names} & {*donated.names})
    both += sorted({*static.numbers} & {*donated.numbers})
    if both:
        raise ArgumentValueError(
            f"An argument of {function_name(fun)} is static or donated, not both.",
            f"Found {', '.join(map(repr, both))} in both.",
        )
    return Choice(static, donated)


def _select(fun: Callable[..., Any], what: str, numbers: Any, names: Any) -> Selected:
    if numbers is None and names is None:
        return Selected()
    chosen = _integers(numbers, f"{what}_argnums"), _texts(names, f"{what}_argnames")
    signature = signature_of(fun)
    if signature is None:
        if chosen[1] and what == "donate":
            raise ArgumentValueError(
                f"{what}_argnames names arguments of {function_name(fun)}.",
                "Found no signature that could be read.",
                f"Use {what}_argnums.",
            )
        return Selected(*chosen)
    parameters = tuple(signature.parameters.values())
    _check_numbers(fun, what, chosen[0], parameters)
    _check_names(fun, what, chosen[1], parameters)
    if numbers is None:
        return Selected(_numbers_of(chosen[1], parameters), chosen[1])
    if names is None:
        return Selected(chosen[0], _names_of(chosen[0], parameters))
    return Selected(*chosen)


def _integers(value: Any, option: str) -> tuple[int, ...]:
    if value is None:
        return ()
    try:
        items = tuple(value) if isinstance(value, Iterable) else (value,)
        return tuple(dict.fromkeys(operator.index(item) for item in items))
    except TypeError:
        raise ArgumentTypeError(
            f"{option} is an int or a sequence of ints.", f"Found {value!r}."
        ) from None


def _texts(value: Any, option: str) -> tuple[str, ...]:
    if value is None:
        return ()
    items = (
        (value,) if isinstance(value, str) or not isinstance(value, Iterable) else value
    )
    items = tuple(items)
    if not all(isinstance(item, str) for item in items):
        raise ArgumentTypeError(
            f"{option} is a str or a sequence of strs.", f"Found {value!r}."
        )
    return tuple(dict.fromkeys(items))


def _positional(parameters: Sequence[inspect.Parameter]) -> list[str]:
    kinds = (_Kind.POSITIONAL_ONLY, _Kind.POSITIONAL_OR_KEYWORD)
    return [p.name for p in parameters if p.kind in kinds]


def _check_numbers(
    fun: Callable[..., Any],
    what: str,
    numbers: Collection[int],
    parameters: Sequence[inspect.Parameter],
) -> None:
    if any(p.kind is _Kind.VAR_POSITIONAL for p in parameters):
        return
    count = len(_positional(parameters))
    wrong = [n for n in numbers if not -count <= n < count]
    if wrong:
        raise ArgumentValueError(
            f"{what}_argnums gives positions among the arguments of "
            f"{function_name(fun)}.",
            f"Found {', '.join(map(str, wrong))}; it takes {count} by position.",
        )


def _check_names(
    fun: Callable[..., Any],
    what: str,
    names: Collection[str],
    parameters: Sequence[inspect.Parameter],
) -> None:
    if any(p.kind is _Kind.VAR_KEYWORD for p in parameters):
        return
    kinds = (_Kind.POSITIONAL_OR_KEYWORD, _Kind.KEYWORD_ONLY)
    known = [p.name for p in parameters if p.kind in kinds]
    wrong = [name for name in names if name not in known]
    if wrong:
        raise ArgumentValueError(
            f"{what}_argnames gives names of arguments of {function_name(fun)}.",
            f"Found {', '.join(map(repr, wrong))}; by name it takes "
            f"{', '.join(map(repr, known)) or 'nothing'}.",
        )


def _numbers_of(
    names: Collection[str], parameters: Sequence[inspect.Parameter]
) -> tuple[int, ...]:
    return tuple(
        i
        for i, p in enumerate(parameters)
        if p.kind is _Kind.POSITIONAL_OR_KEYWORD and p.name in names
    )


def _names_of(
    numbers: Collection[int], parameters: Sequence[inspect.Parameter]
) -> tuple[str, ...]:
    count = len(_positional(parameters))
    wanted = {n % count if count and n < 0 else n for n in numbers}
    return tuple(
        p.name
        for i, p in enumerate(parameters)
        if p.kind is _Kind.POSITIONAL_OR_KEYWORD and i in wanted
    )


def leading_keywords(fun: Callable[..., Any], given: int) -> tuple[str, ...]:
    """The arguments after the first `given` that may be passed by position or name."""
    signature = signature_of(fun)
    if signature is None:
        return ()
    names = []
    for parameter in tuple(signature.parameters.values())[given:]:
        if parameter.kind is not _Kind.POSITIONAL_OR_KEYWORD:
            break
        names.append(parameter.name)
    return tuple(names)
