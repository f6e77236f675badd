"""Trace, Tracer, and the current trace.

A trace is one interpretation of primitives; a tracer is a value inside it. There is
one current trace per thread, held by a jaxlib `Config` so that the C++ call path keys
on it. Rules of this file:

1. The current trace decides what an application means, never the arguments.
2. A tracer belongs to a trace by identity; any other value is a constant of it.
3. A trace runs its rules with its parent current, and restores itself afterwards.
4. A finished trace is not `alive`; its tracers are refused wherever they turn up.

Source: spec/tracing.md §§4-7.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from ..base import flags
from ..base.errors import (
    AmbiguousTruthError,
    ArgumentTypeError,
    ConcretizationTypeError,
    ImmutableArrayError,
    ScalarConversionError,
    TracerArrayConversionError,
    TracerAttributeError,
    TracerBoolConversionError,
    TracerIntegerConversionError,
    UnexpectedTracerError,
)
from .avals import ShapedArray, aval_makers
from .operators import Operator, register_array_type
from .ref_types import is_ref_type, ref_methods
from .rules import RuleTable
from .sources import user_frames


class Trace:
    """One interpretation of primitives; `parent` is that of what its rules bind."""

    __slots__ = ("__weakref__", "alive", "parent")
    parent: Trace | None
    alive: bool
    # Whether a ref is a variable here, and what is done to it an equation.
    stages_refs = False

    def apply(
        self, primitive: Any, args: tuple[Any, ...], params: dict[str, Any]
    ) -> Any:
        """Interpret one application; a list if the primitive has several results."""
        raise NotImplementedError

    def describe(self) -> str:
        """What this trace is, in words, for error texts."""
        return type(self).__name__


# primitive -> function(*args, **params) that runs it on arrays
impl_rules = RuleTable("evaluation")


class EvalTrace(Trace):
    """Evaluation: every application runs at once."""

    __slots__ = ("evaluate",)
    evaluate: Callable[[Any, tuple[Any, ...], dict[str, Any]], Any] | None

    def __init__(self) -> None:
        self.parent, self.alive, self.evaluate = None, True, None

    def apply(
        self, primitive: Any, args: tuple[Any, ...], params: dict[str, Any]
    ) -> Any:
        # The C++ call path keys on the current trace: under another one (a rule that
        # reached us through its parents) it would come straight back.
        previous = current.swap_local(self)
        try:
            impl = impl_rules.get(primitive)
            if impl is not None:
                return impl(*args, **params)
            return self.evaluate(primitive, args, params)  # type: ignore[misc]
        finally:
            current.set_local(previous)


EVAL = EvalTrace()
current = flags.context_value(
    "minijax_current_trace", EVAL, jit_key=True, trace_key=False
)


def set_evaluator(
    evaluate: Callable[[Any, tuple[Any, ...], dict[str, Any]], Any],
) -> None:
    """Give the floor above's way to run a primitive that has no `impl` rule."""
    EVAL.evaluate = evaluate


def current_trace() -> Trace:
    """The trace that interprets what this thread binds."""
    return current.value


def at_top_level() -> bool:
    """Whether this thread evaluates: no transformation is running."""
    return current.value is EVAL


class use_trace:
    """Make a trace current for a `with` block, in this thread."""

    __slots__ = ("previous", "trace")

    def __init__(self, trace: Trace) -> None:
        self.trace = trace

    def __enter__(self) -> Trace:
        self.previous = current.swap_local(self.trace)
        return self.trace

    def __exit__(self, *exc: object) -> None:
        current.set_local(self.previous)


class eval_context(use_trace):
    """Make evaluation current: tracers are refused, everything else runs at once."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(EVAL)


class Tracer:
    """A value inside a trace: a type, and whatever its interpretation carries."""

    __slots__ = ("__weakref__", "aval", "owner")
    __hash__ = None  # type: ignore[assignment]
    __array_priority__ = 1000
    aval: ShapedArray
    owner: Trace

    # What the printed form calls this tracer; jax users search for these names.
    shown_as = "Traced"

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        aval_makers[cls] = attrgetter("aval")

    def concrete(self) -> Any:
        """The array behind this tracer if it is known, else None."""
        return None

    def origin_text(self) -> str:
        """Where the value comes from, in words; empty if unknown."""
        return ""

    def created_at(self) -> Any:
        """The traceback of the line that made this value, or None."""
        return None

    # --- what the type tells -------------
    @property
    def shape(self) -> tuple[int, ...]:
        return self.aval.shape

    @property
    def dtype(self) -> Any:
        return self.aval.dtype

    @property
    def ndim(self) -> int:
        return len(self.aval.shape)

    @property
    def size(self) -> int:
        return self.aval.size

    @property
    def weak_type(self) -> bool:
        return self.aval.weak_type

    @property
    def itemsize(self) -> int:
        return self.aval.dtype.itemsize

    @property
    def nbytes(self) -> int:
        return self.aval.size * self.aval.dtype.itemsize

    @property
    def sharding(self) -> Any:
        raise TracerAttributeError("sharding", self, "Ask `typeof(x)` for its type.")

    @property
    def memory_space(self) -> Any:
        raise ValueError(
            "the memory space of a traced value is part of its type: "
            "ask `typeof(x).memory_space`"
        )

    def _is_traced_array(self) -> bool:  # asked by C++ isinstance(x, Array)
        return isinstance(self.aval, ShapedArray)

    def __len__(self) -> int:
        if not self.aval.shape:
            raise TypeError(f"len() of an array without axes, {self.aval}")
        return self.aval.shape[0]

    # --- where Python or NumPy wants the data -------------
    def __bool__(self) -> bool:
        known = self.concrete()
        if known is not None:
            return bool(known)
        if self.aval.size != 1:
            raise AmbiguousTruthError(self.aval.shape)
        raise TracerBoolConversionError(self)

    def _as_python(self, function: str) -> Any:
        if self.aval.shape:
            raise ScalarConversionError(function, str(self.aval))
        raise ConcretizationTypeError(
            self,
            f"`{function}()` asks an array for a Python number; "
            f"`x.astype({function})` changes its dtype.",
        )

    def __int__(self) -> int:
        known = self.concrete()
        return self._as_python("int") if known is None else int(known)

    def __float__(self) -> float:
        return self._as_python("float")

    def __complex__(self) -> complex:
        return self._as_python("complex")

    def __index__(self) -> int:
        known = self.concrete()
        if known is not None:
            return known.__index__()
        if self.aval.shape or self.aval.dtype.kind not in "iu":
            raise ScalarConversionError("__index__", str(self.aval))
        raise TracerIntegerConversionError(self)

    def __hex__(self) -> str:
        return hex(self.__index__())

    def __oct__(self) -> str:
        return oct(self.__index__())

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise TracerArrayConversionError(self)

    def item(self, *args: Any) -> Any:
        """The Python number of a one-element array, where its value is known."""
        known = self.concrete()
        if known is not None:
            return known.item(*args)
        raise ConcretizationTypeError(self, "`item()` asks for a Python number.")

    def __reduce__(self) -> Any:
        raise ConcretizationTypeError(self, "Pickling asks for the data of an array.")

    def __copy__(self) -> Tracer:
        return self

    def __deepcopy__(self, memo: Any) -> Tracer:
        return self

    def __setitem__(self, index: Any, value: Any) -> None:
        if is_ref_type(self.aval):
            ref_methods["set"](self, index, value)
            return
        raise ImmutableArrayError(type(self).__name__)

    def __format__(self, spec: str) -> str:
        if spec:
            raise ArgumentTypeError(
                f"The format {spec!r} asks for the value of an array.",
                f"Found {self!r}, known only by its type.\n"
                f"{self.origin_text()}".rstrip(),
            )
        return repr(self)

    def __repr__(self) -> str:
        return f"{self.shown_as}({self._shown()})"

    def _shown(self) -> str:
        return str(self.aval)


def _data_method(name: str, *, is_property: bool) -> Any:
    def refuse(self: Tracer, *args: Any, **kwargs: Any) -> Any:
        raise ConcretizationTypeError(self, f"`{name}` asks for the data of an array.")

    refuse.__name__ = name
    refuse.__doc__ = "Needs data: raises ConcretizationTypeError."
    return property(refuse) if is_property else refuse


for _name in (
    *("tolist", "tobytes", "__dlpack__", "devices", "addressable_data", "is_deleted"),
    *("delete", "on_device_size_in_bytes", "unsafe_buffer_pointer"),
):
    setattr(Tracer, _name, _data_method(_name, is_property=False))
for _name in (
    *("committed", "addressable_shards", "global_shards", "is_fully_addressable"),
    *("is_fully_replicated", "traceback"),
):
    setattr(Tracer, _name, _data_method(_name, is_property=True))


def _install(name: str, operator: Operator) -> None:
    method = operator.traced
    if name == "__getitem__":
        method = _index_or_read(method)
    elif name == "at":
        method = _view_or_ref_view(method)
    setattr(Tracer, name, method)


def _index_or_read(index: Any) -> Any:
    def __getitem__(self: Tracer, idx: Any) -> Any:
        if is_ref_type(self.aval):
            return ref_methods["get"](self, idx)
        return index(self, idx)

    __getitem__.__doc__ = index.__doc__
    return __getitem__


def _view_or_ref_view(view: Any) -> Any:
    def at(self: Tracer) -> Any:
        if is_ref_type(self.aval):
            return ref_methods["at"](self)
        return view.__get__(self, type(self))

    return property(at, doc=view.__doc__)


def _add_to_ref(self: Tracer) -> Any:
    if not is_ref_type(self.aval):
        raise TracerAttributeError("addupdate", self, "Only refs have it.")

    def addupdate(value: Any, idx: Any = ()) -> None:
        ref_methods["addupdate"](self, idx, value)

    return addupdate


Tracer.addupdate = property(_add_to_ref)  # type: ignore[attr-defined]


register_array_type(_install)


def escaped(tracer: Tracer) -> UnexpectedTracerError:
    """The error for a tracer used outside its trace."""
    frames = [str(frame) for frame in user_frames(tracer.created_at())]
    shown = frames[: flags.tracer_error_num_traceback_frames.value]
    return UnexpectedTracerError.escaped(
        aval=tracer.aval.str_short(),
        tracer_class=type(tracer).__name__,
        created=frames[0] if shown else "",
        origin=tracer.origin_text(),
        frames=shown[::-1],
    )


def check_alive(tracer: Tracer) -> Tracer:
    """`tracer`, a constant of another trace. Raises: UnexpectedTracerError."""
    if not tracer.owner.alive:
        raise escaped(tracer)
    return tracer
