import numpy as np

from minijax.runtime import devices, put


def test_the_shard_of_an_array_on_one_device():
    x = put(np.arange(6.0).reshape(2, 3))
    (shard,) = x.addressable_shards
    assert shard.device is devices()[0]
    assert shard.index == (slice(None), slice(None))
    assert shard.replica_id == 0
    assert shard.data.tolist() == x.tolist()
    assert shard.data.unsafe_buffer_pointer() == x.unsafe_buffer_pointer()
    assert [s.device for s in x.global_shards] == [shard.device]


def test_the_data_of_a_shard_is_an_array_of_its_own():
    x = put(np.arange(3.0))
    part = x.addressable_data(0)
    assert part.aval is x.aval
    assert part.sharding is x.sharding
    assert part.committed
