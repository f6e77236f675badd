"""optimization_barrier."""

from tests.lax.comparing import same_text, same_value, text
from tests.oracle import compare
from tests.samples.declaring import grid


def barrier(J, x, y):
    return J.lax.optimization_barrier({"x": x, "y": (y, 1)})


def first(J, x, y):
    return J.lax.optimization_barrier((x, y))[0]


def jvp_in_first(J, x, y):
    return text(
        J, lambda x, x_dot: J.jvp(lambda x: first(J, x, y), (x,), (x_dot,)), x, x
    )


def vjp_in_both(J, x, y):
    return text(
        J, lambda x, y, z: J.vjp(lambda x, y: first(J, x, y), x, y)[1](z), x, y, x
    )


def vmap_in_first(J, x, y):
    mapped = J.vmap(
        lambda x: J.lax.optimization_barrier((x, y)), in_axes=1, out_axes=(1, None)
    )
    return text(J, mapped, x)


def nothing(J):
    return J.lax.optimization_barrier(())


def test_identity_on_a_tree():
    same_value(barrier, grid(2, 3), grid(2), exact=True)
    same_text(barrier, grid(2, 3), grid(2))


def test_nothing():
    same_text(nothing)


def test_tangents_have_a_barrier_of_their_own():
    compare(jvp_in_first, grid(2, 3), grid(2))
    compare(vjp_in_both, grid(2, 3), grid(2))


def test_batch_axes_stay_where_they_are():
    compare(vmap_in_first, grid(2, 3), grid(2))
