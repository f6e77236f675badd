"""Programs over `J` about custom rules, named after the checks of spec/ad.md §7.

The oracle imports this module beside jax, so it imports neither library.
"""

from tests.transforms.program_tables import ProgramTable

_table = ProgramTable()
PROGRAMS, RAISING = _table.programs, _table.refused
check, raising = _table.check, _table.raising


def run(J, name):
    """One program, by its name."""
    return PROGRAMS[name](J)


def doubled(J, **options):
    """sin with a derivative that is twice too large."""
    f = J.custom_jvp(lambda x: J.numpy.sin(x), **options)
    f.defjvp(
        lambda primals, tangents: (
            f(*primals),
            2.0 * tangents[0] * J.numpy.cos(primals[0]),
        )
    )
    return f


def with_rule(J, rule):
    f = J.custom_jvp(lambda x: J.numpy.sin(x))
    f.defjvp(rule)
    return f


def tripled(J):
    """A product whose derivative is three times too large, by custom_vjp."""
    f = J.custom_vjp(lambda x, y: x * y)
    f.defvjp(lambda x, y: (f(x, y), (x, y)), lambda r, g: (3 * g * r[1], 3 * g * r[0]))
    return f


raising(
    63,
    "no_rule",
    lambda J: J.custom_jvp(lambda x: x)(1.0),
    lambda J: J.custom_vjp(lambda x: x)(1.0),
    lambda J: doubled(J)(1.0, 2.0),
)
check(63, "keywords")(lambda J: J.grad(lambda x: tripled(J)(y=x, x=2.0))(3.0))
raising(
    64,
    "rule",
    lambda J: J.grad(with_rule(J, lambda p, t: p[0]))(1.0),
    lambda J: J.grad(with_rule(J, lambda p, t: (p[0], (t[0],))))(1.0),
    lambda J: J.grad(with_rule(J, lambda p, t: (p[0], None)))(1.0),
    lambda J: J.grad(with_rule(J, lambda p, t: (p[0], J.numpy.ones(2))))(1.0),
    lambda J: J.grad(with_rule(J, lambda p, t: (p[0], t[0].astype("float16"))))(1.0),
)


@check(65, "defjvps")
def defjvps(J):
    f = J.custom_jvp(lambda x, y: x * y)
    f.defjvps(lambda t, out, x, y: 10.0 * t, None)
    return J.grad(f, (0, 1))(1.0, 2.0)


@check(65, "nondiff")
def nondiff(J):
    f = J.custom_jvp(lambda n, x: x**n, nondiff_argnums=(0,))
    f.defjvp(lambda n, p, t: (f(n, *p), 100.0 * n * t[0]))
    return J.grad(f, 1)(3, 2.0)


@check(65, "nondiff_names")
def nondiff_names(J):
    f = J.custom_jvp(lambda x, n: x**n, nondiff_argnames=("n",))
    f.defjvp(lambda n, p, t: (f(*p, n), 100.0 * n * t[0]))
    return J.grad(f)(2.0, 3)


@check(66, "zeros_off")
def zeros_off(J):
    seen = []

    def rule(primals, tangents):
        seen.append([type(t).__name__ == "SymbolicZero" for t in tangents])
        return primals[0] * primals[1], tangents[0] * primals[1]

    f = J.custom_jvp(lambda x, y: x * y)
    f.defjvp(rule)
    return J.grad(f)(2.0, 3.0), seen


@check(66, "zeros_on")
def zeros_on(J):
    seen = []

    def rule(primals, tangents):
        seen.append([(type(t).__name__ == "SymbolicZero", t.shape) for t in tangents])
        return primals[0] * primals[1], tangents[0] * primals[1]

    f = J.custom_jvp(lambda x, y: x * y)
    f.defjvp(rule, symbolic_zeros=True)
    return J.grad(f)(2.0, 3.0), seen


check(67, "second_order")(
    lambda J: J.grad(J.grad(with_rule(J, lambda p, t: (p[0], 3.0 * t[0]))))(1.0)
)
check(67, "orders")(
    lambda J: [J.grad(doubled(J))(1.0), J.grad(J.grad(doubled(J)))(1.0)]
)
check(68, "over_vmap")(
    lambda J: J.vmap(
        lambda y: J.grad(with_rule(J, lambda p, t: (p[0], t[0] * y)))(1.0)
    )(J.numpy.arange(3.0))
)


def returning(J, result, x=2.0):
    f = J.custom_vjp(lambda x: x * 1.0)
    f.defvjp(lambda x: (x * 1.0, None), lambda r, g: result(g))
    return J.grad(f)(x)


check(69, "none")(lambda J: returning(J, lambda g: (None,)))
check(69, "list")(lambda J: returning(J, lambda g: [g]))
raising(
    69,
    "bad",
    lambda J: returning(J, lambda g: (g, g)),
    lambda J: returning(J, lambda g: g),
    lambda J: returning(J, lambda g: {"x": g}),
    lambda J: returning(J, lambda g: (J.numpy.ones(3),)),
)


@check(70, "int_argument")
def int_argument(J):
    f = J.custom_vjp(lambda n, x: x * n)
    f.defvjp(lambda n, x: (x * n, n), lambda n, g: (5.0, g * n))
    return J.grad(f, (0, 1), allow_int=True)(3, 2.0)


raising(
    71,
    "fwd",
    lambda J: J.grad(_vjp_with_fwd(J, lambda x: x))(1.0),
    lambda J: J.grad(_vjp_with_fwd(J, lambda x: (x, "text")))(1.0),
    lambda J: J.jit(
        J.grad(lambda x: J.jit(_vjp_with_fwd(J, lambda x: ((x, x), None)))(x))
    )(1.0),
)
check(71, "residuals")(
    lambda J: (
        J.grad(_vjp_with_fwd(J, lambda x: (x, None)))(1.0),
        J.grad(_vjp_with_fwd(J, lambda x: (x, 3)))(1.0),
    )
)


def _vjp_with_fwd(J, fwd):
    f = J.custom_vjp(lambda x: x * 1.0)
    f.defvjp(fwd, lambda r, g: (g,))
    return f


raising(
    72,
    "forward",
    lambda J: J.jvp(tripled(J), (1.0, 2.0), (1.0, 1.0)),
    lambda J: J.jacfwd(tripled(J))(1.0, 2.0),
    lambda J: J.linearize(lambda x: tripled(J)(x, 2.0), 1.0)[1](1.0),
    lambda J: J.jvp(J.jit(lambda x: tripled(J)(x, 2.0)), (1.0,), (1.0,)),
)
check(72, "unperturbed")(
    lambda J: J.jvp(lambda x: tripled(J)(2.0, 3.0) * x, (1.0,), (1.0,))
)


@check(73, "hessian")
def custom_hessian(J):
    f = J.custom_vjp(lambda x: x**3)
    f.defvjp(lambda x: (x**3, x), lambda x, g: (3 * g * x**2,))
    return J.hessian(f)(2.0), J.jacrev(J.jacrev(f))(2.0), J.grad(J.grad(f))(2.0)


raising(73, "fwd_calls_itself", lambda J: J.hessian(lambda x: tripled(J)(x, x))(2.0))


@check(74, "symbolic_zeros")
def vjp_symbolic_zeros(J):
    seen = []

    def fwd(x, y):
        seen.append((x.perturbed, y.perturbed))
        return (x.value * y.value, y.value), y.value

    def bwd(y, g):
        seen.append([type(t).__name__ == "SymbolicZero" for t in g])
        return g[0] * y, None

    f = J.custom_vjp(lambda x, y: (x * y, y))
    f.defvjp(fwd, bwd, symbolic_zeros=True)
    return J.grad(lambda x: f(x, 3.0)[0])(2.0), seen


raising(
    74,
    "exclusive",
    lambda J: J.custom_vjp(lambda x: x).defvjp(
        lambda x: x, lambda x: x, symbolic_zeros=True, optimize_remat=True
    ),
)
raising(76, "tracer", lambda J: J.jit(lambda n: _nondiff_vjp(J)(n, 2.0))(3.0))


def _nondiff_vjp(J):
    f = J.custom_vjp(lambda n, x: x * n, nondiff_argnums=(0,))
    f.defvjp(lambda n, x: (x * n, None), lambda n, r, g: (g * n,))
    return f


check(76, "value")(lambda J: J.grad(_nondiff_vjp(J), 1)(3.0, 2.0))
check(77, "vmap")(
    lambda J: (
        J.grad(
            lambda x: J.numpy.sum(J.vmap(tripled(J), (0, None))(J.numpy.arange(3.0), x))
        )(2.0),
        J.vmap(J.grad(tripled(J)), (0, None))(J.numpy.arange(3.0), 2.0),
        J.vmap(J.grad(tripled(J), (0, 1)))(J.numpy.arange(3.0), J.numpy.ones(3)),
    )
)


@check(78, "counts")
def counts(J):
    calls = {"primal": 0, "fwd": 0, "bwd": 0}

    def count(name, value):
        calls[name] += 1
        return value

    f = J.custom_vjp(lambda x: count("primal", x * 2))
    f.defvjp(lambda x: count("fwd", (x * 2, None)), lambda r, g: count("bwd", (g * 2,)))
    found = []
    for run in (f, J.grad(f), J.jit(J.grad(f)), J.grad(J.jit(f))):
        calls.update(primal=0, fwd=0, bwd=0)
        run(1.0)
        found.append(dict(calls))
    return found


@check(79, "custom_gradient")
def custom_gradient(J):
    one = J.custom_gradient(lambda x: (x * x, lambda g: (g * x * 10,)))
    two = J.custom_gradient(lambda x, y: (x * y, lambda g: (g * y, g * x * 7)))
    bare = J.custom_gradient(lambda x: (x * x, lambda g: g * x))
    return J.grad(one)(3.0), J.grad(two, (0, 1))(2.0, 3.0), J.grad(bare)(3.0), one(3.0)
