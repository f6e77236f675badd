"""custom_root and custom_linear_solve: the checks of spec/control_flow.md §11."""

import numpy as np
import pytest

from tests.oracle import compare

F32 = np.float32
A = np.array([[3.0, 1.0], [0.5, 2.0]], F32)
B = np.array([1.0, -2.0], F32)


def square_root(J, a, guess=1.0):
    def newton(f, x):
        return J.lax.fori_loop(0, 20, lambda _, x: x - f(x) / J.grad(f)(x), x)

    return J.lax.custom_root(
        lambda x: x * x - a, guess, newton, lambda g, y: y / g(1.0)
    )


def roots(J, a):
    f = lambda a: square_root(J, a)  # noqa: E731
    out = [
        f(a),
        J.grad(f)(a),
        J.jvp(f, (a,), (1.0,)),
        J.jit(J.grad(f))(a),
        J.grad(J.jit(f))(a),
        J.grad(lambda guess: square_root(J, a, guess))(1.0),
        J.vmap(J.grad(f))(np.array([1.0, 4.0, 9.0], F32)),
        J.linearize(f, a)[1](1.0),
    ]
    return [float(x) if x.shape == () else x for x in J.tree.leaves(out)]


def root_of_a_tree(J, a):
    def f(x):
        return {"u": x["u"] * a - 1.0, "v": x["v"] + x["u"] * a * a}

    def solve(f, x):
        return {"u": 1.0 / a, "v": -a}, {"steps": 3}

    def tangent_solve(g, y):
        u = y["u"] / a
        return {"u": u, "v": y["v"] - a * a * u}

    def run(a):
        guess = {"u": 1.0, "v": 1.0}
        root, aux = J.lax.custom_root(f, guess, solve, tangent_solve, has_aux=True)
        return root["u"] * root["v"], aux["steps"] * 1.0

    return J.jit(run)(a), J.grad(lambda a: run(a)[0])(a)


def bad_root(J, kind):
    f, solve, aux = {
        "f": (lambda x: (x, x), lambda f, x: x, False),
        "solve": (lambda x: x, lambda f, x: (x, x), False),
        "aux": (lambda x: x, lambda f, x: x, True),
        "function": (3, lambda f, x: x, False),
    }[kind]
    return J.lax.custom_root(f, 1.0, solve, lambda g, y: y, has_aux=aux)


def scalar_solve(J, a, b, **options):
    if options.pop("back", False):
        options["transpose_solve"] = lambda vecmat, b: b / a
    return J.lax.custom_linear_solve(
        lambda x: a * x, b, lambda matvec, b: b / a, **options
    )


def scalar_grads(J, options):
    f = lambda a, b: scalar_solve(J, a, b, **options)  # noqa: E731
    return [
        f(2.0, 3.0),
        J.grad(f, (0, 1))(2.0, 3.0),
        J.jvp(f, (2.0, 3.0), (1.0, 1.0)),
        J.jit(J.grad(f, (0, 1)))(2.0, 3.0),
        J.vmap(J.grad(f, (0, 1)), (0, None))(np.array([1.0, 2.0], F32), 3.0),
        J.vmap(f, (None, 0))(2.0, np.array([1.0, 2.0], F32)),
        J.grad(J.grad(f))(2.0, 3.0),
    ]


def matrix_solve(J, a, b):
    def dot(a, x):
        return J.lax.dot_general(a, x, (((1,), (0,)), ((), ())))

    def invert(a, b):
        (p, q), (r, s) = [[a[i, j] for j in range(2)] for i in range(2)]
        u, v = b[0], b[1]
        det = p * s - q * r
        return J.lax.concatenate(
            [((s * u - q * v) / det)[None], ((p * v - r * u) / det)[None]], 0
        )

    def flipped(a):
        return J.lax.transpose(a, (1, 0))

    return J.lax.custom_linear_solve(
        lambda x: dot(a, x),
        b,
        lambda matvec, b: invert(a, b),
        transpose_solve=lambda vecmat, b: invert(flipped(a), b) + 0.0 * vecmat(b),
    )


def matrix_grads(J, a, b):
    f = lambda a, b: J.lax.reduce_sum(matrix_solve(J, a, b) ** 2, (0,))  # noqa: E731
    return [
        matrix_solve(J, a, b),
        J.grad(f, (0, 1))(a, b),
        J.jit(J.grad(f, (0, 1)))(a, b),
        J.jacfwd(f, 1)(a, b),
        J.vmap(J.grad(f, 1), (None, 0))(a, np.stack([b, 2 * b])),
        J.hessian(f, 1)(a, b),
    ]


def solve_with_aux(J, a, b):
    def solve(matvec, b):
        return b / a, {"residual": matvec(b / a) - b, "n": 3}

    f = lambda a, b: J.lax.custom_linear_solve(  # noqa: E731
        lambda x: a * x, b, solve, symmetric=True, has_aux=True
    )
    x, aux = f(a, b)
    return x, aux["residual"], J.grad(lambda a, b: f(a, b)[0], (0, 1))(a, b)


def bad_solve(J, kind):
    matvec, solve = {
        "matvec shape": (lambda x: np.ones(3, F32), lambda m, b: b),
        "matvec leaves": (lambda x: (x, x), lambda m, b: b),
        "solve leaves": (lambda x: x, lambda m, b: (b, b)),
        "function": (lambda x: x, 3),
    }[kind]
    return J.lax.custom_linear_solve(matvec, F32(1), solve)


def test_check_74_91_roots_and_their_derivatives():
    compare(roots, 4.0)
    compare(root_of_a_tree, 2.0)


@pytest.mark.parametrize("kind", ["f", "solve", "aux", "function"])
def test_check_74_what_does_not_fit(kind):
    compare(bad_root, kind, raises=True)


@pytest.mark.parametrize("options", [{"symmetric": True}, {"back": True}])
def test_check_75_91_linear_solves(options):
    compare(scalar_grads, options)
    compare(solve_with_aux, 2.0, 3.0)


def test_check_75_a_matrix():
    compare(matrix_grads, A, B, rtol=1e-5)


def test_check_75_reverse_mode_needs_the_transpose():
    compare(scalar_solve, 2.0, 3.0)
    compare(scalar_reverse, raises=True)
    compare(scalar_forward)


def scalar_reverse(J):
    return J.grad(lambda b: scalar_solve(J, 2.0, b))(3.0)


def scalar_forward(J):
    return J.jvp(lambda b: scalar_solve(J, 2.0, b), (3.0,), (1.0,))


@pytest.mark.parametrize(
    "kind", ["matvec shape", "matvec leaves", "solve leaves", "function"]
)
def test_check_75_what_does_not_fit(kind):
    compare(bad_solve, kind, raises=True)
