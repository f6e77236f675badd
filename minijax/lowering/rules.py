"""The table of lowering rules, and the ways to declare one.

A rule is `rule(ctx, *values, **params) -> list of IR values`, one per result of the
equation. Most primitives are one StableHLO operation: `emit`. Where platforms differ,
the entry is made by `by_platform` and resolved once per module.

Source: spec/lowering.md §1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..base.errors import ArgumentValueError, MissingRuleError, NotSupportedError
from ..core import DebugInfo, RuleTable, stage
from .mlir import Session
from .types import i64_array, parse_attr, physical_aval, value_types

Rule = Callable[..., Sequence[Any]]

lower_rules = RuleTable("lower")

PLATFORMS = ("cpu", "cuda", "rocm", "oneapi", "tpu", "proxy")
_GROUPS = {"gpu": ("cuda", "rocm", "oneapi")}


def _platforms_called(name: str) -> tuple[str, ...]:
    names = _GROUPS.get(name, (name,))
    if names[0] not in PLATFORMS:
        raise NotSupportedError(
            "A lowering rule is given for one platform.",
            f"Found platform {name!r}.",
            f"Known are {', '.join(sorted((*PLATFORMS, *_GROUPS)))}.",
        )
    return names


class PlatformRules:
    """Rules that differ by platform. Fields: default (or None), own (by platform).

    A default that itself differs by platform is taken apart.
    """

    def __init__(self, default: Rule | None, own: dict[str, Rule]) -> None:
        self.default: Rule | None = default
        self.own = own
        if isinstance(default, PlatformRules):
            self.default, self.own = default.default, {**default.own, **own}

    def on(self, platform: str) -> Rule | None:
        """The rule for a platform, None if there is none."""
        return self.own.get(platform, self.default)

    def __call__(self, ctx: Any, *values: Any, **params: Any) -> Sequence[Any]:
        """The rule of the platform at hand, for rules that build on this one."""
        rule = self.on(ctx.platform)
        if rule is None:
            raise MissingRuleError("lower", ctx.eqn.primitive.name, ctx.platform)
        return rule(ctx, *values, **params)


def by_platform(default: Rule | None = None, **rules: Rule) -> PlatformRules:
    """A rule that differs by platform: `by_platform(rule, tpu=other, gpu=third)`.

    `gpu` stands for cuda, rocm and oneapi. Without a default, the platforms that are
    not named have no rule.

    Raises:
        NotImplementedError: a name that is no platform.
    """
    own: dict[str, Rule] = {}
    for name, rule in rules.items():
        own.update(dict.fromkeys(_platforms_called(name), rule))
    return PlatformRules(default, own)


def register_lowering(primitive: Any, rule: Rule, platform: str | None = None) -> None:
    """Enter or overwrite the rule of a primitive, for one platform or for all.

    For primitives from outside: those of minijax are answered by `define`.

    Raises:
        NotImplementedError: a name that is no platform.
    """
    entry = lower_rules.get(primitive)
    if not isinstance(entry, PlatformRules):
        entry = PlatformRules(entry, {})
    if isinstance(rule, PlatformRules) and platform is None:
        lower_rules[primitive] = rule
    elif platform is None:
        lower_rules[primitive] = PlatformRules(rule, entry.own)
    else:
        own = dict.fromkeys(_platforms_called(platform), rule)
        lower_rules[primitive] = PlatformRules(entry.default, {**entry.own, **own})


def find_rules(
    primitive: Any, entry: Rule | None, platforms: Sequence[str]
) -> tuple[Rule, ...]:
    """The rule for each platform, where `entry` is the answer of the primitive.

    Raises:
        MissingRuleError: names the primitive and the platforms that have no rule.
    """
    if isinstance(entry, PlatformRules):
        found = [entry.on(platform) for platform in platforms]
    else:
        found = [entry for _ in platforms]
    missing = [p for p, rule in zip(platforms, found) if rule is None]
    if missing:
        raise MissingRuleError("lower", primitive.name, ", ".join(missing))
    return tuple(found)  # type: ignore[arg-type]


# --- Rules of one operation -----------------------------------------------------------

AttributesOf = Callable[[dict[str, Any]], dict[str, Any]]


def emit(
    op_name: str, attributes_of: AttributesOf | None = None, **attributes: str
) -> Rule:
    """The rule of an elementwise primitive that is one operation.

    attributes: constant attributes by name, as MLIR texts. attributes_of: from the
    params to further attributes, for what differs by equation. An operand of another
    shape (a scalar literal, a dimension of size 1) is broadcast first.

    Example:
        lower=lowering.emit("stablehlo.sine")
    """
    if attributes_of is None and not attributes:
        return _emit_plain(op_name)

    def rule(ctx: Any, *operands: Any, **params: Any) -> tuple[Any]:
        parsed = {name: parse_attr(text) for name, text in attributes.items()}
        if attributes_of is not None:
            parsed.update(attributes_of(params))
        out = ctx.eqn.outvars[0].aval
        return (ctx.op(op_name, broadcast_operands(ctx, operands), out, **parsed),)

    return rule


def _emit_plain(op_name: str) -> Rule:
    def rule(ctx: Any, *operands: Any, **params: Any) -> tuple[Any]:
        eqn = ctx.eqn
        out = eqn.outvars[0].aval
        for atom in eqn.invars:
            if atom.aval is not out and atom.aval.shape != out.shape:
                operands = broadcast_operands(ctx, operands)
                break
        if ctx.module.cutter is not None:
            ctx.module.cutter.note(op_name)
        create, types = ctx.create, ctx.types[out]
        return (create(op_name, types, operands, None, None, 0, ctx.location).result,)

    return rule


def broadcast_operands(ctx: Any, operands: Sequence[Any]) -> tuple[Any, ...]:
    """The operands of the equation at hand in the shape of its first result."""
    shape = ctx.eqn.outvars[0].aval.shape
    return tuple(
        [
            x if atom.aval.shape == shape else broadcast_to(ctx, x, atom.aval, shape)
            for x, atom in zip(operands, ctx.eqn.invars)
        ]
    )


def broadcast_to(ctx: Any, x: Any, aval: Any, shape: tuple[int, ...]) -> Any:
    """An IR value of type `aval` repeated to `shape`, whose last axes are its own.

    Raises:
        ValueError: an axis that is neither of the size asked for nor of size 1.
    """
    if aval.shape == shape:
        return x
    types, attributes = ctx.broadcasts[aval, shape]
    name, create = "stablehlo.broadcast_in_dim", ctx.create
    return create(name, types, (x,), attributes, None, 0, ctx.location).result


def make_broadcast(session: Session, key: tuple[Any, tuple[int, ...]]) -> Any:
    """(aval, shape) -> types and attributes of the broadcast."""
    aval, shape = key
    first = len(shape) - aval.ndim
    if first < 0 or any(d not in (1, s) for d, s in zip(aval.shape, shape[first:])):
        raise ArgumentValueError(
            f"A value of type {aval} is to be broadcast to shape {shape}.",
            "Axes are counted from the last; each must be equal or 1.",
        )
    inner = range(len(shape), physical_aval(aval.update(shape=shape)).ndim)
    dims = i64_array((*range(first, len(shape)), *inner))
    types = value_types(session)[aval.update(shape=shape)]
    return types, {"broadcast_dimensions": dims}


# --- Rules made of other rules --------------------------------------------------------


def lower_function(fn: Callable[..., Any], multiple_results: bool = False) -> Rule:
    """A rule from a Python function on arrays: it is traced, and inlined.

    fn(*operands, **params) returns one value, or several with `multiple_results`.
    """

    def rule(ctx: Any, *values: Any, **params: Any) -> Sequence[Any]:
        jaxpr = ctx.module.traced(rule, _trace, ctx.avals_in, params)
        return ctx.inline(jaxpr, values, made_here=True)

    def _trace(avals: Sequence[Any], params: dict[str, Any]) -> Any:
        def flat(*operands: Any) -> Sequence[Any]:
            out = fn(*operands, **params)
            return list(out) if multiple_results else [out]

        name = getattr(fn, "__name__", "rule")
        return stage(flat, avals, debug_info=DebugInfo("lowering", name))

    return rule


def lower_fun(fun: Callable[..., Any], multiple_results: bool = True) -> Rule:
    """`lower_function`, with JAX's name and default."""
    return lower_function(fun, multiple_results)


def shared(rule: Rule, name: str | None = None) -> Rule:
    """The same rule in a private function, one per (primitive, params, operand types).

    For rules with many operations that programs use again and again.
    """

    def shared_rule(ctx: Any, *values: Any, **params: Any) -> Sequence[Any]:
        return ctx.call_rule(name or ctx.eqn.primitive.name, rule, values, params)

    return shared_rule
