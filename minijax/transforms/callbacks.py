"""`pure_callback` and `io_callback`: Python functions called from inside a program.

A pure callback is a function of its arguments, which the program may call once, often,
or not at all. An IO callback is called exactly as often as the program says, and in its
order if `ordered`.

Source: spec/lowering.md §8, spec/ad.md §4.5, spec/batching.md §10.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import lowering, tree
from ..base.errors import ArgumentValueError, NotSupportedError, PrimitiveOperandError
from ..core import Effects, Primitive, is_array_type
from ..interpreters import batching
from ..lax import define, scan
from ..sharding import Sharding
from .host_calls import (
    IO,
    ORDERED_IO,
    FlatCallback,
    check_callback,
    on_host,
    result_avals,
    results_now,
)

type Function = Callable[..., Any]

pure_callback_p = Primitive("pure_callback", multiple_results=True, holds_programs=True)
io_callback_p = Primitive("io_callback", multiple_results=True, holds_programs=True)

VMAP_METHODS = (
    *("sequential", "sequential_unrolled", "expand_dims", "broadcast_all"),
    *("legacy_vectorized", None),
)


# --- The functions --------------------------------------------------------------------


def pure_callback(
    callback: Function,
    result_shape_dtypes: Any,
    *args: Any,
    sharding: Sharding | None = None,
    vmap_method: str | None = None,
    **kwargs: Any,
) -> Any:
    """Call a Python function without side effects, with arrays.

    result_shape_dtypes: a tree of what it returns, by shape and dtype. vmap_method: how
    many examples are handled: "sequential", one call each; "broadcast_all", one call,
    every argument with a leading axis; "expand_dims", the same, with size 1 for what is
    not mapped. Without it `vmap` is refused.

    Raises:
        TypeError: no function, or an argument is no array.
        ValueError: an unknown vmap_method; differentiation.
        JaxRuntimeError: it raised, or returned what it did not promise.

    >>> import minijax as mj, numpy as np
    >>> out = mj.ShapeDtypeStruct((3,), "float32")
    >>> f = mj.jit(lambda x: mj.pure_callback(np.cumsum, out, x))
    >>> f(np.ones(3, "float32"))
    Array([1., 2., 3.], dtype=float32)
    """
    if vmap_method not in VMAP_METHODS:
        raise ArgumentValueError(
            f"vmap_method is one of {', '.join(map(repr, VMAP_METHODS))}.",
            f"Found {vmap_method!r}.",
        )
    params = {"sharding": sharding, "vmap_method": vmap_method}
    return _call(pure_callback_p, callback, result_shape_dtypes, args, kwargs, params)


def io_callback(
    callback: Function,
    result_shape_dtypes: Any,
    *args: Any,
    sharding: Sharding | None = None,
    ordered: bool = False,
    **kwargs: Any,
) -> Any:
    """Call a Python function for its effect on the world, with arrays.

    result_shape_dtypes: a tree of what it returns, by shape and dtype; None for
    nothing. ordered: calls happen in the order in which the program is written, and
    programs are called.

    Raises:
        TypeError: no function, or an argument is no array.
        ValueError: differentiation, or `vmap` of an ordered one.
        JaxRuntimeError: it raised, or returned what it did not promise.

    >>> import minijax as mj
    >>> from minijax.experimental import io_callback
    >>> seen = []
    >>> f = mj.jit(lambda x: io_callback(lambda x: seen.append(int(x)), None, x))
    >>> f(3); mj.effects_barrier(); seen
    [3]
    """
    params = {"sharding": sharding, "ordered": bool(ordered)}
    return _call(io_callback_p, callback, result_shape_dtypes, args, kwargs, params)


def _call(
    primitive: Primitive,
    callback: Callable[..., Any],
    specs: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    params: dict[str, Any],
) -> Any:
    check_callback(primitive.name, callback)
    leaves, in_tree = tree.flatten((args, kwargs))
    for position, leaf in enumerate(leaves):
        if not is_array_type(leaf):
            raise PrimitiveOperandError(primitive.name, position, type(leaf).__name__)
    flat_specs, out_tree = tree.flatten(specs)
    outs = primitive.bind(
        *leaves,
        callback=FlatCallback(callback, in_tree),
        result_avals=result_avals(flat_specs),
        **params,
    )
    return out_tree.unflatten(outs)


# --- Their rules ----------------------------------------------------------------------


def _types(*avals: Any, result_avals: tuple[Any, ...], **params: Any) -> list[Any]:
    return list(result_avals)


def _no_derivative(what: str, do: str) -> Callable[..., Any]:
    def refuse(*args: Any, **params: Any) -> Any:
        raise ArgumentValueError(
            f"{what} is a Python function: its derivative is not known.", do=do
        )

    return refuse


_PURE = _no_derivative(
    "A pure callback",
    "Wrap the call in a function with `custom_jvp` or `custom_vjp`.",
)
_WORLD = _no_derivative(
    "An IO callback", "Keep it out of what is differentiated, or use `stop_gradient`."
)


def _one_by_one(
    primitive: Primitive,
    axis: Any,
    operands: Sequence[Any],
    axes: Sequence[Any],
    params: dict[str, Any],
    unroll: int = 1,
) -> tuple[list[Any], list[int]]:
    """One call per example, in a loop; what is not mapped is the same for all."""
    xs = [
        batching.moveaxis(x, place, 0)
        for x, place in zip(operands, axes, strict=True)
        if place is not None
    ]

    def body(carry: Any, examples: Sequence[Any]) -> Any:
        mapped = iter(examples)
        values = [
            x if place is None else next(mapped)
            for x, place in zip(operands, axes, strict=True)
        ]
        return carry, primitive.bind(*values, **params)

    _, outs = scan(body, (), xs, length=axis.size, unroll=unroll)
    return outs, [0] * len(outs)


def _batch_pure(axis: Any, operands: Any, axes: Any, **params: Any) -> Any:
    method = params["vmap_method"]
    if method is None:
        raise NotSupportedError(
            "vmap of a pure callback needs to know how it handles many examples.",
            "Found vmap_method=None.",
            'Pass vmap_method="sequential" for one call each, or "broadcast_all" if '
            "the function takes a leading axis.",
        )
    if method.startswith("sequential"):
        unroll = axis.size if method == "sequential_unrolled" else 1
        return _one_by_one(pure_callback_p, axis, operands, axes, params, unroll)
    values = [
        _for_all(x, place, axis.size, method)
        for x, place in zip(operands, axes, strict=True)
    ]
    avals = tuple(
        [aval.update(shape=(axis.size, *aval.shape)) for aval in params["result_avals"]]
    )
    outs = pure_callback_p.bind(*values, **{**params, "result_avals": avals})
    return outs, [0] * len(outs)


def _for_all(x: Any, place: int | None, size: int, method: str) -> Any:
    if place is None and method == "legacy_vectorized":
        return x
    if place is None and method == "expand_dims":
        return batching.broadcast(x, 1, 0)
    return batching.at_front(x, place, size)


def _batch_io(axis: Any, operands: Any, axes: Any, **params: Any) -> Any:
    if params["ordered"]:
        raise ArgumentValueError(
            "vmap runs all examples at once: there is no order among them.",
            "Found an ordered IO callback.",
            "Loop with `lax.map` or `lax.scan`, or drop `ordered`.",
        )
    return _one_by_one(io_callback_p, axis, operands, axes, params)


def _run_pure(*operands: Any, callback: Any, result_avals: Any, **params: Any) -> Any:
    return results_now("pure_callback", callback, operands, result_avals, None)


def _run_io(*operands: Any, callback: Any, result_avals: Any, **params: Any) -> Any:
    effect = ORDERED_IO if params["ordered"] else IO
    return results_now("io_callback", callback, operands, result_avals, effect)


def _lower_pure(ctx: Any, *values: Any, callback: Any, **params: Any) -> list[Any]:
    return lowering.host_callback(
        ctx,
        on_host(callback, ctx.avals_out),
        values,
        ctx.avals_in,
        ctx.avals_out,
        has_side_effect=False,
    )


def _lower_io(ctx: Any, *values: Any, callback: Any, **params: Any) -> list[Any]:
    return lowering.host_callback(
        ctx,
        on_host(callback, ctx.avals_out),
        values,
        ctx.avals_in,
        ctx.avals_out,
        has_side_effect=True,
        effect=ORDERED_IO if params["ordered"] else None,
    )


def _io_effects(*avals: Any, ordered: bool, **params: Any) -> Effects:
    return frozenset({ORDERED_IO if ordered else IO})


define(
    pure_callback_p,
    abstract_eval=_types,
    jvp=_PURE,
    transpose=_PURE,
    batch=batching.with_axis(_batch_pure),
    lower=_lower_pure,
    impl=_run_pure,
)
define(
    io_callback_p,
    abstract_eval=_types,
    effects=_io_effects,
    jvp=_WORLD,
    transpose=_WORLD,
    batch=batching.with_axis(_batch_io),
    lower=_lower_io,
    impl=_run_io,
)
