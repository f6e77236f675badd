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
from ..core import Jaxpr, is_ref_type, source_of, typeof
from ..interpreters import ad
from .compilation import jit
from .differentiable import (
    argument_positions,
    check_inputs,
    flags_of,
    is_float0,
    moving_leaves,
    restricted,
)
from .recordings import (
    Recording,
    as_values,
    present,
    pull_back,
    real_tangent,
    record,
    require_callable,
)

# --- What stands in the place of an argument, or of its gradient ----------------------


class _Mark:
    """A value without contents; two of one class are equal."""

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    def __hash__(self) -> int:
        return hash(type(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


@tree.register_static
class NotNeeded(_Mark):
    """In `args_res`: the backward pass does not read this argument."""


@tree.register_static
class NotSaveable(_Mark):
    """In `args_res`: the backward pass reads this argument, and must be given it."""


class GradValue(_Mark):
    """For `with_refs`: this gradient is returned as a value."""


class DontWant(_Mark):
    """For `with_refs`: this gradient is not wanted."""


@tree.register_static
class GradRef(_Mark):
    """From `with_refs`: this gradient was added to its ref."""


@tree.register_static
class DidntWant(_Mark):
    """From `with_refs`: this gradient was not wanted."""


def _is_mark(x: Any) -> bool:
    return isinstance(x, _Mark)


# --- VJP ------------------------------------------------------------------------------


class _Plan:
    """What a VJP needs besides residuals; hashed by identity.

    program: residuals ++ moving tangents -> nonzero output tangents. sources: for each
    residual, the argument leaf it is, or None.
    """

    __slots__ = (
        "fun_name",
        "in_avals",
        "in_tree",
        "moves",
        "nonzero",
        "out_avals",
        "out_tree",
        "program",
        "sources",
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

    args_res: a list like the primals, which may be changed; a leaf is the argument
    itself if the backward pass reads it, `NotNeeded()` if not, and `NotSaveable()` if
    `saveable_args` kept it out. opaque_residuals: everything else it reads.
    """

    __slots__ = (
        "__weakref__",
        "_arg_ids",
        "_args",
        "_opaque",
        "_plan",
        "_recording",
        "_saveable",
    )

    def __init__(
        self,
        recording: Recording,
        x_flat: Sequence[Any],
        in_tree: Any,
        name: str,
        saveable: Sequence[bool] | None = None,
    ) -> None:
        self._recording: Recording | None = recording
        # Only whoever is a residual must be kept alive, and the tape does that.
        self._arg_ids = [id(x) for x in x_flat]
        plan = self._plan = _Plan()
        plan.in_tree, plan.out_tree = in_tree, recording.out_tree
        plan.in_avals, plan.out_avals = recording.in_avals, recording.out_avals
        plan.moves = [x is not None for x in recording.inputs]
        plan.nonzero = [y_dot.__class__ is not ad.Zero for y_dot in recording.outs]
        plan.fun_name = name
        self._args: list[Any] | None = None
        self._opaque: list[Any] = []
        self._saveable = saveable
        if saveable is not None and not all(saveable):
            self._split()
            self._recording = None

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

    def with_refs(self, *slots: Any) -> Callable[[Any], tuple[Any, ...]]:
        """The pullback that puts gradients where `slots`, like the primals, say.

        A slot is a ref, to which the gradient is added, `GradValue()` or `DontWant()`.
        In the result `GradRef()` and `DidntWant()` stand for the first and the last.

        Raises:
            ValueError: the tree of the slots, or the type of a ref, does not fit.
        """
        plan = self._plan
        given, slot_tree = tree.flatten(slots)
        if slot_tree != plan.in_tree:
            raise ArgumentValueError(
                f"`with_refs` takes slots like the primals, {plan.in_tree}.",
                f"Found {slot_tree}.",
            )
        for slot, aval in zip(given, plan.in_avals, strict=True):
            _check_slot(slot, aval)

        def pull(y_bar: Any) -> tuple[Any, ...]:
            x_bars = tree.leaves(self(y_bar))
            placed = [_place(slot, x_bar) for slot, x_bar in zip(given, x_bars)]
            return tree.unflatten(plan.in_tree, placed)

        return pull

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
            real_tangent(next(moving) if moves else ad.Zero(aval.to_tangent_aval()))
            for aval, moves in zip(plan.in_avals, plan.moves, strict=True)
        ]

    def _check_cotangent(self, y_bar: Any) -> list[Any]:
        plan = self._plan
        y_bars, given = tree.flatten(y_bar, is_leaf=_is_zero)
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
        position = {number: i for i, number in enumerate(self._arg_ids)}
        plan.sources = [position.get(id(r)) for r in residuals]
        args: list[Any] = [NotNeeded() for _ in self._arg_ids]
        for i, residual in zip(plan.sources, residuals, strict=True):
            if i is not None:
                saved = self._saveable is None or self._saveable[i]
                args[i] = residual if saved else NotSaveable()
        self._args = list(plan.in_tree.unflatten(args))
        self._opaque = [
            r for r, i in zip(residuals, plan.sources, strict=True) if i is None
        ]

    def _residuals(self) -> list[Any]:
        args, rest = tree.leaves(self._args, is_leaf=_is_mark), iter(self._opaque)
        sources = self._plan.sources
        missing = [i for i in sources if i is not None and _is_mark(args[i])]
        if missing:
            raise ArgumentValueError(
                f"The pullback of {self._plan.fun_name} reads arguments that "
                "`saveable_args` kept out of it.",
                f"Found none for the argument leaves {missing}.",
                "Put them into `args_res` before the call.",
            )
        return [next(rest) if i is None else args[i] for i in sources]

    @property
    def jaxpr(self) -> Jaxpr:
        """The tangent program: residuals, then one tangent per moving input leaf."""
        self._split()
        return self._plan.program

    @property
    def args_res(self) -> list[Any]:
        """The arguments the backward pass reads, in a list like the primals."""
        self._split()
        self._recording = None  # what is put there counts from now on
        return self._args  # type: ignore[return-value]

    @property
    def opaque_residuals(self) -> list[Any]:
        """What else the backward pass reads."""
        self._split()
        self._recording = None
        return self._opaque

    @property
    def structured_residuals(self) -> list[Any]:
        """Residuals that are no arrays: no rule of minijax returns any."""
        return []

    @property
    def in_tree(self) -> Any:
        """The tree of the primals."""
        return self._plan.in_tree

    @property
    def out_tree(self) -> Any:
        """The tree of the output."""
        return self._plan.out_tree

    @property
    def out_nzs(self) -> Any:
        """Which outputs move at all, in a tree like the output."""
        return self._plan.out_tree.unflatten(self._plan.nonzero)

    @property
    def fun(self) -> str:
        """Which function this is the pullback of."""
        return self._plan.fun_name

    def __repr__(self) -> str:
        return f"<VJP of {self._plan.fun_name}>"


def _flatten(vjp_fun: VJP) -> tuple[tuple[Any, ...], _Plan]:
    vjp_fun._split()
    return (vjp_fun._args, vjp_fun._opaque, []), vjp_fun._plan


def _unflatten(plan: _Plan, children: Any) -> VJP:
    vjp_fun = object.__new__(VJP)
    vjp_fun._recording, vjp_fun._plan = None, plan
    vjp_fun._arg_ids, vjp_fun._saveable = [], None
    vjp_fun._args, vjp_fun._opaque, _ = children
    return vjp_fun


tree.register_pytree_node(VJP, _flatten, _unflatten)


def _check_slot(slot: Any, aval: Any) -> None:
    if isinstance(slot, GradValue | DontWant):
        return
    expected, found = aval.to_tangent_aval(), typeof(slot)
    if not is_ref_type(found) or (found.shape, found.dtype) != (
        expected.shape,
        expected.dtype,
    ):
        raise ArgumentValueError(
            f"The gradient of an argument of type {aval} goes into a ref of that type, "
            "`GradValue()` or `DontWant()`.",
            f"Found {slot!r}.",
        )


def _place(slot: Any, x_bar: Any) -> Any:
    if isinstance(slot, GradValue):
        return x_bar
    if isinstance(slot, DontWant):
        return DidntWant()
    slot[...] = slot[...] + x_bar
    return GradRef()


def _is_zero(x: Any) -> bool:
    return isinstance(x, ad.Zero)


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
    saveable_args: Any = True,
    in_nzs: Any = None,
) -> tuple[Any, ...]:
    """The value of `fun` at `primals` and its pullback.

    Returns (y, f_vjp), and aux if `has_aux`. `f_vjp(y_bar)` takes a cotangent with the
    tree and types of y and returns a tuple of cotangents, one per primal; that of an
    integer is a float0 array. It is a pytree of residuals.

    saveable_args: a prefix of the tuple of primals with False for those that `f_vjp`
    must not hold; they are put into `f_vjp.args_res` before it is called. in_nzs: a
    prefix with False for primals that are constants.

    Raises:
        TypeError: a primal is no array. ValueError: a prefix does not fit, or, when
        called, the cotangent's tree or types.

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
    check_inputs("vjp", fun, x_flat, primals)
    values = as_values(x_flat)
    recording, aux = record(
        fun,
        values,
        lambda leaves: (tree.unflatten(in_tree, leaves), {}),
        api="vjp",
        has_aux=has_aux,
        moves=moving_leaves("vjp", in_nzs, in_tree),
    )
    y = recording.out_tree.unflatten([present(y) for y in recording.primals_out])
    saveable = None
    if saveable_args is not True:
        saveable = flags_of("vjp", "saveable_args", saveable_args, in_tree)
    f_vjp = VJP(recording, values, in_tree, source_of(fun), saveable)
    return (y, f_vjp, aux) if has_aux else (y, f_vjp)


def fwd_and_bwd(
    fun: Callable[..., Any],
    argnums: int | Sequence[int],
    has_aux: bool = False,
    jitted: bool = True,
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """`vjp` in two functions: `fwd(*args) -> (y, f_vjp)` and `bwd(f_vjp, y_bar)`.

    argnums: the arguments `bwd` gives cotangents of, alone for an int, else in a tuple.
    has_aux: `fun` returns (output, aux), and `fwd` aux as well. jitted: both are.

    >>> import minijax as mj
    >>> fwd, bwd = mj.fwd_and_bwd(lambda x, y: x * y, argnums=1)
    >>> y, residuals = fwd(2.0, 3.0)
    >>> print(bwd(residuals, 1.0))
    2.0
    """
    positions = argument_positions("fwd_and_bwd", fun, argnums, ())

    def fwd(*args: Any, **kwargs: Any) -> Any:
        chosen = positions.of(args)
        part = restricted(fun, args, kwargs, chosen)
        return vjp(part, *[args[i] for i in chosen], has_aux=has_aux)

    def bwd(f_vjp: VJP, y_bar: Any) -> Any:
        x_bars = f_vjp(y_bar)
        return x_bars[0] if positions.single else x_bars

    return (jit(fwd), jit(bwd)) if jitted else (fwd, bwd)
