"""From jaxprs to StableHLO modules.

Reading order: `types` and `constants` (values), `rules` (the table and how to declare
a rule), `walk` (the ctx that rules get; one equation, one rule), `functions` and
`modules` (the program around them). MLIR is loaded at the first lowering.
"""

from .chunks import Cutter
from .combinators import compare, comparison_kind, host_callback, reduce
from .constants import numpy_makers
from .context import ModuleContext
from .donation import NOWHERE, Donations, Placement, match_donations
from .functions import Body, ordered_effects
from .mlir import Session, current_session, open_session, parse_module
from .modules import LoweredModule, lower_jaxpr_to_module, module_name
from .rules import (
    PLATFORMS,
    PlatformRules,
    Rule,
    broadcast_operands,
    broadcast_to,
    by_platform,
    emit,
    lower_fun,
    lower_function,
    lower_rules,
    register_lowering,
    shared,
)
from .shardings import (
    constrain,
    dimension_text,
    empty_mesh,
    maximal_mesh,
    mesh_symbol,
    placement_texts,
    sharding_attr,
    sharding_text,
)
from .texts import as_text, bytecode, dump, key_bytes, without_debug_info
from .types import (
    array_attr,
    bool_array,
    bool_attr,
    dense_i64,
    dict_attr,
    element_type,
    float_attr,
    i32_attr,
    i64_array,
    i64_attr,
    integer_attr,
    ir_type,
    parse_attr,
    physical_aval,
    string_attr,
    symbol_attr,
    tensor_type,
    type_attr,
    type_makers,
    unit_attr,
)
from .walk import LoweringContext

__all__ = [
    "NOWHERE",
    "PLATFORMS",
    "Body",
    "Cutter",
    "Donations",
    "LoweredModule",
    "LoweringContext",
    "ModuleContext",
    "Placement",
    "PlatformRules",
    "Rule",
    "Session",
    "array_attr",
    "as_text",
    "bool_array",
    "bool_attr",
    "broadcast_operands",
    "broadcast_to",
    "by_platform",
    "bytecode",
    "compare",
    "comparison_kind",
    "constrain",
    "current_session",
    "dense_i64",
    "dict_attr",
    "dimension_text",
    "dump",
    "element_type",
    "emit",
    "empty_mesh",
    "float_attr",
    "host_callback",
    "i32_attr",
    "i64_array",
    "i64_attr",
    "integer_attr",
    "ir_type",
    "key_bytes",
    "lower_fun",
    "lower_function",
    "lower_jaxpr_to_module",
    "lower_rules",
    "match_donations",
    "maximal_mesh",
    "mesh_symbol",
    "module_name",
    "numpy_makers",
    "open_session",
    "ordered_effects",
    "parse_attr",
    "parse_module",
    "physical_aval",
    "placement_texts",
    "reduce",
    "register_lowering",
    "sharding_attr",
    "sharding_text",
    "shared",
    "string_attr",
    "symbol_attr",
    "tensor_type",
    "type_attr",
    "type_makers",
    "unit_attr",
    "without_debug_info",
]
