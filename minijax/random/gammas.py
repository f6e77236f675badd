"""Gamma-distributed numbers, and what is made from them.

The exact method draws until it accepts, every element from keys of its own, so values
do not depend on their neighbours. The approximate one is a formula.

Source: spec/random.md §§11.8, 12; G. Marsaglia, W. Tsang, A simple method for
generating gamma variables, 2000; R. Goldstein, Chi-square quantiles, 1973.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import lax, lowering, runtime
from ..base import dtypes
from ..base.errors import ArgumentTypeError, ArgumentValueError
from ..core import NOT_LINEAR, Primitive, ShapedArray, typeof
from ..interpreters import ad, batching
from ..lax import define
from ..lax.control_flow import map as sequential_map
from ..lax.control_flow import while_loop
from ..runtime import Array
from ..transforms import jit, vmap
from .arguments import (
    cast,
    check_placement,
    float_dtype,
    joint_shape,
    optional_shape,
    scalar,
    stretch,
)
from .implementations import PRNGImpl
from .inversions import exponential_in
from .keys import one_key
from .normals import normal_in
from .primitives import check_keys, random_split_p
from .threefry import threefry_prng_impl
from .uniforms import split_keys, two_keys, uniform_in

random_gamma_p = Primitive("random_gamma")


# --- one element ----------------------------------------------------------------------


def _draw(key: Any, alpha: Any, *, log_space: bool) -> Any:
    """One number: key[], f[] -> f[]."""
    dtype = typeof(alpha).dtype
    one, third = scalar(1, dtype), scalar(1 / 3, dtype)
    # A shape below one is drawn as one more, and then pulled down by a power.
    is_large = lax.ge(alpha, one)
    raised = lax.select(is_large, alpha, lax.add(alpha, one))
    d = lax.sub(raised, third)
    c = lax.div(third, lax.sqrt(d))
    key, for_power = two_keys(key)
    cube = _accepted_cube(key, c, d)
    if not log_space:
        rest = lax.sub(one, uniform_in(for_power, (), dtype, 0.0, 1.0))
        power = lax.pow(rest, lax.div(one, alpha))
        return lax.mul(lax.mul(d, cube), lax.select(is_large, one, power))
    log_rest = lax.neg(exponential_in(for_power, (), dtype))
    zero = scalar(0, dtype)
    has_none = lax.bitwise_or(is_large, lax.eq(log_rest, zero))
    pulled = lax.select(has_none, zero, lax.mul(log_rest, lax.div(one, alpha)))
    return lax.add(lax.add(lax.log(d), lax.log(cube)), pulled)


def _accepted_cube(key: Any, c: Any, d: Any) -> Any:
    """(1 + c n)**3 of the first normal number n that is accepted."""
    dtype = typeof(c).dtype
    number = lambda value: scalar(value, dtype)  # noqa: E731

    def is_refused(state: Any) -> Any:
        _, square, cube, unit = state
        squeezed = lax.mul(number(0.0331), lax.mul(square, square))
        outside = lax.ge(unit, lax.sub(number(1), squeezed))
        inner = lax.add(lax.sub(number(1), cube), lax.log(cube))
        bound = lax.add(lax.mul(square, number(0.5)), lax.mul(d, inner))
        return lax.bitwise_and(outside, lax.ge(lax.log(unit), bound))

    def again(state: Any) -> Any:
        key, for_normal, for_unit = split_keys(state[0], 3)
        normal, base = _positive_base(for_normal, c)
        cube = lax.mul(lax.mul(base, base), base)
        unit = uniform_in(for_unit, (), dtype, 0.0, 1.0)
        return key, lax.mul(normal, normal), cube, unit

    start = (key, number(0), number(1), number(2))
    return while_loop(is_refused, again, start)[2]


def _positive_base(key: Any, c: Any) -> tuple[Any, Any]:
    """A normal number n and 1 + c n, drawn until that is positive."""
    dtype = typeof(c).dtype
    zero, one = scalar(0, dtype), scalar(1, dtype)

    def again(state: Any) -> Any:
        key, now = two_keys(state[0])
        normal = normal_in(now, (), dtype)
        return key, normal, lax.add(one, lax.mul(normal, c))

    start = (key, zero, scalar(-1, dtype))
    _, normal, base = while_loop(lambda s: lax.le(s[2], zero), again, start)
    return normal, base


# --- random_gamma ---------------------------------------------------------------------


def _gamma_type(
    keys: ShapedArray, alpha: ShapedArray, *, log_space: bool
) -> ShapedArray:
    check_keys("random_gamma", keys)
    if alpha.dtype not in dtypes.FLOATS or alpha.shape[: keys.ndim] != keys.shape:
        raise ArgumentTypeError(
            "random_gamma takes keys, and floats whose first axes are theirs.",
            f"Found {keys} and {alpha}.",
        )
    return alpha.strip_weak_type()


def _gamma_elements(keys: Any, alpha: Any, *, log_space: bool) -> Any:
    keys_aval, aval = typeof(keys), typeof(alpha)
    each = math.prod(aval.shape[keys_aval.ndim :])
    own = random_split_p.bind(keys, shape=(each,))
    own = lax.reshape(own, (aval.size,))
    flat = lax.reshape(alpha, (aval.size,))
    if _maps_exactly(keys_aval.dtype.impl):
        drawn = vmap(lambda k, a: _draw(k, a, log_space=log_space))(own, flat)
    else:
        drawn = sequential_map(
            lambda pair: _draw(*pair, log_space=log_space), (own, flat)
        )
    return lax.reshape(drawn, aval.shape)


def _maps_exactly(impl: PRNGImpl) -> bool:
    return impl == threefry_prng_impl


def _gamma_jvp(primals: Any, tangents: Any, *, log_space: bool) -> Any:
    (keys, alpha), (_, alpha_dot) = primals, tangents
    out = random_gamma_p.bind(keys, alpha, log_space=log_space)
    if isinstance(alpha_dot, ad.Zero):
        return out, ad.Zero(typeof(out).to_tangent_aval())
    samples = out
    if log_space:
        samples = lax.exp(out)
        tiny = dtypes.finfo(typeof(out).dtype).tiny
        zero, smallest = (_like(samples, value) for value in (0, tiny))
        samples = lax.select(lax.eq(samples, zero), smallest, samples)
    return out, lax.mul(alpha_dot, _slopes(alpha, samples, log_space=log_space))


def _like(x: Any, value: Any) -> Any:
    aval = typeof(x)
    return lax.full(aval.shape, scalar(value, aval.dtype))


def _slopes(alpha: Any, samples: Any, *, log_space: bool) -> Any:
    def slope(pair: Any) -> Any:
        grad = lax.random_gamma_grad(*pair)
        return lax.div(grad, pair[1]) if log_space else grad

    if runtime.default_backend() != "cpu":
        return slope((alpha, samples))
    # A processor is done with most elements long before the slowest one.
    aval = typeof(alpha)
    flat = [lax.reshape(x, (aval.size,)) for x in (alpha, samples)]
    return lax.reshape(sequential_map(slope, tuple(flat)), aval.shape)


define(
    random_gamma_p,
    abstract_eval=_gamma_type,
    jvp=_gamma_jvp,
    transpose=NOT_LINEAR,
    batch=batching.leading(random_gamma_p),
    lower=lowering.lower_function(_gamma_elements),
)


# --- gamma, loggamma ------------------------------------------------------------------


def gamma(
    key: Any,
    a: Any,
    shape: Any = None,
    dtype: Any = None,
    *,
    method: str = "exact",
    out_sharding: Any = None,
) -> Array:
    """Gamma-distributed numbers of shape parameter `a`: key[] -> f[*shape].

    method: "exact", or "approximate", which is faster.

    >>> import minijax as mj
    >>> print(mj.random.gamma(mj.random.key(108), 2.0).shape)
    ()

    Raises:
      TypeError: no key.
      ValueError: several keys, an unknown method, a dtype that is not floating-point,
        or a shape that `a` does not fit.
    """
    settled = _settled("gamma", key, a, shape, dtype, method, out_sharding)
    return gamma_in(*settled, method=method, log_space=False)


def loggamma(
    key: Any,
    a: Any,
    shape: Any = None,
    dtype: Any = None,
    *,
    method: str = "exact",
    out_sharding: Any = None,
) -> Array:
    """Logarithms of gamma-distributed numbers, exact for small `a`: key[] -> f[*shape].

    method: "exact", or "approximate", which is faster.

    Raises:
      TypeError: no key.
      ValueError: several keys, an unknown method, a dtype that is not floating-point,
        or a shape that `a` does not fit.
    """
    settled = _settled("loggamma", key, a, shape, dtype, method, out_sharding)
    return gamma_in(*settled, method=method, log_space=True)


def check_method(function: str, method: str) -> None:
    """Refuse an unknown method. Raises: ValueError."""
    if method not in ("exact", "approximate"):
        raise ArgumentValueError(
            f"The method of random.{function} is 'exact' or 'approximate'.",
            f"Found {method!r}.",
        )


def _settled(
    function: str,
    key: Any,
    a: Any,
    shape: Any,
    dtype: Any,
    method: str,
    out_sharding: Any,
) -> tuple[Any, Any, Any, Any]:
    key = one_key(function, key)
    check_placement(function, out_sharding)
    check_method(function, method)
    return key, a, optional_shape(shape), float_dtype(function, dtype)


def gamma_in(
    key: Any, a: Any, shape: Any, dtype: Any, *, method: str, log_space: bool
) -> Any:
    """`gamma` or `loggamma` of checked arguments."""
    draw = _exact_in if method == "exact" else _approximate_in
    return draw(key, a, shape, dtype, log_space)


def _gamma(key: Any, a: Any, shape: Any, dtype: Any, log_space: bool) -> Any:
    shape = joint_shape("gamma", shape, a)
    alpha = stretch(cast(a, dtype), shape)
    return random_gamma_p.bind(key, alpha, log_space=log_space)


_exact_in = jit(_gamma, static_argnums=(2, 3, 4))

# The cube root of a chi-square quantile is a polynomial in t and u. For each power of
# u, 0 to 2, the coefficients of all powers of t, 0 to 6.
_QUANTILE = (
    (
        *(1.0, 0.4713941, 1.348028e-4),
        *(-8.553069e-3, 3.12558e-3, -8.426812e-4, 9.780499e-5),
    ),
    (
        *(-0.2237368, 0.02607083, 0.01128186),
        *(-0.01153761, 5.169654e-3, 2.53001e-3, -1.450117e-3),
    ),
    (
        *(-0.01513904, -8.986007e-3, 0.02277679),
        *(-0.01323293, -6.950356e-3, 1.060438e-3, 1.565326e-3),
    ),
)
# The approximation is good for large parameters: it is used at one this much larger.
_RAISED = 4


def _gamma_approx(key: Any, a: Any, shape: Any, dtype: Any, log_space: bool) -> Any:
    shape = joint_shape("gamma", shape, a)
    wide = dtype if dtypes.itemsize_bits(dtype) >= 32 else np.dtype(np.float32)
    number = lambda value: scalar(value, wide)  # noqa: E731
    a = stretch(cast(a, wide), shape)
    for_normal, for_steps = two_keys(key)
    raised = lax.add(a, number(_RAISED))
    freedom = lax.mul(number(2), raised)
    x = normal_in(for_normal, shape, wide)
    u = lax.div(number(1), freedom)
    t = lax.mul(x, lax.rsqrt(freedom))
    by_power_of_t = zip(*_QUANTILE, strict=True)
    inner = [_polynomial(u, [number(c) for c in row]) for row in by_power_of_t]
    root = lax.max(_polynomial(t, inner), number(dtypes.finfo(wide).tiny))
    base = lax.add(lax.log(raised), lax.mul(number(3), lax.log(root)))
    # From a + 4 down to a, one power of a uniform number each.
    steps = lax.reshape(lax.iota(wide, _RAISED), (_RAISED,) + (1,) * len(shape))
    waits = lax.neg(exponential_in(for_steps, (_RAISED, *shape), wide))
    parameters = lax.add(lax.expand_dims(a, (0,)), steps)
    out = lax.add(base, lax.reduce_sum(lax.div(waits, parameters), (0,)))
    return cast(out if log_space else lax.exp(out), dtype)


def _polynomial(x: Any, coefficients: Any) -> Any:
    *lower, total = coefficients
    for c in reversed(lower):
        total = lax.add(lax.mul(total, x), c)
    return total


_approximate_in = jit(_gamma_approx, static_argnums=(2, 3, 4))
