"""Counts: poisson, binomial, multinomial.

Two methods, one for few and one for many, run on the whole array from the same key;
each element takes the result of its own. The loops go on until every element accepts,
and a later acceptance overwrites an earlier one, so a value can depend on the array
around it.

Source: spec/random.md §11.9; W. Hörmann, The transformed rejection method for
generating Poisson random variables, 1993, and The generation of binomial random
variates, 1993.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import lax
from ..base import dtypes
from ..base.errors import ArgumentTypeError, ArgumentValueError, NotSupportedError
from ..core import typeof
from ..lax.control_flow import scan, while_loop
from ..runtime import Array
from ..transforms import eager_jit, jit
from .arguments import (
    cast,
    check_array,
    check_placement,
    float_dtype,
    int_dtype,
    joint_shape,
    optional_shape,
    scalar,
    stretch,
)
from .gammas import check_method
from .keys import one_key
from .poisson_formula import approximate_poisson
from .primitives import random_split_p
from .threefry import threefry_prng_impl
from .uniforms import split_keys, two_keys, uniform_in


def any_of(mask: Any) -> Any:
    """Whether an element is True: bool[*s] -> bool[]."""
    return lax.reduce_or(mask, tuple(range(typeof(mask).ndim)))


def _filled(x: Any, value: Any) -> Any:
    aval = typeof(x)
    return lax.full(aval.shape, scalar(value, aval.dtype))


# --- poisson --------------------------------------------------------------------------

_FEW = 10.0
# Stands in where the other method decides: any mean that it is quick for.
_MANY = 1e5


def poisson(
    key: Any,
    lam: Any,
    shape: Any = None,
    dtype: Any = None,
    *,
    method: str = "exact",
    out_sharding: Any = None,
) -> Array:
    """How often something of mean `lam` happens: key[] -> i[*shape].

    method: "exact", for keys of the default generator, or "approximate".

    Raises:
      TypeError: no key.
      ValueError: several keys, an unknown method, a dtype that is no integer, or a
        shape that `lam` does not fit.
      NotImplementedError: the exact method with another generator.
    """
    key = one_key("poisson", key)
    check_placement("poisson", out_sharding)
    check_method("poisson", method)
    impl = key.aval.dtype.impl
    if method == "exact" and impl != threefry_prng_impl:
        raise NotSupportedError(
            f"poisson is exact for keys of {threefry_prng_impl.name}.",
            f"Found a key of {impl.name}.",
            "Use `method='approximate'`.",
        )
    dtype = int_dtype("poisson", dtype)
    if dtype not in dtypes.INTEGERS:
        raise ArgumentValueError(
            "random.poisson makes integers.", f"Found dtype {dtypes.name_of(dtype)}."
        )
    draw = _poisson_in if method == "exact" else _approximate_in
    return draw(key, lam, optional_shape(shape), dtype)


def _poisson(key: Any, lam: Any, shape: Any, dtype: Any) -> Any:
    shape = joint_shape("poisson", shape, lam)
    lam = stretch(cast(lam, np.float32), shape)
    few = lax.bitwise_or(lax.ne(lam, lam), lax.lt(lam, np.float32(_FEW)))
    small = lax.select(few, lam, _filled(lam, 0))
    large = lax.select(few, _filled(lam, _MANY), lam)
    counted = _knuth(key, small, shape, dtype)
    accepted = _rejection(key, large, shape, dtype)
    drawn = lax.select(few, counted, accepted)
    none = lax.full(shape, scalar(0, dtype))
    return lax.select(lax.eq(lam, np.float32(0)), none, drawn)


def _poisson_knuth(key: Any, lam: Any, shape: Any, dtype: Any) -> Any:
    """Multiply uniform numbers until their product falls below exp(-lam)."""
    last = scalar(dtypes.iinfo(dtype).max, dtype)

    def goes_on(state: Any) -> Any:
        rounds, _, _, log_product = state
        return any_of(log_product > -lam) & (rounds < last)

    def again(state: Any) -> Any:
        rounds, count, key, log_product = state
        key, now = two_keys(key)
        above = log_product > -lam
        count = lax.select(above, count + scalar(1, dtype), count)
        unit = uniform_in(now, shape, np.dtype(np.float32), 0.0, 1.0)
        return rounds + scalar(1, dtype), count, key, log_product + lax.log(unit)

    start = lax.full(shape, scalar(0, dtype)), key, lax.full(shape, np.float32(0))
    _, count, _, _ = while_loop(goes_on, again, (scalar(0, dtype), *start))
    return count - scalar(1, dtype)


def _poisson_rejection(key: Any, lam: Any, shape: Any, dtype: Any) -> Any:
    f32, last = np.dtype(np.float32), scalar(dtypes.iinfo(dtype).max, dtype)
    log_lam = lax.log(lam)
    b = 0.931 + 2.53 * lax.sqrt(lam)
    a = -0.059 + 0.02483 * b
    inverse = 1.1239 + 1.1328 / (b - 3.4)
    right = 0.9277 - 3.6224 / (b - 2.0)

    def again(state: Any) -> Any:
        rounds, kept, accepted, key = state
        key, for_u, for_v = split_keys(key, 3)
        u = uniform_in(for_u, shape, f32, 0.0, 1.0) - 0.5
        v = uniform_in(for_v, shape, f32, 0.0, 1.0)
        u_shifted = 0.5 - lax.abs(u)
        k = lax.floor((2.0 * a / u_shifted + b) * u + lam + 0.43)
        s = lax.log(v * inverse / (a / (u_shifted * u_shifted) + b))
        bound = -lam + k * log_lam - lax.lgamma(k + 1.0)
        at_once = (u_shifted >= 0.07) & (v <= right)
        never = (k < 0.0) | ((u_shifted < 0.013) & (v > u_shifted))
        accepts = at_once | (~never & (s <= bound))
        kept = lax.select(accepts, k, kept)
        return rounds + scalar(1, dtype), kept, accepted | accepts, key

    def goes_on(state: Any) -> Any:
        rounds, _, accepted, _ = state
        return any_of(~accepted) & (rounds < last)

    start = lax.full(shape, np.float32(-1)), lax.full(shape, np.False_), key
    _, kept, _, _ = while_loop(goes_on, again, (scalar(0, dtype), *start))
    return cast(kept, dtype)


def _poisson_approx(key: Any, lam: Any, shape: Any, dtype: Any) -> Any:
    shape = joint_shape("poisson", shape, lam)
    wide = typeof(lam).dtype == np.float64 or dtype.itemsize == 8
    found = dtypes.canonicalize_dtype(np.float64 if wide else np.float32)
    lam = stretch(cast(lam, found), shape)
    return cast(approximate_poisson(key, lam), dtype)


_knuth = jit(_poisson_knuth, static_argnums=(2, 3))
_rejection = jit(_poisson_rejection, static_argnums=(2, 3))
_poisson_in = jit(_poisson, static_argnums=(2, 3))
_approximate_in = jit(_poisson_approx, static_argnums=(2, 3))


# --- binomial -------------------------------------------------------------------------


def binomial(key: Any, n: Any, p: Any, shape: Any = None, dtype: Any = None) -> Array:
    """How many of `n` trials succeed, each with chance `p`: key[] -> f[*shape].

    NaN where `n` is negative or `p` is no chance.

    Raises:
      TypeError: no key, or a list where an array is needed.
      ValueError: several keys, a dtype that is not floating-point, or a shape that the
        parameters do not fit.
    """
    key = one_key("binomial", key)
    check_array("binomial", "n", n)
    check_array("binomial", "p", p)
    dtype = float_dtype("binomial", dtype)
    return _binomial_in(key, n, p, optional_shape(shape), dtype)


def _binomial(key: Any, n: Any, p: Any, shape: Any, dtype: Any) -> Any:
    shape = joint_shape("binomial", shape, n, p)
    found = dtypes.to_inexact_dtype(typeof(p).dtype)
    p, n = (stretch(cast(x, found), shape) for x in (p, n))
    return cast(_binomial_of(key, n, p), dtype)


def _binomial_of(key: Any, n: Any, p: Any) -> Any:
    # Successes or failures are counted, whichever are fewer.
    is_rare = p < 0.5
    q = lax.select(is_rare, p, 1.0 - p)
    n_wrong = (n != n) | (n < 0.0)
    n_infinite = lax.eq(lax.abs(n), scalar(np.inf, typeof(n).dtype))
    q_nan, q_negative = q != q, q < 0.0
    q = lax.select(q_nan | q_negative, _filled(q, 0.01), q)
    few = n_wrong | ~(n * q > 10.0)
    n = lax.floor(n)
    # Infinitely many trials without a chance would be counted for ever.
    counted = _inversion(key, lax.select(few & ~n_infinite, n, _filled(n, 0)), q)
    many = lax.select(few, _filled(n, 1e4), n)
    accepted = _transformed(key, many, lax.select(few, _filled(q, 0.5), q))
    drawn = lax.select(few, counted, accepted)
    wrong = q_negative | q_nan | n_wrong
    drawn = lax.select(wrong, _filled(n, np.nan), drawn)
    drawn = lax.select(n_infinite & ~wrong, _filled(n, np.inf), drawn)
    stays = is_rare | n_wrong | q_nan | n_infinite
    return lax.select(stays, drawn, n - drawn)


def _inversion(key: Any, n: Any, q: Any) -> Any:
    """Add up waiting times between successes until they exceed the trials."""
    aval = typeof(n)
    log_failure = lax.log1p(-q)
    last = dtypes.finfo(aval.dtype).max

    def goes_on(state: Any) -> Any:
        rounds, _, total, _ = state
        return any_of(total <= n) & (cast(rounds, aval.dtype) < last)

    def again(state: Any) -> Any:
        rounds, count, total, key = state
        now, key = two_keys(key)
        count = lax.select(total <= n, count + 1.0, count)
        unit = uniform_in(now, aval.shape, aval.dtype, 0.0, 1.0)
        return rounds + 1, count, total + lax.ceil(lax.log(unit) / log_failure), key

    start = (np.int32(0), _filled(n, 0), _filled(n, 0), key)
    return while_loop(goes_on, again, start)[1] - 1.0


def _transformed(key: Any, n: Any, p: Any) -> Any:
    """Rejection from a transformed uniform number, for n p of at least 10."""
    aval = typeof(n)
    last = dtypes.finfo(aval.dtype).max
    deviation = lax.sqrt(n * p * (1.0 - p))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * p
    c = n * p + 0.5
    right = 0.92 - 4.2 / b
    odds = p / (1.0 - p)
    alpha = (2.83 + 5.1 / b) * deviation
    m = lax.floor((n + 1.0) * p)

    def again(state: Any) -> Any:
        rounds, kept, accepted, key = state
        key, for_u, for_v = split_keys(key, 3)
        u = uniform_in(for_u, aval.shape, aval.dtype, 0.0, 1.0)
        v = uniform_in(for_v, aval.shape, aval.dtype, 0.0, 1.0)
        u = u - 0.5
        u_shifted = 0.5 - lax.abs(u)
        at_once = (u_shifted >= 0.07) & (v <= right)
        k = lax.floor((2.0 * a / u_shifted + b) * u + c)
        never = (k < 0.0) | (k > n)
        v = lax.log(v * alpha / (a / (u_shifted * u_shifted) + b))
        accepts = at_once | (~never & (v <= _log_ratio(n, m, odds, k)))
        kept = lax.select(accepts, k, kept)
        return rounds + 1, kept, accepted | accepts, key

    def goes_on(state: Any) -> Any:
        rounds, _, accepted, _ = state
        return any_of(~accepted) & (cast(rounds, aval.dtype) < last)

    start = (np.int32(0), _filled(n, -1), lax.full(aval.shape, np.False_), key)
    return while_loop(goes_on, again, start)[1]


def _log_ratio(n: Any, m: Any, odds: Any, k: Any) -> Any:
    """log of the chance of k over that of the most likely number m."""
    return (
        (m + 0.5) * lax.log((m + 1.0) / (odds * (n - m + 1.0)))
        + (n + 1.0) * lax.log((n - m + 1.0) / (n - k + 1.0))
        + (k + 0.5) * lax.log(odds * (n - k + 1.0) / (k + 1.0))
        + _stirling_tail(m)
        + _stirling_tail(n - m)
        - _stirling_tail(k)
        - _stirling_tail(n - k)
    )


# log(k!) less Stirling's formula for it, k = 0 .. 9.
_TAILS = (
    *(0.0810614667953272, 0.0413406959554092, 0.0276779256849983),
    *(0.02079067210376509, 0.0166446911898211, 0.0138761288230707),
    *(0.0118967099458917, 0.0104112652619720, 0.00925546218271273),
    0.00833056343336287,
)


def _stirling_tail(k: Any) -> Any:
    aval = typeof(k)
    within = lax.clamp(scalar(0, aval.dtype), k, scalar(9, aval.dtype))
    square = (within + 1.0) * (within + 1.0)
    # Known for a quirk: the series is taken at 9, wherever it is used.
    series = (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (within + 1.0)
    place = cast(lax.floor(within), np.int32)
    table = np.array(_TAILS, aval.dtype)
    known = _filled(k, table[-1])
    for i in range(len(_TAILS) - 1):
        known = lax.select(lax.eq(place, np.int32(i)), _filled(k, table[i]), known)
    return lax.select(k <= 9.0, known, series)


_binomial_in = eager_jit(_binomial, static_argnums=(3, 4))


# --- multinomial ----------------------------------------------------------------------


def multinomial(
    key: Any,
    n: Any,
    p: Any,
    *,
    shape: Any = None,
    dtype: Any = None,
    unroll: int | bool = 1,
) -> Array:
    """How often each outcome of `n` trials comes: key[], f[*s, k] -> f[*shape, k].

    p: the chances of the outcomes, along the last axis. unroll: how many outcomes one
    turn of the loop over them handles.

    Raises:
      TypeError: no key, or a list where an array is needed.
      ValueError: several keys, or a shape that the parameters do not fit.
    """
    key = one_key("multinomial", key)
    check_array("multinomial", "n", n)
    aval = check_array("multinomial", "p", p)
    if not aval.shape:
        raise ArgumentTypeError(
            "multinomial needs the chances of several outcomes.", f"Found {aval}."
        )
    if dtype is None:
        found = dtypes.default_float()
    else:
        found = dtypes.requested_dtype(dtype, "multinomial")
    return _multinomial_in(key, n, p, optional_shape(shape), found, unroll)


def _multinomial(
    key: Any, n: Any, p: Any, shape: Any, dtype: Any, unroll: int | bool
) -> Any:
    found = dtypes.to_inexact_dtype(dtypes.result_type(n, p))
    n, p = cast(n, found), cast(p, found)
    *batch, outcomes = typeof(p).shape
    if shape is None:
        shape = tuple(batch)
    joint_shape("multinomial", shape, n, lax.index_in_dim(p, 0, -1, keepdims=False))
    n, p = stretch(n, shape), stretch(p, (*shape, outcomes))
    # The chance of an outcome among those that are left.
    axis = len(shape)
    left = lax.cumsum(p, axis=axis, reverse=True)
    chances = lax.div(p, lax.select(left == 0.0, _filled(left, 1), left))
    order = (axis, *range(axis))
    chances = lax.transpose(chances, order)

    def draw(rest: Any, given: Any) -> Any:
        key, chance = given
        chance = lax.clamp(scalar(0, found), chance, scalar(1, found))
        count = _binomial_in(key, rest, chance, shape, found)
        return rest - count, count

    keys = random_split_p.bind(key, shape=(outcomes,))
    _, counts = scan(draw, n, (keys, chances), unroll=unroll)
    back = (*range(1, axis + 1), 0)
    return cast(lax.transpose(counts, back), dtype)


_multinomial_in = eager_jit(_multinomial, static_argnums=(3, 4, 5))
