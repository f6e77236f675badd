"""Programs in another order: what loops and branches do to the jaxprs they hold.

Nothing here is traced: equations stay as they are, inputs and results are chosen,
ordered and joined. Derived programs are kept as long as those they come from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ... import tree
from ...base.util import (
    multi_weakref_lru_cache,
    register_cache,
    trace_context,
)
from ...core import Jaxpr, JaxprEqn, Literal, Var, no_effects

_PROGRAMS = 4096


def kept_with_programs[F: Callable[..., Any]](function: F) -> F:
    """Keep the answers of a function of jaxprs, or tuples of them, while they live."""
    cached = multi_weakref_lru_cache(
        trace_context,
        function,
        maxsize=_PROGRAMS,
        registry=tree.registry,
        weak_types={Jaxpr},
    )
    register_cache(f"{function.__module__}.{function.__qualname__}", cached.cache_clear)
    return cached


def chosen[T](items: Sequence[T], flags: Sequence[bool]) -> list[T]:
    """The items whose flag is set."""
    return [x for x, flag in zip(items, flags, strict=True) if flag]


def rearranged(
    jaxpr: Jaxpr,
    invars: Sequence[Var] | None = None,
    outvars: Sequence[Any] | None = None,
    eqns: Sequence[JaxprEqn] | None = None,
) -> Jaxpr:
    """The same program with inputs, results or equations of one's choice."""
    return Jaxpr(
        jaxpr.constvars,
        jaxpr.invars if invars is None else invars,
        jaxpr.outvars if outvars is None else outvars,
        jaxpr.eqns if eqns is None else eqns,
        jaxpr.effects if eqns is None else effects_of(eqns),
        jaxpr.debug_info._replace(arg_names=None, result_paths=None),
        jaxpr.consts,
    )


def effects_of(eqns: Sequence[JaxprEqn]) -> frozenset[Any]:
    """The effects of equations."""
    found = [eqn.effects for eqn in eqns if eqn.effects]
    return frozenset().union(*found) if found else no_effects




# --- What does not change inside a loop -----------------------------------------------


class Hoisted(NamedTuple):
    """A loop body cut in two: what every step computes alike, and the rest.

    before: the constants -> loop constants ++ invariant results. loop: loop constants
    ++ the body's other inputs -> chosen results. num_consts: how many loop constants.
    """

    before: Jaxpr
    loop: Jaxpr
    num_consts: int


def hoisted(
    body: Jaxpr, num_consts: int, outs: Sequence[Any], invariant_outs: Sequence[Var]
) -> Hoisted:
    """Take out of `body` the equations that read no input but the first `num_consts`.

    outs: the results that the loop still has. invariant_outs: variables wanted before
    the loop; they must be among those of `invariants`.
    """
    fixed, before, inside = invariants(body, num_consts)
    read = [x for eqn in inside for x in eqn.invars] + list(outs)
    constvars = set(body.constvars)
    needed = {x for x in read if type(x) is not Literal and x in fixed} - constvars
    consts = body.invars[:num_consts]
    made = [var for eqn in before for var in eqn.outvars]
    loop_consts = [var for var in (*consts, *made) if var in needed]
    wanted = [*loop_consts, *invariant_outs]
    return Hoisted(
        rearranged(body, consts, wanted, _leading_to(before, wanted)),
        rearranged(body, [*loop_consts, *body.invars[num_consts:]], outs, inside),
        len(loop_consts),
    )


def invariants(
    body: Jaxpr, num_consts: int
) -> tuple[set[Var], list[JaxprEqn], list[JaxprEqn]]:
    """The variables that are the same in every step; equations of them, and others."""
    fixed = {*body.constvars, *body.invars[:num_consts]}
    before: list[JaxprEqn] = []
    inside: list[JaxprEqn] = []
    for eqn in body.eqns:
        # An effect happens in every step, whatever it reads.
        if not eqn.effects and all(type(x) is Literal or x in fixed for x in eqn.invars):
            before.append(eqn)
            fixed.update(eqn.outvars)
        else:
            inside.append(eqn)
    return fixed, before, inside


def _leading_to(eqns: Sequence[JaxprEqn], wanted: Sequence[Var]) -> list[JaxprEqn]:
    needed = set(wanted)
    kept = []
    for eqn in reversed(eqns):
        if not needed.isdisjoint(eqn.outvars):
            kept.append(eqn)
            needed.update(x for x in eqn.invars if type(x) is not Literal)
    kept.reverse()
    return kept
