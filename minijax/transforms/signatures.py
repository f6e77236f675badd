"""Which arguments are static, which are donated: read from what the user wrote.

Everything here runs once per `jit(...)`, and raises there, not at the first call.

Source: spec/jit.md §§2, 3, 4.
"""

import functools
import operator
import types
from collections.abc import Callable, Collection, Iterable
from typing import Any, NamedTuple

from ..base.errors import ArgumentTypeError, ArgumentValueError, NotCallableError
from ..base.util import function_name
from ..core import signature_of

# Flags of code objects; `inspect` names them, and takes long to load.
_VARARGS, _VARKEYWORDS, _GENERATOR = 0x04, 0x08, 0x20


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
    if _is_generator(fun):
        text = f"{function_name(fun)}, a generator function"
        raise NotCallableError(transformation, text, "Return a list or an array.")


def _is_generator(fun: Any) -> bool:
    while isinstance(fun, functools.partial):
        fun = fun.func
    code = getattr(fun, "__code__", None)
    return code is not None and bool(code.co_flags & _GENERATOR)


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


class Names(NamedTuple):
    """The arguments of a function by how they may be passed.

    any_positional, any_keyword: whether there is `*args`, `**kwargs`.
    """

    only_positional: tuple[str, ...]
    both: tuple[str, ...]
    only_keyword: tuple[str, ...]
    any_positional: bool
    any_keyword: bool

    @property
    def positional(self) -> tuple[str, ...]:
        return self.only_positional + self.both


def names_of(fun: Callable[..., Any]) -> Names | None:
    """The arguments of a function; None if they cannot be read."""
    if type(fun) is types.FunctionType and not fun.__dict__:
        return _names_of_code(fun.__code__)
    signature = signature_of(fun)
    if signature is None:
        return None
    kinds: dict[str, list[str]] = {}
    for parameter in signature.parameters.values():
        kinds.setdefault(parameter.kind.name, []).append(parameter.name)
    return Names(
        tuple(kinds.get("POSITIONAL_ONLY", ())),
        tuple(kinds.get("POSITIONAL_OR_KEYWORD", ())),
        tuple(kinds.get("KEYWORD_ONLY", ())),
        "VAR_POSITIONAL" in kinds,
        "VAR_KEYWORD" in kinds,
    )


def _names_of_code(code: types.CodeType) -> Names:
    # Thirty times faster than a signature; a library declares hundreds of functions.
    split, count = code.co_posonlyargcount, code.co_argcount
    return Names(
        code.co_varnames[:split],
        code.co_varnames[split:count],
        code.co_varnames[count : count + code.co_kwonlyargcount],
        bool(code.co_flags & _VARARGS),
        bool(code.co_flags & _VARKEYWORDS),
    )


def _select(fun: Callable[..., Any], what: str, numbers: Any, names: Any) -> Selected:
    if numbers is None and names is None:
        return Selected()
    chosen = _integers(numbers, f"{what}_argnums"), _texts(names, f"{what}_argnames")
    known = names_of(fun)
    if known is None:
        if chosen[1] and what == "donate":
            raise ArgumentValueError(
                f"{what}_argnames names arguments of {function_name(fun)}.",
                "Found no signature that could be read.",
                f"Use {what}_argnums.",
            )
        return Selected(*chosen)
    _check_numbers(fun, what, chosen[0], known)
    _check_names(fun, what, chosen[1], known)
    if numbers is None:
        return Selected(_numbers_of(chosen[1], known), chosen[1])
    if names is None:
        return Selected(chosen[0], _names_at(chosen[0], known))
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


def _check_numbers(
    fun: Callable[..., Any], what: str, numbers: Collection[int], known: Names
) -> None:
    if known.any_positional:
        return
    count = len(known.positional)
    wrong = [n for n in numbers if not -count <= n < count]
    if wrong:
        raise ArgumentValueError(
            f"{what}_argnums gives positions among the arguments of "
            f"{function_name(fun)}.",
            f"Found {', '.join(map(str, wrong))}; it takes {count} by position.",
        )


def _check_names(
    fun: Callable[..., Any], what: str, names: Collection[str], known: Names
) -> None:
    if known.any_keyword:
        return
    by_name = known.both + known.only_keyword
    wrong = [name for name in names if name not in by_name]
    if wrong:
        raise ArgumentValueError(
            f"{what}_argnames gives names of arguments of {function_name(fun)}.",
            f"Found {', '.join(map(repr, wrong))}; by name it takes "
            f"{', '.join(map(repr, by_name)) or 'nothing'}.",
        )


def _numbers_of(names: Collection[str], known: Names) -> tuple[int, ...]:
    first = len(known.only_positional)
    return tuple(first + i for i, name in enumerate(known.both) if name in names)


def _names_at(numbers: Collection[int], known: Names) -> tuple[str, ...]:
    count, first = len(known.positional), len(known.only_positional)
    wanted = {n % count if count and n < 0 else n for n in numbers}
    return tuple(name for i, name in enumerate(known.both, first) if i in wanted)


def leading_keywords(fun: Callable[..., Any], given: int) -> tuple[str, ...]:
    """The arguments after the first `given` that may be passed by position or name."""
    known = names_of(fun)
    if known is None or given < len(known.only_positional):
        return ()
    return known.both[given - len(known.only_positional) :]
