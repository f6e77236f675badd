"""Automatic differentiation: forward mode, linearization, transposition.

Three interpreters over one table of derivatives. Read `jvp.py`, then `linearize.py`,
then `transpose.py`; `combinators.py` is what primitives are declared with.
"""

from ...core import add_any_p as add_jaxvals_p
from .combinators import (
    ZERO,
    bilinear,
    bilinear_transpose,
    linear,
    partials,
    partials_with_result,
    zero_jvp,
)
from .installers import (
    defbilinear,
    defjvp,
    defjvp2,
    defjvp_zero,
    deflinear,
    deflinear2,
    get_primitive_transpose,
    primitive_jvps,
    primitive_transposes,
)
from .jvp import JVPTrace, JVPTracer, eager_compilers, jvp_rules
from .linearize import (
    LinearizeTrace,
    LinearizeTracer,
    Tape,
    TapeVar,
    linearize_rules,
    tape_to_jaxpr,
)
from .programs import Linearized, jvp_jaxpr, linearize_jaxpr
from .transpose import (
    backward_jaxpr,
    backward_pass,
    instantiated,
    transpose_jaxpr,
    transpose_rules,
)
from .zeros import (
    UndefinedPrimal,
    Zero,
    add_tangents,
    instantiate_zeros,
    is_undefined_primal,
    scalar_of,
    zeros_of,
)
from .zeros import add_tangents as add_jaxvals
from .zeros import zeros_of as zeros_like_aval

__all__ = [
    "ZERO",
    "JVPTrace",
    "JVPTracer",
    "LinearizeTrace",
    "LinearizeTracer",
    "Linearized",
    "Tape",
    "TapeVar",
    "UndefinedPrimal",
    "Zero",
    "add_jaxvals",
    "add_jaxvals_p",
    "add_tangents",
    "backward_jaxpr",
    "backward_pass",
    "bilinear",
    "bilinear_transpose",
    "defbilinear",
    "defjvp",
    "defjvp2",
    "defjvp_zero",
    "deflinear",
    "deflinear2",
    "eager_compilers",
    "get_primitive_transpose",
    "instantiate_zeros",
    "instantiated",
    "is_undefined_primal",
    "jvp_jaxpr",
    "jvp_rules",
    "linear",
    "linearize_jaxpr",
    "linearize_rules",
    "partials",
    "partials_with_result",
    "primitive_jvps",
    "primitive_transposes",
    "scalar_of",
    "tape_to_jaxpr",
    "transpose_jaxpr",
    "transpose_rules",
    "zero_jvp",
    "zeros_like_aval",
    "zeros_of",
]
