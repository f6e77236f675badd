"""What `+`, `<`, `@` and their like do, for arrays and for tracers.

A tracer binds at once. An array calls a compiled program, whose next call with the same
types never leaves C++; a Python number beside it is taken from the kept device scalars.

Rules:
1. Lists and other containers are refused by name; foreign types get their turn.
2. A reflected operator is the same function with its operands exchanged.

Source: spec/numpy.md §3.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..base import dtypes
from ..base.errors import ArgumentTypeError, ArgumentValueError
from ..core import (
    EVAL,
    Operator,
    Tracer,
    aval_makers,
    current,
    define_operators,
    typeof,
)
from ..lax import unstack
from ..runtime import ArrayImpl
from .arithmetic import (
    absolute,
    add,
    integer_power,
    multiply,
    negative,
    positive,
    power,
    subtract,
    true_divide,
)
from .constants import device_scalar
from .contractions import matmul
from .division import divmod as divide_with_rest
from .division import floor_divide, remainder
from .exponents import round as round_to
from .getting import getitem, getitem_of_array
from .logic import (
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    equal,
    greater,
    greater_equal,
    invert,
    left_shift,
    less,
    less_equal,
    not_equal,
    right_shift,
)
from .promotion import PYTHON_SCALARS, cast_to
from .reductions import any as any_of
from .updating import IndexedUpdates

_CONTAINERS = (list, tuple, dict, set, frozenset)


def _foreign(name: str, other: Any) -> Any:
    """What stands beside an array, of no type of ours, as an array if it can be."""
    if isinstance(other, _CONTAINERS):
        raise ArgumentTypeError(
            f"`{name}` needs an array or a number beside an array.",
            f"Found {type(other).__name__}.",
            "Convert it with `minijax.numpy.asarray`.",
        )
    if hasattr(other, "__jax_array__"):
        return other.__jax_array__()
    if isinstance(other, bool | int | float | complex | np.ndarray | np.generic):
        return other
    return NotImplemented


def binary(
    name: str, compiled: Callable[..., Any], traced: Callable[..., Any] | None = None
) -> Operator:
    """The operator `name` that applies a function of two arrays.

    compiled: called on arrays. traced: called where a tracer is; by default what the
    compiled function wraps.
    """
    plain = traced or compiled.__wrapped__  # type: ignore[attr-defined]

    def on_tracer(self: Any, other: Any) -> Any:
        if other.__class__ not in aval_makers:
            other = _foreign(name, other)
            if other is NotImplemented:
                return other
        return plain(self, other)

    def on_array(self: Any, other: Any) -> Any:
        kind = other.__class__
        if kind is ArrayImpl:
            return compiled(self, other)
        if kind in PYTHON_SCALARS:
            if current.value is EVAL:
                return compiled(self, device_scalar(other))
        elif kind not in aval_makers:
            other = _foreign(name, other)
            if other is NotImplemented:
                return other
        elif isinstance(other, Tracer):
            return plain(self, other)
        return compiled(self, other)

    on_tracer.__name__ = on_array.__name__ = name
    return Operator(on_tracer, on_array)


def reflected(
    name: str, compiled: Callable[..., Any], traced: Callable[..., Any] | None = None
) -> Operator:
    """The operator `name` whose left operand is the other one."""
    plain = traced or compiled.__wrapped__  # type: ignore[attr-defined]

    def on_tracer(self: Any, other: Any) -> Any:
        if other.__class__ not in aval_makers:
            other = _foreign(name, other)
            if other is NotImplemented:
                return other
        return plain(other, self)

    def on_array(self: Any, other: Any) -> Any:
        kind = other.__class__
        if kind in PYTHON_SCALARS and current.value is EVAL:
            return compiled(device_scalar(other), self)
        if kind not in aval_makers:
            other = _foreign(name, other)
            if other is NotImplemented:
                return other
        return compiled(other, self)

    on_tracer.__name__ = on_array.__name__ = name
    return Operator(on_tracer, on_array)


def unary(compiled: Callable[..., Any]) -> Operator:
    """An operator of one array; the method of arrays is the compiled function."""
    return Operator(compiled.__wrapped__, compiled)  # type: ignore[attr-defined]


# --- powers ---------------------------------------------------------------------------


def _pow(self: Any, other: Any, modulo: None = None) -> Any:
    if modulo is not None:
        return NotImplemented
    if other.__class__ is int:
        if self.__class__ is ArrayImpl:
            return integer_power(self, other)
        return integer_power.__wrapped__(self, other)
    if other.__class__ not in aval_makers:
        other = _foreign("**", other)
        if other is NotImplemented:
            return other
    if other.__class__ in PYTHON_SCALARS and current.value is EVAL:
        other = device_scalar(other)
    return power(self, other)


def _rpow(self: Any, other: Any) -> Any:
    if other.__class__ not in aval_makers:
        other = _foreign("**", other)
        if other is NotImplemented:
            return other
    return power(other, self)


# --- the rest -------------------------------------------------------------------------


def _contains(self: Any, value: Any) -> Any:
    if typeof(self).ndim != 1 or np.ndim(value):
        raise ArgumentValueError(
            "`in` asks whether a number is in an array of one axis.",
            f"Found a value of shape {np.shape(value)} and {typeof(self)}.",
            "Write `jnp.any(x == value)`.",
        )
    if value.__class__ not in aval_makers:
        value = _foreign("in", value)
        if value is NotImplemented:
            raise ArgumentTypeError("`in` looks for a number.", "Found none.")
    return any_of(equal(self, value))


def _round(self: Any, ndigits: int | None = None) -> Any:
    rounded = round_to(self, ndigits or 0)
    return cast_to(rounded, dtypes.default_int()) if ndigits is None else rounded


def _iterate(self: Any) -> Any:
    if not self.aval.shape:
        raise ArgumentTypeError(
            "Iteration goes along the first axis.",
            f"Found an array without axes, {self.aval}.",
        )
    return iter(unstack(self))


def _reversed(self: Any) -> Any:
    return reversed(list(_iterate(self)))


def _at(self: Any) -> IndexedUpdates:
    return IndexedUpdates(self)


_BINARY = {
    "add": add,
    "sub": subtract,
    "mul": multiply,
    "truediv": true_divide,
    "floordiv": floor_divide,
    "mod": remainder,
    "divmod": divide_with_rest,
    "matmul": matmul,
    "and": bitwise_and,
    "or": bitwise_or,
    "xor": bitwise_xor,
    "lshift": left_shift,
    "rshift": right_shift,
}
_COMPARING = {
    "eq": equal,
    "ne": not_equal,
    "lt": less,
    "le": less_equal,
    "gt": greater,
    "ge": greater_equal,
}

define_operators(
    {f"__{name}__": binary(f"__{name}__", f) for name, f in _BINARY.items()}
    | {f"__r{name}__": reflected(f"__r{name}__", f) for name, f in _BINARY.items()}
    | {f"__{name}__": binary(f"__{name}__", f) for name, f in _COMPARING.items()}
    | {
        "__neg__": unary(negative),
        "__pos__": unary(positive),
        "__abs__": unary(absolute),
        "__invert__": unary(invert),
        "__pow__": Operator(_pow, _pow),
        "__rpow__": Operator(_rpow, _rpow),
        "__getitem__": Operator(getitem, getitem_of_array),
        "__contains__": Operator(_contains, _contains),
        "__round__": Operator(_round, _round),
        # Arrays have their own way to iterate, which reads all rows at once.
        "__iter__": Operator(_iterate, ArrayImpl.__iter__),
        "__reversed__": Operator(_reversed, ArrayImpl.__reversed__),
        "at": Operator(property(_at), property(_at)),
    }
)
