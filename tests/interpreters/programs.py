"""Programs about jaxpr transformations for both libraries; the library comes as `J`."""

import importlib
import random
import re

import numpy as np


def _extension(J, name):
    return importlib.import_module(f"{J.__name__}.interpreters.{name}")


def _f32(*shape):
    return np.ones(shape, np.float32)


def _random(J, seed):
    """A program of scalar operations on three arguments, with four results."""
    lax, draw = J.lax, random.Random(seed)

    def fun(*args):
        values = [*args, 0.25]
        for _ in range(10):
            x, y = draw.choice(values), draw.choice(values)
            if draw.random() < 0.5:
                values.append(draw.choice((lax.sin, lax.cos, lax.neg))(x))
            else:
                values.append(draw.choice((lax.add, lax.mul, lax.sub))(x, y))
        return [draw.choice(values) for _ in range(4)]

    return J.make_jaxpr(fun)(1.0, 2.0, 3.0)


def _jaxpr(J, name):
    if isinstance(name, int):
        return _random(J, name)
    lax = J.lax
    table = np.arange(3, dtype=np.float32)

    def straight(x, y):
        s = lax.sin(x)
        lax.tan(x)
        lax.exp(y)
        return lax.add(lax.mul(s, y), lax.cos(s)), lax.cos(s), lax.exp(3.0), x, y, 2.0

    def constants(x, y):
        return lax.mul(lax.sin(table), x), lax.mul(table, y), lax.mul(2.0, y)

    def order(x, y):
        a, b, c = lax.sin(x), lax.cos(x), lax.exp(x)
        return lax.add(lax.mul(lax.mul(y, c), b), a)

    @J.jit
    def inner(x, y):
        return lax.sin(x), lax.mul(lax.cos(x), y)

    def call(x, y):
        a, b = inner(x, y)
        return lax.mul(a, b), a

    def passed(x, y):
        return x, lax.neg(y), lax.neg(x)

    fun = {f.__name__: f for f in (straight, constants, order, call, passed)}[name]
    return J.make_jaxpr(fun)(_f32(3), _f32(3))


NAMES = ["straight", "constants", "order", "call", "passed"]


def split(J, name, unknowns, instantiate):
    """The two halves of a program as text, and what is unknown."""
    jaxpr = _jaxpr(J, name)
    if isinstance(instantiate, str):
        instantiate = [i % 2 == 0 for i in range(len(jaxpr.outvars))]
    pe = _extension(J, "partial_eval")
    known, unknown, outs, avals = pe.partial_eval_jaxpr_nounits(
        jaxpr, unknowns, instantiate
    )
    return str(known), str(unknown), list(outs), [str(aval) for aval in avals]


def dce(J, name, kept, instantiate):
    """A program without some results as text, and which inputs it needs."""
    jaxpr = _jaxpr(J, name)
    used_outputs = [(kept >> i) & 1 == 1 for i in range(len(jaxpr.outvars))]
    pe = _extension(J, "partial_eval")
    smaller, used = pe.dce_jaxpr(jaxpr, used_outputs, instantiate)
    return str(smaller), list(used)


def traced_partially(J, instantiate):
    """A function run with one argument known."""
    pe = _extension(J, "partial_eval")
    lu = importlib.import_module(f"{J.__name__}.extend.linear_util")
    info = importlib.import_module(f"{J.__name__}.extend.core").DebugInfo
    table = np.arange(3, dtype=np.float32)

    def fun(x, y):
        s = J.lax.sin(x)
        return [s, J.lax.mul(s, y), J.lax.add(y, table), 3.0, x]

    wrapped = lu.wrap_init(fun, debug_info=info("test", "fun", None, None))
    x = J.lax.neg(_f32(3))
    values = [pe.PartialVal.known(x), pe.PartialVal.unknown(J.typeof(x))]
    jaxpr, outs, consts = pe.trace_to_jaxpr_nounits(wrapped, values, instantiate)
    return (
        str(jaxpr),
        [value.is_known() for value in outs],
        [str(value.get_aval()) for value in outs],
        [np.asarray(const) for const in consts],
    )


def batched(J, name, in_axes):
    """A program under vmap."""
    lax = J.lax

    def select(p, x, y):
        return lax.select(lax.gt(p, np.float32(0)), x, y)

    def dot(x, y):
        return lax.dot_general(x, y, (((1,), (0,)), ((), ())))

    a, b, c = _f32(2, 2, 2), _f32(2, 2, 2), _f32(2, 2, 2)
    fun, args = {
        "add": (lax.add, (a, b)),
        "scaled": (lambda x: lax.mul(x, 2.0), (a,)),
        "select": (select, (a, b, c)),
        "dot": (dot, (_f32(2, 2, 2), _f32(2, 2, 2))),
        "sum": (lambda x: lax.reduce_sum(x, (0,)), (a,)),
        "transpose": (lambda x: lax.transpose(x, (1, 0)), (a,)),
        "clamp": (lambda lo, x: lax.clamp(lo, x, np.float32(2)), (_f32(2), _f32(2, 2))),
        "pad": (lambda x: lax.pad(x, 0.0, ((1, 0, 0), (0, 0, 0))), (a,)),
        "jit": (lambda x, y: J.jit(lambda u, v: (lax.add(u, v), v))(x, y), (a, b)),
        "nested": (J.vmap(lax.add, in_axes=(0, None)), (a, _f32(2, 2))),
    }[name]
    args = [x[0] if axis is None else x for x, axis in zip(args, in_axes, strict=True)]
    jaxpr = J.make_jaxpr(J.vmap(fun, in_axes=in_axes))(*args)
    text = jaxpr.pretty_print(width=1000)
    # jax shows the integers that its rules computed with as NumPy's.
    return re.sub(r"np\.int64\((\d+)\)", r"\1", text)
