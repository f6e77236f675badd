"""The `jit` primitive: a call of a program, kept as one equation.

All its rules say the same: transform the program, and call that. Its parameters say
something per operand and per result, and are cut and extended along with them.

Source: spec/jit.md §1, spec/ad.md §§2.2-2.4, spec/tracing.md §12.
"""

import enum
from collections.abc import Sequence
from typing import Any

from .. import lowering
from ..base.errors import ArgumentValueError
from ..core import (
    Jaxpr,
    JaxprEqn,
    Ref,
    SharingNames,
    discharge,
    get_traceback,
    jit_p,
    summarize,
)
from ..interpreters import ad, batching
from ..interpreters import partial_eval as pe
from ..runtime import call_jaxpr
from ..sharding import UNSPECIFIED
from .definition import define

Params = dict[str, Any]


class Inline(enum.Enum):
    """When the equations of a nested call take the place of the call.

    JAX_EARLY: while the caller is traced. JAX_LATE: when the module is made. XLA_EARLY,
    XLA_LATE: by the compiler. AUTO: as the compiler likes.
    """

    AUTO = "auto"
    JAX_EARLY = "jax_early"
    JAX_LATE = "jax_late"
    XLA_EARLY = "xla_early"
    XLA_LATE = "xla_late"

    @classmethod
    def of(cls, wanted: Any) -> "Inline":
        """True is JAX_LATE, False is AUTO. Raises: ValueError for anything else."""
        if isinstance(wanted, cls):
            return wanted
        if wanted is True or wanted is False:
            return cls.JAX_LATE if wanted else cls.AUTO
        raise ArgumentValueError(
            "`inline` of jit is True, False or a member of Inline.",
            f"Found {wanted!r}.",
        )

    def __repr__(self) -> str:
        return f"Inline.{self.name}"


# --- Parameters -----------------------------------------------------------------------

Numbers = Sequence[int | None]


def _adapt(params: Params, inputs: Numbers, outputs: Numbers) -> Params:
    """The parameters of a call whose operands and results were renumbered.

    For each new operand or result: its old number, or None for one that is new.
    """
    return {
        **params,
        "in_shardings": _picked(params["in_shardings"], inputs, UNSPECIFIED),
        "in_layouts": _picked(params["in_layouts"], inputs, None),
        "donated_invars": _picked(params["donated_invars"], inputs, False),
        "out_shardings": _picked(params["out_shardings"], outputs, UNSPECIFIED),
        "out_layouts": _picked(params["out_layouts"], outputs, None),
    }


def _picked(values: Sequence[Any], numbers: Numbers, new: Any) -> tuple[Any, ...]:
    return tuple([new if i is None else values[i] for i in numbers])


def _where(flags: Sequence[bool]) -> list[int]:
    return [i for i, flag in enumerate(flags) if flag]


def _call(
    jaxpr: Jaxpr,
    operands: Sequence[Any],
    params: Params,
    inputs: Numbers,
    outputs: Numbers,
) -> list[Any]:
    outs: list[Any] = jit_p.bind(
        *operands, **_adapt({**params, "jaxpr": jaxpr}, inputs, outputs)
    )
    return outs


# --- Derivatives ----------------------------------------------------------------------


def _moving(tangents: Sequence[Any]) -> tuple[bool, ...]:
    return tuple([x_dot.__class__ is not ad.Zero for x_dot in tangents])


def _spread(jaxpr: Jaxpr, nonzeros: Sequence[bool], y_dots: Sequence[Any]) -> list[Any]:
    found: Any = iter(y_dots)
    avals: list[Any] = jaxpr.out_avals
    return [
        next(found) if moves else ad.Zero(aval.to_tangent_aval())
        for moves, aval in zip(nonzeros, avals, strict=True)
    ]


def _jvp(
    primals: Sequence[Any], tangents: Sequence[Any], *, jaxpr: Jaxpr, **params: Any
) -> tuple[list[Any], list[Any]]:
    nonzeros = _moving(tangents)
    program, nonzeros_out = ad.jvp_jaxpr(jaxpr, nonzeros, False)
    count = len(jaxpr.outvars)
    operands = [*primals, *(x for x, moves in zip(tangents, nonzeros) if moves)]
    outs = _call(
        program,
        operands,
        params,
        [*range(len(primals)), *_where(nonzeros)],
        [*range(count), *_where(nonzeros_out)],
    )
    return outs[:count], _spread(jaxpr, nonzeros_out, outs[count:])


def _linearize(
    primals: Sequence[Any], tangents: Sequence[Any], *, jaxpr: Jaxpr, **params: Any
) -> tuple[list[Any], list[Any]]:
    nonzeros = _moving(tangents)
    halves = ad.linearize_jaxpr(jaxpr, nonzeros, False)
    count = len(jaxpr.outvars)
    extra = [None] * (len(halves.forward.outvars) - count)
    outs = _call(
        halves.forward,
        primals,
        params,
        range(len(primals)),
        [*range(count), *extra],
    )
    if not any(halves.nonzeros_out):
        return outs[:count], _spread(jaxpr, halves.nonzeros_out, ())
    residuals = halves.residuals(primals, outs[count:])
    moving = [x_dot for x_dot, moves in zip(tangents, nonzeros) if moves]
    # Residuals are used again by the backward pass: none of them is donated.
    y_dots = _call(
        halves.tangent,
        [*residuals, *moving],
        params,
        [None] * (len(residuals) + len(moving)),
        _where(halves.nonzeros_out),
    )
    return outs[:count], _spread(jaxpr, halves.nonzeros_out, y_dots)


def _transpose(
    y_bars: Sequence[Any], *operands: Any, jaxpr: Jaxpr, **params: Any
) -> list[Any]:
    linear = tuple([ad.is_undefined_primal(x) for x in operands])
    arrived = _moving(y_bars)
    program, nonzero_in = ad.transpose_jaxpr(jaxpr, linear, arrived)
    known = [i for i, is_linear in enumerate(linear) if not is_linear]
    bars = [y_bar for y_bar, given in zip(y_bars, arrived) if given]
    places = _where(linear)
    targets = [places[i] for i in _where(nonzero_in)]
    outs = _call(
        program,
        [*(operands[i] for i in known), *bars],
        params,
        [*known, *[None] * len(bars)],
        [None] * len(targets),
    )
    x_bars: list[Any] = [None] * len(operands)
    for i, x_bar in zip(targets, outs, strict=True):
        x_bars[i] = x_bar
    return x_bars


@batching.with_axis
def _batch(
    axis: Any,
    operands: Sequence[Any],
    axes: Sequence[Any],
    *,
    jaxpr: Jaxpr,
    **params: Any,
) -> Any:
    program, out_axes = batching.batch_jaxpr(jaxpr, axis, axes)
    return jit_p.bind(*operands, jaxpr=program, **params), out_axes


# --- Everything else ------------------------------------------------------------------


def _lower(ctx: Any, *values: Any, jaxpr: Jaxpr, name: str, **params: Any) -> list[Any]:
    inline = params["inline"]
    if inline is Inline.JAX_LATE:
        return ctx.inline(jaxpr, values, f"jit({name})")
    attributes = {}
    if inline in (Inline.XLA_EARLY, Inline.XLA_LATE):
        wish = {"inlineable": lowering.string_attr(inline.value)}
        attributes["mhlo.frontend_attributes"] = lowering.dict_attr(wish)
    return ctx.call(name, jaxpr, values, attributes=attributes)


def _impl(*operands: Any, jaxpr: Jaxpr, name: str, **params: Any) -> list[Any]:
    return call_jaxpr(
        jaxpr,
        operands,
        name=name,
        donated=params["donated_invars"],
        keep_unused=params["keep_unused"],
        options=params["compiler_options_kvs"],
    )


def _discharge(args: Sequence[Any], where: Sequence[int], params: Params) -> Any:
    params = dict(params)
    jaxpr = params.pop("jaxpr")
    count = len(jaxpr.outvars)
    outs = _call(
        discharge(jaxpr).jaxpr,
        [x.value if x.__class__ is Ref else x for x in args],
        params,
        range(len(args)),
        [*range(count), *[None] * len(where)],
    )
    return outs[:count], outs[count:]


def _stage(trace: Any, operands: Sequence[Any], params: Params) -> Any:
    if params["compiler_options_kvs"]:
        raise ArgumentValueError(
            "`compiler_options` are for whole programs: give them to the outer jit.",
            f"Found {dict(params['compiler_options_kvs'])} at a nested jit of "
            f"{params['name']}, {summarize(get_traceback())}.",
        )
    return NotImplemented


_TRIVIAL: dict[str, Any] = {
    "donated_invars": False,
    "in_shardings": UNSPECIFIED,
    "out_shardings": UNSPECIFIED,
    "in_layouts": None,
    "out_layouts": None,
}


def _printed(eqn: JaxprEqn) -> Params:
    params = eqn.params
    shown = {"name": params["name"]}
    for name, value in sorted(params.items()):
        if name in _TRIVIAL:
            if any(item is not _TRIVIAL[name] for item in value):
                shown[name] = value
        elif name == "jaxpr" or (name not in ("name", "inline") and value):
            shown[name] = value
    return shown


define(
    jit_p,
    abstract_eval=lambda *avals, jaxpr, **params: jaxpr.out_avals,
    jvp=_jvp,
    transpose=_transpose,
    batch=_batch,
    lower=_lower,
    linearize=_linearize,
    partial_eval=pe.call_split_rule("jaxpr", _adapt),
    dce=pe.call_dce_rule("jaxpr", _adapt),
    policy=pe.call_policy_rule("jaxpr", _adapt),
    printing=SharingNames(_printed),
    impl=_impl,
    staging=_stage,
    discharge=_discharge,
    effects=lambda *avals, jaxpr, **params: jaxpr.effects,
)
