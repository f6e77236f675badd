"""jvp, linearize, vjp, grad: derivatives of functions of pytrees.

All four run the user's function once under a trace of `interpreters.ad`. The reverse
ones keep the tape: `grad` walks it at once, `vjp` returns it as a function, `linearize`
turns it into a program. Nothing is staged or compiled here; wrap in `jit` for that.

Source: spec/ad.md §1.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import tree
from ..base import dtypes
from ..base.errors import ArgumentTypeError, ArgumentValueError, NotSupportedError
from ..core import current, eval_jaxpr, stage, typeof
from ..interpreters import ad
from .differentiable import (
    argument_positions,
    check_inputs,
    check_scalar_output,
    check_tangents,
    moving_leaves,
)
from .recordings import (
    as_values,
    finish,
    output_leaves,
    present,
    primals_of_aux,
    pull_back,
    real_tangent,
    record,
    require_callable,
    run_under,
    split_aux,
)

# --- Forward mode ---------------------------------------------------------------------


def jvp(
    fun: Callable[..., Any],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    has_aux: bool = False,
) -> tuple[Any, ...]:
    """The value of `fun` at `primals` and how it moves along `tangents`.

    Returns (primals_out, tangents_out), and aux if `has_aux`. A tangent has the shape
    and dtype of its primal; that of an integer has dtype float0.

    Raises:
        TypeError: trees or dtypes differ. ValueError: shapes differ.

    >>> import minijax as mj, minijax.numpy as jnp
    >>> y, y_dot = mj.jvp(jnp.sin, (0.0,), (2.0,))
    >>> print(y, y_dot)
    0.0 2.0
    """
    require_callable("jvp", fun)
    x_flat, x_dot_flat, in_tree = check_tangents("jvp", fun, primals, tangents)
    trace = ad.JVPTrace(current.value)
    moving = [
        x
        if typeof(x_dot).dtype == dtypes.float0
        else trace.wrap(x, _as_strong_as(x, x_dot))
        for x, x_dot in zip(x_flat, x_dot_flat, strict=True)
    ]
    out = run_under(trace, fun, tree.unflatten(in_tree, moving), {})
    if has_aux:
        out, aux = split_aux("jvp", out)
        aux = primals_of_aux(trace, aux)
    y_flat, out_tree = output_leaves(fun, out)
    pairs = [trace.split(y) for y in y_flat]
    y_dots = [real_tangent(y_dot) for _, y_dot in pairs]
    result = out_tree.unflatten([y for y, _ in pairs]), out_tree.unflatten(y_dots)
    del out, y_flat, moving
    finish(trace)
    return (*result, aux) if has_aux else result


def _as_strong_as(x: Any, x_dot: Any) -> Any:
    """A Python number along a strong primal is as strong as that."""
    if isinstance(x_dot, float | complex) and not typeof(x).weak_type:
        return np.asarray(x_dot).astype(typeof(x).dtype)[()]
    return x_dot


# --- Linearization --------------------------------------------------------------------


def linearize(
    fun: Callable[..., Any], *primals: Any, has_aux: bool = False, in_nzs: Any = None
) -> tuple[Any, ...]:
    """The value of `fun` at `primals` and its derivative there as a linear function.

    Returns (y, f_jvp), and aux if `has_aux`. `f_jvp(*tangents)` is a pytree whose
    leaves are the residuals, so it crosses `jit` and `vmap`; calling it recomputes
    nothing of `fun`. in_nzs: a tree of bools, a prefix of the tuple of primals; where
    it is False the input is a constant, whatever its tangent.

    Raises:
        TypeError: a primal is no array. ValueError: `in_nzs` is no prefix.

    >>> import minijax as mj, minijax.numpy as jnp
    >>> y, f_jvp = mj.linearize(jnp.sin, 0.0)
    >>> print(f_jvp(3.0))
    3.0
    """
    require_callable("linearize", fun)
    x_flat, in_tree = tree.flatten(primals)
    check_inputs("linearize", fun, x_flat, primals)
    recording, aux = record(
        fun,
        as_values(x_flat),
        lambda leaves: (tree.unflatten(in_tree, leaves), {}),
        api="linearize",
        has_aux=has_aux,
        moves=moving_leaves("linearize", in_nzs, in_tree),
    )
    jaxpr, residuals = recording.program()
    moves = tuple(x is not None for x in recording.inputs)
    nonzero = tuple(y_dot.__class__ is not ad.Zero for y_dot in recording.outs)
    apply = _PushForward(
        jaxpr, in_tree, recording.out_tree, tuple(recording.in_avals),
        tuple(recording.out_avals), moves, nonzero,
    )  # fmt: skip
    y = recording.out_tree.unflatten([present(y) for y in recording.primals_out])
    f_jvp: Any = tree.Partial(apply, residuals)
    f_jvp.out_nzs = recording.out_tree.unflatten(nonzero)
    return (y, f_jvp, aux) if has_aux else (y, f_jvp)


class _PushForward:
    """The linear function of `linearize`: its program and the types it checks.

    Equality is that of the parts, so that `jit` recognises two of one program.
    """

    def __init__(self, *parts: Any) -> None:
        self.parts = parts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _PushForward) and self.parts == other.parts

    def __hash__(self) -> int:
        return hash(self.parts)

    def __call__(self, residuals: list[Any], *tangents: Any) -> Any:
        jaxpr, in_tree, out_tree, in_avals, out_avals, moves, nonzero = self.parts
        x_dots, given_tree = tree.flatten(tangents)
        if given_tree != in_tree:
            raise ArgumentTypeError(
                f"A linearized function takes tangents with the tree {in_tree}.",
                f"Found {given_tree}.",
            )
        for x_dot, aval in zip(x_dots, in_avals, strict=True):
            _check_linear_input(x_dot, aval)
        moving = [x_dot for x_dot, does in zip(x_dots, moves, strict=True) if does]
        found = iter(eval_jaxpr(jaxpr, jaxpr.consts, *residuals, *moving))
        y_dots = [
            next(found) if is_nonzero else real_tangent(ad.Zero(aval.to_tangent_aval()))
            for aval, is_nonzero in zip(out_avals, nonzero, strict=True)
        ]
        return out_tree.unflatten(y_dots)


def _check_linear_input(x_dot: Any, aval: Any) -> None:
    expected, found = aval.to_tangent_aval(), typeof(x_dot)
    if (expected.shape, expected.dtype) != (found.shape, found.dtype):
        raise ArgumentValueError(
            f"A tangent of a value of type {aval} has type "
            f"{expected.strip_weak_type()}.",
            f"Found {found}.",
        )


# --- Reverse mode ---------------------------------------------------------------------


def value_and_grad[**P](
    fun: Callable[P, Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
    reduce_axes: Sequence[Any] = (),
) -> Callable[P, Any]:
    """A function that returns the value of `fun` and its gradient.

    argnums: the positional arguments to differentiate; an int gives the gradient with
    the structure of that argument, a sequence a tuple of them. has_aux: `fun` returns
    (output, aux), and the value is that pair. holomorphic: inputs and output are
    complex and `fun` is holomorphic. allow_int: an integer input gets a float0 one.

    Raises (when called):
        TypeError: `fun` does not return a real scalar, or an input cannot be
        differentiated. ValueError: argnums is empty or names an argument twice.

    >>> import minijax as mj
    >>> value, gradient = mj.value_and_grad(lambda x: x * x)(3.0)
    >>> print(value, gradient)
    9.0 6.0
    """
    positions = argument_positions("value_and_grad", fun, argnums, reduce_axes)

    @functools.wraps(fun)
    def value_and_gradient(*args: P.args, **kwargs: P.kwargs) -> Any:
        chosen = positions.of(args)
        x_flat, in_tree = tree.flatten(tuple([args[i] for i in chosen]))
        kinds = {"holomorphic": holomorphic, "allow_int": allow_int}
        check_inputs("grad", fun, x_flat, args, chosen, **kinds)

        def call(leaves: list[Any]) -> tuple[Any, dict[str, Any]]:
            full = list(args)
            for i, x in zip(chosen, tree.unflatten(in_tree, leaves), strict=True):
                full[i] = x
            return full, kwargs

        values = as_values(x_flat)
        recording, aux = record(
            fun, values, call, api="value_and_grad", has_aux=has_aux
        )
        seed = check_scalar_output("grad", fun, recording, holomorphic=holomorphic)
        x_bars = [present(x_bar) for x_bar in pull_back(recording, [seed])]
        gradients = tree.unflatten(in_tree, x_bars)
        gradient = gradients[0] if positions.single else gradients
        value = present(recording.primals_out[0])
        return ((value, aux) if has_aux else value), gradient

    return value_and_gradient


def grad[**P](
    fun: Callable[P, Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
    reduce_axes: Sequence[Any] = (),
) -> Callable[P, Any]:
    """A function that returns the gradient of the scalar function `fun`.

    Parameters and errors as for `value_and_grad`; with `has_aux` the result is
    (gradient, aux). The gradient has the shapes and dtypes of the input. For a complex
    input of a real function it is the conjugate of the direction of steepest ascent.

    >>> import minijax as mj, minijax.numpy as jnp
    >>> print(mj.grad(jnp.tanh)(0.0))
    1.0
    """
    both = value_and_grad(fun, argnums, has_aux, holomorphic, allow_int, reduce_axes)

    @functools.wraps(fun)
    def gradient(*args: P.args, **kwargs: P.kwargs) -> Any:
        value, found = both(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return gradient


def linear_transpose(
    fun: Callable[..., Any], *primals: Any, reduce_axes: Sequence[Any] = ()
) -> Callable[..., Any]:
    """The transpose of the linear function `fun`, as `y_bar -> (x_bar, …)`.

    `primals` only give types; they may be `ShapeDtypeStruct`s. Constant terms of an
    affine `fun` are ignored.

    Raises:
        TypeError: dtypes are not all inexact or all integer, or y_bar does not fit.
        NotImplementedError: `fun` is not linear.

    >>> import minijax as mj
    >>> (x_bar,) = mj.linear_transpose(lambda x: 3.0 * x, 1.0)(2.0)
    >>> print(x_bar)
    6.0
    """
    require_callable("linear_transpose", fun)
    if reduce_axes:
        raise NotSupportedError("`reduce_axes` must be empty.", f"Found {reduce_axes}.")
    x_flat, in_tree = tree.flatten(primals)
    in_avals = [typeof(x) for x in x_flat]
    trees: list[Any] = []

    def flat(*leaves: Any) -> list[Any]:
        y_flat, out_tree = output_leaves(fun, fun(*tree.unflatten(in_tree, leaves)))
        trees.append(out_tree)
        return y_flat

    jaxpr = stage(flat, in_avals)
    (out_tree,) = trees
    _check_linear_dtypes(in_avals, jaxpr.out_avals)
    return tree.Partial(_Transposed(jaxpr, in_tree, out_tree))


def _check_linear_dtypes(in_avals: Sequence[Any], out_avals: Sequence[Any]) -> None:
    found = [
        {aval.dtype for aval in avals} - {dtypes.float0}
        for avals in (in_avals, out_avals)
    ]
    everything = found[0] | found[1]
    if not (everything <= dtypes.INEXACT or everything <= dtypes.INTEGERS):
        names = [sorted(map(dtypes.name_of, part)) for part in found]
        raise ArgumentTypeError(
            "linear_transpose needs inputs and outputs that are all inexact or all "
            "integer.",
            f"Found inputs {names[0]} and outputs {names[1]}.",
        )


class _Transposed:
    """The function that `linear_transpose` returns."""

    def __init__(self, *parts: Any) -> None:
        self.parts = parts

    def __call__(self, y_bar: Any) -> Any:
        jaxpr, in_tree, out_tree = self.parts
        y_bars, given = tree.flatten(y_bar)
        if given != out_tree:
            raise ArgumentTypeError(
                f"The transposed function takes a cotangent with the tree {out_tree}.",
                f"Found {given}.",
            )
        for bar, aval in zip(y_bars, jaxpr.out_avals, strict=True):
            if (typeof(bar).shape, typeof(bar).dtype) != (aval.shape, aval.dtype):
                raise ArgumentTypeError(
                    f"The cotangent of an output of type {aval} has the same type.",
                    f"Found {typeof(bar)}.",
                )
        operands = [ad.UndefinedPrimal(aval) for aval in jaxpr.in_avals]
        x_bars = ad.backward_jaxpr(jaxpr, operands, y_bars)
        return tree.unflatten(in_tree, [present(real_tangent(b)) for b in x_bars])
