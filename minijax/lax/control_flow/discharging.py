"""Loops and branches whose functions touch refs from outside, without refs.

A ref that is an operand becomes a value that is carried along: what a step leaves of it
is what the next one finds. What remains of it is a result.

Source: spec/tracing.md §18; what rules get and return: core/refs.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...base.errors import NotSupportedError
from ...core import Jaxpr, Ref, Var, discharge
from .rearranging import kept_with_programs, rearranged, with_fresh_variables

Params = dict[str, Any]


def _values(args: Sequence[Any]) -> list[Any]:
    return [x.value if x.__class__ is Ref else x for x in args]


# --- scan -----------------------------------------------------------------------------


def scan_without_refs(
    args: Sequence[Any], where: Sequence[int], params: Params
) -> tuple[list[Any], Params]:
    """Operands and params of the scan that carries the refs, in front of its carry."""
    count = params["num_consts"]
    if any(i >= count for i in where):
        raise NotSupportedError(
            "A scan reads and writes refs that its body closes over.",
            "Found a ref among what it carries or scans over.",
        )
    body = _scan_body(params["jaxpr"], count, params["num_carry"], tuple(where))
    values = _values(args)
    consts = [values[i] for i in range(count) if i not in where]
    operands = [*consts, *(values[i] for i in where), *values[count:]]
    changed = {
        "jaxpr": body,
        "num_consts": count - len(where),
        "num_carry": params["num_carry"] + len(where),
    }
    return operands, {**params, **changed}


@kept_with_programs
def _scan_body(
    jaxpr: Jaxpr, num_consts: int, num_carry: int, where: tuple[int, ...]
) -> Jaxpr:
    body = discharge(jaxpr).jaxpr
    invars, results = body.invars, len(jaxpr.outvars)
    consts = [invars[i] for i in range(num_consts) if i not in where]
    carried = [invars[i] for i in where]
    return rearranged(
        body,
        [*consts, *carried, *invars[num_consts:]],
        [*body.outvars[results:], *body.outvars[:results]],
    )


# --- while ----------------------------------------------------------------------------


def while_without_refs(
    args: Sequence[Any], where: Sequence[int], params: Params
) -> tuple[list[Any], Params, list[int]]:
    """Operands and params of the loop that carries the refs, in front of its carry, and
    for each ref which of these it is: one ref may be an operand of both programs."""
    first, second = params["cond_nconsts"], params["body_nconsts"]
    if any(i >= first + second for i in where):
        raise NotSupportedError(
            "A while loop reads and writes refs that its functions close over.",
            "Found a ref among what it carries.",
        )
    cells: list[Ref] = []
    for i in where:
        if not any(args[i] is cell for cell in cells):
            cells.append(args[i])
    order = {id(cell): number for number, cell in enumerate(cells)}
    numbers = [order.get(id(x)) for x in args[: first + second]]
    avals = tuple([cell.aval.inner_aval for cell in cells])
    cond = _carrying(params["cond_jaxpr"], tuple(numbers[:first]), avals, results=False)
    body = _carrying(params["body_jaxpr"], tuple(numbers[first:]), avals, results=True)
    values = _values(args)
    consts = [x for x, number in zip(values, numbers) if number is None]
    operands = [*consts, *(cell.value for cell in cells), *values[first + second :]]
    changed = {
        "cond_jaxpr": cond,
        "body_jaxpr": body,
        "cond_nconsts": sum(number is None for number in numbers[:first]),
        "body_nconsts": sum(number is None for number in numbers[first:]),
    }
    return operands, {**params, **changed}, [order[id(args[i])] for i in where]


@kept_with_programs
def _carrying(
    jaxpr: Jaxpr,
    numbers: tuple[int | None, ...],
    avals: tuple[Any, ...],
    results: bool,
) -> Jaxpr:
    """A program of a loop that has the refs in front of the carry.

    numbers: for each constant, which ref it is. results: whether what is left of the
    refs is returned, in front of the other results.
    """
    program = with_fresh_variables(discharge(jaxpr).jaxpr)
    count, invars = len(numbers), program.invars
    consts = [invars[i] for i in range(count) if numbers[i] is None]
    carried = [Var(aval) for aval in avals]
    left: list[Any] = list(carried)
    finals = iter(program.outvars[len(jaxpr.outvars) :])
    for i, number in enumerate(numbers):
        if number is not None:
            carried[number] = invars[i]
            left[number] = next(finals)
    for number, var in enumerate(carried):
        if number not in numbers:
            left[number] = var
    outs = program.outvars[: len(jaxpr.outvars)]
    return rearranged(
        program,
        [*consts, *carried, *invars[count:]],
        [*left, *outs] if results else outs,
    )


# --- cond -----------------------------------------------------------------------------


def cond_without_refs(
    args: Sequence[Any], where: Sequence[int], params: Params
) -> tuple[list[Any], Params]:
    """Operands and params of the cond whose last results are what is left of refs."""
    branches = tuple([discharge(branch).jaxpr for branch in params["branches"]])
    return _values(args), {**params, "branches": branches}
