"""Policies and names for `checkpoint`, as jax.ad_checkpoint has them."""

from .interpreters.partial_eval import Offloadable, Recompute, Saveable
from .transforms import (
    checkpoint,
    checkpoint_name,
    checkpoint_name_fwd,
    checkpoint_policies,
    name_p,
    print_saved_residuals,
    remat,
)

__all__ = [
    "Offloadable",
    "Recompute",
    "Saveable",
    "checkpoint",
    "checkpoint_name",
    "checkpoint_name_fwd",
    "checkpoint_policies",
    "name_p",
    "print_saved_residuals",
    "remat",
]
