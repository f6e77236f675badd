"""The batching interpreter: what `vmap` asks of every primitive."""

from .axes import UNNAMED as UNNAMED
from .axes import Axis as Axis
from .axes import BatchAxis as BatchAxis
from .axes import Destination as Destination
from .axes import align as align
from .axes import at_front as at_front
from .axes import broadcast as broadcast
from .axes import match as match
from .axes import moveaxis as moveaxis
from .axes import renumber as renumber
from .axes import size_of as size_of
from .axes import sum_over as sum_over
from .axes import zero_if_mapped as zero_if_mapped
from .combinators import elementwise as elementwise
from .combinators import leading as leading
from .combinators import reducer as reducer
from .jaxprs import batch_jaxpr as batch_jaxpr
from .traces import BatchTrace as BatchTrace
from .traces import BatchTracer as BatchTracer
from .traces import WithAxis as WithAxis
from .traces import batch_rules as batch_rules
from .traces import with_axis as with_axis
