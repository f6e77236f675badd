"""`reduce`: a reduction by any function, of several arrays at once.

Where the function is one of ours and the start is its neutral element, it is one of
the named reductions; everything knows those better.

Source: spec/control_flow.md §8, spec/ad.md §4.3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lowering
from ..base.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    NotSupportedError,
    ShapeMismatchError,
)
from ..core import (
    NOT_LINEAR,
    Jaxpr,
    Primitive,
    ShapedArray,
    Tracer,
    eval_jaxpr,
    stage,
    typeof,
)
from ..interpreters import ad, batching
from ..tree import tree_flatten, tree_unflatten
from .arithmetic import add, mul
from .bits import bitwise_and, bitwise_or, bitwise_xor
from .definition import define
from .elementwise import max, min
from .folding import jvp_of, reduce_by_tree
from .reductions import (
    all_bits_of,
    highest,
    lowest,
    one_of,
    reduce_and_p,
    reduce_max_p,
    reduce_min_p,
    reduce_or_p,
    reduce_prod_p,
    reduce_sum_p,
    reduce_xor_p,
    reduced_type,
    zero_of,
)
from .result_types import plain_ints
from .typing import check_axes

if TYPE_CHECKING:
    pass

__all__ = ["reduce", "reduce_p"]

reduce_p = Primitive("reduce", multiple_results=True, holds_programs=True)

# our function -> (its reduction, its neutral element for a dtype)
_NAMED: dict[Any, tuple[Primitive, Callable[[Any], Any]]] = {
    add: (reduce_sum_p, zero_of),
    mul: (reduce_prod_p, one_of),
    max: (reduce_max_p, lowest),
    min: (reduce_min_p, highest),
    bitwise_and: (reduce_and_p, all_bits_of),
    bitwise_or: (reduce_or_p, zero_of),
    bitwise_xor: (reduce_xor_p, zero_of),
}
_WITH_SHARDING = (reduce_sum_p, reduce_max_p, reduce_min_p)


def reduce(
    operands: Any,
    init_values: Any,
    computation: Callable[[Any, Any], Any],
    dimensions: Sequence[int],
    out_sharding: Any = None,
) -> Any:
    """Combine elements along axes in any order: T[*s], T[] -> T[*s without axes].

    operands, init_values: pytrees of arrays and scalars of one structure. computation:
    takes two such pytrees of scalars and returns one; it must be associative, and
    `init_values` its neutral element.

    >>> import minijax as mj, numpy as np
    >>> print(mj.lax.reduce(np.array([1, 2, 3]), 0, lambda x, y: x + y, (0,)))
    6

    Raises:
      TypeError: dtypes of operands, starts and results differ.
      ValueError: structures differ, a start is no scalar, or an axis is out of range.
      NotImplementedError: `computation` closes over a traced value.
    """
    xs, structure = tree_flatten(operands)
    inits, init_structure = tree_flatten(init_values)
    if structure != init_structure:
        raise ArgumentValueError(
            "reduce needs one start per operand, in the same structure.",
            f"Found {structure} and {init_structure}.",
        )
    if not xs:
        raise ArgumentValueError("reduce needs an operand.", f"Found {operands!r}.")
    if any(typeof(init).shape for init in inits):
        shapes = [typeof(init).shape for init in inits]
        raise ArgumentValueError(
            "reduce starts from scalars.", f"Found shapes {shapes}."
        )
    axes = plain_ints(dimensions)
    if len(xs) == 1:
        named = _named_reduction(computation, xs[0], inits[0])
        if named is not None:
            sharding = {"out_sharding": out_sharding} if named in _WITH_SHARDING else {}
            return tree_unflatten(structure, [named.bind(xs[0], axes=axes, **sharding)])
    jaxpr = _trace(computation, structure, inits)
    outs = reduce_p.bind(
        *xs, *inits, computation=computation, jaxpr=jaxpr, dimensions=axes
    )
    return tree_unflatten(structure, outs)


def _named_reduction(computation: Any, x: Any, init: Any) -> Primitive | None:
    try:
        named, neutral = _NAMED[computation]
    except (KeyError, TypeError):
        return None
    if isinstance(init, Tracer):
        return None
    return named if np.asarray(init) == neutral(typeof(x).dtype) else None


def _trace(computation: Any, structure: Any, inits: Sequence[Any]) -> Jaxpr:
    scalars = [typeof(init).strip_weak_type() for init in inits]
    count = len(inits)

    def flat(*args: Any) -> list[Any]:
        left, right = args[:count], args[count:]
        out = computation(
            tree_unflatten(structure, left), tree_unflatten(structure, right)
        )
        leaves, out_structure = tree_flatten(out)
        if out_structure != structure:
            raise ArgumentValueError(
                f"`computation` must return {structure}, like its arguments.",
                f"Found {out_structure}.",
            )
        return leaves

    jaxpr: Jaxpr = stage(flat, scalars * 2)
    if any(isinstance(const, Tracer) for const in jaxpr.consts):
        raise NotSupportedError(
            "The computation of a reduction is a function of two elements.",
            "Found a traced value from outside in it.",
        )
    return jaxpr


# --- rules ----------------------------------------------------------------------------


def _halves(items: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any]]:
    return items[: len(items) // 2], items[len(items) // 2 :]


def _reduce_type(
    *avals: ShapedArray, computation: Any, jaxpr: Jaxpr, dimensions: tuple[int, ...]
) -> list[ShapedArray]:
    xs, inits = _halves(avals)
    if any(x.shape != xs[0].shape for x in xs):
        raise ShapeMismatchError("reduce", [x.shape for x in xs])
    check_axes("reduce", dimensions, xs[0].ndim)
    outs: Any = jaxpr.out_avals
    for x, init, out in zip(xs, inits, outs, strict=True):
        if not x.dtype == init.dtype == out.dtype:
            raise ArgumentTypeError(
                "reduce needs one dtype for an operand, its start and its result.",
                f"Found {x.dtype}, {init.dtype} and {out.dtype}.",
            )
    return [
        reduced_type(x, dimensions, None).update(
            weak_type=x.weak_type and init.weak_type
        )
        for x, init in zip(xs, inits, strict=True)
    ]


def _reduce_jvp(
    primals: Any,
    tangents: Any,
    *,
    computation: Any,
    jaxpr: Jaxpr,
    dimensions: tuple[int, ...],
) -> tuple[list[Any], list[Any]]:
    (xs, inits), (x_dots, init_dots) = _halves(primals), _halves(tangents)
    if any(init_dot.__class__ is not ad.Zero for init_dot in init_dots):
        raise NotSupportedError(
            "reduce is differentiated with respect to its operands.",
            "Found a start that depends on what the derivative is taken of.",
        )

    def combine(left: list[Any], right: list[Any]) -> list[Any]:
        step = _batched(jaxpr, typeof(left[0]).shape)
        return eval_jaxpr(step, step.consts, *left, *right)

    def tree(*operands: Any) -> list[Any]:
        return reduce_by_tree(combine, operands, inits, dimensions)

    return jvp_of(tree, xs, x_dots)


def _batched(jaxpr: Jaxpr, shape: tuple[int, ...]) -> Jaxpr:
    """A program on scalars as one on arrays of `shape`."""
    for size in reversed(shape):
        axis = batching.BatchAxis(batching.UNNAMED, size)
        count = len(jaxpr.out_avals)
        jaxpr, _ = batching.batch_jaxpr(jaxpr, axis, (0,) * 2 * count, (0,) * count)
    return jaxpr


def _reduce_batch(
    operands: Any, axes: Any, *, dimensions: tuple[int, ...], **params: Any
) -> tuple[list[Any], list[int]]:
    (xs, inits), (x_axes, init_axes) = _halves(operands), _halves(axes)
    if any(axis is not None for axis in init_axes):
        raise NotSupportedError(
            "reduce is mapped over its operands.", "Found starts with a batch axis."
        )
    size = batching.size_of(xs, x_axes)
    xs = [batching.at_front(x, axis, size) for x, axis in zip(xs, x_axes, strict=True)]
    inner = batching.renumber(dimensions, past=0)
    outs = reduce_p.bind(*xs, *inits, dimensions=inner, **params)
    return outs, [0] * len(outs)


def _reduce_lower(
    ctx: Any,
    *values: Any,
    computation: Any,
    jaxpr: Jaxpr,
    dimensions: tuple[int, ...],
) -> Sequence[Any]:
    xs, inits = _halves(values)

    def body(inner: Any, *pairs: Any) -> Sequence[Any]:
        return inner.inline(jaxpr, pairs)

    return lowering.reduce(ctx, xs, inits, dimensions, ctx.avals_out, body)


define(
    reduce_p,
    abstract_eval=_reduce_type,
    jvp=_reduce_jvp,
    transpose=NOT_LINEAR,
    batch=_reduce_batch,
    lower=_reduce_lower,
)
