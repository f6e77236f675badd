"""The primitives behind custom_jvp and custom_vjp.

An application holds Python functions: `call`, the function itself, and its rule. That
keeps evaluation eager: under plain `grad` the function runs on concrete values. Only a
staging trace turns `call` into a program, `call_jaxpr`; replaying the equation turns it
back into a call. So interpreters meet one form, equations the other.

Flat protocols, all on lists of leaves:
    call(*primals) -> outs
    jvp(primals, tangents) -> outs, out_tangents     tangents may be Zero, in and out
    fwd(primals, nonzeros) -> outs, residuals, bwd   bwd(residuals, y_bars) -> x_bars

Source: spec/ad.md §§1.9, 1.10, 2.7; spec/batching.md §6.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

from ..base.errors import (
    ArgumentTypeError,
    CustomVJPException,
    UnexpectedTracerError,
)
from ..core import (
    NOT_DIFFERENTIABLE,
    Effects,
    Jaxpr,
    Primitive,
    Refusal,
    StagingTrace,
    binding_axes,
    current,
    custom_jvp_call_p,
    custom_lin_p,
    custom_vjp_call_p,
    eval_jaxpr,
    no_effects,
    stage,
    typeof,
    use_trace,
)
from ..interpreters import ad, batching
from ..lax import define


class ProgramCall:
    """A staged call: the function that runs `jaxpr` on constants and arguments."""

    __slots__ = ("consts", "jaxpr")

    def __init__(self, jaxpr: Jaxpr, consts: Sequence[Any]) -> None:
        self.jaxpr, self.consts = jaxpr, tuple(consts)

    def __call__(self, *args: Any) -> list[Any]:
        return eval_jaxpr(self.jaxpr, (), *self.consts, *args)


def _stage(primitive: Primitive) -> Callable[..., Any]:
    def staging(
        trace: StagingTrace, args: tuple[Any, ...], params: dict[str, Any]
    ) -> Any:
        params = dict(params)
        call = params.pop("call", None)
        if call is None:  # an equation of a program, taken over as it stands
            return NotImplemented
        if type(call) is ProgramCall:
            jaxpr, consts = call.jaxpr, call.consts
        else:
            jaxpr = stage(call, [typeof(x) for x in args])
            consts, jaxpr = jaxpr.consts, jaxpr.with_consts(())
        params.update(call_jaxpr=jaxpr, num_consts=len(consts))
        return trace.append(primitive, (*consts, *args), params)

    return staging


def _replay(primitive: Primitive) -> Callable[..., Any]:
    def replay(values: Sequence[Any], params: dict[str, Any]) -> list[Any]:
        params = dict(params)
        jaxpr, count = params.pop("call_jaxpr"), params.pop("num_consts")
        if any(_moves_here(x) for x in values[:count]):
            # The rule speaks of the arguments only: a derivative would be wrong.
            raise _closes_over(primitive, params["name"])
        call = ProgramCall(jaxpr, values[:count])
        return primitive.bind(*values[count:], call=call, **params)

    return replay


def _closes_over(primitive: Primitive, name: str) -> Exception:
    if primitive is custom_vjp_call_p:
        return CustomVJPException(name)
    return UnexpectedTracerError(
        f"The rule of {name} covers its arguments only.\n"
        "Found a differentiated value that it closes over.\n"
        "Pass that value as an argument."
    )


def _moves_here(x: Any) -> bool:
    return isinstance(x, ad.JVPTracer) and x.owner is current.value


def _call_types(*avals: Any, call_jaxpr: Jaxpr, **_: Any) -> list[Any]:
    return call_jaxpr.out_avals


def _call_effects(*avals: Any, call_jaxpr: Jaxpr, **_: Any) -> Effects:
    return call_jaxpr.effects


def _run(*args: Any, call: Callable[..., Any], **_: Any) -> list[Any]:
    return call(*args)


def _lower_call(ctx: Any, *values: Any, call_jaxpr: Jaxpr, **_: Any) -> list[Any]:
    return ctx.inline(call_jaxpr, list(values))


# --- Batching functions ---------------------------------------------------------------


class Mapping:
    """How one custom call is mapped: shared by its function and its rule.

    axis, in_axes: as a batch rule gets them. out_axes: 0 or None for each result, noted
    by whoever runs first. If an operand has the axis every result gets it; else only
    what the function's closure puts there.
    """

    __slots__ = ("_traces", "axis", "in_axes", "out_axes")

    def __init__(self, trace: batching.BatchTrace, in_axes: Sequence[Any]) -> None:
        self.axis, self.in_axes = trace.axis, tuple(in_axes)
        self.out_axes: list[int | None] | None = None
        # Whoever closes over values of these keeps them alive; we need not.
        self._traces = [weakref.ref(t) for t in (trace, *trace.again)]

    def enter(self) -> batching.BatchTrace:
        """A trace over the batch axis, inside the current one."""
        alive = [trace for ref in self._traces if (trace := ref()) is not None]
        return batching.BatchTrace(current.value, self.axis, tuple(alive))

    def wrap(self, trace: Any, values: Sequence[Any], axes: Sequence[Any]) -> list[Any]:
        """Values as the function sees them; symbolic zeros lose the axis too."""
        return [
            _example_of(trace, x, axis) for x, axis in zip(values, axes, strict=True)
        ]

    def run(self, trace: Any, fun: Callable[..., Any], *args: Any) -> Any:
        """Call `fun` under `trace`, with the axis name bound again."""
        names = [(self.axis.name, self.axis.size)] if self.axis.is_named else []
        with use_trace(trace), binding_axes(names):
            return fun(*args)

    def note(self, trace: Any, *groups: Sequence[Any]) -> list[int | None]:
        """Where the results have the axis; groups: results, and tangents of them."""
        if self.out_axes is None:
            always = any(axis is not None for axis in self.in_axes)
            self.out_axes = [
                0 if always or any(trace.owns(x) for x in results) else None
                for results in zip(*groups, strict=True)
            ]
        return self.out_axes

    def place(self, trace: Any, x: Any, wanted: int | None) -> Any:
        """A result with the axis in front, or without it."""
        value, axis = trace.split(x)
        if wanted is not None:
            return batching.at_front(value, axis, self.axis.size)
        if axis is not None:
            raise ArgumentTypeError(
                "A custom rule closes over the mapped values that its function closes "
                "over, and no others.",
                "Found a result that is mapped in the rule and not in the function.",
                "Pass that value as an argument.",
            )
        return value


def _example_of(trace: Any, x: Any, axis: Any) -> Any:
    if isinstance(x, ad.Zero):
        if axis is None:
            return x
        shape = x.aval.shape
        return ad.Zero(x.aval.update(shape=(*shape[:axis], *shape[axis + 1 :])))
    return trace.join(x, axis)


class Mapped:
    """A flat function or rule under `vmap`."""

    __slots__ = ("fun", "mapping")

    def __init__(self, fun: Callable[..., Any], mapping: Mapping) -> None:
        self.fun, self.mapping = fun, mapping

    @property
    def __name__(self) -> str:
        return name_of_rule(self.fun)


class MappedCall(Mapped):
    """`call` under vmap."""

    __slots__ = ()

    def __call__(self, *values: Any) -> list[Any]:
        mapping = self.mapping
        trace = mapping.enter()
        args = mapping.wrap(trace, values, mapping.in_axes)
        outs = mapping.run(trace, self.fun, *args)
        axes = mapping.note(trace, outs)
        return [mapping.place(trace, y, axis) for y, axis in zip(outs, axes)]


class MappedJVP(Mapped):
    """A jvp rule under vmap."""

    __slots__ = ()

    def __call__(
        self, primals: Sequence[Any], tangents: Sequence[Any]
    ) -> tuple[Any, Any]:
        mapping = self.mapping
        trace = mapping.enter()
        args = [mapping.wrap(trace, x, mapping.in_axes) for x in (primals, tangents)]
        outs, out_dots = mapping.run(trace, self.fun, *args)
        axes = mapping.note(trace, outs, out_dots)
        placed = [mapping.place(trace, y, axis) for y, axis in zip(outs, axes)]
        dots = [
            ad.Zero.from_primal(y)
            if isinstance(y_dot, ad.Zero)
            else mapping.place(trace, y_dot, axis)
            for y, y_dot, axis in zip(placed, out_dots, axes, strict=True)
        ]
        return placed, dots


class MappedForward(Mapped):
    """A fwd rule under vmap; its bwd is mapped with the axes of its residuals."""

    __slots__ = ()

    def __call__(
        self, primals: Sequence[Any], nonzeros: Sequence[bool]
    ) -> tuple[Any, ...]:
        mapping = self.mapping
        trace = mapping.enter()
        args = mapping.wrap(trace, primals, mapping.in_axes)
        outs, residuals, bwd = mapping.run(trace, self.fun, args, nonzeros)
        axes = mapping.note(trace, outs)
        pairs = [trace.split(r) for r in residuals]
        backward = MappedBackward(bwd, mapping, [axis for _, axis in pairs])
        placed = [mapping.place(trace, y, axis) for y, axis in zip(outs, axes)]
        return placed, [r for r, _ in pairs], backward


class MappedBackward(Mapped):
    """A bwd rule under vmap. What an unmapped input gets is summed over the axis."""

    __slots__ = ("res_axes",)

    def __init__(self, fun: Any, mapping: Mapping, res_axes: Sequence[Any]) -> None:
        super().__init__(fun, mapping)
        self.res_axes = res_axes

    def __call__(self, residuals: Sequence[Any], y_bars: Sequence[Any]) -> list[Any]:
        mapping = self.mapping
        trace = mapping.enter()
        res = mapping.wrap(trace, residuals, self.res_axes)
        bars = mapping.wrap(trace, y_bars, mapping.out_axes or ())
        x_bars = mapping.run(trace, self.fun, res, bars)
        is_mapped = any(
            axis is not None for axis in (*mapping.in_axes, *(mapping.out_axes or ()))
        )
        return [
            self._place(trace, x_bar, axis, summed=is_mapped)
            for x_bar, axis in zip(x_bars, mapping.in_axes, strict=True)
        ]

    def _place(self, trace: Any, x_bar: Any, axis: Any, *, summed: bool) -> Any:
        if x_bar is None or isinstance(x_bar, ad.Zero):
            return None
        value, found = trace.split(x_bar)
        size = self.mapping.axis.size
        if axis is not None:
            return batching.match(self.mapping.axis, value, found, axis)[0]
        if found is None:
            if not summed:  # nothing here is mapped: there is one example
                return value
            # Every example shares it: as many times as there are examples.
            value, found = batching.broadcast(value, size, 0), 0
        return batching.sum_over(value, found)


def name_of_rule(rule: Any) -> str:
    """The name of a user's rule, for prints."""
    return getattr(rule, "__name__", type(rule).__name__)


# --- custom_jvp_call ------------------------------------------------------------------


def _jvp_of_custom_jvp(
    primals: Any, tangents: Any, *, jvp: Any, symbolic_zeros: bool, **_: Any
) -> tuple[Any, Any]:
    if not symbolic_zeros:
        tangents = [ad.instantiate_zeros(x_dot) for x_dot in tangents]
    return jvp(list(primals), list(tangents))


def _batch_custom_jvp(
    trace: Any, operands: Any, axes: Any, *, call: Any, jvp: Any, **params: Any
) -> tuple[Any, Any]:
    mapping = Mapping(trace, axes)
    mapped = MappedCall(call, mapping), MappedJVP(jvp, mapping)
    outs = custom_jvp_call_p.bind(*operands, call=mapped[0], jvp=mapped[1], **params)
    return outs, mapping.out_axes


def _transpose_call(
    y_bars: Any, *operands: Any, call_jaxpr: Jaxpr, **_: Any
) -> list[Any]:
    return ad.backward_jaxpr(call_jaxpr, operands, y_bars)


def _show_custom_jvp(eqn: Any) -> dict[str, Any]:
    params = eqn.params
    shown = {
        "name": params["name"],
        "call_jaxpr": params["call_jaxpr"],
        "jvp": name_of_rule(params["jvp"]),
    }
    if params["num_consts"]:
        shown["num_consts"] = params["num_consts"]
    return shown | {"symbolic_zeros": params["symbolic_zeros"]}


define(
    custom_jvp_call_p,
    abstract_eval=_call_types,
    effects=_call_effects,
    jvp=_jvp_of_custom_jvp,
    transpose=_transpose_call,
    batch=batching.with_trace(_batch_custom_jvp),
    lower=_lower_call,
    impl=_run,
    staging=_stage(custom_jvp_call_p),
    replay=_replay(custom_jvp_call_p),
    printing=_show_custom_jvp,
)


# --- custom_vjp_call ------------------------------------------------------------------


def _jvp_of_custom_vjp(
    primals: Any, tangents: Any, *, fwd: Any, symbolic_zeros: bool, name: str, **_: Any
) -> tuple[Any, Any]:
    nonzeros = [x_dot.__class__ is not ad.Zero for x_dot in tangents]
    outs, residuals, bwd = fwd(list(primals), nonzeros)
    moving = [x_dot for x_dot, moves in zip(tangents, nonzeros, strict=True) if moves]
    out_avals = tuple([typeof(y).to_tangent_aval() for y in outs])
    out_dots = custom_lin_p.bind(
        *residuals,
        *moving,
        num_res=len(residuals),
        bwd=bwd,
        out_avals=out_avals,
        in_zeros=[not moves for moves in nonzeros],
        symbolic_zeros=symbolic_zeros,
    )
    floating = [aval is typeof(y) or aval.dtype == typeof(y).dtype
                for aval, y in zip(out_avals, outs, strict=True)]  # fmt: skip
    return outs, [
        y_dot if moves else ad.Zero(aval)
        for y_dot, moves, aval in zip(out_dots, floating, out_avals, strict=True)
    ]


def _batch_custom_vjp(
    trace: Any, operands: Any, axes: Any, *, call: Any, fwd: Any, **params: Any
) -> tuple[Any, Any]:
    mapping = Mapping(trace, axes)
    mapped = MappedCall(call, mapping), MappedForward(fwd, mapping)
    outs = custom_vjp_call_p.bind(*operands, call=mapped[0], fwd=mapped[1], **params)
    return outs, mapping.out_axes


def _show_custom_vjp(eqn: Any) -> dict[str, Any]:
    params = eqn.params
    shown = {
        "name": params["name"],
        "bwd": name_of_rule(params["bwd"]),
        "call_jaxpr": params["call_jaxpr"],
        "fwd": name_of_rule(params["fwd"]),
    }
    if params["num_consts"]:
        shown["num_consts"] = params["num_consts"]
    return shown | {"symbolic_zeros": params["symbolic_zeros"]}


define(
    custom_vjp_call_p,
    abstract_eval=_call_types,
    effects=_call_effects,
    jvp=_jvp_of_custom_vjp,
    transpose=Refusal("transpose", "its linear part is `custom_lin`"),
    batch=batching.with_trace(_batch_custom_vjp),
    lower=_lower_call,
    impl=_run,
    staging=_stage(custom_vjp_call_p),
    replay=_replay(custom_vjp_call_p),
    printing=_show_custom_vjp,
)


# --- custom_lin: the tangent side of custom_vjp, of which the transpose is known ------


def _no_forward_mode(*_: Any, **__: Any) -> Any:
    raise ArgumentTypeError(
        "Forward mode needs the jvp of every function.",
        "Found a custom_vjp function, which only has a backward rule.",
        "Use reverse mode (`grad`, `vjp`, `jacrev`), or define it with `custom_jvp`.",
    )


def _lin_types(*avals: Any, out_avals: tuple[Any, ...], **_: Any) -> list[Any]:
    return list(out_avals)


def _no_lin_effects(*avals: Any, **_: Any) -> Effects:
    return no_effects


def _transpose_lin(
    y_bars: Any,
    *operands: Any,
    num_res: int,
    bwd: Any,
    in_zeros: Sequence[bool],
    symbolic_zeros: bool,
    **_: Any,
) -> list[Any]:
    if not symbolic_zeros:
        y_bars = [ad.instantiate_zeros(y_bar) for y_bar in y_bars]
    x_bars = bwd(list(operands[:num_res]), list(y_bars))
    moving = [x_bar for x_bar, zero in zip(x_bars, in_zeros, strict=True) if not zero]
    return [None] * num_res + moving


define(
    custom_lin_p,
    abstract_eval=_lin_types,
    effects=_no_lin_effects,
    jvp=NOT_DIFFERENTIABLE,
    transpose=_transpose_lin,
    batch=_no_forward_mode,
    lower=_no_forward_mode,
    impl=_no_forward_mode,
    printing=lambda eqn: {
        "bwd": name_of_rule(eqn.params["bwd"]),
        "in_zeros": eqn.params["in_zeros"],
        "num_res": eqn.params["num_res"],
        "symbolic_zeros": eqn.params["symbolic_zeros"],
    },
)
