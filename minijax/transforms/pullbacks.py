"""vjp: the backward pass as a value.

`VJP` is a function and a pytree. Fresh from `vjp` it holds the tape and walks it when
called; its program, residuals and leaves are only made if somebody looks (a transform,
`jit`, a print).

Source: spec/ad.md §1.3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import tree
from ..base import dtypes
from ..base.errors import ArgumentTypeError, ArgumentValueError, NotSupportedError
from ..core import Jaxpr, source_of, typeof
from ..interpreters import ad
from .differentiable import check_input, is_float0
from .differentiation import (
    Recording,
    as_values,
    present,
    pull_back,
    real_tangent,
    record,
    require_callable,
)


@tree.register_static
class NotNeeded:
    """In `args_res`: the backward pass does not read this argument."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NotNeeded)

    def __hash__(self) -> int:
        return hash(NotNeeded)

    def __repr__(self) -> str:
        return "NotNeeded()"


class _Plan:
    """What a VJP needs besides residuals; hashed by identity.

    program: residuals ++ moving tangents -> nonzero output tangents. sources: for each
    residual, the argument leaf it is, or None.
    """

    __slots__ = (
        *("fun_name", "in_avals", "in_tree", "moves", "nonzero"),
        *("out_avals", "out_tree", "program", "sources"),
    )
    fun_name: str
    in_avals: Sequence[Any]
    in_tree: Any
    moves: list[bool]
    nonzero: list[bool]
    out_avals: Sequence[Any]
    out_tree: Any
    program: Jaxpr
    sources: list[int | None]


class VJP:
    """The function `y_bar -> (x_bar, …)` of `vjp`, and a pytree of residuals.

    args_res mirrors the primals: a leaf is the argument itself if the backward pass
    reads it, else `NotNeeded()`. opaque_residuals lists everything else it reads.
    """

    __slots__ = ("__weakref__", "_args", "_opaque", "_plan", "_recording", "_x_flat")

    def __init__(
        self, recording: Recording, x_flat: Sequence[Any], in_tree: Any, name: str
    ) -> None:
        self._recording: Recording | None = recording
        self._x_flat = x_flat
        plan = self._plan = _Plan()
        plan.in_tree, plan.out_tree = in_tree, recording.out_tree
        plan.in_avals, plan.out_avals = recording.in_avals, recording.out_avals
        plan.moves = [x is not None for x in recording.inputs]
        plan.nonzero = [y_dot.__class__ is not ad.Zero for y_dot in recording.outs]
        plan.fun_name = name
        self._args: list[Any] | None = None
        self._opaque: list[Any] = []

    # --- the call -------------
    def __call__(self, *cotangents: Any) -> tuple[Any, ...]:
        plan = self._plan
        if len(cotangents) != 1:
            raise ArgumentTypeError(
                f"The pullback of {plan.fun_name} takes one argument, a cotangent with "
                "the tree of the output.",
                f"Found {len(cotangents)} arguments.",
            )
        y_bars = self._check_cotangent(cotangents[0])
        if self._recording is not None:
            x_bars = pull_back(self._recording, y_bars)
        else:
            x_bars = self._replay(y_bars)
        return tree.unflatten(plan.in_tree, x_bars)

    def _replay(self, y_bars: list[Any]) -> list[Any]:
        plan = self._plan
        residuals = self._residuals()
        tangents = [
            ad.UndefinedPrimal(aval.to_tangent_aval())
            for aval, moves in zip(plan.in_avals, plan.moves, strict=True)
            if moves
        ]
        nonzero_bars = [
            b for b, is_nonzero in zip(y_bars, plan.nonzero, strict=True) if is_nonzero
        ]
        found = ad.backward_jaxpr(plan.program, [*residuals, *tangents], nonzero_bars)
        moving = iter(found[len(residuals) :])
        return [
            real_tangent(next(moving)) if moves else ad.zeros_of(aval.to_tangent_aval())
            for aval, moves in zip(plan.in_avals, plan.moves, strict=True)
        ]

    def _check_cotangent(self, y_bar: Any) -> list[Any]:
        plan = self._plan
        y_bars, given = tree.flatten(y_bar)
        if given != plan.out_tree:
            raise ArgumentValueError(
                f"The cotangent of {plan.fun_name} has the tree of its output, "
                f"{plan.out_tree}.",
                f"Found {given}.",
            )
        return [
            _checked_leaf(plan.fun_name, bar, aval)
            for bar, aval in zip(y_bars, plan.out_avals, strict=True)
        ]

    # --- the parts -------------
    def _split(self) -> None:
        """Make the program and sort residuals into arguments and others."""
        if self._args is not None:
            return
        plan, recording = self._plan, self._recording
        plan.program, residuals = recording.program()  # type: ignore[union-attr]
        position = {id(x): i for i, x in enumerate(self._x_flat)}
        plan.sources = [position.get(id(r)) for r in residuals]
        needed = set(plan.sources)
        self._args = [
            x if i in needed else NotNeeded() for i, x in enumerate(self._x_flat)
        ]
        self._opaque = [
            r for r, i in zip(residuals, plan.sources, strict=True) if i is None
        ]

    def _residuals(self) -> list[Any]:
        args, rest = self._args, iter(self._opaque)
        return [next(rest) if i is None else args[i] for i in self._plan.sources]  # type: ignore[index]

    @property
    def jaxpr(self) -> Jaxpr:
        """The tangent program: residuals, then one tangent per moving input leaf."""
        self._split()
        return self._plan.program

    @property
    def args_res(self) -> Any:
        self._split()
        return list(self._plan.in_tree.unflatten(self._args))

    @property
    def opaque_residuals(self) -> list[Any]:
        self._split()
        return self._opaque

    structured_residuals: tuple[Any, ...] = ()

    @property
    def in_tree(self) -> Any:
        return self._plan.in_tree

    @property
    def out_tree(self) -> Any:
        return self._plan.out_tree

    @property
    def fun(self) -> str:
        return self._plan.fun_name

    def __repr__(self) -> str:
        return f"<VJP of {self._plan.fun_name}>"


def _flatten(vjp_fun: VJP) -> tuple[tuple[Any, ...], _Plan]:
    vjp_fun._split()
    return (vjp_fun._args, vjp_fun._opaque), vjp_fun._plan


def _unflatten(plan: _Plan, children: Any) -> VJP:
    vjp_fun = object.__new__(VJP)
    vjp_fun._recording, vjp_fun._x_flat, vjp_fun._plan = None, (), plan
    vjp_fun._args, vjp_fun._opaque = children
    return vjp_fun


tree.register_pytree_node(VJP, _flatten, _unflatten)


def _checked_leaf(name: str, bar: Any, aval: Any) -> Any:
    if isinstance(bar, ad.Zero):
        return bar
    expected, found = aval.to_tangent_aval(), typeof(bar)
    if expected.shape != found.shape or (
        expected.dtype != found.dtype and expected.dtype != dtypes.float0
    ):
        raise ArgumentValueError(
            f"The cotangent of an output of type {aval} of {name} has type "
            f"{expected.strip_weak_type()}.",
            f"Found {found}.",
        )
    return (
        ad.Zero(expected) if expected.dtype == dtypes.float0 or is_float0(bar) else bar
    )


def vjp(
    fun: Callable[..., Any],
    *primals: Any,
    has_aux: bool = False,
    reduce_axes: Sequence[Any] = (),
) -> tuple[Any, ...]:
    """The value of `fun` at `primals` and its pullback.

    Returns (y, f_vjp), and aux if `has_aux`. `f_vjp(y_bar)` takes a cotangent with the
    tree and types of y and returns a tuple of cotangents, one per primal; that of an
    integer is a float0 array. It is a pytree of residuals.

    Raises:
        TypeError: a primal is no array. ValueError (when called): the cotangent's tree
        or types do not fit.

    >>> import minijax as mj, minijax.numpy as jnp
    >>> y, f_vjp = mj.vjp(lambda x, y: x * y, 2.0, 3.0)
    >>> x_bar, y_bar = f_vjp(1.0)
    >>> print(x_bar, y_bar)
    3.0 2.0
    """
    require_callable("vjp", fun)
    if reduce_axes:
        raise NotSupportedError("`reduce_axes` must be empty.", f"Found {reduce_axes}.")
    x_flat, in_tree = tree.flatten(primals)
    for x in x_flat:
        check_input("vjp", fun, x)
    values = as_values(x_flat)
    recording, aux = record(
        fun,
        values,
        lambda leaves: (tree.unflatten(in_tree, leaves), {}),
        api="vjp",
        has_aux=has_aux,
    )
    y = recording.out_tree.unflatten([present(y) for y in recording.primals_out])
    f_vjp = VJP(recording, values, in_tree, source_of(fun))
    return (y, f_vjp, aux) if has_aux else (y, f_vjp)
