"""Primitives with lowering rules for tests of `lowering`, which stands below `lax`."""

from __future__ import annotations

from typing import Any

import numpy as np

from minijax import lowering
from minijax.base import dtypes
from minijax.core import (
    DebugInfo,
    Effect,
    Jaxpr,
    Primitive,
    ShapedArray,
    stage,
)


def _broadcast(*avals: Any, **params: Any) -> ShapedArray:
    shape = np.broadcast_shapes(*(aval.shape for aval in avals))
    return ShapedArray(shape, max(avals, key=lambda aval: aval.ndim).dtype)


def make(name: str, rule: Any = None, **options: Any) -> Primitive:
    """A fresh primitive whose results have the type of its operands, broadcast."""
    primitive = Primitive(name, **options)
    primitive.def_abstract_eval(_broadcast)
    if rule is not None:
        lowering.register_lowering(primitive, rule)
    return primitive


sin_p = make("sin", lowering.emit("stablehlo.sine"))
cos_p = make("cos", lowering.emit("stablehlo.cosine"))
add_p = make("add", lowering.emit("stablehlo.add"))
mul_p = make("mul", lowering.emit("stablehlo.multiply"))
sin, cos, add, mul = sin_p.bind, cos_p.bind, add_p.bind, mul_p.bind


def _call_rule(ctx: Any, *values: Any, name: str, jaxpr: Jaxpr) -> Any:
    return ctx.call(name, jaxpr, values)


call_p = Primitive("call", multiple_results=True, holds_programs=True)
call_p.def_abstract_eval(lambda *avals, name, jaxpr: jaxpr.out_avals)
call_p.effects = lambda *avals, name, jaxpr: jaxpr.effects
lowering.register_lowering(call_p, _call_rule)


def call(jaxpr: Jaxpr, *args: Any, name: str = "inner") -> Any:
    return call_p.bind(*args, name=name, jaxpr=jaxpr)


KEY = dtypes.ExtendedDType("key<fry>", (2,), np.dtype(np.uint32))


class Order(Effect):
    """An ordered effect. Field: name."""

    ordered = True

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"Order({self.name})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Order) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)


def _tell_rule(ctx: Any, x: Any, *, effect: Effect, callback: Any) -> Any:
    lowering.host_callback(
        ctx,
        callback,
        [x],
        ctx.avals_in,
        [],
        has_side_effect=True,
        effect=effect if effect.ordered else None,
    )
    return []


tell_p = Primitive("tell", multiple_results=True)
tell_p.def_abstract_eval(lambda x, *, effect, callback: [])
tell_p.effects = lambda x, *, effect, callback: frozenset({effect})
lowering.register_lowering(tell_p, _tell_rule)


def tell(x: Any, effect: Effect, callback: Any = print) -> None:
    tell_p.bind(x, effect=effect, callback=callback)


def f32(*shape: int) -> ShapedArray:
    return ShapedArray(shape, np.float32)


def trace(fun: Any, *avals: Any, names: Any = None, paths: Any = None) -> Jaxpr:
    """The jaxpr of `fun`, which returns one value or a tuple."""

    def flat(*args: Any) -> list[Any]:
        out = fun(*args)
        return list(out) if isinstance(out, tuple | list) else [out]

    return stage(flat, avals, debug_info=DebugInfo("jit", "f at t.py:1", names, paths))


def lower(fun: Any, *avals: Any, **options: Any) -> lowering.LoweredModule:
    options.setdefault("name", "f")
    jaxpr = fun if isinstance(fun, Jaxpr) else trace(fun, *avals)
    return lowering.lower_jaxpr_to_module(jaxpr, **options)


def text(fun: Any, *avals: Any, **options: Any) -> str:
    return lower(fun, *avals, **options).as_text()
