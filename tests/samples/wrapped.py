"""Samples of the primitives that hold a program of the user's."""

import importlib

import numpy as np

from tests.samples.declaring import Sample, grid

X = grid(3)
Y = grid(2, 3)[1]


def _jit(J, x, y):
    def rotate(x, y):
        return J.lax.sin(x) * y, J.lax.cos(y)

    return J.jit(rotate)(x, y)


def _custom_jvp(J, x):
    @J.custom_jvp
    def double_sine(x):
        return J.lax.mul(J.lax.sin(x), J.lax.full_like(x, 2.0))

    @double_sine.defjvp
    def rule(primals, tangents):
        (x,), (x_dot,) = primals, tangents
        two = J.lax.full_like(x, 2.0)
        return double_sine(x), J.lax.mul(J.lax.mul(J.lax.cos(x), two), x_dot)

    return double_sine(x)


def _custom_vjp(J, x, y):
    @J.custom_vjp
    def product(x, y):
        return J.lax.mul(x, J.lax.sin(y))

    def forward(x, y):
        return product(x, y), (x, y)

    def backward(residuals, bar):
        x, y = residuals
        return J.lax.mul(bar, J.lax.sin(y)), J.lax.mul(bar, J.lax.mul(x, J.lax.cos(y)))

    product.defvjp(forward, backward)
    return product(x, y)


def _pure_callback(J, x):
    out = J.ShapeDtypeStruct(x.shape, x.dtype)
    return J.pure_callback(np.cumsum, out, x, vmap_method="sequential")


def _io_callback(J, x):
    out = J.ShapeDtypeStruct(x.shape, x.dtype)
    callback = importlib.import_module(f"{J.__name__}.experimental").io_callback
    return callback(np.cumsum, out, x)


def _debug_callback(J, x):
    J.debug.callback(np.cumsum, x)
    return x


def _debug_print(J, x):
    J.debug.print("{}", x)
    return x


def _checkpoint(J, x, y):
    return J.checkpoint(lambda x, y: J.lax.sin(J.lax.mul(x, y)))(x, y)


def _linear_call(J, scale, x):
    derivatives = importlib.import_module(f"{J.__name__}.custom_derivatives")

    def scaled(scale, x):
        return J.lax.mul(scale, x)

    return derivatives.linear_call(scaled, scaled, scale, x)


SAMPLES = (
    Sample("jit", _jit, (X, Y), differentiable=(0, 1)),
    # Along its second operand alone: the first one is a residual. jax cannot map it.
    Sample(
        "linear_call",
        _linear_call,
        (X, Y),
        differentiable=(1,),
        batched=(),
        same_text=False,
    ),
    Sample("custom_jvp_call", _custom_jvp, (X,), differentiable=(0,)),
    # Reverse mode only: the laws that need a jvp leave it out.
    Sample("custom_vjp_call", _custom_vjp, (X, Y)),
    Sample("pure_callback", _pure_callback, (X,)),
    Sample("io_callback", _io_callback, (X,)),
    Sample("debug_callback", _debug_callback, (X,), same_text=False),
    Sample("debug_print", _debug_print, (X,)),
    Sample("remat2", _checkpoint, (X, Y), differentiable=(0, 1)),
)
