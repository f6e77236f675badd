"""Programs over `J`: derivatives of what the rest of the library makes.

The oracle imports this module beside jax, so it imports neither library.
"""

import numpy as np


def z0(*shape):
    """A float0 array."""
    return np.zeros(shape, [("float0", "V")])


def two(J):
    """Two results, and a backward rule with a factor that is not the true one."""
    f = J.custom_vjp(lambda x, y: (x * y, J.numpy.sin(x)))
    f.defvjp(
        lambda x, y: ((x * y, J.numpy.sin(x)), (x, y)),
        lambda r, g: (g[0] * r[1] + g[1], g[0] * r[0] * 3),
    )
    return f


def refs(J):
    """A square, by way of a ref."""

    def f(x):
        r = J.new_ref(x)
        r[...] = r[...] * x
        return r[...]

    return f


def root(J, f, x):
    """The identity with the derivative of `f`."""
    g = J.custom_jvp(lambda f, x: x, nondiff_argnums=(0,))
    g.defjvp(lambda f, p, t: (p[0], J.grad(f)(p[0]) * t[0]))
    return g(f, x)


REFUSED = []


def refused(program):
    """Mark a program that must raise what jax raises."""
    REFUSED.append(program)
    return program


SUBJECTS = {
    "x64": [
        lambda J: J.jacrev(lambda x: x * np.float64(2))(np.float32(3.0)),
        lambda J: J.jacfwd(lambda x: x * np.float64(2))(np.float32(3.0)),
        lambda J: J.grad(lambda x: J.numpy.sum(x.astype("float64") * 2))(
            np.ones(2, np.float32)
        ),
        lambda J: J.grad(lambda x: x * x)(3.0),
        lambda J: J.jvp(lambda x: x * x, (3.0,), (1.0,)),
        lambda J: J.vjp(lambda x: x * x, np.float32(3.0))[1](np.float32(1.0)),
        refused(lambda J: J.vjp(lambda x: x * x, np.float32(3.0))[1](1.0)),
        refused(lambda J: J.jvp(lambda x: x * x, (np.float32(3.0),), (1.0,))),
        lambda J: J.hessian(lambda x: x**3)(3.0),
    ],
    "transparent": [
        lambda J: J.grad(lambda x: J.lax.optimization_barrier(x) * x)(3.0),
        lambda J: J.grad(lambda x: J.device_put(x) * x)(3.0),
        lambda J: J.grad(
            lambda x: J.numpy.sum(J.random.normal(J.random.key(0), (3,)) * x)
        )(3.0),
        lambda J: (
            J.vjp(lambda k: 3.0, J.random.key(0))[1](1.0)[0].dtype == J.dtypes.float0
        ),
        refused(lambda J: J.grad(lambda k: 3.0)(J.random.key(0))),
        lambda J: J.grad(lambda x, k: J.random.normal(k) * x)(3.0, J.random.key(0)),
        lambda J: J.jit(J.grad(lambda x, k: J.random.normal(k) * x))(
            3.0, J.random.key(0)
        ),
        lambda J: J.linearize(
            lambda x, k: J.random.normal(k) * x, 3.0, J.random.key(0)
        )[1](1.0, z0()),
        lambda J: J.jvp(
            lambda x, k: (J.random.normal(k) * x, k),
            (3.0, J.random.key(0)),
            (1.0, z0()),
        )[1],
    ],
    "axis_names": [
        lambda J: J.vmap(J.grad(lambda x: J.lax.psum(x * x, "i")), axis_name="i")(
            J.numpy.arange(3.0)
        ),
        lambda J: J.grad(
            lambda x: J.numpy.sum(
                J.vmap(lambda x: J.lax.psum(x * x, "i"), axis_name="i")(x)
            )
        )(J.numpy.arange(3.0)),
        lambda J: J.grad(
            lambda x: J.numpy.sum(
                J.vmap(lambda x: x * J.lax.axis_index("i"), axis_name="i")(x)
            )
        )(J.numpy.arange(3.0)),
        lambda J: J.vmap(
            lambda x: J.jvp(lambda x: J.lax.pmean(x * x, "i"), (x,), (x,)),
            axis_name="i",
        )(J.numpy.arange(3.0)),
    ],
    "mapped_rules": [
        lambda J: J.grad(
            lambda x, y: J.numpy.sum(J.vmap(lambda x: two(J)(x, y)[0])(x)), (0, 1)
        )(J.numpy.arange(3.0), 2.0),
        lambda J: J.vmap(J.vmap(lambda x, y: two(J)(x, y)[0], (0, None)), (None, 0))(
            J.numpy.arange(3.0), J.numpy.arange(2.0)
        ),
        lambda J: J.vmap(J.grad(lambda x, y: two(J)(x, y)[0], (0, 1)), (0, None))(
            J.numpy.arange(3.0), 2.0
        ),
        lambda J: J.jacrev(lambda x, y: two(J)(x, y)[0], (0, 1))(
            J.numpy.arange(3.0), J.numpy.arange(3.0)
        ),
        lambda J: J.vmap(lambda x: two(J)(x, x), in_axes=1, out_axes=1)(
            J.numpy.ones((2, 3))
        ),
    ],
    "jit_options": [
        lambda J: J.grad(J.jit(lambda x, n: x**n, static_argnums=1))(3.0, 2),
        lambda J: J.jvp(
            lambda x: J.jit(lambda x, n: x**n, static_argnums=1)(x, 3), (3.0,), (1.0,)
        ),
        lambda J: J.grad(lambda x: J.jit(lambda *, y: y * y)(y=x))(3.0),
        lambda J: J.grad(lambda x: J.eval_shape(lambda y: y * 2, x).shape == () and x)(
            3.0
        ),
    ],
    "integers": [
        lambda J: J.grad(
            lambda x: (
                x[J.numpy.array([0, 2])].sum() + (x > 1).sum() + x.astype(int).sum()
            )
        )(J.numpy.arange(3.0)),
        lambda J: J.grad(
            lambda x: J.numpy.where(x > 1, x, 0).sum() + J.numpy.argmax(x)
        )(J.numpy.arange(3.0)),
        lambda J: J.grad(
            lambda x: J.lax.stop_gradient(x) * x + J.lax.stop_gradient({"a": x})["a"]
        )(3.0),
        lambda J: J.linearize(lambda x: J.lax.stop_gradient(x), 3.0)[1](1.0),
    ],
    "control_flow": [
        lambda J: J.jvp(
            lambda x: J.lax.fori_loop(0, x.astype(int), lambda i, c: c * x, 1.0),
            (3.0,),
            (1.0,),
        ),
        lambda J: J.grad(
            lambda x: J.lax.fori_loop(0, J.numpy.int32(3), lambda i, c: c * x, 1.0)
        )(3.0),
        lambda J: J.grad(
            lambda x: J.lax.while_loop(lambda c: c < 3, lambda c: c + 1, 0) * x
        )(3.0),
        lambda J: J.grad(
            lambda x: (
                J.lax.while_loop(
                    lambda c: c[0] < 3,
                    lambda c: (c[0] + 1, J.lax.stop_gradient(x)),
                    (0, 1.0),
                )[1]
                * x
            )
        )(3.0),
        lambda J: J.grad(
            lambda x: J.jvp(
                lambda y: J.lax.while_loop(lambda c: c < 10.0, lambda c: c * 2, y),
                (x,),
                (1.0,),
            )[1]
        )(3.0),
        lambda J: J.linearize(
            lambda x: J.lax.while_loop(lambda c: c < 10.0, lambda c: c * 2, x), 3.0
        )[1](1.0),
        lambda J: J.jacfwd(
            J.jacfwd(
                lambda x: J.lax.while_loop(
                    lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * x), (0, x)
                )[1]
            )
        )(3.0),
        lambda J: J.grad(lambda x: J.lax.switch(1, [J.numpy.sin, J.numpy.cos], x))(3.0),
        lambda J: J.grad(
            lambda x, i: J.lax.switch(
                i, [J.numpy.sin, lambda x: 3.0, lambda x: x * x], x
            )
        )(3.0, 1),
        lambda J: J.grad(
            lambda x, p: J.lax.cond(p, lambda x: (x, x * x), lambda x: (x * x, 1.0), x)[
                1
            ]
        )(3.0, True),
        lambda J: J.vmap(
            J.grad(
                lambda x, p: J.lax.cond(
                    p, lambda x: (x, x * x), lambda x: (x * x, 1.0), x
                )[1]
            )
        )(J.numpy.arange(2.0), J.numpy.array([True, False])),
        lambda J: J.hessian(
            lambda x: J.lax.cond(
                x[0] > 0, lambda x: J.numpy.sum(x**3), lambda x: J.numpy.prod(x), x
            )
        )(J.numpy.arange(1.0, 3.0)),
        lambda J: J.grad(
            lambda x: J.lax.scan(lambda c, x: (c + x, c * x), 0.0, x)[1].sum()
        )(J.numpy.arange(4.0)),
        lambda J: J.grad(
            lambda x: J.lax.scan(lambda c, x: (c + x, c * x), 0.0, x, reverse=True)[
                1
            ].sum()
        )(J.numpy.arange(4.0)),
        lambda J: J.grad(
            lambda x: J.lax.scan(lambda c, x: (c + x, c * x), 0.0, x, unroll=3)[1].sum()
        )(J.numpy.arange(4.0)),
        lambda J: J.grad(lambda x: J.lax.map(lambda x: x * x, x).sum())(
            J.numpy.arange(4.0)
        ),
        lambda J: J.grad(lambda x: J.lax.associative_scan(J.numpy.multiply, x).sum())(
            J.numpy.arange(1.0, 4.0)
        ),
        lambda J: J.grad(
            lambda x: J.lax.scan(lambda c, _: (c, None), x, None, length=0)[0]
        )(2.0),
        lambda J: J.hessian(
            lambda x: J.lax.scan(lambda c, y: (J.numpy.sin(c) * y, c * y), x[0], x)[
                1
            ].sum()
        )(J.numpy.arange(3.0)),
        lambda J: J.jacfwd(
            J.jacrev(
                lambda x: J.lax.scan(lambda c, y: (J.numpy.sin(c) * y, c * y), x[0], x)[
                    1
                ]
            )
        )(J.numpy.arange(3.0)),
        lambda J: J.grad(
            lambda x: J.lax.scan(
                lambda c, _: ({"a": c["a"] * x, "n": c["n"] + 1}, c["n"]),
                {"a": x, "n": 0},
                None,
                length=3,
            )[0]["a"]
        )(2.0),
        lambda J: J.grad(
            lambda W: J.lax.scan(
                lambda c, _: (J.numpy.tanh(W @ c), None),
                J.numpy.ones(2),
                None,
                length=3,
            )[0].sum()
        )(J.numpy.eye(2)),
    ],
    "refs": [
        lambda J: J.grad(refs(J))(np.float32(3)),
        lambda J: J.jvp(refs(J), (3.0,), (1.0,)),
        lambda J: J.jit(J.grad(refs(J)))(np.float32(3)),
        lambda J: J.grad(J.jit(refs(J)))(np.float32(3)),
        lambda J: J.vmap(J.grad(refs(J)))(J.numpy.arange(3.0)),
        refused(
            lambda J: J.grad(
                lambda x: J.pure_callback(
                    lambda x: x, J.ShapeDtypeStruct((), "float32"), x
                )
            )(3.0)
        ),
        lambda J: J.grad(
            lambda x: (
                J.pure_callback(
                    lambda x: x,
                    J.ShapeDtypeStruct((), "float32"),
                    J.lax.stop_gradient(x),
                )
                * x
            )
        )(3.0),
    ],
    "rules_of_functions": [
        lambda J: J.grad(lambda x: root(J, J.numpy.sin, x))(1.0),
        lambda J: J.grad(J.grad(lambda x: root(J, J.numpy.sin, x)))(1.0),
        lambda J: J.vmap(J.grad(lambda x: root(J, J.numpy.sin, x)))(
            J.numpy.arange(2.0)
        ),
        lambda J: J.nn.relu(J.numpy.arange(-1.0, 2.0)),
        lambda J: J.vmap(J.grad(J.nn.relu))(J.numpy.arange(-1.0, 2.0)),
        lambda J: J.hessian(lambda x: J.numpy.sum(J.nn.softplus(x)))(
            J.numpy.arange(2.0)
        ),
        lambda J: J.hessian(lambda x: J.nn.logsumexp(x))(J.numpy.arange(2.0)),
    ],
    "functions": [
        lambda J: J.grad(lambda x: x + J.lax.stop_gradient(J.numpy.round(x) - x))(1.4),
        lambda J: J.grad(J.grad(lambda x: J.nn.relu(x) ** 2))(0.0),
        lambda J: J.grad(lambda x: x.at[1].set(3.0).sum())(J.numpy.arange(3.0)),
        lambda J: J.grad(lambda x: J.numpy.dot(x, x))(J.numpy.arange(3.0)),
        lambda J: J.grad(lambda x: (x @ x.T).sum())(J.numpy.ones((2, 3))),
        lambda J: J.grad(lambda x: J.numpy.var(x))(J.numpy.arange(3.0)),
        lambda J: J.grad(lambda x: J.numpy.std(x))(J.numpy.ones(3)),
        lambda J: J.grad(lambda x: J.numpy.median(x))(J.numpy.arange(3.0)),
        lambda J: J.grad(lambda x: J.numpy.max(J.numpy.abs(x)))(
            J.numpy.arange(-2.0, 3.0)
        ),
        lambda J: J.grad(lambda x: J.numpy.prod(x))(J.numpy.array([0.0, 2.0, 3.0])),
        lambda J: J.grad(lambda x: J.numpy.cumprod(x).sum())(
            J.numpy.array([0.0, 2.0, 3.0])
        ),
        lambda J: J.grad(lambda x: J.numpy.sort(x)[0])(J.numpy.array([3.0, 1.0, 2.0])),
        lambda J: J.grad(lambda x: J.numpy.concatenate([x, x * 2])[1])(
            J.numpy.arange(2.0)
        ),
        lambda J: J.grad(lambda x: J.numpy.stack([x, x * 2])[1, 0])(
            J.numpy.arange(2.0)
        ),
        lambda J: J.grad(lambda x: J.numpy.pad(x, 1)[1])(J.numpy.arange(2.0)),
        lambda J: J.grad(lambda x: J.numpy.roll(x, 1)[1])(J.numpy.arange(2.0)),
        lambda J: J.grad(
            lambda x: J.numpy.take(x, J.numpy.array([0, 5]), mode="clip").sum()
        )(J.numpy.arange(3.0)),
        lambda J: J.grad(lambda x: x[::-1][0] + x[..., None][1, 0])(
            J.numpy.arange(3.0)
        ),
        lambda J: J.grad(
            lambda x: J.numpy.interp(x, J.numpy.arange(3.0), J.numpy.arange(3.0) ** 2)
        )(1.5),
        lambda J: J.grad(lambda x: J.numpy.polyval(J.numpy.arange(3.0), x))(1.5),
        lambda J: J.grad(lambda x: J.numpy.linspace(0.0, x, 3).sum())(1.5),
        lambda J: J.grad(lambda x: J.numpy.outer(x, x).sum())(J.numpy.arange(3.0)),
        lambda J: J.grad(lambda x: J.numpy.einsum("ij,jk->", x, x))(J.numpy.eye(2)),
        lambda J: J.grad(lambda x: J.nn.softmax(x)[0])(J.numpy.arange(3.0)),
        lambda J: J.grad(lambda x: J.numpy.nansum(x))(
            J.numpy.array([1.0, J.numpy.nan])
        ),
        lambda J: J.grad(lambda x: J.numpy.where(x > 0, J.numpy.sqrt(x), 0.0).sum())(
            J.numpy.array([0.0, 1.0])
        ),
        lambda J: J.grad(lambda x: J.numpy.mod(x, 2.0))(3.5),
        lambda J: J.grad(lambda x: x // 2.0)(3.5),
        lambda J: J.grad(lambda x: divmod(x, 2.0)[1])(3.5),
        lambda J: J.grad(lambda x: abs(x) + (-x) + x / 2 - 1 / x + 2**x + x % 2)(3.5),
        lambda J: J.grad(
            lambda x: (
                J.numpy.arctan2(x, 2.0)
                + J.numpy.hypot(x, 1.0)
                + J.numpy.logaddexp(x, 0.0)
            )
        )(3.5),
        lambda J: J.grad(
            lambda x: (
                x.mean()
                + x.sum()
                + x.max()
                + x.reshape(-1)[0]
                + x.T[0, 0]
                + x.dot(x.ravel())
                if 0
                else x.mean()
            )
        )(J.numpy.ones((2, 2))),
        lambda J: J.grad(lambda x: x.astype(x.dtype) * x.real)(1.0),
        lambda J: J.grad(lambda x: (x.copy() * x.conj()).item() if 0 else x.copy() * x)(
            J.numpy.float32(2)
        ),
        lambda J: J.grad(lambda x: sum(x))(J.numpy.arange(3.0)),
        lambda J: J.grad(lambda x: max(x, 1.0))(2.0),
        lambda J: J.grad(lambda x: max(x[0], x[1]))(J.numpy.array([1.0, 2.0])),
        lambda J: J.grad(lambda x: x if x else 0.0 * x)(0.0),
        lambda J: J.vmap(J.grad(lambda x, y: J.numpy.sum(x) * y, (0, 1)), (0, None))(
            J.numpy.ones((2, 3)), 2.0
        ),
        lambda J: J.vmap(
            J.value_and_grad(lambda x, y: (J.numpy.sum(x) * y, x), has_aux=True),
            (None, 0),
        )(J.numpy.ones(3), J.numpy.ones(2)),
        lambda J: J.jacfwd(J.vmap(lambda x: x * x))(J.numpy.arange(2.0)),
        lambda J: J.vmap(J.jacrev(lambda x: x * x))(J.numpy.ones((2, 2))),
        lambda J: J.vmap(J.hessian(lambda x: J.numpy.sum(x**3)))(J.numpy.ones((2, 2))),
        lambda J: J.jacrev(J.jit(lambda x: {"a": x * 2, "b": J.numpy.sum(x)}))(
            J.numpy.arange(2.0)
        ),
        lambda J: J.jacfwd(lambda x: (x, {"a": x * x}), has_aux=False)(2.0),
    ],
    "linear_transposes": [
        lambda J: J.linear_transpose(
            lambda x: J.lax.scan(lambda c, _: (c * 2, None), x, None, length=3)[0], 1.0
        )(1.0),
        lambda J: J.linear_transpose(
            lambda x: J.numpy.zeros(4).at[1::2].set(x), J.numpy.ones(2)
        )(J.numpy.arange(4.0)),
        lambda J: J.linear_transpose(
            lambda x: J.jit(lambda x: 3 * x)(x), J.ShapeDtypeStruct((2,), "float32")
        )(J.numpy.arange(2.0)),
        lambda J: J.linear_transpose(lambda x: x * 2, 3)(4),
        lambda J: J.linear_transpose(
            lambda x: J.lax.cond(True, lambda x: x * 2, lambda x: x * 3, x), 3.0
        )(4.0),
        lambda J: J.linear_transpose(lambda x, y: x + y, 3.0, 4.0)(4.0),
        lambda J: J.linear_transpose(lambda d: d["a"] * 2, {"a": 3.0, "b": 1.0})(4.0),
        lambda J: J.linear_transpose(lambda x: (x, x * 2), 3.0)((1.0, 1.0)),
        lambda J: J.vmap(J.linear_transpose(lambda x: x * 2, 3.0))(J.numpy.arange(2.0)),
        lambda J: J.jit(J.linear_transpose(lambda x: x * 2, 3.0))(2.0),
        lambda J: J.grad(lambda y: J.linear_transpose(lambda x: x * y, 3.0)(2.0)[0])(
            5.0
        ),
    ],
}


def run(J, subject, number):
    """One program, by its place."""
    return SUBJECTS[subject][number](J)
