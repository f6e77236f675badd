"""`reduce`: which reductions it becomes, and any other function."""

import numpy as np
import pytest

X = np.array([[3.0, -1.0, 2.0, 3.0], [0.5, 4.0, -2.0, 4.0], [1, 2, 3, 4]], np.float32)
K = np.array([5, 3, 6], np.int32)


def named(J, function, x, init, axes):
    f = getattr(J.lax, function)
    reduced = J.lax.reduce(x, init, f, axes)
    return reduced, str(J.make_jaxpr(lambda x: J.lax.reduce(x, init, f, axes))(x))


NAMED = [
    ("add", X, np.float32(0), (0,)),
    ("add", X, 0.0, (0, 1)),
    ("add", X, 0, (0,)),
    ("add", X, 0.0, ()),
    ("max", X, -np.inf, (1,)),
    ("min", X, np.inf, (1,)),
    ("mul", X, 1.0, (0,)),
    ("bitwise_or", K, 0, (0,)),
    ("bitwise_xor", K, 0, (0,)),
    ("bitwise_and", K, -1, (0,)),
    ("bitwise_and", K > 3, True, (0,)),
    ("max", K, np.int32(-(2**31)), (0,)),
]


@pytest.mark.parametrize("case", range(len(NAMED)))
def test_named_reductions_are_recognised(oracle, case):
    oracle.compare(named, *NAMED[case])


def other_value(J, which, x):
    functions = {
        "start": (lambda a, b: J.lax.add(a, b), 1.0),
        "product": (lambda a, b: J.lax.mul(a, b), 1.0),
        "named": (J.lax.add, 1.0),
        "constant": (lambda a, b: J.lax.add(J.lax.add(a, b), 0.0), 0.0),
    }
    f, init = functions[which]
    return J.lax.reduce(x, init, f, (0,)), J.lax.reduce(x, init, f, (1, 0))


@pytest.mark.parametrize("which", ["start", "product", "named", "constant"])
def test_any_function(oracle, which):
    oracle.compare(other_value, which, X, rtol=1e-5)


def two_at_once(J, x, k):
    pair = J.lax.reduce(
        (x, k),
        (0.0, 1),
        lambda a, b: (J.lax.add(a[0], b[0]), J.lax.mul(a[1], b[1])),
        (0,),
    )
    tree = J.lax.reduce(
        {"a": x, "b": k},
        {"a": 0.0, "b": 0},
        lambda a, b: {"a": J.lax.max(a["a"], b["a"]), "b": J.lax.add(a["b"], b["b"])},
        [0],
    )
    return pair, tree


def test_several_operands(oracle):
    oracle.compare(two_at_once, X[0, :3].copy(), K)


def refused(J, which):
    x = J.lax.neg(X)
    add = lambda a, b: J.lax.add(a, b)  # noqa: E731
    calls = {
        "negative axis": lambda: J.lax.reduce(x, 0.0, J.lax.add, (-1,)),
        "axis twice": lambda: J.lax.reduce(x, 0.0, add, (0, 0)),
        "start with axes": lambda: J.lax.reduce(x, np.zeros(3, "f4"), J.lax.add, (0,)),
        "start of another dtype": lambda: J.lax.reduce(x, 0, add, (0,)),
        "other structure": lambda: J.lax.reduce(x, (0.0, 0.0), add, (0,)),
        "other result": lambda: J.lax.reduce(x, 0.0, lambda a, b: (a, b), (0,)),
        "nothing": lambda: J.lax.reduce((), (), lambda a, b: (), ()),
        "closure": lambda: J.make_jaxpr(
            lambda s: J.lax.reduce(
                x, 0.0, lambda a, b: J.lax.add(a, J.lax.mul(b, s)), (0,)
            )
        )(1.0),
    }
    return calls[which]()


@pytest.mark.parametrize(
    "which",
    [
        *("negative axis", "axis twice", "start with axes", "start of another dtype"),
        *("other structure", "other result", "nothing", "closure"),
    ],
)
def test_refusals(oracle, which):
    oracle.compare(refused, which, raises=True)


def slopes(J, x):
    def f(x):
        return J.lax.reduce(x, 1.0, lambda a, b: J.lax.mul(a, b), (0,))

    y, pull = J.vjp(f, x)
    return J.jvp(f, (x,), (x,)), pull(J.lax.full_like(y, 1.0))


def test_derivatives(oracle):
    oracle.compare(slopes, X)


def jvp_program(J, shape, axes):
    def f(x):
        return J.lax.reduce(x, 0.0, lambda a, b: J.lax.add(J.lax.sin(a), b), axes)

    x = J.ShapeDtypeStruct(shape, "float32")
    return J.make_jaxpr(lambda x, x_dot: J.jvp(f, (x,), (x_dot,)))(x, x)


@pytest.mark.parametrize("shape, axes", [((5,), (0,)), ((2, 3, 4), (0, 2))])
def test_jvp_jaxpr(oracle, shape, axes):
    oracle.compare(jvp_program, shape, axes)


def moving_start(J, x):
    f = lambda s: J.lax.reduce(x, s, lambda a, b: J.lax.add(a, b), (0,))  # noqa: E731
    return J.jvp(f, (np.float32(0),), (np.float32(1),))


def test_a_start_has_no_derivative(oracle):
    oracle.compare(moving_start, X, raises=True)


def mapped(J, x):
    f = lambda x: J.lax.reduce(x, 1.0, lambda a, b: J.lax.add(a, b), (0,))  # noqa: E731
    return J.vmap(f, in_axes=1)(x)


def test_vmap(oracle):
    oracle.compare(mapped, X)


def mapped_start(J, x, s):
    f = lambda s: J.lax.reduce(x, s, lambda a, b: J.lax.add(a, b), (0,))  # noqa: E731
    return J.vmap(f)(s)


def test_vmap_of_a_start(oracle):
    oracle.compare(mapped_start, X, X[0], raises=True)
