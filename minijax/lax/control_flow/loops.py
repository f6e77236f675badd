"""while_loop and fori_loop: repetition.

`fori_loop` is a scan where its bounds are known, so it has a reverse mode there, and a
while where they are traced.

Source: spec/control_flow.md §§2, 3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ... import tree
from ...base import dtypes, flags
from ...base.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    ConcretizationTypeError,
)
from ...core import Literal, Tracer, is_array_type, typeof
from ..arithmetic import add
from ..comparisons import lt
from ..conversions import convert
from ..generation import scalar_like
from .agreement import check_carry
from .rearranging import chosen, rearranged
from .repeating import Loop, bind_while
from .scans import Scan, run_scan
from .tracing import (
    DIRECTLY,
    Body,
    Calling,
    as_array,
    avals_of,
    check_callable,
    check_effects,
    kept_with_bodies,
    promoted,
    traced,
)

if TYPE_CHECKING:
    from ..typing import ArrayLike


def while_loop[T](
    cond_fun: Callable[[T], Any], body_fun: Callable[[T], T], init_val: T
) -> T:
    """Apply `body_fun` again and again, as long as `cond_fun` of the value holds.

    The value is a pytree whose structure, shapes and dtypes stay the same; weakly typed
    leaves of `init_val` take the dtype that the body gives them. Both functions are
    traced. There is no reverse mode: use `scan` for that.

    >>> import minijax as mj
    >>> print(mj.lax.while_loop(lambda x: x < 100, lambda x: x * 3, 1))
    243

    Raises:
      TypeError: a function is no function, a leaf is no array, `cond_fun` returns
        anything but a boolean scalar, or the body changes structure or types.
    """
    check_callable("while_loop", "cond_fun", cond_fun)
    check_callable("while_loop", "body_fun", body_fun)
    if flags.disable_jit.value:
        try:
            return _while_in_python(cond_fun, body_fun, init_val)
        except ConcretizationTypeError:
            pass  # a traced predicate, as under vmap: the primitive does it
    functions = _Functions((cond_fun, DIRECTLY), (body_fun, DIRECTLY), "while_loop")
    return _while(functions, init_val)


def _while_in_python(cond_fun: Any, body_fun: Any, value: Any) -> Any:
    value = tree.map(as_array, value)
    while bool(cond_fun(value)):
        value = tree.map(as_array, body_fun(value))
    return value


class _Functions(NamedTuple):
    """The predicate and the body, each with how it is called."""

    cond: tuple[Callable[..., Any], Calling]
    body: tuple[Callable[..., Any], Calling]
    api: str


class _Plan(NamedTuple):
    """A traced loop, ready to be bound.

    in_avals: types that the initial leaves must have; if the functions were traced for
    others, the rest is void. carried: per leaf, whether it is carried; the others are
    constants of the body.
    """

    loop: Loop | None
    in_avals: tuple[Any, ...]
    carried: tuple[bool, ...]
    out_tree: Any


def _while(functions: _Functions, init_val: Any) -> Any:
    leaves, in_tree = tree.flatten((init_val,))
    avals = avals_of(functions.api, "init_val", init_val, leaves)
    (cond_fun, cond_call), (body_fun, body_call) = functions.cond, functions.body
    in_avals = avals
    while True:
        cond = traced(functions.api, cond_fun, cond_call, in_tree, in_avals)
        body = traced(functions.api, body_fun, body_call, in_tree, in_avals)
        plan = _plan(cond, body)
        if plan.in_avals == in_avals:
            break
        in_avals = plan.in_avals
    assert plan.loop is not None
    init = [
        x if was is now else convert(x, now.dtype, now.weak_type)
        for x, was, now in zip(leaves, avals, plan.in_avals, strict=True)
    ]
    fixed = [x for x, moves in zip(leaves, plan.carried, strict=True) if not moves]
    outs = iter(
        bind_while(
            plan.loop, cond.consts, [*fixed, *body.consts], chosen(init, plan.carried)
        )
    )
    results = [
        next(outs) if moves else x
        for x, moves in zip(leaves, plan.carried, strict=True)
    ]
    return tree.unflatten(plan.out_tree, results)


@kept_with_bodies
def _plan(cond: Body, body: Body) -> _Plan:
    _check_predicate(cond)
    avals, out_avals = body.in_avals, body.jaxpr.out_avals
    wanted = promoted(avals, out_avals)
    if wanted != avals:
        return _Plan(None, wanted, (), None)
    (value_tree,) = body.in_tree.children()
    check_carry(body, value_tree, body.out_tree, len(avals))
    check_effects(body.api, cond.jaxpr, body.jaxpr)
    return _without_fixed(cond, body, avals)


def _check_predicate(cond: Body) -> None:
    avals = cond.jaxpr.out_avals
    what = f"The predicate of {cond.api}, {cond.source}, must return a boolean scalar."
    if not tree.treedef_is_leaf(cond.out_tree) or len(avals) != 1:
        raise ArgumentTypeError(what, f"Found the structure {cond.out_tree}.")
    if avals[0].shape or avals[0].dtype != dtypes.BOOL:
        raise ArgumentTypeError(what, f"Found the type {avals[0].str_short()}.")


def _without_fixed(cond: Body, body: Body, avals: tuple[Any, ...]) -> _Plan:
    """Make constants of carries that the body returns as they are, unread by cond."""
    read = {x for eqn in cond.jaxpr.eqns for x in eqn.invars if type(x) is not Literal}
    read.update(x for x in cond.jaxpr.outvars if type(x) is not Literal)
    cond_carry = cond.jaxpr.invars[len(cond.consts) :]
    body_consts, body_carry = _cut(body.jaxpr.invars, len(body.consts))
    moves = tuple(
        [
            after is not before or var in read
            for before, after, var in zip(
                body_carry, body.jaxpr.outvars, cond_carry, strict=True
            )
        ]
    )
    fixed = [var for var, moving in zip(body_carry, moves, strict=True) if not moving]
    cond_jaxpr, body_jaxpr = cond.jaxpr, body.jaxpr
    if fixed:
        cond_jaxpr = rearranged(
            cond_jaxpr,
            [*cond_jaxpr.invars[: len(cond.consts)], *chosen(cond_carry, moves)],
        )
        body_jaxpr = rearranged(
            body_jaxpr,
            [*fixed, *body_consts, *chosen(body_carry, moves)],
            chosen(body_jaxpr.outvars, moves),
        )
    loop = Loop(cond_jaxpr, body_jaxpr, len(cond.consts), len(fixed) + len(body_consts))
    return _Plan(loop, avals, moves, body.out_tree)


def _cut(items: Sequence[Any], count: int) -> tuple[Sequence[Any], Sequence[Any]]:
    return items[:count], items[count:]


# --- fori_loop ------------------------------------------------------------------------


def fori_loop[T](
    lower: ArrayLike,
    upper: ArrayLike,
    body_fun: Callable[[Any, T], T],
    init_val: T,
    *,
    unroll: int | bool | None = None,
) -> T:
    """Apply `val = body_fun(i, val)` for i from `lower` up to, not including, `upper`.

    With bounds known while tracing this is a `scan`, which has a reverse mode; with
    traced bounds it is a `while_loop`. unroll: steps per trip, as in `scan`; only with
    known bounds.

    >>> import minijax as mj
    >>> print(mj.lax.fori_loop(0, 5, lambda i, total: total + i, 0))
    10

    Raises:
      TypeError: `body_fun` is no function, the bounds are no scalars of one dtype, or
        the body changes the structure or types of the value.
      ValueError: `unroll` with traced bounds.
    """
    check_callable("fori_loop", "body_fun", body_fun)
    dtype = _bounds_dtype(lower, upper)
    first, last = _known_bound(lower), _known_bound(upper)
    if first is not None and last is not None:
        length = max(last - first, 0)
        if flags.disable_jit.value and not length:
            return init_val
        steps = Scan(body_fun, _COUNTED_STEP, "fori_loop")
        options = length, False, False if unroll is None else unroll
        (_, result), _ = run_scan(steps, (first, init_val), None, *options)
        return result
    if unroll is not None and unroll is not False and unroll != 1:
        raise ArgumentValueError(
            "`unroll` of fori_loop needs bounds that are known while tracing.",
            f"Found unroll={unroll} and bounds {lower} and {upper}.",
            "Make them Python numbers (static arguments of jit), or leave it out.",
        )
    start, stop = _in_dtype(lower, dtype), _in_dtype(upper, dtype)
    if flags.disable_jit.value:
        try:
            return _while_in_python(
                lambda state: state[0] < state[1],
                lambda state: _COUNTED.run(body_fun, state),
                (start, stop, init_val),
            )[2]
        except ConcretizationTypeError:
            pass
    functions = _Functions((_below, DIRECTLY), (body_fun, _COUNTED), "fori_loop")
    return _while(functions, (start, stop, init_val))[2]


def _in_dtype(x: Any, dtype: Any) -> Any:
    return x if typeof(x).dtype == dtype else convert(x, dtype)


def _below(state: tuple[Any, Any, Any]) -> Any:
    return lt(state[0], state[1])


def _run_counted(body_fun: Any, state: Any) -> Any:
    i, upper, value = state
    return add(i, scalar_like(i, 1)), upper, body_fun(i, value)


_COUNTED = Calling(_run_counted, lambda state: (state[0], state[2]))


def _run_counted_step(body_fun: Any, state: Any, _: Any) -> Any:
    i, value = state
    after = i + 1 if type(i) is int else add(i, scalar_like(i, 1))
    return (after, body_fun(i, value)), None


_COUNTED_STEP = Calling(_run_counted_step, lambda state, _: state)


def _bounds_dtype(lower: Any, upper: Any) -> Any:
    what = "The bounds of fori_loop must be scalars of one dtype."
    avals = []
    for x in (lower, upper):
        if not is_array_type(x):
            raise ArgumentTypeError(what, f"Found {x!r} of type {type(x).__name__}.")
        avals.append(typeof(x))
    low, high = avals
    if low.shape or high.shape:
        raise ArgumentTypeError(what, f"Found shapes {low.shape} and {high.shape}.")
    if low.dtype == high.dtype:
        return low.dtype
    signed = low.dtype in dtypes.SIGNED and high.dtype in dtypes.SIGNED
    if signed and low.weak_type is not high.weak_type:
        return high.dtype if low.weak_type else low.dtype
    found = f"{dtypes.name_of(low.dtype)} and {dtypes.name_of(high.dtype)}"
    raise ArgumentTypeError(what, f"Found {found}.", "Convert one of them.")


def _known_bound(x: Any) -> int | None:
    """The value of a bound if it is known while tracing."""
    if isinstance(x, Tracer):
        return None
    if type(x) is int:
        dtypes.check_int_fits(x, typeof(x).dtype, "bound of fori_loop")
    return int(x)
