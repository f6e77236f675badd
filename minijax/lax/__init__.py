"""The primitives and the functions that bind them, one file per family.

Reading order: `define`, `typing`, then any family. What a function does to types is in
its docstring; how it is differentiated, batched and lowered stands beside it.
"""

# --- define ---------------------------------------------------------------------------
from .define import define as define

# --- elementwise ----------------------------------------------------------------------
from .accuracies import (
    AccuracyMode as AccuracyMode,
    Tolerance as Tolerance,
)
from .arithmetic import (
    add as add,
    add_p as add_p,
    div as div,
    div_p as div_p,
    integer_pow as integer_pow,
    integer_pow_p as integer_pow_p,
    mul as mul,
    neg as neg,
    neg_p as neg_p,
    one_minus_square as one_minus_square,
    one_minus_square_p as one_minus_square_p,
    reciprocal as reciprocal,
    square as square,
    square_p as square_p,
    sub as sub,
    sub_p as sub_p,
)
from .elementwise import (
    RoundingMethod as RoundingMethod,
    abs as abs,
    abs_p as abs_p,
    ceil as ceil,
    ceil_p as ceil_p,
    floor as floor,
    floor_p as floor_p,
    is_finite as is_finite,
    is_finite_p as is_finite_p,
    max as max,
    max_p as max_p,
    min as min,
    min_p as min_p,
    nextafter as nextafter,
    nextafter_p as nextafter_p,
    rem as rem,
    rem_p as rem_p,
    round as round,
    round_p as round_p,
    sign as sign,
    sign_p as sign_p,
)
from .complexes import (
    complex as complex,
    complex_p as complex_p,
    conj as conj,
    conj_p as conj_p,
    imag as imag,
    imag_p as imag_p,
    real as real,
    real_p as real_p,
)
from .exponentials import (
    cbrt as cbrt,
    cbrt_p as cbrt_p,
    exp as exp,
    exp2 as exp2,
    exp2_p as exp2_p,
    exp_p as exp_p,
    expm1 as expm1,
    expm1_p as expm1_p,
    log as log,
    log1p as log1p,
    log1p_p as log1p_p,
    log2 as log2,
    log2_p as log2_p,
    log_p as log_p,
    logistic as logistic,
    logistic_p as logistic_p,
    pow as pow,
    pow_p as pow_p,
    rsqrt as rsqrt,
    rsqrt_p as rsqrt_p,
    sqrt as sqrt,
    sqrt_p as sqrt_p,
)
from .trigonometry import (
    acos as acos,
    acos_p as acos_p,
    acosh as acosh,
    acosh_p as acosh_p,
    asin as asin,
    asin_p as asin_p,
    asinh as asinh,
    asinh_p as asinh_p,
    atan as atan,
    atan2 as atan2,
    atan2_p as atan2_p,
    atan_p as atan_p,
    atanh as atanh,
    atanh_p as atanh_p,
    cos as cos,
    cos_p as cos_p,
    cosh as cosh,
    cosh_p as cosh_p,
    sin as sin,
    sin_p as sin_p,
    sinh as sinh,
    sinh_p as sinh_p,
    tan as tan,
    tan_p as tan_p,
    tanh as tanh,
    tanh_p as tanh_p,
)
from .special import (
    digamma as digamma,
    digamma_p as digamma_p,
    erf as erf,
    erf_inv as erf_inv,
    erf_inv_p as erf_inv_p,
    erf_p as erf_p,
    erfc as erfc,
    erfc_p as erfc_p,
    exp_neg_square as exp_neg_square,
    lgamma as lgamma,
    lgamma_p as lgamma_p,
    logaddexp as logaddexp,
    logaddexp_p as logaddexp_p,
    polygamma as polygamma,
    polygamma_p as polygamma_p,
    zeta as zeta,
    zeta_p as zeta_p,
)
from .comparisons import (
    eq as eq,
    eq_p as eq_p,
    eq_to_p as eq_to_p,
    ge as ge,
    ge_p as ge_p,
    gt as gt,
    gt_p as gt_p,
    le as le,
    le_p as le_p,
    le_to_p as le_to_p,
    lt as lt,
    lt_p as lt_p,
    lt_to_p as lt_to_p,
    ne as ne,
    ne_p as ne_p,
)
from .bits import (
    and_p as and_p,
    bitwise_and as bitwise_and,
    bitwise_not as bitwise_not,
    bitwise_or as bitwise_or,
    bitwise_xor as bitwise_xor,
    clz as clz,
    clz_p as clz_p,
    mulhi as mulhi,
    mulhi_p as mulhi_p,
    not_p as not_p,
    or_p as or_p,
    population_count as population_count,
    population_count_p as population_count_p,
    shift_left as shift_left,
    shift_left_p as shift_left_p,
    shift_right_arithmetic as shift_right_arithmetic,
    shift_right_arithmetic_p as shift_right_arithmetic_p,
    shift_right_logical as shift_right_logical,
    shift_right_logical_p as shift_right_logical_p,
    xor_p as xor_p,
)
from .selection import (
    clamp as clamp,
    clamp_p as clamp_p,
    select as select,
    select_n as select_n,
)
from .conversions import (
    bitcast_convert_type as bitcast_convert_type,
    bitcast_convert_type_p as bitcast_convert_type_p,
    convert_element_type as convert_element_type,
    reduce_precision as reduce_precision,
    reduce_precision_p as reduce_precision_p,
)
from .identities import (
    stop_gradient as stop_gradient,
    stop_gradient_p as stop_gradient_p,
)

# --- generation -----------------------------------------------------------------------
from .generation import (
    broadcasted_iota as broadcasted_iota,
    full as full,
    full_like as full_like,
    iota as iota,
    iota_p as iota_p,
)

# --- reductions and scans -------------------------------------------------------------
from .reductions import (
    argmax as argmax,
    argmax_p as argmax_p,
    argmin as argmin,
    argmin_p as argmin_p,
    reduce_and as reduce_and,
    reduce_and_p as reduce_and_p,
    reduce_max as reduce_max,
    reduce_max_p as reduce_max_p,
    reduce_min as reduce_min,
    reduce_min_p as reduce_min_p,
    reduce_or as reduce_or,
    reduce_or_p as reduce_or_p,
    reduce_prod as reduce_prod,
    reduce_prod_p as reduce_prod_p,
    reduce_sum as reduce_sum,
    reduce_xor as reduce_xor,
    reduce_xor_p as reduce_xor_p,
)
from .generic_reduction import (
    reduce as reduce,
    reduce_p as reduce_p,
)
from .cumulative import (
    cumlogsumexp as cumlogsumexp,
    cumlogsumexp_p as cumlogsumexp_p,
    cummax as cummax,
    cummax_p as cummax_p,
    cummin as cummin,
    cummin_p as cummin_p,
    cumprod as cumprod,
    cumprod_p as cumprod_p,
    cumsum as cumsum,
    cumsum_p as cumsum_p,
)
from .folding import (
    associative_scan as associative_scan,
)

# --- shapes, joining, slicing ---------------------------------------------------------
from .shapes import (
    broadcast as broadcast,
    broadcast_in_dim as broadcast_in_dim,
    broadcast_like as broadcast_like,
    broadcast_shapes as broadcast_shapes,
    broadcast_to_rank as broadcast_to_rank,
    collapse as collapse,
    copy as copy,
    expand_dims as expand_dims,
    reshape as reshape,
    rev as rev,
    rev_p as rev_p,
    squeeze as squeeze,
    tile as tile,
    tile_p as tile_p,
    transpose as transpose,
)
from .joining import (
    concatenate as concatenate,
    concatenate_p as concatenate_p,
    split as split,
    split_p as split_p,
    stack as stack,
    stack_p as stack_p,
    unstack as unstack,
    unstack_p as unstack_p,
)
from .barriers import (
    optimization_barrier as optimization_barrier,
    optimization_barrier_p as optimization_barrier_p,
)
from .slicing import (
    index_in_dim as index_in_dim,
    pad as pad,
    pad_p as pad_p,
    slice as slice,
    slice_in_dim as slice_in_dim,
    slice_p as slice_p,
)
from .dynamic_slicing import (
    dynamic_index_in_dim as dynamic_index_in_dim,
    dynamic_slice as dynamic_slice,
    dynamic_slice_in_dim as dynamic_slice_in_dim,
    dynamic_slice_p as dynamic_slice_p,
    dynamic_update_index_in_dim as dynamic_update_index_in_dim,
    dynamic_update_slice as dynamic_update_slice,
    dynamic_update_slice_in_dim as dynamic_update_slice_in_dim,
    dynamic_update_slice_p as dynamic_update_slice_p,
)

# --- gather, scatter, sort ------------------------------------------------------------
from .indexing import (
    GatherDimensionNumbers as GatherDimensionNumbers,
    GatherScatterMode as GatherScatterMode,
    ScatterDimensionNumbers as ScatterDimensionNumbers,
    scatter_add_p as scatter_add_p,
)
from .gathering import gather as gather, gather_p as gather_p
from .scattering import (
    scatter as scatter,
    scatter_add as scatter_add,
    scatter_apply as scatter_apply,
    scatter_max as scatter_max,
    scatter_max_p as scatter_max_p,
    scatter_min as scatter_min,
    scatter_min_p as scatter_min_p,
    scatter_mul as scatter_mul,
    scatter_mul_p as scatter_mul_p,
    scatter_p as scatter_p,
    scatter_sub as scatter_sub,
    scatter_sub_p as scatter_sub_p,
)
from .sorting import (
    sort as sort,
    sort_key_val as sort_key_val,
    sort_p as sort_p,
    top_k as top_k,
    top_k_p as top_k_p,
)

# --- products -------------------------------------------------------------------------
from .precisions import (
    DotAlgorithm as DotAlgorithm,
    DotAlgorithmPreset as DotAlgorithmPreset,
    Precision as Precision,
    PrecisionLike as PrecisionLike,
)
from .contractions import (
    DotDimensionNumbers as DotDimensionNumbers,
    batch_matmul as batch_matmul,
    dot as dot,
    dot_general as dot_general,
    dot_general_p as dot_general_p,
)

# --- primitives that are named in core and ruled here ---------------------------------
from ..core import (
    broadcast_in_dim_p as broadcast_in_dim_p,
    copy_p as copy_p,
    reshape_p as reshape_p,
    squeeze_p as squeeze_p,
    transpose_p as transpose_p,
    add_any_p as add_any_p,
    convert_element_type_p as convert_element_type_p,
    mul_p as mul_p,
    reduce_sum_p as reduce_sum_p,
    select_n_p as select_n_p,
)

# --- calls ----------------------------------------------------------------------------
from .calls import Inline as Inline
from .transfers import (
    device_put as device_put,
    device_put_p as device_put_p,
)
