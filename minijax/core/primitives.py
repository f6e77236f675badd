"""Primitive: a name, and what it means to apply it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.errors import (
    ArgumentTypeError,
    IntegerOverflowError,
    MissingRuleError,
    NotAnArrayError,
    PrimitiveOperandError,
    UnhashableParamError,
)
from .avals import AbstractValue, is_array_type
from .effects import Effects, no_effects
from .ref_types import is_held, is_ref_type
from .traces import current, impl_rules

# How a primitive that holds programs is applied to refs; entered by refs.py
ref_hook: dict[str, Callable[..., Any]] = {}

# Answers of abstract evaluation kept per primitive before the memo starts anew.
_MEMO_SIZE = 4096


class Primitive:
    """An operation by name. All it means is in the rule tables.

    multiple_results: `bind` returns a list. holds_programs: parameters may hold jaxprs
    or functions, so nothing is memoised that would keep them alive.
    """

    __slots__ = (
        "__weakref__",
        "_memo",
        "abstract_eval",
        "effects",
        "holds_programs",
        "multiple_results",
        "name",
        "takes_refs",
    )

    # What JAX's primitives tell besides; here the tables do.
    call_primitive = map_primitive = ref_primitive = skip_canonicalization = False

    def __init__(
        self, name: str, *, multiple_results: bool = False, holds_programs: bool = False
    ) -> None:
        self.name = name
        self.multiple_results = multiple_results
        self.holds_programs = self.takes_refs = holds_programs
        self.abstract_eval: Callable[..., Any] = self._no_abstract_eval
        self.effects: Callable[..., Effects] | None = None
        self._memo: dict[Any, tuple[Any, Effects]] = {}

    def bind(self, *args: Any, **params: Any) -> Any:
        """Apply to `args` in the current trace: a value, or a list of values."""
        trace = current.value
        if self.holds_programs and not trace.stages_refs:
            for x in args:
                if is_held(x, trace):
                    return ref_hook["bind"](self, args, params)
        try:
            return trace.apply(self, args, params)
        except (NotAnArrayError, IntegerOverflowError) as error:
            self._name_operand(error, args)
            raise

    def results(self, out: Any) -> list[Any]:
        """What `bind` or a rule returned, as a list."""
        return out if self.multiple_results else [out]

    def infer(
        self, avals: tuple[AbstractValue, ...], params: dict[str, Any]
    ) -> tuple[Any, Effects]:
        """The types of the results and the effects, memoised by (avals, params)."""
        if self.holds_programs:
            return self._infer(avals, params)
        key: Any = (avals, *params.items()) if params else avals
        try:
            return self._memo[key]
        except KeyError:
            pass
        except TypeError:
            self._refuse_unhashable(params)
            raise
        if len(self._memo) >= _MEMO_SIZE:
            self._memo.clear()
        answer = self._memo[key] = self._infer(avals, params)
        return answer

    def _infer(
        self, avals: tuple[AbstractValue, ...], params: dict[str, Any]
    ) -> tuple[Any, Effects]:
        if not self.takes_refs:
            self._refuse_refs(avals)
        out = self.abstract_eval(*avals, **params)
        if isinstance(out, list | tuple) is not self.multiple_results:
            raise ValueError(
                f"the abstract_eval rule of {self.name!r} must return "
                f"{'a list of types' if self.multiple_results else 'one type'}; "
                f"it returned {out!r}"
            )
        effects = no_effects if self.effects is None else self.effects(*avals, **params)
        return out, effects

    def _name_operand(
        self, error: NotAnArrayError | IntegerOverflowError, args: tuple[Any, ...]
    ) -> None:
        """Raise the error anew, with the operand it is about, if it names nothing."""
        if isinstance(error, IntegerOverflowError):
            for position, x in enumerate(args):
                if not error.path and type(x) is int and x == error.value:
                    path = f"as operand {position} of primitive {self.name!r}"
                    raise IntegerOverflowError(x, error.dtype, path) from None
        elif not error.function:
            for position, x in enumerate(args):
                if not is_array_type(x):
                    raise PrimitiveOperandError(
                        self.name, position, type(x).__name__
                    ) from None

    def _refuse_refs(self, avals: tuple[AbstractValue, ...]) -> None:
        for position, aval in enumerate(avals):
            if is_ref_type(aval):
                raise ArgumentTypeError(
                    f"Primitive {self.name!r} takes arrays.",
                    f"Found {aval}, a ref, as operand {position}.",
                    "Read its value with `ref[...]`.",
                )

    def _refuse_unhashable(self, params: dict[str, Any]) -> None:
        for name, value in params.items():
            try:
                hash(value)
            except TypeError as error:
                shown = f"{value!r} of type {type(value).__name__}"
                raise UnhashableParamError(self.name, name, shown) from error

    def _no_abstract_eval(self, *avals: Any, **params: Any) -> Any:
        raise MissingRuleError("abstract_eval", self.name)

    # The jax way to define a primitive outside the library.
    def def_impl(self, impl: Callable[..., Any]) -> Callable[..., Any]:
        """Answer how to run the primitive on arrays; usable as a decorator."""
        impl_rules[self] = impl
        return impl

    def def_abstract_eval(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """Answer the type of the result(s); usable as a decorator."""
        self.abstract_eval = rule
        self._memo.clear()
        return rule

    def __repr__(self) -> str:
        return self.name
