"""Arrays from Python and NumPy data, copies, and changes of dtype.

Source: spec/numpy.md §§2, 4.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lax
from ..base import dtypes
from ..base.errors import ArgumentTypeError, ArgumentValueError, NotSupportedError
from ..core import (
    StagedTracer,
    StagingTrace,
    Tracer,
    copy_p,
    current,
    is_literalable,
    make_literal,
    typeof,
)
from ..runtime import Array, ArrayImpl, copy_of, placement_of, put, put_explicitly
from .promotion import PYTHON_SCALARS, cast_to, check_arrays

if TYPE_CHECKING:
    from .promotion import ArrayLike, DTypeLike

_HOST_SCALARS = (bool, int, float, complex, np.generic)


def array(
    object: Any,
    dtype: DTypeLike | None = None,
    *,
    copy: bool = True,
    order: str | None = "K",
    ndmin: int = 0,
    device: Any = None,
    out_sharding: Any = None,
) -> Array:
    """An array from numbers, nested lists of them, arrays and NumPy arrays.

    Without a dtype, the common one of all elements; a bare Python number stays weakly
    typed. device: a device or sharding to commit the array to.

    >>> import minijax.numpy as jnp
    >>> jnp.array([1, 2.5])
    Array([1. , 2.5], dtype=float32)

    Raises:
      TypeError: something that holds no numbers.
      ValueError: rows of different lengths, or None among the elements.
      OverflowError: an int that does not fit the dtype.
    """
    if order not in (None, "K"):
        raise NotSupportedError("Arrays have no memory order.", f"Found {order!r}.")
    if device is not None and out_sharding is not None:
        raise ArgumentValueError(
            "`device` and `out_sharding` both place the array.", "Found both."
        )
    wanted = None if dtype is None else dtypes.requested_dtype(dtype, "array")
    out = _make(object, wanted, copy=copy)
    if typeof(out).ndim < ndmin:
        out = lax.expand_dims(out, range(ndmin - typeof(out).ndim))
    return placed(out, device if device is not None else out_sharding)


def asarray(
    a: Any,
    dtype: DTypeLike | None = None,
    order: str | None = None,
    *,
    copy: bool | None = None,
    device: Any = None,
    out_sharding: Any = None,
) -> Array:
    """As `array`, but an array that needs no change is returned as it is.

    >>> import minijax.numpy as jnp
    >>> x = jnp.zeros(2)
    >>> jnp.asarray(x) is x
    True
    """
    if a.__class__ is ArrayImpl and dtype is None and not copy and device is None:
        return a
    return array(
        a,
        dtype,
        copy=bool(copy),
        order=order or "K",
        device=device,
        out_sharding=out_sharding,
    )


def placed(x: Any, device: Any) -> Any:
    """`x` committed to a device or sharding; itself without one."""
    if device is None:
        return x
    (moved,) = put_explicitly([x], [placement_of(device)])
    return moved


def _make(x: Any, dtype: Any, *, copy: bool) -> Any:
    if isinstance(x, Array | Tracer):
        return _from_array(x, dtype, copy=copy)
    kind = type(x)
    if kind in PYTHON_SCALARS:
        return _placed_or_staged(x if dtype is None else _host(x, dtype))
    if hasattr(x, "__jax_array__"):
        return _from_array(x.__jax_array__(), dtype, copy=copy)
    if isinstance(x, np.ndarray | np.generic):
        return _placed_or_staged(_converted(x, dtype))
    if isinstance(x, list | tuple):
        return _from_list(x, dtype)
    if isinstance(x, bool | int | float | complex):
        return _make(next(p for p in _PYTHON if isinstance(x, p))(x), dtype, copy=copy)
    return _from_foreign(x, dtype)


def _placed_or_staged(x: Any) -> Any:
    """Host data as an array; in a program that is staged a scalar is a literal."""
    trace = current.value
    if type(trace) is StagingTrace and is_literalable(x):
        return StagedTracer(trace, make_literal(x))
    return put(x)


_PYTHON: tuple[type[Any], ...] = (bool, int, float, complex)


def _from_array(x: Any, dtype: Any, *, copy: bool) -> Any:
    aval = typeof(x)
    if dtype is None or (dtype == aval.dtype and not aval.weak_type):
        return copied(x) if copy else x
    return cast_to(x, dtype)


def copied(x: Any) -> Any:
    """`x` in a buffer of its own."""
    return copy_of(x) if x.__class__ is ArrayImpl else copy_p.bind(x)


def _host(x: Any, dtype: Any) -> np.ndarray:
    """Python data as NumPy data; ints are checked, other conversions are NumPy's."""
    if dtypes.is_extended(dtype):
        raise ArgumentTypeError(f"Numbers do not become {dtype}.", f"Found {x!r:.60}.")
    made = np.asarray(x)
    if made.dtype.kind in "iuO" and dtype in dtypes.INTEGERS:
        for value in (made.min(), made.max()) if made.size else ():
            dtypes.check_int_fits(int(value), dtype)
    if (
        made.dtype.kind == "c"
        and dtype not in dtypes.COMPLEXES
        and dtype != dtypes.BOOL
    ):
        raise ArgumentTypeError(
            f"A complex number does not become {dtype}.", f"Found {x!r:.60}."
        )
    to_integers = made.dtype.kind == "f" and dtype in dtypes.INTEGERS
    if to_integers and not np.all(np.isfinite(made)):
        raise ArgumentValueError(
            f"NaN and infinities do not become {dtype}.", f"Found {x!r:.60}."
        )
    with np.errstate(over="ignore"):
        return made.astype(dtype)


def _converted(x: Any, dtype: Any) -> Any:
    """NumPy data in a dtype, wrapping and truncating as NumPy does."""
    wanted = dtypes.canonicalize_dtype(x.dtype) if dtype is None else dtype
    dtypes.check_array_dtype(wanted)
    if x.dtype == wanted:
        return x
    if isinstance(x, np.ma.MaskedArray):
        x = np.asarray(x)
    with np.errstate(all="ignore"):
        return np.asarray(x).astype(wanted)


def _leaves(items: Sequence[Any]) -> Iterator[Any]:
    for item in items:
        if isinstance(item, list | tuple):
            yield from _leaves(item)
        else:
            yield item


def _from_list(items: Sequence[Any], dtype: Any) -> Any:
    leaves = list(_leaves(items))
    if any(leaf is None for leaf in leaves):
        raise ArgumentValueError("Elements of an array are numbers.", "Found None.")
    if any(_is_ours(leaf) for leaf in leaves):
        return _stacked(items, dtype, leaves)
    for leaf in leaves:
        if not isinstance(leaf, (*_HOST_SCALARS, np.ndarray)):
            raise ArgumentTypeError(
                "Elements of an array are numbers.",
                f"Found {leaf!r:.60} of type {type(leaf).__name__}.",
            )
    try:
        made = np.asarray(items)
    except ValueError as error:
        raise ArgumentValueError(
            "The rows of an array have one length.", f"NumPy says: {error}."
        ) from error
    if not leaves:
        return put(made.astype(dtype or dtypes.default_float()))
    if dtype is None:
        kinds = {type(leaf) for leaf in leaves}
        joined = dtypes.join_kinds(*{_kind(leaf) for leaf in leaves})[0]
        if kinds <= {int, bool} or (
            kinds <= PYTHON_SCALARS and made.dtype.kind in "iuO"
        ):
            return put(_host(made, joined))
        with np.errstate(over="ignore"):
            return put(made.astype(joined))
    if all(type(leaf) in PYTHON_SCALARS for leaf in leaves):
        return put(_host(made, dtype))
    return put(_converted(made, dtype))


def _kind(leaf: Any) -> Any:
    return dtypes.kind_of(leaf)


def _is_ours(leaf: Any) -> bool:
    return isinstance(leaf, Array | Tracer) or hasattr(leaf, "__jax_array__")


def _stacked(items: Sequence[Any], dtype: Any, leaves: Sequence[Any]) -> Any:
    leaves = [x.__jax_array__() if hasattr(x, "__jax_array__") else x for x in leaves]
    common = (
        dtypes.join_kinds(*[_kind(x) for x in leaves])[0] if dtype is None else dtype
    )
    return _stack(items, common)


# How many arrays are joined by one primitive: programs with very wide ones compile
# slowly.
_GROUP = 16


def _stack(items: Any, dtype: Any) -> Any:
    if not isinstance(items, list | tuple):
        if hasattr(items, "__jax_array__"):
            items = items.__jax_array__()
        return lax.convert_element_type(items, dtype)
    parts = [lax.expand_dims(_stack(item, dtype), (0,)) for item in items]
    shapes = {typeof(part).shape for part in parts}
    if len(shapes) > 1:
        raise ArgumentTypeError(
            "The rows of an array have one shape.",
            f"Found shapes {sorted(s[1:] for s in shapes)}.",
        )
    while len(parts) > 1:
        groups = [parts[i : i + _GROUP] for i in range(0, len(parts), _GROUP)]
        parts = [g[0] if len(g) == 1 else lax.concatenate(g, 0) for g in groups]
    return parts[0]


def _from_foreign(x: Any, dtype: Any) -> Any:
    if isinstance(x, bytearray | memoryview):
        return put(_converted(np.array(x), dtype))
    if x is None:
        raise ArgumentValueError("An array is made of numbers.", "Found None.")
    if isinstance(x, range):
        return _from_list(list(x), dtype)
    if hasattr(x, "__array__"):
        return put(_converted(np.array(x), dtype))
    if hasattr(x, "__array_interface__"):
        return put(_converted(np.array(x), dtype))
    raise ArgumentTypeError(
        "An array is made of numbers, nested lists of them, and arrays.",
        f"Found {x!r:.60} of type {type(x).__name__}.",
    )


def copy(a: ArrayLike, order: str | None = None) -> Array:
    """An equal array in a buffer of its own.

    >>> import minijax.numpy as jnp
    >>> x = jnp.zeros(2)
    >>> jnp.copy(x) is x
    False
    """
    check_arrays("copy", a)
    return array(a, copy=True, order=order)


def astype(
    x: ArrayLike, dtype: DTypeLike | None, /, *, copy: bool = False, device: Any = None
) -> Array:
    """The elements converted to a dtype; never weakly typed.

    Floats lose their fraction on the way to integers and stop at the limits.

    >>> import minijax.numpy as jnp
    >>> print(jnp.astype(jnp.array([1.7, -0.3]), int))
    [1 0]
    """
    check_arrays("astype", x)
    wanted = dtypes.requested_dtype(float if dtype is None else dtype, "astype")
    aval = typeof(x)
    if aval.dtype in dtypes.COMPLEXES and wanted not in dtypes.COMPLEXES:
        x = _drop_imaginary(x, wanted)
    out = cast_to(x, wanted)
    if copy and out is x:
        out = copied(out)
    return placed(out, device)


def _drop_imaginary(x: Any, wanted: Any) -> Any:
    if wanted == dtypes.BOOL:
        zero = np.zeros((), typeof(x).dtype)[()]
        return lax.ne(x, zero)
    warnings.warn(
        f"complex numbers lose their imaginary part on the way to {wanted}",
        DeprecationWarning,
        stacklevel=4,
    )
    return lax.real(x)
