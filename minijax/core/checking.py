"""Whether a jaxpr keeps the typing rules, and whether a finished trace is let go of.

Both are for finding mistakes, in a transformation or in a user's function, and both run
only when asked: `check_jaxpr` or `jax_enable_checks`, `checking_leaks`.

Source: spec/tracing.md §§7, 14.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator, Sequence
from types import CellType, FrameType, FunctionType, ModuleType
from typing import Any

import numpy as np

from ..base import flags
from ..base.errors import JaxprTypeError, LeakedTracersError
from .avals import AbstractValue, typeof
from .effects import NamedAxisEffect
from .jaxprs import Atom, Jaxpr, JaxprEqn, Literal, Var, effects_on, jaxprs_in_params
from .ref_types import InputEffect
from .rules import RuleTable
from .sources import summarize, user_frame
from .structural import custom_jvp_call_p, custom_vjp_call_p, jit_p
from .traces import Trace, Tracer

# --- Types --------------------------------

# primitive -> rule(eqn) that checks more than types and effects: what the equation's
# programs take and return. Returns what is wrong, in words, or "".
checking_rules = RuleTable("checking")

_WINDOW = 10  # equations shown on either side of a wrong one


def same_type(one: AbstractValue, other: AbstractValue) -> bool:
    """Whether two types agree; a weak type agrees with its strong one."""
    return one is other or one.strip_weak_type() is other.strip_weak_type()


def check_jaxpr(jaxpr: Jaxpr) -> None:
    """Check that a program is well formed and typed, and so are those it holds.

    Every variable is bound once, before it is read; types and effects of results are
    those the rules of primitives infer; literals fit their types; the program's effects
    hold those of its equations.

    Raises:
        JaxprTypeError: it is not. The text shows the equation and those around it.

    Example:
        >>> import minijax as mj
        >>> check_jaxpr(mj.make_jaxpr(mj.lax.sin)(1.0))
    """
    checked: set[Jaxpr] = set()
    stack = [jaxpr]
    while stack:  # a stack: programs nest deeper than Python calls may
        one = stack.pop()
        if one not in checked:
            checked.add(one)
            _check_one(one)
            stack += [held for eqn in one.eqns for held in jaxprs_in_params(eqn.params)]


def _check_one(jaxpr: Jaxpr) -> None:
    bound: set[Var] = set()
    for var in jaxpr.all_invars:
        if var in bound:
            raise JaxprTypeError(f"input {var} is bound twice, in jaxpr:\n{jaxpr}")
        bound.add(var)
    for index, eqn in enumerate(jaxpr.eqns):
        wrong = next(_mistakes(eqn, bound), None)
        if wrong is not None:
            raise JaxprTypeError(_report(wrong, jaxpr, index))
    for wrong in _atom_mistakes(jaxpr.outvars, bound, "output"):
        raise JaxprTypeError(f"{wrong}, in jaxpr:\n{jaxpr}")
    _check_effects(jaxpr)


def _mistakes(eqn: JaxprEqn, bound: set[Var]) -> Iterator[str]:
    yield from _atom_mistakes(eqn.invars, bound, "operand")
    for position, var in enumerate(eqn.outvars):
        if var in bound:
            yield f"result {position} ({var}) is bound already"
        bound.add(var)
    yield from _type_mistakes(eqn)
    rule = checking_rules.get(eqn.primitive)
    wrong = "" if rule is None else rule(eqn)
    if wrong:
        yield wrong


def _atom_mistakes(atoms: Sequence[Atom], bound: set[Var], what: str) -> Iterator[str]:
    for position, x in enumerate(atoms):
        if type(x) is not Literal:
            if x not in bound:
                yield f"{what} {position} ({x}) is read before it is bound"
        elif not _literal_fits(x):
            yield (
                f"{what} {position} is the literal {x.val!r}, which is not of its type "
                f"{x.aval}"
            )


_KINDS = {bool: "b", int: "iufc", float: "fc", complex: "c"}


def _literal_fits(literal: Literal) -> bool:
    value, aval = literal.val, literal.aval
    kinds = _KINDS.get(type(value))
    if kinds is None:
        return same_type(typeof(value), aval)
    # A Python number takes whichever dtype of its kind is around. The extended floats
    # of ml_dtypes call themselves void.
    kind = np.dtype(aval.dtype).kind
    return not aval.shape and (kind in kinds or (kind == "V" and "f" in kinds))


def _type_mistakes(eqn: JaxprEqn) -> Iterator[str]:
    avals = tuple(x.aval for x in eqn.invars)
    try:
        out, effects = eqn.primitive.infer(avals, eqn.params)
    except (TypeError, ValueError) as error:
        shown = ", ".join(map(str, avals))
        yield f"primitive {eqn.primitive} does not take operands ({shown}): {error}"
        return
    inferred = eqn.primitive.results(out)
    if len(inferred) != len(eqn.outvars):
        yield f"{len(eqn.outvars)} results are bound, the primitive has {len(inferred)}"
        return
    for position, (aval, var) in enumerate(zip(inferred, eqn.outvars, strict=True)):
        if not same_type(aval, var.aval):
            yield (
                f"result {position} is bound with type {var.aval}; "
                f"the operands give {aval}"
            )
    effects = effects_on(effects, eqn.invars, eqn.params)
    if effects != eqn.effects:
        found, right = set(eqn.effects), set(effects)
        yield f"the equation has effects {found}, its rule infers {right}"


def _check_effects(jaxpr: Jaxpr) -> None:
    for index, eqn in enumerate(jaxpr.eqns):
        for effect in eqn.effects - jaxpr.effects:
            # The program around may have given the axis its size; what happens to a
            # ref that the program makes stays inside.
            is_inside = isinstance(effect, InputEffect) and (
                effect.input not in jaxpr.all_invars
            )
            if not is_inside and not isinstance(effect, NamedAxisEffect):
                wrong = (
                    f"the effect {effect} of an equation is not one of the program's"
                )
                raise JaxprTypeError(_report(wrong, jaxpr, index))


def check_call(program: str) -> Any:
    """The checking rule of calls: operands and results are those of param `program`."""

    def check(eqn: JaxprEqn) -> str:
        jaxpr = eqn.params[program]
        for what, atoms, avals in (
            ("operands", eqn.invars, jaxpr.in_avals),
            ("results", eqn.outvars, jaxpr.out_avals),
        ):
            if len(atoms) != len(avals):
                return f"{len(atoms)} {what} for a program of {len(avals)}"
            for position, (x, aval) in enumerate(zip(atoms, avals, strict=True)):
                if not same_type(x.aval, aval):
                    return (
                        f"number {position} of the {what} has type {x.aval}, "
                        f"in the program it has type {aval}"
                    )
        return ""

    return check


checking_rules.define(jit_p, check_call("jaxpr"))
checking_rules.define(custom_jvp_call_p, check_call("call_jaxpr"))
checking_rules.define(custom_vjp_call_p, check_call("call_jaxpr"))


def _report(wrong: str, jaxpr: Jaxpr, index: int) -> str:
    eqn = jaxpr.eqns[index]
    source = summarize(eqn.traceback)
    first = max(index - _WINDOW, 0)
    window = jaxpr.eqns[first : index + _WINDOW + 1]
    # One print of a piece of the program: the names agree between its lines.
    piece = Jaxpr(_free_variables(window), [], [], window)
    return "\n".join(
        [
            f"{wrong}.",
            f"Equation {index} of {len(jaxpr.eqns)}: {eqn}",
            *([f"Written at {source}."] if source else []),
            "Equations around it:",
            str(piece),
        ]
    )


def _free_variables(eqns: Sequence[JaxprEqn]) -> list[Var]:
    bound = {var for eqn in eqns for var in eqn.outvars}
    read = (x for eqn in eqns for x in eqn.invars if type(x) is not Literal)
    return [x for x in dict.fromkeys(read) if x not in bound]


# --- Leaks --------------------------------


def check_leaks(trace: Trace) -> None:
    """Under `checking_leaks`: refuse that tracers outlive their trace.

    Raises:
        LeakedTracersError: somebody still holds some.
    """
    if flags.check_tracer_leaks.value:
        leaks = find_leaks(trace)
        if leaks:
            raise LeakedTracersError(trace.describe(), leaks)


def find_leaks(trace: Trace) -> list[str]:
    """The tracers of `trace` that are still referred to, with who refers to them."""
    gc.collect()
    leaked = [
        x for x in gc.get_referrers(trace) if isinstance(x, Tracer) and x.owner is trace
    ]
    # Without this the search itself would be found as a referrer.
    ours = {id(leaked), id(sys._getframe())}
    texts = [_leak_text(tracer, ours) for tracer in leaked]
    return [text for text in texts if text]


def _leak_text(tracer: Tracer, ours: set[int]) -> str:
    chain = _referrer_chain(tracer, ours)
    if not chain:
        return ""
    frame = user_frame(tracer.created_at())
    made = f", made at {frame}" if frame is not None else ""
    origin = tracer.origin_text()
    lines = [f"{tracer!r}{made}", *([origin] if origin else []), *chain]
    return "\n  ".join(lines)


_LONGEST_CHAIN = 8


def _referrer_chain(leaked: Any, ours: set[int]) -> list[str]:
    """Who holds `leaked`, who holds that, …: up to a name a user knows."""
    chain: list[str] = []
    seen = {id(leaked), *ours, id(chain)}
    held, cell = leaked, None
    while len(chain) < _LONGEST_CHAIN:
        seen.add(id(sys._getframe()))
        referrers = gc.get_referrers(held)
        seen.add(id(referrers))
        holder = _best_holder([x for x in referrers if id(x) not in seen])
        del referrers
        if holder is None:
            break
        if isinstance(holder, CellType):
            cell = holder
        if not (isinstance(holder, tuple) and held is cell):  # a function's closure
            chain.append(f"held by {_describe(holder, held, cell)}")
        if isinstance(holder, FrameType | ModuleType):
            break
        seen.add(id(holder))
        held = holder
    return chain or _running_holders(leaked)


def _is_ours(frame: FrameType) -> bool:
    module = str(frame.f_globals.get("__name__", ""))
    return module.split(".")[0] == __name__.split(".")[0]


def _best_holder(candidates: list[Any]) -> Any:
    # The library's own frames and traces pass through; containers and cells explain.
    kept = [
        x
        for x in candidates
        if not isinstance(x, Trace) and not (isinstance(x, FrameType) and _is_ours(x))
    ]
    kept.sort(key=lambda x: isinstance(x, FrameType))
    return kept[0] if kept else None


def _running_holders(leaked: Any) -> list[str]:
    # The collector does not see the local variables of functions that are running.
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        if not _is_ours(frame) and any(x is leaked for x in frame.f_locals.values()):
            return [f"held by {_describe(frame, leaked, None)}"]
        frame = frame.f_back
    return []


def _describe(holder: Any, held: Any, cell: CellType | None) -> str:
    if isinstance(holder, list | tuple):
        index = next((i for i, x in enumerate(holder) if x is held), "?")
        return f"a {type(holder).__name__} at index {index}"
    if isinstance(holder, dict):
        key = next((k for k, v in holder.items() if v is held), "?")
        return f"a dict under key {key!r}"
    if isinstance(holder, CellType):
        return "a variable of an enclosing function"
    if isinstance(holder, FunctionType):
        cells = zip(holder.__code__.co_freevars, holder.__closure__ or (), strict=True)
        name = next((name for name, one in cells if one is cell), None)
        return f"the function {holder.__qualname__}{f' as {name!r}' if name else ''}"
    if isinstance(holder, FrameType):
        name = next((k for k, v in holder.f_locals.items() if v is held), "?")
        code = holder.f_code
        place = f"{code.co_qualname} at {code.co_filename}:{holder.f_lineno}"
        return f"the local variable {name!r} of {place}"
    if isinstance(holder, ModuleType):
        return f"the module {holder.__name__}"
    return f"an object of type {type(holder).__qualname__}"
