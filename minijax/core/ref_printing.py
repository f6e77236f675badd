"""Reads and writes of refs as arrows: `b <- a[0]`, `a[0] <- b`, `a[0] += b`.

Source: spec/tracing.md §12.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .jaxprs import Atom, JaxprEqn, Literal
from .printing import Printer, WholeEquation, literal_text, pp
from .ref_types import Indexer


def _access(
    printer: Printer, ref: Atom, indexer: Indexer, operands: Sequence[Atom]
) -> Any:
    """`a[1:,b]`."""
    given = iter(operands)
    parts = [
        _position(printer, next(given)) if dim is None else dim.text(size)
        for dim, size in zip(indexer.dims, ref.aval.shape, strict=False)
    ]
    inside = ",".join(parts) if indexer.dims else "..."
    return pp.concat([printer.atom(ref), pp.text(f"[{inside}]")])


def _position(printer: Printer, x: Atom) -> str:
    return literal_text(x).split(":")[0] if type(x) is Literal else printer.name(x)


def _read(eqn: JaxprEqn, printer: Printer) -> Any:
    ref, *operands = eqn.invars
    names = [printer.result_name(eqn.outvars[0])]
    access = _access(printer, ref, eqn.params["tree"], operands)
    return pp.concat(
        [
            printer.binders(names, eqn.outvars),
            pp.text(" <- "),
            _noted(printer, eqn, access),
        ]
    )


def _swap(eqn: JaxprEqn, printer: Printer) -> Any:
    ref, value, *operands = eqn.invars
    access = _access(printer, ref, eqn.params["tree"], operands)
    source = _noted(printer, eqn, printer.atom(value))
    if printer.result_name(eqn.outvars[0]) == "_":
        return pp.concat([access, pp.text(" <- "), source])
    names = [printer.result_name(eqn.outvars[0])]
    parts = [printer.binders(names, eqn.outvars), pp.text(", "), access]
    return pp.concat([*parts, pp.text(" <- "), access, pp.text(", "), source])


def _accumulate(eqn: JaxprEqn, printer: Printer) -> Any:
    ref, value, *operands = eqn.invars
    access = _access(printer, ref, eqn.params["tree"], operands)
    source = _noted(printer, eqn, printer.atom(value))
    return pp.concat([access, pp.text(" += "), source])


def _noted(printer: Printer, eqn: JaxprEqn, document: Any) -> Any:
    return pp.concat([document, *printer.notes(eqn)])


printing_of_read = WholeEquation(_read)
printing_of_swap = WholeEquation(_swap)
printing_of_accumulation = WholeEquation(_accumulate)
