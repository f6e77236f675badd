"""Primitives of others that call a program, and nothing more.

Libraries that extend JAX make them to mark a part of a program. All rules say the same:
transform the program, and call that.

Source: spec/tracing.md §20.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..core import Effects, Jaxpr, Primitive
from ..interpreters import ad, batching
from ..interpreters import partial_eval as pe
from .definition import define


def create_call_primitive(name: str, inline_jax_late: bool = True) -> Primitive:
    """A primitive that calls the program in its param `call_jaxpr`.

    inline_jax_late: its equations stand in the module; otherwise it is a function.

    >>> import minijax as mj
    >>> from minijax.extend.core import create_call_primitive
    >>> marked_p = create_call_primitive("marked")
    >>> program = mj.make_jaxpr(lambda x: x * 2.0)(1.0)
    >>> marked_p.bind(3.0, call_jaxpr=program, name="double")
    [Array(6., dtype=float32, weak_type=True)]
    """
    primitive = Primitive(name, multiple_results=True, holds_programs=True)
    register_call_primitive_rules(primitive, inline_jax_late=inline_jax_late)
    return primitive


def register_call_primitive_rules(
    prim: Primitive,
    name: str | None = None,
    transpose_rule: Callable[..., Any] | None = None,
    inline_jax_late: bool = True,
) -> None:
    """Give `prim` all rules of a primitive that calls its param `call_jaxpr`.

    name: of the function in modules. transpose_rule: `rule(cotangents, *operands,
    call_jaxpr=…)`, by default that of the program.
    """

    def call(operands: Sequence[Any], jaxpr: Jaxpr, params: dict[str, Any]) -> Any:
        return prim.bind(*operands, call_jaxpr=jaxpr, **params)

    def transpose(y_bars: Any, *operands: Any, **params: Any) -> list[Any]:
        return eval_jaxpr_transpose(prim, y_bars, *operands, **params)

    define(
        prim,
        abstract_eval=_types,
        effects=_effects,
        jvp=_jvp(call),
        linearize=_linearize(call),
        transpose=transpose_rule or transpose,
        batch=_batch(call),
        lower=_lower(name or prim.name, inline=inline_jax_late),
        partial_eval=pe.call_split_rule("call_jaxpr"),
        dce=pe.call_dce_rule("call_jaxpr"),
        policy=pe.call_policy_rule("call_jaxpr"),
    )


def eval_jaxpr_transpose(
    prim: Primitive, ct: Sequence[Any], *args: Any, call_jaxpr: Jaxpr, **params: Any
) -> list[Any]:
    """Cotangents of the linear operands of a call: a call of the transposed program."""
    linear = tuple([ad.is_undefined_primal(x) for x in args])
    arrived = _moving(ct)
    program, nonzero_in = ad.transpose_jaxpr(call_jaxpr, linear, arrived)
    known = [x for x, is_linear in zip(args, linear) if not is_linear]
    bars = [y_bar for y_bar, given in zip(ct, arrived) if given]
    outs = iter(prim.bind(*known, *bars, call_jaxpr=program, **params))
    moving = iter(nonzero_in)
    return [next(outs) if is_linear and next(moving) else None for is_linear in linear]


# --- Rules ----------------------------------------------------------------------------

Call = Callable[[Sequence[Any], Jaxpr, dict[str, Any]], Any]


def _types(*avals: Any, call_jaxpr: Jaxpr, **params: Any) -> list[Any]:
    return call_jaxpr.out_avals


def _effects(*avals: Any, call_jaxpr: Jaxpr, **params: Any) -> Effects:
    return call_jaxpr.effects


def _moving(tangents: Sequence[Any]) -> tuple[bool, ...]:
    return tuple([x_dot.__class__ is not ad.Zero for x_dot in tangents])


def _spread(jaxpr: Jaxpr, nonzeros: Sequence[bool], y_dots: Sequence[Any]) -> list[Any]:
    found = iter(y_dots)
    avals: list[Any] = jaxpr.out_avals
    return [
        next(found) if moves else ad.Zero(aval.to_tangent_aval())
        for moves, aval in zip(nonzeros, avals, strict=True)
    ]


def _jvp(call: Call) -> Callable[..., Any]:
    def rule(primals: Any, tangents: Any, *, call_jaxpr: Jaxpr, **params: Any) -> Any:
        nonzeros = _moving(tangents)
        program, moves = ad.jvp_jaxpr(call_jaxpr, nonzeros, False)
        x_dots = [x_dot for x_dot, nonzero in zip(tangents, nonzeros) if nonzero]
        outs = call([*primals, *x_dots], program, params)
        count = len(call_jaxpr.outvars)
        return outs[:count], _spread(call_jaxpr, moves, outs[count:])

    return rule


def _linearize(call: Call) -> Callable[..., Any]:
    def rule(primals: Any, tangents: Any, *, call_jaxpr: Jaxpr, **params: Any) -> Any:
        nonzeros = _moving(tangents)
        halves = ad.linearize_jaxpr(call_jaxpr, nonzeros, False)
        outs = call(primals, halves.forward, params)
        count, moves = len(call_jaxpr.outvars), halves.nonzeros_out
        if not any(moves):
            return outs, _spread(call_jaxpr, moves, ())
        residuals = halves.residuals(primals, outs[count:])
        x_dots = [x_dot for x_dot, nonzero in zip(tangents, nonzeros) if nonzero]
        y_dots = call([*residuals, *x_dots], halves.tangent, params)
        return outs[:count], _spread(call_jaxpr, moves, y_dots)

    return rule


def _batch(call: Call) -> Any:
    def rule(
        axis: Any, operands: Any, axes: Any, *, call_jaxpr: Jaxpr, **params: Any
    ) -> Any:
        program, out_axes = batching.batch_jaxpr(call_jaxpr, axis, axes)
        return call(operands, program, params), out_axes

    return batching.with_axis(rule)


def _lower(name: str, *, inline: bool) -> Callable[..., Any]:
    def rule(ctx: Any, *values: Any, call_jaxpr: Jaxpr, **params: Any) -> Any:
        label = params.get("name") or name
        if inline:
            return ctx.inline(call_jaxpr, list(values), label)
        return ctx.call(label, call_jaxpr, list(values))

    return rule
