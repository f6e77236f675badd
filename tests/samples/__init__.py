"""Example calls of every primitive: the question that tests ask of each.

A family module holds `SAMPLES`, a tuple of `Sample`s; this face collects them all. The
laws (`tests/laws/`) hold for every one. No module here imports a library: calls take
the namespace `J`.
"""

from tests.samples import (
    arithmetic,
    collectives,
    contractions,
    control_flow,
    conversions,
    elementwise,
    indexing,
    random_bits,
    reductions,
    shapes,
    special,
    wrapped,
)
from tests.samples.declaring import Sample

FAMILIES = (
    elementwise,
    arithmetic,
    special,
    conversions,
    shapes,
    indexing,
    reductions,
    contractions,
    random_bits,
    control_flow,
    collectives,
    wrapped,
)


def _collect() -> dict[str, Sample]:
    found: dict[str, Sample] = {}
    for family in FAMILIES:
        for sample in family.SAMPLES:
            assert sample.name not in found, f"two samples are called {sample.name}"
            found[sample.name] = sample
    return found


# Every sample by its name: the primitive's, with what is special about the call.
SAMPLES = _collect()

# The names of those that have something to differentiate.
DIFFERENTIABLE = tuple(name for name, s in SAMPLES.items() if s.differentiable)
EVERY = tuple(SAMPLES)

__all__ = ["DIFFERENTIABLE", "EVERY", "SAMPLES", "Sample"]
