"""custom_vjp and custom_gradient: functions with their own backward derivative.

Source: spec/ad.md §§1.10, 1.11.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from .. import tree
from ..base import dtypes
from ..base.errors import (
    ArgumentAttributeError,
    ArgumentTypeError,
    ArgumentValueError,
    NotSupportedError,
    UnexpectedTracerError,
)
from ..core import custom_vjp_call_p, eval_jaxpr, stage, typeof
from ..interpreters import ad
from .custom_functions import (
    OutTree,
    SymbolicZero,
    check_leaves,
    contains_tracer,
    merge_arguments,
    name_of,
    nondiff_positions,
    positional,
    split_arguments,
    symbolic,
)
from .recordings import output_leaves, require_callable


class CustomVJPPrimal:
    """An input of `fwd` with symbolic_zeros=True: its value, and whether it moves."""

    __slots__ = ("perturbed", "value")

    def __init__(self, value: Any, perturbed: bool) -> None:
        self.value, self.perturbed = value, perturbed

    def __repr__(self) -> str:
        return f"CustomVJPPrimal(value={self.value}, perturbed={self.perturbed})"


class custom_vjp[**P, R]:
    """A function whose backward derivative is given by two rules.

    `defvjp(fwd, bwd)`: `fwd(*args) -> (out, residuals)` and
    `bwd(residuals, out_bar) -> (x_bar, …)`, one cotangent (or None) per argument.
    Untouched arguments come first in `bwd` and in their place in `fwd`.

    Forward mode does not work through such a function.

    Raises (when called):
        AttributeError: no rules were given. TypeError, ValueError: arguments or
        results of the rules do not fit.

    >>> import minijax as mj, minijax.numpy as jnp
    >>> @mj.custom_vjp
    ... def clipped(x):
    ...     return x
    >>> clipped.defvjp(lambda x: (x, None), lambda _, g: (jnp.clip(g, -1.0, 1.0),))
    >>> print(mj.grad(lambda x: 5.0 * clipped(x))(2.0))
    1.0
    """

    def __init__(
        self,
        fun: Callable[P, R],
        nondiff_argnums: Sequence[int] = (),
        nondiff_argnames: Sequence[str] = (),
    ) -> None:
        require_callable("custom_vjp", fun)
        functools.update_wrapper(self, fun)
        self.fun = fun
        self.nondiff_argnums = nondiff_positions(fun, nondiff_argnums, nondiff_argnames)
        self.fwd: Callable[..., Any] | None = None
        self.bwd: Callable[..., Any] | None = None
        self.symbolic_zeros = False

    def defvjp(
        self,
        fwd: Callable[..., Any],
        bwd: Callable[..., Any],
        symbolic_zeros: bool = False,
        optimize_remat: bool = False,
    ) -> None:
        """Give the rules.

        symbolic_zeros: `fwd` gets `CustomVJPPrimal` leaves, `bwd` may get
        `SymbolicZero` cotangents. optimize_remat: accepted; a program that does not
        read the residuals drops their computation anyway.

        Raises: NotImplementedError for both options together.
        """
        if symbolic_zeros and optimize_remat:
            raise NotSupportedError(
                "`symbolic_zeros` and `optimize_remat` exclude each other.",
                "Found both.",
            )
        self.fwd, self.bwd, self.symbolic_zeros = fwd, bwd, symbolic_zeros

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        if self.fwd is None or self.bwd is None:
            raise ArgumentAttributeError(
                "A custom_vjp function is called once it has rules; "
                f"{name_of(self.fun)} has none.",
                do=f"Give them with `{name_of(self.fun)}.defvjp`.",
            )
        values = positional(self.fun, args, kwargs)
        fixed, moving = split_arguments(values, self.nondiff_argnums)
        for x in fixed:
            if contains_tracer(x):
                raise UnexpectedTracerError(
                    f"an argument of {name_of(self.fun)} in nondiff_argnums is a "
                    "traced value.\nOnly Python values belong there: pass arrays as "
                    "ordinary arguments and return None for their cotangents."
                )
        leaves, in_tree = tree.flatten(tuple(moving))
        check_leaves(self.fun, leaves, values, self.nondiff_argnums)
        out_tree = OutTree()
        flat = _FlatRules(self, fixed, in_tree, out_tree)
        outs = custom_vjp_call_p.bind(
            *leaves,
            call=flat.call,
            fwd=flat,
            bwd=self.bwd,
            name=name_of(self.fun),
            symbolic_zeros=self.symbolic_zeros,
        )
        return tree.unflatten(out_tree.tree, outs)


class _FlatRules:
    """A custom function and its rules on leaves, for one call."""

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
        self.__name__ = name_of(custom.fwd)

    def call(self, *leaves: Any) -> list[Any]:
        moving = tree.unflatten(self.in_tree, leaves)
        args = merge_arguments(self.fixed, moving, self.custom.nondiff_argnums)
        return self.out_tree.note(self.custom.fun(*args), name_of(self.custom.fun))

    def __call__(
        self, primals: Sequence[Any], nonzeros: Sequence[bool]
    ) -> tuple[Any, ...]:
        custom = self.custom
        values: list[Any] = list(primals)
        if custom.symbolic_zeros:
            values = [
                CustomVJPPrimal(x, nz) for x, nz in zip(primals, nonzeros, strict=True)
            ]
        moving = tree.unflatten(self.in_tree, values)
        pair = custom.fwd(*merge_arguments(self.fixed, moving, custom.nondiff_argnums))
        who = f"{name_of(custom.fwd)} of {name_of(custom.fun)}"
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise ArgumentTypeError(
                f"The rule {who} returns a pair (out, residuals).",
                f"Found {pair!r} of type {type(pair).__name__}.",
            )
        out, residual = pair
        outs = self.out_tree.note(out, who)
        self.out_tree.check(tree.structure(out), [typeof(y) for y in outs], who)
        residuals, res_tree = output_leaves(custom.fwd, residual)
        in_avals = [typeof(x) for x in primals]
        bwd = _FlatBackward(
            custom, self.fixed, self.in_tree, tree.structure(out), res_tree, in_avals
        )
        return outs, residuals, bwd


class _FlatBackward:
    """A bwd rule on leaves, for the residuals of one fwd."""

    __slots__ = (
        "__name__",
        "custom",
        "fixed",
        "in_avals",
        "in_tree",
        "out_tree",
        "res_tree",
    )

    def __init__(
        self,
        custom: Any,
        fixed: list[Any],
        in_tree: Any,
        out_tree: Any,
        res_tree: Any,
        in_avals: list[Any],
    ) -> None:
        self.custom, self.fixed, self.in_tree = custom, fixed, in_tree
        self.out_tree, self.res_tree, self.in_avals = out_tree, res_tree, in_avals
        self.__name__ = name_of(custom.bwd)

    def __call__(self, residuals: Sequence[Any], y_bars: Sequence[Any]) -> list[Any]:
        bwd = self.custom.bwd
        found = bwd(
            *self.fixed,
            tree.unflatten(self.res_tree, residuals),
            tree.unflatten(self.out_tree, [symbolic(y_bar) for y_bar in y_bars]),
        )
        who = f"{name_of(bwd)} of {name_of(self.custom.fun)}"
        arguments = tree.treedef_children(self.in_tree)
        if isinstance(found, list) and len(found) == len(arguments):
            found = tuple(found)
        if not isinstance(found, tuple) or len(found) != len(arguments):
            raise ArgumentTypeError(
                f"The rule {who} returns a tuple with one cotangent per argument, "
                f"{len(arguments)}.",
                f"Found {tree.structure(found)}.",
            )
        x_bars: list[Any] = []
        for x_bar, argument in zip(found, arguments, strict=True):
            x_bars += self._leaves_of(who, x_bar, argument)
        return [
            self._checked(who, x_bar, aval)
            for x_bar, aval in zip(x_bars, self.in_avals, strict=True)
        ]

    def _leaves_of(self, who: str, x_bar: Any, argument: Any) -> list[Any]:
        try:
            return tree.broadcast_prefix(x_bar, _empty(argument), is_leaf=_is_none)
        except ValueError:
            raise ArgumentTypeError(
                f"The rule {who} returns cotangents with the trees of the arguments, "
                f"here {argument}.",
                f"Found {tree.structure(x_bar)}.",
            ) from None

    def _checked(self, who: str, x_bar: Any, aval: Any) -> Any:
        expected = aval.to_tangent_aval()
        if x_bar is None or expected.dtype == dtypes.float0:
            return None
        if isinstance(x_bar, SymbolicZero):
            if x_bar.aval.shape != expected.shape:
                raise self._misfit(who, expected, x_bar.aval)
            return None
        if typeof(x_bar).shape != expected.shape:
            raise self._misfit(who, expected, typeof(x_bar))
        return x_bar

    def _misfit(self, who: str, expected: Any, found: Any) -> ArgumentValueError:
        return ArgumentValueError(
            f"The rule {who} returns a cotangent of type {expected.strip_weak_type()}.",
            f"Found {found}: the shapes do not match.",
        )


def _is_none(x: Any) -> bool:
    return x is None


def _empty(structure: Any) -> Any:
    return tree.unflatten(structure, [0] * structure.num_leaves)


def custom_gradient(fun: Callable[..., Any]) -> Callable[..., Any]:
    """A function that returns its value together with its own pullback.

    `fun(*args) -> (out, pullback)` with `pullback(out_bar) -> (x_bar, …)`; a bare leaf
    counts as a 1-tuple.

    >>> import minijax as mj
    >>> @mj.custom_gradient
    ... def f(x):
    ...     return x * x, lambda g: (g * x,)
    >>> print(mj.grad(f)(3.0))
    3.0
    """

    @functools.wraps(fun)
    def value(*args: Any) -> Any:
        return fun(*args)[0]

    wrapped: custom_vjp = custom_vjp(value)

    def fwd(*args: Any) -> Any:
        out, pullback = fun(*args)
        leaves, out_tree = tree.flatten(out)
        avals = [typeof(y).to_tangent_aval() for y in leaves]
        trees: list[Any] = []

        def flat(*y_bars: Any) -> list[Any]:
            found = pullback(tree.unflatten(out_tree, y_bars))
            x_bars, structure = tree.flatten(
                found if isinstance(found, tuple) else (found,)
            )
            trees.append(structure)
            return x_bars

        jaxpr = stage(flat, avals)
        program = _Pullback(jaxpr.with_consts(()), trees[0])
        return out, tree.Partial(program, list(jaxpr.consts))

    def bwd(residual: Any, y_bar: Any) -> Any:
        return residual(*tree.leaves(y_bar))

    wrapped.defvjp(fwd, bwd)
    return wrapped


class _Pullback:
    """A staged pullback: constants, then cotangents."""

    __slots__ = ("jaxpr", "structure")

    def __init__(self, jaxpr: Any, structure: Any) -> None:
        self.jaxpr, self.structure = jaxpr, structure

    def __call__(self, consts: list[Any], *y_bars: Any) -> Any:
        return tree.unflatten(
            self.structure, eval_jaxpr(self.jaxpr, (), *consts, *y_bars)
        )


def custom_vjp_primal_tree_values(values: Any) -> Any:
    """The plain values of what `fwd` gets if symbolic_zeros. Raises: TypeError."""

    def value_of(x: Any) -> Any:
        if not isinstance(x, CustomVJPPrimal):
            raise ArgumentTypeError(
                "Every leaf must be a CustomVJPPrimal.", f"Found {type(x).__name__}."
            )
        return x.value

    return tree.map(value_of, values, is_leaf=lambda x: isinstance(x, CustomVJPPrimal))


def zero_from_primal(value: Any, symbolic_zeros: bool = False) -> Any:
    """Zero tangents for a tree of primals: arrays, or `SymbolicZero` objects."""

    def zero(x: Any) -> Any:
        aval = typeof(x).to_tangent_aval()
        return SymbolicZero(aval) if symbolic_zeros else ad.zeros_of(aval)

    return tree.map(zero, value)
