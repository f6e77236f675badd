"""Programs for the oracle about the `jit` primitive."""


def derivatives(J, x):
    @J.jit
    def f(x, y):
        return J.lax.mul(J.lax.sin(x), J.lax.exp(y))

    return [
        str(J.make_jaxpr(J.grad(f))(x, x)),
        str(J.make_jaxpr(lambda x, y: J.jvp(f, (x, y), (x, y)))(x, x)),
        str(J.make_jaxpr(J.vmap(f))(J.lax.full((3,), x), J.lax.full((3,), x))),
        J.grad(f)(x, x),
    ]


def closing_over_values(J, x):
    table = J.device_put(x)

    def outer(x):
        y = J.lax.mul(x, x)
        inner = J.jit(lambda z: J.lax.add(z, J.lax.mul(y, table)))
        return J.lax.add(inner(x), J.jit(lambda z: J.lax.mul(z, table))(x))

    return str(J.make_jaxpr(outer)(x)), J.jit(outer)(x)


def shared(J, x):
    square = J.jit(lambda v: J.lax.mul(v, v))
    return [
        str(J.make_jaxpr(lambda v: square(square(v)))(x)),
        str(J.make_jaxpr(lambda v: square(v))(x)),
    ]
