"""The names a program may use for axes it does not see.

`vmap(axis_name=…)`, `pmap` and `shard_map` each hide an axis from the function they
transform and give it a name that collectives (`psum`, …) speak of. Which names are
bound is a fact about the calling thread, and part of every trace key: the same function
traces to another program where a name has another size.

An inner binding hides an outer one of the same name.
"""

import math
from collections.abc import Hashable, Iterable
from types import TracebackType
from typing import NamedTuple

from ..base import flags
from ..base.errors import UnboundAxisNameError

AxisName = Hashable


class NamedAxis(NamedTuple):
    """A hidden axis: its name and its size."""

    name: AxisName
    size: int


# A jaxlib value rather than a thread-local of ours: the C++ caches read it as a part
# of their keys, and reading it from Python costs no more.
_bound = flags.context_value("minijax_named_axes", (), jit_key=True, trace_key=True)


def bound_axes() -> tuple[NamedAxis, ...]:
    """The axes bound around the caller, outermost first; hidden ones included."""
    return _bound.value


class binding_axes:
    """Context: `axes`, pairs of name and size, are bound besides those around it.

    Example:
        >>> with binding_axes([("batch", 4)]):
        ...     axis_size("batch")
        4
    """

    __slots__ = ("_inner", "_outer")

    def __init__(self, axes: Iterable[tuple[AxisName, int]]) -> None:
        self._inner = tuple(NamedAxis(name, size) for name, size in axes)

    def __enter__(self) -> None:
        self._outer = _bound.value
        _bound.set_local(self._outer + self._inner)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _bound.set_local(self._outer)


class replacing_axes(binding_axes):
    """Context: `axes` are bound, and nothing else is."""

    __slots__ = ()

    def __enter__(self) -> None:
        self._outer = _bound.value
        _bound.set_local(self._inner)


def axis_names() -> tuple[AxisName, ...]:
    """The names bound around the caller, outermost first, each once."""
    return tuple(dict.fromkeys(axis.name for axis in _bound.value))


def is_bound(name: AxisName) -> bool:
    """Whether a collective may speak of `name` here."""
    return any(axis.name == name for axis in _bound.value)


def axis_size(name: AxisName | tuple[AxisName, ...]) -> int:
    """The size of a named axis; of a tuple of names, the product of the sizes.

    Raises:
        UnboundAxisNameError: nobody bound the name (a NameError).
    """
    if isinstance(name, tuple):
        return math.prod(axis_size(one) for one in name)
    for axis in reversed(_bound.value):
        if axis.name == name:
            return axis.size
    raise UnboundAxisNameError(name, axis_names())
