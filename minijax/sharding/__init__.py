"""Placements of arrays on devices."""

from .placements import Device as Device
from .placements import DeviceList as DeviceList
from .placements import Index as Index
from .placements import Sharding, SingleDeviceSharding
from .placements import device_finders as device_finders

__all__ = ["Sharding", "SingleDeviceSharding"]
