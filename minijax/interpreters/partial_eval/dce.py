"""Dead-code elimination: a jaxpr without the equations nobody needs.

One walk from the last equation to the first. A rule, for a primitive that holds
programs, cuts inside the equation: `rule(used_outs, live_ins, eqn) -> (used_ins, eqn)`.
used_outs says which results are read; live_ins which operands are still read
afterwards; used_ins which operands the remaining equation needs. A rule is asked only
if some result is read or the equation has an effect that must happen; it may return
None in place of the equation. Without a rule the equation stays as it is.

Source: spec/ad.md §3.5, spec/tracing.md §15.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ...base import util
from ...core import (
    Atom,
    DebugInfo,
    Effects,
    Jaxpr,
    JaxprEqn,
    Literal,
    RuleTable,
    Var,
    removable,
)

dce_rules = RuleTable("dce")

DCERule = Callable[
    [list[bool], list[bool], JaxprEqn], tuple[Sequence[bool], JaxprEqn | None]
]


def dce_jaxpr(
    jaxpr: Jaxpr,
    used_outputs: bool | Sequence[bool],
    instantiate: bool | Sequence[bool] = False,
    live_inputs: bool | Sequence[bool] = True,
) -> tuple[Jaxpr, list[bool]]:
    """The program with the used results only, and which inputs it still needs.

    Inputs that are not needed are dropped, except where `instantiate` is true.
    live_inputs says which inputs are read after the program. Constants stay. A program
    in which all is needed is returned itself.

    Example:
        >>> import minijax as mj
        >>> both = lambda x, y: (mj.lax.sin(x), mj.lax.neg(y))
        >>> jaxpr = mj.make_jaxpr(both)(1.0, 2.0)
        >>> small, used = dce_jaxpr(jaxpr, [True, False])
        >>> print(small, used)
        { lambda ; a:f32[]. let b:f32[] = sin a in (b,) } [True, False]
    """
    inputs = len(jaxpr.all_invars) - len(jaxpr.consts)
    result, used = _dce(
        jaxpr,
        flag_tuple(used_outputs, len(jaxpr.outvars)),
        flag_tuple(instantiate, inputs),
        flag_tuple(live_inputs, inputs),
    )
    return jaxpr if result is None else result, list(used)


def dce_jaxpr_consts(
    jaxpr: Jaxpr, used_outputs: bool | Sequence[bool], instantiate: bool = False
) -> tuple[Jaxpr, list[bool], list[bool]]:
    """As `dce_jaxpr`, and constants that are not needed are dropped too.

    Returns the program, which constants and which inputs it needs.
    """
    count = len(jaxpr.consts)
    inputs = len(jaxpr.invars)
    keep = [False] * count + [instantiate] * inputs
    opened, used = dce_jaxpr(jaxpr.with_consts(()), used_outputs, keep)
    used_consts, used_inputs = used[:count], used[count:]
    consts = [c for c, kept in zip(jaxpr.consts, used_consts, strict=True) if kept]
    return opened.with_consts(consts), used_consts, used_inputs


def flag_tuple(flags: bool | Sequence[bool], count: int) -> tuple[bool, ...]:
    """One flag each: `flags` itself, or one for all."""
    if isinstance(flags, bool):
        return (flags,) * count
    if len(flags) != count:
        raise ValueError(f"{count} flags are needed, {len(flags)} were given")
    return tuple(map(bool, flags))


@util.memoize_weakly(maxsize=4096)
def _dce(
    jaxpr: Jaxpr,
    used_outputs: tuple[bool, ...],
    instantiate: tuple[bool, ...],
    live_inputs: tuple[bool, ...],
) -> tuple[Jaxpr | None, tuple[bool, ...]]:
    outvars = [x for x, used in zip(jaxpr.outvars, used_outputs, strict=True) if used]
    needed = variables(outvars)
    live = needed | {
        var for var, lives in zip(jaxpr.invars, live_inputs, strict=True) if lives
    }
    kept, changed = _needed_equations(jaxpr.eqns, needed, live)
    used_inputs = tuple(
        var in needed or keep
        for var, keep in zip(jaxpr.invars, instantiate, strict=True)
    )
    if not changed and all(used_outputs) and all(used_inputs):
        # None for the program itself: what is kept must not keep its key alive.
        return None, used_inputs
    invars = [x for x, used in zip(jaxpr.invars, used_inputs, strict=True) if used]
    info = chosen_names(jaxpr.debug_info, used_inputs, used_outputs)
    smaller = Jaxpr(
        jaxpr.constvars,
        invars,
        outvars,
        kept,
        effects_of(kept, jaxpr.effects),
        info,
        jaxpr.consts,
    )
    return smaller, used_inputs


def _needed_equations(
    eqns: Sequence[JaxprEqn], needed: set[Var], live: set[Var]
) -> tuple[list[JaxprEqn], bool]:
    """The equations that must stay, whether any is gone or cut; extends `needed`."""
    kept: list[JaxprEqn] = []
    changed = False
    for eqn in reversed(eqns):
        used_outs = [var in needed for var in eqn.outvars]
        if not any(used_outs) and removable(eqn.effects):
            changed = True
            continue
        remaining, used_ins = _cut(eqn, used_outs, live)
        changed |= remaining is not eqn
        if remaining is not None:
            kept.append(remaining)
            operands = [x for x, used in zip(eqn.invars, used_ins, strict=True) if used]
            needed |= variables(operands)
            live |= variables(operands)
    kept.reverse()
    return kept, changed


def _cut(
    eqn: JaxprEqn, used_outs: list[bool], live: set[Var]
) -> tuple[JaxprEqn | None, Sequence[bool]]:
    rule = dce_rules.get(eqn.primitive)
    if rule is None:
        return eqn, [True] * len(eqn.invars)
    live_ins = [type(x) is not Literal and x in live for x in eqn.invars]
    used_ins, remaining = rule(used_outs, live_ins, eqn)
    return remaining, used_ins


# --- for this room ---


def variables(atoms: Iterable[Atom]) -> set[Var]:
    """The variables among variables and literals."""
    return {x for x in atoms if type(x) is not Literal}


def effects_of(eqns: Iterable[JaxprEqn], among: Effects) -> Effects:
    """The effects of equations, as far as the program they come from had them."""
    found: set[Any] = set()
    for eqn in eqns:
        if eqn.effects:
            found |= eqn.effects
    return among & found


def chosen_names(
    info: DebugInfo, inputs: Sequence[bool], outputs: Sequence[bool]
) -> DebugInfo:
    """The names of the inputs and results that remain."""

    def choose(
        names: tuple[str, ...] | None, chosen: Sequence[bool]
    ) -> tuple[str, ...] | None:
        if names is None or len(names) != len(chosen):
            return None
        return tuple(name for name, is_kept in zip(names, chosen) if is_kept)

    return info._replace(
        arg_names=choose(info.arg_names, inputs),
        result_paths=choose(info.result_paths, outputs),
    )
