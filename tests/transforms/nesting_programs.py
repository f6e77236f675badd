"""Programs over `J` that put transformations inside each other, in any order and depth.

The oracle imports this module beside jax, so it imports neither library.
"""

import itertools

PROGRAMS = {}
RAISING = set()


def program(fun):
    """Enter a program under its name."""
    PROGRAMS[fun.__name__] = fun
    return fun


def raising(fun):
    """Enter a program that must raise what jax raises."""
    RAISING.add(fun.__name__)
    return program(fun)


# --- Bodies: scalar functions of one scalar, each through one kind of primitive -------


def _plain(J):
    return lambda x: J.numpy.sin(x) * x


def _jitted(J):
    return J.jit(lambda x: J.numpy.sin(x) * x + J.numpy.exp(x))


def _scanned(J):
    def body(c, y):
        return J.numpy.sin(c) * y, c * y

    def f(x):
        c, ys = J.lax.scan(body, x, J.numpy.arange(1.0, 4.0) * x)
        return c + J.numpy.sum(ys)

    return f


def _branched(J):
    return lambda x: J.lax.cond(x > 0, lambda x: J.numpy.sin(x) * x, J.numpy.exp, x)


def _looped(J):
    return lambda x: J.lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, J.numpy.sin(c[1]) * x), (0, x))[1]  # fmt: skip # noqa: E501


def _ranged(J):
    return lambda x: J.lax.fori_loop(0, 3, lambda i, c: J.numpy.sin(c) * x + i, x)


def _ruled_forward(J):
    f = J.custom_jvp(lambda x, y: J.numpy.sin(x) * y)
    f.defjvp(
        lambda p, t: (f(*p), J.numpy.cos(p[0]) * p[1] * t[0] + J.numpy.sin(p[0]) * t[1])
    )
    return lambda x: f(x, x)


def _ruled_backward(J):
    f = J.custom_vjp(lambda x, y: J.numpy.sin(x) * y)
    f.defvjp(
        lambda x, y: (J.numpy.sin(x) * y, (x, y)),
        lambda r, g: (J.numpy.cos(r[0]) * r[1] * g, J.numpy.sin(r[0]) * g),
    )
    return lambda x: f(x, x)


def _recomputed(J):
    return J.checkpoint(lambda x: J.numpy.sin(J.numpy.sin(x)) * x)


def _mapped(J):
    def f(x):
        return J.numpy.sum(
            J.vmap(lambda a, b: J.numpy.sin(a) * b, (0, None))(
                J.numpy.arange(3.0) * x, x
            )
        )

    return f


def _scanned_jit(J):
    step = J.jit(lambda c, x: J.numpy.sin(c) * x)
    return lambda x: J.lax.scan(lambda c, _: (step(c, x), None), x, None, length=3)[0]


def _recomputed_scan(J):
    body = J.checkpoint(lambda c, x: J.numpy.sin(c) * x)
    return lambda x: J.lax.scan(lambda c, _: (body(c, x), c), x, None, length=3)[0]


BODIES = {
    "plain": _plain,
    "jit": _jitted,
    "scan": _scanned,
    "cond": _branched,
    "while": _looped,
    "fori": _ranged,
    "custom_jvp": _ruled_forward,
    "custom_vjp": _ruled_backward,
    "checkpoint": _recomputed,
    "vmap": _mapped,
    "scan_of_jit": _scanned_jit,
    "scan_of_checkpoint": _recomputed_scan,
}


# --- Transformations: from scalar functions to scalar functions -----------------------


def _jvp_of(J, f):
    return lambda x: J.jvp(f, (x,), (x * 2,))[1]


def _linearize_of(J, f):
    return lambda x: J.linearize(f, x)[1](x * 3)


def _vjp_of(J, f):
    def g(x):
        y, pull = J.vjp(f, x)
        return pull(y)[0]

    return g


def _vmap_of(J, f):
    return lambda x: J.numpy.sum(J.vmap(f)(J.numpy.stack([x, x * 0.5])))


TRANSFORMS = {
    "grad": lambda J, f: J.grad(f),
    "jvp": _jvp_of,
    "linearize": _linearize_of,
    "vjp": _vjp_of,
    "jit": lambda J, f: J.jit(f),
    "vmap": _vmap_of,
    "jacfwd": lambda J, f: J.jacfwd(f),
    "jacrev": lambda J, f: J.jacrev(f),
    "checkpoint": lambda J, f: J.checkpoint(f),
}
FORWARD = ("jvp", "linearize", "jacfwd")
REVERSE = ("grad", "vjp", "jacrev")

PAIRS = list(itertools.product(BODIES, itertools.product(TRANSFORMS, repeat=2)))


def has_meaning(body, names):
    """Whether it exists: there is no reverse mode of while, none forward of a vjp."""
    if body == "while":
        return not set(names) & set(REVERSE)
    if body == "custom_vjp":
        return not set(names) & set(FORWARD)
    return True


def nested(J, body, names):
    """`body` under the transformations `names`, the innermost first."""
    f = BODIES[body](J)
    for name in names:
        f = TRANSFORMS[name](J, f)
    return f(J.numpy.float32(0.7))


def nested_all(J, body, names_list):
    """Many compositions of one body, for one question to the oracle."""
    found = {}
    for names in names_list:
        if has_meaning(body, names):
            f = BODIES[body](J)
            for name in names:
                f = TRANSFORMS[name](J, f)
            found[" ".join(names)] = f(J.numpy.float32(0.7))
    return found
