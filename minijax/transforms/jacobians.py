"""Jacobians and Hessians: derivatives mapped over a basis.

Forward mode gives the columns, reverse mode the rows; `vmap` runs them together.

Source: spec/ad.md §1.5.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import tree
from ..base import dtypes
from ..base.errors import ArgumentTypeError
from ..core import convert_element_type_p, typeof
from ..lax import convert_element_type, full, real, reshape
from .differentiable import (
    Positions,
    argument_positions,
    check_inputs,
    describe_function,
    restricted,
)
from .differentiation import jvp
from .pullbacks import vjp
from .vectorization import vmap


def _basis(leaves: Sequence[Any]) -> list[np.ndarray]:
    """The standard basis of the space of `leaves`: one array [n, *shape] per leaf."""
    avals = [typeof(x) for x in leaves]
    total, offset, parts = sum(aval.size for aval in avals), 0, []
    for aval in avals:
        part = np.zeros((total, aval.size), aval.dtype)
        part[offset : offset + aval.size] = np.eye(aval.size, dtype=aval.dtype)
        parts.append(part.reshape(total, *aval.shape))
        offset += aval.size
    return parts


def _split_axis(x: Any, axis: int, leaves: Sequence[Any]) -> list[Any]:
    """Cut `axis`, which runs over all elements of `leaves`, into their shapes."""
    offset, parts = 0, []
    for leaf in leaves:
        aval = typeof(leaf)
        index = [slice(None)] * x.ndim
        index[axis] = slice(offset, offset + aval.size)
        shape = (*x.shape[:axis], *aval.shape, *x.shape[axis + 1 :])
        parts.append(reshape(x[tuple(index)], shape))
        offset += aval.size
    return parts


def jacfwd[**P](
    fun: Callable[P, Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
) -> Callable[P, Any]:
    """The Jacobian of `fun` by forward mode: cheap for few inputs.

    Each output leaf becomes a tree like the argument, of shape `out.shape + in.shape`.

    Raises (when called):
        TypeError: an input is no real (or, if `holomorphic`, complex) array.

    >>> import minijax as mj, minijax.numpy as jnp
    >>> print(mj.jacfwd(lambda x: x * x)(jnp.array([1.0, 2.0])))
    [[2. 0.]
     [0. 4.]]
    """
    positions = argument_positions("jacfwd", fun, argnums, ())

    @functools.wraps(fun)
    def jacobian_columns(*args: P.args, **kwargs: P.kwargs) -> Any:
        chosen = positions.of(args)
        moving = tuple([args[i] for i in chosen])
        x_flat, in_tree = tree.flatten(moving)
        kinds = {"holomorphic": holomorphic, "allow_int": False}
        check_inputs("jacfwd", fun, x_flat, args, chosen, **kinds)
        for x in x_flat if not holomorphic else ():
            _check_real(fun, x)
        part = restricted(fun, args, kwargs, chosen)

        def push(*x_dots: Any) -> Any:
            y, y_dot, *aux = jvp(part, moving, tree.unflatten(in_tree, x_dots), has_aux)
            return y, tree.map(_column_of, y_dot, y), *aux

        out_axes = (None, -1, None) if has_aux else (None, -1)
        basis = _basis(x_flat)
        y, columns, *aux = vmap(push, out_axes=out_axes)(*basis)
        if holomorphic:
            _check_complex_output("jacfwd", fun, y)

        def split(column: Any) -> Any:
            parts = _split_axis(column, column.ndim - 1, x_flat)
            return _for_argnums(tree.unflatten(in_tree, parts), positions)

        jacobian = tree.map(split, columns)
        return (jacobian, aux[0]) if has_aux else jacobian

    return jacobian_columns


def _column_of(y_dot: Any, y: Any) -> Any:
    """A tangent as it stands in a Jacobian: as strong or weak as the output, and of its
    dtype, so that float0 becomes integer zeros."""
    aval = typeof(y)
    if typeof(y_dot).dtype == dtypes.float0:
        return full(aval.shape, 0, aval.dtype)
    return _as_strong_as(y_dot, aval)


def _as_strong_as(x: Any, aval: Any) -> Any:
    if typeof(x).weak_type == aval.weak_type:
        return x
    return convert_element_type_p.bind(
        x, new_dtype=typeof(x).dtype, weak_type=aval.weak_type, sharding=None
    )


def _for_argnums(per_argument: tuple[Any, ...], positions: Positions) -> Any:
    return per_argument[0] if positions.single else per_argument


def _check_real(fun: Any, x: Any) -> None:
    dtype = typeof(x).dtype
    if dtype not in dtypes.FLOATS:
        raise ArgumentTypeError(
            "jacfwd takes real inputs.",
            f"Found dtype {dtypes.name_of(dtype)} among the arguments of "
            f"{describe_function(fun)}.",
            "Pass holomorphic=True if the function is holomorphic.",
        )


def _check_complex_output(api: str, fun: Any, y: Any) -> None:
    for leaf in tree.leaves(y):
        if typeof(leaf).dtype not in dtypes.COMPLEXES:
            raise ArgumentTypeError(
                f"{api} with holomorphic=True takes a function with complex output.",
                f"Found {describe_function(fun)} returning {typeof(leaf)}.",
            )


def _check_reverse_output(fun: Any, y: Any, *, holomorphic: bool) -> None:
    if holomorphic:
        _check_complex_output("jacrev", fun, y)
        return
    for leaf in tree.leaves(y):
        if typeof(leaf).dtype not in dtypes.FLOATS:
            raise ArgumentTypeError(
                "jacrev takes a function with real output.",
                f"Found {describe_function(fun)} returning {typeof(leaf)}.",
                "For a holomorphic function pass holomorphic=True.",
            )


def jacrev[**P](
    fun: Callable[P, Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
) -> Callable[P, Any]:
    """The Jacobian of `fun` by reverse mode: cheap for few outputs.

    Shapes as for `jacfwd`; dtypes follow the input.

    Raises (when called):
        TypeError: an input or output cannot be differentiated.

    >>> import minijax as mj, minijax.numpy as jnp
    >>> print(mj.jacrev(lambda x: x * x)(jnp.array([1.0, 2.0])))
    [[2. 0.]
     [0. 4.]]
    """
    positions = argument_positions("jacrev", fun, argnums, ())

    @functools.wraps(fun)
    def jacobian_rows(*args: P.args, **kwargs: P.kwargs) -> Any:
        chosen = positions.of(args)
        moving = tuple([args[i] for i in chosen])
        x_flat, in_tree = tree.flatten(moving)
        kinds = {"holomorphic": holomorphic, "allow_int": allow_int}
        check_inputs("jacrev", fun, x_flat, args, chosen, **kinds)
        part = restricted(fun, args, kwargs, chosen)
        y, pull, *aux = vjp(part, *moving, has_aux=has_aux)
        _check_reverse_output(fun, y, holomorphic=holomorphic)
        y_flat, out_tree = tree.flatten(y)

        def pull_one(*y_bars: Any) -> list[Any]:
            return _rows_of(pull(tree.unflatten(out_tree, y_bars)), x_flat)

        basis = _basis(y_flat)
        rows = vmap(pull_one)(*basis) if basis else []
        per_output = _by_output(rows, y_flat)
        jacobian = tree.unflatten(
            out_tree,
            [
                _for_argnums(tree.unflatten(in_tree, parts), positions)
                for parts in per_output
            ],
        )
        return (jacobian, aux[0]) if has_aux else jacobian

    return jacobian_rows


def _rows_of(x_bars: Any, x_flat: Sequence[Any]) -> list[Any]:
    """Cotangents as they stand in a Jacobian: float0 becomes integer zeros."""
    rows = []
    for x_bar, x in zip(tree.leaves(x_bars), x_flat, strict=True):
        if typeof(x_bar).dtype == dtypes.float0:
            rows.append(full(typeof(x).shape, 0, np.int32))
        elif (
            typeof(x).dtype in dtypes.FLOATS and typeof(x_bar).dtype in dtypes.COMPLEXES
        ):
            rows.append(convert_element_type(real(x_bar), typeof(x).dtype))
        else:
            rows.append(_as_strong_as(x_bar, typeof(x)))
    return rows


def _by_output(rows: Sequence[Any], y_flat: Sequence[Any]) -> list[list[Any]]:
    """`rows[input]` with a leading axis over all outputs, as `[output][input]`."""
    split = [_split_axis(row, 0, y_flat) for row in rows]
    return [[parts[i] for parts in split] for i in range(len(y_flat))]


jacobian = jacrev


def hessian[**P](
    fun: Callable[P, Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
) -> Callable[P, Any]:
    """The matrix of second derivatives of `fun`: forward over reverse.

    >>> import minijax as mj, minijax.numpy as jnp
    >>> print(mj.hessian(lambda x: jnp.sum(x ** 3))(jnp.array([1.0, 2.0])))
    [[ 6.  0.]
     [ 0. 12.]]
    """
    rows = jacrev(fun, argnums, has_aux=has_aux, holomorphic=holomorphic)
    return jacfwd(rows, argnums, has_aux=has_aux, holomorphic=holomorphic)
