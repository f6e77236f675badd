"""What all equations of one module share while it is built.

Source: spec/lowering.md §§1.3, 6.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .chunks import Cutter
from .mlir import Session, Table
from .rules import Rule, find_rules, lower_rules
from .shardings import finisher_of


class ModuleContext:
    """One module under construction.

    session: the MLIR context and its caches. operation: the `ir.Module`. platforms:
    what it is lowered for. num_partitions: over how many devices the program is split.
    host_callbacks: Python callables that the program calls, by index. keepalives:
    objects that must live as long as the executable. for_compile: nobody reads the
    text, so symbols need no telling names. cutter: counts operations for the cuts of
    `chunks.py`, None where nothing is cut.
    """

    def __init__(
        self,
        session: Session,
        platforms: tuple[str, ...],
        *,
        num_partitions: int = 1,
        for_compile: bool = False,
        chunk_limit: int = 0,
        overrides: Sequence[tuple[Any, Rule]] = (),
    ) -> None:
        self.session, self.platforms = session, platforms
        self.num_partitions, self.for_compile = num_partitions, for_compile
        with session.context, session.unknown_location:
            self.operation = session.ir.Module.create()
        self.body = self.operation.body
        self.cutter = Cutter(chunk_limit) if chunk_limit else None
        self.host_callbacks: list[Callable[..., Any]] = []
        self.keepalives: list[Any] = []
        self.functions: dict[Any, Any] = {}  # what was emitted -> its function
        self.meshes: dict[Any, str] = {}  # mesh -> its symbol
        # aval -> what is done with each of its values
        self.finishers = Table(lambda aval: finisher_of(self, aval))
        # platforms -> (primitive -> its rule for each of them)
        self.rules = Table(self._rules_for)
        self.frames = session.frame_locations()
        self._traced: dict[Any, Any] = {}
        self._overrides = dict(overrides)
        self._symbols: dict[str, int] = {}
        self._channels = 1

    def close(self) -> None:
        """Let go of what only building needs: programs, and references in a circle."""
        self.functions.clear()
        self._traced.clear()
        del self.finishers, self.rules

    def _rules_for(self, platforms: tuple[str, ...]) -> Table:
        def find(primitive: Any) -> tuple[Rule, ...]:
            entry = self._overrides.get(primitive) or lower_rules.get(primitive)
            return find_rules(primitive, entry, platforms)

        return Table(find)

    def new_symbol(self, name: str) -> str:
        """A symbol that the module does not have yet: `name`, `name_0`, `name_1`..."""
        count = self._symbols.get(name)
        if count is None:
            self._symbols[name] = 0
            return name
        symbol = f"{name}_{count}"
        self._symbols[name] = count + 1
        # Somebody may have asked for a name that looks like a counted one.
        return symbol if symbol not in self._symbols else self.new_symbol(name)

    def function_symbol(self, name: str) -> str:
        """The symbol of a private function."""
        # Keys of the executable caches must not depend on what users call things.
        return self.new_symbol("f" if self.for_compile else name)

    def new_channel(self) -> int:
        """A new channel number; 1 belongs to collectives of a partitioned program."""
        self._channels += 1
        return self._channels

    def add_host_callback(self, callback: Callable[..., Any]) -> int:
        """Enter a Python callable that the program calls; its index."""
        self.host_callbacks.append(callback)
        return len(self.host_callbacks) - 1

    def traced(
        self,
        owner: Any,
        trace: Callable[..., Any],
        avals: Sequence[Any],
        params: dict[str, Any],
    ) -> Any:
        """`trace(avals, params)`, once per owner and types for this module.

        Not kept any longer: params may hold programs.
        """
        key: Any = (owner, tuple(avals), *sorted(params.items(), key=_name_of))
        try:
            jaxpr = self._traced.get(key)
        except TypeError:  # a param that cannot be a key
            return trace(avals, params)
        if jaxpr is None:
            jaxpr = self._traced[key] = trace(avals, params)
        return jaxpr


def _name_of(item: tuple[str, Any]) -> str:
    return item[0]
