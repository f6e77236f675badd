"""The gate to MLIR: jaxlib's bindings, loaded at the first lowering, and one context.

Everything else in this room gets MLIR from here, so that `import minijax` does not pay
for it and a new jaxlib touches one file. Rules:

1. A `Session` is a context and all that is cached with it: types, attributes, source
   locations. Every thread has its own, so nothing here takes a lock.
2. MLIR never frees types, attributes and constants of a living context. A session that
   has taken in much is therefore retired between two lowerings; its modules keep their
   context alive for as long as they live themselves.
3. An operation built before its dialect is loaded is silently broken: all dialects that
   are ever built are loaded when the session starts.

Source: spec/jaxlib.md §2.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..base import flags
from ..core import is_user_file

# What a session may take in before a new one takes its place: bytes of constants, and
# entries of its tables.
_MAX_CONSTANT_BYTES = 1 << 26
_MAX_ENTRIES = 1 << 16

_DIALECTS = ("stablehlo", "chlo", "sdy")


class Table(dict[Any, Any]):
    """A dictionary that computes what it lacks."""

    def __init__(self, compute: Callable[[Any], Any]) -> None:
        super().__init__()
        self._compute = compute

    def __missing__(self, key: Any) -> Any:
        value = self[key] = self._compute(key)
        return value


class Session:
    """One MLIR context with its caches.

    ir: the module `jaxlib.mlir.ir`. context: the context. create: makes an operation.
    tables: by name, what the other files of this room cache per context.
    constant_bytes: how much constant data the context has taken in.
    """

    def __init__(self) -> None:
        self.ir = importlib.import_module("jaxlib.mlir.ir")
        self._extension = importlib.import_module(
            "jaxlib.mlir._mlir_libs._jax_mlir_ext"
        )
        self.context = self._make_context()
        self.create: Callable[..., Any] = self.ir.Operation.create
        self.location_of_name: Callable[..., Any] = self.ir.Location.name
        self.tables: dict[str, Table] = {}
        self.constant_bytes = 0
        with self.context:
            self.unknown_location = self.ir.Location.unknown()
        self._frame_settings: Any = None
        self._frames: Any = None

    def _make_context(self) -> Any:
        registry = self.ir.DialectRegistry()
        self._extension.register_dialects(registry)
        context = self.ir.Context()
        context.append_dialect_registry(registry)
        for name in _DIALECTS:
            dialect = importlib.import_module(f"jaxlib.mlir.dialects.{name}")
            dialect.register_dialect(context)
        importlib.import_module("jaxlib.mlir.dialects.func")
        context.dialects["func"]  # loads it
        context.enable_multithreading(False)
        return context

    def table(self, name: str, compute: Callable[[Session, Any], Any]) -> Table:
        """The table `name` of this session; `compute(session, key)` fills its gaps."""
        found = self.tables.get(name)
        if found is None:
            found = self.tables[name] = Table(lambda key: compute(self, key))
        return found

    def frame_locations(self) -> Callable[[Any], Any]:
        """Traceback -> location of the user's frames, by the options of this moment."""
        full = flags.include_full_tracebacks_in_locations.value
        limit = flags.traceback_in_locations_limit.value if full else 1
        if self._frame_settings != limit:
            self._frame_settings = limit
            self._frames = self._extension.TracebackToLocationCache(
                code_to_filename=_shown_file, frame_limit=limit, context=self.context
            )
        get: Callable[[Any], Any] = self._frames.get
        return get

    @property
    def is_full(self) -> bool:
        """Whether the next lowering should start with a fresh context."""
        if self.constant_bytes > _MAX_CONSTANT_BYTES:
            return True
        return sum(map(len, self.tables.values())) > _MAX_ENTRIES


def _shown_file(code: Any) -> str | None:
    file: str = code.co_filename
    return file if is_user_file(file) else None


class _ThreadState(threading.local):
    session: Session | None = None
    depth = 0


_thread = _ThreadState()


def current_session() -> Session:
    """The session of this thread; starts one if there is none."""
    session = _thread.session
    if session is None:
        session = _thread.session = Session()
    return session


@contextmanager
def open_session() -> Iterator[Session]:
    """Context: this thread lowers; its context and an unknown location are current.

    Inside, `current_session()` stays the same: a session is retired only between two
    lowerings.
    """
    if _thread.depth == 0 and _thread.session is not None and _thread.session.is_full:
        _thread.session = None
    session = current_session()
    _thread.depth += 1
    try:
        with session.context, session.unknown_location:
            yield session
    finally:
        _thread.depth -= 1


def parse_module(text_or_bytecode: str | bytes) -> Any:
    """An `ir.Module` in a context of its own: safe to hand to a compiling thread."""
    session = Session()
    return session.ir.Module.parse(text_or_bytecode, session.context)


def pass_manager(pipeline: str, context: Any) -> Any:
    """A pass manager for modules of a context, without verification."""
    module = importlib.import_module("jaxlib.mlir.passmanager")
    manager = module.PassManager.parse(pipeline, context)
    manager.enable_verifier(False)
    return manager


def string_of(context: Any, text: str) -> Any:
    """A string attribute of a context that need not be this thread's."""
    return importlib.import_module("jaxlib.mlir.ir").StringAttr.get(text, context)
