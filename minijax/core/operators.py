"""Operators and methods that arrays and tracers share: one table, filled by `numpy`.

The types stand on low floors, the functions on floor 8; this table joins them. A type
registers how it installs an entry; `define_operators` gives every registered type
every entry, in whichever order the two happen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple


class Operator(NamedTuple):
    """One attribute of arrays.

    traced: installed on tracers (plain Python, binds at once).
    eager: installed on arrays; may be a C++ function, which is a descriptor.
    """

    traced: Any
    eager: Any


operators: dict[str, Operator] = {}
_installers: list[Callable[[str, Operator], None]] = []


def register_array_type(install: Callable[[str, Operator], None]) -> None:
    """Have `install(name, operator)` called for every operator, past and future."""
    _installers.append(install)
    for name, operator in operators.items():
        install(name, operator)


def define_operators(table: Mapping[str, Operator]) -> None:
    """Enter operators and install them on every registered type."""
    operators.update(table)
    for install in _installers:
        for name, operator in table.items():
            install(name, operator)
