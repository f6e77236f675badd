"""Writing elements: `x.at[index].set(y)` and its like give a changed copy.

Source: spec/numpy.md §6.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import lax
from ..base import dtypes
from ..base.errors import ArgumentTypeError, ArgumentValueError
from ..core import EVAL, current, typeof
from ..lax import GatherScatterMode, ScatterDimensionNumbers
from ..transforms import eager_jit
from .arithmetic import power, stretch, true_divide
from .constants import device_scalar
from .getting import Layout, _covering, _unwrapped, get, split_entries
from .indexing import Arrangement, Entry, arrange, index_vectors, parse
from .promotion import PYTHON_SCALARS, as_is, cast_to, check_arrays

_SCATTERS: dict[str, Callable[..., Any]] = {
    "set": lax.scatter,
    "add": lax.scatter_add,
    "subtract": lax.scatter_sub,
    "multiply": lax.scatter_mul,
    "min": lax.scatter_min,
    "max": lax.scatter_max,
}


class IndexedUpdates:
    """`x.at`: index it to say which elements to change.

    >>> import minijax.numpy as jnp
    >>> print(jnp.zeros(3).at[1].set(5.0))
    [0. 5. 0.]
    """

    __slots__ = ("array",)

    def __init__(self, array: Any) -> None:
        self.array = array

    def __getitem__(self, index: Any) -> IndexedElements:
        return IndexedElements(self.array, index)

    def __repr__(self) -> str:
        return f"_IndexUpdateHelper({self.array!r})"


class IndexedElements:
    """`x.at[index]`: the elements of an array that are to be changed or read."""

    __slots__ = ("array", "index")

    def __init__(self, array: Any, index: Any) -> None:
        self.array, self.index = array, index

    def __repr__(self) -> str:
        return f"_IndexUpdateRef({self.array!r}, {self.index!r})"

    def get(self, *, out_sharding: Any = None, **options: Any) -> Any:
        """The elements; `mode` says what stands for those out of bounds."""
        return get(self.array, self.index, **options)

    def set(self, values: Any, **options: Any) -> Any:
        """A copy with the elements replaced."""
        return update(self.array, self.index, values, "set", **options)

    def add(self, values: Any, **options: Any) -> Any:
        """A copy with values added; an element named twice gets both."""
        return update(self.array, self.index, values, "add", **options)

    def subtract(self, values: Any, **options: Any) -> Any:
        """A copy with values subtracted; an element named twice loses both."""
        return update(self.array, self.index, values, "subtract", **options)

    def multiply(self, values: Any, **options: Any) -> Any:
        """A copy with elements multiplied by values, repeatedly if named twice."""
        return update(self.array, self.index, values, "multiply", **options)

    mul = multiply

    def divide(self, values: Any, **options: Any) -> Any:
        """A copy with elements divided by values, repeatedly if named twice."""
        factors = update(
            _ones_like(self.array), self.index, values, "multiply", **options
        )
        return true_divide(self.array, factors)

    def power(self, values: Any, **options: Any) -> Any:
        """A copy with elements raised to values, repeatedly if named twice."""
        exponents = update(
            _ones_like(self.array), self.index, values, "multiply", **options
        )
        return power(self.array, exponents)

    def min(self, values: Any, **options: Any) -> Any:
        """A copy in which no element is larger than its value."""
        return update(self.array, self.index, values, "min", **options)

    def max(self, values: Any, **options: Any) -> Any:
        """A copy in which no element is smaller than its value."""
        return update(self.array, self.index, values, "max", **options)

    def apply(self, func: Callable[[Any], Any], **options: Any) -> Any:
        """A copy with a function applied to the elements, twice to one named twice."""
        return apply_at(self.array, self.index, func, **options)


@eager_jit
def _ones_like(x: Any) -> Any:
    return lax.full_like(x, 1)


# --- what an update needs -------------------------------------------------------------


def _options(
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    mode: Any = None,
    out_sharding: Any = None,
    wrap_negative_indices: bool = True,
) -> tuple[Any, ...]:
    parsed = GatherScatterMode.from_any(mode)
    if parsed is GatherScatterMode.ONE_HOT:
        raise ArgumentValueError("An update has no mode 'one_hot'.", f"Found {mode!r}.")
    return (
        parsed.name,
        int(indices_are_sorted),
        int(unique_indices),
        int(wrap_negative_indices),
    )


def update(x: Any, index: Any, values: Any, operation: str, **options: Any) -> Any:
    """A copy of `x` with an operation done to the elements that `index` names.

    Raises:
      ValueError: values that do not broadcast to the elements, an unknown mode.
      TypeError: values that are no numbers; "add" of booleans.
      IndexError: an index that does not fit.
    """
    static = _options(**options)
    values = _as_values(values)
    _warn_of_loss(x, values)
    entries = parse(index, typeof(x).shape)
    if not static[-1]:
        entries = _unwrapped(index, entries)
    if current.value is not EVAL:
        return _updated(x, entries, values, operation, static)
    layout, numbers = split_entries(entries, typeof(x).shape, clamp=False)
    if values.__class__ in PYTHON_SCALARS:
        values = _device_value(values, typeof(x).dtype)
    return _compiled(x, layout, operation, static, values, *numbers)


def _as_values(values: Any) -> Any:
    if isinstance(values, list | tuple):
        return np.asarray(values)
    if values is None:
        raise ArgumentValueError("An update is made of numbers.", "Found None.")
    if isinstance(values, str):
        raise ArgumentTypeError(
            "An update is made of an array or a number.",
            f"Found {values!r} of type {type(values).__name__}.",
        )
    check_arrays("an update", values)
    return values


def _device_value(value: Any, dtype: Any) -> Any:
    if value.__class__ is int and dtype in dtypes.INTEGERS:
        # An int wraps into the dtype of the array, however large it is.
        return np.asarray(value).astype(dtype)
    return device_scalar(value)


def _warn_of_loss(x: Any, values: Any) -> None:
    old, new = typeof(x).dtype, dtypes.kind_of(values)
    if old == new[0] or dtypes.is_extended(old):
        return
    if values.__class__ is int and old in dtypes.INTEGERS:
        return
    joined, weak = dtypes.join_kinds((old, typeof(x).weak_type), new)
    if joined == old or (weak and joined.kind == old.kind):
        return
    warnings.warn(
        f"values of {new[0]} are converted to the {old} of the array they are written "
        "into; convert them yourself, this will be an error",
        FutureWarning,
        stacklevel=4,
    )


@eager_jit(static_argnums=(1, 2, 3))
def _compiled(
    x: Any, layout: Layout, operation: str, static: Any, values: Any, *numbers: Any
) -> Any:
    entries = _covering(layout, numbers, typeof(x).shape)
    return _updated(x, entries, values, operation, static)


def _updated(
    x: Any, entries: Sequence[Entry], values: Any, operation: str, static: Any
) -> Any:
    mode, sorted_, unique, wrap = static
    aval = typeof(x)
    found = arrange(entries, aval.shape, wrap=bool(wrap))
    _check_shape(values, found)
    if 0 in found.shape:
        return as_is(x)
    vectors = index_vectors(found)
    values = _shaped_values(values, aval, found)
    if found.masked:
        x = lax.expand_dims(x, found.masked)
    out = _SCATTERS[operation](
        x,
        vectors,
        values,
        _numbers(found),
        indices_are_sorted=bool(sorted_) or found.exact,
        unique_indices=bool(unique) or found.exact,
        mode=GatherScatterMode[mode],
    )
    return lax.squeeze(out, found.masked) if found.masked else out


def _numbers(found: Arrangement) -> ScatterDimensionNumbers:
    return ScatterDimensionNumbers(
        update_window_dims=found.offsets,
        inserted_window_dims=found.dropped,
        scatter_dims_to_operand_dims=tuple(c.axis for c in found.components),
    )


def _check_shape(values: Any, found: Arrangement) -> None:
    given = typeof(values).shape
    try:
        fits = lax.broadcast_shapes(given, found.shape) == found.shape
    except ValueError:
        fits = False
    if not fits:
        raise ArgumentValueError(
            f"The values of an update broadcast to its elements, shape {found.shape}.",
            f"Found shape {given}.",
        )


def _shaped_values(values: Any, aval: Any, found: Arrangement) -> Any:
    """Values in the dtype of the array and the shape of the elements, new axes out."""
    values = stretch(cast_to(values, aval.dtype, weak=aval.weak_type), found.shape)
    return lax.squeeze(values, found.new) if found.new else values


def apply_at(x: Any, index: Any, function: Callable[[Any], Any], **options: Any) -> Any:
    """A copy of `x` with a function applied to the elements that `index` names."""
    static = _options(**options)
    mode, sorted_, unique, wrap = static
    entries = parse(index, typeof(x).shape)
    found = arrange(entries, typeof(x).shape, wrap=bool(wrap))
    operand = lax.expand_dims(x, found.masked) if found.masked else x
    out = lax.scatter_apply(
        operand,
        index_vectors(found),
        function,
        _numbers(found),
        update_shape=tuple(n for i, n in enumerate(found.shape) if i not in found.new),
        indices_are_sorted=bool(sorted_) or found.exact,
        unique_indices=bool(unique) or found.exact,
        mode=GatherScatterMode[mode],
    )
    return lax.squeeze(out, found.masked) if found.masked else out
