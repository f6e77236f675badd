"""Samples of collectives: they need a name, so each is mapped over one.

A mapped name becomes a position, so most of them are gone from the jaxpr.
"""

from functools import partial

from tests.samples.declaring import Sample, grid

X = grid(2, 4)
RING = [(0, 1), (1, 0)]


def _over(J, call, x):
    return J.vmap(call, axis_name="i")(x)


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


SAMPLES = (
    Sample("psum", partial(_reduced, "psum"), (X,), differentiable=(0,)),
    Sample("pmax", partial(_reduced, "pmax"), (X,)),
    Sample("pmin", partial(_reduced, "pmin"), (X,)),
    Sample("axis_index", _index, (X,), shown=False),
    Sample("all_gather", _gathered, (X,), differentiable=(0,), shown=False),
    Sample("reduce_scatter", _scattered, (X,), differentiable=(0,), shown=False),
    Sample("all_to_all", _exchanged, (X,), differentiable=(0,), same_text=False, shown=False),
    Sample("ppermute", _permuted, (X,), differentiable=(0,), same_text=False, shown=False),
)
