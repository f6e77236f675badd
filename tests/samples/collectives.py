"""Samples of the primitives that speak along a named axis, here that of a vmap.

The vmap around it answers a collective, so its name does not stand in the jaxpr of the
call; its batching rule is what runs.
"""

from tests.samples.declaring import Sample, f32, grid

ROWS = grid(4, 2)


def _along(name, **options):
    def call(J, x):
        def one(row):
            return getattr(J.lax, name)(row, "i", **options)

        # jax hands rows of numpy back as they are where they only change places.
        return J.vmap(one, axis_name="i")(J.numpy.asarray(x))

    return call


# jax prints the axes that its batching rules computed as numpy's integers.
UNLIKE = {"shown": False, "same_text": False}


def _linear(name, x=ROWS, **options):
    call = _along(name, **options)
    return Sample(name, call, (x,), differentiable=(0,), **UNLIKE)


def _extreme(name):
    return Sample(name, _along(name), (ROWS,), **UNLIKE)


def _numbered(J, x):
    def one(row):
        place = J.lax.axis_index("i")
        return J.lax.mul(row, J.lax.convert_element_type(place, row.dtype))

    return J.vmap(one, axis_name="i")(x)


SAMPLES = (
    _linear("psum"),
    _extreme("pmax"),
    _extreme("pmin"),
    _linear("ppermute", perm=[(0, 1), (1, 2), (2, 3), (3, 0)]),
    _linear("all_gather"),
    _linear("all_to_all", grid(2, 2, 3), split_axis=0, concat_axis=1),
    Sample(
        "reduce_scatter",
        _along("psum_scatter"),
        (grid(4, 4),),
        differentiable=(0,),
        **UNLIKE,
    ),
    Sample("axis_index", _numbered, (f32(1, 2, 3),), differentiable=(0,), shown=False),
)
