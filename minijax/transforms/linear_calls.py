"""linear_call: a linear function that comes with its own transpose.

The primitive holds both programs, `callee` and `transposed`, on (residuals, linear
operands) and (residuals, cotangents). To transpose the call is to swap them, so doing
it twice gives the function back. What the functions close over is split off as leading
residuals of each.

Source: spec/ad.md §1.12.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import tree
from ..base.errors import ArgumentTypeError, NotSupportedError
from ..core import Effects, Jaxpr, Primitive, eval_jaxpr, stage, typeof
from ..interpreters import ad, batching
from ..lax import define
from .recordings import output_leaves, require_callable

linear_call_p = Primitive("linear_call", multiple_results=True, holds_programs=True)


def linear_call(
    fun: Callable[[Any, Any], Any],
    fun_transpose: Callable[[Any, Any], Any],
    residual_args: Any,
    linear_args: Any,
) -> Any:
    """`fun(residual_args, linear_args)`, linear in the latter, with a given transpose.

    `fun_transpose(residual_args, y_bar)` gives cotangents like `linear_args`.

    Raises:
        TypeError: an argument is no array, or the transpose returns another tree or
        other types than `linear_args` has.
        NotImplementedError: (when differentiated) a residual moves.

    >>> import minijax as mj
    >>> from minijax.custom_derivatives import linear_call
    >>> def scaled(x):
    ...     return linear_call(lambda r, x: r * x, lambda r, g: 10.0 * g, 2.0, x)
    >>> print(scaled(3.0), mj.grad(scaled)(3.0))
    6.0 10.0
    """
    require_callable("linear_call", fun)
    require_callable("linear_call", fun_transpose)
    residuals, res_tree = tree.flatten(residual_args)
    operands, lin_tree = tree.flatten(linear_args)
    in_avals = [[typeof(x) for x in values] for values in (residuals, operands)]
    callee, consts, out_tree = _staged(fun, (res_tree, lin_tree), in_avals)
    bar_avals = [in_avals[0], [a.to_tangent_aval() for a in callee.out_avals]]
    transposed, back_consts, bar_tree = _staged(
        fun_transpose, (res_tree, out_tree), bar_avals
    )
    _check_transposed(bar_tree, transposed.out_avals, lin_tree, in_avals[1])
    outs = linear_call_p.bind(
        *consts,
        *back_consts,
        *residuals,
        *operands,
        callee=callee,
        transposed=transposed,
        num_consts=(len(consts), len(back_consts)),
        num_res=len(residuals),
    )
    return tree.unflatten(out_tree, outs)


def _staged(
    fun: Callable[[Any, Any], Any], trees: Any, avals: Any
) -> tuple[Jaxpr, Sequence[Any], Any]:
    """The program of `fun`, its constants in front, these, and the output's tree."""
    found: list[Any] = []
    split = len(avals[0])

    def flat(*leaves: Any) -> list[Any]:
        parts = leaves[:split], leaves[split:]
        args = [tree.unflatten(t, part) for t, part in zip(trees, parts, strict=True)]
        y_flat, out_tree = output_leaves(fun, fun(*args))
        found.append(out_tree)
        return y_flat

    jaxpr = stage(flat, [*avals[0], *avals[1]])
    return jaxpr.with_consts(()), jaxpr.consts, found[0]


def _check_transposed(bar_tree: Any, bars: Any, lin_tree: Any, avals: Any) -> None:
    if bar_tree != lin_tree:
        raise ArgumentTypeError(
            "The transpose of a linear_call returns cotangents with the tree of its "
            f"linear arguments, {lin_tree}.",
            f"Found {bar_tree}.",
        )
    for found, aval in zip(bars, avals, strict=True):
        expected = aval.to_tangent_aval()
        if (found.shape, found.dtype) != (expected.shape, expected.dtype):
            raise ArgumentTypeError(
                f"The cotangent of a linear argument of type {aval} has type "
                f"{expected.strip_weak_type()}.",
                f"Found {found}.",
            )


# --- The primitive --------------------------------------------------------------------


def _parts(
    values: Sequence[Any], num_consts: tuple[int, int], num_res: int
) -> tuple[Any, ...]:
    """The constants of both programs, the residuals, the linear operands."""
    first = num_consts[0]
    second = first + num_consts[1]
    third = second + num_res
    return values[:first], values[first:second], values[second:third], values[third:]


def _types(*avals: Any, callee: Jaxpr, **_: Any) -> list[Any]:
    return callee.out_avals


def _effects(*avals: Any, callee: Jaxpr, **_: Any) -> Effects:
    return callee.effects


def _run(
    *values: Any, callee: Jaxpr, num_consts: tuple[int, int], num_res: int, **_: Any
) -> list[Any]:
    consts, _back, residuals, operands = _parts(values, num_consts, num_res)
    return eval_jaxpr(callee, (), *consts, *residuals, *operands)


def _jvp(primals: Any, tangents: Any, **params: Any) -> tuple[Any, Any]:
    count = sum(params["num_consts"]) + params["num_res"]
    if any(x_dot.__class__ is not ad.Zero for x_dot in tangents[:count]):
        raise NotSupportedError(
            "A linear_call is differentiated along its linear arguments only.",
            "Found a residual, or a value its functions close over, that moves.",
        )
    outs = linear_call_p.bind(*primals, **params)
    x_dots = [ad.instantiate_zeros(x_dot) for x_dot in tangents[count:]]
    return outs, linear_call_p.bind(*primals[:count], *x_dots, **params)


def _transpose(
    y_bars: Any,
    *operands: Any,
    callee: Jaxpr,
    transposed: Jaxpr,
    num_consts: tuple[int, int],
    num_res: int,
) -> list[Any]:
    consts, back_consts, residuals, linear = _parts(operands, num_consts, num_res)
    x_bars = linear_call_p.bind(
        *back_consts,
        *consts,
        *residuals,
        *[ad.instantiate_zeros(y_bar) for y_bar in y_bars],
        callee=transposed,
        transposed=callee,
        num_consts=num_consts[::-1],
        num_res=num_res,
    )
    return [None] * (len(operands) - len(linear)) + list(x_bars)


def _batch(
    axis: Any,
    operands: Any,
    axes: Any,
    *,
    callee: Jaxpr,
    transposed: Jaxpr,
    **rest: Any,
) -> tuple[Any, Any]:
    # Every operand and every result has the axis in front, so that the two programs fit
    # each other: what one returns the other takes.
    moved = [
        batching.at_front(x, at, axis.size)
        for x, at in zip(operands, axes, strict=True)
    ]
    outs = linear_call_p.bind(
        *moved,
        callee=_mapped(callee, axis),
        transposed=_mapped(transposed, axis),
        **rest,
    )
    return outs, [0] * len(outs)


def _mapped(jaxpr: Jaxpr, axis: Any) -> Jaxpr:
    program, _ = batching.batch_jaxpr(
        jaxpr, axis, (0,) * len(jaxpr.invars), (0,) * len(jaxpr.outvars)
    )
    return program


def _lower(
    ctx: Any,
    *values: Any,
    callee: Jaxpr,
    num_consts: tuple[int, int],
    num_res: int,
    **_: Any,
) -> list[Any]:
    consts, _back, residuals, operands = _parts(values, num_consts, num_res)
    return ctx.inline(callee, [*consts, *residuals, *operands])


define(
    linear_call_p,
    abstract_eval=_types,
    effects=_effects,
    jvp=_jvp,
    transpose=_transpose,
    batch=batching.with_axis(_batch),
    lower=_lower,
    impl=_run,
)
