"""Where equations come from: scopes and lines, for libraries that extend minijax."""

from ..core import SourceInfo
from ..core.source_info import (
    NameStack,
    current,
    current_name_stack,
    extend_name_stack,
    new_name_stack,
    new_source_info,
    reset_name_stack,
    set_name_stack,
    summarize,
    transform_name_stack,
    user_context,
)

__all__ = [
    "NameStack",
    "SourceInfo",
    "current",
    "current_name_stack",
    "extend_name_stack",
    "new_name_stack",
    "new_source_info",
    "reset_name_stack",
    "set_name_stack",
    "summarize",
    "transform_name_stack",
    "user_context",
]
