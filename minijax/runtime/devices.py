"""Devices: the questions users ask about them, and where arrays go by default."""

from typing import Any

from ..base import flags, jaxlib_core
from ..base.errors import ArgumentValueError
from ..sharding import Device, SingleDeviceSharding, device_finders
from .backends import Client, backends, get_backend, on_clear


def devices(backend: str | Client | None = None) -> list[Device]:
    """All devices of a platform, those of other processes included.

    Raises:
        RuntimeError: no such platform runs here.

    >>> import minijax as mj
    >>> mj.devices("cpu")[0].platform
    'cpu'
    """
    return get_backend(backend).devices()


def local_devices(
    process_index: int | None = None,
    backend: str | Client | None = None,
    host_id: int | None = None,
) -> list[Device]:
    """The devices of one process, of this one by default.

    Raises:
        RuntimeError: no such platform runs here.
        ValueError: there is no such process.
    """
    if process_index is None:
        process_index = host_id
    client = get_backend(backend)
    if process_index is None:
        process_index = client.process_index()
    found = [d for d in client.devices() if d.process_index == process_index]
    if not found:
        raise ArgumentValueError(
            "`local_devices` takes the index of a process.",
            f"Found {process_index}; processes are {process_indices(client)}.",
        )
    return found


def device_count(backend: str | Client | None = None) -> int:
    """How many devices a platform has in all processes."""
    return int(get_backend(backend).device_count())


def local_device_count(backend: str | Client | None = None) -> int:
    """How many devices a platform has in this process."""
    return int(get_backend(backend).local_device_count())


def process_index(backend: str | Client | None = None) -> int:
    """The number of this process among those that compute together."""
    return get_backend(backend).process_index()


def process_count(backend: str | Client | None = None) -> int:
    """How many processes compute together."""
    return max(d.process_index for d in devices(backend)) + 1


def process_indices(backend: str | Client | None = None) -> list[int]:
    """The numbers of the processes that compute together."""
    return sorted({d.process_index for d in devices(backend)})


def default_backend() -> str:
    """The platform that computes unless something else is asked for: "cpu", "gpu", …"""
    return get_backend().platform


def default_device() -> Device:
    """Where arrays go that nobody places: `jax_default_device`, else the first device.

    Raises:
        RuntimeError: the option names a platform that does not run here.
    """
    chosen = flags.default_device.value
    if chosen is None:
        return get_backend().local_devices()[0]
    return first_device(chosen)


def first_device(chosen: str | Device) -> Device:
    """A device, given as itself, as a platform, or as "platform:number".

    Raises:
        RuntimeError: the platform does not run here.
        ValueError: it has no device of this number.
    """
    if isinstance(chosen, jaxlib_core.Device):
        return chosen
    platform, colon, number = chosen.partition(":")
    local = get_backend(platform).local_devices()
    if not colon:
        return local[0]
    for device in local:
        if str(device.id) == number:
            return device
    raise ArgumentValueError(
        "A device is chosen by its platform and number.",
        f"Found {chosen!r}; devices are {', '.join(map(str, local))}.",
    )


# One entry per device that was ever used: keeps the interned placements alive.
_placements: dict[Device, SingleDeviceSharding] = {}
on_clear.append(_placements.clear)


def placement_on(device: Device) -> SingleDeviceSharding:
    """The placement of whole arrays on `device`, in its default memory."""
    found = _placements.get(device)
    if found is None:
        found = _placements[device] = SingleDeviceSharding(device)
    return found


def default_placement() -> SingleDeviceSharding:
    """The placement of arrays that nobody places."""
    chosen = flags.default_device.value
    if chosen is None:
        found = _first_placement.get("")
        if found is None:
            found = _first_placement[""] = placement_on(default_device())
        return found
    return placement_on(first_device(chosen))


# The answer for an unset option; asked at each transfer, and `local_devices()` is slow.
_first_placement: dict[str, SingleDeviceSharding] = {}
on_clear.append(_first_placement.clear)


def _find(platform: str) -> list[Any]:
    return [
        d for c in backends().values() for d in c.devices() if d.platform == platform
    ]


device_finders.append(_find)
