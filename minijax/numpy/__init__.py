"""The functions of NumPy on arrays that compile, differentiate and map.

Names, arguments and results are those of `jax.numpy`. `operators` and `array_methods`
give arrays and tracers their operators and methods.
"""

# Many names to a line: this file is a list, and is read as one.
# fmt: off
# ruff: noqa: F401, I001, RUF022
from ..runtime import Array as ndarray
from . import linalg
from . import operators as _operators
from . import array_methods as _array_methods
from .array_api import API_VERSION as __array_api_version__
from .array_api import NamespaceInfo as __array_namespace_info__


# --- numbers with names, dtypes -------------------------------------------------------

from .constants import e, euler_gamma, inf, nan, newaxis, pi
from .scalar_types import (
    bfloat16, bool_, cdouble, character, complex128, complex64, complex_,
    complexfloating, csingle, double, dtype, flexible, float16, float32, float4_e2m1fn,
    float64, float6_e2m3fn, float6_e3m2fn, float8_e3m4, float8_e4m3, float8_e4m3b11fnuz,
    float8_e4m3fn, float8_e4m3fnuz, float8_e5m2, float8_e5m2fnuz, float8_e8m0fnu,
    float_, floating, inexact, int16, int2, int32, int4, int64, int8, int_, integer,
    number, object_, signedinteger, single, uint, uint16, uint2, uint32, uint4, uint64,
    uint8, unsignedinteger,
)
from .scalar_types import bool_ as bool
from .inspection import (
    ComplexWarning, array_equal, array_equiv, array_repr, array_str, can_cast, finfo,
    from_dlpack, frombuffer, fromfile, fromiter, fromstring, get_printoptions, iinfo,
    iscomplexobj, isdtype, isrealobj, isscalar, issubdtype, iterable, load, ndim,
    printoptions, promote_types, result_type, save, savez, set_printoptions, shape,
    size,
)

# --- making arrays --------------------------------------------------------------------

from .array_making import array, asarray, astype, copy
from .creation import (
    empty, empty_like, full, full_like, ones, ones_like, zeros, zeros_like,
)
from .sequences import arange, geomspace, linspace, logspace
from .grids import (
    diag, diag_indices, diag_indices_from, diagflat, diagonal, eye, identity, indices,
    mask_indices, meshgrid, trace, tri, tril, tril_indices, tril_indices_from, triu,
    triu_indices, triu_indices_from, vander,
)
from .index_tricks import c_, index_exp, ix_, mgrid, ogrid, r_, s_

# --- elementwise functions ------------------------------------------------------------

from .ufunc_objects import (
    add, bitwise_and, bitwise_or, bitwise_xor, frompyfunc, logaddexp, logaddexp2,
    logical_and, logical_or, logical_xor, maximum, minimum, multiply, negative,
    subtract, ufunc,
)
from .arithmetic import (
    absolute, absolute as abs, fabs, float_power, positive, power, power as pow,
    reciprocal, sign, square, true_divide, true_divide as divide,
)
from .division import divmod, floor_divide, fmod, modf, remainder, remainder as mod
from .exponents import (
    arccos, arccos as acos, arccosh, arccosh as acosh, arcsin, arcsin as asin, arcsinh,
    arcsinh as asinh, arctan, arctan as atan, arctan2, arctan2 as atan2, arctanh,
    arctanh as atanh, cbrt, ceil, cos, cosh, deg2rad, deg2rad as radians, exp, exp2,
    expm1, floor, log, log10, log1p, log2, rad2deg, rad2deg as degrees, rint, round,
    round as around, sin, sinh, sqrt, tan, tanh, trunc,
)
from .floats import (
    angle, clip, conjugate, conjugate as conj, copysign, fmax, fmin, heaviside, hypot,
    imag, iscomplex, isreal, nan_to_num, nextafter, real, signbit, spacing,
)
from .logic import (
    allclose, bitwise_count, equal, greater, greater_equal, invert, invert as
    bitwise_invert, invert as bitwise_not, isclose, isfinite, isinf, isnan, isneginf,
    isposinf, left_shift, left_shift as bitwise_left_shift, less, less_equal,
    logical_not, not_equal, right_shift, right_shift as bitwise_right_shift,
)
from .bit_patterns import frexp, gcd, lcm, ldexp, packbits, unpackbits
from .special import bartlett, blackman, hamming, hanning, i0, kaiser, sinc
from .vectorizing import (
    apply_along_axis, apply_over_axes, fromfunction, piecewise, vectorize,
)

# --- reductions -----------------------------------------------------------------------

from .reductions import (
    all, any, argmax, argmin, count_nonzero, max, max as amax, min, min as amin, minmax,
    prod, ptp, sum,
)
from .nan_reductions import (
    nanargmax, nanargmin, nanmax, nanmean, nanmin, nanprod, nanstd, nansum, nanvar,
)
from .statistics import average, mean, std, var
from .quantiles import (
    median, nanmedian, nanpercentile, nanquantile, percentile, quantile,
)
from .cumulating import (
    cumprod, cumsum, cumulative_prod, cumulative_sum, diff, ediff1d, gradient,
    nancumprod, nancumsum, trapezoid, unwrap,
)
from .histograms import (
    bincount, histogram, histogram2d, histogram_bin_edges, histogramdd, interp,
)

# --- products -------------------------------------------------------------------------

from .contractions import (
    cross, dot, inner, kron, matmul, matvec, outer, tensordot, vdot, vecdot, vecmat,
)
from .einsums import einsum, einsum_path
from .correlations import convolve, corrcoef, correlate, cov
from .polynomials import (
    poly, polyadd, polyder, polydiv, polyint, polymul, polysub, polyval,
)

# --- shapes and places ----------------------------------------------------------------

from .shaping import (
    atleast_1d, atleast_2d, atleast_3d, broadcast_arrays, broadcast_shapes,
    broadcast_to, expand_dims, flip, fliplr, flipud, matrix_transpose, moveaxis,
    permute_dims, ravel, reshape, roll, rollaxis, rot90, squeeze, swapaxes, transpose,
)
from .joining import (
    append, array_split, block, column_stack, concat, concatenate, dsplit, dstack,
    hsplit, hstack, repeat, split, stack, tile, unstack, vsplit, vstack,
)
from .padding import pad
from .editing import delete, insert, resize, trim_zeros
from .getting import take
from .taking import (
    choose, fill_diagonal, place, put, put_along_axis, ravel_multi_index,
    take_along_axis, unravel_index,
)
from .searching import (
    argwhere, compress, digitize, extract, flatnonzero, nonzero, searchsorted, where,
)
from .selecting import select
from .sorting import (
    argpartition, argsort, lexsort, partition, sort, sort_complex, top_k,
)
from .sets import (
    intersect1d, isin, setdiff1d, setxor1d, union1d, unique, unique_all, unique_counts,
    unique_inverse, unique_values,
)

from .indexing import ds  # published by the package itself
from .log_sums import logsumexp  # published by `nn` and `scipy.special`

__all__ = [
    "ComplexWarning", "__array_api_version__", "__array_namespace_info__", "abs",
    "absolute", "acos", "acosh", "add", "all", "allclose", "amax", "amin", "angle",
    "any", "append", "apply_along_axis", "apply_over_axes", "arange", "arccos",
    "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "argmax", "argmin",
    "argpartition", "argsort", "argwhere", "around", "array", "array_equal",
    "array_equiv", "array_repr", "array_split", "array_str", "asarray", "asin", "asinh",
    "astype", "atan", "atan2", "atanh", "atleast_1d", "atleast_2d", "atleast_3d",
    "average", "bartlett", "bfloat16", "bincount", "bitwise_and", "bitwise_count",
    "bitwise_invert", "bitwise_left_shift", "bitwise_not", "bitwise_or",
    "bitwise_right_shift", "bitwise_xor", "blackman", "block", "bool", "bool_",
    "broadcast_arrays", "broadcast_shapes", "broadcast_to", "c_", "can_cast", "cbrt",
    "cdouble", "ceil", "character", "choose", "clip", "column_stack", "complex128",
    "complex64", "complex_", "complexfloating", "compress", "concat", "concatenate",
    "conj", "conjugate", "convolve", "copy", "copysign", "corrcoef", "correlate", "cos",
    "cosh", "count_nonzero", "cov", "cross", "csingle", "cumprod", "cumsum",
    "cumulative_prod", "cumulative_sum", "deg2rad", "degrees", "delete", "diag",
    "diag_indices", "diag_indices_from", "diagflat", "diagonal", "diff", "digitize",
    "divide", "divmod", "dot", "double", "dsplit", "dstack", "dtype", "e", "ediff1d",
    "einsum", "einsum_path", "empty", "empty_like", "equal", "euler_gamma", "exp",
    "exp2", "expand_dims", "expm1", "extract", "eye", "fabs", "fill_diagonal", "finfo",
    "flatnonzero", "flexible", "flip", "fliplr", "flipud", "float16", "float32",
    "float4_e2m1fn", "float64", "float6_e2m3fn", "float6_e3m2fn", "float8_e3m4",
    "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz",
    "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu", "float_", "float_power",
    "floating", "floor", "floor_divide", "fmax", "fmin", "fmod", "frexp", "from_dlpack",
    "frombuffer", "fromfile", "fromfunction", "fromiter", "frompyfunc", "fromstring",
    "full", "full_like", "gcd", "geomspace", "get_printoptions", "gradient", "greater",
    "greater_equal", "hamming", "hanning", "heaviside", "histogram", "histogram2d",
    "histogram_bin_edges", "histogramdd", "hsplit", "hstack", "hypot", "i0", "identity",
    "iinfo", "imag", "index_exp", "indices", "inexact", "inf", "inner", "insert",
    "int16", "int2", "int32", "int4", "int64", "int8", "int_", "integer", "interp",
    "intersect1d", "invert", "isclose", "iscomplex", "iscomplexobj", "isdtype",
    "isfinite", "isin", "isinf", "isnan", "isneginf", "isposinf", "isreal", "isrealobj",
    "isscalar", "issubdtype", "iterable", "ix_", "kaiser", "kron", "lcm", "ldexp",
    "left_shift", "less", "less_equal", "lexsort", "linalg", "linspace", "load", "log",
    "log10", "log1p", "log2", "logaddexp", "logaddexp2", "logical_and", "logical_not",
    "logical_or", "logical_xor", "logspace", "mask_indices", "matmul",
    "matrix_transpose", "matvec", "max", "maximum", "mean", "median", "meshgrid",
    "mgrid", "min", "minimum", "minmax", "mod", "modf", "moveaxis", "multiply", "nan",
    "nan_to_num", "nanargmax", "nanargmin", "nancumprod", "nancumsum", "nanmax",
    "nanmean", "nanmedian", "nanmin", "nanpercentile", "nanprod", "nanquantile",
    "nanstd", "nansum", "nanvar", "ndarray", "ndim", "negative", "newaxis", "nextafter",
    "nonzero", "not_equal", "number", "object_", "ogrid", "ones", "ones_like", "outer",
    "packbits", "pad", "partition", "percentile", "permute_dims", "pi", "piecewise",
    "place", "poly", "polyadd", "polyder", "polydiv", "polyint", "polymul", "polysub",
    "polyval", "positive", "pow", "power", "printoptions", "prod", "promote_types",
    "ptp", "put", "put_along_axis", "quantile", "r_", "rad2deg", "radians", "ravel",
    "ravel_multi_index", "real", "reciprocal", "remainder", "repeat", "reshape",
    "resize", "result_type", "right_shift", "rint", "roll", "rollaxis", "rot90",
    "round", "s_", "save", "savez", "searchsorted", "select", "set_printoptions",
    "setdiff1d", "setxor1d", "shape", "sign", "signbit", "signedinteger", "sin", "sinc",
    "single", "sinh", "size", "sort", "sort_complex", "spacing", "split", "sqrt",
    "square", "squeeze", "stack", "std", "subtract", "sum", "swapaxes", "take",
    "take_along_axis", "tan", "tanh", "tensordot", "tile", "top_k", "trace",
    "transpose", "trapezoid", "tri", "tril", "tril_indices", "tril_indices_from",
    "trim_zeros", "triu", "triu_indices", "triu_indices_from", "true_divide", "trunc",
    "ufunc", "uint", "uint16", "uint2", "uint32", "uint4", "uint64", "uint8", "union1d",
    "unique", "unique_all", "unique_counts", "unique_inverse", "unique_values",
    "unpackbits", "unravel_index", "unsignedinteger", "unstack", "unwrap", "vander",
    "var", "vdot", "vecdot", "vecmat", "vectorize", "vsplit", "vstack", "where",
    "zeros", "zeros_like",
]
# fmt: on
