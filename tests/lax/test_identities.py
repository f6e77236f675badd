"""stop_gradient."""

import numpy as np

X = np.array([1.0, 2.0], np.float32)


def stopped(J, x):
    def f(x):
        return J.lax.mul(J.lax.stop_gradient(x), x)

    y, pull = J.vjp(f, x)
    return J.jvp(f, (x,), (x,)), pull(y)


def test_check_61_nothing_moves(oracle):
    oracle.compare(stopped, X)


def straight_through(J, x):
    def f(x):
        return J.lax.add(x, J.lax.stop_gradient(J.lax.sub(J.lax.round(x), x)))

    return J.grad(f)(x)


def test_check_61_straight_through(oracle):
    oracle.compare(straight_through, np.float32(1.3))


def nested(J, x):
    f = lambda x: J.lax.mul(J.lax.stop_gradient(J.lax.mul(x, x)), x)  # noqa: E731
    return J.grad(f)(x), J.grad(J.grad(f))(x)


def test_check_61_at_every_level(oracle):
    oracle.compare(nested, np.float32(3))


def jaxpr(J):
    x = J.ShapeDtypeStruct((3,), "float32")
    return J.make_jaxpr(lambda x: J.lax.stop_gradient((x, {"a": 1, "b": x})))(x)


def test_jaxpr(oracle):
    oracle.compare(jaxpr)


def mapped(J, x):
    return J.vmap(J.lax.stop_gradient, in_axes=1, out_axes=1)(x)


def test_vmap(oracle):
    oracle.compare(mapped, np.ones((2, 3), np.float32))


def of_text(J):
    return J.lax.stop_gradient("a")


def test_check_61_text_is_no_array(oracle):
    oracle.compare(of_text, raises=True)
