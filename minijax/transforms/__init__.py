"""jit, grad, vmap and their like: functions in, functions out."""

from .custom_backward import (
    CustomVJPPrimal,
    custom_gradient,
    custom_vjp,
    custom_vjp_primal_tree_values,
    zero_from_primal,
)
from .custom_forward import custom_jvp
from .custom_functions import SymbolicZero
from .differentiation import (
    grad,
    jvp,
    linear_transpose,
    linearize,
    value_and_grad,
)
from .jacobians import hessian, jacfwd, jacobian, jacrev
from .pullbacks import VJP, NotNeeded, vjp
from .vectorization import vmap

__all__ = [
    "CustomVJPPrimal",
    "NotNeeded",
    "SymbolicZero",
    "VJP",
    "custom_gradient",
    "custom_jvp",
    "custom_vjp",
    "custom_vjp_primal_tree_values",
    "grad",
    "hessian",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "linear_transpose",
    "linearize",
    "value_and_grad",
    "vjp",
    "vmap",
    "zero_from_primal",
]
