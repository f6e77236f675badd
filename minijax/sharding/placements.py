"""Placements: on which devices the parts of an array lie.

Every placement exists once per content, so equality is identity: the C++ call path then
recognises it without asking Python.

Source: spec/jaxlib.md §7.1, spec/sharding.md.
"""

import importlib
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Self

from jaxlib._jax import Device, Sharding
from jaxlib._jax import DeviceList as DeviceList

from ..base import jaxlib_core
from ..base.errors import ArgumentTypeError, ArgumentValueError
from ..base.util import weak_value_interner

Index = tuple[slice, ...]

_hlo = importlib.import_module("jaxlib._hlo")


class Layout(NamedTuple):
    """The order of axes in memory, from the one that varies slowest.

    tiling: blocks of elements that lie together, as accelerators have them.
    sub_byte_element_size_in_bits: where several elements share a byte, else 0.
    """

    major_to_minor: tuple[int, ...]
    tiling: tuple[tuple[int, ...], ...] = ()
    sub_byte_element_size_in_bits: int = 0

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read the compiler's form, minor to major: `{1,0:T(8,128)(2,1)E(4)}`."""
        axes, _, rest = text.strip("{}").partition(":")
        order = [int(axis) for axis in axes.split(",") if axis]
        groups = dict.fromkeys(re.findall(r"([A-Z]?)((?:\([\d,]+\))+)", rest))
        found = {name: re.findall(r"\(([\d,]+)\)", body) for name, body in groups}
        tiling = [tuple(map(int, part.split(","))) for part in found.get("T", ())]
        return cls(tuple(reversed(order)), tuple(tiling), int(found.get("E", "0")[0]))


class Format(NamedTuple):
    """Layout and placement of an array; None where nothing is known."""

    layout: Layout | None = None
    sharding: Any = None


class UnspecifiedValue:
    """Stands where nobody asked for a placement: the compiler decides."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "UnspecifiedValue"

    def __reduce__(self) -> str:  # compared by identity: a copy is the same object
        return "UNSPECIFIED"


UNSPECIFIED = UnspecifiedValue()


class SingleDeviceSharding(jaxlib_core.SingleDeviceSharding):
    """All of an array on one device. Interned: equal ones are the same object.

    memory_kind: the device's memory; None means its default one.

    Raises:
        TypeError: `device` is not a device.
        ValueError: the device has no memory of that kind.

    >>> import minijax as mj
    >>> here = mj.sharding.SingleDeviceSharding(mj.devices()[0])
    >>> here is mj.sharding.SingleDeviceSharding(mj.devices()[0])
    True
    """

    def __new__(cls, device: Device, *, memory_kind: str | None = None) -> Self:
        if not isinstance(device, Device):
            raise ArgumentTypeError(
                "A SingleDeviceSharding is made of one device.",
                f"Found {device!r} of type {type(device).__name__}.",
                "Take one from `devices()`.",
            )
        return _intern(cls, device, memory_kind or device.default_memory().kind)

    def __init__(self, device: Device, *, memory_kind: str | None = None) -> None:
        """Done by the interner: Python calls this for objects that exist already."""

    def _set(self, device: Device, memory_kind: str) -> None:
        super().__init__(device, memory_kind=memory_kind)
        self.device_set = frozenset((device,))

    def __init_subclass__(cls, **kwargs: Any) -> None:
        raise TypeError("SingleDeviceSharding is final")

    @property
    def memory_kind(self) -> str:
        return self._memory_kind

    @property
    def num_devices(self) -> int:
        return 1

    @property
    def addressable_devices(self) -> frozenset[Device]:
        """The devices of this process among `device_set`."""
        return self.device_set if self.is_fully_addressable else frozenset()

    @property
    def is_fully_addressable(self) -> bool:
        """Whether all devices belong to this process."""
        return self._internal_device_list.is_fully_addressable

    @property
    def is_fully_replicated(self) -> bool:
        """Whether every device holds the whole array."""
        return True

    def with_memory_kind(self, kind: str) -> "SingleDeviceSharding":
        """The same device, another memory of it. Raises: ValueError."""
        return SingleDeviceSharding(self._device, memory_kind=kind)

    def devices_indices_map(self, global_shape: tuple[int, ...]) -> dict[Device, Index]:
        """Which part of an array of this shape each device holds."""
        return {self._device: (slice(None),) * len(global_shape)}

    def addressable_devices_indices_map(
        self, global_shape: tuple[int, ...]
    ) -> Mapping[Device, Index]:
        """`devices_indices_map` of this process's devices."""
        parts = self.devices_indices_map(global_shape)
        return {d: part for d, part in parts.items() if d in self.addressable_devices}

    def shard_shape(self, global_shape: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of each device's part."""
        return tuple(global_shape)

    def is_equivalent_to(self, other: Any, ndim: int) -> bool:
        """Whether `other` places an array of `ndim` axes in the same way."""
        return self is other or (
            isinstance(other, Sharding)
            and other.is_fully_replicated
            and self._internal_device_list == other._internal_device_list
            and self.memory_kind == other.memory_kind
        )

    def _to_xla_hlo_sharding(self, ndim: int) -> Any:  # asked by C++
        return _REPLICATED

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    def __reduce__(self) -> Any:
        return _rebuild, (self._device.platform, self._device.id, self.memory_kind)

    def __repr__(self) -> str:
        return (
            f"SingleDeviceSharding(device={self._device!r}, "
            f"memory_kind={self.memory_kind})"
        )


_REPLICATED = _hlo.HloSharding.replicate()


def _make(cls: type, device: Device, memory_kind: str) -> SingleDeviceSharding:
    made = jaxlib_core.SingleDeviceSharding.__new__(cls)
    made._set(device, memory_kind)
    return made


_intern = weak_value_interner(_make)


# How to find a device again by (platform, id); entered by the runtime.
device_finders: list[Any] = []


def _rebuild(platform: str, device_id: int, memory_kind: str) -> SingleDeviceSharding:
    for device in _known_devices(platform):
        if device.id == device_id:
            return SingleDeviceSharding(device, memory_kind=memory_kind)
    raise ArgumentValueError(
        "A pickled placement is to be read.",
        f"Found no device {platform}:{device_id} in this process.",
    )


def _known_devices(platform: str) -> Iterator[Device]:
    for find in device_finders:
        yield from find(platform)
