"""Placements of arrays on devices."""

from .placements import UNSPECIFIED as UNSPECIFIED
from .placements import Device as Device
from .placements import DeviceList as DeviceList
from .placements import Format, Layout, Sharding, SingleDeviceSharding
from .placements import Index as Index
from .placements import device_finders as device_finders

__all__ = ["Format", "Layout", "Sharding", "SingleDeviceSharding"]
