"""Looking on while a program runs: printing and calling Python with its values."""

from .transforms import DebugEffect, OrderedDebugEffect
from .transforms import debug_callback as callback
from .transforms import debug_print as print

__all__ = ["DebugEffect", "OrderedDebugEffect", "callback", "print"]
