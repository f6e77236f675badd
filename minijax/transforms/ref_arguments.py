"""Refs as arguments and results of functions that are traced.

A ref that a program touches is known by one name, and it stays with whoever made it.

Source: spec/tracing.md §18.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..base.errors import ArgumentValueError
from ..core import (
    Ref,
    StagedTracer,
    StagingTrace,
    current,
    result_paths,
    source_of,
    summarize,
)


def check_distinct(
    fun: Callable[..., Any],
    leaves: Sequence[Any],
    names: Callable[[], Sequence[str]],
    closed_over: Sequence[Any] = (),
) -> None:
    """Refuse that one ref comes in twice.

    names: gives the name of each leaf. closed_over: what the function closes over.

    Raises:
        ValueError: names both arguments.
    """
    seen: dict[int, int] = {}
    outside = {_identity(x) for x in closed_over if isinstance(x, Ref)}
    for i, x in enumerate(leaves):
        if not isinstance(x, Ref):
            continue
        identity = _identity(x)
        if identity in outside:
            raise ArgumentValueError(
                f"{source_of(fun)} knows a ref by one name.",
                f"Found one of type {x.aval} that it closes over, and that is passed "
                f"as {names()[i]}.",
                "Use one of the two.",
            )
        if identity in seen:
            first, second = names()[seen[identity]], names()[i]
            raise ArgumentValueError(
                f"{source_of(fun)} knows a ref by one name.",
                f"Found one of type {x.aval}, passed as {first} and as {second}.",
                "Pass it once.",
            )
        seen[identity] = i


def _identity(x: Any) -> int:
    return id(x.atom) if type(x) is StagedTracer else id(x)


def check_no_ref_results(
    fun: Callable[..., Any], by: str, leaves: Sequence[Any], structure: Any
) -> None:
    """Refuse that a function returns a ref.

    Raises:
        ValueError: says at which path, and where the ref comes from.
    """
    for i, leaf in enumerate(leaves):
        if isinstance(leaf, Ref):
            path = result_paths(structure)[i]
            raise ArgumentValueError(
                f"A function under {by} returns arrays; a ref stays inside.",
                f"Found one of type {leaf.aval} as {path} of {source_of(fun)}, "
                f"{_origin(leaf)}.",
                "Return its value: `ref[...]`, or `freeze(ref)`.",
            )


def _origin(leaf: Any) -> str:
    trace = current.value
    if type(leaf) is not StagedTracer or type(trace) is not StagingTrace:
        return "which it closes over"
    if leaf.owner is not trace:
        return "which it closes over"
    if leaf.atom in trace.invars:
        names = trace.debug_info.safe_arg_names(len(trace.invars))
        name = names[trace.invars.index(leaf.atom)]
        return f"which was passed as the argument {name}" if name else "an argument"
    line = summarize(leaf.created_at())
    return f"which was made at {line}" if line else "which it made"
