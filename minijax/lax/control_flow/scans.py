"""scan: a function along the first axis, with a carry handed on.

Source: spec/control_flow.md §4.1.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ... import tree
from ...base import flags
from ...base.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    ConcretizationTypeError,
)
from ...core import Jaxpr, Literal, Tracer, is_array_type, typeof
from ..conversions import convert
from ..slicing import index_in_dim
from .agreement import check_carry
from .rearranging import chosen, rearranged
from .scanning import scan_p
from .stacking import stacked_leaves
from .tracing import (
    DIRECTLY,
    Body,
    Calling,
    as_array,
    avals_of,
    check_callable,
    check_effects,
    example_aval,
    kept_with_bodies,
    promoted,
    traced,
)


def scan[C, X, Y](
    f: Callable[[C, X], tuple[C, Y]],
    init: C,
    xs: X | None = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
    _split_transpose: bool = False,
) -> tuple[C, Y]:
    """Call `carry, y = f(carry, x)` for each slice x of `xs` along the first axis.

    Returns the last carry and the ys stacked along a new first axis. carry, x and y are
    pytrees; structure, shapes and dtypes of the carry stay the same, but weakly typed
    leaves of `init` take the dtype that `f` gives them. `f` is traced once.

    length: how many steps; needed where `xs` has no leaves. reverse: from the last
    slice to the first; each y still stands where its x does. unroll: steps per trip of
    the compiled loop; True or 0 for all of them.

    >>> import minijax as mj, minijax.numpy as jnp
    >>> total, sums = mj.lax.scan(lambda c, x: (c + x, c + x), 0.0, jnp.arange(4.0))
    >>> print(total, sums)
    6.0 [0. 1. 3. 6.]

    Raises:
      TypeError: `f` is no function or returns no pair, it changes the structure or
        types of the carry, or a leaf is no array.
      ValueError: sizes of first axes differ or are missing, or `unroll` is negative.
    """
    check_callable("scan", "f", f)
    return run_scan(Scan(f, DIRECTLY, "scan"), init, xs, length, reverse, unroll)


class Scan(NamedTuple):
    """A function to be scanned, how it is called, and for whom."""

    fun: Callable[..., Any]
    calling: Calling
    api: str


def run_scan(
    steps: Scan, init: Any, xs: Any, length: Any, reverse: Any, unroll: Any
) -> tuple[Any, Any]:
    """`scan`, for whoever calls the body in a way of its own."""
    leaves, in_tree = tree.flatten((init, xs))
    count = in_tree.children()[0].num_leaves
    init_leaves, xs_leaves = leaves[:count], leaves[count:]
    xs_avals = avals_of(steps.api, "xs", xs, xs_leaves)
    length = steps_along(steps.api, xs_leaves, length)
    if flags.disable_jit.value:
        return _scan_in_python(steps, init, (xs, xs_leaves), length, reverse)
    avals = avals_of(steps.api, "init", init, init_leaves)
    x_avals = [example_aval(aval) for aval in xs_avals]
    body, plan = _settled(steps, in_tree, (*avals, *x_avals))
    start = [
        x if was is now else convert(x, now.dtype, now.weak_type)
        for x, was, now in zip(init_leaves, avals, plan.in_avals)
    ]
    outs = iter(
        scan_p.bind(
            *(x for x, moves in zip(init_leaves, plan.carried) if not moves),
            *body.consts,
            *chosen(start, plan.carried),
            *xs_leaves,
            jaxpr=plan.jaxpr,
            length=length,
            num_carry=sum(plan.carried),
            num_consts=count - sum(plan.carried) + len(body.consts),
            reverse=bool(reverse),
            unroll=_unroll(unroll, length),
        )
    )
    carry = [next(outs) if m else x for x, m in zip(init_leaves, plan.carried)]
    ys = [next(outs) if i is None else as_array(xs_leaves[i]) for i in plan.scanned]
    return tree.unflatten(plan.out_tree, [*carry, *ys])


# --- Arguments ------------------------------------------------------------------------


def steps_along(api: str, xs_leaves: Sequence[Any], length: Any) -> int:
    """The number of steps: what is given, or the size of all first axes."""
    shapes = [shape_of(x) for x in xs_leaves]
    if any(not shape for shape in shapes):
        wrong = [x for x, shape in zip(xs_leaves, shapes, strict=True) if not shape]
        raise ArgumentValueError(
            f"Every leaf of xs of {api} must have a first axis to go along.",
            f"Found {', '.join(map(repr, wrong))}.",
            "Make an array of a list of numbers.",
        )
    sizes = [shape[0] for shape in shapes if shape]
    if length is not None:
        given = _given_length(api, length)
        if any(size != given for size in sizes):
            raise ArgumentValueError(
                f"`length` of {api} must be the size of the first axis of xs.",
                f"Found length={given} and sizes {', '.join(map(str, sizes))}.",
                "Leave `length` out.",
            )
        return given
    if not sizes:
        raise ArgumentValueError(
            f"{api} must know how many steps to make.",
            "Found neither a leaf in xs nor `length`.",
            "Give `length=`.",
        )
    if len(set(sizes)) > 1:
        raise ArgumentValueError(
            f"All leaves of xs of {api} must have a first axis of one size.",
            f"Found sizes {', '.join(map(str, sizes))}.",
        )
    return sizes[0]


def shape_of(x: Any) -> tuple[int, ...] | None:
    return typeof(x).shape if is_array_type(x) else None


def _given_length(api: str, length: Any) -> int:
    if isinstance(length, Tracer) and length.concrete() is None:
        raise ConcretizationTypeError(
            length,
            f"`length` of {api} must be known while tracing; `while_loop` and "
            "`fori_loop` take numbers of steps that are computed.",
        )
    try:
        given = int(length)
    except (TypeError, ValueError) as error:
        kind = ArgumentTypeError if isinstance(error, TypeError) else ArgumentValueError
        raise kind(
            f"`length` of {api} must be a number.", f"Found {length!r}."
        ) from error
    if given < 0:
        raise ArgumentValueError(
            f"`length` of {api} must not be negative.", f"Found {given}."
        )
    return given


def _unroll(unroll: Any, length: int) -> int:
    if isinstance(unroll, bool):
        return max(length, 1) if unroll else 1
    try:
        steps = operator.index(unroll)
    except TypeError as error:
        raise ArgumentTypeError(
            "`unroll` of scan must be a bool or a number of steps.",
            f"Found {unroll!r} of type {type(unroll).__name__}.",
        ) from error
    if steps < 0:
        raise ArgumentValueError(
            "`unroll` of scan must not be negative.", f"Found {steps}."
        )
    return steps


# --- Tracing --------------------------------------------------------------------------


class _Plan(NamedTuple):
    """A traced body, ready to be bound.

    in_avals: types that the arguments must have; if it was traced for others, the rest
    is void.
    carried: per leaf of the carry, whether it is carried; the others are constants.
    scanned: per leaf of y, the leaf of xs that it is, or None.
    """

    jaxpr: Jaxpr
    in_avals: tuple[Any, ...]
    carried: tuple[bool, ...]
    scanned: tuple[int | None, ...]
    out_tree: Any


def _settled(
    steps: Scan, in_tree: Any, in_avals: tuple[Any, ...]
) -> tuple[Body, _Plan]:
    """The body for types of the carry that it gives back."""
    while True:
        body = traced(steps.api, steps.fun, steps.calling, in_tree, in_avals)
        plan = _plan(body)
        if plan.in_avals == in_avals:
            return body, plan
        in_avals = plan.in_avals


@kept_with_bodies
def _plan(body: Body) -> _Plan:
    init_tree, carry_tree = body.in_tree.children()[0], _carry_tree(body)
    count, avals = init_tree.num_leaves, body.in_avals
    out_avals = body.jaxpr.out_avals[: carry_tree.num_leaves]
    wanted = (*promoted(avals[:count], out_avals), *avals[count:])
    if wanted != avals:
        return _Plan(body.jaxpr, wanted, (), (), None)
    check_carry(body, init_tree, carry_tree, count)
    check_effects(body.api, body.jaxpr)
    return _without_fixed(body, avals, count)


def _carry_tree(body: Body) -> Any:
    children = body.out_tree.children()
    node = body.out_tree.node_data()
    if node is None or node[0] not in (tuple, list) or len(children) != 2:
        shown = ", ".join(aval.str_short() for aval in body.jaxpr.out_avals)
        raise ArgumentTypeError(
            f"The {body.api} body {body.source} must return a pair: the next carry, "
            "and y.",
            f"Found {body.out_tree} of types ({shown}).",
            "Return `carry, None` if there is no y.",
        )
    return children[0]


def _without_fixed(body: Body, avals: tuple[Any, ...], count: int) -> _Plan:
    """Make constants of carries that stay as they are, and drop ys that are xs."""
    jaxpr, consts = body.jaxpr, len(body.consts)
    invars, outvars = jaxpr.invars, jaxpr.outvars
    carry, slices = invars[consts : consts + count], invars[consts + count :]
    moves = tuple(
        [
            after is not before
            for before, after in zip(carry, outvars[:count], strict=True)
        ]
    )
    number_of = {var: i for i, var in enumerate(slices)}
    scanned = tuple(
        [None if type(x) is Literal else number_of.get(x) for x in outvars[count:]]
    )
    if not all(moves) or any(i is not None for i in scanned):
        fixed = [var for var, moving in zip(carry, moves, strict=True) if not moving]
        ys = [x for x, i in zip(outvars[count:], scanned, strict=True) if i is None]
        jaxpr = rearranged(
            jaxpr,
            [*fixed, *invars[:consts], *chosen(carry, moves), *slices],
            [*chosen(outvars[:count], moves), *ys],
        )
    return _Plan(jaxpr, avals, moves, scanned, body.out_tree)


# --- Without compilation --------------------------------------------------------------


def _scan_in_python(
    steps: Scan, carry: Any, xs: tuple[Any, Sequence[Any]], length: int, reverse: bool
) -> tuple[Any, Any]:
    if not length:
        raise ArgumentValueError(
            f"{steps.api} without compilation runs its body in Python.",
            "Found length 0: it is never run, so the types of the ys are not known.",
            "Leave `disable_jit` for this call.",
        )
    whole, leaves = xs
    structure = tree.structure(whole)
    ys: list[Any] = [None] * length
    for i in reversed(range(length)) if reverse else range(length):
        row = [index_in_dim(x, i, 0, keepdims=False) for x in leaves]
        carry, ys[i] = steps.calling.run(
            steps.fun, carry, tree.unflatten(structure, row)
        )
    return carry, tree.map(lambda *rows: stacked_leaves(rows), *ys)
