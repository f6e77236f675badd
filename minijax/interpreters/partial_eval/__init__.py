"""Partial evaluation: dead code, the known and the unknown, what is computed twice."""

from ...core import StagedTracer as DynamicJaxprTracer
from .calls import call_dce_rule, call_policy_rule, call_split_rule
from .dce import dce_jaxpr, dce_jaxpr_consts, dce_rules
from .extension import (
    abstract_eval_fun,
    close_jaxpr,
    convert_constvars_jaxpr,
    dce_jaxpr_call_rule,
    move_binders_to_back,
    partial_eval_jaxpr_nounits,
    prune_closed_jaxpr_outputs,
    trace_to_jaxpr_dynamic,
    trace_to_jaxpr_nounits,
)
from .extension import dce_jaxpr_call_rule as dce_jaxpr_closed_call_rule
from .policies import (
    Offloadable,
    Policy,
    Recompute,
    Saveable,
    answer_of,
    movers,
    partial_eval_jaxpr_custom,
    policy_rules,
)
from .policies import policy_rules as partial_eval_jaxpr_custom_rules
from .splitting import partial_eval_rules, split_jaxpr
from .traces import JaxprTrace, JaxprTracer, PartialVal, partial_eval_fun

__all__ = [
    "DynamicJaxprTracer",
    "JaxprTrace",
    "JaxprTracer",
    "Offloadable",
    "PartialVal",
    "Policy",
    "Recompute",
    "Saveable",
    "abstract_eval_fun",
    "answer_of",
    "call_dce_rule",
    "call_policy_rule",
    "call_split_rule",
    "close_jaxpr",
    "convert_constvars_jaxpr",
    "dce_jaxpr",
    "dce_jaxpr_call_rule",
    "dce_jaxpr_closed_call_rule",
    "dce_jaxpr_consts",
    "dce_rules",
    "move_binders_to_back",
    "movers",
    "partial_eval_fun",
    "partial_eval_jaxpr_custom",
    "partial_eval_jaxpr_custom_rules",
    "partial_eval_jaxpr_nounits",
    "partial_eval_rules",
    "policy_rules",
    "prune_closed_jaxpr_outputs",
    "split_jaxpr",
    "trace_to_jaxpr_dynamic",
    "trace_to_jaxpr_nounits",
]
