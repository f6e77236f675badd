"""Reverse mode: walking a tape backwards, accumulating cotangents.

A transpose rule answers `rule(y_bar, *operands, **params) -> cotangents`, one entry or
None per operand. Linear operands are `UndefinedPrimal` placeholders, the others values.
A primitive with several results gets a list of cotangents, some of them `Zero`; one
with a single result is only asked when a cotangent has arrived.

A jaxpr is transposed by replaying it onto a tape first: equations that touch no linear
input simply run. One walk serves both.

Source: spec/ad.md §§2.4, 2.10.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...base.errors import ArgumentValueError
from ...base.util import memoize_weakly
from ...core import (
    Jaxpr,
    RuleTable,
    Transform,
    add_any_p,
    current,
    current_scope,
    eval_jaxpr,
    set_line,
    set_scope,
    stage,
    typeof,
    use_trace,
)
from .linearize import Tape, TapeEntry, TapeVar
from .zeros import UndefinedPrimal, Zero, instantiate_zeros

transpose_rules = RuleTable("transpose")  # filled by lax

_TRANSPOSE = (Transform("transpose"),)


def backward_pass(
    tape: Tape,
    inputs: Sequence[TapeVar],
    outs: Sequence[Any],
    cotangents: Sequence[Any],
) -> list[Any]:
    """Cotangents of `inputs`, given those of `outs`; `Zero` where nothing arrives.

    Runs in the current trace, which must be the tape's parent or around it.
    """
    bars: list[Any] = [None] * tape.num_vars
    for y, y_bar in zip(outs, cotangents, strict=True):
        if y_bar.__class__ is not Zero and tape.owns(y):
            _accumulate(bars, y, y_bar)
    outer, outer_line = current_scope(), set_line(None)
    inside = outer + _TRANSPOSE
    try:
        for entry in reversed(tape.entries):
            y_bar = _arrived(entry, bars)
            if y_bar is not None:
                set_scope(inside + entry.scope)
                set_line(entry.line)
                _transpose_entry(tape, entry, y_bar, bars)
    finally:
        set_scope(outer)
        set_line(outer_line)
    found = [(x, bars[x.index]) for x in inputs]
    return [Zero(x.aval) if x_bar is None else x_bar for x, x_bar in found]


def _arrived(entry: TapeEntry, bars: list[Any]) -> Any:
    """The cotangents of an entry's results, or None if all are zero."""
    if not entry.primitive.multiple_results:
        index = entry.outs[0].index
        y_bar, bars[index] = bars[index], None
        return y_bar
    found = [bars[y.index] for y in entry.outs]
    if all(y_bar is None for y_bar in found):
        return None
    for y in entry.outs:
        bars[y.index] = None  # its memory is free once the rule has read it
    return [
        Zero(y.aval) if y_bar is None else y_bar
        for y, y_bar in zip(entry.outs, found, strict=True)
    ]


def _transpose_entry(tape: Tape, entry: TapeEntry, y_bar: Any, bars: list[Any]) -> None:
    operands = [
        UndefinedPrimal(x.aval) if x.__class__ is TapeVar and x.owner is tape else x
        for x in entry.operands
    ]
    x_bars = transpose_rules[entry.primitive](y_bar, *operands, **entry.params)
    for x, x_bar in zip(entry.operands, x_bars, strict=True):
        if x_bar is None or x_bar.__class__ is Zero:
            continue
        if x.__class__ is TapeVar and x.owner is tape:
            _accumulate(bars, x, x_bar)


def _accumulate(bars: list[Any], x: TapeVar, x_bar: Any) -> None:
    bar = bars[x.index]
    if bar is not None:
        bars[x.index] = add_any_p.bind(bar, x_bar)
        return
    # Checked once per variable: a rule that mixes up shapes must not corrupt silently.
    if typeof(x_bar).shape != x.aval.shape:
        raise ArgumentValueError(
            f"The cotangent of a tangent of type {x.aval} has its shape.",
            f"Found {typeof(x_bar)}, from the transpose rule of one that reads it.",
        )
    bars[x.index] = x_bar


def backward_jaxpr(
    jaxpr: Jaxpr, args: Sequence[Any], cotangents: Sequence[Any]
) -> list[Any]:
    """Transpose `jaxpr` (no consts split off) at `args`.

    `args` are one per `jaxpr.invars`: an `UndefinedPrimal` where the program is linear,
    a value elsewhere. Returns one entry per arg: cotangent, `Zero`, or None.
    """
    tape = Tape(current.value)
    values = [tape.new_var(x.aval) if type(x) is UndefinedPrimal else x for x in args]
    with use_trace(tape):
        outs = eval_jaxpr(jaxpr, jaxpr.consts, *values)
    inputs = [x for x in values if tape.owns(x)]
    found = iter(backward_pass(tape, inputs, outs, cotangents))
    return [next(found) if tape.owns(x) else None for x in values]


@memoize_weakly(maxsize=1024)
def transpose_jaxpr(
    jaxpr: Jaxpr, linear: tuple[bool, ...], nonzero_out: tuple[bool, ...]
) -> tuple[Jaxpr, tuple[bool, ...]]:
    """The backward program of `jaxpr` and which cotangents it returns.

    Its inputs are the non-linear inputs, then the cotangents of the outputs marked in
    `nonzero_out`; its outputs the cotangents of those linear inputs that get one.
    """
    nonzero_in: list[bool] = []

    def backward(*args: Any) -> list[Any]:
        values = iter(args)
        operands = [
            UndefinedPrimal(var.aval) if is_linear else next(values)
            for var, is_linear in zip(jaxpr.invars, linear, strict=True)
        ]
        cotangents = [
            next(values) if nonzero else Zero(aval)
            for aval, nonzero in zip(jaxpr.out_avals, nonzero_out, strict=True)
        ]
        x_bars = backward_jaxpr(jaxpr, operands, cotangents)
        linear_bars = [
            b for b, is_linear in zip(x_bars, linear, strict=True) if is_linear
        ]
        nonzero_in.extend(b.__class__ is not Zero for b in linear_bars)
        return [b for b in linear_bars if b.__class__ is not Zero]

    known = [
        v.aval
        for v, is_linear in zip(jaxpr.invars, linear, strict=True)
        if not is_linear
    ]
    bars = [
        a for a, nonzero in zip(jaxpr.out_avals, nonzero_out, strict=True) if nonzero
    ]
    program = stage(backward, [*known, *bars], debug_info=jaxpr.debug_info)
    return program, tuple(nonzero_in)


def instantiated(cotangents: Sequence[Any]) -> list[Any]:
    """Cotangents with every `Zero` made real."""
    return [instantiate_zeros(x_bar) for x_bar in cotangents]
