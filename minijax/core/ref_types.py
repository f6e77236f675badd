"""What a ref is: the type, the eager object, the effects of touching one.

A ref is a mutable array. Where a program is staged it is a variable of an `AbstractRef`
type, and reading and writing it are equations. Everywhere else it is a `Ref`, a cell
that holds its value: an array, or a tracer of the trace in which it was made. There
reading and writing are ordinary operations on the value, so that no interpreter but
staging knows of refs at all.

This file stands below traces and primitives; `refs.py` above them says how programs are
rid of refs, `lax/refs.py` what the primitives do.

Source: spec/tracing.md §18.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..base.util import weak_value_interner
from .avals import AbstractValue, ShapedArray, aval_makers
from .effects import Effect

# --- The type -----------------------------


class AbstractRef(AbstractValue):
    """The type of a ref to an array: `Ref{f32[3]}`. Interned.

    inner_aval: the type of what it holds. kind: None, or "no_grad_no_remat".
    """

    __slots__ = ("inner_aval", "kind", "memory_space")
    inner_aval: ShapedArray
    kind: str | None
    memory_space: Any

    def __new__(
        cls, inner_aval: ShapedArray, memory_space: Any = None, kind: str | None = None
    ) -> AbstractRef:
        return _intern(inner_aval.strip_weak_type(), memory_space, kind)

    weak_type = False

    @property
    def shape(self) -> tuple[int, ...]:
        return self.inner_aval.shape

    @property
    def dtype(self) -> Any:
        return self.inner_aval.dtype

    @property
    def ndim(self) -> int:
        return self.inner_aval.ndim

    @property
    def size(self) -> int:
        return self.inner_aval.size

    @property
    def sharding(self) -> Any:
        return self.inner_aval.sharding

    @property
    def vma(self) -> frozenset[str]:
        return self.inner_aval.vma

    def update(self, **fields: Any) -> AbstractRef:
        """The type of a ref to an array with some fields replaced."""
        return _intern(self.inner_aval.update(**fields), self.memory_space, self.kind)

    def update_weak_type(self, weak_type: bool) -> AbstractRef:
        return self

    def to_tangent_aval(self) -> AbstractRef:
        return _intern(self.inner_aval.to_tangent_aval(), self.memory_space, self.kind)

    def str_short(self, short_dtypes: bool = False) -> str:
        return f"Ref{{{self.inner_aval.str_short(short_dtypes)}}}"

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"avals are immutable: use aval.update({name}=…)")

    def __repr__(self) -> str:
        return self.str_short()

    def __reduce__(self) -> Any:
        return AbstractRef, (self.inner_aval, self.memory_space, self.kind)


def _make(inner_aval: ShapedArray, memory_space: Any, kind: str | None) -> AbstractRef:
    aval = object.__new__(AbstractRef)
    write = object.__setattr__
    write(aval, "inner_aval", inner_aval)
    write(aval, "memory_space", memory_space)
    write(aval, "kind", kind)
    return aval


_intern: Callable[..., AbstractRef] = weak_value_interner(_make)


def is_ref_type(aval: Any) -> bool:
    """Whether values of this type are refs."""
    return aval.__class__ is AbstractRef


# --- The object ---------------------------

# name -> function(ref, …), entered by `lax`: what refs of either form can do
ref_methods: dict[str, Callable[..., Any]] = {}


class _AlsoTracers(type):
    """Makes tracers of refs instances too, as tracers of arrays are arrays."""

    def __instancecheck__(cls, x: Any) -> bool:
        return type(x) is cls or type(getattr(x, "aval", None)) is AbstractRef


class Ref(metaclass=_AlsoTracers):
    """A mutable array, made by `new_ref`: `ref[...]` reads it, `ref[i] = x` writes it.

    aval: its type. value: what it holds. owner: the trace in which it was made, which
    is the one its values belong to.
    """

    __slots__ = ("__weakref__", "aval", "owner", "value")

    def __init__(self, aval: AbstractRef, value: Any, owner: Any) -> None:
        self.aval, self.value, self.owner = aval, value, owner

    @property
    def shape(self) -> tuple[int, ...]:
        return self.aval.shape

    @property
    def dtype(self) -> Any:
        return self.aval.dtype

    @property
    def ndim(self) -> int:
        return self.aval.ndim

    @property
    def size(self) -> int:
        return self.aval.size

    @property
    def sharding(self) -> Any:
        return self.value.sharding

    @property
    def committed(self) -> bool:
        return bool(self.value.committed)

    @property
    def at(self) -> Any:
        return ref_methods["at"](self)

    def addupdate(self, value: Any, idx: Any = ()) -> None:
        """Add `value` to the elements at `idx`."""
        ref_methods["addupdate"](self, idx, value)

    def unsafe_buffer_pointer(self) -> int:
        return int(self.value.unsafe_buffer_pointer())

    def block_until_ready(self) -> Ref:
        self.value.block_until_ready()
        return self

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of a ref without axes")
        return self.shape[0]

    def __getitem__(self, idx: Any) -> Any:
        return ref_methods["get"](self, idx)

    def __setitem__(self, idx: Any, value: Any) -> None:
        ref_methods["set"](self, idx, value)

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError("a ref is no array: read its value with `ref[...]`")

    def __bool__(self) -> bool:
        raise TypeError("a ref is neither true nor false: read it with `ref[...]`")

    __iter__ = None

    def __repr__(self) -> str:
        text = repr(self.value)
        return "Ref" + text[text.index("(") :]


def _type_of(ref: Ref) -> AbstractRef:
    return ref.aval


aval_makers[Ref] = _type_of


def is_staged(cell: Ref, trace: Any) -> bool:
    """Whether what `trace` does to `cell` is to be an equation.

    It is, if a program is staged anywhere between it and the trace of the cell.
    """
    while trace is not None and trace is not cell.owner:
        if trace.stages_refs:
            return True
        trace = trace.parent
    return False


def is_held(x: Any, trace: Any) -> bool:
    """Whether `x` is a ref that `trace` holds itself: a cell, or its own tracer."""
    if x.__class__ is Ref:
        return not is_staged(x, trace)
    return is_ref_type(getattr(x, "aval", None)) and x.owner is trace


# --- Where an access goes -----------------


class Slice(NamedTuple):
    """A stretch of an axis: `size` elements from `start`, every `stride`-th."""

    start: int
    size: int
    stride: int = 1

    def text(self, length: int) -> str:
        """As Python writes it, for an axis of `length`."""
        end = (
            self.start + (self.size - 1) * self.stride + 1 if self.size else self.start
        )
        first = str(self.start) if self.start else ""
        last = str(end) if end < length else ""
        return f"{first}:{last}" + (f":{self.stride}" if self.stride != 1 else "")


class Indexer(NamedTuple):
    """Which elements an access touches, but for the numbers that are operands.

    dims: per axis a `Slice`, or None where an operand tells: a scalar or an array of
    positions. No dims at all: the whole array.
    """

    dims: tuple[Slice | None, ...] = ()

    @property
    def points(self) -> tuple[int, ...]:
        """The axes whose positions are operands."""
        return tuple([i for i, dim in enumerate(self.dims) if dim is None])


# --- Effects ------------------------------


class RefEffect(Effect):
    """A program touches refs; it is rid of them before it is lowered."""

    lowerable = False


class InternalRefEffect(RefEffect):
    """The equation makes a ref, or ends one."""

    removable = True

    def __repr__(self) -> str:
        return "Internal"


INTERNAL = InternalRefEffect()


class InputEffect(RefEffect):
    """The equation touches the ref that is its operand `input`.

    input: the number of the operand in what a rule answers, its variable in a program.
    """

    shown_as = ""

    def __init__(self, input: Any) -> None:
        self.input = input

    def on(self, input: Any) -> InputEffect:
        """The same effect on another operand."""
        return type(self)(input)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.input == other.input  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash((type(self), self.input))

    def __repr__(self) -> str:
        return f"{self.shown_as}<{self.input}>"


class ReadEffect(InputEffect):
    """The ref is read."""

    shown_as = "Read"
    removable = True


class WriteEffect(InputEffect):
    """The ref is written."""

    in_mapped_control_flow = False

    shown_as = "Write"


class AccumEffect(InputEffect):
    """The ref is added to."""

    in_mapped_control_flow = False

    shown_as = "Accum"
