"""custom_jvp: a function with its own forward derivative.

Source: spec/ad.md §1.9.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from .. import tree
from ..base.errors import ArgumentAttributeError, ArgumentTypeError
from ..core import custom_jvp_call_p, typeof
from ..interpreters import ad
from ..lax import stop_gradient
from .custom_functions import (
    OutTree,
    SymbolicZero,
    check_leaves,
    contains_tracer,
    from_symbolic,
    merge_arguments,
    name_of,
    nondiff_positions,
    positional,
    split_arguments,
    symbolic,
)
from .recordings import require_callable


class custom_jvp[**P, R]:
    """A function whose derivative is given by a rule.

    `defjvp(rule)`: `rule(primals, tangents) -> (primals_out, tangents_out)`, linear in
    the tangents; arguments left alone (`nondiff_argnums`, `nondiff_argnames`) stand in
    front. With symbolic_zeros=True tangents that vanish arrive as `SymbolicZero`.
    `defjvps(*rules)`: one `rule(x_dot, out, *primals)` per argument, or None.

    Raises (when called):
        AttributeError: no rule was given. TypeError: arguments or the rule's results
        do not fit.

    >>> import minijax as mj, minijax.numpy as jnp
    >>> @mj.custom_jvp
    ... def f(x):
    ...     return jnp.sin(x)
    >>> @f.defjvp
    ... def f_jvp(primals, tangents):
    ...     (x,), (x_dot,) = primals, tangents
    ...     return f(x), 2.0 * x_dot
    >>> print(mj.grad(f)(0.0))
    2.0
    """

    def __init__(
        self,
        fun: Callable[P, R],
        nondiff_argnums: Sequence[int] = (),
        nondiff_argnames: Sequence[str] = (),
    ) -> None:
        require_callable("custom_jvp", fun)
        functools.update_wrapper(self, fun)
        self.fun = fun
        self.nondiff_argnums = nondiff_positions(fun, nondiff_argnums, nondiff_argnames)
        self.jvp: Callable[..., Any] | None = None
        self.symbolic_zeros = False

    def defjvp[F: Callable[..., Any]](self, jvp: F, symbolic_zeros: bool = False) -> F:
        """Give the rule; returns it, so this is a decorator."""
        self.jvp, self.symbolic_zeros = jvp, symbolic_zeros
        return jvp

    def defjvps(self, *jvps: Callable[..., Any] | None) -> None:
        """Give one rule per argument; their contributions are summed.

        Raises: TypeError with untouched arguments, which have no place here.
        """
        if self.nondiff_argnums:
            raise ArgumentTypeError(
                "`defjvps` takes one rule per argument, and all are differentiable.",
                f"Found nondiff_argnums={self.nondiff_argnums}.",
                "Use `defjvp`.",
            )
        self.defjvp(_sum_of_rules(self, jvps))

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        if self.jvp is None:
            raise ArgumentAttributeError(
                "A custom_jvp function is called once it has a rule; "
                f"{name_of(self.fun)} has none.",
                do=f"Give it with `{name_of(self.fun)}.defjvp`.",
            )
        values = positional(self.fun, args, kwargs)
        fixed, moving = split_arguments(values, self.nondiff_argnums)
        fixed = [tree.map(stop_gradient, x) if contains_tracer(x) else x for x in fixed]
        leaves, in_tree = tree.flatten(tuple(moving))
        check_leaves(self.fun, leaves, values, self.nondiff_argnums)
        out_tree = OutTree()
        flat = _FlatRule(self, fixed, in_tree, out_tree)
        outs = custom_jvp_call_p.bind(
            *leaves,
            call=flat.call,
            jvp=flat,
            name=name_of(self.fun),
            symbolic_zeros=self.symbolic_zeros,
        )
        return tree.unflatten(out_tree.tree, outs)


class _FlatRule:
    """A custom function and its rule on leaves, for one call."""

    __slots__ = ("__name__", "custom", "fixed", "in_tree", "out_tree")

    def __init__(
        self, custom: Any, fixed: list[Any], in_tree: Any, out_tree: OutTree
    ) -> None:
        self.custom, self.fixed, self.in_tree, self.out_tree = (
            custom,
            fixed,
            in_tree,
            out_tree,
        )
        self.__name__ = name_of(custom.jvp)

    def call(self, *leaves: Any) -> list[Any]:
        moving = tree.unflatten(self.in_tree, leaves)
        args = merge_arguments(self.fixed, moving, self.custom.nondiff_argnums)
        return self.out_tree.note(self.custom.fun(*args), name_of(self.custom.fun))

    def __call__(
        self, primals: Sequence[Any], tangents: Sequence[Any]
    ) -> tuple[Any, Any]:
        rule = self.custom.jvp
        pair = rule(
            *self.fixed,
            tree.unflatten(self.in_tree, primals),
            tree.unflatten(self.in_tree, [symbolic(x_dot) for x_dot in tangents]),
        )
        who = f"{name_of(rule)} of {name_of(self.custom.fun)}"
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise ArgumentTypeError(
                f"The rule {who} returns a pair (primals_out, tangents_out).",
                f"Found {pair!r} of type {type(pair).__name__}.",
            )
        out, out_dot = pair
        out_dots, dot_tree = tree.flatten(out_dot)
        structure = tree.structure(out)
        if dot_tree != structure:
            raise ArgumentTypeError(
                f"The rule {who} returns primals and tangents of one tree.",
                f"Found {structure} and {dot_tree}.",
            )
        outs = self.out_tree.note(out, who)
        self.out_tree.check(structure, [typeof(y) for y in outs], who)
        return outs, [
            _checked_tangent(who, y, y_dot)
            for y, y_dot in zip(outs, out_dots, strict=True)
        ]


def _checked_tangent(who: str, y: Any, y_dot: Any) -> Any:
    expected = typeof(y).to_tangent_aval()
    found = y_dot.aval if isinstance(y_dot, SymbolicZero) else typeof(y_dot)
    if (expected.shape, expected.dtype) != (found.shape, found.dtype):
        raise ArgumentTypeError(
            f"The rule {who} returns a tangent of type {expected.strip_weak_type()} "
            f"for an output of type {typeof(y)}.",
            f"Found {found}.",
        )
    if expected.dtype != typeof(y).dtype:
        return ad.Zero(expected)
    return from_symbolic(y_dot)


def _sum_of_rules(
    custom: custom_jvp, rules: Sequence[Callable[..., Any] | None]
) -> Any:
    def jvp(primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Any, Any]:
        out = custom(*primals)
        terms = [
            rule(x_dot, out, *primals)
            for rule, x_dot in zip(rules, tangents, strict=True)
            if rule is not None
        ]
        zeros = tree.map(lambda y: ad.instantiate_zeros(ad.Zero.from_primal(y)), out)
        return out, functools.reduce(_add_trees, terms) if terms else zeros

    jvp.__name__ = f"{name_of(custom.fun)}_jvp"
    return jvp


def _add_trees(x: Any, y: Any) -> Any:
    return tree.map(ad.add_tangents, x, y)
