"""Orders and selections: permutation, choice.

Source: spec/random.md §11.7.
"""

from __future__ import annotations

import math
import operator
from typing import Any

from .. import lax
from ..base import dtypes
from ..base.errors import ArgumentTypeError, ArgumentValueError, ConcretizationTypeError
from ..base.util import canonicalize_axis
from ..core import Tracer, typeof
from ..lax import GatherDimensionNumbers, GatherScatterMode
from ..runtime import Array
from ..transforms import eager_jit, jit
from .arguments import cast, check_array, check_placement, scalar, shape_of
from .choices import gumbel_in, gumbel_mode
from .keys import one_key
from .primitives import random_bits_p
from .uniforms import integers_in, two_keys, uniform_in

_MOST_KEYS = 2**32 - 1


# --- permutation ----------------------------------------------------------------------


def permutation(
    key: Any,
    x: Any,
    axis: int = 0,
    independent: bool = False,
    *,
    out_sharding: Any = None,
) -> Array:
    """An array in a random order along one axis: key[], T[*s] -> T[*s].

    x: an array, or an integer n for the numbers up to n. independent: every line along
    the axis gets an order of its own.

    >>> import minijax as mj
    >>> sorted(mj.random.permutation(mj.random.key(0), 4).tolist())
    [0, 1, 2, 3]

    Raises:
      TypeError: no key, or `x` is neither an array nor an integer.
      ValueError: several keys, or `axis` is none of `x`.
    """
    key = one_key("permutation", key)
    check_placement("permutation", out_sharding)
    aval = check_array("permutation", "x", x)
    axis = canonicalize_axis(axis, max(aval.ndim, 1))
    if not aval.shape:
        return _shuffle_in(key, numbers(_count("permutation", "x", x, aval)), 0)
    if aval.ndim == 1 or independent:
        return _shuffle_in(key, x, axis)
    order = _shuffle_in(key, numbers(aval.shape[axis]), 0)
    return take(x, order, axis)


def _count(function: str, name: str, x: Any, aval: Any) -> int:
    if isinstance(x, Tracer):
        raise ConcretizationTypeError(
            x, f"`{name}` of random.{function} decides the shape of the result."
        )
    if aval.dtype not in dtypes.INTEGERS or isinstance(x, bool):
        raise ArgumentTypeError(
            f"`{name}` of random.{function} is an array or an integer.",
            f"Found {x!r} of type {aval}.",
        )
    return max(operator.index(x), 0)


def numbers(count: int) -> Any:
    """The numbers up to `count`, in the default integer dtype."""
    return lax.iota(dtypes.default_int(), count)


def _shuffle(key: Any, x: Any, axis: int) -> Any:
    # Keys of 32 bits repeat: sorting again by new ones makes that rare enough.
    size = max(1, typeof(x).size)
    for _ in range(math.ceil(3 * math.log(size) / math.log(_MOST_KEYS))):
        key, now = two_keys(key)
        places = random_bits_p.bind(now, bit_width=32, shape=typeof(x).shape)
        _, x = lax.sort_key_val(places, x, axis)
    return x


_shuffle_in = jit(_shuffle, static_argnums=2)


def _take(x: Any, indices: Any, axis: int) -> Any:
    shape, ndim = typeof(x).shape, typeof(indices).ndim
    places = lax.expand_dims(indices, (ndim,))
    offsets = (*range(axis), *range(axis + ndim, len(shape) + ndim - 1))
    return lax.gather(
        x,
        places,
        GatherDimensionNumbers(
            offset_dims=offsets, collapsed_slice_dims=(axis,), start_index_map=(axis,)
        ),
        slice_sizes=tuple(1 if i == axis else n for i, n in enumerate(shape)),
        mode=GatherScatterMode.PROMISE_IN_BOUNDS,
    )


# The elements at known places along an axis: T[*s], i[*t] -> T[.., *t, ..].
take = eager_jit(_take, static_argnums=2)


# --- choice ---------------------------------------------------------------------------


def choice(
    key: Any,
    a: Any,
    shape: Any = (),
    replace: bool = True,
    p: Any = None,
    axis: int = 0,
    mode: str | None = None,
) -> Array:
    """Elements of an array along one axis: key[], T[*s] -> T[.., *shape, ..].

    a: an array, or an integer n for the numbers up to n. replace: whether an element
    may be chosen again. p: the weights of the elements, by default equal.

    >>> import minijax as mj
    >>> mj.random.choice(mj.random.key(0), 10, (3,))
    Array([1, 6, 8], dtype=int32)

    Raises:
      TypeError: no key, or a list where an array is needed.
      ValueError: several keys, nothing to choose from, fewer elements than choices
        without replacement, or weights that do not fit.
    """
    key = one_key("choice", key)
    if not isinstance(shape, tuple | list):
        raise ArgumentTypeError(
            "`shape` of random.choice is a sequence of sizes.", f"Found {shape!r}."
        )
    shape, aval = shape_of(shape), check_array("choice", "a", a)
    weights = None if p is None else check_array("choice", "p", p)
    axis = canonicalize_axis(axis, max(aval.ndim, 1))
    count = aval.shape[axis] if aval.shape else _choices(a)
    draws = math.prod(shape)
    if not draws:
        kept = (*aval.shape[:axis], *shape, *aval.shape[axis + 1 :])
        dtype = aval.dtype if aval.shape else dtypes.default_int()
        return lax.full(kept, scalar(0, dtype))
    _check_choice(count, draws, replace=replace, weights=weights)
    if weights is None:
        return _choose_evenly(key, a, count, shape, axis, replace=replace)
    if replace:
        places = _choose_weighted(key, p, shape)
    else:
        places = _choose_distinct(key, p, shape, gumbel_mode(mode))
    return take(a, places, axis) if aval.shape else places


def _choices(a: Any) -> int:
    if isinstance(a, Tracer):
        raise ConcretizationTypeError(
            a, "`a` of random.choice says how many numbers there are."
        )
    return int(a)


def _check_choice(count: int, draws: int, *, replace: bool, weights: Any) -> None:
    if count <= 0:
        raise ArgumentValueError(
            "random.choice needs something to choose from.", f"Found {count} elements."
        )
    if not replace and draws > count:
        raise ArgumentValueError(
            "Choices without replacement are no more than there are elements.",
            f"Found {draws} choices from {count} elements.",
        )
    if weights is not None and weights.shape != (count,):
        raise ArgumentValueError(
            f"There is one weight per element: `p` has shape ({count},).",
            f"Found {weights.shape}.",
        )


def _choose_evenly(
    key: Any, a: Any, count: int, shape: Any, axis: int, *, replace: bool
) -> Any:
    is_array = typeof(a).shape
    if replace:
        places = integers_in(key, shape, dtypes.default_int(), 0, count)
        return take(a, places, axis) if is_array else places
    draws = math.prod(shape)
    ordered = permutation(key, a if is_array else count, axis)
    first = lax.slice_in_dim(ordered, 0, draws, axis=axis)
    sizes = typeof(first).shape
    return lax.reshape(first, (*sizes[:axis], *shape, *sizes[axis + 1 :]))


def _weights(p: Any) -> Any:
    return cast(p, dtypes.to_inexact_dtype(typeof(p).dtype))


def _weighted(key: Any, p: Any, shape: tuple[int, ...]) -> Any:
    total = lax.cumsum(_weights(p), axis=0)
    aval = typeof(total)
    last = lax.index_in_dim(total, aval.size - 1, keepdims=False)
    unit = uniform_in(key, shape, aval.dtype, 0.0, 1.0)
    goals = lax.mul(last, lax.sub(scalar(1, aval.dtype), unit))
    return _search(total, goals)


def _search(ordered: Any, goals: Any) -> Any:
    """How many elements lie before each goal: f[n], f[*s] -> i[*s], by bisection."""
    count, shape = typeof(ordered).size, typeof(goals).shape
    dtype = dtypes.default_int()
    low, high = lax.full(shape, scalar(0, dtype)), lax.full(shape, scalar(count, dtype))
    for _ in range(count.bit_length()):
        middle = lax.div(lax.add(low, high), scalar(2, dtype))
        at = lax.min(middle, scalar(count - 1, dtype))
        before = lax.lt(_take(ordered, at, 0), goals)
        is_open = lax.lt(low, high)
        low = lax.select(
            lax.bitwise_and(is_open, before), lax.add(middle, scalar(1, dtype)), low
        )
        high = lax.select(
            lax.bitwise_and(is_open, lax.bitwise_not(before)), middle, high
        )
    return low


def _distinct(key: Any, p: Any, shape: tuple[int, ...], mode: str) -> Any:
    logits = lax.log(_weights(p))
    aval = typeof(logits)
    noise = gumbel_in(key, aval.shape, aval.dtype, mode)
    _, places = lax.top_k(lax.add(noise, logits), math.prod(shape))
    return lax.reshape(cast(places, dtypes.default_int()), shape)


# Inside a program they leave no equation of their own.
_choose_weighted = eager_jit(_weighted, static_argnums=2)
_choose_distinct = eager_jit(_distinct, static_argnums=(2, 3))
