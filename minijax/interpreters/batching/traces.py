"""The trace behind `vmap`: values that have one axis more than the function sees.

A batch rule gets what the trace holds, arrays with their extra axis, and where that
axis is: `rule(operands, axes, **params) -> (out, axis)`, where an axis of None means
that a value does not have it. A primitive with several results returns two sequences.
Rules bind in the parent trace and are called only if some operand has the axis.

A rule that must know the axis itself, its size or its name, is wrapped:
`with_axis(rule)`, called as `rule(axis, operands, axes, **params)`. With `always=True`
it is called even if no operand has the axis: a collective over it has a meaning then.

Values without the axis are not wrapped: what is computed from them alone is computed
once, by the parent.

Source: spec/batching.md §2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core import (
    NamedAxisEffect,
    Primitive,
    RuleTable,
    ShapedArray,
    Trace,
    Tracer,
    current,
    get_traceback,
    jaxprs_in_params,
    summarize,
    typeof,
)
from .axes import Axis, BatchAxis

batch_rules = RuleTable("batch")


class WithAxis:
    """A batch rule that gets the axis as its first argument. Fields: rule, always."""

    __slots__ = ("always", "rule")

    def __init__(self, rule: Callable[..., Any], always: bool) -> None:
        self.rule, self.always = rule, always

    def __call__(self, *args: Any, **params: Any) -> Any:
        return self.rule(*args, **params)


def with_axis(rule: Callable[..., Any], *, always: bool = False) -> WithAxis:
    """Declare that `rule` takes the axis: `rule(axis, operands, axes, **params)`."""
    return WithAxis(rule, always)


class WithTrace(WithAxis):
    """A batch rule that gets the trace as its first argument."""

    __slots__ = ()

    def __call__(self, axis: BatchAxis, *args: Any, **params: Any) -> Any:
        return self.rule(BatchTrace(current.value, axis), *args, **params)


def with_trace(rule: Callable[..., Any]) -> WithTrace:
    """Declare that `rule` takes the trace, and is called even if nothing has the axis.

    For primitives that hold functions: these may close over values of the trace.
    """
    return WithTrace(rule, always=True)


# (type with the axis, position) -> type without it. The answers are few and small.
_reduced: dict[tuple[Any, int], ShapedArray] = {}
_REDUCED_SIZE = 4096


def reduced_aval(aval: Any, axis: int) -> Any:
    """The type of one example: `aval` without the batch axis."""
    try:
        return _reduced[aval, axis]
    except KeyError:
        pass
    if len(_reduced) >= _REDUCED_SIZE:
        _reduced.clear()
    shape = aval.shape
    answer = aval.update(shape=(*shape[:axis], *shape[axis + 1 :]))
    _reduced[aval, axis] = answer
    return answer


class BatchTracer(Tracer):
    """One example among many: `val` holds them all, along its axis `axis`."""

    __slots__ = ("_traceback", "axis", "val")
    shown_as = "VmapTracer"

    def __init__(self, trace: BatchTrace, val: Any, axis: int) -> None:
        self.owner, self.val, self.axis = trace, val, axis
        # A staged value knows its own line; taking ours too would be paid per equation.
        if isinstance(val, Tracer):
            self.aval, self._traceback = reduced_aval(val.aval, axis), None
        else:
            self.aval = reduced_aval(typeof(val), axis)
            self._traceback = get_traceback()

    def created_at(self) -> Any:
        return self._traceback or self.val.created_at()

    def origin_text(self) -> str:
        line = summarize(self.created_at())
        return f"The value was made under vmap, at {line}." if line else ""

    def _shown(self) -> str:
        whole = typeof(self.val)
        return f"aval={self.aval.str_short()}, batched={whole.str_short()}"


class BatchTrace(Trace):
    """Applies primitives to all examples at once.

    again: other traces over the same axis whose values are values of this one too, for
    a function that was met there and runs here.
    """

    __slots__ = ("again", "axis")
    parent: Trace

    def __init__(
        self, parent: Trace, axis: BatchAxis, again: tuple[BatchTrace, ...] = ()
    ) -> None:
        self.parent, self.alive, self.axis = parent, True, axis
        self.again = again

    def owns(self, x: Any) -> bool:
        """Whether `x` has the axis of this trace."""
        return x.__class__ is BatchTracer and (x.owner is self or x.owner in self.again)

    def apply(
        self, primitive: Primitive, args: tuple[Any, ...], params: dict[str, Any]
    ) -> Any:
        values: list[Any] = []
        axes: list[Axis] = []
        batched = False
        again = self.again
        for x in args:
            if x.__class__ is BatchTracer and (x.owner is self or x.owner in again):
                values.append(x.val)
                axes.append(x.axis)
                batched = True
            else:
                values.append(x)
                axes.append(None)
        previous = current.swap_local(self.parent)
        try:
            if not batched and not self._concerns(primitive, params):
                return self.parent.apply(primitive, args, params)
            rule = batch_rules[primitive]
            if rule.__class__ is WithTrace:
                out, out_axes = rule.rule(self, tuple(values), tuple(axes), **params)
            elif rule.__class__ is WithAxis:
                out, out_axes = rule.rule(
                    self.axis, tuple(values), tuple(axes), **params
                )
            else:
                out, out_axes = rule(tuple(values), tuple(axes), **params)
        finally:
            current.set_local(previous)
        if primitive.multiple_results:
            return [
                x if axis is None else BatchTracer(self, x, axis)
                for x, axis in zip(out, out_axes, strict=True)
            ]
        return out if out_axes is None else BatchTracer(self, out, out_axes)

    def _concerns(self, primitive: Primitive, params: dict[str, Any]) -> bool:
        """Whether the axis means something to operands that do not have it."""
        rule = batch_rules.get(primitive)
        if not isinstance(rule, WithAxis):
            return False
        if rule.always:
            return True
        # A program that speaks of the axis is batched even where nothing goes in.
        if not primitive.holds_programs or not self.axis.is_named:
            return False
        effect = NamedAxisEffect(self.axis.name)
        return any(effect in jaxpr.effects for jaxpr in jaxprs_in_params(params))

    def split(self, x: Any) -> tuple[Any, Axis]:
        """A value as this trace sees it: with the axis, and where it is."""
        return (x.val, x.axis) if self.owns(x) else (x, None)

    def join(self, x: Any, axis: Axis) -> Any:
        """The inverse of `split`."""
        return x if axis is None else BatchTracer(self, x, axis)

    def describe(self) -> str:
        named = f" over {self.axis.name!r}" if self.axis.is_named else ""
        return f"vmap{named}"
