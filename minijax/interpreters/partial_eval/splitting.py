"""Known and unknown: one jaxpr becomes two, run one after the other.

The known program computes all that follows from the known inputs; what the unknown one
needs of it are residuals. Whoever recomputes or differentiates cuts programs like this.
A walk over the equations decides by flags, nothing is traced.

A rule, for a primitive that holds programs, cuts inside the equation:
`rule(unknown_ins, eqn) -> (known_eqn, unknown_eqn, unknown_outs, residuals)`. It is
asked only if some operand is unknown and some is known. Either equation may be None.
`residuals` are new variables: results of known_eqn, operands of unknown_eqn. Without a
rule one unknown operand makes the whole equation unknown.

Source: spec/ad.md §3.3, spec/tracing.md §10.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...base import util
from ...core import Jaxpr, JaxprEqn, Literal, RuleTable, Var, removable, without_refs
from .dce import chosen_names, effects_of, flag_tuple, variables

partial_eval_rules = RuleTable("partial evaluation")

SplitRule = Callable[
    [list[bool], JaxprEqn],
    tuple[JaxprEqn | None, JaxprEqn | None, Sequence[bool], Sequence[Var]],
]


def split_jaxpr(
    jaxpr: Jaxpr, unknowns: Sequence[bool], instantiate: bool | Sequence[bool] = False
) -> tuple[Jaxpr, Jaxpr, list[bool], list[Any]]:
    """Cut a program in two by which inputs are unknown.

    Returns `(known, unknown, unknown_outputs, residual_avals)`: known: known inputs ->
    known results ++ residuals; unknown: residuals ++ unknown inputs -> unknown results.
    `instantiate` makes results unknown that need not be. An equation with effects runs
    on the side its operands are on.

    Example:
        >>> import minijax as mj
        >>> program = lambda x, y: mj.lax.mul(mj.lax.sin(x), y)
        >>> jaxpr = mj.make_jaxpr(program)(1.0, 2.0)
        >>> known, unknown, outs, residuals = split_jaxpr(jaxpr, [False, True])
        >>> print(known)
        { lambda ; a:f32[]. let b:f32[] = sin a in (b,) }
        >>> print(unknown)
        { lambda ; a:f32[] b:f32[]. let c:f32[] = mul a b in (c,) }
    """
    known, unknown, outs, avals = _split(
        without_refs(jaxpr),  # what one half wrote the other could not read
        flag_tuple(unknowns, len(jaxpr.invars)),
        flag_tuple(instantiate, len(jaxpr.outvars)),
    )
    return known, unknown, list(outs), list(avals)


@util.memoize_weakly(maxsize=4096)
def _split(
    jaxpr: Jaxpr, unknowns: tuple[bool, ...], instantiate: tuple[bool, ...]
) -> tuple[Jaxpr, Jaxpr, tuple[bool, ...], tuple[Any, ...]]:
    sides = _Sides(jaxpr, unknowns)
    for eqn in jaxpr.eqns:
        sides.add(eqn)
    out_unknowns = tuple(
        forced or (type(x) is not Literal and x in sides.unknown)
        for x, forced in zip(jaxpr.outvars, instantiate, strict=True)
    )
    late = [
        x for x, is_late in zip(jaxpr.outvars, out_unknowns, strict=True) if is_late
    ]
    unknown_eqns = _needed(sides.unknown_eqns, variables(late))
    residuals = _residuals(unknown_eqns, late, sides.unknown)
    known = _known_side(jaxpr, sides, out_unknowns, residuals)
    invars = [x for x, late_in in zip(jaxpr.invars, unknowns, strict=True) if late_in]
    unknown = Jaxpr(
        (),
        [*residuals, *invars],
        late,
        unknown_eqns,
        effects_of(unknown_eqns, jaxpr.effects),
        jaxpr.debug_info._replace(arg_names=None, result_paths=None),
    )
    return known, unknown, out_unknowns, tuple(var.aval for var in residuals)


class _Sides:
    """The equations of either program, and which variables are unknown."""

    def __init__(self, jaxpr: Jaxpr, unknowns: Sequence[bool]) -> None:
        self.known_eqns: list[JaxprEqn] = []
        self.unknown_eqns: list[JaxprEqn] = []
        self.unknown: set[Var] = {
            var for var, late in zip(jaxpr.invars, unknowns, strict=True) if late
        }

    def add(self, eqn: JaxprEqn) -> None:
        late = [type(x) is not Literal and x in self.unknown for x in eqn.invars]
        if not any(late):
            self.known_eqns.append(eqn)
            return
        rule = partial_eval_rules.get(eqn.primitive)
        if rule is None or all(late):
            self.unknown_eqns.append(eqn)
            self.unknown.update(eqn.outvars)
            return
        known_eqn, unknown_eqn, late_outs, _ = rule(late, eqn)
        if known_eqn is not None:
            self.known_eqns.append(known_eqn)
        if unknown_eqn is not None:
            self.unknown_eqns.append(unknown_eqn)
        self.unknown.update(
            var for var, is_late in zip(eqn.outvars, late_outs, strict=True) if is_late
        )


def _needed(eqns: Sequence[JaxprEqn], needed: set[Var]) -> list[JaxprEqn]:
    """The unknown equations that lead to a result, or have effects."""
    kept: list[JaxprEqn] = []
    for eqn in reversed(eqns):
        if not removable(eqn.effects) or not needed.isdisjoint(eqn.outvars):
            kept.append(eqn)
            needed |= variables(eqn.invars)
    kept.reverse()
    return kept


def _residuals(
    eqns: Sequence[JaxprEqn], outs: Sequence[Any], unknown: set[Var]
) -> list[Var]:
    """What the unknown program reads and does not compute.

    In the order in which a walk meets them that goes from each result, in turn, to its
    operands, from left to right.
    """
    maker = {var: eqn for eqn in eqns for var in eqn.outvars}
    effectful = [x for eqn in eqns if eqn.effects for x in eqn.invars]
    found: dict[Var, None] = {}
    seen: set[Any] = set()
    stack = [*reversed([*outs, *effectful])]
    while stack:
        x = stack.pop()
        if type(x) is Literal or x in seen:
            continue
        seen.add(x)
        if x in maker:
            stack.extend(reversed(maker[x].invars))
        elif x not in unknown:
            found[x] = None
    return list(found)


def _known_side(
    jaxpr: Jaxpr,
    sides: _Sides,
    out_unknowns: Sequence[bool],
    residuals: Sequence[Var],
) -> Jaxpr:
    known_in = [var not in sides.unknown for var in jaxpr.invars]
    outs = [x for x, late in zip(jaxpr.outvars, out_unknowns, strict=True) if not late]
    return Jaxpr(
        jaxpr.constvars,
        [var for var, known in zip(jaxpr.invars, known_in, strict=True) if known],
        [*outs, *residuals],
        sides.known_eqns,
        effects_of(sides.known_eqns, jaxpr.effects),
        chosen_names(jaxpr.debug_info, known_in, ()),
        jaxpr.consts,
    )
