"""Lowered modules as bytes: what of a lowering is kept.

A module belongs to the MLIR context of the thread that made it, and keeps it alive.
What is compiled, perhaps later and in another thread, is therefore kept as bytes.

Source: spec/jaxlib.md §2.
"""

from typing import Any

from ..lowering import LoweredModule, as_text, parse_module


class PortableModule:
    """A module for the compiler. Fields and methods as those of `LoweredModule`."""

    __slots__ = (
        *("__weakref__", "_bytecode", "_key_bytes", "effects", "host_callbacks"),
        *("in_avals", "keepalives", "kept_inputs", "name", "num_partitions"),
        *("ordered_effects", "out_avals", "platforms"),
    )

    def __init__(self, lowered: LoweredModule) -> None:
        self._bytecode, self._key_bytes = lowered.bytecode(), lowered.key_bytes()
        self.name, self.platforms = lowered.name, lowered.platforms
        self.num_partitions = lowered.num_partitions
        self.kept_inputs = lowered.kept_inputs
        self.in_avals, self.out_avals = lowered.in_avals, lowered.out_avals
        self.effects = lowered.effects
        self.ordered_effects = lowered.ordered_effects
        self.host_callbacks = lowered.host_callbacks
        self.keepalives = lowered.keepalives

    def bytecode(self) -> bytes:
        """What is handed to the compiler."""
        return self._bytecode

    def key_bytes(self) -> bytes:
        """What the program does, for keys: the same for every name and place of it."""
        return self._key_bytes

    def own_module(self) -> Any:
        """The module as an object, in an MLIR context of its own."""
        return parse_module(self._bytecode)

    def as_text(self, *, debug_info: bool = False) -> str:
        """The module as StableHLO text."""
        return as_text(self.own_module(), debug_info=debug_info)
