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


def with_fresh_variables(jaxpr: Jaxpr) -> Jaxpr:
    """The same program with other variables, to stand beside itself."""
    own: dict[Var, Var] = {var: type(var)(var.aval) for var in jaxpr.all_invars}
    own.update((v, type(v)(v.aval)) for eqn in jaxpr.eqns for v in eqn.outvars)

    def named(atoms: Sequence[Any]) -> list[Any]:
        return [x if type(x) is Literal else own[x] for x in atoms]

    eqns = [
        eqn.replace(invars=named(eqn.invars), outvars=named(eqn.outvars))
        for eqn in jaxpr.eqns
    ]
    return Jaxpr(
        named(jaxpr.constvars),
        named(jaxpr.invars),
        named(jaxpr.outvars),
        eqns,
        jaxpr.effects,
        jaxpr.debug_info,
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


class Cut(NamedTuple):
    """A body's equations before and inside the loop; variables known before it."""

    fixed: set[Var]
    before: list[JaxprEqn]
    inside: list[JaxprEqn]


def invariants(body: Jaxpr, num_consts: int) -> Cut:
    """Cut out the equations that read no input but the first `num_consts`."""
    cut = uncut(body, num_consts)
    inside: list[JaxprEqn] = []
    for eqn in body.eqns:
        # An effect happens in every step, whatever it reads.
        if eqn.effects or not all(
            type(x) is Literal or x in cut.fixed for x in eqn.invars
        ):
            inside.append(eqn)
        else:
            cut.before.append(eqn)
            cut.fixed.update(eqn.outvars)
    return cut._replace(inside=inside)


def uncut(body: Jaxpr, num_consts: int) -> Cut:
    """Leave all equations inside: only inputs are known before the loop."""
    return Cut({*body.constvars, *body.invars[:num_consts]}, [], body.eqns)


def hoisted(
    body: Jaxpr,
    num_consts: int,
    cut: Cut,
    outs: Sequence[Any],
    invariant_outs: Sequence[Any],
) -> Hoisted:
    """The two programs of a cut body.

    outs: the results of the loop. invariant_outs: values wanted before it, which are
    literals or among the fixed variables of the cut.
    """
    read = [x for eqn in cut.inside for x in eqn.invars] + list(outs)
    needed = {x for x in read if type(x) is not Literal and x in cut.fixed}
    consts = body.invars[:num_consts]
    made = [var for eqn in cut.before for var in eqn.outvars]
    loop_consts = [var for var in (*consts, *made) if var in needed]
    wanted = [*loop_consts, *invariant_outs]
    return Hoisted(
        rearranged(body, consts, wanted, _leading_to(cut.before, wanted)),
        rearranged(body, [*loop_consts, *body.invars[num_consts:]], outs, cut.inside),
        len(loop_consts),
    )


def _leading_to(eqns: Sequence[JaxprEqn], wanted: Sequence[Any]) -> list[JaxprEqn]:
    needed = {x for x in wanted if type(x) is not Literal}
    kept = []
    for eqn in reversed(eqns):
        if not needed.isdisjoint(eqn.outvars):
            kept.append(eqn)
            needed.update(x for x in eqn.invars if type(x) is not Literal)
    kept.reverse()
    return kept
