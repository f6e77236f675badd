"""Samples of collectives: they need a name, so each is mapped over one."""

from functools import partial

from tests.samples.declaring import Sample, grid

X = grid(2, 4)
RING = [(0, 1), (1, 0)]


def _over(J, call, *operands, in_axes=0):
    return J.vmap(call, in_axes=in_axes, axis_name="i")(*operands)


def _reduced(name, J, x):
    return _over(J, lambda x: getattr(J.lax, name)(x, "i"), x)


def _index(J, x):
    return _over(J, lambda x: J.lax.axis_index("i"), x)


def _gathered(J, x):
    return _over(J, lambda x: J.lax.all_gather(x, "i"), x)


def _scattered(J, x):
    return _over(J, lambda x: J.lax.psum_scatter(x, "i", tiled=True), x)


def _exchanged(J, x):
    return _over(J, lambda x: J.lax.all_to_all(x, "i", 0, 0, tiled=True), x)


def _permuted(J, x):
    return _over(J, lambda x: J.lax.ppermute(x, "i", RING), x)


def _broadcast(J, x):
    return _over(J, lambda x: J.lax.pbroadcast(x, "i", 1), x)


def _broadcast_from(J, x, source):
    call = partial(_over, J, lambda x, s: J.lax.pbroadcast(x, "i", s))
    return call(x, source, in_axes=(0, None))


SAMPLES = (
    Sample("psum", partial(_reduced, "psum"), (X,), differentiable=(0,)),
    Sample("pmax", partial(_reduced, "pmax"), (X,)),
    Sample("pmin", partial(_reduced, "pmin"), (X,)),
    Sample("axis_index", _index, (X,)),
    Sample("all_gather", _gathered, (X,), differentiable=(0,)),
    Sample("reduce_scatter", _scattered, (X,), differentiable=(0,)),
    Sample("all_to_all", _exchanged, (X,), differentiable=(0,), same_text=False),
    Sample("ppermute", _permuted, (X,), differentiable=(0,), same_text=False),
    # jax 0.12 fails on it under vmap.
    Sample("pbroadcast", _broadcast, (X,), differentiable=(0,), same_text=False),
    Sample(
        "pbroadcast_dynamic",
        _broadcast_from,
        (X, __import__("numpy").int32(1)),
        differentiable=(0,),
        batched=(0,),
        same_text=False,
    ),
)
