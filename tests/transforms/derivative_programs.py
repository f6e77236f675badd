"""Programs over `J`: what may go into a derivative, and come out.

The oracle imports this module beside jax, so it imports neither library.
"""

from collections import OrderedDict, namedtuple

import numpy as np

Pt = namedtuple("Pt", "a b")


def z0(*shape):
    """A float0 array."""
    return np.zeros(shape, [("float0", "V")])


REFUSED = []


def refused(program):
    """Mark a program that must raise what jax raises."""
    REFUSED.append(program)
    return program


SUBJECTS = {
    "float0": [
        lambda J: J.jit(lambda x, t: J.jvp(lambda i: i * 2.0, (x,), (t,)))(3, z0()),
        lambda J: J.jit(lambda x: x)(z0(2)),
        lambda J: J.jit(lambda x: (x, x))(z0()),
        lambda J: J.jit(lambda: z0(3))(),
        lambda J: J.vmap(lambda x: x)(z0(3)),
        lambda J: J.vmap(lambda x: x, out_axes=1)(z0(3, 2)),
        lambda J: J.vmap(lambda x: z0(2))(J.numpy.ones(3)),
        lambda J: J.jit(J.vjp(lambda x, i: x * i, 2.0, 3)[1])(1.0),
        lambda J: J.jit(lambda x, i: J.vjp(lambda x, i: x * i, x, i)[1](1.0))(2.0, 3),
        lambda J: J.jit(J.grad(lambda x, i: x * i, (0, 1), allow_int=True))(2.0, 3),
        lambda J: J.grad(J.jit(lambda x, i: x * i), (0, 1), allow_int=True)(2.0, 3),
        lambda J: J.grad(
            lambda x, i: J.lax.cond(
                i > 0, lambda a, b: a * b, lambda a, b: a + b, x, i
            ),
            (0, 1),
            allow_int=True,
        )(2.0, 3),
        lambda J: J.jvp(
            lambda i: J.lax.scan(lambda c, x: (c + x, x * 2.0), i, J.numpy.arange(3)),
            (3,),
            (z0(),),
        ),
        lambda J: J.jvp(J.jit(lambda x, i: (x * i, i + 1)), (2.0, 3), (1.0, z0())),
        lambda J: J.linearize(lambda x, i: (x * i, i + 1), 2.0, 3)[1](1.0, z0()),
        lambda J: J.jit(J.linearize(lambda x, i: (x * i, i + 1), 2.0, 3)[1])(1.0, z0()),
        lambda J: J.vmap(J.linearize(lambda x, i: (x * i, i + 1), 2.0, 3)[1])(
            J.numpy.ones(2), z0(2)
        ),
        lambda J: J.vmap(
            J.linearize(lambda x, i: (x * i, i + 1), 2.0, 3)[1], (0, None)
        )(J.numpy.ones(2), z0()),
        lambda J: J.linear_transpose(lambda x, t: (x * 2.0, t), 1.0, z0(2))(
            (1.0, z0(2))
        ),
        lambda J: J.vjp(lambda x: (x > 0, x * 2), 1.0)[1]((z0(), 1.0)),
        lambda J: J.vjp(lambda x: (x > 0, x * 2), 1.0)[1]((True, 1.0)),
        lambda J: J.jit(lambda c: J.vjp(lambda x: (x > 0, x * 2), 1.0)[1]((c, 1.0)))(
            z0()
        ),
        lambda J: (
            J.eval_shape(J.grad(lambda i: i * 2.0, allow_int=True), 3).dtype
            == J.dtypes.float0
        ),
        lambda J: J.grad(lambda x: x)(np.float64(2.0)),
        lambda J: J.grad(lambda x: J.numpy.sum(x))(np.ones(3)),
        lambda J: J.jvp(lambda x: x * 2, (np.ones(2),), (np.ones(2),)),
        lambda J: J.jvp(lambda x: x * 2, (np.ones(2, "f"),), (np.ones(2),)),
        lambda J: J.vjp(lambda x: x * 2, np.ones(2))[1](np.ones(2)),
        lambda J: J.linearize(lambda x: x * 2, np.ones(2))[1](np.ones(2)),
        lambda J: J.vjp(lambda x: x, np.ones(2))[1](np.ones(2)),
    ],
    "empty": [
        lambda J: J.jacfwd(lambda x: x * 2)(J.numpy.zeros((0,))),
        lambda J: J.jacrev(lambda x: x * 2)(J.numpy.zeros((0,))),
        lambda J: J.hessian(lambda x: J.numpy.sum(x))(J.numpy.zeros((0,))),
        lambda J: J.jacfwd(lambda x: J.numpy.zeros((0, 3)) * x)(J.numpy.ones(3)),
        lambda J: J.jvp(lambda: 1.0, (), ()),
        lambda J: J.linearize(lambda: 1.0)[1](),
        lambda J: J.vjp(lambda *a: 1.0)[1](1.0),
        lambda J: J.vjp(lambda d: d, {})[1]({}),
        lambda J: J.grad(lambda d, x: x)({}, 1.0),
        lambda J: J.grad(lambda d, x: x, (0, 1))({"a": None}, 1.0),
        lambda J: J.jacfwd(lambda x: {})(1.0),
    ],
    "zeros": [
        lambda J: J.jvp(lambda x: (1.0, x, None, {"a": 2}), (1.0,), (3.0,)),
        lambda J: J.vjp(lambda x: (1.0, x, {"a": 2.0}), 1.0)[1]((5.0, 6.0, {"a": 7.0})),
        lambda J: J.linearize(lambda x: (1.0, x, {"a": 2.0}), 1.0)[1](3.0),
        lambda J: J.grad(J.jit(lambda x, y: x))(1.0, 2.0),
        lambda J: J.grad(J.jit(lambda x, y: x), 1)(1.0, 2.0),
        lambda J: J.grad(lambda x: J.jit(lambda x: 3.0)(x))(1.0),
        lambda J: J.jvp(J.jit(lambda x: (3.0, x)), (1.0,), (1.0,)),
        lambda J: J.grad(lambda x: J.lax.sort((x, J.numpy.arange(3)))[0][0])(
            J.numpy.array([3.0, 1.0, 2.0])
        ),
        lambda J: J.grad(lambda x: J.lax.top_k(x, 2)[0].sum())(
            J.numpy.array([3.0, 1.0, 2.0])
        ),
    ],
    "aux": [
        lambda J: J.vjp(
            lambda x: (x * 2, {"a": x, "s": "t", "o": object}), 1.0, has_aux=True
        )[2]["s"],
        lambda J: J.jvp(lambda x: (x * 2, (x, "t")), (1.0,), (1.0,), has_aux=True)[2],
        lambda J: J.grad(
            lambda x: J.grad(lambda y: (x * y, (x, y)), has_aux=True)(2.0)[1][0] * x
        )(3.0),
        lambda J: J.jit(J.grad(lambda x: (x * x, (x, 3)), has_aux=True))(3.0),
        lambda J: J.jit(J.value_and_grad(lambda x: (x * x, (x, 3)), has_aux=True))(3.0),
        lambda J: J.vmap(J.value_and_grad(lambda x: (x * x, (x, 3)), has_aux=True))(
            J.numpy.arange(3.0)
        ),
        lambda J: J.jacfwd(lambda x: (x * x, (x, 3)), has_aux=True)(
            J.numpy.arange(3.0)
        ),
        lambda J: J.jacrev(lambda x: (x * x, (x, 3)), has_aux=True)(
            J.numpy.arange(3.0)
        ),
        lambda J: J.hessian(lambda x: (J.numpy.sum(x * x), (x, 3)), has_aux=True)(
            J.numpy.arange(2.0)
        ),
        refused(lambda J: J.linearize(lambda x: x, 1.0, has_aux=True)),
        refused(lambda J: J.jvp(lambda x: x, (1.0,), (1.0,), has_aux=True)),
        lambda J: J.vjp(lambda x: [x, 2], 1.0, has_aux=True)[2],
    ],
    "complex": [
        lambda J: J.grad(lambda z: J.numpy.abs(z))(3 + 4j),
        lambda J: J.grad(lambda z: J.numpy.abs(z) ** 2)(3 + 4j),
        lambda J: J.grad(lambda z: J.numpy.real(z * J.numpy.conj(z)))(3 + 4j),
        lambda J: J.grad(lambda x: J.numpy.real(J.numpy.exp(1j * x)))(1.0),
        lambda J: J.jvp(lambda x: J.numpy.exp(1j * x), (1.0,), (1.0,)),
        lambda J: J.jacfwd(lambda x: J.numpy.exp(1j * x))(J.numpy.arange(2.0)),
        lambda J: J.jacrev(lambda z: J.numpy.abs(z))(J.numpy.array([1j, 1 + 1j])),
        lambda J: J.jacrev(lambda z: z * z, holomorphic=True)(
            J.numpy.array([1j, 1 + 1j])
        ),
        lambda J: J.hessian(lambda z: z * z * z, holomorphic=True)(1 + 1j),
        refused(lambda J: J.jacrev(lambda x: J.numpy.exp(1j * x))(1.0)),
        lambda J: J.vjp(lambda x: x.astype(J.numpy.complex64) * 1j, 1.0)[1](
            J.numpy.complex64(2 + 1j)
        ),
        lambda J: J.linearize(lambda z: z * z, 1 + 1j)[1](1j),
        refused(lambda J: J.linearize(lambda z: z * z, 1 + 1j)[1](1.0)),
        lambda J: J.grad(lambda z: z.real)(1 + 1j),
        lambda J: J.linear_transpose(lambda z: z * (1 + 2j), 1j)(1j),
        lambda J: J.linear_transpose(lambda z: z.real, 1j)(1.0),
        lambda J: J.linear_transpose(lambda x: x * 1j, 1.0)(1j),
    ],
    "weak_types": [
        lambda J: J.grad(lambda x: x * np.float32(2))(3.0),
        lambda J: J.grad(lambda x: x * 2)(np.float32(3.0)),
        lambda J: J.grad(lambda x: x * 2)(3.0),
        lambda J: J.grad(lambda x: J.numpy.sum(x * J.numpy.ones(3)))(3.0),
        lambda J: J.grad(lambda x: x.astype(J.numpy.bfloat16).astype(J.numpy.float32))(
            3.0
        ),
        lambda J: J.grad(lambda x: (x * x).astype(J.numpy.float32))(
            J.numpy.float16(3.0)
        ),
        lambda J: J.vjp(lambda x: x * np.float32(2), 3.0)[1](np.float32(1.0)),
        lambda J: J.jvp(lambda x: x * np.float32(2), (3.0,), (1.0,)),
        lambda J: J.jvp(lambda x: x + x, (np.float32(3.0),), (1.0,)),
        lambda J: J.jacfwd(lambda x: x * np.float32(2))(3.0),
        lambda J: J.jacrev(lambda x: x * np.float32(2))(3.0),
        lambda J: J.hessian(lambda x: x * x * np.float32(2))(3.0),
        lambda J: J.linearize(J.jit(lambda x: x * np.float32(2)), 3.0)[1](1.0),
        lambda J: J.grad(J.jit(lambda x: x * np.float32(2)))(3.0),
        lambda J: J.jvp(J.jit(lambda x: x * np.float32(2)), (3.0,), (1.0,)),
        lambda J: J.vjp(J.jit(lambda x: x * np.float32(2)), 3.0)[1](np.float32(1.0)),
        lambda J: J.grad(
            lambda x: J.lax.cond(
                True, lambda y: y * np.float32(2), lambda y: np.float32(1), x
            )
        )(3.0),
        lambda J: J.grad(
            lambda x: J.lax.scan(lambda c, _: (c * 2.0, None), x, None, length=3)[0]
        )(3.0),
    ],
    "closures": [
        lambda J: J.grad(lambda x: J.grad(lambda y: x * y * y)(x))(3.0),
        lambda J: J.grad(lambda x: J.jvp(lambda y: x * y * y, (x,), (x,))[1])(3.0),
        lambda J: J.jvp(lambda x: J.grad(lambda y: x * y * y)(2.0), (3.0,), (1.0,)),
        lambda J: J.grad(lambda x: J.jit(lambda y: x * y)(2.0))(3.0),
        lambda J: J.grad(lambda x: J.jit(J.grad(lambda y: x * y * y))(2.0))(3.0),
        lambda J: J.vmap(lambda x: J.grad(lambda y: x * y * y)(2.0))(
            J.numpy.arange(3.0)
        ),
        lambda J: J.grad(
            lambda x: J.numpy.sum(J.vmap(lambda y: x * y)(J.numpy.arange(3.0)))
        )(3.0),
        lambda J: J.grad(lambda x: J.lax.cond(x > 0, lambda: x * x, lambda: x))(2.0),
        lambda J: J.grad(lambda x: J.checkpoint(lambda y: x * J.numpy.sin(y))(x))(2.0),
        lambda J: J.jit(lambda x: J.grad(lambda y: x * y * y)(2.0))(3.0),
        lambda J: J.linearize(
            lambda x: J.linearize(lambda y: x * y * y, 2.0)[1](x), 3.0
        )[1](1.0),
        lambda J: J.vjp(lambda x: J.vjp(lambda y: x * y * y, 2.0)[1](x), 3.0)[1](
            (1.0,)
        ),
        lambda J: J.grad(lambda x: J.vjp(lambda y: J.numpy.sin(x * y), x)[1](x)[0])(
            3.0
        ),
        lambda J: J.grad(lambda x: J.linear_transpose(lambda y: x * y, 1.0)(x)[0])(3.0),
        lambda J: J.grad(
            lambda x: J.linear_transpose(lambda y: J.jit(lambda z: x * z)(y), 1.0)(x)[0]
        )(3.0),
        lambda J: J.jacfwd(lambda x: J.jacfwd(lambda y: x * y * y)(x))(
            J.numpy.arange(2.0)
        ),
        lambda J: J.jacrev(lambda x: J.jacrev(lambda y: x * y * y)(x))(
            J.numpy.arange(2.0)
        ),
        lambda J: J.jacfwd(lambda x: J.jacrev(lambda y: x * y * y)(x))(
            J.numpy.arange(2.0)
        ),
    ],
    "crossing": [
        lambda J: J.vmap(lambda x: J.vjp(lambda a: J.numpy.sin(a) * a, x))(
            J.numpy.arange(3.0)
        )[0],
        lambda J: J.vmap(lambda g, c: g(c))(
            J.vmap(lambda x: J.vjp(lambda a: J.numpy.sin(a) * a, x))(
                J.numpy.arange(3.0)
            )[1],
            J.numpy.ones(3),
        ),
        lambda J: J.vmap(lambda g, c: g(c), (None, 0))(
            J.vjp(lambda a: J.numpy.sin(a) * a, J.numpy.arange(2.0))[1], J.numpy.eye(2)
        ),
        lambda J: J.lax.scan(
            lambda c, g: (c, g(1.0)),
            0.0,
            J.vmap(lambda x: J.vjp(lambda a: J.numpy.sin(a) * a, x))(
                J.numpy.arange(3.0)
            )[1],
        )[1],
        lambda J: J.lax.scan(
            lambda c, g: (c, g(1.0)),
            0.0,
            J.vmap(lambda x: J.linearize(lambda a: J.numpy.sin(a) * a, x))(
                J.numpy.arange(3.0)
            )[1],
        )[1],
        lambda J: J.grad(
            lambda x: J.jit(lambda g: g(1.0)[0])(J.vjp(J.numpy.sin, x)[1])
        )(1.0),
        lambda J: J.grad(
            lambda x: J.jit(lambda g: g(1.0))(J.linearize(J.numpy.sin, x)[1])
        )(1.0),
        lambda J: J.lax.cond(
            True, lambda g: g(1.0)[0], lambda g: g(2.0)[0], J.vjp(J.numpy.sin, 1.0)[1]
        ),
        lambda J: J.jvp(J.vjp(lambda a: J.numpy.sin(a) * a, 2.0)[1], (1.0,), (1.0,)),
        lambda J: J.vjp(J.vjp(lambda a: J.numpy.sin(a) * a, 2.0)[1], 1.0)[1]((1.0,)),
        lambda J: J.vjp(J.linearize(lambda a: J.numpy.sin(a) * a, 2.0)[1], 1.0)[1](1.0),
        lambda J: J.linear_transpose(J.vjp(lambda a: J.numpy.sin(a) * a, 2.0)[1], 1.0)(
            (1.0,)
        ),
        lambda J: J.linear_transpose(J.linear_transpose(lambda a: 3 * a, 2.0), 1.0)(
            (1.0,)
        ),
    ],
    "python_control": [
        lambda J: J.grad(lambda x: x * 2 if x > 0 else x)(1.0),
        refused(lambda J: J.jit(J.grad(lambda x: x * 2 if x > 0 else x))(1.0)),
        refused(lambda J: J.grad(lambda x: float(x))(1.0)),
        lambda J: J.grad(lambda x: x.item() * x)(2.0),
        lambda J: J.jvp(lambda x: x * int(x > 0), (1.0,), (1.0,)),
        lambda J: J.grad(lambda x: x[int(J.numpy.argmax(x))])(
            J.numpy.array([1.0, 3.0, 2.0])
        ),
        lambda J: J.grad(lambda x: sum(x[i] for i in range(3)))(J.numpy.arange(3.0)),
        lambda J: J.grad(lambda x: sum(list(x)))(J.numpy.arange(3.0)),
        lambda J: J.grad(lambda x: isinstance(x, J.Array) * x)(2.0),
    ],
    "numpy_operands": [
        lambda J: J.grad(lambda x: np.float32(2) * x)(2.0),
        lambda J: J.grad(lambda x: J.numpy.sum(np.ones(3, "f") * x))(2.0),
        lambda J: J.grad(lambda x: J.numpy.sum(np.ones(3, "f") @ x))(np.ones(3, "f")),
        lambda J: J.grad(lambda x: J.numpy.where(x > 0, x, 0.0))(np.float32(2)),
    ],
    "pytrees": [
        lambda J: J.grad(lambda p: p.a * p.b)(Pt(2.0, 3.0)),
        lambda J: J.grad(lambda p: p["x"][0] * p["y"])(
            OrderedDict(y=2.0, x=[3.0, None])
        ),
        lambda J: J.jvp(lambda p: (p.a * p.b, p), (Pt(2.0, 3.0),), (Pt(1.0, 1.0),)),
        refused(lambda J: J.jvp(lambda p: p.a, (Pt(2.0, 3.0),), ((1.0, 1.0),))),
        lambda J: J.vjp(lambda p: {"o": p.a * p.b, "t": (p.a,)}, Pt(2.0, 3.0))[1](
            {"o": 1.0, "t": (2.0,)}
        ),
        lambda J: J.jacfwd(lambda p: p.a * p.b)(Pt(J.numpy.arange(2.0), 3.0)),
        lambda J: J.jacrev(lambda p: p.a * p.b)(Pt(J.numpy.arange(2.0), 3.0)),
        lambda J: J.hessian(lambda p: p.a * p.b * p.a)(Pt(2.0, 3.0)),
        lambda J: J.hessian(lambda x, y: x * y * x, (0, 1))(2.0, 3.0),
        lambda J: J.jacrev(lambda x, y: x * y * x, (1,))(2.0, 3.0),
        lambda J: J.grad(lambda x, y: x * y, argnums=[0, -1])(2.0, 3.0),
        lambda J: J.grad(lambda x, y: x * y, argnums=np.int32(1))(2.0, 3.0),
        lambda J: J.grad(lambda x, y=3.0: x * y)(2.0),
        lambda J: J.grad(lambda *a, **k: a[0] * k["z"])(2.0, z=5.0),
        lambda J: J.grad(lambda x, s: x * len(s))(2.0, "abc"),
        refused(lambda J: J.grad(lambda x, s: x * len(s), 1)(2.0, "abc")),
    ],
}


def run(J, subject, number):
    """One program, by its place."""
    return SUBJECTS[subject][number](J)
