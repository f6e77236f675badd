"""remat2_p: a program that is run again where its derivative is.

When it is differentiated, its values are computed at once, outside; what is kept for
the backward pass is the operands and what a policy saves. The linear half is a `remat2`
equation that first computes again what it needs.

`remat2[differentiated jaxpr policy prevent_cse] *operands -> *results`

Source: spec/ad.md §§1.13, 3.7.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..base import dtypes
from ..base.errors import NotSupportedError
from ..base.util import memoize_weakly
from ..core import (
    Effects,
    Jaxpr,
    JaxprEqn,
    Literal,
    Primitive,
    Var,
    eval_jaxpr,
)
from ..interpreters import ad, batching
from ..interpreters import partial_eval as pe
from ..lax import define, reduce_precision_p
from .checkpoint_policies import nothing_saveable

remat2_p = Primitive("remat2", multiple_results=True, holds_programs=True)

Policy = Callable[..., Any] | None
Flags = bool | tuple[bool, ...]


# --- Derivatives ----------------------------------------------------------------------


class _Halves(NamedTuple):
    """A body cut for reverse mode.

    known: operands -> results ++ saved values. tangent: saved values ++ operands marked
    in `needed` ++ moving tangents -> moving output tangents; it computes again what it
    needs. moves_out: which results move.
    """

    known: Jaxpr
    tangent: Jaxpr
    num_saved: int
    needed: tuple[bool, ...]
    moves_out: tuple[bool, ...]


def _moving(tangents: Sequence[Any]) -> tuple[bool, ...]:
    return tuple([x_dot.__class__ is not ad.Zero for x_dot in tangents])


def _chosen[T](items: Sequence[T], flags: Sequence[bool]) -> list[T]:
    return [x for x, flag in zip(items, flags, strict=True) if flag]


def _spread(jaxpr: Jaxpr, moves: Sequence[bool], y_dots: Sequence[Any]) -> list[Any]:
    found = iter(y_dots)
    return [
        next(found) if moving else ad.Zero(aval.to_tangent_aval())
        for moving, aval in zip(moves, jaxpr.out_avals, strict=True)
    ]


def _cse_flags(flags: Flags, inputs: Sequence[int | None]) -> Flags:
    """`prevent_cse` of a call with other operands: their old numbers, None if new."""
    if isinstance(flags, bool):
        return flags
    return tuple([True if i is None else flags[i] for i in inputs])


def _where(flags: Sequence[bool]) -> list[int]:
    return [i for i, flag in enumerate(flags) if flag]


def _jvp(
    primals: Sequence[Any],
    tangents: Sequence[Any],
    *,
    jaxpr: Jaxpr,
    prevent_cse: Flags,
    **params: Any,
) -> tuple[list[Any], list[Any]]:
    nonzeros = _moving(tangents)
    program, moves_out = ad.jvp_jaxpr(jaxpr, nonzeros, False)
    numbers = [*range(len(primals)), *_where(nonzeros)]
    outs = remat2_p.bind(
        *primals,
        *_chosen(tangents, nonzeros),
        jaxpr=program,
        prevent_cse=_cse_flags(prevent_cse, numbers),
        **params,
    )
    count = len(moves_out)
    return outs[:count], _spread(jaxpr, moves_out, outs[count:])


def _linearize(
    primals: Sequence[Any],
    tangents: Sequence[Any],
    *,
    jaxpr: Jaxpr,
    prevent_cse: Flags,
    policy: Policy,
    differentiated: bool,
) -> tuple[list[Any], list[Any]]:
    nonzeros = _moving(tangents)
    halves = _cut(jaxpr, nonzeros, nothing_saveable if policy is None else policy)
    _check_effects(jaxpr)
    outs = eval_jaxpr(halves.known, halves.known.consts, *primals)
    count = len(jaxpr.outvars)
    outs, saved = outs[:count], outs[count:]
    if not any(halves.moves_out):
        return outs, _spread(jaxpr, halves.moves_out, ())
    numbers = [
        *[None] * halves.num_saved, *_where(halves.needed), *[None] * sum(nonzeros)
    ]  # fmt: skip
    y_dots = remat2_p.bind(
        *saved,
        *_chosen(primals, halves.needed),
        *_chosen(tangents, nonzeros),
        jaxpr=halves.tangent,
        prevent_cse=_cse_flags(prevent_cse, numbers),
        differentiated=True,
        policy=policy,
    )
    return outs, _spread(jaxpr, halves.moves_out, y_dots)


@memoize_weakly(maxsize=1024)
def _cut(jaxpr: Jaxpr, nonzeros: tuple[bool, ...], policy: Any) -> _Halves:
    split = ad.linearize_jaxpr(jaxpr, nonzeros, False)
    outs, inputs = len(jaxpr.outvars), len(jaxpr.invars)
    computed = len(split.forward.outvars) - outs
    is_residual = [False] * outs + [True] * computed
    two = pe.partial_eval_jaxpr_custom(
        split.forward, [False] * inputs, True, is_residual, is_residual, policy
    )
    # Results are known; of the staged side only the residuals are wanted.
    wanted = _chosen(is_residual, two.out_inst)
    staged, used = pe.dce_jaxpr(two.staged, wanted)
    saved_used, needed = list(used[: two.num_res]), list(used[two.num_res :])
    kept = [True] * outs + saved_used
    known, _ = pe.dce_jaxpr(two.known, kept, True)
    known = _with_stored_precision(known, outs)
    staged_inputs = iter(staged.invars)
    saved = [next(staged_inputs) for flag in saved_used if flag]
    operands = [next(staged_inputs) if flag else None for flag in needed]
    recomputed = iter(staged.outvars)
    binders = split.tangent.invars[: len(split.forwarded)]
    values: dict[Var, Any] = {}
    for binder, number in zip(binders, split.forwarded, strict=True):
        if number is None:
            values[binder] = next(recomputed)
        else:
            if operands[number] is None:
                operands[number] = Var(binder.aval)
            values[binder] = operands[number]
    given = [var for var in operands if var is not None]
    invars = [*saved, *given, *split.tangent.invars[len(binders) :]]
    tangent = _joined(staged, split.tangent, invars, values)
    needed = [var is not None for var in operands]
    return _Halves(known, tangent, len(saved), tuple(needed), split.nonzeros_out)


def _joined(
    first: Jaxpr, second: Jaxpr, invars: Sequence[Var], values: dict[Var, Any]
) -> Jaxpr:
    """`first`, then `second` with `values` in place of some of its inputs."""

    def put(x: Any) -> Any:
        return x if type(x) is Literal else values.get(x, x)

    eqns = [
        eqn.replace(invars=[put(x) for x in eqn.invars])
        if any(type(x) is not Literal and x in values for x in eqn.invars)
        else eqn
        for eqn in second.eqns
    ]
    return Jaxpr(
        [*first.constvars, *second.constvars],
        invars,
        [put(x) for x in second.outvars],
        [*first.eqns, *eqns],
        first.effects | second.effects,
        second.debug_info,
        [*first.consts, *second.consts],
    )


def _with_stored_precision(known: Jaxpr, outs: int) -> Jaxpr:
    """Use saved values, in the first run, as they are saved.

    A compiler may keep more digits in a register than it writes to memory; then the
    first and the second run would go on from different values.
    """
    made = {var for eqn in known.eqns for var in eqn.outvars}
    saved = {
        x: Var(x.aval)
        for x in known.outvars[outs:]
        if type(x) is not Literal and x in made and x.aval.dtype in dtypes.FLOATS
    }
    read = {x for eqn in known.eqns for x in eqn.invars if type(x) is not Literal}
    saved = {x: var for x, var in saved.items() if x in read}
    if not saved:
        return known
    eqns: list[JaxprEqn] = []
    for eqn in known.eqns:
        invars = [x if type(x) is Literal else saved.get(x, x) for x in eqn.invars]
        eqns.append(eqn.replace(invars=invars))
        eqns += [_rounding(x, saved[x]) for x in eqn.outvars if x in saved]
    outvars = [x if type(x) is Literal else saved.get(x, x) for x in known.outvars]
    return known.replace(eqns=eqns, outvars=outvars)


def _rounding(x: Var, rounded: Var) -> JaxprEqn:
    info = dtypes.finfo(x.aval.dtype)
    params = {"exponent_bits": int(info.nexp), "mantissa_bits": int(info.nmant)}
    return JaxprEqn(reduce_precision_p, [x], [rounded], params)


def _transpose(
    y_bars: Sequence[Any],
    *operands: Any,
    jaxpr: Jaxpr,
    prevent_cse: Flags,
    **params: Any,
) -> list[Any]:
    linear = tuple([ad.is_undefined_primal(x) for x in operands])
    arrived = _moving(y_bars)
    program, nonzero_in = ad.transpose_jaxpr(jaxpr, linear, arrived)
    known = [i for i, is_linear in enumerate(linear) if not is_linear]
    bars = _chosen(y_bars, arrived)
    found = iter(
        remat2_p.bind(
            *(operands[i] for i in known),
            *bars,
            jaxpr=program,
            prevent_cse=_cse_flags(prevent_cse, [*known, *[None] * len(bars)]),
            **params,
        )
    )
    flags = iter(nonzero_in)
    return [next(found) if is_lin and next(flags) else None for is_lin in linear]


def _check_effects(jaxpr: Jaxpr) -> None:
    refused = {e for e in jaxpr.effects if not e.in_checkpoint}
    if refused:
        raise NotSupportedError(
            "A function under checkpoint is run twice when it is differentiated.",
            f"Found effects that must not be: {', '.join(sorted(map(str, refused)))}.",
        )


# --- The other questions --------------------------------------------------------------


@batching.with_axis
def _batch(
    axis: Any,
    operands: Sequence[Any],
    axes: Sequence[Any],
    *,
    jaxpr: Jaxpr,
    **params: Any,
) -> Any:
    program, out_axes = batching.batch_jaxpr(jaxpr, axis, axes)
    return remat2_p.bind(*operands, jaxpr=program, **params), out_axes


def _lower(
    ctx: Any,
    *values: Any,
    jaxpr: Jaxpr,
    prevent_cse: Flags,
    differentiated: bool,
    policy: Policy,
) -> list[Any]:
    if differentiated and prevent_cse:
        if isinstance(prevent_cse, bool):
            prevent_cse = (True,) * len(values)
        flags = list(prevent_cse)
        inside = _chosen(values, flags)
        if inside:
            barred = iter(
                ctx.op(
                    "stablehlo.optimization_barrier", inside, [x.type for x in inside]
                )
            )
            values = tuple(
                [next(barred) if flag else x for x, flag in zip(values, flags)]
            )
    return ctx.inline(jaxpr, values, "checkpoint")


def _adapt(
    params: dict[str, Any], inputs: Sequence[int | None], outputs: Sequence[int | None]
) -> dict[str, Any]:
    return {**params, "prevent_cse": _cse_flags(params["prevent_cse"], inputs)}


def _split(unknown_ins: list[bool], eqn: JaxprEqn) -> Any:
    """The known part; for the rest, all of it again but for what the policy saves."""
    policy = eqn.params["policy"]
    rule = pe.call_policy_rule("jaxpr", _adapt)
    known, staged, unknown_outs, inst_outs, new = rule(
        nothing_saveable if policy is None else policy,
        unknown_ins,
        [True] * len(unknown_ins),
        eqn,
    )
    if staged is not None:
        wanted = _chosen(unknown_outs, inst_outs)
        used_ins, staged = pe.dce_rules[remat2_p](
            wanted, [True] * len(staged.invars), staged
        )
        if staged is not None:
            params = {**staged.params, "differentiated": True}
            operands = _chosen(staged.invars, used_ins)
            if len(staged.invars) != len(operands):
                staged = staged.replace(invars=operands)
            staged = staged.replace(params=params)
    return known, staged, unknown_outs, new


def _effects(*avals: Any, jaxpr: Jaxpr, **_: Any) -> Effects:
    return jaxpr.effects


def _run(*args: Any, jaxpr: Jaxpr, **_: Any) -> list[Any]:
    return eval_jaxpr(jaxpr, jaxpr.consts, *args)


define(
    remat2_p,
    abstract_eval=lambda *avals, jaxpr, **_: jaxpr.out_avals,
    effects=_effects,
    jvp=_jvp,
    transpose=_transpose,
    batch=_batch,
    lower=_lower,
    linearize=_linearize,
    partial_eval=_split,
    dce=pe.call_dce_rule("jaxpr", _adapt),
    policy=pe.call_policy_rule("jaxpr", _adapt),
    impl=_run,
)
