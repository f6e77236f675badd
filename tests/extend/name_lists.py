"""The names of spec/tracing.md §20, by module."""

NAMES = {
    "core": (
        "AbstractValue Atom ParamDict ShapedArray Trace Tracer Value "
        "ensure_compile_time_eval eval_context eval_jaxpr max_dim min_dim"
    ),
    "extend.core": (
        "AbstractToken ClosedJaxpr DebugInfo DropVar Effect Effects "
        "InconclusiveDimensionOperation Jaxpr JaxprEqn JaxprTypeError Literal "
        "Primitive Token TraceTag Var array_types check_jaxpr concrete_or_error "
        "create_call_primitive eval_jaxpr_transpose find_top_trace gensym "
        "get_opaque_trace_state jaxpr_as_fun jaxprs_in_params mapped_aval "
        "new_jaxpr_eqn no_effects nonempty_axis_env_DO_NOT_USE "
        "primal_dtype_to_tangent_dtype primitives register_call_primitive_rules "
        "set_current_trace subjaxprs "
        "take_current_trace unmapped_aval unsafe_am_i_under_a_jit_DO_NOT_USE "
        "unsafe_am_i_under_a_vmap_DO_NOT_USE unsafe_get_axis_names_DO_NOT_USE "
        "valid_jaxtype"
    ),
    "extend.linear_util": (
        "StoreException WrappedFun cache merge_linear_aux transformation "
        "transformation2 transformation_with_aux transformation_with_aux2 wrap_init"
    ),
    "extend.source_info_util": (
        "NameStack SourceInfo current current_name_stack extend_name_stack "
        "new_name_stack new_source_info reset_name_stack set_name_stack summarize "
        "transform_name_stack user_context"
    ),
    "interpreters.partial_eval": (
        "DynamicJaxprTracer JaxprTracer PartialVal abstract_eval_fun close_jaxpr "
        "convert_constvars_jaxpr dce_jaxpr dce_jaxpr_call_rule "
        "dce_jaxpr_closed_call_rule dce_jaxpr_consts dce_rules move_binders_to_back "
        "partial_eval_jaxpr_custom_rules partial_eval_jaxpr_nounits "
        "prune_closed_jaxpr_outputs trace_to_jaxpr_dynamic trace_to_jaxpr_nounits"
    ),
    "interpreters.ad": (
        "Zero UndefinedPrimal is_undefined_primal instantiate_zeros primitive_jvps "
        "primitive_transposes"
    ),
    "interpreters.batching": "primitive_batchers axis_primitive_batchers",
    "interpreters.mlir": "register_lowering lower_fun",
    "api_util": (
        "argnums_partial debug_info donation_vector flatten_axes flatten_fun "
        "flatten_fun_nokwargs rebase_donate_argnums shaped_abstractify"
    ),
    "stages": "Lowered Compiled Traced",
    "ref": ("AbstractRef Ref addupdate empty_ref free_ref freeze get new_ref set swap"),
    "debug": "callback print",
    "experimental": "io_callback",
}
