"""Named axes as parameters of collectives: reading them, and rules about them.

A collective speaks of one name or of a tuple of names; the second means all of these
axes together, the last one fastest. `vmap` removes the name it gave, by turning the
axis into a position; whatever is left when a program is lowered belongs to nobody.

Source: spec/batching.md §4, spec/sharding.md §11.
"""

from collections.abc import Callable, Sequence
from typing import Any

from ..base.errors import (
    ArgumentValueError,
    NotSupportedError,
    UnboundAxisNameError,
)
from ..core import (
    AxisName,
    Effects,
    NamedAxisEffect,
    Primitive,
    axis_size,
    current,
    typeof,
    use_trace,
)
from ..interpreters import batching

Groups = tuple[tuple[int, ...], ...] | None
Names = tuple[AxisName, ...]


def names_of(axis_name: AxisName | Sequence[AxisName]) -> Names:
    """The names that a collective speaks of. A tuple or list holds several."""
    return tuple(axis_name) if isinstance(axis_name, tuple | list) else (axis_name,)


def size_of_names(names: Names, groups: Groups = None) -> int:
    """How many take part: all along the axes, or those of one group.

    Raises:
        NameError: nobody bound a name.
    """
    size = axis_size(names)
    return size if groups is None else len(groups[0])


def parsed_groups(groups: Any, names: Names) -> Groups:
    """Groups as a param. Raises: ValueError unless they divide the axis into parts."""
    if groups is None:
        return None
    parsed = tuple([tuple([int(i) for i in group]) for group in groups])
    size = axis_size(names)
    members = sorted(i for group in parsed for i in group)
    if members != list(range(size)):
        raise ArgumentValueError(
            f"axis_index_groups holds each index below {size} in one group.",
            f"Found {groups}.",
        )
    return parsed


def refuse_groups(primitive: Primitive, groups: Groups, name: AxisName) -> None:
    """Raises: NotImplementedError for groups along a mapped axis."""
    if groups is not None:
        raise NotSupportedError(
            f"{primitive} within groups is for axes of a mesh.",
            f"Found axis_index_groups={groups} along {name!r}, an axis of vmap.",
            "Split the axis in two and map over both.",
        )


def effects_over(param: str) -> Callable[..., Effects]:
    """The effects of a collective whose names are in `param`."""

    def effects(*avals: Any, **params: Any) -> Effects:
        names = names_of(params[param])
        # A position is an axis of the operand itself.
        return frozenset(NamedAxisEffect(n) for n in names if not isinstance(n, int))

    return effects


# --- Rules ----------------------------------------------------------------------------


def batch_over(primitive: Primitive, param: str, own: Any, other: Any) -> Any:
    """The batch rule of a collective whose names are in `param`.

    own: where the mapped axis is meant. other: where it is not, and an operand has it.
    Both are called as `rule(axis, operands, axes, **params)`, by position: a param may
    be called `axes` too.
    """

    def rule(axis: Any, operands: Any, axes: Any, /, **params: Any) -> Any:
        if axis.is_named and axis.name in names_of(params[param]):
            return own(axis, operands, axes, **params)
        if all(one is None for one in axes):
            return primitive.bind(*operands, **params), None
        return other(axis, operands, axes, **params)

    return batching.with_axis(rule, always=True)


def per_example(axis: Any, fun: Callable[..., Any], x: Any, position: Any) -> Any:
    """`fun` of one example, and where its result has the axis: a rule by its parts."""
    trace = batching.BatchTrace(current.value, axis)
    try:
        with use_trace(trace):
            out = fun(trace.join(x, position))
        return trace.split(out)
    finally:
        trace.alive = False


def lower_over(param: str) -> Callable[..., Any]:
    """The lowering rule of a collective: its axis is of no mesh, so it has none."""

    def rule(ctx: Any, *values: Any, **params: Any) -> Any:
        unbound = [n for n in names_of(params[param]) if not isinstance(n, int)]
        raise UnboundAxisNameError(unbound[0] if unbound else None)

    return rule


def merged_axes(shape: Sequence[int], axis: int) -> tuple[int, ...]:
    """The shape whose axes `axis` and `axis + 1` are one."""
    return (*shape[:axis], shape[axis] * shape[axis + 1], *shape[axis + 2 :])


def shape_of(x: Any) -> tuple[int, ...]:
    """The shape of a value."""
    shape: tuple[int, ...] = typeof(x).shape
    return shape
