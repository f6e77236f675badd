"""Arrays: jaxlib's `ArrayImpl` with the methods that ask for data or placement.

jaxlib ships the class without Python surface; it is attached here, once, at import.
Operators and the methods of `numpy` come through `core.operators`, like those of
tracers. Nothing of this file runs on the call path of compiled programs.

Rules:
1. `x.aval` is an interned `ShapedArray`, given when the array is made; C++ never checks
   it against the data, so whoever makes an array takes both from one place.
2. Whatever needs the data of a deleted array raises `DeletedArrayError`.
3. NumPy views of arrays are read-only; arrays alias only memory nobody can write.

Source: spec/numpy.md §3, spec/jaxlib.md §4.
"""

import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

# `isinstance(x, Array)` holds for arrays and for tracers of arrays.
from jaxlib._jax import Array, ArrayImpl, JaxRuntimeError

from ..base import dtypes, jaxlib_core
from ..base.errors import (
    AmbiguousTruthError,
    ArgumentTypeError,
    ArgumentValueError,
    DeletedArrayError,
    ImmutableArrayError,
    ScalarConversionError,
)
from ..core import (
    Operator,
    ShapedArray,
    Tracer,
    aval_makers,
    register_array_type,
    shaped,
)
from ..lowering import numpy_makers
from ..sharding import Device, Format, Layout, Sharding
from .shards import Shard, addressable_shards, global_shards, shard_data
from .shield import shielded

jaxlib_core.set_tracer_class(Tracer)


def _refuse_construction(self: Any, *args: Any, **kwargs: Any) -> None:
    raise ArgumentTypeError(
        "Array is the type of arrays, for `isinstance` and annotations.",
        "Found a call of it.",
        "Make arrays with `minijax.numpy.array`, `zeros`, …",
    )


Array.__init__ = _refuse_construction
Array.__module__ = "minijax"
aval_makers[ArrayImpl] = operator.attrgetter("aval")


def attach(name: str, attribute: Any) -> None:
    """Give arrays an attribute."""
    setattr(ArrayImpl, name, attribute)


def method[F: Callable[..., Any]](function: F) -> F:
    """Attach a function as the method of its name."""
    attach(function.__name__, function)
    return function


def getter[F: Callable[..., Any]](function: F) -> F:
    """Attach a function as the property of its name."""
    attach(function.__name__, property(function))
    return function


def _install(name: str, entry: Operator) -> None:
    attach(name, entry.eager)


register_array_type(_install)


# --- What the type tells --------------------------------------------------------------

for _name in ("shape", "dtype", "ndim", "size", "weak_type"):
    attach(_name, property(operator.attrgetter(f"aval.{_name}")))
attach("itemsize", property(operator.attrgetter("aval.dtype.itemsize")))
attach("sharding", property(operator.attrgetter("_sharding")))
attach("committed", property(operator.attrgetter("_committed")))
attach("memory_space", property(operator.attrgetter("aval.memory_space")))
attach("__hash__", None)
attach("__array_priority__", 100)


@getter
def nbytes(self: Array) -> int:
    """The bytes of all elements."""
    return self.aval.size * self.aval.dtype.itemsize


@method
def __len__(self: Array) -> int:
    if not self.aval.shape:
        raise ArgumentTypeError(
            "The length of an array is the size of its first axis.",
            f"Found an array without axes, {self.aval}.",
        )
    return self.aval.shape[0]


@method
def __setitem__(self: Array, index: Any, value: Any) -> None:
    raise ImmutableArrayError("Array")


# --- The data -------------------------------------------------------------------------


def value_of(x: Array) -> np.ndarray:
    """The elements of an array as a read-only NumPy array; waits until they are there.

    Raises:
        DeletedArrayError: the array was deleted or donated (a RuntimeError).
        RuntimeError: parts of it belong to other processes.
    """
    try:
        return x._to_np_array_did_copy()[0]
    except JaxRuntimeError:
        check_deleted(x)
        raise


attach("_value", property(value_of))
numpy_makers[ArrayImpl] = value_of  # a constant of programs


def check_deleted(x: Array) -> None:
    """Raises: DeletedArrayError, if the data of `x` are gone."""
    if x.is_deleted():
        raise DeletedArrayError(str(x.aval))


@method
def __array__(
    self: Array, dtype: Any = None, context: Any = None, copy: bool | None = None
) -> np.ndarray:
    value = value_of(self)
    if dtype is not None and np.dtype(dtype) != value.dtype:
        if copy is False:
            raise ArgumentValueError(
                f"NumPy asks for {np.dtype(dtype)} data without a copy.",
                f"Found {self.aval}.",
            )
        return value.astype(dtype)
    return value.copy() if copy else value


def _one_element(x: Array, function: str) -> Any:
    if x.aval.shape:
        raise ScalarConversionError(function, str(x.aval))
    return value_of(x)


@method
def __bool__(self: Array) -> bool:
    if self.aval.size != 1:
        raise AmbiguousTruthError(self.aval.shape)
    return bool(value_of(self).reshape(()))


@method
def __int__(self: Array) -> int:
    return int(_one_element(self, "int"))


@method
def __float__(self: Array) -> float:
    return float(_one_element(self, "float"))


@method
def __complex__(self: Array) -> complex:
    return complex(_one_element(self, "complex"))


@method
def __index__(self: Array) -> int:
    if not dtypes.issubdtype(self.aval.dtype, np.integer):
        raise ArgumentTypeError(
            "An index is an integer.", f"Found an array of type {self.aval}."
        )
    return int(_one_element(self, "__index__"))


@method
def __hex__(self: Array) -> str:
    return hex(self.__index__())


@method
def __oct__(self: Array) -> str:
    return oct(self.__index__())


@method
def __format__(self: Array, spec: str) -> str:
    if not self.aval.shape:  # as numpy formats a scalar: all digits
        return format(value_of(self)[()], spec)
    if spec:
        raise ArgumentTypeError(
            f"The format {spec!r} is for one number.", f"Found {self.aval}."
        )
    return str(self)


@method
def item(self: Array, *args: Any) -> Any:
    """The element of a one-element array, or the one at an index, as a Python number.

    Raises:
        ValueError: several elements, and no index.
    """
    if not args and self.aval.size != 1:
        raise ArgumentValueError(
            "`item()` gives the element of an array that has one.",
            f"Found {self.aval}.",
            "Give the index of the element: `item(i)`.",
        )
    return value_of(self).item(*args)


@method
def tolist(self: Array) -> Any:
    """The elements as nested lists of Python numbers."""
    return value_of(self).tolist()


@method
def tobytes(self: Array, order: Any = "C") -> bytes:
    """The bytes of the elements, as NumPy's `tobytes`."""
    return value_of(self).tobytes(order)


@method
def __iter__(self: Array) -> Iterator[Array]:
    return iter(_rows(self))


@method
def __reversed__(self: Array) -> Iterator[Array]:
    return reversed(_rows(self))


def _rows(x: Array) -> list[Array]:
    if not x.aval.shape:
        raise ArgumentTypeError(
            "Iteration goes along the first axis.",
            f"Found an array without axes, {x.aval}.",
        )
    if len(x._sharding.device_set) > 1:
        return [x[i] for i in range(x.aval.shape[0])]
    # One transfer in place of one program per row. The rows of a CPU array share its
    # memory: their base is a view that keeps the buffer alive.
    aval = shaped(x.aval.shape[1:], x.aval.dtype, x.aval.weak_type)
    rows = [np.asarray(row) for row in value_of(x)]
    return [put_on(row, aval, x._sharding, committed=x._committed) for row in rows]


# --- Text -----------------------------------------------------------------------------


@method
def __repr__(self: Array) -> str:
    # An array prints as a user of NumPy expects: the name, the elements, the dtype.
    check_deleted(self)
    aval, prefix = self.aval, "Array("
    notes = f"dtype={aval.dtype.name}"
    if aval.weak_type:
        notes += ", weak_type=True"
    if not (self.is_fully_addressable or self.is_fully_replicated):
        return f"{prefix}shape={aval.shape}, {notes})"
    if aval.size == 0:
        return f"{prefix}[], shape={aval.shape}, {notes})"
    value = value_of(self)
    text = np.array2string(value, prefix=prefix, suffix=",", separator=", ")
    last = text[text.rfind("\n") + 1 :]
    fits = len(last) + len(notes) + 4 <= np.get_printoptions()["linewidth"]
    gap = " " * (1 if fits else len(prefix))  # as jax prints it
    return f"{prefix}{text},{gap}{notes})"


@method
def __str__(self: Array) -> str:
    return str(value_of(self))


# --- Readiness and life ---------------------------------------------------------------

_native_block = ArrayImpl.block_until_ready
_native_is_ready = ArrayImpl.is_ready
_native_pointer = ArrayImpl.unsafe_buffer_pointer
_native_size = ArrayImpl.on_device_size_in_bytes


@method
def block_until_ready(self: Array) -> Array:
    """Wait until the elements are computed; returns the array.

    Raises:
        DeletedArrayError: the array was deleted or donated.
        JaxRuntimeError: the computation failed.
    """
    try:
        return _native_block(self)
    except JaxRuntimeError:
        check_deleted(self)
        raise


@method
def is_ready(self: Array) -> bool:
    """Whether the elements are computed."""
    check_deleted(self)
    return _native_is_ready(self)


@method
def copy_to_host_async(self: Array) -> None:
    """Start moving the elements to the host, so that reading them waits less."""
    check_deleted(self)
    jaxlib_core.batched_copy_to_host_async([self])


@method
def unsafe_buffer_pointer(self: Array) -> int:
    """The address of the elements on the device."""
    check_deleted(self)
    with shielded():
        return _native_pointer(self)


@method
def on_device_size_in_bytes(self: Array) -> int:
    """The bytes the array takes on its devices, padding included."""
    check_deleted(self)
    return _native_size(self)


# --- Placement ------------------------------------------------------------------------


@getter
def device(self: Array) -> Device | Sharding:
    """The device that holds the array; its placement, if there are several."""
    if len(self._sharding.device_set) == 1:
        (only,) = self._sharding.device_set
        return only
    return self._sharding


@method
def devices(self: Array) -> set[Device]:
    """The devices that hold parts of the array."""
    return set(self._sharding.device_set)


@getter
def is_fully_addressable(self: Array) -> bool:
    """Whether all parts belong to this process."""
    return self._sharding.is_fully_addressable


@getter
def is_fully_replicated(self: Array) -> bool:
    """Whether every device holds the whole array."""
    return self._sharding.is_fully_replicated


def _own_shards(x: Array) -> list[Shard]:
    """The parts of the array that this process holds."""
    check_deleted(x)
    return addressable_shards(x)


attach("addressable_shards", property(_own_shards))
attach("global_shards", property(global_shards))


def _format_of(x: Array) -> Format:
    """Layout and placement of the array."""
    check_deleted(x)
    return Format(Layout.parse(str(x._pjrt_layout)), x._sharding)


attach("format", property(_format_of))


@method
def addressable_data(self: Array, index: int) -> Array:
    """The part of the array on this process's device number `index`."""
    check_deleted(self)
    return shard_data(self)[index]


@staticmethod  # type: ignore[misc]
def _check_and_rearrange(
    arrays: Sequence[Array], sharding: Sharding, aval: ShapedArray
) -> Sequence[Array]:
    """Asked by C++ when an array is assembled: its parts in the order of devices."""
    by_device = {d: part for part in arrays for d in part._sharding.device_set}
    shape = sharding.shard_shape(aval.shape)
    for part in arrays:
        if part.aval is not None and part.aval.shape != shape:
            raise ArgumentValueError(
                f"Each part of {aval} placed by {sharding} has shape {shape}.",
                f"Found a part of shape {part.aval.shape}.",
            )
    wanted = sharding._internal_device_list.addressable_device_list
    if set(wanted) != set(by_device):
        raise ArgumentValueError(
            f"{sharding} needs one part on each of {', '.join(map(str, wanted))}.",
            f"Found parts on {', '.join(map(str, by_device))}.",
        )
    return [by_device[d] for d in wanted]


attach("_check_and_rearrange", _check_and_rearrange)


# --- Arrays stored as others ----------------------------------------------------------
# Values of an extended dtype (random keys) are arrays of another type with a new face.

# type -> function from a value to the array that holds its data
physical_values: dict[type, Callable[[Any], Array]] = {}
# kind of dtype -> function(aval, array) back
logical_makers: dict[type, Callable[[Any, Array], Any]] = {}


def _float0(aval: ShapedArray, x: Array) -> np.ndarray:
    return np.zeros(aval.shape, dtypes.float0)


logical_makers[type(dtypes.float0)] = _float0


def physical(x: Any) -> Any:
    """The array that holds the data of `x`; any other value as it is."""
    take = physical_values.get(type(x))
    return x if take is None else take(x)


def logical(aval: Any, x: Array) -> Any:
    """The value of type `aval` whose data `x` holds."""
    make = logical_makers.get(type(aval.dtype))
    return x if make is None else make(aval, x)


# --- Making arrays --------------------------------------------------------------------


def put_on(
    x: Any,
    aval: ShapedArray,
    placement: Sharding,
    *,
    committed: bool,
    copy: bool = False,
) -> Array:
    """One array on one device, from host data or an array; `aval` describes `x`.

    Without `copy`, aligned NumPy memory is shared: only for memory nobody writes.
    """
    return jaxlib_core.batched_device_put(
        aval, placement, [x], [placement._device], committed, copy
    )


def copy_of(x: Array) -> Array:
    """A new array with a buffer of its own, placed as `x` is."""
    check_deleted(x)
    if len(x._sharding.device_set) == 1:
        return put_on(x, x.aval, x._sharding, committed=x._committed, copy=True)
    (made,) = jaxlib_core.batched_copy_array_to_devices_with_sharding(
        [x],
        [x._sharding._internal_device_list],
        [x._sharding],
        [jaxlib_core.ArrayCopySemantics.ALWAYS_COPY],
    )
    return made


@method
def __copy__(self: Array) -> Array:
    return copy_of(self)


@method
def __deepcopy__(self: Array, memo: Any) -> Array:
    return copy_of(self)


# --- Other array libraries ------------------------------------------------------------


@method
def __dlpack__(
    self: Array,
    *,
    stream: Any = None,
    max_version: tuple[int, int] | None = None,
    dl_device: Any = None,
    copy: bool | None = None,
) -> Any:
    """The array for another library, without copying; see the DLPack protocol."""
    check_deleted(self)
    if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
        if copy is False or dl_device[0] != _DLPACK_KINDS["cpu"]:
            raise BufferError(f"DLPack export of {self.device} data to {dl_device}")
        return value_of(self).__dlpack__()
    source = copy_of(self) if copy else self
    export = jaxlib_core.buffer_to_dlpack_managed_tensor
    if hasattr(jaxlib_core, "dlpack_version"):  # jaxlib 0.12 exports versioned tensors
        return export(source, stream, max_version=max_version, copied=bool(copy))
    return export(source, stream)


_DLPACK_KINDS = {"cpu": 1, "cuda": 2, "rocm": 10}


@method
def __dlpack_device__(self: Array) -> tuple[int, int]:
    """Kind and number of the device, as DLPack counts them."""
    if len(self._sharding.device_set) != 1:
        raise BufferError("DLPack describes arrays on one device")
    on = self.device
    kind = _DLPACK_KINDS.get(on.client._raw_platform)
    if kind is None:
        raise BufferError(f"DLPack knows no device kind for {on.platform}")
    return kind, on.local_hardware_id if kind != 1 else 0
