"""Running a jaxpr by binding its equations again, one by one.

Under evaluation this computes; under any other trace it transforms the program, which
is how jaxprs are differentiated, batched and inlined: one rule table serves functions
and programs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..base.errors import ArgumentValueError
from ..base.util import memoize_weakly
from .jaxprs import Jaxpr, Literal, Var
from .rules import RuleTable
from .sources import current_scope, set_line, set_scope

# primitive -> rule(values, params) that binds an equation whose parameters are not
# what `bind` takes (custom rules hold functions, their equations hold jaxprs)
replay_rules = RuleTable("replay")


@memoize_weakly(maxsize=1024)
def last_uses(jaxpr: Jaxpr) -> list[tuple[Var, ...]]:
    """For each equation, the variables that nobody reads after it."""
    kept = {atom for atom in jaxpr.outvars if type(atom) is not Literal}
    frees: list[tuple[Var, ...]] = []
    for eqn in reversed(jaxpr.eqns):
        dead = []
        for var in (*eqn.invars, *eqn.outvars):
            if type(var) is not Literal and var not in kept:
                kept.add(var)
                dead.append(var)
        frees.append(tuple(dead))
    frees.reverse()
    return frees


def eval_jaxpr(
    jaxpr: Jaxpr,
    consts: Sequence[Any],
    *args: Any,
    propagate_source_info: bool = True,
) -> list[Any]:
    """Bind the equations of `jaxpr` in the current trace; values out, one per outvar.

    `consts` stand in for `jaxpr.constvars`. Raises: ValueError for a wrong number of
    arguments. Shapes are not checked.
    """
    given = [*consts, *args]
    if len(given) != len(jaxpr.all_invars):
        raise ArgumentValueError(
            f"The program takes {len(jaxpr.all_invars)} values "
            f"({len(jaxpr.consts)} of them constants).",
            f"Found {len(given)}.",
        )
    env: dict[Any, Any] = dict(zip(jaxpr.all_invars, given, strict=True))
    outer, outer_line = current_scope(), set_line(None)
    try:
        for eqn, dead in zip(jaxpr.eqns, last_uses(jaxpr), strict=True):
            primitive = eqn.primitive
            values = [x.val if type(x) is Literal else env[x] for x in eqn.invars]
            if propagate_source_info:
                set_scope(outer + eqn.scope if eqn.scope else outer)
                set_line(eqn.traceback)
            replay = replay_rules.get(primitive)
            if replay is None:
                out = primitive.bind(*values, **eqn.params)
            else:
                out = replay(values, eqn.params)
            if primitive.multiple_results:
                env.update(zip(eqn.outvars, out, strict=True))
            else:
                env[eqn.outvars[0]] = out
            for var in dead:
                del env[var]
    finally:
        set_scope(outer)
        set_line(outer_line)
    return [x.val if type(x) is Literal else env[x] for x in jaxpr.outvars]


def jaxpr_as_fun(jaxpr: Jaxpr) -> Any:
    """The function `*flat_args -> list` that runs `jaxpr` with its own constants."""

    def run(*args: Any) -> list[Any]:
        return eval_jaxpr(jaxpr, jaxpr.consts, *args)

    return run
