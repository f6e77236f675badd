"""What libraries that extend JAX call here, by JAX's names and with its arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...core import DebugInfo, Jaxpr, stage
from ...core.linear_util import WrappedFun
from .calls import call_dce_rule
from .splitting import split_jaxpr
from .traces import PartialVal, partial_eval_fun


def partial_eval_jaxpr_nounits(
    jaxpr: Jaxpr, unknowns: Sequence[bool], instantiate: bool | Sequence[bool]
) -> tuple[Jaxpr, Jaxpr, list[bool], list[Any]]:
    """`split_jaxpr`, under JAX's name."""
    return split_jaxpr(jaxpr, unknowns, instantiate)


def trace_to_jaxpr_nounits(
    fun: WrappedFun,
    pvals: Sequence[PartialVal],
    instantiate: bool | Sequence[bool] = False,
) -> tuple[Jaxpr, list[PartialVal], list[Any]]:
    """Run a wrapped function as far as its arguments are known.

    Returns the program of the rest, the results and the residuals, its first arguments.
    """
    return partial_eval_fun(
        fun.call_wrapped, pvals, instantiate, debug_info=fun.debug_info
    )


def trace_to_jaxpr_dynamic(
    fun: WrappedFun, in_avals: Sequence[Any]
) -> tuple[Jaxpr, list[Any], list[Any]]:
    """The program of a wrapped function, the types of its results, its constants.

    The constants are the program's first arguments.
    """
    jaxpr = stage(fun.call_wrapped, in_avals, debug_info=fun.debug_info)
    return jaxpr.with_consts(()), jaxpr.out_avals, list(jaxpr.consts)


def abstract_eval_fun(
    fun: Callable[..., Sequence[Any]],
    *avals: Any,
    debug_info: DebugInfo,
    **params: Any,
) -> list[Any]:
    """The types of the results of a flat function, which is traced but not run."""

    def flat(*args: Any) -> Sequence[Any]:
        return fun(*args, **params)

    return stage(flat, avals, debug_info=debug_info).out_avals


def convert_constvars_jaxpr(jaxpr: Jaxpr) -> Jaxpr:
    """The program with its constants as first arguments, not attached any more."""
    return jaxpr.with_consts(())


def close_jaxpr(jaxpr: Jaxpr) -> Jaxpr:
    """The program itself: programs are closed."""
    return jaxpr


def move_binders_to_back(jaxpr: Jaxpr, to_move: Sequence[bool]) -> Jaxpr:
    """The program with some arguments after all the others."""
    pairs = list(zip(jaxpr.invars, to_move, strict=True))
    stay = [var for var, moves in pairs if not moves]
    return jaxpr.replace(invars=stay + [var for var, moves in pairs if moves])


def prune_closed_jaxpr_outputs(jaxpr: Jaxpr, used_outputs: Sequence[bool]) -> Jaxpr:
    """The program without some results; its equations stay."""
    outs = [x for x, used in zip(jaxpr.outvars, used_outputs, strict=True) if used]
    return jaxpr.replace(outvars=outs)


# The name that JAX's call primitives give to the param that holds their program.
dce_jaxpr_call_rule = call_dce_rule("call_jaxpr")
