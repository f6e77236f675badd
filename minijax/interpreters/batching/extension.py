"""Batch rules in the forms in which libraries that extend JAX give them.

There is one table, `batch_rules`. JAX has three, by what a rule gets; here they are
views: what is entered through one is seen through all, and by `vmap`.

    primitive_batchers[p]        rule(operands, axes, **params)
    fancy_primitive_batchers[p]  rule(axis, operands, axes, **params)
    axis_primitive_batchers[p]   rule(size, name, trace_type, operands, axes, **params)

The last two are called for operands of which none has the axis, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping, Sequence
from typing import Any

from ...core import Jaxpr, Primitive
from ...core.extension import traces_around
from .axes import Axis, BatchAxis, Destination, at_front
from .axes import broadcast as broadcast_along
from .combinators import elementwise, reducer
from .jaxprs import batch_jaxpr
from .traces import BatchTrace, WithAxis, batch_rules, with_axis

Rule = Callable[..., Any]


class _AsFancy:
    """A rule of the table, called with the axis. Field: rule."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule

    def __call__(
        self,
        axis: BatchAxis,
        operands: Sequence[Any],
        axes: Sequence[Axis],
        **params: Any,
    ) -> Any:
        if isinstance(self.rule, WithAxis):
            return self.rule(axis, operands, axes, **params)
        return self.rule(operands, axes, **params)


class _AsAxis(_AsFancy):
    """A rule of the table, called with the axis' size and name."""

    def __call__(  # type: ignore[override]
        self,
        size: int,
        name: Any,
        trace_type: Any,
        operands: Sequence[Any],
        axes: Sequence[Axis],
        **params: Any,
    ) -> Any:
        return super().__call__(BatchAxis(name, size), operands, axes, **params)


def _from_axis_rule(rule: Rule) -> Rule:
    def fancy(
        axis: BatchAxis, operands: Sequence[Any], axes: Sequence[Axis], **params: Any
    ) -> Any:
        return rule(axis.size, axis.name, None, operands, axes, **params)

    return fancy


class RuleView(MutableMapping[Primitive, Rule]):
    """The table of batch rules, seen with another signature."""

    def __init__(
        self, read: Callable[[Rule], Rule], fancy: Callable[[Rule], Rule]
    ) -> None:
        self._read, self._fancy = read, fancy

    def __getitem__(self, primitive: Primitive) -> Rule:
        if primitive not in batch_rules:
            raise KeyError(primitive)
        return self._read(batch_rules[primitive])

    def __setitem__(self, primitive: Primitive, rule: Rule) -> None:
        batch_rules[primitive] = with_axis(self._fancy(rule), always=True)

    def __delitem__(self, primitive: Primitive) -> None:
        del batch_rules[primitive]

    def __iter__(self) -> Iterator[Primitive]:
        return iter(batch_rules)

    def __len__(self) -> int:
        return len(batch_rules)

    def __repr__(self) -> str:
        return f"<view of {len(self)} batch rules>"


fancy_primitive_batchers = RuleView(_AsFancy, lambda rule: rule)
axis_primitive_batchers = RuleView(_AsAxis, _from_axis_rule)


def defvectorized(prim: Primitive) -> None:
    """Declare that a primitive of one operand works element by element."""
    batch_rules[prim] = elementwise(prim)


def defbroadcasting(prim: Primitive) -> None:
    """Declare that a primitive works element by element and broadcasts size 1."""
    batch_rules[prim] = elementwise(prim)


def defreducer(prim: Primitive) -> None:
    """Declare that a primitive removes the axes in its param `axes`."""
    batch_rules[prim] = reducer(prim)


def bdim_at_front(x: Any, bdim: Axis, size: int, mesh_axis: Any = None) -> Any:
    """`x` with its batch axis at position 0, repeated along it if it has none."""
    return at_front(x, bdim, size)


def broadcast(x: Any, sz: int, axis: int, mesh_axis: Any = None) -> Any:
    """Repeat `x` along a new axis of size `sz`, at position `axis`."""
    return broadcast_along(x, sz, axis)


def batch_jaxpr_axes(
    closed_jaxpr: Jaxpr,
    axis_data: BatchAxis,
    in_axes: Sequence[Axis],
    out_axes_dest: Sequence[Destination],
) -> tuple[Jaxpr, list[bool]]:
    """The batched program, the axis where it is wanted, and which results have it."""
    batched, axes = batch_jaxpr(closed_jaxpr, axis_data, in_axes, out_axes_dest)
    return batched, [axis is not None for axis in axes]


def unsafe_am_i_under_a_vmap_DO_NOT_USE() -> bool:
    """Whether a function is being mapped around the caller."""
    return any(isinstance(trace, BatchTrace) for trace in traces_around())
