"""check_grads: derivatives against differences, in a random direction.

A directional derivative is one number per output, so a check costs a few evaluations
whatever the number of inputs. Forward mode is compared with a central difference;
reverse mode with forward differences through an inner product: ⟨ȳ, Jẋ⟩ = ⟨Jᵀȳ, ẋ⟩.

Source: spec/ad.md §1.14.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import tree
from ..base import dtypes
from ..base.errors import ArgumentValueError
from ..core import typeof
from .differentiable import check_input
from .differentiation import jvp, linearize
from .pullbacks import vjp

_TOLERANCES = {
    "bfloat16": 1e-1,
    "float16": 1e-2,
    "float32": 2e-3,
    "float64": 1e-5,
    "complex64": 1e-3,
    "complex128": 1e-5,
}
_EPS = 1e-4


def _tolerance(dtype: Any, given: float | None) -> float:
    """Per dtype; of eight bits 0.1, of four bits 1."""
    if given is not None:
        return given
    name = dtypes.name_of(dtype)
    if name.startswith("float8"):
        return 1e-1
    return _TOLERANCES.get(name, 1.0)


def _wide(x: Any) -> np.ndarray:
    """`x` as float64 or complex128, to compute with in NumPy."""
    aval = typeof(x)
    if aval.dtype == dtypes.float0:
        return np.zeros(aval.shape)
    complex_valued = aval.dtype in dtypes.COMPLEXES
    return np.asarray(x).astype(np.complex128 if complex_valued else np.float64)


def _as(x: np.ndarray, dtype: Any) -> Any:
    return np.zeros(x.shape, dtype) if dtype == dtypes.float0 else x.astype(dtype)


def _random_like(random: np.random.RandomState) -> Callable[[Any], Any]:
    def make(x: Any) -> Any:
        aval = typeof(x).to_tangent_aval()
        values: Any = np.asarray(random.randn(*aval.shape))
        if aval.dtype in dtypes.COMPLEXES:
            values = values + 1j * random.randn(*aval.shape)
        return _as(values, aval.dtype)

    return make


def _moved(x: Any, x_dot: Any, step: float) -> Any:
    dtype = typeof(x).dtype
    if typeof(x_dot).dtype == dtypes.float0:
        return x
    return (_wide(x) + step * _wide(x_dot)).astype(dtype)


def _difference(
    f: Callable[..., Any], args: Sequence[Any], x_dots: Any, eps: float
) -> Any:
    """(f(x + εẋ) − f(x − εẋ)) / 2ε, where ∞ − ∞ is 0."""

    def at(step: float) -> Any:
        return f(*tree.map(lambda x, x_dot: _moved(x, x_dot, step), args, x_dots))

    def slope(above: Any, below: Any) -> Any:
        above, below = _wide(above), _wide(below)
        with np.errstate(invalid="ignore"):
            gap = np.where(above == below, 0, above - below)
        return gap * (0.5 / eps)

    return tree.map(slope, at(eps), at(-eps))


def _assert_close(
    found: Any, wanted: Any, like: Any, atol: Any, rtol: Any, text: str
) -> None:
    """Compare trees; the tolerance of a leaf is that of the dtype in `like`."""
    rows = zip(*map(tree.leaves, (found, wanted, like)), strict=True)
    for one, other, model in rows:
        dtype = typeof(model).dtype
        one, other = _wide(one), _wide(other)
        near = np.allclose(
            one,
            other,
            atol=_tolerance(dtype, atol) * max(one.size, 1),
            rtol=_tolerance(dtype, rtol) * max(one.size, 1),
            equal_nan=True,
        )
        if not near:
            raise AssertionError(f"{text} differ.\nFound {one}, expected {other}.")


def check_jvp(
    f: Callable[..., Any],
    f_jvp: Callable[..., Any],
    args: Sequence[Any],
    atol: float | None = None,
    rtol: float | None = None,
    eps: float = _EPS,
    err_msg: str = "",
) -> None:
    """Compare `f_jvp(primals, tangents) -> (out, out_dot)` with differences of `f`.

    Raises:
        AssertionError: the primal output, or the tangent, is wrong.

    >>> import minijax as mj, minijax.numpy as jnp
    >>> from minijax.test_util import check_jvp
    >>> check_jvp(jnp.sin, lambda x, t: mj.jvp(jnp.sin, x, t), (0.5,))
    """
    args = tuple(args)
    x_dots = tree.map(_random_like(np.random.RandomState(0)), args)
    out, out_dot = f_jvp(args, x_dots)
    expected = f(*args)
    slope = _difference(f, args, x_dots, eps)
    where = f"{err_msg}: " if err_msg else ""
    _assert_close(out, expected, expected, atol, rtol, f"{where}JVP primal outputs")
    _assert_close(out_dot, slope, expected, atol, rtol, f"{where}JVP tangents")


def check_vjp(
    f: Callable[..., Any],
    f_vjp: Callable[..., Any],
    args: Sequence[Any],
    atol: float | None = None,
    rtol: float | None = None,
    eps: float = _EPS,
    err_msg: str = "",
) -> None:
    """Compare `f_vjp(*args) -> (out, pullback)` with differences of `f`.

    Raises:
        AssertionError: the primal output, or the projection of a cotangent on a random
        direction, is wrong.

    >>> import functools, minijax as mj, minijax.numpy as jnp
    >>> from minijax.test_util import check_vjp
    >>> check_vjp(jnp.sin, functools.partial(mj.vjp, jnp.sin), (0.5,))
    """
    args = tuple(args)
    random_like = _random_like(np.random.RandomState(0))
    out, pullback = f_vjp(*args)
    expected = f(*args)
    where = f"{err_msg}: " if err_msg else ""
    _assert_close(out, expected, expected, atol, rtol, f"{where}VJP primal outputs")
    x_dots = tree.map(random_like, args)
    slope = _difference(f, args, x_dots, eps)
    y_bar = tree.map(random_like, out)
    x_bars = pullback(y_bar)
    pulled, pushed = _inner(x_dots, x_bars), _inner(slope, y_bar)
    text = f"{where}VJP cotangent projections"
    _assert_close(pulled, pushed, _loosest(args, out), atol, rtol, text)


def _loosest(*trees: Any) -> Any:
    """The leaf whose dtype has the largest tolerance: sums are as good as that."""
    return max(tree.leaves(trees), key=lambda x: _tolerance(typeof(x).dtype, None))


def _inner(xs: Any, ys: Any) -> np.ndarray:
    """Re ⟨conj x, y⟩, summed over all leaves."""
    pairs = zip(tree.leaves(xs), tree.leaves(ys), strict=True)
    return np.asarray(sum(np.sum(_wide(x) * _wide(y)).real for x, y in pairs))


def check_grads(
    f: Callable[..., Any],
    args: Sequence[Any],
    order: int,
    modes: Sequence[str] = ("fwd", "rev"),
    atol: float | None = None,
    rtol: float | None = None,
    eps: float | None = None,
) -> None:
    """Compare derivatives of `f` up to `order` with differences.

    modes: "fwd" (jvp), "lin" (linearize), "rev" (vjp), each at every order.

    Raises:
        AssertionError: a derivative is wrong. TypeError: an argument is an integer.
        ValueError: a mode is unknown.

    >>> import minijax.numpy as jnp
    >>> from minijax.test_util import check_grads
    >>> check_grads(jnp.sin, (0.5,), order=2)
    """
    for x in tree.leaves(args):
        check_input("check_grads", f, x, allow_int=False)
    unknown = set(modes) - {"fwd", "rev", "lin"}
    if unknown:
        raise ArgumentValueError(
            "`modes` of check_grads are among fwd, rev and lin.",
            f"Found {sorted(unknown)}.",
        )
    _check(f, tuple(args), order, tuple(modes), atol, rtol, eps or _EPS)


def _check(
    f: Callable[..., Any],
    args: tuple[Any, ...],
    order: int,
    modes: tuple[str, ...],
    atol: float | None,
    rtol: float | None,
    eps: float,
    path: str = "",
) -> None:
    # The next order is checked on the derivative along one direction.
    random_like = _random_like(np.random.RandomState(0))
    for mode in modes:
        name = f"{mode} of {path}" if path else mode
        if mode == "rev":
            check_vjp(f, functools.partial(vjp, f), args, atol, rtol, eps, name)
            derivative = _pulled(f, tree.map(random_like, f(*args)))
        else:
            push = _pushed(f) if mode == "fwd" else _linearized(f)
            check_jvp(f, push, args, atol, rtol, eps, name)
            derivative = _along(push, tree.map(random_like, args))
        if order > 1:
            _check(derivative, args, order - 1, modes, atol, rtol, eps, name)


def _pulled(f: Callable[..., Any], y_bar: Any) -> Callable[..., Any]:
    return lambda *args: vjp(f, *args)[1](y_bar)


def _along(push: Callable[..., Any], x_dots: Any) -> Callable[..., Any]:
    return lambda *args: push(args, x_dots)


def _pushed(f: Callable[..., Any]) -> Callable[..., Any]:
    return lambda primals, x_dots: jvp(f, primals, x_dots)


def _linearized(f: Callable[..., Any]) -> Callable[..., Any]:
    def push(primals: Any, x_dots: Any) -> Any:
        y, f_jvp = linearize(f, *primals)
        return y, f_jvp(*x_dots)

    return push
