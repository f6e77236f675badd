"""The functions of NumPy on arrays that compile, differentiate and map.

Names, arguments and results are those of `jax.numpy`. `operators` and `array_methods`
give arrays and tracers their operators and methods.
"""

from ..runtime import Array as ndarray
from . import linalg as linalg
from . import operators as _operators
from .array_methods import API_VERSION as __array_api_version__


# --- numbers with names, dtypes -------------------------------------------------------

from .constants import (
    e as e,
    euler_gamma as euler_gamma,
    inf as inf,
    nan as nan,
    newaxis as newaxis,
    pi as pi,
)
from .scalar_types import (
    bfloat16 as bfloat16,
    bool_ as bool_,
    cdouble as cdouble,
    character as character,
    complex128 as complex128,
    complex64 as complex64,
    complex_ as complex_,
    complexfloating as complexfloating,
    csingle as csingle,
    double as double,
    dtype as dtype,
    flexible as flexible,
    float16 as float16,
    float32 as float32,
    float4_e2m1fn as float4_e2m1fn,
    float64 as float64,
    float6_e2m3fn as float6_e2m3fn,
    float6_e3m2fn as float6_e3m2fn,
    float8_e3m4 as float8_e3m4,
    float8_e4m3 as float8_e4m3,
    float8_e4m3b11fnuz as float8_e4m3b11fnuz,
    float8_e4m3fn as float8_e4m3fn,
    float8_e4m3fnuz as float8_e4m3fnuz,
    float8_e5m2 as float8_e5m2,
    float8_e5m2fnuz as float8_e5m2fnuz,
    float8_e8m0fnu as float8_e8m0fnu,
    float_ as float_,
    floating as floating,
    generic as generic,
    inexact as inexact,
    int16 as int16,
    int2 as int2,
    int32 as int32,
    int4 as int4,
    int64 as int64,
    int8 as int8,
    int_ as int_,
    integer as integer,
    number as number,
    object_ as object_,
    signedinteger as signedinteger,
    single as single,
    uint as uint,
    uint16 as uint16,
    uint2 as uint2,
    uint32 as uint32,
    uint4 as uint4,
    uint64 as uint64,
    uint8 as uint8,
    unsignedinteger as unsignedinteger,
)
from .scalar_types import (
    bool_ as bool,
)
from .inspection import (
    ComplexWarning as ComplexWarning,
    array_equal as array_equal,
    array_equiv as array_equiv,
    array_repr as array_repr,
    array_str as array_str,
    can_cast as can_cast,
    finfo as finfo,
    from_dlpack as from_dlpack,
    frombuffer as frombuffer,
    fromfile as fromfile,
    fromiter as fromiter,
    fromstring as fromstring,
    get_printoptions as get_printoptions,
    iinfo as iinfo,
    iscomplexobj as iscomplexobj,
    isdtype as isdtype,
    isrealobj as isrealobj,
    isscalar as isscalar,
    issubdtype as issubdtype,
    iterable as iterable,
    load as load,
    ndim as ndim,
    printoptions as printoptions,
    promote_types as promote_types,
    result_type as result_type,
    save as save,
    savez as savez,
    set_printoptions as set_printoptions,
    shape as shape,
    size as size,
)

# --- making arrays --------------------------------------------------------------------

from .array_making import (
    array as array,
    asarray as asarray,
    astype as astype,
    copy as copy,
)
from .creation import (
    empty as empty,
    empty_like as empty_like,
    full as full,
    full_like as full_like,
    ones as ones,
    ones_like as ones_like,
    zeros as zeros,
    zeros_like as zeros_like,
)
from .sequences import (
    arange as arange,
    geomspace as geomspace,
    linspace as linspace,
    logspace as logspace,
)
from .grids import (
    diag as diag,
    diag_indices as diag_indices,
    diag_indices_from as diag_indices_from,
    diagflat as diagflat,
    diagonal as diagonal,
    eye as eye,
    identity as identity,
    indices as indices,
    meshgrid as meshgrid,
    trace as trace,
    tri as tri,
    tril as tril,
    tril_indices as tril_indices,
    tril_indices_from as tril_indices_from,
    triu as triu,
    triu_indices as triu_indices,
    triu_indices_from as triu_indices_from,
    vander as vander,
)
from .index_tricks import (
    c_ as c_,
    index_exp as index_exp,
    ix_ as ix_,
    mgrid as mgrid,
    ogrid as ogrid,
    r_ as r_,
    s_ as s_,
)

# --- elementwise functions ------------------------------------------------------------

from .ufunc_objects import (
    add as add,
    bitwise_and as bitwise_and,
    bitwise_or as bitwise_or,
    bitwise_xor as bitwise_xor,
    frompyfunc as frompyfunc,
    logaddexp as logaddexp,
    logaddexp2 as logaddexp2,
    logical_and as logical_and,
    logical_or as logical_or,
    logical_xor as logical_xor,
    maximum as maximum,
    minimum as minimum,
    multiply as multiply,
    negative as negative,
    subtract as subtract,
    ufunc as ufunc,
)
from .arithmetic import (
    absolute as absolute,
    absolute as abs,
    fabs as fabs,
    float_power as float_power,
    positive as positive,
    power as power,
    power as pow,
    reciprocal as reciprocal,
    sign as sign,
    square as square,
    true_divide as true_divide,
    true_divide as divide,
)
from .division import (
    divmod as divmod,
    floor_divide as floor_divide,
    fmod as fmod,
    modf as modf,
    remainder as remainder,
    remainder as mod,
)
from .exponents import (
    arccos as arccos,
    arccos as acos,
    arccosh as arccosh,
    arccosh as acosh,
    arcsin as arcsin,
    arcsin as asin,
    arcsinh as arcsinh,
    arcsinh as asinh,
    arctan as arctan,
    arctan as atan,
    arctan2 as arctan2,
    arctan2 as atan2,
    arctanh as arctanh,
    arctanh as atanh,
    cbrt as cbrt,
    ceil as ceil,
    cos as cos,
    cosh as cosh,
    deg2rad as deg2rad,
    deg2rad as radians,
    exp as exp,
    exp2 as exp2,
    expm1 as expm1,
    floor as floor,
    log as log,
    log10 as log10,
    log1p as log1p,
    log2 as log2,
    rad2deg as rad2deg,
    rad2deg as degrees,
    rint as rint,
    round as round,
    round as around,
    sin as sin,
    sinh as sinh,
    sqrt as sqrt,
    tan as tan,
    tanh as tanh,
    trunc as trunc,
)
from .floats import (
    angle as angle,
    clip as clip,
    conjugate as conjugate,
    conjugate as conj,
    copysign as copysign,
    fmax as fmax,
    fmin as fmin,
    heaviside as heaviside,
    hypot as hypot,
    imag as imag,
    iscomplex as iscomplex,
    isreal as isreal,
    nan_to_num as nan_to_num,
    nextafter as nextafter,
    real as real,
    signbit as signbit,
    spacing as spacing,
)
from .logic import (
    allclose as allclose,
    bitwise_count as bitwise_count,
    equal as equal,
    greater as greater,
    greater_equal as greater_equal,
    invert as invert,
    invert as bitwise_invert,
    invert as bitwise_not,
    isclose as isclose,
    isfinite as isfinite,
    isinf as isinf,
    isnan as isnan,
    isneginf as isneginf,
    isposinf as isposinf,
    left_shift as left_shift,
    left_shift as bitwise_left_shift,
    less as less,
    less_equal as less_equal,
    logical_not as logical_not,
    not_equal as not_equal,
    right_shift as right_shift,
    right_shift as bitwise_right_shift,
)
from .bit_patterns import (
    frexp as frexp,
    gcd as gcd,
    lcm as lcm,
    ldexp as ldexp,
    packbits as packbits,
    unpackbits as unpackbits,
)
from .special import (
    bartlett as bartlett,
    blackman as blackman,
    hamming as hamming,
    hanning as hanning,
    i0 as i0,
    kaiser as kaiser,
    sinc as sinc,
)
from .vectorizing import (
    apply_along_axis as apply_along_axis,
    apply_over_axes as apply_over_axes,
    fromfunction as fromfunction,
    piecewise as piecewise,
    vectorize as vectorize,
)

# --- reductions -----------------------------------------------------------------------

from .reductions import (
    all as all,
    any as any,
    argmax as argmax,
    argmin as argmin,
    count_nonzero as count_nonzero,
    max as max,
    max as amax,
    min as min,
    min as amin,
    minmax as minmax,
    prod as prod,
    ptp as ptp,
    sum as sum,
)
from .nan_reductions import (
    nanargmax as nanargmax,
    nanargmin as nanargmin,
    nanmax as nanmax,
    nanmean as nanmean,
    nanmin as nanmin,
    nanprod as nanprod,
    nanstd as nanstd,
    nansum as nansum,
    nanvar as nanvar,
)
from .statistics import (
    average as average,
    mean as mean,
    std as std,
    var as var,
)
from .quantiles import (
    median as median,
    nanmedian as nanmedian,
    nanpercentile as nanpercentile,
    nanquantile as nanquantile,
    percentile as percentile,
    quantile as quantile,
)
from .cumulating import (
    cumprod as cumprod,
    cumsum as cumsum,
    cumulative_prod as cumulative_prod,
    cumulative_sum as cumulative_sum,
    diff as diff,
    ediff1d as ediff1d,
    gradient as gradient,
    nancumprod as nancumprod,
    nancumsum as nancumsum,
    trapezoid as trapezoid,
    unwrap as unwrap,
)
from .histograms import (
    bincount as bincount,
    histogram as histogram,
    histogram2d as histogram2d,
    histogram_bin_edges as histogram_bin_edges,
    histogramdd as histogramdd,
    interp as interp,
)

# --- products -------------------------------------------------------------------------

from .contractions import (
    cross as cross,
    dot as dot,
    inner as inner,
    kron as kron,
    matmul as matmul,
    matvec as matvec,
    outer as outer,
    tensordot as tensordot,
    vdot as vdot,
    vecdot as vecdot,
    vecmat as vecmat,
)
from .einsums import (
    einsum as einsum,
    einsum_path as einsum_path,
)
from .correlations import (
    convolve as convolve,
    corrcoef as corrcoef,
    correlate as correlate,
    cov as cov,
)
from .polynomials import (
    poly as poly,
    polyadd as polyadd,
    polyder as polyder,
    polydiv as polydiv,
    polyint as polyint,
    polymul as polymul,
    polysub as polysub,
    polyval as polyval,
)

# --- shapes and places ----------------------------------------------------------------

from .shaping import (
    atleast_1d as atleast_1d,
    atleast_2d as atleast_2d,
    atleast_3d as atleast_3d,
    broadcast_arrays as broadcast_arrays,
    broadcast_shapes as broadcast_shapes,
    broadcast_to as broadcast_to,
    expand_dims as expand_dims,
    flip as flip,
    fliplr as fliplr,
    flipud as flipud,
    matrix_transpose as matrix_transpose,
    moveaxis as moveaxis,
    permute_dims as permute_dims,
    ravel as ravel,
    reshape as reshape,
    roll as roll,
    rollaxis as rollaxis,
    rot90 as rot90,
    squeeze as squeeze,
    swapaxes as swapaxes,
    transpose as transpose,
)
from .joining import (
    append as append,
    array_split as array_split,
    block as block,
    column_stack as column_stack,
    concat as concat,
    concatenate as concatenate,
    dsplit as dsplit,
    dstack as dstack,
    hsplit as hsplit,
    hstack as hstack,
    repeat as repeat,
    split as split,
    stack as stack,
    tile as tile,
    unstack as unstack,
    vsplit as vsplit,
    vstack as vstack,
)
from .padding import (
    pad as pad,
)
from .editing import (
    delete as delete,
    insert as insert,
    resize as resize,
    trim_zeros as trim_zeros,
)
from .getting import (
    take as take,
)
from .taking import (
    choose as choose,
    fill_diagonal as fill_diagonal,
    place as place,
    put as put,
    put_along_axis as put_along_axis,
    ravel_multi_index as ravel_multi_index,
    take_along_axis as take_along_axis,
    unravel_index as unravel_index,
)
from .searching import (
    argwhere as argwhere,
    compress as compress,
    digitize as digitize,
    extract as extract,
    flatnonzero as flatnonzero,
    nonzero as nonzero,
    searchsorted as searchsorted,
    where as where,
)
from .selecting import (
    select as select,
)
from .sorting import (
    argpartition as argpartition,
    argsort as argsort,
    lexsort as lexsort,
    partition as partition,
    sort as sort,
    sort_complex as sort_complex,
    top_k as top_k,
)
from .sets import (
    intersect1d as intersect1d,
    isin as isin,
    setdiff1d as setdiff1d,
    setxor1d as setxor1d,
    union1d as union1d,
    unique as unique,
    unique_all as unique_all,
    unique_counts as unique_counts,
    unique_inverse as unique_inverse,
    unique_values as unique_values,
)
