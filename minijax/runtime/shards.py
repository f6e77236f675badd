"""Shards: the parts of an array, one per device."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..core import shaped
from ..sharding import Device, Index, Sharding, SingleDeviceSharding
from .shield import shielded


class Shard(NamedTuple):
    """One device's part of an array.

    index: which part of the whole. replica_id: which of the devices holding this part,
    counted from 0. data: the part, or None if it belongs to another process.
    """

    device: Device
    index: Index  # type: ignore[assignment]
    replica_id: int
    data: Any


def shard_data(x: Any) -> list[Any]:
    """The parts of `x` on this process's devices, as arrays that share its memory."""
    shape = x._sharding.shard_shape(x.aval.shape)
    aval = shaped(shape, x.aval.dtype, x.aval.weak_type)
    with shielded():  # C++ would ask jax for the type and placement of each part
        parts: Sequence[Any] = x._arrays
    local = x._sharding._internal_device_list.addressable_device_list
    kind = x._sharding.memory_kind
    return [
        part._rewrap_with_aval_and_sharding(
            aval, SingleDeviceSharding(device, memory_kind=kind)
        )
        for part, device in zip(parts, local, strict=True)
    ]


def addressable_shards(x: Any) -> list[Shard]:
    """The parts of `x` that this process holds."""
    local = x._sharding._internal_device_list.addressable_device_list
    data = dict(zip(local, shard_data(x), strict=True))
    return [
        shard._replace(data=data[shard.device])
        for shard in _described(x._sharding, x.aval.shape)
        if shard.device in data
    ]


def global_shards(x: Any) -> list[Shard]:
    """All parts of `x`; those of other processes have no data."""
    own = {shard.device: shard for shard in addressable_shards(x)}
    every = _described(x._sharding, x.aval.shape)
    return [own.get(shard.device, shard) for shard in every]


def _described(placement: Sharding, shape: tuple[int, ...]) -> list[Shard]:
    counts: dict[Any, int] = {}
    shards = []
    for device, index in placement.devices_indices_map(shape).items():
        key = tuple((part.start, part.stop) for part in index)
        replica = counts.get(key, 0)
        counts[key] = replica + 1
        shards.append(Shard(device, index, replica, None))
    return shards
