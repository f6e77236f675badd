"""closure_convert: making what a function closes over an argument.

Higher-order functions with their own derivative rule need every value that may be
differentiated as an argument; a closure hides some.

Source: spec/ad.md §1.8.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import tree
from ..base import dtypes
from ..base.errors import ArgumentTypeError
from ..core import Jaxpr, StagedTracer, eval_jaxpr, stage, typeof
from ..interpreters import ad, batching
from .recordings import output_leaves, require_callable


def closure_convert(
    fun: Callable[..., Any], *example_args: Any
) -> tuple[Callable[..., Any], list[Any]]:
    """`fun` with the values it closes over as further arguments, and these values.

    Returns (converted, consts), and `converted(*args, *consts)` is `fun(*args)`. Only
    values that may be differentiated are taken out: those that move under a derivative
    around us, and inexact ones of a program being traced. The example arguments give
    types.

    Raises:
        TypeError: (when called) the arguments have another tree than the examples.

    >>> import minijax as mj
    >>> def area(width):
    ...     converted, consts = mj.closure_convert(lambda height: width * height, 1.0)
    ...     return converted(3.0, *consts)
    >>> print(mj.grad(area)(2.0))
    3.0
    """
    require_callable("closure_convert", fun)
    leaves, in_tree = tree.flatten(example_args)
    trees: list[Any] = []

    def flat(*values: Any) -> list[Any]:
        y_flat, out_tree = output_leaves(fun, fun(*tree.unflatten(in_tree, values)))
        trees.append(out_tree)
        return y_flat

    jaxpr = stage(flat, [typeof(x) for x in leaves])
    hoisted = [_may_move(const) for const in jaxpr.consts]
    consts = [c for c, out in zip(jaxpr.consts, hoisted, strict=True) if out]
    return _Converted(jaxpr, hoisted, in_tree, trees[0]), consts


def _may_move(x: Any) -> bool:
    """Whether a derivative may be taken with respect to `x`."""
    if isinstance(x, ad.JVPTracer):
        return True
    if isinstance(x, StagedTracer):
        return x.aval.dtype in dtypes.INEXACT
    return isinstance(x, batching.BatchTracer) and _may_move(x.val)


class _Converted:
    """The function that `closure_convert` returns."""

    def __init__(
        self, jaxpr: Jaxpr, hoisted: list[bool], in_tree: Any, out_tree: Any
    ) -> None:
        self.jaxpr, self.hoisted = jaxpr.with_consts(()), hoisted
        self.in_tree, self.out_tree = in_tree, out_tree
        # What is passed in again must not be kept alive from here.
        self.kept = [
            None if out else const
            for const, out in zip(jaxpr.consts, hoisted, strict=True)
        ]

    def __call__(self, *args_and_consts: Any) -> Any:
        count = sum(self.hoisted)
        split = len(args_and_consts) - count
        args, consts = args_and_consts[:split], iter(args_and_consts[split:])
        leaves, given = tree.flatten(args)
        if split < 0 or given != self.in_tree:
            raise ArgumentTypeError(
                f"A converted function takes arguments with the tree {self.in_tree}, "
                f"then {count} constants.",
                f"Found {given} before the last {count} arguments.",
            )
        values = [
            next(consts) if out else const
            for const, out in zip(self.kept, self.hoisted, strict=True)
        ]
        outs = eval_jaxpr(self.jaxpr, (), *values, *leaves)
        return tree.unflatten(self.out_tree, outs)
