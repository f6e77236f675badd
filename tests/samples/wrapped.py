"""Samples of the primitives that hold a program of the user's."""

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


def _checkpoint(J, x, y):
    return J.checkpoint(lambda x, y: J.lax.sin(J.lax.mul(x, y)))(x, y)


SAMPLES = (
    Sample("jit", _jit, (X, Y), differentiable=(0, 1)),
    Sample("custom_jvp_call", _custom_jvp, (X,), differentiable=(0,)),
    # Reverse mode only: the laws that need a jvp leave it out.
    Sample("custom_vjp_call", _custom_vjp, (X, Y)),
    Sample("remat2", _checkpoint, (X, Y), differentiable=(0, 1)),
)
