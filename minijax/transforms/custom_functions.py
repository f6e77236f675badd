"""What custom_jvp and custom_vjp share: arguments, output trees, checks, zeros.

A custom function is called with pytrees, its primitive with leaves. An `OutTree`
carries the structure of the output from what runs first, the function or its rule.

Source: spec/ad.md §§1.9, 1.10.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import tree
from ..base.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    NotAnArrayError,
    NotAnArrayResultError,
)
from ..core import (
    ShapedArray,
    Tracer,
    argument_names,
    is_array_type,
    signature_of,
    source_of,
    typeof,
)
from ..interpreters import ad


class SymbolicZero:
    """A tangent or cotangent that is zero, as custom rules see it.

    Has the attributes of its type: shape, dtype, ndim, size. Field: aval.
    """

    __slots__ = ("aval",)

    def __init__(self, aval: ShapedArray) -> None:
        self.aval = aval

    def __getattr__(self, name: str) -> Any:
        return getattr(self.aval, name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SymbolicZero) and self.aval is other.aval

    def __hash__(self) -> int:
        return hash((SymbolicZero, self.aval))

    def __repr__(self) -> str:
        return "SymbolicZero"


def symbolic(x: Any) -> Any:
    """A tangent for a rule with symbolic_zeros=True."""
    return SymbolicZero(x.aval) if isinstance(x, ad.Zero) else x


def from_symbolic(x: Any) -> Any:
    """A tangent that a rule returned, as interpreters know it."""
    return ad.Zero(x.aval) if isinstance(x, SymbolicZero) else x


class OutTree:
    """The structure and types of an output, noted by whoever runs first."""

    __slots__ = ("avals", "noted_by", "tree")

    def __init__(self) -> None:
        self.tree: Any = None
        self.avals: list[Any] = []
        self.noted_by = ""

    def note(self, out: Any, by: str) -> list[Any]:
        """The leaves of `out`. Raises: TypeError for what is no array."""
        leaves, structure = tree.flatten(out)
        for path, x in tree.leaves_with_path(out):
            if not is_array_type(x):
                raise NotAnArrayResultError(
                    type(x).__name__, function=by, path=tree.keystr(path)
                )
        if self.tree is None or self.noted_by == by:
            self.tree, self.avals = structure, [typeof(x) for x in leaves]
            self.noted_by = by
        return leaves

    def check(self, structure: Any, avals: Sequence[Any], by: str) -> None:
        """Raise TypeError if a rule's output is unlike the function's, where known."""
        if self.tree is None or self.noted_by == by:
            return
        if self.tree != structure:
            raise ArgumentTypeError(
                f"The rule {by} returns what {self.noted_by} returns, a tree "
                f"{self.tree}.",
                f"Found {structure}.",
            )
        for expected, found in zip(self.avals, avals, strict=True):
            if (expected.shape, expected.dtype) != (found.shape, found.dtype):
                raise ArgumentTypeError(
                    f"The rule {by} returns what {self.noted_by} returns, "
                    f"here {expected}.",
                    f"Found {found}.",
                )


def name_of(fun: Any) -> str:
    """The name of a function or rule, for texts and prints."""
    return getattr(fun, "__name__", None) or type(fun).__name__


def positional(
    fun: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]
) -> tuple[Any, ...]:
    """All arguments by position, defaults filled in. Raises: TypeError."""
    signature = signature_of(fun)
    if signature is None:
        if kwargs:
            raise ArgumentTypeError(
                f"The keyword arguments of {name_of(fun)} are found by its signature.",
                "Found a function whose signature cannot be read.",
                "Pass all arguments by position.",
            )
        return tuple(args)
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        raise ArgumentTypeError(
            f"The arguments of {source_of(fun)} are bound to its parameters.",
            str(error),
        ) from error
    if bound.kwargs:
        names = ", ".join(sorted(bound.kwargs))
        raise ArgumentTypeError(
            "A custom derivative covers positional parameters; "
            f"{name_of(fun)} has others.",
            f"Found keyword-only arguments: {names}.",
        )
    bound.apply_defaults()
    return tuple(bound.args)


def nondiff_positions(
    fun: Callable[..., Any], argnums: Sequence[int], argnames: Sequence[str]
) -> tuple[int, ...]:
    """Positions of the arguments that are passed on untouched, sorted."""
    positions = set(argnums)
    if argnames:
        signature = signature_of(fun)
        names = list(signature.parameters) if signature is not None else []
        for name in argnames:
            if name not in names:
                raise ArgumentValueError(
                    f"`nondiff_argnames` names parameters of {name_of(fun)}.",
                    f"Found {name!r}; it has {names}.",
                )
            positions.add(names.index(name))
    return tuple(sorted(positions))


def split_arguments(
    args: Sequence[Any], nondiff: Sequence[int]
) -> tuple[list[Any], list[Any]]:
    """(untouched arguments, differentiable arguments)."""
    fixed = [args[i] for i in nondiff if i < len(args)]
    moving = [x for i, x in enumerate(args) if i not in nondiff]
    return fixed, moving


def merge_arguments(
    fixed: Sequence[Any], moving: Sequence[Any], nondiff: Sequence[int]
) -> list[Any]:
    """The arguments in their order."""
    total, rest, chosen = len(fixed) + len(moving), iter(moving), iter(fixed)
    return [next(chosen) if i in nondiff else next(rest) for i in range(total)]


def contains_tracer(x: Any) -> bool:
    """Whether a tracer stands anywhere in the pytree `x`."""
    return any(isinstance(leaf, Tracer) for leaf in tree.leaves(x))


def check_leaves(
    fun: Callable[..., Any], leaves: Sequence[Any], values: Any, nondiff: Sequence[int]
) -> None:
    """Raise TypeError if a differentiable argument holds what is no array.

    leaves: of all `values` but those at the positions `nondiff`.
    """
    for number, x in enumerate(leaves):
        if not is_array_type(x):
            raise NotAnArrayError(
                type(x).__name__,
                function=source_of(fun),
                path=argument_names(fun, values, {}, nondiff)[number],
                value=repr(x)[:80],
                do="Arguments that are no arrays belong in `nondiff_argnums`.",
            )
