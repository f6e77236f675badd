"""Programs whose jaxprs are printed by both libraries; the library comes in as `J`."""

import numpy as np


def _f32(*shape):
    return np.ones(shape, np.float32)


def _layers(J):
    lax = J.lax

    @J.jit
    def square(v):
        return lax.mul(v, v)

    @J.jit
    def eleven(v):
        for _ in range(11):
            v = lax.sin(v)
        return v

    @J.jit
    def ten(v):
        for _ in range(10):
            v = lax.cos(v)
        return v

    @J.jit
    def both(v):
        return ten(v), square(v), v

    return square, eleven, ten, both


def _programs(J):
    lax = J.lax
    square, eleven, ten, both = _layers(J)
    table = np.arange(3, dtype=np.float32)
    x = _f32(3)
    return {
        "empty": (lambda: (), ()),
        "literal": (lambda: (1, 2.5, True, np.float32(3)), ()),
        "unused": (lambda a, b: (lax.sin(a), lax.cos(b))[0], (x, 1.0)),
        "constants": (
            lambda a: (lax.add(a, table), lax.mul(table, table), table),
            (x,),
        ),
        "shared": (lambda a: square(square(a)), (x,)),
        "single": (lambda a: lax.sub(square(a), x), (x,)),
        "long": (lambda a: eleven(a), (x,)),
        "short": (lambda a: ten(a), (x,)),
        "mixed": (lambda a: both(eleven(ten(both(a)[0])))[1:], (x,)),
        "literal operand": (lambda: square(2.0), ()),
        "same operand": (lambda a: J.jit(lax.add)(a, a), (x,)),
        "forwarded": (lambda a: J.jit(lambda u, v: (v, u, lax.sin(u)))(a, 1.0), (x,)),
        "closure": (lambda a: J.jit(lambda u: lax.add(u, table))(a), (x,)),
        "donated": (
            lambda a: J.jit(lax.sin, donate_argnums=0, keep_unused=True)(a),
            (x,),
        ),
        "many": (lambda *a: lax.concatenate(a, 0), (x,) * 40),
        "many results": (lambda a: lax.split(a, (1,) * 30), (_f32(30),)),
        "convert": (lambda a: lax.convert_element_type(a, np.int32), (x,)),
        "dot": (lambda a, b: lax.dot(a, b), (_f32(2, 3), x)),
        "broadcast": (lambda a: lax.broadcast(a, (2,)), (x,)),
        "broadcast scalar": (lambda a: lax.broadcast(a, (2,)), (1.0,)),
        "power": (lambda a: lax.integer_pow(a, 3), (x,)),
        "reduce": (lambda a: lax.reduce_sum(a, (0,)), (x,)),
        "iota": (lambda: lax.iota(np.int32, 3), ()),
        "reshape": (lambda a: lax.reshape(a, (3, 1)), (x,)),
        "top_k": (lambda a: lax.top_k(a, 2), (x,)),
        "bf16": (lambda a: lax.convert_element_type(a, J.dtypes.bfloat16), (x,)),
        "scalars": (lambda a: lax.add(a, 1e-10), (1.0,)),
        "pad": (lambda a: lax.pad(a, 0.0, ((1, 2, 0),)), (x,)),
        "compare": (lambda a: lax.select(lax.gt(a, x), a, x), (x,)),
        "gather": (lambda a, i: lax.dynamic_slice(a, (i,), (2,)), (x, np.int32(1))),
    }


NAMES = """empty/literal/unused/constants/shared/single/long/short/mixed/literal operand
same operand/forwarded/closure/donated/many/many results/convert/dot/broadcast
broadcast scalar/power/reduce/iota/reshape/top_k/bf16/scalars/pad/compare/gather"""


def text(J, name):
    """The jaxpr of one program."""
    fun, args = _programs(J)[name]
    return str(J.make_jaxpr(fun)(*args))


def with_options(J, name, options):
    """The jaxpr of one program, printed with options."""
    fun, args = _programs(J)[name]
    return J.make_jaxpr(fun)(*args).pretty_print(**options)


def scopes(J, transform):
    """A program with named scopes, transformed."""

    def inside(v):
        with J.named_scope("enc"):
            v = J.lax.sin(v)
            with J.named_scope("deep"):
                v = J.lax.cos(v)
        return J.lax.mul(v, v)

    def outside(v):
        with J.named_scope("outer"):
            return {
                "none": lambda: inside(v),
                "grad": lambda: J.grad(inside)(v),
                "jvp": lambda: J.jvp(inside, (v,), (v,)),
                "jit": lambda: J.jit(inside)(v),
                "vmap": lambda: J.vmap(inside)(J.lax.broadcast(v, (2,))),
            }[transform]()

    return J.make_jaxpr(outside)(1.0).pretty_print(name_stack=True)
