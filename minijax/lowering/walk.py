"""From equations to operations: one equation, one rule.

`LoweringContext` is the ctx that rules get. One object serves all equations of a block;
a rule that inlines a program makes another one, so what it asks of its own ctx stays
true. Rules of this file:

1. Equations are walked in a loop; only a program inside a program is a call.
2. A value is never looked at: what is known about it is the aval in the jaxpr.
3. Ordered effects are threaded through `tokens`, one value per effect. Whoever makes a
   new block (a branch, a loop body) gives it tokens of its own.
4. Everything that costs time per equation is a dictionary look-up made in advance.

Source: spec/lowering.md §§1, 5, 6, 8.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..base.errors import ArgumentValueError, StateError
from ..core import Effect, Jaxpr, JaxprEqn, Literal, ShapedArray, scope_text
from .branching import apply_rules
from .chunks import Cuts
from .constants import constant_aval, emit_constant
from .context import ModuleContext
from .functions import Body, Function, emit_function, ordered_effects
from .rules import Rule, find_rules, make_broadcast
from .types import symbol_attr, value_types


class LoweringContext:
    """What a lowering rule may ask and do.

    module: what the whole module shares. eqn: the equation at hand. location: where
    the user wrote it. platforms: what the operations emitted here are for. tokens:
    ordered effect -> its current token. types: aval -> list
    with its MLIR type. create: `ir.Operation.create`. broadcasts: (aval, shape) -> how
    a value is repeated.
    """

    __slots__ = (
        "_place",
        "_prefix",
        "_scope",
        "_text",
        "broadcasts",
        "create",
        "eqn",
        "location",
        "module",
        "platform_index",
        "platforms",
        "tokens",
        "types",
    )

    def __init__(self, module: ModuleContext, prefix: str = "") -> None:
        self.module = module
        self.create = module.session.create
        self.types = value_types(module.session)
        self.broadcasts = module.session.table("broadcast", make_broadcast)
        self.location = module.session.unknown_location
        self.tokens: dict[Effect, Any] = {}
        self.platform_index: Any = None
        self.eqn: JaxprEqn = None  # type: ignore[assignment]
        self.platforms = module.platforms
        self._place: Any = None  # where all equations stand, if not where they say
        self._prefix, self._scope, self._text = prefix, (), prefix

    def copy(self) -> LoweringContext:
        """A context of the same place whose equation, tokens... may be replaced."""
        new: LoweringContext = object.__new__(LoweringContext)
        for name in LoweringContext.__slots__:
            setattr(new, name, getattr(self, name))
        return new

    # --- what a rule may ask ---------------------------------------------------------

    @property
    def avals_in(self) -> list[Any]:
        """The types of the operands."""
        return [atom.aval for atom in self.eqn.invars]

    @property
    def avals_out(self) -> list[Any]:
        """The types of the results."""
        return [var.aval for var in self.eqn.outvars]

    @property
    def platform(self) -> str:
        """The platform that the operations emitted here are for.

        Raises:
            RuntimeError: there are several; such a rule is made by `by_platform`.
        """
        if len(self.platforms) == 1:
            return self.platforms[0]
        raise StateError(
            f"The rule of {self.eqn.primitive} asks for the platform.",
            f"Found several: {', '.join(self.platforms)}.",
            "Make it with `by_platform`, which gives each platform its own rule.",
        )

    def type(self, aval: Any) -> Any:
        """The MLIR type of values of type `aval`."""
        return self.types[aval][0]

    # --- operations ------------------------------------------------------------------

    def constant(self, value: Any, aval_or_dtype: Any = None) -> Any:
        """A known value. A scalar fills a larger `aval`; None: the value's own type."""
        if self.module.cutter is not None:
            self.module.cutter.note("stablehlo.constant")
        aval = constant_aval(value, aval_or_dtype)
        return emit_constant(self.module.session, value, aval, self.location)

    def op(
        self, name: str, operands: Sequence[Any], out: Any, **attributes: Any
    ) -> Any:
        """Emit an operation; its value, or a tuple of them if `out` is a sequence.

        out: an aval, an MLIR type, or a sequence of them.
        """
        if self.module.cutter is not None:
            self.module.cutter.note(name)
        several = out.__class__ is list or out.__class__ is tuple
        types = self._types_of(out) if several else self._type_list(out)
        made = self.create(
            name, types, operands, attributes or None, None, 0, self.location
        )
        return tuple(made.results) if several else made.result

    def _type_list(self, out: Any) -> list[Any]:
        if out.__class__ is ShapedArray:
            return self.types[out]
        return self._types_of((out,))

    def _types_of(self, outs: Sequence[Any]) -> list[Any]:
        ir_type = self.module.session.ir.Type
        return [x if isinstance(x, ir_type) else self.types[x][0] for x in outs]

    def op_with_regions(
        self,
        name: str,
        operands: Sequence[Any],
        outs: Sequence[Any],
        attributes: dict[str, Any],
        regions: Sequence[tuple[Sequence[Any], Body]],
        terminator: str = "stablehlo.return",
    ) -> tuple[Any, ...]:
        """Emit an operation with regions of one block each.

        regions: pairs (types or avals of the block's arguments, body); body(ctx,
        *arguments) emits the block and returns the values it ends with.
        """
        made = self.create(
            name,
            self._types_of(outs),
            operands,
            attributes or None,
            None,
            len(regions),
            self.location,
        )
        for region, (arguments, body) in zip(made.regions, regions):
            self._fill(region, self._types_of(arguments), body, terminator)
        if self.module.cutter is not None:
            self.module.cutter.note(name)
        return tuple(made.results)

    def _fill(
        self, region: Any, types: Sequence[Any], body: Body, terminator: str
    ) -> None:
        ir = self.module.session.ir
        block = region.blocks.append(*types, arg_locs=[self.location] * len(types))
        if self.module.cutter is not None:
            self.module.cutter.count = 0
        with ir.InsertionPoint(block):
            results = body(self, *block.arguments)
            self.create(terminator, (), list(results), None, None, 0, self.location)

    # --- programs inside programs ----------------------------------------------------

    def inline(
        self,
        jaxpr: Jaxpr,
        values: Sequence[Any],
        label: str | None = None,
        *,
        made_here: bool = False,
    ) -> list[Any]:
        """Lower the equations of a jaxpr in place.

        values: for its inputs, or for its constants and inputs. label: what its
        equations are a part of, such as `while/body`, in locations. made_here: the
        jaxpr was traced by a rule, and the user wrote the equation at hand instead.
        """
        inner = self.copy()
        inner._prefix = self._text if label is None else f"{self._text}{label}/"
        inner._scope, inner._text = (), inner._prefix
        if made_here and self._place is None:
            inner._place = self._frames_of(self.eqn.traceback)
        return inner.lower(jaxpr, values)

    def inline_with_tokens(
        self,
        jaxpr: Jaxpr,
        effects: Sequence[Effect],
        tokens: Sequence[Any],
        values: Sequence[Any],
        label: str | None = None,
    ) -> list[Any]:
        """`inline` in a block with tokens of its own: (new tokens..., results...)."""
        inner = self.copy()
        inner.tokens = dict(zip(effects, tokens, strict=True))
        results = inner.inline(jaxpr, values, label)
        return [inner.tokens[effect] for effect in effects] + results

    def call(
        self,
        name: str,
        jaxpr: Jaxpr,
        values: Sequence[Any],
        *,
        label: str | None = None,
        attributes: dict[str, Any] | None = None,
    ) -> list[Any]:
        """Call a jaxpr as a private function, emitted once per jaxpr and module.

        label: the name of the call in locations; `jit(name)` if left out. attributes:
        of the call, beside its callee.
        """
        self._relabel(f"jit({name})" if label is None else label)
        effects = ordered_effects(jaxpr.effects)

        def body(ctx: LoweringContext, *arguments: Any) -> Sequence[Any]:
            return ctx.lower(jaxpr, arguments)

        key = (jaxpr, name, self.platforms)
        return self._call(
            key, name, effects, jaxpr.in_avals, values, body, attributes or {}
        )

    def call_rule(
        self, name: str, rule: Rule, values: Sequence[Any], params: dict[str, Any]
    ) -> list[Any]:
        """Apply `rule` to the equation at hand inside a private function.

        The function is shared by equal equations: same params, same operand types.
        """
        eqn = self.eqn
        effects = ordered_effects(eqn.effects)

        def body(ctx: LoweringContext, *arguments: Any) -> Sequence[Any]:
            ctx.eqn = eqn
            ctx._relabel(eqn.primitive.name)
            rules = find_rules(eqn.primitive, rule, ctx.platforms)
            return apply_rules(ctx, rules, arguments, params)

        statics = tuple(sorted(params.items(), key=lambda item: item[0]))
        types = tuple(self.avals_in)
        key = (rule, eqn.primitive, types, eqn.effects, statics, self.platforms)
        return self._call(key, name, effects, self.avals_in, values, body, {})

    def computation(
        self, key: Any, name: str, in_avals: Sequence[Any], body: Body
    ) -> str:
        """The symbol of a private function, for operations that name what they run.

        Emitted once per key and module; body(ctx, *arguments) returns its results.
        """
        function = self.module.functions.get(key)
        if function is None:
            function = self._emit_function(name, (), in_avals, body)
            self.module.functions[key] = function
        return function.symbol

    def _call(
        self,
        key: Any,
        name: str,
        effects: tuple[Effect, ...],
        in_avals: Sequence[Any],
        values: Sequence[Any],
        body: Body,
        attributes: dict[str, Any],
    ) -> list[Any]:
        module = self.module
        function = module.functions.get(key)
        if function is None:
            function = self._emit_function(name, effects, in_avals, body)
            module.functions[key] = function
        indices = [] if self.platform_index is None else [self.platform_index]
        tokens = [self.tokens[effect] for effect in effects]
        made = self.create(
            "func.call",
            function.out_types,
            [*indices, *tokens, *values],
            {**attributes, "callee": symbol_attr(function.symbol)},
            None,
            0,
            self.location,
        )
        if module.cutter is not None:
            module.cutter.count += function.weight
        results = list(made.results)
        self.tokens.update(zip(effects, results))
        return results[len(effects) :]

    def _emit_function(
        self,
        name: str,
        effects: tuple[Effect, ...],
        in_avals: Sequence[Any],
        body: Body,
    ) -> Function:
        cutter, before = self.module.cutter, 0
        if cutter is not None:
            before, cutter.count = cutter.count, 0
        inner = LoweringContext(self.module)
        inner.location, inner.platforms = self.location, self.platforms
        symbol = self.module.function_symbol(name)
        inputs = self._types_of(in_avals)
        function = emit_function(inner, symbol, effects, inputs, body)
        if cutter is not None:
            function.weight, cutter.count = cutter.count, before
        return function

    # --- the walk --------------------------------------------------------------------

    def lower(self, jaxpr: Jaxpr, values: Sequence[Any]) -> list[Any]:
        """Emit all equations; the values of the results."""
        env = self._bind_inputs(jaxpr, values)
        self._lower_equations(jaxpr, env)
        return [
            self.constant(atom.val, atom.aval) if type(atom) is Literal else env[atom]
            for atom in jaxpr.outvars
        ]

    def _bind_inputs(self, jaxpr: Jaxpr, values: Sequence[Any]) -> dict[Any, Any]:
        variables = jaxpr.all_invars
        values = list(values)
        if len(values) == len(variables) - len(jaxpr.consts):
            values = [
                self.constant(value, var.aval)
                for value, var in zip(jaxpr.consts, jaxpr.constvars)
            ] + values
        return dict(zip(variables, values, strict=True))

    def _lower_equations(self, jaxpr: Jaxpr, env: dict[Any, Any]) -> None:
        module, cutter = self.module, self.module.cutter
        rules_of, finisher_of_type = module.rules[self.platforms], module.finishers
        frames_of, name_location = module.frames, module.session.location_of_name
        context, session = module.session.context, module.session
        cuts = None if cutter is None else Cuts(jaxpr, cutter)
        for eqn in jaxpr.eqns:
            self.eqn = eqn
            primitive = eqn.primitive
            if eqn.scope is not self._scope:
                self._enter_scope(eqn.scope)
            frames = self._place or (eqn.traceback and frames_of(eqn.traceback))
            place = name_location(self._text + primitive.name, frames, context)
            self.location = place
            values = [
                emit_constant(session, atom.val, atom.aval, place)
                if atom.__class__ is Literal
                else env[atom]
                for atom in eqn.invars
            ]
            rules = rules_of[primitive]
            if eqn.effects:
                outs = self._apply_ordered(eqn, rules, values)
            elif len(rules) == 1:
                outs = rules[0](self, *values, **eqn.params)
            else:
                outs = apply_rules(self, rules, values, eqn.params)
            try:
                for var, value in zip(eqn.outvars, outs, strict=True):
                    finish = finisher_of_type[var.aval]
                    env[var] = value if finish is None else finish(self, value)
            except (TypeError, ValueError) as error:
                raise _wrong_results(eqn, outs) from error
            if cuts is not None:
                cuts.after_equation(self, env)

    def _enter_scope(self, scope: Any) -> None:
        self._scope = scope
        text = scope_text(scope)
        self._text = f"{self._prefix}{text}/" if text else self._prefix

    def _relabel(self, label: str) -> None:
        """Name the operations of the equation at hand, in place of its primitive."""
        session, name = self.module.session, self._text + label
        frames = self._place or self._frames_of(self.eqn.traceback)
        self.location = session.location_of_name(name, frames, session.context)

    def _frames_of(self, traceback: Any) -> Any:
        return None if traceback is None else self.module.frames(traceback)

    # --- effects ---------------------------------------------------------------------

    def token(self, effect: Effect) -> Any:
        """The token that the next operation with this effect must take."""
        return self.tokens[effect]

    def set_token(self, effect: Effect, token: Any) -> None:
        """The token that the operation with this effect has returned."""
        if effect not in self.tokens:
            raise ArgumentValueError(
                f"The rule of {self.eqn.primitive} sets the token of {effect}.",
                "The program around it has no such ordered effect.",
            )
        self.tokens[effect] = token

    def _apply_ordered(
        self, eqn: JaxprEqn, rules: tuple[Rule, ...], values: Sequence[Any]
    ) -> Sequence[Any]:
        """Apply the rule of an equation with effects; it must move the tokens on."""
        effects = ordered_effects(eqn.effects)
        before = [self.tokens.get(effect) for effect in effects]
        outs = apply_rules(self, rules, values, eqn.params)
        for effect, token in zip(effects, before):
            if token is None or self.tokens[effect] is token:
                raise ArgumentValueError(
                    f"The rule of {eqn.primitive} must order the effect {effect}.",
                    "It has set no token.",
                    "Take `ctx.token(effect)`, give back `ctx.set_token(effect, new)`.",
                )
        return outs


def _wrong_results(eqn: JaxprEqn, outs: Any) -> ArgumentValueError:
    asked = ", ".join(str(var.aval) for var in eqn.outvars)
    try:
        found = f"{len(outs)} values"
    except TypeError:
        found = f"{outs!r}"
    return ArgumentValueError(
        f"The lowering rule of {eqn.primitive} must return one value per result: "
        f"({asked}).",
        f"Found {found}.",
        "A rule returns a list of IR values.",
    )
