"""Programs over `J` whose jaxprs are compared with jax; neither library is imported."""


def _f(J):
    return lambda x, y: J.lax.add(J.lax.mul(J.lax.sin(x), y), J.lax.exp(x))


def grad_text(J, argnums):
    """Section 5.1 of spec/ad.md."""
    return str(J.make_jaxpr(J.grad(_f(J), argnums))(1.0, 2.0))


def linearized_text(J):
    """Section 5.2."""
    x, y = J.numpy.asarray([1.0, 2.0])
    return str(J.make_jaxpr(J.linearize(_f(J), x, y)[1])(x, y))


def pullback_text(J):
    """Section 5.2, the transpose."""
    x, y = J.numpy.asarray([1.0, 2.0])
    return str(J.make_jaxpr(J.vjp(_f(J), x, y)[1])(x))


def jvp_text(J):
    """Forward mode of the same."""
    f = _f(J)
    return str(J.make_jaxpr(lambda x, t: J.jvp(f, (x, x), (t, t)))(1.0, 1.0))


def checkpoint_text(J):
    """Section 5.3."""
    h = J.checkpoint(lambda x: J.lax.sin(J.lax.sin(x)))
    return str(J.make_jaxpr(J.grad(h))(2.0))


def jit_text(J):
    """Section 5.5."""

    def k(x):
        return J.lax.mul(J.lax.sin(x), x)

    return str(J.make_jaxpr(J.grad(J.jit(k)))(2.0))


def twice_text(J):
    """A second derivative."""
    return str(J.make_jaxpr(J.grad(J.grad(lambda x: J.lax.mul(J.lax.sin(x), x))))(2.0))


def arrays_text(J):
    """Reductions, contractions, broadcasts."""

    def f(W, x):
        return J.lax.reduce_sum(J.lax.tanh(J.lax.dot(W, x)), (0,))

    ones = J.numpy.ones
    return str(J.make_jaxpr(J.grad(f, (0, 1)))(ones((2, 3)), ones(3)))


def integer_text(J):
    """A float0 gradient is a literal."""
    return str(J.make_jaxpr(J.grad(lambda i: i * 2.0, allow_int=True))(3))


def mapped_text(J):
    """grad of vmap, and vmap of grad."""
    f = lambda x: J.lax.mul(J.lax.sin(x), x)  # noqa: E731
    total = lambda x: J.lax.reduce_sum(J.vmap(f)(x), (0,))  # noqa: E731
    x = J.numpy.arange(3.0)
    return [str(J.make_jaxpr(g)(x)) for g in (J.vmap(J.grad(f)), J.grad(total))]


TEXTS = {
    "grad": (grad_text, 0),
    "grad in both": (grad_text, (0, 1)),
    "linearize": (linearized_text,),
    "vjp": (pullback_text,),
    "jvp": (jvp_text,),
    "checkpoint": (checkpoint_text,),
    "jit": (jit_text,),
    "second order": (twice_text,),
    "arrays": (arrays_text,),
    "integers": (integer_text,),
    "vmap": (mapped_text,),
}
