"""jit, grad, vmap and their like: functions in, functions out."""

from . import custom_calls as _custom_calls  # noqa: F401  enters rules into tables
from . import eager_rules as _eager_rules  # noqa: F401  so does this one
from .argument_trees import argnums_partial as argnums_partial
from .argument_trees import donation_vector as donation_vector
from .argument_trees import flatten_axes as flatten_axes
from .argument_trees import flatten_fun as flatten_fun
from .argument_trees import flatten_fun_nokwargs as flatten_fun_nokwargs
from .argument_trees import rebase_donate_argnums as rebase_donate_argnums
from .callbacks import io_callback, pure_callback
from .checkpoint_policies import (
    checkpoint_name,
    checkpoint_name_fwd,
    checkpoint_policies,
    name_p,
)
from .closure_conversion import closure_convert
from .compilation import eager_jit, jit
from .custom_backward import (
    CustomVJPPrimal,
    custom_gradient,
    custom_vjp,
    custom_vjp_primal_tree_values,
    zero_from_primal,
)
from .custom_forward import custom_jvp
from .custom_functions import SymbolicZero
from .debugging import debug_callback, debug_print
from .diagnosis import CacheInfo, Explanation, explain
from .differentiation import (
    grad,
    jvp,
    linear_transpose,
    linearize,
    value_and_grad,
)
from .gradient_checks import check_grads, check_jvp, check_vjp
from .host_calls import DebugEffect, OrderedDebugEffect
from .inspection import eval_shape, make_jaxpr
from .jacobians import hessian, jacfwd, jacobian, jacrev
from .linear_calls import linear_call
from .pullbacks import (
    VJP,
    DidntWant,
    DontWant,
    GradRef,
    GradValue,
    NotNeeded,
    NotSaveable,
    fwd_and_bwd,
    vjp,
)
from .recomputation import remat2_p
from .rematerialization import checkpoint, remat
from .saved_residuals import print_saved_residuals
from .stages import ArgInfo, Compiled, CompilerOptions, Lowered, Traced, Wrapped
from .vectorization import vmap

__all__ = [
    "VJP",
    "ArgInfo",
    "CacheInfo",
    "Compiled",
    "CompilerOptions",
    "CustomVJPPrimal",
    "DebugEffect",
    "DidntWant",
    "DontWant",
    "Explanation",
    "GradRef",
    "GradValue",
    "Lowered",
    "NotNeeded",
    "NotSaveable",
    "OrderedDebugEffect",
    "SymbolicZero",
    "Traced",
    "Wrapped",
    "check_grads",
    "check_jvp",
    "check_vjp",
    "checkpoint",
    "checkpoint_name",
    "checkpoint_name_fwd",
    "checkpoint_policies",
    "closure_convert",
    "custom_gradient",
    "custom_jvp",
    "custom_vjp",
    "custom_vjp_primal_tree_values",
    "debug_callback",
    "debug_print",
    "eager_jit",
    "eval_shape",
    "explain",
    "fwd_and_bwd",
    "grad",
    "hessian",
    "io_callback",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jit",
    "jvp",
    "linear_call",
    "linear_transpose",
    "linearize",
    "make_jaxpr",
    "name_p",
    "print_saved_residuals",
    "pure_callback",
    "remat",
    "remat2_p",
    "value_and_grad",
    "vjp",
    "vmap",
    "zero_from_primal",
]
