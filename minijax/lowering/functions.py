"""Functions of a module: their signature, their block, their order of values.

Arguments stand in this order: the platform's index (modules for several platforms),
one token per ordered effect, the inputs. Results: the tokens, the outputs.

Source: spec/lowering.md §3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..core import Effect, ShapedArray, token_aval
from .types import string_attr, type_attr

Body = Callable[..., Sequence[Any]]

INDEX_AVAL = ShapedArray((), "int32")


class Function:
    """A function of a module.

    operation: the `func.func`. symbol: its name. out_types: types of its results.
    weight: elementwise operations at its end, see `chunks.py`.
    """

    __slots__ = ("operation", "out_types", "symbol", "weight")

    def __init__(self, operation: Any, symbol: str, out_types: list[Any]) -> None:
        self.operation, self.symbol, self.out_types = operation, symbol, out_types
        self.weight = 0


def ordered_effects(effects: Iterable[Effect]) -> tuple[Effect, ...]:
    """The effects that are threaded through tokens, in an order of their own."""
    return tuple(sorted((e for e in effects if e.ordered), key=_effect_key))


def _effect_key(effect: Effect) -> str:
    return f"{type(effect).__module__}.{type(effect).__qualname__} {effect}"


def emit_function(
    ctx: Any,
    symbol: str,
    effects: Sequence[Effect],
    in_types: Sequence[Any],
    body: Body,
    *,
    visibility: str = "private",
    locations: Sequence[Any] = (),
) -> Function:
    """Append a function to the module; `body(ctx, *inputs)` emits what it does.

    locations: of the inputs, where they are known.
    """
    ir = ctx.module.session.ir
    lead = [ctx.type(INDEX_AVAL)] if len(ctx.module.platforms) > 1 else []
    lead += [ctx.type(token_aval)] * len(effects)
    types = [*lead, *in_types]
    place, unknown = ctx.location, ctx.module.session.unknown_location
    known = [unknown] * len(lead) + (list(locations) or [unknown] * len(in_types))
    attributes = {
        "sym_name": string_attr(symbol),
        "sym_visibility": string_attr(visibility),
        "function_type": type_attr(ir.FunctionType.get(types, [])),
    }
    with ir.InsertionPoint(ctx.module.body):
        made = ctx.create("func.func", (), (), attributes, None, 1, place)
    block = made.regions[0].blocks.append(*types, arg_locs=known)
    with ir.InsertionPoint(block):
        results = _fill(ctx, block, effects, body)
        ctx.create("func.return", (), results, None, None, 0, place)
    out_types = [value.type for value in results]
    # What the results are is known only after the body has been emitted.
    signature = ir.FunctionType.get(types, out_types)
    made.attributes["function_type"] = type_attr(signature)
    return Function(made, symbol, out_types)


def _fill(ctx: Any, block: Any, effects: Sequence[Effect], body: Body) -> list[Any]:
    arguments = list(block.arguments)
    if len(ctx.module.platforms) > 1:
        ctx.platform_index = arguments.pop(0)
    ctx.tokens = dict(zip(effects, arguments))
    results = body(ctx, *arguments[len(effects) :])
    return [ctx.tokens[effect] for effect in effects] + list(results)
