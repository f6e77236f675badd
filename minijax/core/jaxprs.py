"""Jaxprs: typed straight-line programs.

`Jaxpr` has its constants attached, so there is one class where jax once had two. A
variable is an object without a name; names come into being when somebody prints. Two
jaxprs are equal if they are the same object: jaxprs are weak keys of caches.

Source: spec/tracing.md §§8, 9, 16.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, final

import numpy as np

from .effects import Effects, no_effects
from .primitives import Primitive
from .ref_types import InputEffect, is_ref_type


class DebugInfo(NamedTuple):
    """What error texts say about a traced function: names, never objects."""

    traced_for: str = "trace"
    func_src_info: str = "<unknown>"
    arg_names: tuple[str, ...] | None = None
    result_paths: tuple[str, ...] | None = None

    @property
    def func_name(self) -> str:
        return self.func_src_info.split(" at ")[0]

    def safe_arg_names(self, n: int) -> tuple[str, ...]:
        """`n` argument names, empty strings where none are known."""
        names = self.arg_names
        return names if names is not None and len(names) == n else ("",) * n


unknown_debug_info = DebugInfo()


class Var:
    """A variable: a type and an identity."""

    __slots__ = ("aval",)

    def __init__(self, aval: Any) -> None:
        self.aval = aval

    def __repr__(self) -> str:
        return f"Var(id={id(self)}):{self.aval.str_short(short_dtypes=True)}"


class DropVar(Var):
    """A binder that nobody reads; prints as `_`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "_"


@final
class Literal:
    """A constant written into an equation. Fields: val, aval."""

    __slots__ = ("aval", "val")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, val: Any, aval: Any) -> None:
        self.val, self.aval = val, aval

    @property
    def hash(self) -> int | None:
        """A hash of the value, or None if the value has none."""
        try:
            return hash(
                (self.val.item() if hasattr(self.val, "item") else self.val, self.aval)
            )
        except (TypeError, ValueError):
            return None

    def __repr__(self) -> str:
        return f"{self.val}:{self.aval.str_short(short_dtypes=True)}"


Atom = Var | Literal


class JaxprEqn:
    """One application: `outvars = primitive[params] invars`.

    traceback and scope tell where the user wrote it; ctx holds trace-time settings.
    """

    __slots__ = (
        "__weakref__",
        "ctx",
        "effects",
        "invars",
        "outvars",
        "params",
        "primitive",
        "scope",
        "traceback",
    )

    def __init__(
        self,
        primitive: Primitive,
        invars: list[Atom],
        outvars: list[Var],
        params: dict[str, Any],
        effects: Effects = no_effects,
        traceback: Any = None,
        scope: tuple[Any, ...] = (),
        ctx: Any = None,
    ) -> None:
        self.primitive = primitive
        self.invars = invars
        self.outvars = outvars
        self.params = params
        self.effects = effects
        self.traceback = traceback
        self.scope = scope
        self.ctx = ctx

    def replace(self, **fields: Any) -> JaxprEqn:
        """A copy with some fields replaced."""
        own = {name: getattr(self, name) for name in JaxprEqn.__slots__[1:]}
        return JaxprEqn(**{**own, **fields})

    @property
    def source_info(self) -> SourceInfo:
        return SourceInfo(self.traceback, self.scope)

    def __repr__(self) -> str:
        return printers["equation"](self)


class SourceInfo(NamedTuple):
    """Where an equation was written: a jaxlib traceback and the name stack."""

    traceback: Any
    name_stack: tuple[Any, ...]


# "jaxpr" and "equation" -> function to text, entered by printing.py
printers: dict[str, Callable[..., str]] = {}

_JAXPR_FIELDS = (
    "constvars",
    "invars",
    "outvars",
    "eqns",
    "effects",
    "debug_info",
    "consts",
)


class Jaxpr:
    """A program: `{ lambda CONSTVARS; INVARS. let EQNS in OUTVARS }`.

    consts are the values of constvars, which lead `all_invars`. Hash and equality are
    identity.
    """

    __slots__ = (
        "__weakref__",
        "all_invars",
        "consts",
        "debug_info",
        "effects",
        "eqns",
        "outvars",
    )

    def __init__(
        self,
        constvars: Sequence[Var],
        invars: Sequence[Var],
        outvars: Sequence[Atom],
        eqns: Sequence[JaxprEqn],
        effects: Effects = no_effects,
        debug_info: DebugInfo | None = None,
        consts: Sequence[Any] = (),
    ) -> None:
        self.all_invars = [*constvars, *invars]
        self.consts = tuple(consts)
        self.outvars = list(outvars)
        self.eqns = eqns if type(eqns) is list else list(eqns)
        self.effects = effects
        self.debug_info = debug_info or unknown_debug_info

    is_high = False

    @property
    def constvars(self) -> list[Var]:
        return self.all_invars[: len(self.consts)]

    @property
    def invars(self) -> list[Var]:
        return self.all_invars[len(self.consts) :]

    @property
    def literals(self) -> tuple[Any, ...]:
        return self.consts

    @property
    def num_consts(self) -> int:
        return len(self.consts)

    @property
    def in_avals(self) -> list[Any]:
        return [var.aval for var in self.invars]

    @property
    def out_avals(self) -> list[Any]:
        return [atom.aval for atom in self.outvars]

    @property
    def jaxpr(self) -> Jaxpr:
        """Itself: programs written for jax's closed jaxprs keep working."""
        return self

    def with_consts(self, consts: Sequence[Any]) -> Jaxpr:
        """The same program whose first `len(consts)` inputs are constants."""
        count = len(consts)
        return Jaxpr(
            self.all_invars[:count],
            self.all_invars[count:],
            self.outvars,
            self.eqns,
            self.effects,
            self.debug_info,
            consts,
        )

    def replace(self, **fields: Any) -> Jaxpr:
        """A copy with some fields replaced. Raises: ValueError for an unknown field."""
        unknown = set(fields) - {*_JAXPR_FIELDS, "jaxpr"}
        if unknown:
            raise ValueError(f"a jaxpr has no field {sorted(unknown)[0]!r}")
        base = fields.pop("jaxpr", self)
        if "constvars" in fields and "consts" not in fields:
            fields["consts"] = ()
        if {"invars", "outvars"} & set(fields) and "debug_info" not in fields:
            fields["debug_info"] = base.debug_info._replace(
                arg_names=None, result_paths=None
            )
        own = {name: getattr(base, name) for name in _JAXPR_FIELDS}
        return Jaxpr(**{**own, **fields})

    def pretty_print(self, **options: Any) -> str:
        """The program as text; options as in `minijax.core.pretty_print`."""
        return printers["jaxpr"](self, **options)

    def __repr__(self) -> str:
        return self.pretty_print()

    def __reduce__(self) -> Any:
        raise TypeError("a jaxpr cannot be pickled: export the function instead")


ClosedJaxpr = Jaxpr


def jaxprs_in_params(params: dict[str, Any]) -> Iterator[Jaxpr]:
    """Every jaxpr among parameter values, and inside tuples and lists of them."""
    for value in params.values():
        if isinstance(value, Jaxpr):
            yield value
        elif isinstance(value, tuple | list):
            yield from (item for item in value if isinstance(item, Jaxpr))


def subjaxprs(jaxpr: Jaxpr) -> Iterator[Jaxpr]:
    """The jaxprs that equations of `jaxpr` hold."""
    for eqn in jaxpr.eqns:
        yield from jaxprs_in_params(eqn.params)


def effects_on(
    effects: Effects, invars: Sequence[Atom], params: dict[str, Any]
) -> Effects:
    """The effects a rule infers, said of the variables of an equation.

    A rule says of a ref which operand it is, or which input of a program among
    `params`; what happens to a literal is nobody's business.
    """
    if not any(isinstance(effect, InputEffect) for effect in effects):
        return effects
    found: set[Any] = set()
    for effect in effects:
        if not isinstance(effect, InputEffect):
            found.add(effect)
            continue
        number = effect.input
        x = invars[number] if isinstance(number, int) else None
        if x is None:
            x = _operand_for(number, invars, params)
        if type(x) is not Literal:
            found.add(effect.on(x))
    return frozenset(found)


def _operand_for(var: Var, invars: Sequence[Atom], params: dict[str, Any]) -> Any:
    """The operand that input `var` of a held program is: programs take the last ones,
    except that the predicate of a loop takes the first."""
    if var in invars:
        return var
    for jaxpr in jaxprs_in_params(params):
        if var in jaxpr.all_invars:
            place = jaxpr.all_invars.index(var)
            late = place + len(invars) - len(jaxpr.all_invars)
            return invars[late if is_ref_type(invars[late].aval) else place]
    raise AssertionError(f"no program of the equation has the input {var}")


def is_literalable(x: Any) -> bool:
    """Whether a constant is written into its equation and becomes no constvar."""
    kind = type(x)
    if kind in _SCALARS:
        return True
    if kind is np.ndarray:
        return not x.shape
    return isinstance(x, np.generic | bool | int | float | complex)


_SCALARS = frozenset((bool, int, float, complex))
