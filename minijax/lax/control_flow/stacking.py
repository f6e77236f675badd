"""Rows of results, made in Python, as one array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...base.dtypes import lattice_result_type
from ...core import typeof
from ..conversions import convert
from ..joining import concatenate
from ..shapes import expand_dims


def stacked_leaves(rows: Sequence[Any]) -> Any:
    """Values of one shape along a new first axis, in the dtype that holds them all."""
    dtype, weak = lattice_result_type(*rows)
    kinds = {typeof(row).dtype for row in rows}
    if len(kinds) > 1:
        rows = [convert(row, dtype, weak) for row in rows]
    return concatenate([expand_dims(row, (0,)) for row in rows], 0)
