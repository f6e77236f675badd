"""Residuals of branches: each branch needs its own, an equation has one list.

Residuals of one type share places: the n-th residual of a type has the same place in
every branch, and a branch that has fewer leaves the rest empty. So the memory is that
of the neediest branch per type, not the sum of all.

Source: spec/control_flow.md §1.4.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from ...base.util import split_list
from ...core import (
    NOT_BATCHABLE,
    NOT_LINEAR,
    Jaxpr,
    JaxprEqn,
    Literal,
    Primitive,
    ShapedArray,
    Space,
    Var,
    broadcast_in_dim_p,
    shaped,
    stage,
)
from ...interpreters import ad
from ...interpreters import partial_eval as pe
from ..define import define
from .rearranging import chosen, kept_with_programs, rearranged

empty2_p = Primitive("empty2")

define(
    empty2_p,
    abstract_eval=lambda *, dtype, memory_space: shaped((), dtype).update(
        memory_space=memory_space
    ),
    jvp=lambda primals, tangents, **params: (
        empty2_p.bind(**params),
        ad.Zero(shaped((), params["dtype"]).to_tangent_aval()),
    ),
    transpose=NOT_LINEAR,
    batch=NOT_BATCHABLE,
    lower=lambda ctx, *, dtype, memory_space: [ctx.zero(ctx.avals_out[0])],
)


class Joined(NamedTuple):
    """Branches cut in two.

    known: branches that return results ++ shared residuals. later: branches on shared
    residuals ++ forwarded operands ++ operands of their own. forwarded: which operands
    the later branches read besides. later_outs: per result, whether the later branches
    return it. num_residuals: how many shared ones.
    """

    known: tuple[Jaxpr, ...]
    later: tuple[Jaxpr, ...]
    forwarded: tuple[int, ...]
    later_outs: tuple[bool, ...]
    num_residuals: int
