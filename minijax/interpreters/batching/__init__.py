"""The batching interpreter: what `vmap` asks of every primitive.

Read `axes.py`, `traces.py`, then `combinators.py`, with which rules are declared.
"""

from .axes import (
    UNNAMED,
    Axis,
    BatchAxis,
    Destination,
    align,
    at_front,
    match,
    moveaxis,
    renumber,
    size_of,
    sum_over,
    zero_if_mapped,
)
from .combinators import elementwise, leading, reducer
from .extension import (
    axis_primitive_batchers,
    batch_jaxpr_axes,
    bdim_at_front,
    broadcast,
    defbroadcasting,
    defreducer,
    defvectorized,
    fancy_primitive_batchers,
)
from .jaxprs import batch_jaxpr
from .traces import (
    BatchTrace,
    BatchTracer,
    WithAxis,
    WithTrace,
    batch_rules,
    with_axis,
    with_trace,
)
from .traces import batch_rules as primitive_batchers

__all__ = [
    "UNNAMED",
    "Axis",
    "BatchAxis",
    "BatchTrace",
    "BatchTracer",
    "Destination",
    "WithAxis",
    "WithTrace",
    "align",
    "at_front",
    "axis_primitive_batchers",
    "batch_jaxpr",
    "batch_jaxpr_axes",
    "batch_rules",
    "bdim_at_front",
    "broadcast",
    "defbroadcasting",
    "defreducer",
    "defvectorized",
    "elementwise",
    "fancy_primitive_batchers",
    "leading",
    "match",
    "moveaxis",
    "primitive_batchers",
    "reducer",
    "renumber",
    "size_of",
    "sum_over",
    "with_axis",
    "with_trace",
    "zero_if_mapped",
]
