"""Programs whose StableHLO text must be jax's, for `test_agreement.py`.

The oracle imports this module beside jax: it imports neither library.
"""

import functools
import re
import warnings

import numpy as np

F = np.ones((2, 4), np.float32)
C = np.arange(4, dtype=np.float32)


def lowered(J, fn, *args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return J.jit(fn, **options).lower(*args)


def text(J, fn, *args, **options):
    return lowered(J, fn, *args, **options).as_text()


def check_11_names(J):
    def foo(x):
        return x

    class Callable:
        def __call__(self, x):
            return x

    def renamed(x):
        return x

    renamed.__name__ = "weird name<>!"
    fns = [foo, lambda x: x, functools.partial(foo), Callable(), renamed]
    return [text(J, fn, 1.0).splitlines()[0] for fn in fns]


def check_12_result_info(J):
    return [
        text(J, lambda x: x, F),
        text(J, lambda x: [x, {"k": x, "a": (x, None)}], F),
        text(J, lambda x: (x,), F),
    ]


def check_13_dropped_inputs(J):
    def program(a, b):
        J.lax.mul(a, a)
        return b

    return [text(J, program, 1.0, 2.0), text(J, program, 1.0, 2.0, keep_unused=True)]


def names_in(printed):
    """Names of arguments and name stacks; not those of functions in call sites."""
    stacks = re.findall(r'loc\("(jit\([^"]*)"', printed)
    stacks = [name for name in stacks if not name.endswith("/jit")]  # a whole function
    arguments = re.findall(r'#loc\d* = loc\("([^"/]*)"\)', printed)
    return sorted(set(stacks)), sorted(set(arguments))


def check_14_locations(J):
    def foo(a, b, d):
        with J.named_scope("my_scope"):
            x = J.lax.add(a, b["k"])
            with J.named_scope("inner"):
                x = J.lax.sin(x)
        return J.vmap(J.lax.cos)(x), d["p"]["b"][0]

    debug = lowered(J, foo, F, {"k": F}, {"p": {"b": [F]}}).as_text(debug_info=True)
    return names_in(debug)


def check_14_transformed(J):
    def loss(x):
        return J.lax.reduce_sum(J.lax.sin(x), (0, 1))

    return names_in(lowered(J, J.grad(loss), F).as_text(debug_info=True))


def check_14_nested(J):
    def outer(x):
        with J.named_scope("sc"):
            return J.jit(lambda x: J.lax.sin(x))(x)

    return names_in(lowered(J, outer, F).as_text(debug_info=True))


def check_18_no_outputs(J):
    return [text(J, lambda: ()), text(J, lambda x: (), F)]


def check_22_donation(J):
    one = {"donate_argnums": 0}
    return [
        text(J, lambda a: J.lax.add(a, F), F, **one),
        text(J, lambda a: J.lax.reshape(a, (4, 2)), F, **one),
        text(J, lambda a: J.lax.convert_element_type(a, np.int32), F, **one),
        text(J, lambda a: J.lax.reduce_sum(a, (0,)), F, **one),
        text(J, lambda a, b: b, F, F, **one),
        text(J, lambda a: (a, a), F, **one),
        text(J, lambda a, b: J.lax.add(a, b), F, F, donate_argnums=(0, 1)),
        text(J, lambda a, b: (b, a), F, C, donate_argnums=(0, 1)),
        text(J, lambda a: (C, J.lax.reshape(a, (8,)), J.lax.neg(a)), F, **one),
    ]


def check_25_nested_donation(J):
    inner = J.jit(lambda x: J.lax.neg(x), donate_argnums=0)
    return text(J, lambda x: inner(J.lax.sin(x)), F)


def check_26_calls(J):
    g = J.jit(lambda x: J.lax.sin(x))
    h = J.jit(lambda x: g(J.lax.cos(x)))

    def outer(x):
        y = g(x)
        z = g(y)
        return y, z, g(J.lax.slice(z, (0,), (2,))), h(x)

    return text(J, outer, C)


def check_27_early_inlining(J):
    g = J.jit(lambda x: J.lax.sin(x), inline=True)
    return text(J, lambda x: g(g(x)), F)


def check_30_scalars(J):
    return [
        text(J, lambda x: J.lax.add(J.lax.mul(x, 2.0), 2.0), F),
        text(J, lambda x: J.lax.add(x, np.ones((2, 4), np.float32)), F),
        text(J, lambda x: J.lax.add(x, np.broadcast_to(C, (2, 4))), F),
        text(J, lambda x: J.lax.add(x, np.int8(1)), np.ones(3, np.int8)),
        text(J, lambda: 1.0),
    ]


def check_31_closed_over(J):
    g = J.jit(lambda x: J.lax.add(x, C))
    h = J.jit(lambda x: J.lax.mul(x, C))
    return [
        text(J, lambda x: J.lax.add(J.lax.add(x, C), C), C),
        text(J, lambda x: h(g(x)), C),
        text(J, lambda x: g(g(x)), C),
        text(J, lambda x: J.lax.add(x, J.lax.mul(C, C)), C),
    ]


def check_32_special_values(J):
    values = [
        np.float32([np.nan, np.inf, -np.inf]),
        np.complex64([1j, 0]),
        np.array([True, False]),
        np.float32([0.0, -0.0]),
        np.zeros((0, 2), np.float32),
        np.arange(6, dtype=np.float32).reshape(2, 3).T,
    ]
    return [text(J, lambda value=value: value) for value in values]


def check_33_dtypes(J):
    import ml_dtypes

    names = [
        "int2",
        "int4",
        "uint4",
        "bfloat16",
        "float8_e4m3fn",
        "float8_e5m2",
        "float4_e2m1fn",
        "float8_e3m4",
        "float8_e8m0fnu",
    ]
    plain = [np.bool_, np.int8, np.uint16, np.int32, np.float16, np.complex64]
    dtypes = [getattr(ml_dtypes, name) for name in names] + plain
    return [text(J, lambda x: x, J.ShapeDtypeStruct((2,), dtype)) for dtype in dtypes]


def check_33_float0(J):
    return text(J, lambda x: x, J.ShapeDtypeStruct((2,), J.dtypes.float0))


def check_48_traced_rules(J):
    return text(J, lambda x: J.lax.logistic(x), F)


CHECKS = [
    value for name, value in sorted(globals().items()) if name.startswith("check_")
]
