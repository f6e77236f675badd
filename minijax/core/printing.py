"""Jaxprs as text.

Variables get their names here, in the order in which they are printed: a to z, then ba,
bb, … One print goes over the program twice: once to see which variables are read and
which jaxprs occur more than once, once to build a document that jaxlib's printer lays
out. Both are linear in the number of equations.

A printing rule decides which params of an equation are shown, and in which order:
`rule(eqn) -> dict`. Two wrappers say more: `SharingNames(rule)` lets the program an
equation holds use the names of the equation's operands and results;
`WholeEquation(rule)` draws the equation itself: `rule(eqn, printer) -> document`.
Without a rule all params are shown, sorted by name.

Source: spec/tracing.md §12.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from ..base import flags
from .effects import Effects
from .jaxprs import Atom, Jaxpr, JaxprEqn, Literal, Var, jaxprs_in_params, printers
from .ref_types import InputEffect
from .rules import RuleTable
from .sources import scope_text, summarize

printing_rules = RuleTable("printing")

# A nested program longer than this is printed ahead of the one that holds it.
LONGEST_NESTED = 10

ParamsRule = Callable[[JaxprEqn], dict[str, Any]]


class SharingNames:
    """A rule for an equation whose program is read as a part of the one around it."""

    __slots__ = ("rule",)

    def __init__(self, rule: ParamsRule) -> None:
        self.rule = rule

    def __call__(self, eqn: JaxprEqn) -> dict[str, Any]:
        return self.rule(eqn)


class WholeEquation:
    """A rule that draws the equation itself: `rule(eqn, printer) -> document`."""

    __slots__ = ("rule",)

    def __init__(self, rule: Callable[[JaxprEqn, Printer], Any]) -> None:
        self.rule = rule

    def __call__(self, eqn: JaxprEqn, printer: Printer) -> Any:
        return self.rule(eqn, printer)


def hiding(*names: str) -> ParamsRule:
    """The rule that shows all params but these, sorted by name."""
    return lambda eqn: {k: v for k, v in sorted(eqn.params.items()) if k not in names}


def hiding_unset(*names: str) -> ParamsRule:
    """The rule that shows all params, but of these only those that are not None."""
    return lambda eqn: {
        k: v for k, v in sorted(eqn.params.items()) if v is not None or k not in names
    }


class Options(NamedTuple):
    """What a print shows; the keywords of `pretty_print`."""

    source_info: bool = False
    print_shapes: bool = True
    custom_pp_eqn_rules: bool = True
    name_stack: bool = False
    print_effects: bool = False


def pretty_print(
    jaxpr: Jaxpr,
    *,
    source_info: bool = False,
    print_shapes: bool = True,
    custom_pp_eqn_rules: bool = True,
    name_stack: bool = False,
    print_effects: bool = False,
    use_color: bool | None = None,
    width: int = 80,
) -> str:
    """A jaxpr as text, at most `width` columns wide where lines can be broken.

    source_info, name_stack: end each line with the user's line, with the scopes.
    print_shapes: show the types of variables. custom_pp_eqn_rules: hide params that say
    nothing. print_effects: end with the program's effects. use_color: None means on a
    terminal, if `jax_pprint_use_color` is on.

    Example:
        >>> import minijax as mj
        >>> jaxpr = mj.make_jaxpr(lambda x: mj.lax.mul(x, 2.0))(1.0)
        >>> print(jaxpr.pretty_print(print_shapes=False))
        { lambda ; a. let b = mul a 2.0:f32[] in (b,) }
    """
    options = Options(
        source_info, print_shapes, custom_pp_eqn_rules, name_stack, print_effects
    )
    return _layout(Printer(options).program(jaxpr), width, use_color)


def print_equation(eqn: JaxprEqn) -> str:
    """One equation as text, with names of its own."""
    printer = Printer(Options())
    printer.read = None
    return _layout(printer.equation(eqn), 80, use_color=False)


printers["jaxpr"] = pretty_print
printers["equation"] = print_equation


class _DocumentsOnDemand:
    """jaxlib's printer, loaded at the first print: most programs never print."""

    def __getattr__(self, name: str) -> Any:
        loaded = importlib.import_module("jaxlib._pretty_printer")
        vars(self).update(vars(loaded))
        return getattr(loaded, name)


pp: Any = _DocumentsOnDemand()


def _layout(document: Any, width: int, use_color: bool | None) -> str:
    if use_color is None:
        use_color = flags.pprint_use_color.value and sys.stdout.isatty()
    return document._format(
        width,
        use_color=use_color,
        output_format=pp.OutputFormat.TEXT,
        separable_lines=False,
        annotation_prefix=" # ",
        source_map=None,
    )


# --- The first pass -----------------------


class _Uses:
    """What the equations of a program, and of those it holds, read and hold."""

    def __init__(self, top: Jaxpr) -> None:
        self.read: set[Var] = set()
        self._times: dict[Jaxpr, int] = {}  # held programs, in order of discovery
        self._called: dict[Jaxpr, str] = {}
        self._held_by: dict[Jaxpr, list[Jaxpr]] = {}
        queue = [top]
        for jaxpr in queue:  # grows while it is walked: breadth first
            held = list(self._walk(jaxpr))
            self._held_by[jaxpr] = held
            queue += [one for one in dict.fromkeys(held) if one not in self._held_by]
            self._held_by.update((one, []) for one in held if one not in self._held_by)

    def _walk(self, jaxpr: Jaxpr) -> Iterator[Jaxpr]:
        self.read.update(x for x in jaxpr.outvars if type(x) is not Literal)
        for eqn in jaxpr.eqns:
            self.read.update(x for x in eqn.invars if type(x) is not Literal)
            for held in jaxprs_in_params(eqn.params):
                self._times[held] = self._times.get(held, 0) + 1
                name = eqn.params.get("name")
                self._called.setdefault(
                    held, name if isinstance(name, str) else "jaxpr"
                )
                yield held

    def hoisted(self) -> Iterator[tuple[Jaxpr, str]]:
        """The programs to print ahead, and what their equations call them."""
        repeated = self._repeated()
        for jaxpr, called in self._called.items():
            if jaxpr in repeated or len(jaxpr.eqns) > LONGEST_NESTED:
                yield jaxpr, called.strip("<>")

    def _repeated(self) -> set[Jaxpr]:
        # What a repeated program holds occurs at least as often as the program does.
        stack = [jaxpr for jaxpr, times in self._times.items() if times > 1]
        repeated = set(stack)
        while stack:
            for held in self._held_by[stack.pop()]:
                if held not in repeated:
                    repeated.add(held)
                    stack.append(held)
        return repeated


# --- The second pass ----------------------


class Printer:
    """One print: the names given so far, and how to draw each part of a program."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.names: dict[Var, str] = {}
        self.shared: dict[Jaxpr, str] = {}
        self.read: set[Var] | None = set()  # None: every variable counts as read
        self._reserved: set[str] = set()
        self._count = 0
        self._types: dict[Any, Any] = {}  # aval -> document

    def program(self, jaxpr: Jaxpr) -> Any:
        """A whole program, the shared ones it holds ahead of it."""
        uses = _Uses(jaxpr)
        self.read = uses.read
        hoisted = list(uses.hoisted())
        for shared, called in hoisted:
            self.shared[shared] = self._reserve(called)
        parts = []
        for shared, _ in hoisted:
            parts += [pp.text(f"let {self.shared[shared]} = "), self.jaxpr(shared)]
            parts += [pp.text(" in"), pp.brk()]
        return pp.concat([*parts, self.jaxpr(jaxpr)])

    def _reserve(self, called: str) -> str:
        name, suffix = called, 0
        while name in self._reserved:
            suffix += 1
            name = f"{called}{suffix}"
        self._reserved.add(name)
        return name

    # --- names ---

    def name(self, var: Var) -> str:
        """The name of a variable, the next free one if it has none yet."""
        name = self.names.get(var)
        if name is None:
            name = self._next_name()
            while name in self._reserved:
                name = self._next_name()
            self.names[var] = name
        return name

    def _next_name(self) -> str:
        number, letters = self._count, ""
        self._count += 1
        while number or not letters:
            number, digit = divmod(number, 26)
            letters = chr(ord("a") + digit) + letters
        return letters

    def result_name(self, var: Var) -> str:
        """The name of a result, `_` if nobody reads it."""
        if self.read is not None and var not in self.read and var not in self.names:
            self.names[var] = "_"
        return self.name(var)

    # --- parts ---

    def jaxpr(self, jaxpr: Jaxpr) -> Any:
        """`{ lambda CONSTS; INVARS. let EQNS in OUTS }`."""
        consts = self.binders(
            [self.name(var) for var in jaxpr.constvars], jaxpr.constvars
        )
        invars = self.binders([self.name(var) for var in jaxpr.invars], jaxpr.invars)
        eqns = _joined((self.equation(eqn) for eqn in jaxpr.eqns), [pp.brk("; ")])
        head = [
            *(pp.text("{ "), _keyword("lambda ")),
            *(consts, pp.text("; "), invars, pp.text(". "), _keyword("let")),
        ]
        body = [pp.nest(2, pp.concat([pp.brk(), eqns])), pp.brk(), _keyword("in ")]
        outs = [self._outs(jaxpr.outvars), self._effects(jaxpr.effects)]
        return pp.group(
            pp.concat([pp.nest(2, pp.concat([*head, *body, *outs])), pp.text(" }")])
        )

    def _outs(self, outvars: Sequence[Atom]) -> Any:
        separator = [pp.text(","), pp.group(pp.brk())]
        outs = _joined((self.atom(x) for x in outvars), separator)
        comma = "," if len(outvars) == 1 else ""
        return pp.concat([pp.text("("), pp.nest(2, outs), pp.text(comma + ")")])

    def _effects(self, effects: Effects) -> Any:
        if not self.options.print_effects:
            return pp.nil()
        shown = ", ".join(sorted(self._effect(effect) for effect in effects))
        return pp.text(f" : {{ {shown} }}")

    def _effect(self, effect: Any) -> str:
        if isinstance(effect, InputEffect) and isinstance(effect.input, Var):
            return f"{effect.shown_as}<{self.name(effect.input)}>"
        return str(effect)

    def equation(self, eqn: JaxprEqn) -> Any:
        """`BINDERS = PRIMITIVE[PARAMS] OPERANDS`."""
        rule = None
        if self.options.custom_pp_eqn_rules:
            rule = printing_rules.get(eqn.primitive)
        if isinstance(rule, WholeEquation):
            return rule(eqn, self)
        params = dict(sorted(eqn.params.items())) if rule is None else rule(eqn)
        if isinstance(rule, SharingNames):
            self._share_names(eqn)
        parts = self.result_binders(eqn)
        parts += [self.primitive(eqn), self.params(params)]
        return pp.concat([*parts, self.operands(eqn.invars)])

    def result_binders(self, eqn: JaxprEqn) -> list[Any]:
        """`a:f32[] b:f32[] = `, or nothing if the equation has no results."""
        if not eqn.outvars:
            return []
        names = [self.result_name(var) for var in eqn.outvars]
        return [self.binders(names, eqn.outvars), pp.text(" = ")]

    def primitive(self, eqn: JaxprEqn) -> Any:
        """The name of the primitive, with what ends its line."""
        notes = self._notes(eqn)
        if not notes:
            return pp.text(eqn.primitive.name)
        name = pp.text(eqn.primitive.name, annotation=notes[0])
        return pp.concat([name, *(pp.text("", annotation=note) for note in notes[1:])])

    def notes(self, eqn: JaxprEqn) -> list[Any]:
        """What ends the line of an equation that is drawn by a rule."""
        return [pp.text("", annotation=note) for note in self._notes(eqn)]

    def _notes(self, eqn: JaxprEqn) -> list[str]:
        notes = []
        if self.options.source_info:
            notes.append(summarize(eqn.traceback))
        if self.options.name_stack:
            notes.append(f"[{scope_text(eqn.scope)}]")
        return notes

    def _share_names(self, eqn: JaxprEqn) -> None:
        for jaxpr in jaxprs_in_params(eqn.params):
            if jaxpr not in self.shared:
                taken: set[str] = set()
                self._share(jaxpr.invars, eqn.invars, self.name, taken)
                self._share(jaxpr.outvars, eqn.outvars, self.result_name, taken)

    def _share(
        self,
        inner: Sequence[Atom],
        outer: Sequence[Atom],
        name_of: Callable[[Var], str],
        taken: set[str],
    ) -> None:
        # Not strict: a wrong program must be printed too, to be shown as wrong.
        for x, y in zip(inner, outer, strict=False):
            if type(x) is Literal or type(y) is Literal or x in self.names:
                continue
            name = name_of(y)
            if name not in taken:
                self.names[x] = name
                taken.update({name} - {"_"})

    def params(self, params: dict[str, Any]) -> Any:
        """`[k=v …]`, on one line or one param a line; nothing if there are none."""
        if not params:
            return pp.nil()
        items = [
            pp.concat([pp.text(f"{name}="), self.value(value)])
            for name, value in params.items()
        ]
        inside = pp.concat([pp.text("["), pp.brk(""), _joined(items, [pp.brk()])])
        return pp.group(pp.concat([pp.nest(2, inside), pp.brk(""), pp.text("]")]))

    def value(self, value: Any) -> Any:
        """The value of a param."""
        if isinstance(value, Jaxpr):
            shared = self.shared.get(value)
            return self.jaxpr(value) if shared is None else pp.text(shared)
        if isinstance(value, tuple | list) and any(isinstance(x, Jaxpr) for x in value):
            items = _joined((self.value(x) for x in value), [pp.brk()])
            inside = pp.nest(2, pp.concat([pp.text("("), pp.brk(""), items]))
            return pp.group(pp.concat([inside, pp.brk(""), pp.text(")")]))
        return pp.text(_value_text(value))

    def operands(self, operands: Iterable[Atom]) -> Any:
        """Operands, each after a space; the line may break before all but the first."""
        parts = [pp.text(" ")]
        for x in operands:
            parts += [self.atom(x), pp.group(pp.brk())]
        return pp.nest(2, pp.concat(parts[:-1] if len(parts) > 1 else parts))

    def binders(self, names: Sequence[str], variables: Sequence[Var]) -> Any:
        """Names with their types, joined by spaces."""
        if not self.options.print_shapes:
            parts: list[Any] = [pp.text(name) for name in names]
        else:
            parts = [
                pp.concat([pp.text(name), self._type(var.aval)])
                for name, var in zip(names, variables, strict=True)
            ]
        return pp.nest(2, _joined(parts, [pp.group(pp.brk())]))

    def _type(self, aval: Any) -> Any:
        known = self._types.get(aval)
        if known is None:
            text = pp.text(":" + aval.str_short(short_dtypes=True))
            known = pp.color(text, foreground=pp.Color.MAGENTA)
            self._types[aval] = known
        return known

    def atom(self, x: Atom) -> Any:
        """A variable by its name, a literal as value and type."""
        return pp.text(literal_text(x) if type(x) is Literal else self.name(x))


def _joined(documents: Iterable[Any], separator: list[Any]) -> Any:
    parts: list[Any] = []
    for document in documents:
        if parts:
            parts += separator
        parts.append(document)
    return pp.concat(parts)


def _keyword(word: str) -> Any:
    return pp.color(
        pp.text(word), foreground=pp.Color.BLUE, intensity=pp.Intensity.BRIGHT
    )


def literal_text(literal: Literal) -> str:
    """A literal as `VALUE:TYPE`; of an array with axes only the type tells."""
    kind = literal.aval.str_short(short_dtypes=True)
    if getattr(literal.aval, "shape", ()):
        return f"[...]:{kind}"
    item = getattr(literal.val, "item", None)
    return f"{literal.val if item is None else item()}:{kind}"


_ADDRESS = r"\b0x[0-9a-fA-F]{4,}\b"


def _ordered(items: frozenset[Any]) -> list[Any]:
    try:
        return sorted(items)
    except TypeError:  # of types that do not compare
        return sorted(items, key=repr)


def _value_text(value: Any) -> str:
    if isinstance(value, frozenset):
        return f"frozenset({{{', '.join(map(repr, _ordered(value)))}}})"
    # Two prints of one program must be equal, in two processes too.
    hide = lambda found: "0x" + "X" * (len(found[0]) - 2)  # noqa: E731
    return re.sub(_ADDRESS, hide, str(value))
