"""Programs with refs: run here and with jax, the results compared."""

import numpy as np


def _x(J, n=3):
    return J.numpy.arange(float(n))


def accesses(J, compiled):
    """A fixed sequence of all kinds of access."""

    def run(x, i):
        ref = J.new_ref(x)
        seen = [ref[...], ref[0], ref[-1], ref[1:], ref[i], ref[::2]]
        ref[0] = 5.0
        ref[1:] = ref[1:] * 2
        ref[i] += 1.0
        ref.addupdate(2.0, 1)
        J.ref.addupdate(ref, ..., x)
        seen += [J.ref.swap(ref, 0, 9.0), J.ref.swap(ref, slice(0, 2), x[:2])]
        J.ref.set(ref, i, 7.0)
        rows = J.numpy.array([2, 0])
        seen += [ref[rows]]
        ref[rows] = J.numpy.array([1.0, 2.0])
        seen += [J.ref.get(ref, 0), J.ref.get(ref), ref.at[1:][0]]
        return seen, J.freeze(ref)

    fun = J.jit(run) if compiled else run
    return fun(_x(J), J.numpy.int32(1))


def matrices(J, compiled):
    def run(m, i):
        ref = J.new_ref(m)
        rows, columns = J.numpy.array([0, 2]), J.numpy.array([1, 3])
        seen = [
            *(ref[i, 1:], ref[..., 0], ref[1, 2], ref[i, i], ref[1:, rows]),
            *(ref[rows, 1:], ref[rows, columns], ref[rows, i], ref[-3:-1], ref[i]),
        ]
        ref[i, 1:] = m[0, 1:]
        ref[..., 0] = m[:, 1]
        ref[rows, columns] = J.numpy.array([50.0, 60.0])
        ref.addupdate(m[1:, :2], (slice(1, None), rows))
        return seen, ref[...]

    fun = J.jit(run) if compiled else run
    return fun(J.numpy.arange(20.0).reshape(4, 5), J.numpy.int32(1))


def text(J):
    def run(x, i):
        ref = J.new_ref(x)
        a = ref[...]
        b = ref[0]
        ref[1:] = ref[1:]
        ref[i] = b
        ref.addupdate(1.0, 2)
        c = J.ref.swap(ref, -1, 3.0)
        return a, c, J.freeze(ref)

    jaxpr = J.make_jaxpr(run)(_x(J), J.numpy.int32(1))
    free = J.make_jaxpr(lambda x: J.ref.free_ref(J.new_ref(x)))(1.0)
    return str(jaxpr), str(free)


def outside(J):
    """Refs as arguments and closed over: the program, its effects, what is left."""
    ref, other = J.new_ref(_x(J)), J.new_ref(_x(J))

    def change(ref):
        y = ref[1]
        ref.addupdate(y + 1.0, 0)
        other[2] = y
        return y * 2

    jaxpr = J.make_jaxpr(change)(ref)
    effects = sorted(type(effect).__name__ for effect in jaxpr.effects)
    compiled = J.jit(change)
    outs = [compiled(ref), compiled(ref), J.jit(lambda r: J.jit(change)(r))(ref)]
    return str(jaxpr), effects, outs, ref[...], other[...], J.jit(change)(ref)


def in_a_tree(J):
    ref = J.new_ref(_x(J))

    @J.jit
    def change(d, *, scale):
        d["ref"][...] = d["ref"][...] * scale
        return d["x"] + d["ref"][1]

    return change({"ref": ref, "x": 1.0}, scale=3.0), ref[...]


LOOPS = ["scan", "while", "fori", "cond", "switch", "nested"]


def loops(J, name, compiled):
    lax = J.lax

    def run(x, ref):
        local = J.new_ref(0.0 * x)

        def body(carry, v):
            local[0] += v
            ref[1] = carry
            return carry + v, local[0] + ref[0]

        def step(k):
            ref.addupdate(1.0, k)
            return k + 1

        def yes():
            ref[0] = 9.0
            return ref[1]

        def nested(carry, v):
            return J.jit(lambda c: lax.scan(body, c, x))(carry)[0] + v, None

        cases = {
            "scan": lambda: lax.scan(body, 0.5, x),
            "while": lambda: lax.while_loop(lambda k: k < ref.shape[0], step, 1),
            "fori": lambda: lax.fori_loop(
                0, 3, lambda k, c: (step(k), c + ref[k])[1], 0.0
            ),
            "cond": lambda: lax.cond(x[1] > 0, yes, lambda: local[2]),
            "switch": lambda: lax.switch(J.numpy.int32(x[2]), [yes, yes, lambda: 3.0]),
            "nested": lambda: lax.scan(nested, 0.0, x),
        }
        return cases[name](), local[...]

    ref = J.new_ref(_x(J))
    out = (J.jit(run) if compiled else run)(_x(J), ref)
    return out, ref[...]


def _local(J, x):
    ref = J.new_ref(x)
    ref[0] = ref[1] * ref[2]
    ref.addupdate(x[0] * x[0], 1)

    def body(carry, v):
        ref[2] = ref[2] * v
        return carry + ref[0] * v, v

    total, _ = J.lax.scan(body, 0.0, x)
    return J.numpy.sum(ref[...] ** 2) + total


DERIVATIVES = [
    *(
        "grad",
        "grad of jit",
        "jit of grad",
        "jvp",
        "checkpoint",
        "vmap",
        "vmap of grad",
    ),
    *("value_and_grad", "vjp"),
]


def derivatives(J, name):
    x = _x(J) + 1.0
    many = J.numpy.stack([x, 2 * x])

    def f(x):
        return _local(J, x)

    cases = {
        "grad": lambda: J.grad(f)(x),
        "grad of jit": lambda: J.grad(J.jit(f))(x),
        "jit of grad": lambda: J.jit(J.grad(f))(x),
        "jvp": lambda: J.jvp(f, (x,), (x,)),
        "checkpoint": lambda: J.grad(J.checkpoint(f))(x),
        "vmap": lambda: J.vmap(f)(many),
        "vmap of grad": lambda: J.vmap(J.grad(f))(many),
        "value_and_grad": lambda: J.value_and_grad(f)(x),
        "vjp": lambda: J.vjp(f, x)[1](1.0),
    }
    return cases[name]()


def mapped(J, in_axis, compiled):
    """A ref that is mapped over, and one that all examples read."""
    ref = J.new_ref(J.numpy.arange(12.0).reshape(3, 4))
    shared = J.new_ref(_x(J, 4))

    def one(ref, x, i):
        ref[0] = x
        ref.addupdate(shared[i], 1)
        return ref[i], J.ref.swap(ref, i, 2 * x)

    fun = J.vmap(one, in_axes=(in_axis, 0, 0))
    size = ref.shape[in_axis]
    positions = J.numpy.arange(size) % 3
    outs = (J.jit(fun) if compiled else fun)(ref, _x(J, size), positions)
    return outs, ref[...], shared[...]


REFUSED = [
    *(
        "returned argument",
        "returned closure",
        "returned local",
        "returned in make_jaxpr",
    ),
    *(
        "twice",
        "closed over and passed",
        "twice in make_jaxpr",
        "twice in a nested jit",
    ),
    *(
        "wrong shape",
        "broadcast",
        "wrong dtype",
        "weak int",
        "too many",
        "out of range",
    ),
    *("a negative step", "add", "radd", "sin", "asarray", "traced add"),
    *("grad of a ref", "ref of a string", "empty at once", "a mask", "a string index"),
]


def refused(J, case):
    ref = J.new_ref(_x(J))
    jnp = J.numpy

    def both(a, b):
        return a[0] + b[0]

    def write(value, idx=0):
        ref[idx] = value

    cases = {
        "returned argument": lambda: J.jit(lambda r: r)(ref),
        "returned closure": lambda: J.jit(lambda: {"a": ref})(),
        "returned local": lambda: J.jit(lambda x: (x, J.new_ref(x)))(1.0),
        "returned in make_jaxpr": lambda: J.make_jaxpr(lambda r: r)(ref),
        "twice": lambda: J.jit(both)(ref, ref),
        "closed over and passed": lambda: J.jit(lambda a: a[0] + ref[0])(ref),
        "twice in make_jaxpr": lambda: J.make_jaxpr(both)(ref, ref),
        "twice in a nested jit": lambda: J.jit(lambda r: J.jit(both)(r, r))(ref),
        "wrong shape": lambda: write(jnp.ones(3)),
        "broadcast": lambda: write(1.0, ...),
        "wrong dtype": lambda: write(jnp.int32(1)),
        "weak int": lambda: write(1),
        "too many": lambda: ref[0, 0],
        "out of range": lambda: ref[3],
        "a negative step": lambda: ref[::-1],
        "add": lambda: ref + 1,
        "radd": lambda: 1 + ref,
        "sin": lambda: jnp.sin(ref),
        "asarray": lambda: jnp.asarray(ref),
        "traced add": lambda: J.jit(lambda r: jnp.sin(r))(ref),
        "grad of a ref": lambda: J.grad(lambda r: r[0])(ref),
        "ref of a string": lambda: J.new_ref("text"),
        "empty at once": lambda: J.ref.empty_ref(J.ShapeDtypeStruct((3,), "float32")),
        "a mask": lambda: ref[np.array([True, False, True])],
        "a string index": lambda: ref["a"],
    }
    return cases[case]()


def description(J):
    ref, scalar = J.new_ref(_x(J)), J.new_ref(1.0)
    inside = []
    J.make_jaxpr(
        lambda r: inside.extend(
            [isinstance(r, J.Ref), isinstance(r, J.Array), repr(r), r.shape, len(r)]
        )
    )(ref)
    return (
        *(repr(ref), str(J.typeof(ref)), repr(J.typeof(ref)), repr(scalar)),
        *(isinstance(ref, J.Ref), isinstance(ref, J.Array), ref.shape, ref.ndim),
        *(str(ref.dtype), ref.size, len(ref), hash(ref) == hash(ref), ref == ref),
        *(len(J.tree.leaves({"a": ref})), scalar[...], scalar[()]),
        inside,
    )


def kept_apart(J):
    """A ref has its own buffer; frozen, it is read all the same."""
    x = _x(J)
    ref = J.new_ref(x)
    ref[0] = 9.0
    frozen = J.freeze(ref)
    empty = J.jit(lambda x: _filled(J, x))(x)
    J.ref.free_ref(ref)
    return x, frozen, ref[...], empty


def _filled(J, x):
    ref = J.ref.empty_ref(J.typeof(x))
    ref[...] = x + 1
    return ref[...]


def untouched_by_ad(J):
    def f(x):
        log = J.new_ref(0.0 * x, kind="no_grad_no_remat")
        log[...] = x * 3
        return J.numpy.sin(x) + 0.0 * log[...]

    return J.grad(f)(1.0)
