"""The primitives and the functions that bind them, one file per family.

Reading order: `definition`, `typing`, then any family. What a function does to types is
in its docstring; how it is differentiated, batched and lowered stands beside it. A
family shows what its `__all__` lists; names given as themselves (`x as x`) are for the
rooms above and no part of jax's `lax`.
"""

# ruff: noqa: I001  by family, not by name

# --- definition -----------------------------------------------------------------------
from .definition import define as define

# --- elementwise ----------------------------------------------------------------------
from .accuracies import *
from .arithmetic import *
from .elementwise import *
from .complexes import *
from .exponentials import *
from .trigonometry import *
from .special import *
from .special import (
    exp_neg_square as exp_neg_square,
    logaddexp as logaddexp,
    logaddexp_p as logaddexp_p,
)
from .gamma_functions import *
from .bessel_functions import *
from .polynomials import *
from .comparisons import *
from .bits import *
from .selection import *
from .conversions import *
from .identities import *

# --- generation -----------------------------------------------------------------------
from .generation import *
from .generation import empty_p as empty_p
from .gamma_gradients import *
from .random_bits import *

# --- reductions and scans -------------------------------------------------------------
from .reductions import *
from .generic_reduction import *
from .cumulative import *
from .folding import *

# --- shapes, joining, slicing ---------------------------------------------------------
from .shapes import *
from .joining import *
from .barriers import *
from .slicing import *
from .dynamic_slicing import *

# --- gather, scatter, sort ------------------------------------------------------------
from .indexing import *
from .gathering import *
from .scattering import *
from .sorting import *
from .approximate_sorting import *

# --- products -------------------------------------------------------------------------
from .precisions import *
from .contractions import *
from .ragged_contractions import *

# --- refs -----------------------------------------------------------------------------
from .program_calls import (
    create_call_primitive as create_call_primitive,
    eval_jaxpr_transpose as eval_jaxpr_transpose,
    register_call_primitive_rules as register_call_primitive_rules,
)
from .refs import (
    get_p as get_p,
    swap_p as swap_p,
    RefView as RefView,
    empty_ref as empty_ref,
    free_ref as free_ref,
    freeze as freeze,
    new_ref as new_ref,
    ref_addupdate as ref_addupdate,
    ref_get as ref_get,
    ref_set as ref_set,
    ref_swap as ref_swap,
)

# --- named axes ----------------------------------------------------------------------
from .collectives import *
from .exchanges import *
from .sending import *

# --- loops and branches ---------------------------------------------------------------
from .control_flow import *

# --- special functions that are loops -------------------------------------------------
from .incomplete_functions import *

# --- calls and transfers --------------------------------------------------------------
from .calls import Inline as Inline
from .transfers import device_put as device_put, device_put_p

# --- primitives that are named in core and ruled here ---------------------------------
from ..core import (
    add_any_p as add_any_p,
    broadcast_in_dim_p,
    convert_element_type_p,
    copy_p,
    mul_p,
    reduce_sum_p,
    reshape_p,
    select_n_p,
    squeeze_p,
    transpose_p,
)

from . import (
    accuracies,
    approximate_sorting,
    arithmetic,
    barriers,
    bessel_functions,
    bits,
    collectives,
    comparisons,
    complexes,
    contractions,
    conversions,
    cumulative,
    dynamic_slicing,
    elementwise,
    exchanges,
    exponentials,
    folding,
    gamma_functions,
    gathering,
    generation,
    generic_reduction,
    identities,
    incomplete_functions,
    indexing,
    joining,
    polynomials,
    precisions,
    ragged_contractions,
    reductions,
    scattering,
    selection,
    sending,
    shapes,
    slicing,
    sorting,
    special,
    trigonometry,
)

__all__ = [
    *accuracies.__all__,
    *approximate_sorting.__all__,
    *arithmetic.__all__,
    *barriers.__all__,
    *bessel_functions.__all__,
    *bits.__all__,
    *collectives.__all__,
    *comparisons.__all__,
    *complexes.__all__,
    *contractions.__all__,
    *conversions.__all__,
    *cumulative.__all__,
    *dynamic_slicing.__all__,
    *elementwise.__all__,
    *exchanges.__all__,
    *exponentials.__all__,
    *folding.__all__,
    *gamma_functions.__all__,
    *gathering.__all__,
    *generation.__all__,
    *generic_reduction.__all__,
    *identities.__all__,
    *incomplete_functions.__all__,
    *indexing.__all__,
    *joining.__all__,
    *polynomials.__all__,
    *precisions.__all__,
    *ragged_contractions.__all__,
    *reductions.__all__,
    *scattering.__all__,
    *selection.__all__,
    *sending.__all__,
    *shapes.__all__,
    *slicing.__all__,
    *sorting.__all__,
    *special.__all__,
    *trigonometry.__all__,
    "broadcast_in_dim_p",
    "convert_element_type_p",
    "copy_p",
    "device_put_p",
    "mul_p",
    "reduce_sum_p",
    "reshape_p",
    "select_n_p",
    "squeeze_p",
    "transpose_p",
]
