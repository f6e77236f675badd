"""A whole module: the jaxpr as `@main`, its arguments, their attributes.

Source: spec/lowering.md §§2-5, 8.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from typing import Any

from ..base import collector_paused, flags
from ..base.errors import ArgumentValueError
from ..core import (
    Effect,
    Jaxpr,
    Literal,
    ShapedArray,
    Space,
    get_traceback,
    removable,
    without_refs,
)
from .context import ModuleContext
from .donation import (
    DONATING_PLATFORMS,
    NOWHERE,
    Donations,
    Placement,
    match_donations,
)
from .functions import Function, emit_function, ordered_effects
from .mlir import open_session, parse_module
from .rules import Rule
from .shardings import constrain_keys, sharding_attr
from .texts import as_text, bytecode, key_bytes, verify
from .types import (
    array_attr,
    bool_attr,
    dict_attr,
    i32_attr,
    ir_type,
    physical_aval,
    string_attr,
)
from .walk import LoweringContext

_NOT_IN_NAMES = re.compile(r"[^\w.-]", re.ASCII)


def module_name(function_name: str, prefix: str = "jit") -> str:
    """`jit_` and the function's name, without what a symbol cannot have.

    >>> module_name("weird name<>!")
    'jit_weird_name'
    """
    return _NOT_IN_NAMES.sub("_", f"{prefix}_{function_name}").rstrip("_")


class LoweredModule:
    """A lowered program.

    module: the `ir.Module`. name: its symbol. platforms: what it is for. kept_inputs:
    positions of the jaxpr's inputs that `@main` takes, in order. in_avals: their types.
    out_avals: the types of the outputs. donations: which inputs give their memory to
    which results. ordered_effects: one token each, before the inputs and the outputs.
    host_callbacks: callables to hand to the compiler. keepalives: what must live as
    long as the executable. num_partitions: devices of the program. cuts: how many
    barriers stand in the text only for the CPU compiler's sake.
    """

    def __init__(
        self,
        context: ModuleContext,
        name: str,
        main: _Main,
        donations: Donations,
    ) -> None:
        self.module, self.name = context.operation, name
        self.platforms = context.platforms
        self.num_partitions = context.num_partitions
        self.kept_inputs, self.donations = main.kept, donations
        self.in_avals, self.out_avals = main.jaxpr.in_avals, main.jaxpr.out_avals
        self.ordered_effects: tuple[Effect, ...] = main.effects
        self.effects = main.jaxpr.effects
        self.host_callbacks = context.host_callbacks
        self.keepalives = context.keepalives
        self.cuts = 0 if context.cutter is None else context.cutter.cuts

    def as_text(self, *, debug_info: bool = False) -> str:
        """The module as StableHLO text."""
        return as_text(self.module, debug_info=debug_info)

    def bytecode(self) -> bytes:
        """The module as bytecode: what is handed to the compiler."""
        return bytecode(self.module)

    def own_module(self) -> Any:
        """The module in an MLIR context of its own.

        For a compiler that takes no bytecode: it works without the interpreter's lock,
        and must not meet the next lowering in one context.
        """
        return parse_module(self.bytecode())

    def key_bytes(self) -> bytes:
        """What the program does, as bytes: the same for every name and place of it."""
        return key_bytes(self.module)


def lower_jaxpr_to_module(
    jaxpr: Jaxpr,
    *,
    name: str,
    platform: str | Sequence[str] = "cpu",
    prefix: str = "jit",
    donated: Sequence[bool] | None = None,
    keep_unused: bool = False,
    arg_names: Sequence[str] | None = None,
    result_paths: Sequence[str] | None = None,
    in_placements: Sequence[Placement] | None = None,
    out_placements: Sequence[Placement] | None = None,
    num_partitions: int = 1,
    for_compile: bool = False,
    overrides: Sequence[tuple[Any, Rule]] = (),
) -> LoweredModule:
    """Lower a jaxpr to a StableHLO module whose `@main` it is.

    name: of the function. platform: one, or several for one module that serves all.
    donated: per input, whether it may be overwritten. keep_unused: `@main` also takes
    inputs that are not read. arg_names, result_paths: as users see them; by default
    from the jaxpr. in_placements, out_placements: per input and output, where it lies.
    for_compile: nobody reads the text: symbols are numbered, and on CPU long
    elementwise stretches are cut. overrides: (primitive, rule), for this module only.

    Raises:
        NotImplementedError: a primitive without a rule for a platform.
        ValueError: effects that cannot be lowered; a rule that gave wrong values.
    """
    platforms = (platform,) if isinstance(platform, str) else tuple(platform)
    jaxpr = without_refs(jaxpr)
    main = _Main(
        jaxpr,
        donated or [False] * len(jaxpr.invars),
        in_placements or [NOWHERE] * len(jaxpr.invars),
        out_placements or [NOWHERE] * len(jaxpr.outvars),
        arg_names or jaxpr.debug_info.safe_arg_names(len(jaxpr.invars)),
        result_paths or jaxpr.debug_info.result_paths,
    )
    _check_effects(jaxpr, num_partitions)
    if not keep_unused:
        main.prune()
    if DONATING_PLATFORMS.isdisjoint(platforms):
        main.donated = [False] * len(main.donated)
    cut = for_compile and platforms == ("cpu",)
    with open_session() as session, collector_paused:
        module = ModuleContext(
            session,
            platforms,
            num_partitions=num_partitions,
            for_compile=for_compile,
            chunk_limit=flags.chunk_elementwise.value if cut else 0,
            overrides=overrides,
        )
        before = session.constant_bytes
        donations = main.emit(module, f"{prefix}({name})")
        symbol = module_name(name, prefix)
        _set_module_attributes(module, symbol)
        verify(module.operation, symbol)
        module.close()
    _warn_of_constants(symbol, session.constant_bytes - before)
    return LoweredModule(module, symbol, main, donations)


def _warn_of_constants(symbol: str, size: int) -> None:
    limit = flags.captured_constants_warn_bytes.value
    if 0 <= limit < size:
        warnings.warn(
            f"{symbol} holds {size} bytes of constants: arrays that the function uses "
            "without taking them as arguments.\n"
            "They are compiled into the program. Pass large arrays as arguments, or "
            "set jax_captured_constants_warn_bytes to -1.",
            UserWarning,
            stacklevel=3,
        )


def _check_effects(jaxpr: Jaxpr, num_partitions: int) -> None:
    refused = [str(effect) for effect in jaxpr.effects if not effect.lowerable]
    if refused:
        raise ArgumentValueError(
            "A program is to be lowered.",
            f"Found effects that cannot be: {', '.join(sorted(refused))}.",
        )
    if num_partitions > 1:
        ordered = [e for e in ordered_effects(jaxpr.effects) if not e.shardable]
        if ordered:
            raise ArgumentValueError(
                f"A program is to run on {num_partitions} devices.",
                "Found effects that need one order of all devices: "
                f"{', '.join(map(str, ordered))}.",
                "Make the effects unordered, or run on one device.",
            )


def _set_module_attributes(module: ModuleContext, symbol: str) -> None:
    attributes = module.operation.operation.attributes
    attributes["sym_name"] = string_attr(symbol)
    attributes["mhlo.num_partitions"] = i32_attr(module.num_partitions)
    attributes["mhlo.num_replicas"] = i32_attr(1)


class _Main:
    """The jaxpr that becomes `@main`; what is known about its inputs and outputs."""

    def __init__(
        self,
        jaxpr: Jaxpr,
        donated: Sequence[bool],
        in_placements: Sequence[Placement],
        out_placements: Sequence[Placement],
        arg_names: Sequence[str],
        result_paths: Sequence[str] | None,
    ) -> None:
        self.jaxpr, self.donated = jaxpr, list(donated)
        self.in_placements = list(in_placements)
        self.out_placements = list(out_placements)
        self.arg_names, self.result_paths = list(arg_names), result_paths
        self.kept = tuple(range(len(jaxpr.invars)))
        self.effects = ordered_effects(jaxpr.effects)

    def prune(self) -> None:
        """Drop equations whose results nobody reads, then inputs that nobody reads."""
        jaxpr = self.jaxpr
        read = {atom for atom in jaxpr.outvars if type(atom) is not Literal}
        eqns = []
        for eqn in reversed(jaxpr.eqns):
            if not read.isdisjoint(eqn.outvars) or not removable(eqn.effects):
                eqns.append(eqn)
                read.update([x for x in eqn.invars if x.__class__ is not Literal])
        eqns.reverse()
        consts = [(v, c) for v, c in zip(jaxpr.constvars, jaxpr.consts) if v in read]
        self.kept = tuple(i for i, var in enumerate(jaxpr.invars) if var in read)
        self.jaxpr = Jaxpr(
            [var for var, _ in consts],
            [jaxpr.invars[i] for i in self.kept],
            jaxpr.outvars,
            eqns,
            jaxpr.effects,
            jaxpr.debug_info,
            [const for _, const in consts],
        )
        self.donated = [self.donated[i] for i in self.kept]
        self.in_placements = [self.in_placements[i] for i in self.kept]
        self.arg_names = [self.arg_names[i] for i in self.kept]

    def emit(self, module: ModuleContext, label: str) -> Donations:
        """Append `@main`; which of its inputs are donated."""
        session, jaxpr = module.session, self.jaxpr
        donations = match_donations(
            self.donated,
            jaxpr.in_avals,
            self.in_placements,
            jaxpr.out_avals,
            self.out_placements,
            module.num_partitions,
        )
        name_location = session.location_of_name
        ctx = LoweringContext(module, prefix=f"{label}/")
        here = get_traceback()
        frames = None if here is None else module.frames(here)
        ctx.location = name_location(label, frames, session.context)
        function = emit_function(
            ctx,
            module.new_symbol("main"),
            self.effects,
            [ir_type(aval) for aval in jaxpr.in_avals],
            self._body,
            visibility="public",
            locations=[
                name_location(name, None, session.context)
                if name
                else session.unknown_location
                for name in self.arg_names
            ],
        )
        self._set_attributes(module, function, donations)
        return donations

    def _body(self, ctx: LoweringContext, *inputs: Any) -> list[Any]:
        # Keys lie where their data lies: without this the compiler may split one.
        inputs = tuple(
            constrain_keys(ctx, value, aval)
            for value, aval in zip(inputs, self.jaxpr.in_avals)
        )
        results = ctx.lower(self.jaxpr, inputs)
        return [
            value
            if placement.memory_kind is None
            else _in_memory(ctx, value, placement.memory_kind)
            for value, placement in zip(results, self.out_placements)
        ]

    def _set_attributes(
        self, module: ModuleContext, function: Function, donations: Donations
    ) -> None:
        token = {"jax.token": bool_attr(True)}
        tokens = [token] * len(self.effects)
        arguments: list[dict[str, Any]] = []
        if len(module.platforms) > 1:
            arguments.append({"jax.global_constant": string_attr("_platform_index")})
        arguments += tokens
        for i, aval in enumerate(self.jaxpr.in_avals):
            attributes = _placement_attributes(module, aval, self.in_placements[i])
            if i in donations.aliases:
                result = donations.aliases[i] + len(tokens)
                attributes["tf.aliasing_output"] = i32_attr(result)
            elif i in donations.donors:
                attributes["jax.buffer_donor"] = bool_attr(True)
            arguments.append(attributes)
        results = list(tokens)
        for i, aval in enumerate(self.jaxpr.out_avals):
            attributes = _placement_attributes(module, aval, self.out_placements[i])
            if self.result_paths is not None and not module.for_compile:
                attributes["jax.result_info"] = string_attr(self.result_paths[i])
            results.append(attributes)
        written = function.operation.attributes
        written["arg_attrs"] = array_attr([dict_attr(a) for a in arguments])
        written["res_attrs"] = array_attr([dict_attr(a) for a in results])


def _placement_attributes(
    module: ModuleContext, aval: Any, placement: Placement
) -> dict[str, Any]:
    attributes: dict[str, Any] = {}
    if type(aval) is not ShapedArray:
        return attributes
    sharding = placement.sharding or aval.sharding
    if sharding is not None:
        ndim = physical_aval(aval).ndim
        attributes["sdy.sharding"] = sharding_attr(module, sharding, ndim)
    if placement.layout is not None:
        attributes["mhlo.layout_mode"] = string_attr(placement.layout)
    memory_kind = placement.memory_kind
    if memory_kind is None and aval.memory_space is Space.Host:
        memory_kind = Space.Host.value
    if memory_kind is not None:
        attributes["mhlo.memory_kind"] = string_attr(memory_kind)
    return attributes


def _in_memory(ctx: LoweringContext, value: Any, memory_kind: str) -> Any:
    """`value` moved to a memory that the caller asked for."""
    placement = dict_attr({"_xla_buffer_placement": string_attr(memory_kind)})
    return ctx.op(
        "stablehlo.custom_call",
        (value,),
        value.type,
        **{
            "call_target_name": string_attr("annotate_device_placement"),
            "has_side_effect": bool_attr(True),
            "mhlo.frontend_attributes": placement,
        },
    )
