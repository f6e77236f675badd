"""From jaxprs to StableHLO, under JAX's names: rules for primitives of one's own.

A rule is called as `rule(ctx, *values, **params)` and returns a sequence of values;
`ctx.avals_in` and `ctx.avals_out` are the types, `ctx.op(…)` makes an operation.
"""

from ..lowering import LoweringContext as LoweringRuleContext
from ..lowering import (
    dense_i64,
    i32_attr,
    i64_attr,
    lower_fun,
    lower_jaxpr_to_module,
    register_lowering,
)
from ..lowering import i64_array as dense_int_array
from ..lowering import ir_type as aval_to_ir_type

__all__ = [
    "LoweringRuleContext",
    "aval_to_ir_type",
    "dense_i64",
    "dense_int_array",
    "i32_attr",
    "i64_attr",
    "lower_fun",
    "lower_jaxpr_to_module",
    "register_lowering",
]
