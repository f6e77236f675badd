import copy
import gc
import pickle

import pytest

from minijax.runtime import devices
from minijax.sharding import UNSPECIFIED, Layout, Sharding, SingleDeviceSharding


@pytest.fixture
def device():
    return devices()[0]


def test_equal_content_is_one_object(device):
    one = SingleDeviceSharding(device)
    assert one is SingleDeviceSharding(device)
    assert one is SingleDeviceSharding(device, memory_kind="device")
    assert one is not SingleDeviceSharding(device, memory_kind="pinned_host")
    assert one is copy.copy(one) is copy.deepcopy(one)
    assert pickle.loads(pickle.dumps(one)) is one
    assert isinstance(one, Sharding)


def test_interning_is_weak(device):
    kind = "unpinned_host"
    first = id(SingleDeviceSharding(device, memory_kind=kind))
    gc.collect()
    made = [SingleDeviceSharding(device, memory_kind=kind) for _ in range(3)]
    assert made[0] is made[1] is made[2]
    assert isinstance(first, int)


def test_what_it_tells(device):
    placement = SingleDeviceSharding(device)
    assert placement.device_set == {device}
    assert placement.num_devices == 1
    assert placement.memory_kind == "device"
    assert placement.is_fully_replicated
    assert placement.is_fully_addressable
    assert placement.addressable_devices == {device}
    assert placement.shard_shape((4, 2)) == (4, 2)
    assert placement.devices_indices_map((4, 2)) == {device: (slice(None),) * 2}
    assert placement.is_equivalent_to(SingleDeviceSharding(device), 2)
    assert placement.with_memory_kind("pinned_host").memory_kind == "pinned_host"
    assert repr(placement) == (
        "SingleDeviceSharding(device=CpuDevice(id=0), memory_kind=device)"
    )


def test_what_it_refuses(device):
    with pytest.raises(TypeError, match="'cpu'"):
        SingleDeviceSharding("cpu")
    with pytest.raises(ValueError, match="drum"):
        SingleDeviceSharding(device, memory_kind="drum")
    with pytest.raises(TypeError, match="final"):
        type("Sub", (SingleDeviceSharding,), {})


def test_layouts_are_read_from_the_form_of_the_compiler():
    assert Layout.parse("{1,0}") == Layout((0, 1))
    assert Layout.parse("{}") == Layout(())
    assert Layout.parse("{0,2,1:T(8,128)(2,1)}") == Layout(
        (1, 2, 0), ((8, 128), (2, 1))
    )
    assert Layout.parse("{0:T(128)E(4)}") == Layout((0,), ((128,),), 4)


def test_unspecified_prints_as_in_jaxprs():
    assert repr(UNSPECIFIED) == "UnspecifiedValue"
    assert copy.deepcopy(UNSPECIFIED) is UNSPECIFIED
    assert pickle.loads(pickle.dumps(UNSPECIFIED)) is UNSPECIFIED
