"""The primitives of keys: from seeds to keys, from keys to keys, from keys to bits.

Abstractly a key is one element. Lowered, its words are there, and the functions of its
generator are traced on them; arrays of keys map the functions over their axes.

Source: spec/random.md §8.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import lax, runtime
from ..base import dtypes
from ..base.errors import ArgumentTypeError
from ..core import (
    NOT_LINEAR,
    DebugInfo,
    Jaxpr,
    Primitive,
    ShapedArray,
    shaped,
    stage,
    typeof,
)
from ..interpreters import ad, batching
from ..lax import define
from ..lowering import Rule, physical_aval
from ..transforms import vmap
from .implementations import KeyDType, PRNGImpl, dtype_of, random_wrap_p
from .key_arrays import PRNGKeyArray, wrap, wrap_words

random_seed_p = Primitive("random_seed")
random_split_p = Primitive("random_split")
random_fold_in_p = Primitive("random_fold_in")
random_bits_p = Primitive("random_bits")
random_unwrap_p = Primitive("random_unwrap")
random_clone_p = Primitive("random_clone")

U32 = np.dtype(np.uint32)


def check_keys(function: str, aval: Any) -> PRNGImpl:
    """The generator of keys of this type.

    Raises:
      TypeError: it is no type of keys.
    """
    if isinstance(aval.dtype, KeyDType):
        return aval.dtype.impl
    raise ArgumentTypeError(f"{function} takes typed keys.", f"Found {aval}.")


def lower_words(fun: Callable[..., Any]) -> Rule:
    """A rule, traced inline, from a function `fun(avals, *words, **params)`."""

    def rule(ctx: Any, *values: Any, **params: Any) -> Sequence[Any]:
        jaxpr = ctx.module.traced(rule, trace, ctx.avals_in, params)
        return ctx.inline(jaxpr, values, made_here=True)

    def trace(avals: Sequence[Any], params: dict[str, Any]) -> Jaxpr:
        words = [physical_aval(aval) for aval in avals]
        info = DebugInfo("lowering", fun.__name__)
        return stage(lambda *xs: [fun(avals, *xs, **params)], words, debug_info=info)

    return rule


def mapped(fun: Callable[..., Any], ndim: int, in_axes: Any = 0) -> Callable[..., Any]:
    """`fun` over `ndim` leading axes."""
    for _ in range(ndim):
        fun = vmap(fun, in_axes=in_axes)
    return fun


# --- random_seed ----------------------------------------------------------------------


def _seed_type(seeds: ShapedArray, *, impl: PRNGImpl) -> ShapedArray:
    if seeds.dtype not in dtypes.INTEGERS:
        raise ArgumentTypeError("A seed is an integer.", f"Found {seeds}.")
    return shaped(seeds.shape, dtype_of(impl))


def _seed_words(avals: Any, seeds: Any, *, impl: PRNGImpl) -> Any:
    return mapped(impl.seed, typeof(seeds).ndim)(seeds)


define(
    random_seed_p,
    abstract_eval=_seed_type,
    jvp=ad.ZERO(random_seed_p),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(random_seed_p),
    lower=lower_words(_seed_words),
)


# --- random_split ---------------------------------------------------------------------


def _split_type(keys: ShapedArray, *, shape: tuple[int, ...]) -> ShapedArray:
    check_keys("random_split", keys)
    return shaped((*keys.shape, *shape), keys.dtype)


def _split_words(avals: Any, words: Any, *, shape: tuple[int, ...]) -> Any:
    (keys,) = avals
    return mapped(lambda one: keys.dtype.impl.split(one, shape), keys.ndim)(words)


define(
    random_split_p,
    abstract_eval=_split_type,
    jvp=ad.ZERO(random_split_p),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(random_split_p),
    lower=lower_words(_split_words),
)


# --- random_fold_in -------------------------------------------------------------------


def _fold_in_type(keys: ShapedArray, data: ShapedArray) -> ShapedArray:
    check_keys("random_fold_in", keys)
    if data.dtype != U32:
        raise ArgumentTypeError(
            "random_fold_in folds in words of type uint32.", f"Found {data}."
        )
    return shaped(lax.broadcast_shapes(keys.shape, data.shape), keys.dtype)


def _fold_in_words(avals: Any, words: Any, data: Any) -> Any:
    keys, numbers = avals
    fold_in = keys.dtype.impl.fold_in
    sizes = itertools.zip_longest(reversed(keys.shape), reversed(numbers.shape))
    # An operand without the axis, or with one of size 1, serves every place along it.
    for size, count in sizes:
        axes = (_axis(size, count), _axis(count, size))
        fold_in = _mapped_once(fold_in, axes)
    return fold_in(words, data)


def _axis(size: int | None, other: int | None) -> int | str | None:
    if size is None:
        return None
    return "only" if size == 1 and other not in (None, 1) else 0


def _mapped_once(fun: Callable[..., Any], axes: Sequence[Any]) -> Callable[..., Any]:
    over = vmap(fun, in_axes=tuple(None if axis == "only" else axis for axis in axes))

    def run(*xs: Any) -> Any:
        parts = [
            lax.index_in_dim(x, 0, keepdims=False) if axis == "only" else x
            for x, axis in zip(xs, axes, strict=True)
        ]
        return over(*parts)

    return run


define(
    random_fold_in_p,
    abstract_eval=_fold_in_type,
    jvp=ad.ZERO(random_fold_in_p),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(random_fold_in_p),
    lower=lower_words(_fold_in_words),
)


# --- random_bits ----------------------------------------------------------------------


def _bits_type(
    keys: ShapedArray, *, bit_width: int, shape: tuple[int, ...]
) -> ShapedArray:
    check_keys("random_bits", keys)
    return shaped((*keys.shape, *shape), np.dtype(f"uint{bit_width}"))


def _bits_words(
    avals: Any, words: Any, *, bit_width: int, shape: tuple[int, ...]
) -> Any:
    (keys,) = avals
    draw = keys.dtype.impl.random_bits
    return mapped(lambda one: draw(one, bit_width, shape), keys.ndim)(words)


define(
    random_bits_p,
    abstract_eval=_bits_type,
    jvp=ad.ZERO(random_bits_p),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(random_bits_p),
    lower=lower_words(_bits_words),
)


# --- random_wrap, random_unwrap, random_clone -----------------------------------------


def _wrap_type(words: ShapedArray, *, impl: PRNGImpl) -> ShapedArray:
    inner = len(impl.key_shape)
    shape = words.shape[: words.ndim - inner]
    if words.dtype != U32 or words.shape[len(shape) :] != impl.key_shape:
        raise ArgumentTypeError(
            f"Keys of {impl.name} are words of type uint32 whose last axes are "
            f"{impl.key_shape}.",
            f"Found {words}.",
            "Make a key with `random.key(seed)`.",
        )
    return shaped(shape, dtype_of(impl))


def _wrap(words: Any, *, impl: PRNGImpl) -> PRNGKeyArray:
    _wrap_type(typeof(words), impl=impl)
    return wrap_words(runtime.put(words), dtype_of(impl))


define(
    random_wrap_p,
    abstract_eval=_wrap_type,
    jvp=ad.ZERO(random_wrap_p),
    transpose=NOT_LINEAR,
    batch=batching.leading(random_wrap_p),
    lower=lambda ctx, words, *, impl: [words],
    impl=_wrap,
)


def _unwrap_type(keys: ShapedArray) -> ShapedArray:
    check_keys("random_unwrap", keys)
    return physical_aval(keys)


def _unwrap(keys: Any) -> Any:
    check_keys("random_unwrap", typeof(keys))
    return keys._words


define(
    random_unwrap_p,
    abstract_eval=_unwrap_type,
    jvp=ad.ZERO(random_unwrap_p),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(random_unwrap_p),
    lower=lambda ctx, keys: [keys],
    impl=_unwrap,
)


def _clone_type(keys: ShapedArray) -> ShapedArray:
    check_keys("random_clone", keys)
    return keys


define(
    random_clone_p,
    abstract_eval=_clone_type,
    jvp=ad.ZERO(random_clone_p),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(random_clone_p),
    lower=lambda ctx, keys: [keys],
    impl=lambda keys: wrap(keys._words, keys.aval),
)
