"""What the runtime tells of its work: log lines, and events for who listens.

Lines appear at WARNING while `jax_log_compiles` is on, at DEBUG otherwise. Their form
is fixed: users search logs for them.

Source: spec/jit.md §13.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..base import flags
from ..base.util import logger

NAME = "minijax.runtime"
_DEBUG, _WARNING = 10, 30  # of `logging`, which an import does without

# Called as listener(name, start, seconds, fields) after each timed piece of work.
listeners: list[Callable[[str, float, float, dict[str, Any]], None]] = []


def tell(text: str, *values: Any) -> None:
    """A line of the compilation log."""
    level = _WARNING if flags.log_compiles.value else _DEBUG
    log = logger(NAME)
    if log.isEnabledFor(level):
        log.log(level, text, *values)


@contextmanager
def timed(event: str, line: str, name: str) -> Iterator[None]:
    """Time the block: `line`, with the name and the seconds, is logged afterwards."""
    start, clock = time.time(), time.perf_counter()
    try:
        yield
    finally:
        seconds = time.perf_counter() - clock
        tell(line, name, seconds)
        for listener in tuple(listeners):
            listener(event, start, seconds, {"fun_name": name})


def log_tracing(name: str) -> Any:
    """Context: the function `name` is traced."""
    return timed("trace", "Finished tracing %s for jit in %.9f sec", name)


def log_lowering(name: str) -> Any:
    """Context: the program `name` is lowered."""
    line = "Finished jaxpr to MLIR module conversion %s in %.9f sec"
    return timed("lower", line, shown(name))


def log_compilation(name: str) -> Any:
    """Context: the module `name` is compiled."""
    line = "Finished XLA compilation of %s in %.9f sec"
    return timed("compile", line, shown(name))


def shown(name: str) -> str:
    """The name of a function as logs of its compilation show it: `jit(f)`."""
    return f"jit({name})"


def log_start(name: str, avals: Any, mapping: Any) -> None:
    """The line that a program is about to be compiled."""
    tell(
        "Compiling %s with global shapes and types (%s). Argument mapping: %s.",
        shown(name),
        ", ".join(map(str, avals)),
        mapping,
    )


def log_disk_hit(name: str, key: str) -> None:
    """The line that a program came from disk."""
    tell("Persistent compilation cache hit for %s with key %s", shown(name), key)


def log_disk_miss(name: str, key: str) -> None:
    """The line that a program is not on disk."""
    line = "PERSISTENT COMPILATION CACHE MISS for %s with key %s"
    if flags.explain_cache_misses.value:
        logger(NAME).warning(line, shown(name), key)
    else:
        tell(line, shown(name), key)
