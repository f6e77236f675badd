"""Options: how one is declared, read, set and overridden.

Two kinds. A *state* has a process-wide value and, where a context is open, a value of
the running thread; it is a jaxlib `Config`, so that C++ reads it and takes it into the
keys of its caches. A *flag* has a process-wide value only.

The options themselves stand in `flags.py`.
"""

import functools
import importlib
import os
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from .errors import (
    ArgumentTypeError,
    OptionFrozenError,
    OptionValueError,
    UnknownOptionError,
)
from .gate import jaxlib_core

UNSET = jaxlib_core.config.unset

_TRUE = frozenset(("y", "yes", "t", "true", "on", "1"))
_FALSE = frozenset(("n", "no", "f", "false", "off", "0"))


# --- What values an option takes ------------------------------------------------------


class Kind(NamedTuple):
    """The values of an option: their name, a check of a value, a reader of env text.

    Both functions take `(option, value)`, return the value to store, and raise
    `OptionValueError`.
    """

    name: str
    check: Callable[[str, Any], Any]
    read: Callable[[str, str], Any]


def _check_bool(option: str, value: Any) -> bool | None:
    return None if value is None else bool(value)


def _read_bool(option: str, text: str) -> bool:
    word = text.strip().lower()
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise OptionValueError(option, text, "one of y yes t true on 1 n no f false off 0")


def _of_type(accepted: tuple[type, ...], name: str) -> Callable[[str, Any], Any]:
    def check(option: str, value: Any) -> Any:
        if value is None or isinstance(value, accepted):
            return value
        raise OptionValueError(option, value, f"None or a value of type {name}")

    return check


def _reader(convert: Callable[[str], Any], name: str) -> Callable[[str, str], Any]:
    def read(option: str, text: str) -> Any:
        try:
            return convert(text)
        except ValueError:
            raise OptionValueError(
                option, text, f"a text that reads as {name}"
            ) from None

    return read


BOOL = Kind("bool", _check_bool, _read_bool)
INT = Kind("int", _of_type((int,), "int"), _reader(int, "int"))
FLOAT = Kind("float", _of_type((int, float), "float"), _reader(float, "float"))
STR = Kind("str", _of_type((str,), "str"), _reader(str, "str"))
ANY = Kind("any", lambda option, value: value, lambda option, text: text)


def one_of(*words: str, optional: bool = False) -> Kind:
    """Options with a few named values; `optional` adds None."""

    def check(option: str, value: Any) -> str | None:
        if value in words or (optional and value is None):
            return value
        allowed = "one of " + ", ".join(map(repr, words))
        raise OptionValueError(option, value, allowed + (" or None" * optional))

    return Kind("enum " + "/".join(words), check, check)


# --- States and flags -----------------------------------------------------------------


class Override(threading.local):
    """A value for the running thread, as a context manager and a decorator.

    Sets one state, or several together. Re-entrant, and one object may serve several
    threads.
    """

    def __init__(self, states: "tuple[State, ...]", value: Any) -> None:
        self._states, self._value = states, value
        self._previous: list[list[Any]] = []

    def __enter__(self) -> None:
        value = self._value
        self._previous.append([state.override(value) for state in self._states])

    def __exit__(self, *exception: Any) -> None:
        for state, previous in zip(self._states, self._previous.pop(), strict=True):
            state.restore(previous)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def overridden(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return overridden


_Config: Any = jaxlib_core.config.Config


class State(_Config):
    """An option with a value per process and an override per thread.

    `state.value` reads it (0.03 µs, also from C++); `state(value)` is a context manager
    and a decorator that sets it for the running thread; `config.update` sets it for the
    process. Inside a context the override wins.

    `on_global(value)` and `on_local(value or None)` run after each change: they carry
    the value to where C++ keeps its own copy. `together`: states that are set with it.
    """

    def __init__(
        self,
        name: str,
        kind: Kind,
        default: Any,
        *,
        jit_key: bool = False,
        trace_key: bool = False,
        on_global: Callable[[Any], None] | None = None,
        on_local: Callable[[Any], None] | None = None,
        frozen_by_backends: bool = False,
        together: "tuple[State, ...]" = (),
    ) -> None:
        text = os.environ.get(name.upper())
        value = default if text is None else kind.read(name, text)
        super().__init__(
            name,
            value,
            include_in_jit_key=jit_key,
            include_in_trace_context=trace_key,
        )
        self.kind, self.default = kind, default
        self.jit_key, self.trace_key = jit_key, trace_key
        self.on_global, self.on_local = on_global, on_local
        self.frozen_by_backends, self.together = frozen_by_backends, together
        if value != default:
            self._carry(value)

    def __call__(self, new_val: Any = UNSET) -> Override:
        """A context in which this thread sees `new_val` (True, if a bool is left out).

        Raises:
          TypeError: no value for an option that is not a bool.
          OptionValueError: a value the option does not take.
        """
        if new_val is UNSET:
            if self.kind is not BOOL:
                raise ArgumentTypeError(
                    f"The context of {self.name} needs the value to set.",
                    do=f"It is of kind {self.kind.name}.",
                )
            new_val = True
        return Override((self, *self.together), self.kind.check(self.name, new_val))

    def __repr__(self) -> str:
        return f"<option {self.name} = {self.value!r}>"

    def __bool__(self) -> bool:
        raise ArgumentTypeError(
            f"The truth of option {self.name} is asked.",
            "Found the option itself, not its value.",
            "Write `.value`.",
        )

    def override(self, value: Any) -> Any:
        """Set this thread's value; returns what `restore` needs. No check."""
        previous = self.swap_local(value)
        if self.on_local is not None:
            self.on_local(value)
        return previous

    def restore(self, previous: Any) -> None:
        """Undo an `override`."""
        self.set_local(previous)
        if self.on_local is not None:
            self.on_local(None if previous is UNSET else previous)

    def update(self, value: Any) -> None:
        """Set the value of the process.

        Raises:
          OptionValueError: the option does not take this value.
          OptionFrozenError: the backends have read the option already.
        """
        value = self.kind.check(self.name, value)
        if self.frozen_by_backends and _backends.started and value != self.get_global():
            raise OptionFrozenError(self.name, value)
        self.set_global(value)
        self._carry(value)

    def _carry(self, value: Any) -> None:
        if self.on_global is not None:
            self.on_global(value)
        for state in self.together:
            state.update(value)


class Flag:
    """An option with one value for the whole process. `read_env`: may come from env."""

    __slots__ = ("default", "kind", "name", "value")

    def __init__(
        self, name: str, kind: Kind, default: Any, *, read_env: bool = False
    ) -> None:
        self.name, self.kind, self.default = name, kind, default
        text = os.environ.get(name.upper()) if read_env else None
        self.value = default if text is None else kind.read(name, text)

    def update(self, value: Any) -> None:
        """Set the value. Raises: OptionValueError."""
        self.value = self.kind.check(self.name, value)


class _Backends:
    """Whether the backends have started: some options are theirs from then on."""

    started = False


_backends = _Backends()


def note_backends_started(*, started: bool) -> None:
    """Told by the runtime, when the backends have started or have been cleared."""
    _backends.started = started


# --- The view users have --------------------------------------------------------------


class Options:
    """`minijax.config`: all options by name.

    States are attributes; flags are read with `read`; both are set with `update`.

    >>> from minijax.base import config
    >>> config.update("jax_traceback_in_locations_limit", 20)
    >>> config.jax_traceback_in_locations_limit
    20
    """

    __slots__ = ("_options",)

    def __init__(self, options: dict[str, State | Flag]) -> None:
        object.__setattr__(self, "_options", options)

    def __getattr__(self, name: str) -> Any:
        option = self._options.get(name)
        if isinstance(option, State):
            return option.value
        hint = "" if option is None else f"It is a flag: config.read({name!r})."
        raise UnknownOptionError(name, hint)

    def __setattr__(self, name: str, value: Any) -> None:
        raise UnknownOptionError(name, f"To set one: config.update({name!r}, value).")

    def __dir__(self) -> Iterator[str]:
        yield from object.__dir__(self)
        yield from (n for n, o in self._options.items() if isinstance(o, State))

    @property
    def x64_enabled(self) -> bool:
        """Whether 64-bit types are on in this thread."""
        return self._options["jax_enable_x64"].value

    @property
    def values(self) -> dict[str, Any]:
        """All options with their values."""
        return {name: option.value for name, option in self._options.items()}

    def update(self, name: str, value: Any) -> None:
        """Set option `name` for the whole process.

        Raises:
          AttributeError: no such option.
          ValueError: a value the option does not take.
          RuntimeError: the backends have started and have read the option.
        """
        option = self._options.get(name)
        if option is None:
            raise UnknownOptionError(name)
        option.update(value)

    def read(self, name: str) -> Any:
        """The value of a flag. Raises: AttributeError for a state or unknown name."""
        option = self._options.get(name)
        if option is None:
            raise UnknownOptionError(name)
        if isinstance(option, State) and name != "jax_enable_x64":
            raise UnknownOptionError(name, f"It is a state: config.{name}.")
        return option.value

    def config_with_absl(self) -> None:
        """Declare every option as an absl flag of the same name. Needs `absl-py`."""
        absl_flags = importlib.import_module("absl.flags")
        define = {
            "bool": absl_flags.DEFINE_bool,
            "int": absl_flags.DEFINE_integer,
            "float": absl_flags.DEFINE_float,
        }
        for name, option in self._options.items():
            if name not in absl_flags.FLAGS:
                declare = define.get(option.kind.name, absl_flags.DEFINE_string)
                declare(name, option.value, f"minijax option {name}")

    def parse_flags_with_absl(self) -> None:
        """Declare the absl flags, parse the command line, and take over what is set."""
        self.config_with_absl()
        parsed = importlib.import_module("absl.flags").FLAGS
        if not parsed.is_parsed():
            parsed(sys.argv, known_only=True)
        for name in self._options:
            if parsed[name].present:
                self.update(name, parsed[name].value)
