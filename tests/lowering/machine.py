"""Runs lowered modules, without the runtime: tests of `lowering` stand below it."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from minijax import lowering
from minijax.base import jaxlib_core
from minijax.core import ShapedArray


@cache
def _client() -> Any:
    return jaxlib_core.get_tfrt_cpu_client(asynchronous=True)


def compile_module(low: lowering.LoweredModule) -> Any:
    client = _client()
    (device, *_) = client.local_devices()
    options = jaxlib_core.CompileOptions()
    options.num_replicas = options.num_partitions = 1
    options.device_assignment = jaxlib_core.DeviceAssignment.create(
        np.array([[device.id]], np.int32)
    )
    devices = jaxlib_core.DeviceList((device,))
    if not low.host_callbacks:
        return client.compile_and_load(low.bytecode(), devices, options)
    return client.compile_and_load(
        low.own_module(), devices, options, host_callbacks=low.host_callbacks
    )


def run(low: lowering.LoweredModule, *args: np.ndarray) -> list[np.ndarray]:
    """The results of a module without tokens on arrays of its input types."""
    (device, *_) = _client().local_devices()
    here = jaxlib_core.SingleDeviceSharding(device)
    arrays = [
        jaxlib_core.batched_device_put(
            ShapedArray(x.shape, x.dtype), here, [x], [device], enable_x64=True
        )
        for x in args
    ]
    handlers = [
        jaxlib_core.array_result_handler(aval, here, False) for aval in low.out_avals
    ]
    results = compile_module(low).execute_sharded(arrays)
    outs = results.consume_with_handlers(handlers)
    return [x._to_np_array_did_copy()[0] for x in outs]
