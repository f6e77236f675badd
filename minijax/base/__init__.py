"""The ground floor: errors, options, dtypes, small tools. Imports nothing of ours."""

from .gate import JAXLIB_NEEDED, JAXLIB_VERSION, VERSION, JaxRuntimeError, jaxlib_core  # isort: skip  (first)
from .collector import collector_paused, take_all_for_old  # isort: skip
from . import dtypes, errors, flags, settings, util
from .flags import config

__all__ = [
    "JAXLIB_NEEDED",
    "JAXLIB_VERSION",
    "VERSION",
    "JaxRuntimeError",
    "collector_paused",
    "config",
    "dtypes",
    "errors",
    "flags",
    "jaxlib_core",
    "settings",
    "take_all_for_old",
    "util",
]
