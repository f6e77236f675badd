"""while_p: a body repeated as long as a predicate of the carry holds.

`while[body_jaxpr body_nconsts cond_jaxpr cond_nconsts]` takes constants of the
predicate, constants of the body, and the carry, and returns the carry. The number of
steps is data, so nothing can be kept per step: there is no reverse mode.

Source: spec/control_flow.md §§2.2-2.4; spec/batching.md §5.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import or_
from typing import Any, NamedTuple

from ...base.errors import ArgumentValueError, NotSupportedError
from ...base.util import split_list
from ...core import (
    Effects,
    Jaxpr,
    JaxprEqn,
    Primitive,
    Var,
    removable,
    same_type,
)
from ...interpreters import ad, batching
from ...interpreters import partial_eval as pe
from ..definition import define
from .discharging import while_without_refs
from .rearranging import (
    chosen,
    kept_with_programs,
    rearranged,
    with_fresh_variables,
)
from .while_lowering import lower_while

while_p = Primitive("while", multiple_results=True, holds_programs=True)


class Loop(NamedTuple):
    """The params of a while. Its operands are in three groups."""

    cond_jaxpr: Jaxpr
    body_jaxpr: Jaxpr
    cond_nconsts: int
    body_nconsts: int

    @classmethod
    def of(cls, params: dict[str, Any]) -> Loop:
        return cls(*(params[name] for name in cls._fields))

    @property
    def carry(self) -> int:
        """How many values are carried."""
        return len(self.body_jaxpr.outvars)

    def split(self, operands: Sequence[Any]) -> list[list[Any]]:
        """Operands, or what is one per operand, as three lists."""
        return split_list(operands, [self.cond_nconsts, self.body_nconsts])


def bind_while(
    loop: Loop, cond_consts: Sequence[Any], body_consts: Sequence[Any], carry: Any
) -> list[Any]:
    """Bind `loop` on its operands."""
    return while_p.bind(*cond_consts, *body_consts, *carry, **loop._asdict())


def _types(*avals: Any, body_jaxpr: Jaxpr, **_: Any) -> list[Any]:
    return body_jaxpr.out_avals


def _effects(*avals: Any, body_jaxpr: Jaxpr, cond_jaxpr: Jaxpr, **_: Any) -> Effects:
    return body_jaxpr.effects | cond_jaxpr.effects


def carry_fixpoint(
    start: Sequence[bool], flags_out: Callable[[tuple[bool, ...]], Sequence[bool]]
) -> tuple[bool, ...]:
    """Flags of the carry that hold after any number of steps."""
    carry = tuple(start)
    while True:
        out = flags_out(carry)
        grown = tuple([a or b for a, b in zip(carry, out, strict=True)])
        if grown == carry:
            return carry
        carry = grown


# --- Derivatives ----------------------------------------------------------------------


def _moving(tangents: Sequence[Any]) -> tuple[bool, ...]:
    return tuple([x_dot.__class__ is not ad.Zero for x_dot in tangents])


@kept_with_programs
def _jvp_loop(
    cond_jaxpr: Jaxpr,
    body_jaxpr: Jaxpr,
    cond_nconsts: int,
    moving_consts: tuple[bool, ...],
    moving_init: tuple[bool, ...],
) -> tuple[Jaxpr, Jaxpr, tuple[bool, ...]]:
    """Predicate and body on values and tangents, and which carries move."""

    def moving_out(carry: tuple[bool, ...]) -> Sequence[bool]:
        return ad.jvp_jaxpr(body_jaxpr, (*moving_consts, *carry), carry)[1]

    moves = carry_fixpoint(moving_init, moving_out)
    program, _ = ad.jvp_jaxpr(body_jaxpr, (*moving_consts, *moves), moves)
    count = len(moving_consts)
    consts, carry, const_dots, carry_dots = split_list(
        program.invars, [count, len(moves), sum(moving_consts)]
    )
    body = rearranged(program, [*consts, *const_dots, *carry, *carry_dots])
    ignored = [Var(var.aval) for var in carry_dots]
    own = with_fresh_variables(cond_jaxpr)
    cond = rearranged(own, [*own.invars, *ignored])
    return cond, body, moves


def _pushed(
    loop: Loop, primals: Sequence[Any], tangents: Sequence[Any]
) -> tuple[list[Any], Loop, tuple[bool, ...]]:
    """The loop on values and tangents: its operands, itself, which carries move."""
    cond_consts, body_consts, init = loop.split(primals)
    _, const_dots, init_dots = loop.split(tangents)
    moving = _moving(const_dots)
    cond, body, moves = _jvp_loop(
        loop.cond_jaxpr, loop.body_jaxpr, loop.cond_nconsts, moving, _moving(init_dots)
    )
    const_dots = chosen(const_dots, moving)
    start = [ad.instantiate_zeros(x_dot) for x_dot in chosen(init_dots, moves)]
    pushed = Loop(cond, body, loop.cond_nconsts, loop.body_nconsts + len(const_dots))
    return [*cond_consts, *body_consts, *const_dots, *init, *start], pushed, moves


def _spread(loop: Loop, moves: Sequence[bool], y_dots: Sequence[Any]) -> list[Any]:
    found = iter(y_dots)
    return [
        next(found) if moving else ad.Zero(aval.to_tangent_aval())
        for moving, aval in zip(moves, loop.body_jaxpr.out_avals, strict=True)
    ]


def _jvp(
    primals: Sequence[Any], tangents: Sequence[Any], **params: Any
) -> tuple[list[Any], list[Any]]:
    loop = Loop.of(params)
    operands, pushed, moves = _pushed(loop, primals, tangents)
    outs = while_p.bind(*operands, **pushed._asdict())
    return outs[: loop.carry], _spread(loop, moves, outs[loop.carry :])


def _linearize(
    primals: Sequence[Any], tangents: Sequence[Any], **params: Any
) -> tuple[list[Any], list[Any]]:
    # Nothing can be kept per step, so the loop runs twice: here for its values, and
    # with the tangents where they are.
    outs = while_p.bind(*primals, **params)
    loop = Loop.of(params)
    operands, pushed, moves = _pushed(loop, primals, tangents)
    tangents_only = (*[False] * loop.carry, *[True] * (pushed.carry - loop.carry))
    cut = cut_while(*pushed, tangents_only)
    found = iter(while_p.bind(*chosen(operands, cut.inputs), **cut.loop._asdict()))
    values = [next(found) if kept else None for kept in cut.carry]
    return outs, _spread(loop, moves, values[loop.carry :])


def _transpose(y_bars: Any, *operands: Any, **params: Any) -> list[Any]:
    raise ArgumentValueError(
        "Reverse mode goes through the steps of a loop backwards.",
        "Found a `while_loop`, or a `fori_loop` whose bounds are traced: the number of "
        "its steps is not known when it is differentiated.",
        "Use `lax.scan`, give `fori_loop` bounds that are Python numbers, or use "
        "forward mode (`jvp`, `jacfwd`).",
    )


# --- vmap -----------------------------------------------------------------------------


@batching.with_axis
def _batch(
    axis: Any, operands: Sequence[Any], axes: Sequence[Any], **params: Any
) -> tuple[list[Any], list[Any]]:
    loop = Loop.of(params)
    cond_axes, body_axes, init_axes = loop.split(axes)
    _refuse_effects(loop, ordered_only=True)
    start = [position is not None for position in init_axes]
    # Carries lie behind the axes of the predicate, which it shares with all of them.
    place = len(loop.cond_jaxpr.out_avals[0].shape)
    flags, mapped_predicate = _mapped_carry(axis, loop, cond_axes, body_axes, start)
    if mapped_predicate:
        _refuse_effects(loop, ordered_only=False)
        flags, place = (True,) * loop.carry, 0
    carry_axes = [place if flag else None for flag in flags]
    body, _ = batching.batch_jaxpr(
        loop.body_jaxpr, axis, [*body_axes, *carry_axes], carry_axes
    )
    cond, _ = batching.batch_jaxpr(
        loop.cond_jaxpr,
        axis,
        [*cond_axes, *carry_axes],
        [0 if mapped_predicate else None],
    )
    cond_consts, body_consts, init = loop.split(operands)
    init = [
        batching.match(axis, x, src, dst)[0] if dst is not None else x
        for x, src, dst in zip(init, init_axes, carry_axes, strict=True)
    ]
    new = Loop(cond, body, loop.cond_nconsts, loop.body_nconsts)
    return bind_while(new, cond_consts, body_consts, init), carry_axes


def _mapped_carry(
    axis: Any, loop: Loop, cond_axes: Any, body_axes: Any, start: Sequence[bool]
) -> tuple[tuple[bool, ...], bool]:
    """Which carries have the axis after any number of steps, and does the predicate."""
    free = [batching.zero_if_mapped]

    def at(flags: Sequence[bool]) -> list[Any]:
        return [0 if flag else None for flag in flags]

    def mapped_out(carry: tuple[bool, ...]) -> list[bool]:
        dests = [0 if flag else batching.zero_if_mapped for flag in carry]
        found = batching.batch_jaxpr(
            loop.body_jaxpr, axis, [*body_axes, *at(carry)], dests
        )[1]
        return [position is not None for position in found]

    flags = carry_fixpoint(start, mapped_out)
    found = batching.batch_jaxpr(loop.cond_jaxpr, axis, [*cond_axes, *at(flags)], free)[
        1
    ]
    return flags, found[0] is not None


def _refuse_effects(loop: Loop, *, ordered_only: bool) -> None:
    refused = [
        e
        for e in loop.body_jaxpr.effects | loop.cond_jaxpr.effects
        if not e.in_mapped_control_flow and (e.ordered or not ordered_only)
    ]
    if refused:
        raise NotSupportedError(
            "vmap of a while loop runs the body until the last example is done.",
            f"Found a loop with effects {', '.join(sorted(map(str, refused)))}, which "
            "must happen only in the steps of each example.",
            "Take the effect out of the loop, or map with `lax.map`.",
        )


# --- Programs that hold whiles --------------------------------------------------------


class Cut(NamedTuple):
    """A loop without what is not needed. inputs: the operands it still has. carry: the
    results it still has."""

    loop: Loop
    inputs: tuple[bool, ...]
    carry: tuple[bool, ...]


@kept_with_programs
def cut_while(
    cond_jaxpr: Jaxpr,
    body_jaxpr: Jaxpr,
    cond_nconsts: int,
    body_nconsts: int,
    used_outs: tuple[bool, ...],
) -> Cut:
    """Keep a carry that is used, that the predicate reads, or that such a one needs."""
    cond, used_by_cond = pe.dce_jaxpr(cond_jaxpr, True)
    start = map(or_, used_outs, used_by_cond[cond_nconsts:])

    def needed(carry: tuple[bool, ...]) -> Sequence[bool]:
        return pe.dce_jaxpr(body_jaxpr, carry)[1][body_nconsts:]

    kept = carry_fixpoint(tuple(start), needed)
    cond_consts = used_by_cond[:cond_nconsts]
    body_consts = pe.dce_jaxpr(body_jaxpr, kept)[1][:body_nconsts]
    body, _ = pe.dce_jaxpr(body_jaxpr, kept, [*body_consts, *kept])
    cond, _ = pe.dce_jaxpr(cond_jaxpr, True, [*cond_consts, *kept])
    inputs = (*cond_consts, *body_consts, *kept)
    # What is kept must not keep alive the programs that it is kept for.
    body, cond = (
        rearranged(small) if small is whole else small
        for small, whole in ((body, body_jaxpr), (cond, cond_jaxpr))
    )
    return Cut(Loop(cond, body, sum(cond_consts), sum(body_consts)), inputs, kept)


def _dce(
    used_outs: list[bool], live_ins: list[bool], eqn: JaxprEqn
) -> tuple[Sequence[bool], JaxprEqn | None]:
    cut = cut_while(*Loop.of(eqn.params), tuple(used_outs))
    old, new = Loop.of(eqn.params), cut.loop
    same = new.body_jaxpr.eqns is old.body_jaxpr.eqns
    if all(cut.inputs) and same and new.cond_jaxpr.eqns is old.cond_jaxpr.eqns:
        return cut.inputs, eqn
    return cut.inputs, eqn.replace(
        invars=chosen(eqn.invars, cut.inputs),
        outvars=chosen(eqn.outvars, cut.carry),
        params=cut.loop._asdict(),
        effects=_effects(**cut.loop._asdict()),
    )


def _split(unknown_ins: list[bool], eqn: JaxprEqn) -> Any:
    """The known carries as a loop of their own; then the whole loop again."""
    loop = Loop.of(eqn.params)
    late_cond, late_body, late_init = loop.split(unknown_ins)

    def late_out(carry: tuple[bool, ...]) -> Sequence[bool]:
        return pe.split_jaxpr(loop.body_jaxpr, [*late_body, *carry], carry)[2]

    late = carry_fixpoint(late_init, late_out)
    late_predicate = pe.split_jaxpr(loop.cond_jaxpr, [*late_cond, *late], False)[2][0]
    if late_predicate or all(late) or not removable(eqn.effects):
        return None, eqn, [True] * loop.carry, []
    known = [not flag for flag in late]
    _, first = _dce(known, [True] * len(eqn.invars), eqn)
    return first, _again(eqn, late), list(late), []


def _again(eqn: JaxprEqn, late: Sequence[bool]) -> JaxprEqn:
    """The whole loop, whose known results nobody reads: the known loop has them."""
    outvars = [
        var if is_late else Var(var.aval)
        for var, is_late in zip(eqn.outvars, late, strict=True)
    ]
    return eqn.replace(outvars=outvars)


def _split_by_policy(
    policy: pe.Policy, unknown_ins: list[bool], inst_ins: list[bool], eqn: JaxprEqn
) -> Any:
    """Nothing of a loop can be kept but its results: it runs once more."""
    count = len(eqn.outvars)
    if not any(unknown_ins):
        if not removable(eqn.effects):
            return eqn, None, [False] * count, [False] * count, []
        return eqn, eqn, [False] * count, [True] * count, []
    first, again, late, _ = _split(unknown_ins, eqn)
    return first, again, late, late, []


def _check(eqn: JaxprEqn) -> str:
    """What is wrong with the operands of a while."""
    loop = Loop.of(eqn.params)
    cond, body = loop.cond_jaxpr, loop.body_jaxpr
    cond_consts, body_consts, carry = loop.split([x.aval for x in eqn.invars])
    for what, found, avals in (
        ("the predicate", [*cond_consts, *carry], cond.in_avals),
        ("the body", [*body_consts, *carry], body.in_avals),
        ("the carry", carry, body.out_avals),
    ):
        if len(found) != len(avals):
            return f"{len(found)} values for {what}, which has {len(avals)}"
        for i, (one, other) in enumerate(zip(found, avals, strict=True)):
            if not same_type(one, other):
                return f"value {i} of {what} has type {one}, the program says {other}"
    return ""


def _discharge(args: Any, where: Any, params: dict[str, Any]) -> Any:
    operands, params, numbers = while_without_refs(args, where, params)
    outs = while_p.bind(*operands, **params)
    count = len(set(numbers))
    return outs[count:], [outs[number] for number in numbers]


define(
    while_p,
    abstract_eval=_types,
    effects=_effects,
    jvp=_jvp,
    transpose=_transpose,
    batch=_batch,
    lower=lower_while,
    linearize=_linearize,
    partial_eval=_split,
    dce=_dce,
    policy=_split_by_policy,
    checking=_check,
    discharge=_discharge,
)
