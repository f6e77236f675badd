"""Where the rules of several platforms differ, the program chooses when it runs.

`@main` and every function take the index of the platform first. One `case` turns it
into the number of a rule, another one applies that rule.

Source: spec/lowering.md §7.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core import Effect, token_aval
from .functions import INDEX_AVAL, Body, ordered_effects
from .rules import Rule

Regions = list[tuple[Sequence[Any], Body]]


def apply_rules(
    ctx: Any, rules: tuple[Rule, ...], values: Sequence[Any], params: dict[str, Any]
) -> Sequence[Any]:
    """Apply to the equation at hand the rule of each platform of `ctx`."""
    distinct = list(dict.fromkeys(rules))
    if len(distinct) == 1:
        return distinct[0](ctx, *values, **params)
    number_of = dict(zip(ctx.platforms, map(distinct.index, rules)))
    effects = ordered_effects(ctx.eqn.effects)
    regions: Regions = []
    for number, rule in enumerate(distinct):
        names = tuple(p for p in ctx.platforms if number_of[p] == number)
        regions.append(([], _branch(rule, names, effects, values, params)))
    results = ctx.op_with_regions(
        "stablehlo.case",
        (_choose(ctx, number_of),),
        [token_aval] * len(effects) + ctx.avals_out,
        {},
        regions,
    )
    ctx.tokens.update(zip(effects, results))
    return results[len(effects) :]


def _choose(ctx: Any, number_of: dict[str, int]) -> Any:
    """The number that goes with the platform on which the program runs."""

    def giving(number: int) -> Body:
        return lambda ctx: [ctx.constant(number, INDEX_AVAL)]

    # Platforms that do not come here need a region too: the index counts all.
    regions: Regions = [
        ([], giving(number_of.get(name, 0))) for name in ctx.module.platforms
    ]
    (chosen,) = ctx.op_with_regions(
        "stablehlo.case", (ctx.platform_index,), [INDEX_AVAL], {}, regions
    )
    return chosen


def _branch(
    rule: Rule,
    platforms: tuple[str, ...],
    effects: tuple[Effect, ...],
    values: Sequence[Any],
    params: dict[str, Any],
) -> Body:
    def body(ctx: Any) -> Sequence[Any]:
        inner = ctx.copy()
        inner.platforms = platforms
        inner.tokens = dict(ctx.tokens)
        results = rule(inner, *values, **params)
        return [inner.tokens[effect] for effect in effects] + list(results)

    return body
