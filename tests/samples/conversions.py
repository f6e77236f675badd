"""Samples of the primitives that change how values are represented or made."""

import numpy as np

from tests.samples.declaring import Sample, c64, f32, flags, grid, i32

X = grid(2, 3)


def _convert(dtype):
    return lambda J, x: J.lax.convert_element_type(x, dtype)


def _shortened(J, x):
    return J.lax.reduce_precision(x, exponent_bits=5, mantissa_bits=3)


def _of_shape_empty(J):
    """Its values are anybody's; only its type is."""
    return J.lax.full_like(J.lax.empty((2, 3), np.dtype(np.float32)), 1.0)


SAMPLES = (
    Sample(
        "convert_element_type",
        lambda J, x: J.lax.convert_element_type(
            x, J.numpy.result_type(x, np.complex64)
        ),
        (X,),
        "to complex",
        differentiable=(0,),
    ),
    Sample("convert_element_type", _convert(np.int32), (X,), "to integers"),
    Sample("convert_element_type", _convert(np.float32), (i32(1, 2, 3),), "to floats"),
    Sample("convert_element_type", _convert(np.float32), (flags(1, 0),), "from flags"),
    Sample("convert_element_type", _convert("bfloat16"), (X,), "to bfloat16"),
    Sample("convert_element_type", _convert(bool), (f32(0.0, -0.0, 2.0),), "to flags"),
    Sample(
        "bitcast_convert_type",
        lambda J, x: J.lax.bitcast_convert_type(x, np.int32),
        (X,),
    ),
    Sample(
        "bitcast_convert_type",
        lambda J, x: J.lax.bitcast_convert_type(x, np.uint8),
        (i32(1, -2, 70000),),
        "to narrower",
    ),
    Sample("reduce_precision", _shortened, (X,)),
    Sample("empty", _of_shape_empty, ()),
    Sample("stop_gradient", lambda J, x: J.lax.stop_gradient(x), (X,)),
    Sample("copy", lambda J, x: J.numpy.array(x), (X,), differentiable=(0,)),
    Sample("device_put", lambda J, x: J.device_put(x), (X,), differentiable=(0,)),
    Sample(
        "name",
        lambda J, x: J.ad_checkpoint.checkpoint_name(x, "here"),
        (X,),
        differentiable=(0,),
    ),
    Sample(
        "iota",
        lambda J: J.lax.broadcasted_iota(np.int32, (2, 3), 1),
        (),
    ),
    Sample(
        "iota",
        lambda J: J.lax.iota(np.float32, 4),
        (),
        "floats",
    ),
    Sample(
        "optimization_barrier",
        lambda J, x, y: J.lax.optimization_barrier((x, y)),
        (X, c64(1 + 1j, 2.0)),
        differentiable=(0, 1),
    ),
)
