"""Captured arrays: what a program closes over, given to the executable as arguments.

An array written into a module is copied into it, into its key, and into the compiler's
hands, and makes a program of its own; as an argument it is none of that. So the large
ones become leading arguments, which C++ supplies by itself at each call. Small ones
stay where the compiler sees their values.

Source: spec/jaxlib.md §§0, 5.3.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..base.util import memoize_weakly
from ..core import Jaxpr
from ..sharding import Sharding
from .arrays import Array, ArrayImpl, check_deleted
from .transfers import put

# Bytes from which an array becomes an argument.
LARGE = 4096


class Opened(NamedTuple):
    """A program whose first inputs are `captured`."""

    jaxpr: Jaxpr
    captured: tuple[Any, ...]


def _is_large(x: Any) -> bool:
    if type(x) is ArrayImpl:
        return x.aval.size * x.aval.dtype.itemsize >= LARGE
    return isinstance(x, np.ndarray) and x.nbytes >= LARGE


# Kept while the jaxpr lives; hence the answer must not be the jaxpr itself.
@memoize_weakly(maxsize=8192)
def _open_large(jaxpr: Jaxpr) -> Opened | None:
    large = [_is_large(x) for x in jaxpr.consts]
    if not any(large):
        return None
    pairs = list(zip(jaxpr.constvars, jaxpr.consts, large, strict=True))
    captured = [x for _, x, is_large in pairs if is_large]
    names = jaxpr.debug_info.safe_arg_names(len(jaxpr.invars))
    info = jaxpr.debug_info._replace(arg_names=("",) * len(captured) + names)
    opened = Jaxpr(
        [var for var, _, is_large in pairs if not is_large],
        [*(var for var, _, is_large in pairs if is_large), *jaxpr.invars],
        jaxpr.outvars,
        jaxpr.eqns,
        jaxpr.effects,
        info,
        [x for _, x, is_large in pairs if not is_large],
    )
    return Opened(opened, tuple(captured))


def open_captured(jaxpr: Jaxpr) -> Opened:
    """The program with its large constants as leading inputs; itself if it has none."""
    return _open_large(jaxpr) or Opened(jaxpr, ())


def place_captured(captured: Sequence[Any], sharding: Sharding) -> list[Array]:
    """Captured arrays where the program runs. Raises: RuntimeError for deleted ones."""
    placed = []
    for x in captured:
        if type(x) is ArrayImpl:
            check_deleted(x)
        at_home = type(x) is ArrayImpl and x._sharding is sharding
        placed.append(x if at_home else put(x, sharding))
    return placed
