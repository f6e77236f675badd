"""What must agree: a carry with itself, branches with each other.

Types agree if shapes and dtypes do; weak types are ignored. Every difference is told,
by the name the user gave the value.

Source: spec/control_flow.md §§0.4, 1.2, 2.1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ... import tree
from ...base.errors import ArgumentTypeError
from ...core import same_type, source_of
from .tracing import Body


def check_carry(body: Body, in_tree: Any, out_tree: Any, count: int) -> None:
    """Check that the carry that a body returns can be what it gets next.

    in_tree, out_tree: of the carry, before and after. Its `count` leaves come first
    among the inputs and the results of the body.

    Raises:
        TypeError: it cannot; all differences by the name of the parameter.
    """
    if in_tree != out_tree:
        differences = list(tree.equality_errors_of_treedefs(in_tree, out_tree))
        if differences:
            raise ArgumentTypeError(
                f"The {body.api} body {body.source} must return a carry of the same "
                "structure as the one it gets.",
                _lines(
                    f"{body.root}{tree.keystr(d.path)} comes in as {d.left} and goes "
                    f"out as {d.right}: {d.reason}"
                    for d in differences
                ),
                "Return every part of the carry in its place.",
            )
    known = body.names[:count]
    names = known or [f"leaf {i} of {body.root}" for i in range(count)]
    wrong = [
        f"{name} comes in as {before.str_short()} and goes out as "
        f"{after.str_short()}: {_difference(before, after)}"
        for name, before, after in zip(names, body.in_avals, body.jaxpr.out_avals)
        if not same_type(before, after)
    ]
    if wrong:
        raise ArgumentTypeError(
            f"The {body.api} body {body.source} must return a carry of the same types "
            "as the one it gets.",
            _lines(wrong),
            "Convert what it returns, or the initial carry.",
        )


def check_branches(
    api: str,
    names: Sequence[str],
    branches: Sequence[Callable[..., Any]],
    out_trees: Sequence[Any],
    out_avals: Sequence[Sequence[Any]],
) -> None:
    """Check that all branches return the structure and types of the first.

    Raises:
        TypeError: some do not; all differences of one of them, by path.
    """
    for i in range(1, len(branches)):
        sources = source_of(branches[0]), source_of(branches[i])
        told = f"{names[0]} is {sources[0]}, {names[i]} is {sources[1]}."
        differences = []
        if out_trees[i] != out_trees[0]:
            differences = list(
                tree.equality_errors_of_treedefs(out_trees[0], out_trees[i])
            )
        if differences:
            raise ArgumentTypeError(
                f"The branches of {api} must return the same structure.\n{told}",
                _lines(
                    f"at result{tree.keystr(d.path)}, {names[0]} returns {d.left} and "
                    f"{names[i]} {d.right}: {d.reason}"
                    for d in differences
                ),
                "Return the same containers from each.",
            )
        wrong = _type_differences(
            names[0], names[i], out_trees[0], out_avals[0], out_avals[i]
        )
        if wrong:
            raise ArgumentTypeError(
                f"The branches of {api} must return the same types.\n{told}",
                _lines(wrong),
                "Convert the results; nothing is promoted here.",
            )


def _type_differences(
    one: str, other: str, out_tree: Any, avals: Sequence[Any], others: Sequence[Any]
) -> list[str]:
    if all(map(same_type, avals, others)):
        return []
    paths = [
        tree.keystr(path)
        for path, _ in tree.leaves_with_path(tree.unflatten(out_tree, [0] * len(avals)))
    ]
    return [
        f"at result{path}, {one} returns {left.str_short()} and {other} "
        f"{right.str_short()}: {_difference(left, right)}"
        for path, left, right in zip(paths, avals, others, strict=True)
        if not same_type(left, right)
    ]


def _difference(one: Any, other: Any) -> str:
    facts = []
    if getattr(one, "dtype", None) != getattr(other, "dtype", None):
        facts.append("the dtypes differ")
    if getattr(one, "shape", None) != getattr(other, "shape", None):
        facts.append("the shapes differ")
    before: frozenset[Any] = getattr(one, "vma", frozenset())
    after: frozenset[Any] = getattr(other, "vma", frozenset())
    if before != after:
        axes = ", ".join(map(repr, sorted(before ^ after, key=str)))
        facts.append(
            f"the mesh axes they vary over differ in {axes}; "
            f"`lax.pcast(x, ({axes},), to='varying')` makes a value vary"
        )
    return " and ".join(facts) or "their placements differ"


def _lines(differences: Any) -> str:
    return "\n".join(f"  * {text}." for text in differences)
