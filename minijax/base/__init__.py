"""The ground floor: errors, options, dtypes, small tools. Imports nothing of ours."""

from .gate import JAXLIB_NEEDED, JAXLIB_VERSION, JaxRuntimeError, jaxlib_core  # isort: skip  (first)
from . import dtypes, errors, flags, util
from .flags import config

__all__ = [
    "JAXLIB_NEEDED",
    "JAXLIB_VERSION",
    "JaxRuntimeError",
    "config",
    "dtypes",
    "errors",
    "flags",
    "jaxlib_core",
    "util",
]
