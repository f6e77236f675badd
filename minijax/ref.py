"""Mutable arrays."""

from .core import AbstractRef, Ref
from .lax import empty_ref, free_ref, freeze, new_ref
from .lax import ref_addupdate as addupdate
from .lax import ref_get as get
from .lax import ref_set as set
from .lax import ref_swap as swap

__all__ = [
    "AbstractRef",
    "Ref",
    "addupdate",
    "empty_ref",
    "free_ref",
    "freeze",
    "get",
    "new_ref",
    "set",
    "swap",
]
