"""Functions of single elements or vectors, applied to whole arrays by mapping.

Source: spec/numpy.md §15.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any

from .. import lax
from ..base import dtypes
from ..base.errors import ArgumentTypeError, ArgumentValueError
from ..base.util import canonicalize_axis
from ..core import typeof
from ..transforms import vmap
from .arithmetic import stretch
from .array_making import asarray
from .creation import checked_shape
from .promotion import as_is, cast_to, check_arrays
from .selecting import where as choose
from .shaping import expand_dims

if TYPE_CHECKING:
    from ..runtime import Array
    from .promotion import ArrayLike

type CoreDims = tuple[tuple[str, ...], ...]

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_DIMS = rf"\((?:\s*{_NAME}\s*(?:,\s*{_NAME}\s*)*)?\)"
# A text: `re` compiles it at the first use, and an import does not.
_SIGNATURE = (
    rf"^\s*(?:{_DIMS}\s*(?:,\s*{_DIMS}\s*)*)?->\s*{_DIMS}\s*(?:,\s*{_DIMS}\s*)*$"
)


def _parse(signature: str) -> tuple[CoreDims, CoreDims]:
    if not re.match(_SIGNATURE, signature):
        raise ArgumentValueError(
            "A signature reads like '(n,m),(m)->(n)'.", f"Found {signature!r}."
        )
    sides = signature.split("->")
    inputs, outputs = [
        tuple(tuple(re.findall(_NAME, group)) for group in re.findall(_DIMS, side))
        for side in sides
    ]
    return inputs, outputs


def vectorize(
    pyfunc: Callable[..., Any],
    *,
    excluded: Collection[int | str] = frozenset(),
    signature: str | None = None,
) -> Callable[..., Any]:
    """A function that applies `pyfunc` along leading axes, which broadcast.

    signature: the trailing axes that `pyfunc` sees, such as "(n),(n)->()"; without one
    it sees scalars. excluded: arguments, by position or name, that are passed whole.

    >>> import minijax.numpy as jnp
    >>> dot = jnp.vectorize(jnp.dot, signature="(n),(n)->()")
    >>> print(dot(jnp.ones((2, 3)), jnp.ones(3)))
    [3. 3.]

    Raises:
      ValueError: a signature that cannot be read, a negative position.
      TypeError: an excluded argument that is neither a position nor a name.
    """
    if any(not isinstance(item, int | str) for item in excluded):
        raise ArgumentTypeError(
            "Arguments are excluded by position or name.", f"Found {excluded!r}."
        )
    if any(isinstance(item, int) and item < 0 for item in excluded):
        raise ArgumentValueError("Positions count from 0.", f"Found {excluded!r}.")
    cores = None if signature is None else _parse(signature)

    @functools.wraps(pyfunc)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return _apply(pyfunc, args, kwargs, frozenset(excluded), cores, signature)

    return wrapped


def _apply(
    function: Any, args: Any, kwargs: Any, excluded: frozenset[Any], cores: Any,
    signature: str | None,
) -> Any:  # fmt: skip
    left_out = {i for i in excluded if isinstance(i, int) and i < len(args)}
    if cores is not None and len(cores[0]) != len(args) - len(left_out):
        raise ArgumentTypeError(
            f"The signature {signature!r} has {len(cores[0])} arguments.",
            f"Found {len(args) - len(left_out)}.",
        )
    kept = [i for i in range(len(args)) if i not in left_out]
    input_cores = cores[0] if cores is not None else ((),) * len(kept)
    pairs = []
    for i, core in zip(kept, input_cores, strict=True):
        if args[i] is None and not core:
            left_out.add(i)
        else:
            pairs.append((i, core))
    names = [name for name in kwargs if name not in excluded]
    arrays = [as_is(_array(args[i])) for i, _ in pairs]
    arrays += [as_is(_array(kwargs[name])) for name in names]
    all_cores = [core for _, core in pairs] + [()] * len(names)
    shape, sizes = _broadcast(arrays, all_cores, signature)

    def on_cores(*xs: Any) -> Any:
        full = list(args)
        for (i, _), x in zip(pairs, xs, strict=False):
            full[i] = x
        named = dict(kwargs) | dict(zip(names, xs[len(pairs) :], strict=True))
        out = function(*full, **named)
        return _checked(out, cores[1], sizes, signature) if cores is not None else out

    return _mapped(on_cores, arrays, all_cores, shape)


def _array(x: Any) -> Any:
    check_arrays("vectorize", x)
    return x


def _broadcast(
    arrays: Sequence[Any], cores: Sequence[tuple[str, ...]], signature: str | None
) -> tuple[tuple[int, ...], dict[str, int]]:
    sizes: dict[str, int] = {}
    leading = []
    for x, core in zip(arrays, cores, strict=True):
        shape = typeof(x).shape
        if len(shape) < len(core):
            raise ArgumentValueError(
                f"An argument of {signature!r} has the axes {core}.",
                f"Found {typeof(x)}.",
            )
        lead = shape[: len(shape) - len(core)]
        for name, size in zip(core, shape[len(lead) :], strict=True):
            if sizes.setdefault(name, size) != size:
                raise ArgumentValueError(
                    f"The axis {name} of {signature!r} has one size.",
                    f"Found {sizes[name]} and {size}.",
                )
        leading.append(lead)
    return lax.broadcast_shapes(*leading) if leading else (), sizes


def _checked(out: Any, cores: CoreDims, sizes: dict[str, int], signature: Any) -> Any:
    results = out if isinstance(out, tuple) else (out,)
    if len(results) != len(cores) or (len(cores) > 1 and not isinstance(out, tuple)):
        raise ArgumentTypeError(
            f"{signature!r} has {len(cores)} results, as a tuple if several.",
            f"Found {len(results)}.",
        )
    known = dict(sizes)
    for x, core in zip(results, cores, strict=True):
        shape = typeof(x).shape
        if len(shape) != len(core) or any(
            known.setdefault(name, size) != size
            for name, size in zip(core, shape, strict=True)
        ):
            raise ArgumentValueError(
                f"A result of {signature!r} has the axes {core}.",
                f"Found shape {shape} where {known}.",
            )
    return out


def _mapped(
    function: Any, arrays: list[Any], cores: Sequence[Any], shape: tuple[int, ...]
) -> Any:
    """The function mapped over each leading axis, innermost last; ones are dropped."""
    squeezed = []
    axes: list[list[int | None]] = [[] for _ in shape]
    for x, core in zip(arrays, cores, strict=True):
        lead = typeof(x).shape[: typeof(x).ndim - len(core)]
        missing = len(shape) - len(lead)
        gone = [i for i, n in enumerate(lead) if n == 1 and shape[i + missing] != 1]
        squeezed.append(lax.squeeze(x, gone))
        for place in range(len(shape)):
            absent = place < missing or (place - missing) in gone
            axes[place].append(None if absent else 0)
    for in_axes in reversed(axes):
        if any(axis is not None for axis in in_axes):
            function = vmap(function, in_axes=tuple(in_axes))
    return function(*squeezed)


def apply_along_axis(
    func1d: Callable[..., Any], axis: int, arr: ArrayLike, *args: Any, **kwargs: Any
) -> Array:
    """A function of vectors applied to all vectors along an axis.

    The axes of its result stand where the axis was.

    >>> import minijax.numpy as jnp
    >>> print(jnp.apply_along_axis(jnp.sum, 0, jnp.ones((2, 3))))
    [2. 2. 2.]
    """
    check_arrays("apply_along_axis", arr)
    rank = typeof(arr).ndim
    axis = canonicalize_axis(axis, rank)

    def function(vector: Any) -> Any:
        return func1d(vector, *args, **kwargs)

    # From the inside out: the innermost takes the last axis, and puts it last.
    for i in range(rank - axis - 1):
        function = vmap(function, in_axes=1, out_axes=-1 - i)
    for _ in range(axis):
        function = vmap(function, in_axes=0, out_axes=0)
    return function(as_is(arr))


def apply_over_axes(
    func: Callable[[Any, int], Any], a: ArrayLike, axes: Sequence[int]
) -> Array:
    """A reduction applied along several axes in turn, which are kept with size 1.

    >>> import minijax.numpy as jnp
    >>> print(jnp.apply_over_axes(jnp.sum, jnp.ones((2, 3)), (0, 1)))
    [[6.]]

    Raises:
      ValueError: the function changes the number of axes by more than one.
    """
    check_arrays("apply_over_axes", a)
    rank = typeof(a).ndim
    out = asarray(a)
    for axis in axes:
        along = canonicalize_axis(axis, rank)
        found = func(out, along)
        if typeof(found).ndim == rank - 1:
            found = expand_dims(found, along)
        if typeof(found).ndim != rank:
            raise ArgumentValueError(
                "apply_over_axes takes reductions along one axis.",
                f"Found a result of {typeof(found)}.",
            )
        out = found
    return out


def fromfunction(
    function: Callable[..., Any], shape: Any, *, dtype: Any = float, **kwargs: Any
) -> Array:
    """A function of coordinates, applied to those of every place of a shape.

    >>> import minijax.numpy as jnp
    >>> print(jnp.fromfunction(lambda i, j: i + j, (2, 2), dtype=int))
    [[0 1]
     [1 2]]
    """
    sizes = checked_shape(shape, "fromfunction")
    wanted = dtypes.requested_dtype(dtype, "fromfunction")
    mapped = function
    for i in range(len(sizes)):
        in_axes = tuple(
            0 if j == len(sizes) - 1 - i else None for j in range(len(sizes))
        )
        mapped = _with_keywords(mapped, kwargs if i == 0 else {}, in_axes)
    coordinates = [lax.iota(wanted, size) for size in sizes]
    return mapped(*coordinates) if sizes else function(**kwargs)


def _with_keywords(function: Any, kwargs: Any, in_axes: Any) -> Any:
    return vmap(functools.partial(function, **kwargs) if kwargs else function, in_axes)


def piecewise(
    x: ArrayLike,
    condlist: Any,
    funclist: Sequence[Any],
    *args: Any,
    **kw: Any,
) -> Array:
    """For each element the result of the function whose condition holds, the last one.

    An extra function at the end is for elements without one; 0 otherwise. Constants
    stand for functions, and results are converted to the dtype of x.

    >>> import minijax.numpy as jnp
    >>> x = jnp.array([-1.0, 2.0])
    >>> print(jnp.piecewise(x, [x < 0, x >= 0], [jnp.negative, 0.0]))
    [1. 0.]

    Raises:
      ValueError: not one function per condition, or one more.
    """
    check_arrays("piecewise", x)
    x = as_is(x)
    masks = _masks(condlist)
    functions = list(funclist)
    if len(functions) == len(masks) + 1:
        functions = [functions[-1], *functions[:-1]]
    elif len(functions) == len(masks):
        functions = [0, *functions]
    else:
        raise ArgumentValueError(
            "piecewise takes one function per condition, or one more.",
            f"Found {len(functions)} for {len(masks)}.",
        )
    dtype = typeof(x).dtype
    values = [_elementwise(f, x, args, kw) if callable(f) else f for f in functions]
    out = stretch(cast_to(values[0], dtype), typeof(x).shape)
    for mask, value in zip(masks, values[1:], strict=True):
        out = choose(mask, cast_to(value, dtype), out)
    return out


def _elementwise(function: Any, x: Any, args: Any, kw: Any) -> Any:
    return vectorize(lambda element: function(element, *args, **kw))(x)


def _masks(condlist: Any) -> list[Any]:
    if isinstance(condlist, list | tuple):
        return [cast_to(c, dtypes.BOOL) for c in condlist]
    check_arrays("piecewise", condlist)
    return [cast_to(row, dtypes.BOOL) for row in lax.unstack(as_is(condlist))]
