"""check_grads finds wrong derivatives and only these (check 105 of spec/ad.md)."""

import numpy as np
import pytest

import minijax as mj
from minijax.test_util import check_grads, check_jvp, check_vjp

jnp = mj.numpy


def wrong():
    f = mj.custom_jvp(jnp.sin)
    f.defjvp(lambda p, t: (jnp.sin(p[0]), 1.1 * jnp.cos(p[0]) * t[0]))
    return f


def wrong_backwards():
    f = mj.custom_vjp(jnp.sin)
    f.defvjp(lambda x: (jnp.sin(x), x), lambda x, g: (1.1 * jnp.cos(x) * g,))
    return f


@pytest.mark.parametrize("modes", [("fwd",), ("rev",), ("lin",), ("fwd", "rev", "lin")])
def test_check_105_right_derivatives_pass(modes):
    check_grads(jnp.sin, (0.5,), 2, modes=modes)
    check_grads(
        lambda d, y: jnp.tanh(d["x"]) @ y,
        ({"x": np.ones((2, 3), "f")}, np.ones(3, "f")),
        2,
        modes,
    )


@pytest.mark.parametrize(
    ("modes", "text"),
    [("fwd", "tangent"), ("lin", "tangent"), ("rev", "cotangent projection")],
)
def test_check_105_wrong_derivatives_are_found(modes, text):
    with pytest.raises(AssertionError, match=text):
        check_grads(wrong(), (0.5,), 1, modes=(modes,))


def test_check_105_by_mode():
    with pytest.raises(AssertionError, match="cotangent projection"):
        check_grads(wrong_backwards(), (0.5,), 1, modes=("rev",))


def test_check_105_second_order_is_checked():
    f = mj.custom_jvp(jnp.sin)
    f.defjvp(lambda p, t: (jnp.sin(p[0]), mj.lax.stop_gradient(jnp.cos(p[0])) * t[0]))
    check_grads(f, (0.5,), 1)
    with pytest.raises(AssertionError):
        check_grads(f, (0.5,), 2)


def test_check_105_primal_outputs_are_compared():
    f = mj.custom_jvp(jnp.sin)
    f.defjvp(lambda p, t: (2 * jnp.sin(p[0]), jnp.cos(p[0]) * t[0]))
    with pytest.raises(AssertionError, match="primal"):
        check_grads(f, (0.5,), 1)


def test_check_105_arguments():
    with pytest.raises(TypeError, match="int32"):
        check_grads(lambda x: x * 2.0, (3,), 1)
    with pytest.raises(ValueError, match="mode"):
        check_grads(jnp.sin, (0.5,), 1, modes=("back",))


def test_complex_and_small_types():
    check_grads(lambda z: z * z * (1 + 2j), (np.complex64(1 + 2j),), 2)
    check_grads(lambda x: jnp.sin(x), (np.float16(0.5),), 1, eps=1e-1, atol=2e-2)
    check_grads(lambda z: jnp.abs(z), (np.complex64(1 + 2j),), 1)


def test_check_jvp_and_check_vjp_take_the_rules():
    args = (np.float32(0.5),)
    check_jvp(jnp.sin, lambda x, t: mj.jvp(jnp.sin, x, t), args)
    check_vjp(jnp.sin, lambda x: mj.vjp(jnp.sin, x), args)
    with pytest.raises(AssertionError, match="mine: JVP tangents"):
        check_jvp(jnp.sin, lambda x, t: mj.jvp(wrong(), x, t), args, err_msg="mine")
    with pytest.raises(AssertionError, match="mine: VJP cotangent"):
        check_vjp(jnp.sin, lambda x: mj.vjp(wrong(), x), args, err_msg="mine")
