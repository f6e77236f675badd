"""Derivatives of jaxprs, as jaxprs, kept for as long as the jaxpr lives.

Primitives that hold programs (jit, scan, cond, …) state their rules with these. Each
is a replay of the program under the trace that does the work for functions.

Source: spec/ad.md §§2.2, 2.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ...base.util import memoize_weakly
from ...core import Jaxpr, Tracer, Var, current, eval_jaxpr, stage, use_trace
from .jvp import JVPTrace
from .linearize import LinearizeTrace, tape_to_jaxpr
from .zeros import Zero, instantiate_zeros


def _select(items: Sequence[Any], mask: Sequence[bool]) -> list[Any]:
    return [item for item, chosen in zip(items, mask, strict=True) if chosen]


def _flags(instantiate: bool | tuple[bool, ...], count: int) -> tuple[bool, ...]:
    return (instantiate,) * count if isinstance(instantiate, bool) else instantiate


@memoize_weakly(maxsize=1024)
def jvp_jaxpr(
    jaxpr: Jaxpr, nonzeros: tuple[bool, ...], instantiate: bool | tuple[bool, ...]
) -> tuple[Jaxpr, tuple[bool, ...]]:
    """The forward derivative of a program, and which outputs move.

    Inputs: all primals, then the tangents marked in `nonzeros`; outputs: all primals,
    then the tangents of outputs that move or are marked in `instantiate`.
    """
    nonzeros_out: list[bool] = []

    def forward(*args: Any) -> list[Any]:
        primals, x_dots = args[: len(nonzeros)], iter(args[len(nonzeros) :])
        trace = JVPTrace(current.value)
        pairs = [
            trace.wrap(x, next(x_dots)) if moves else x
            for x, moves in zip(primals, nonzeros, strict=True)
        ]
        with use_trace(trace):
            outs = eval_jaxpr(jaxpr, jaxpr.consts, *pairs)
        split = [trace.split(y) for y in outs]
        must = _flags(instantiate, len(outs))
        nonzeros_out.extend(
            y_dot.__class__ is not Zero or wanted
            for (_, y_dot), wanted in zip(split, must, strict=True)
        )
        y_dots = _select([y_dot for _, y_dot in split], nonzeros_out)
        return [y for y, _ in split] + [instantiate_zeros(y_dot) for y_dot in y_dots]

    tangents = [x.to_tangent_aval() for x in _select(jaxpr.in_avals, nonzeros)]
    program = stage(forward, [*jaxpr.in_avals, *tangents], debug_info=jaxpr.debug_info)
    return program, tuple(nonzeros_out)


class Linearized(NamedTuple):
    """A program split into what it computes and how its outputs move.

    forward: inputs -> outputs ++ residuals that are not inputs.
    tangent: residuals ++ moving input tangents -> tangents marked in `nonzeros_out`.
    forwarded: for each residual, the index of the input it is, or None.
    """

    forward: Jaxpr
    tangent: Jaxpr
    nonzeros_out: tuple[bool, ...]
    forwarded: tuple[int | None, ...]

    def residuals(self, inputs: Sequence[Any], computed: Sequence[Any]) -> list[Any]:
        """All residuals, from the inputs and the extra outputs of `forward`."""
        rest = iter(computed)
        return [next(rest) if i is None else inputs[i] for i in self.forwarded]


@memoize_weakly(maxsize=1024)
def linearize_jaxpr(
    jaxpr: Jaxpr, nonzeros: tuple[bool, ...], instantiate: bool | tuple[bool, ...]
) -> Linearized:
    """Split a program into its forward and its linear half."""
    found: list[Any] = []

    def forward(*primals: Any) -> list[Any]:
        trace = LinearizeTrace(current.value)
        inputs = [
            trace.new_input(x) if moves else x
            for x, moves in zip(primals, nonzeros, strict=True)
        ]
        with use_trace(trace):
            outs = eval_jaxpr(jaxpr, jaxpr.consts, *inputs)
        split = [trace.split(y) for y in outs]
        must = _flags(instantiate, len(outs))
        nonzeros_out = tuple(
            y_dot.__class__ is not Zero or wanted
            for (_, y_dot), wanted in zip(split, must, strict=True)
        )
        y_dots = [
            instantiate_zeros(y_dot)
            for y_dot in _select([t for _, t in split], nonzeros_out)
        ]
        variables = [x.tangent for x in inputs if x.__class__ is trace.tracer_class]
        tangent, residuals = tape_to_jaxpr(trace.tape, variables, y_dots)
        # A residual the program closes over stays with the tangent program.
        constant = [not isinstance(r, Tracer) for r in residuals]
        tangent = _attach_constants(tangent, residuals, constant)
        residuals = [
            r for r, fixed in zip(residuals, constant, strict=True) if not fixed
        ]
        position = {id(x): i for i, x in enumerate(primals)}
        forwarded = tuple(position.get(id(r)) for r in residuals)
        found.extend((tangent, nonzeros_out, forwarded))
        computed = [r for r, i in zip(residuals, forwarded, strict=True) if i is None]
        return [y for y, _ in split] + computed

    program = stage(forward, jaxpr.in_avals, debug_info=jaxpr.debug_info)
    return Linearized(program, *found)


def _attach_constants(tangent: Jaxpr, residuals: list[Any], fixed: list[bool]) -> Jaxpr:
    """Turn the residual inputs marked `fixed` into constants of the program."""
    if not any(fixed):
        return tangent
    count = len(residuals)
    leading, rest = tangent.invars[:count], tangent.invars[count:]
    constvars: list[Var] = _select(leading, fixed)
    others = [var for var, is_fixed in zip(leading, fixed, strict=True) if not is_fixed]
    return Jaxpr(
        constvars,
        [*others, *rest],
        tangent.outvars,
        tangent.eqns,
        tangent.effects,
        tangent.debug_info,
        _select(residuals, fixed),
    )
