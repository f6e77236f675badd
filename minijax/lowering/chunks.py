"""Cuts through long elementwise stretches, for the CPU compiler.

XLA fuses an elementwise stretch into one kernel, and LLVM's time grows faster than the
kernel. A barrier over the values that live across a cut bounds it: 3000 operations
compile in a sixth of the time, to the same bits. Rules:

1. Counted are elementwise operations in a row; data movement that fuses with them
   neither counts nor interrupts; everything else starts a new count.
2. A cut stands between two equations, and its barrier takes every value made since the
   cut before that is read after it: one that went around it would be computed twice.
3. Only what is compiled is cut, never the text a user sees.

Source: spec/jaxlib.md §3.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core import Jaxpr, JaxprEqn, ShapedArray, Var

# fmt: off
_COUNTED = (
    "abs", "add", "and", "atan2", "cbrt", "ceil", "clamp", "compare", "complex",
    "convert", "cosine", "count_leading_zeros", "divide", "exponential",
    "exponential_minus_one", "floor", "imag", "is_finite", "log", "log_plus_one",
    "logistic", "maximum", "minimum", "multiply", "negate", "not", "or", "popcnt",
    "power", "real", "reduce_precision", "remainder", "round_nearest_afz",
    "round_nearest_even", "rsqrt", "select", "shift_left", "shift_right_arithmetic",
    "shift_right_logical", "sign", "sine", "sqrt", "subtract", "tan", "tanh", "xor",
)
_CHLO = (
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "bessel_i1e", "conj", "cosh",
    "digamma", "erf", "erf_inv", "erfc", "is_inf", "is_neg_inf", "is_pos_inf", "lgamma",
    "next_after", "polygamma", "sinh", "square", "zeta",
)
_PASSED = (
    "bitcast_convert", "broadcast_in_dim", "constant", "iota", "reshape", "slice",
    "transpose",
)
# fmt: on

_WEIGHTS: dict[str, int] = {
    **dict.fromkeys((f"stablehlo.{name}" for name in _COUNTED), 1),
    **dict.fromkeys((f"chlo.{name}" for name in _CHLO), 4),  # they expand
    **dict.fromkeys((f"stablehlo.{name}" for name in _PASSED), 0),
}


class Cutter:
    """Counts the operations of the stretch at hand. Fields: limit, count, cuts."""

    def __init__(self, limit: int) -> None:
        self.limit, self.count, self.cuts = limit, 0, 0

    def note(self, op_name: str) -> None:
        """An operation was emitted."""
        weight = _WEIGHTS.get(op_name)
        if weight is None:
            self.count = 0
        else:
            self.count += weight


def last_reads(jaxpr: Jaxpr) -> dict[Var, int]:
    """Variable -> index of the last equation that reads it; results: behind the end."""
    reads: dict[Var, int] = {}
    for index, eqn in enumerate(jaxpr.eqns):
        for atom in eqn.invars:
            if isinstance(atom, Var):
                reads[atom] = index
    end = len(jaxpr.eqns)
    for atom in jaxpr.outvars:
        if isinstance(atom, Var):
            reads[atom] = end
    return reads


def values_across(
    eqns: Sequence[JaxprEqn], reads: dict[Var, int], start: int, stop: int
) -> list[Any]:
    """The variables that equations [start, stop) bind and later ones read."""
    return [
        var
        for eqn in eqns[start:stop]
        for var in eqn.outvars
        if reads.get(var, -1) >= stop
    ]


class Cuts:
    """The cuts through one jaxpr while it is lowered."""

    __slots__ = ("cutter", "done", "jaxpr", "reads", "start")

    def __init__(self, jaxpr: Jaxpr, cutter: Cutter) -> None:
        self.jaxpr, self.cutter = jaxpr, cutter
        self.start = self.done = 0
        self.reads: dict[Var, int] | None = None

    def after_equation(self, ctx: Any, env: dict[Any, Any]) -> None:
        """One more equation is lowered: cut if the stretch is long enough."""
        self.done += 1
        cutter, eqns = self.cutter, self.jaxpr.eqns
        if cutter.count < cutter.limit or self.done == len(eqns):
            return
        if self.reads is None:
            self.reads = last_reads(self.jaxpr)
        across = [
            var
            for var in values_across(eqns, self.reads, self.start, self.done)
            if type(var.aval) is ShapedArray
        ]
        if across:
            values, outs = [env[var] for var in across], [var.aval for var in across]
            held = ctx.op("stablehlo.optimization_barrier", values, outs)
            env.update(zip(across, held))
            cutter.cuts += 1
        self.start, cutter.count = self.done, 0
