"""Helpers about functions and trees of arguments, for libraries that extend minijax."""

from .base.util import safe_map
from .core import abstractify as shaped_abstractify
from .core import debug_info
from .transforms import (
    argnums_partial,
    donation_vector,
    flatten_axes,
    flatten_fun,
    flatten_fun_nokwargs,
    rebase_donate_argnums,
)

__all__ = [
    "argnums_partial",
    "debug_info",
    "donation_vector",
    "flatten_axes",
    "flatten_fun",
    "flatten_fun_nokwargs",
    "rebase_donate_argnums",
    "safe_map",
    "shaped_abstractify",
]
