"""Programs that repeat or choose other programs.

Reading order: `tracing` (from functions to programs), `agreement` (what must fit), then
a construct: `conditionals`, `loops` or `scans`, and beside each the primitive that it
binds: `branching`, `repeating`, `scanning`.
"""

from .branching import cond_p as cond_p
from .branching import platform_index_p as platform_index_p
from .conditional_residuals import empty2_p as empty2_p
from .conditionals import cond as cond
from .conditionals import platform_dependent as platform_dependent
from .conditionals import switch as switch
from .implicit import custom_linear_solve as custom_linear_solve
from .implicit import custom_root as custom_root
from .loops import fori_loop as fori_loop
from .loops import while_loop as while_loop
from .mapping import map as map
from .repeating import while_p as while_p
from .scanning import scan_p as scan_p
from .scans import scan as scan
from .solving import custom_linear_solve_p as custom_linear_solve_p

__all__ = [
    "cond",
    "cond_p",
    "custom_linear_solve",
    "custom_linear_solve_p",
    "custom_root",
    "empty2_p",
    "fori_loop",
    "map",
    "platform_dependent",
    "platform_index_p",
    "scan",
    "scan_p",
    "switch",
    "while_loop",
    "while_p",
]
