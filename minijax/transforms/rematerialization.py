"""checkpoint (remat): compute intermediate values again instead of keeping them.

The function is traced to a program, which is bound as one `remat2`; what that means is
said in `recomputation`.

Source: spec/ad.md §1.13.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, NamedTuple

from .. import tree
from ..base.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    NotAnArrayError,
    NotAnArrayResultError,
    TracerBoolConversionError,
)
from ..base.util import memoize_weakly
from ..core import (
    Closure,
    Jaxpr,
    Tracer,
    argument_names,
    debug_info,
    is_array_type,
    source_of,
    stage,
    typeof,
)
from .differentiation import require_callable
from .recomputation import Policy, remat2_p


def checkpoint[F: Callable[..., Any]](
    fun: F,
    *,
    prevent_cse: bool | Sequence[bool] = True,
    policy: Policy = None,
    static_argnums: int | tuple[int, ...] = (),
    static_argnames: str | Iterable[str] = (),
) -> F:
    """`fun`, of which reverse mode keeps the arguments and computes the rest again.

    policy: says which intermediate values are kept all the same: one of
    `checkpoint_policies`, or `policy(primitive, *avals, **params)` that answers True,
    False, or `Saveable`, `Recompute`, `Offloadable(src, dst)`. prevent_cse: keep the
    compiler from merging the second computation with the first; False is right inside
    a `scan`, which does that by itself; a sequence says it per argument.
    static_argnums: positions of arguments that are not arrays. static_argnames: has no
    effect.

    >>> import minijax as mj, minijax.numpy as jnp
    >>> f = mj.checkpoint(lambda x: jnp.sin(jnp.sin(x)))
    >>> print(mj.grad(f)(0.0))
    1.0

    Raises:
      TypeError: `prevent_cse`, `policy` or `static_argnums` is of another type; when
        called: an argument or result is no array. ValueError (when called): a static
        position that no argument has.
    """
    require_callable("checkpoint", fun)
    if not isinstance(prevent_cse, bool | Sequence):
        raise ArgumentTypeError(
            "`prevent_cse` of checkpoint must be a bool, or a sequence with one each.",
            f"Found {prevent_cse!r} of type {type(prevent_cse).__name__}.",
        )

    @functools.wraps(fun)
    def rematerialized(*args: Any, **kwargs: Any) -> Any:
        fixed = _static_arguments(args, static_argnums)
        moving = tuple([x for i, x in enumerate(args) if i not in fixed])
        leaves, in_tree = tree.flatten((moving, kwargs))
        avals = _avals(fun, leaves, args, kwargs, fixed)
        body = _traced(fun, fixed, len(args), in_tree, avals)
        flags = prevent_cse
        if not isinstance(flags, bool):
            spread = tree.broadcast_prefix(tuple(flags), moving)
            rest = len(leaves) - len(spread)
            flags = (*[True] * len(body.consts), *spread, *[True] * rest)
        outs = remat2_p.bind(
            *body.consts,
            *leaves,
            jaxpr=body.jaxpr,
            prevent_cse=flags,
            differentiated=False,
            policy=policy,
        )
        return tree.unflatten(body.out_tree, outs)

    return rematerialized  # type: ignore[return-value]


def remat[F: Callable[..., Any]](
    fun: F,
    *,
    prevent_cse: bool | Sequence[bool] = True,
    policy: Policy = None,
    static_argnums: int | tuple[int, ...] = (),
) -> F:
    """The same as `checkpoint`.

    >>> import minijax as mj, minijax.numpy as jnp
    >>> print(mj.grad(mj.remat(jnp.sin))(0.0))
    1.0
    """
    return checkpoint(
        fun, prevent_cse=prevent_cse, policy=policy, static_argnums=static_argnums
    )


# --- Tracing --------------------------------------------------------------------------


class _Body(NamedTuple):
    """A traced function: values closed over ++ leaves -> results."""

    jaxpr: Jaxpr
    consts: tuple[Any, ...]
    out_tree: Any
    closure: Closure


def _static_arguments(args: Sequence[Any], positions: Any) -> dict[int, Any]:
    if isinstance(positions, int):
        positions = (positions,)
    if not isinstance(positions, tuple) or not all(
        isinstance(i, int) for i in positions
    ):
        raise ArgumentTypeError(
            "`static_argnums` of checkpoint must be an int or a tuple of ints.",
            f"Found {positions!r}.",
        )
    count = len(args)
    if not all(-count <= i < count for i in positions):
        raise ArgumentValueError(
            "`static_argnums` of checkpoint must be positions of the call's arguments.",
            f"Found {positions} with {count} positional arguments.",
            "Pass static arguments by position.",
        )
    return {i % count: args[i] for i in positions}


def _avals(
    fun: Callable[..., Any],
    leaves: Sequence[Any],
    args: Sequence[Any],
    kwargs: dict[str, Any],
    fixed: Collection[int],
) -> tuple[Any, ...]:
    for number, x in enumerate(leaves):
        if not is_array_type(x):
            raise NotAnArrayError(
                type(x).__name__,
                function=f"{source_of(fun)}, under checkpoint,",
                path=argument_names(fun, args, kwargs, fixed)[number],
                value=repr(x)[:80],
                do="If it is no array, name its position in `static_argnums`.",
            )
    return tuple([typeof(x) for x in leaves])


def _traced(
    fun: Callable[..., Any],
    fixed: dict[int, Any],
    count: int,
    in_tree: Any,
    avals: tuple[Any, ...],
) -> _Body:
    static = tuple(fixed.items())
    try:
        weakref.ref(fun)
        hash((fun, static))
    except TypeError:
        return _trace(fun, static, count, in_tree, avals)
    body = _kept(fun, static, count, in_tree, avals)
    # As for the functions of loops and branches: it may close over other values now.
    if body.closure.has_changed(fun) or any(
        isinstance(x, Tracer) and not x.owner.alive for x in body.consts
    ):
        _kept.evict_weakref(fun)
        body = _kept(fun, static, count, in_tree, avals)
    return body


def _trace(
    fun: Callable[..., Any],
    static: tuple[tuple[int, Any], ...],
    count: int,
    in_tree: Any,
    avals: tuple[Any, ...],
) -> _Body:
    fixed = dict(static)

    def call_arguments(leaves: Sequence[Any]) -> tuple[list[Any], dict[str, Any]]:
        moving, kwargs = tree.unflatten(in_tree, leaves)
        given = iter(moving)
        return [fixed[i] if i in fixed else next(given) for i in range(count)], kwargs

    out_tree = None

    def flat(*leaves: Any) -> list[Any]:
        nonlocal out_tree
        args, kwargs = call_arguments(leaves)
        results, out_tree = tree.flatten(fun(*args, **kwargs))
        for x in results:
            if not is_array_type(x):
                raise NotAnArrayResultError(
                    type(x).__name__, function=source_of(fun), by="checkpoint"
                )
        return results

    args, kwargs = call_arguments([0] * len(avals))
    info = debug_info("checkpoint", fun, args, kwargs, tuple(fixed))
    try:
        jaxpr = stage(flat, avals, debug_info=info)
    except TracerBoolConversionError as error:
        error.add_note("Arguments that decide the flow belong in `static_argnums`.")
        raise
    return _Body(jaxpr.with_consts(()), jaxpr.consts, out_tree, Closure(fun))


_kept = memoize_weakly(maxsize=4096)(_trace)
