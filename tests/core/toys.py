"""Primitives for tests of `core` and `interpreters`, which stand below `lax`.

They run on NumPy arrays, so no runtime is needed either.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from minijax.core import (
    Jaxpr,
    Primitive,
    ShapedArray,
    SharingNames,
    eval_jaxpr,
    jit_p,
    printing_rules,
    stage,
)


def _broadcast(*avals: Any, **params: Any) -> ShapedArray:
    shape = np.broadcast_shapes(*(aval.shape for aval in avals))
    return ShapedArray(shape, np.result_type(*(aval.dtype for aval in avals)))


def _make(name: str, run: Any) -> Primitive:
    primitive = Primitive(name)
    primitive.def_abstract_eval(_broadcast)
    primitive.def_impl(lambda *xs, **params: np.asarray(run(*xs)))
    return primitive


sin_p = _make("sin", np.sin)
cos_p = _make("cos", np.cos)
neg_p = _make("neg", np.negative)
exp_p = _make("exp", np.exp)
tanh_p = _make("tanh", np.tanh)
add_p = _make("add", np.add)
mul_p = _make("mul", np.multiply)
sub_p = _make("sub", np.subtract)

sin, cos, neg, exp, tanh = sin_p.bind, cos_p.bind, neg_p.bind, exp_p.bind, tanh_p.bind
add, mul, sub = add_p.bind, mul_p.bind, sub_p.bind


def f32(*shape: int) -> ShapedArray:
    return ShapedArray(shape, np.float32)


def trace(fun: Any, *avals: ShapedArray) -> Jaxpr:
    """The jaxpr of `fun`, which returns one value or a tuple."""

    def flat(*args: Any) -> list[Any]:
        out = fun(*args)
        return list(out) if isinstance(out, tuple | list) else [out]

    return stage(flat, avals)


def call(name: str, jaxpr: Jaxpr, *args: Any) -> Any:
    """Bind a jit equation that calls `jaxpr`."""
    return toy_jit_p.bind(*args, name=name, jaxpr=jaxpr)


# A stand-in with jit's shape: the real one is ruled above, with many more params.
toy_jit_p = Primitive("jit", multiple_results=True, holds_programs=True)
toy_jit_p.def_abstract_eval(lambda *avals, jaxpr, name: jaxpr.out_avals)
printing_rules.define(
    toy_jit_p,
    SharingNames(
        lambda eqn: {"name": eqn.params["name"], "jaxpr": eqn.params["jaxpr"]}
    ),
)
assert toy_jit_p is not jit_p
toy_jit_p.def_impl(lambda *xs, jaxpr, name: eval_jaxpr(jaxpr, jaxpr.consts, *xs))


def random_jaxpr(seed: int, inputs: int = 3, equations: int = 12) -> Jaxpr:
    """A straight-line program of scalar operations, some nested in calls."""
    draw = random.Random(seed)

    def program(*args: Any) -> list[Any]:
        values = [*args, np.float32(0.5), 0.25]
        for _ in range(equations):
            x, y = draw.choice(values), draw.choice(values)
            kind = draw.randrange(8)
            if kind < 4:
                values.append(draw.choice((sin, cos, neg, tanh))(x))
            elif kind < 7:
                values.append(draw.choice((add, mul, sub))(x, y))
            else:
                values += call("inner", draw.choice(_INNER), x, y)
        return [draw.choice(values) for _ in range(4)]

    return trace(program, *[f32()] * inputs)


_INNER = [
    trace(lambda x, y: (sin(x), mul(cos(x), y), x), f32(), f32()),
    trace(lambda x, y: (add(x, y), y, 2.0), f32(), f32()),
    trace(lambda x, y: (neg(mul(x, 0.5)), cos(x), sin(tanh(y))), f32(), f32()),
]
