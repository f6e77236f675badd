"""Watching results for NaN and infinity, while `debug_nans` or `debug_infs` is on.

Source: spec/jit.md §15.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..base import dtypes, flags
from ..base.errors import InvalidFloatError
from .arrays import ArrayImpl, value_of


def watching() -> bool:
    """Whether results are looked at."""
    return bool(flags.debug_nans.value or flags.debug_infs.value)


def check_results(name: str, outs: Iterable[Any]) -> None:
    """Look at the results of a program, if the options ask for it.

    Raises:
        FloatingPointError: one holds NaN (`debug_nans`) or infinity (`debug_infs`).
    """
    if not watching():
        return
    for x in outs:
        kind = invalid_kind(x)
        if kind is not None:
            raise InvalidFloatError(kind, name)


def invalid_kind(x: Any) -> str | None:
    """Which unwanted value an array holds: "nan", "inf", or None."""
    if type(x) is not ArrayImpl or not dtypes.issubdtype(x.dtype, np.inexact):
        return None
    value = value_of(x)
    if flags.debug_nans.value and bool(np.any(np.isnan(value))):
        return "nan"
    if flags.debug_infs.value and bool(np.any(np.isinf(value))):
        return "inf"
    return None
