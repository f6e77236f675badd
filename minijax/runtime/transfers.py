"""Transfers: from the host to devices, between devices, and back.

Rules:
1. An array made from NumPy memory that somebody can write holds a copy of it.
2. A placement that is given commits the array to it; without one, the array goes to
   the default device and may be moved by the computation that uses it.
3. An array that is placed as asked already is not copied.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import tree
from ..base import jaxlib_core
from ..base.dtypes import check_array_dtype, check_int_fits
from ..base.errors import ArgumentValueError
from ..core import ShapedArray, Tracer, escaped, typeof
from ..sharding import Device, Sharding
from .arrays import (
    Array,
    ArrayImpl,
    check_deleted,
    logical,
    method,
    physical,
    put_on,
    value_of,
)
from .devices import default_placement, first_device, placement_on

_Semantics = jaxlib_core.ArrayCopySemantics


def placement_of(target: Any) -> Sharding | None:
    """The placement that a user's `device` argument means; None for no wish.

    Raises:
        ValueError: it names no place.
    """
    if target is None or isinstance(target, Sharding):
        return target
    if isinstance(target, Device):
        return placement_on(target)
    raise ArgumentValueError(
        "A place for arrays is a device, a sharding, or None.",
        f"Found {target!r} of type {type(target).__name__}.",
    )


def put(
    x: Any,
    placement: Sharding | None = None,
    *,
    copy: bool = False,
    donate: bool = False,
) -> Array:
    """`x` as an array, placed and committed as asked; `T[*s] -> T[*s]`.

    copy: the result has a buffer of its own. donate: the buffer of the array `x` is
    given up.

    Raises:
        TypeError: `x` is no array and no number.
        RuntimeError: `x` was deleted.
    """
    if type(x) is ArrayImpl:
        return _move(x, placement, copy=copy, donate=donate)
    aval = aval_of(x)
    data = physical(x)
    if data is not x:
        moved = put(data, placement, copy=copy, donate=donate)
        return logical(aval, moved)
    if placement is None:
        placement = default_placement()
        return put_on(x, aval, placement, committed=False, copy=_must_copy(x))
    return put_host(x, aval, placement)


def aval_of(x: Any) -> ShapedArray:
    """The type of a value that is to become an array.

    Raises:
        TypeError: it cannot; UnexpectedTracerError for a tracer.
        OverflowError: a Python int that no default integer holds.
    """
    if isinstance(x, Tracer):
        raise escaped(x)
    aval = typeof(x)
    check_data(x, aval)
    return aval


def check_data(x: Any, aval: ShapedArray, path: str = "") -> None:
    """Refuse what `typeof` accepts and no array can hold.

    Raises:
        TypeError: NumPy data of text, objects or dates.
        ValueError: a masked array: what is masked would be lost.
        OverflowError: a Python int that its type does not hold.
    """
    if type(x) is int:
        check_int_fits(x, aval.dtype, path)
    elif isinstance(x, np.ndarray | np.generic):
        check_array_dtype(x.dtype, path)
        # By name: whoever has a masked array has loaded `numpy.ma`, we need not.
        if type(x).__module__.startswith("numpy.ma"):
            raise ArgumentValueError(
                f"Argument {path or 'value'} must be a plain array.",
                f"Found a masked array of type {aval}.",
                "Fill it first: `x.filled(0)`.",
            )


def _must_copy(x: Any) -> bool:
    """Whether somebody may write the memory of `x` later."""
    while isinstance(x, np.ndarray):
        if x.flags.writeable:
            return True
        x = x.base
    # Nobody writes the memory of scalars, bytes and our arrays.
    return not (
        x is None
        or isinstance(x, np.generic | bool | int | float | complex | bytes | ArrayImpl)
        or (isinstance(x, memoryview) and isinstance(x.obj, bytes | ArrayImpl))
    )


def put_host(x: Any, aval: ShapedArray, placement: Sharding) -> Array:
    """Host data as an array committed to `placement`, one part per device."""
    indices = placement.addressable_devices_indices_map(aval.shape)
    if len(indices) == 1 and placement.is_fully_replicated:
        return put_on(x, aval, placement, committed=True, copy=_must_copy(x))
    whole = np.asarray(x, aval.dtype)
    return jaxlib_core.batched_device_put(
        aval,
        placement,
        [whole[index] for index in indices.values()],
        list(indices),
        True,
        _must_copy(x),
    )


def _move(x: Array, placement: Sharding | None, *, copy: bool, donate: bool) -> Array:
    check_deleted(x)
    at = x._sharding
    if placement is None or (placement is at and x._committed):
        return _recommit(x, at, copy=copy, committed=x._committed)
    if placement.is_equivalent_to(at, x.aval.ndim) and not donate:
        return _recommit(x, placement, copy=copy, committed=True)
    if placement.num_devices == at.num_devices == 1 or _same_parts(x, placement):
        # What is donated is deleted below, so it must not share its memory.
        semantics = _Semantics.ALWAYS_COPY if copy or donate else _Semantics.REUSE_INPUT
        (moved,) = jaxlib_core.batched_copy_array_to_devices_with_sharding(
            [x], [placement._internal_device_list], [placement], [semantics]
        )
    else:
        moved = put_host(value_of(x), x.aval, placement)
    # A move keeps the commitment of its source; this one was asked for.
    moved = _recommit(moved, placement, copy=False, committed=True)
    if donate:
        x.delete()
    return moved


def _recommit(x: Array, placement: Sharding, *, copy: bool, committed: bool) -> Array:
    if copy:
        return put_on(x, x.aval, placement, committed=committed, copy=True)
    if committed is x._committed and placement is x._sharding:
        return x
    return x._rewrap_with_aval_and_sharding(x.aval, placement)


def _same_parts(x: Array, placement: Sharding) -> bool:
    shape = x.aval.shape
    old = list(x._sharding.devices_indices_map(shape).values())
    return old == list(placement.devices_indices_map(shape).values())


def fetch(leaf: Any) -> Any:
    """An array as a NumPy array; any other value as it is."""
    if type(leaf) is ArrayImpl:
        return value_of(leaf)
    return leaf


def device_get(x: Any) -> Any:
    """A tree with every array in it as a NumPy array, read-only where memory is shared.

    All transfers are started before the first is waited for; other leaves stay.

    Raises:
        RuntimeError: an array was deleted.

    >>> import minijax as mj
    >>> mj.device_get({"a": mj.device_put(1.0), "b": "text"})
    {'a': array(1., dtype=float32), 'b': 'text'}
    """
    leaves, structure = tree.flatten(x)
    arrays = [leaf for leaf in leaves if type(leaf) is ArrayImpl]
    for array in arrays:
        check_deleted(array)
    jaxlib_core.batched_copy_to_host_async(arrays)
    guards = jaxlib_core.guard_lib.thread_local_state()
    previous, guards.explicit_device_get = guards.explicit_device_get, True
    try:
        return structure.unflatten([fetch(leaf) for leaf in leaves])
    finally:
        guards.explicit_device_get = previous


def block_until_ready(x: Any) -> Any:
    """Wait until every array of a tree is computed; returns the tree.

    Raises:
        RuntimeError: an array was deleted, or its computation failed.

    >>> import minijax as mj
    >>> mj.block_until_ready([mj.device_put(1.0), "text"])[1]
    'text'
    """
    data = map(physical, tree.leaves(x))
    arrays = [leaf for leaf in data if type(leaf) is ArrayImpl]
    for array in arrays:
        check_deleted(array)
    jaxlib_core.batched_block_until_ready(arrays)
    return x


def put_explicitly(
    xs: Sequence[Any],
    placements: Sequence[Sharding | None],
    *,
    copy: bool = False,
    donate: bool = False,
) -> list[Array]:
    """`put` of several values, which transfer guards regard as asked for."""
    guards = jaxlib_core.guard_lib.thread_local_state()
    previous, guards.explicit_device_put = guards.explicit_device_put, True
    try:
        return [
            put(x, placement, copy=copy, donate=donate)
            for x, placement in zip(xs, placements, strict=True)
        ]
    finally:
        guards.explicit_device_put = previous


@method
def to_device(self: Array, device: Any, *, stream: Any = None) -> Array:
    """The array on another device or placement, committed to it."""
    if isinstance(device, str):
        device = first_device(device)
    (moved,) = put_explicitly([self], [placement_of(device)])
    return moved


def rebuild(value: np.ndarray, weak_type: bool) -> Array:
    """An array from its pickled form."""
    aval = typeof(value).update_weak_type(weak_type)
    return put_on(value, aval, default_placement(), committed=False, copy=True)


@method
def __reduce__(self: Array) -> Any:
    return rebuild, (value_of(self), self.aval.weak_type)
