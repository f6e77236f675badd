"""Donation: which inputs give their memory to which results.

An input and a result that agree in local shape, dtype and layout share memory
(`tf.aliasing_output`); an input that fits only in size is left to the compiler
(`jax.buffer_donor`); any other is not donated, and the user is told.

Source: spec/lowering.md §4.
"""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..base.errors import ArgumentValueError, DonationWarning
from .types import physical_aval

DONATING_PLATFORMS = frozenset(("cpu", "cuda", "rocm", "tpu", "neuron", "oneapi"))


class Placement(NamedTuple):
    """What is known about where an input or output of `@main` lies.

    sharding: None where the compiler decides. layout: `"auto"`, or axes from minor to
    major as in `"{0,1}"`; None for the default. memory_kind: None for the default.
    """

    sharding: Any = None
    layout: str | None = None
    memory_kind: str | None = None


NOWHERE = Placement()


class Donations(NamedTuple):
    """aliases: input -> output. donors: inputs whose memory the compiler may take.

    Both count inputs and outputs of the jaxpr as `@main` has them, without tokens.
    """

    aliases: dict[int, int]
    donors: frozenset[int]


class _Slot(NamedTuple):
    """An input or output. shape: of the part on one device."""

    position: int
    shape: tuple[int, ...]
    dtype: Any
    size: int
    placement: Placement


def _slots(avals: Sequence[Any], placements: Sequence[Placement]) -> list[_Slot]:
    slots = []
    for position, (aval, placement) in enumerate(zip(avals, placements, strict=True)):
        physical = physical_aval(aval)
        shape = physical.shape
        if placement.sharding is not None:
            shape = (
                *placement.sharding.shard_shape(aval.shape),
                *shape[aval.ndim :],
            )
        size = 1
        for length in shape:
            size *= length
        slots.append(_Slot(position, shape, physical.dtype, size, placement))
    return slots


def match_donations(
    donated: Sequence[bool],
    in_avals: Sequence[Any],
    in_placements: Sequence[Placement],
    out_avals: Sequence[Any],
    out_placements: Sequence[Placement],
    num_partitions: int = 1,
) -> Donations:
    """Find a result for each donated input. Warns about those that have none.

    Raises:
        ValueError: a pair of which one layout is fixed and the other is left open.
    """
    inputs = [s for s in _slots(in_avals, in_placements) if donated[s.position]]
    free = deque(_slots(out_avals, out_placements))
    aliases: dict[int, int] = {}
    donors: set[int] = set()
    unmatched = []
    for given in inputs:
        taken = _take(free, given)
        if taken is None:
            unmatched.append(given)
        elif _may_alias(given, taken, num_partitions):
            aliases[given.position] = taken.position
        else:
            donors.add(given.position)
    open_ended = num_partitions > 1 and any(p.sharding is None for p in out_placements)
    unused = []
    for given in unmatched:
        if _take_of_size(free, given.size) or open_ended:
            donors.add(given.position)
        else:
            unused.append(f"{given.dtype}{list(given.shape)}")
    if unused:
        _warn(unused)
    return Donations(aliases, frozenset(donors))


def _take(free: deque[_Slot], given: _Slot) -> _Slot | None:
    """The first free result of the same local shape, dtype and memory."""
    for slot in free:
        kinds = {given.placement.memory_kind, slot.placement.memory_kind} - {None}
        if slot.shape == given.shape and slot.dtype == given.dtype and len(kinds) < 2:
            free.remove(slot)
            return slot
    return None


def _take_of_size(free: deque[_Slot], size: int) -> bool:
    for slot in free:
        if slot.size == size:
            free.remove(slot)
            return True
    return False


def _may_alias(given: _Slot, taken: _Slot, num_partitions: int) -> bool:
    layouts = given.placement.layout, taken.placement.layout
    if layouts[0] != layouts[1] and "auto" in layouts:
        raise ArgumentValueError(
            "A donated input and the result that takes its memory need one layout.",
            f"Found input {given.position} with layout {layouts[0] or 'default'} and "
            f"result {taken.position} with layout {layouts[1] or 'default'}.",
            "Leave both to the compiler, or fix both.",
        )
    placed = num_partitions == 1 or taken.placement.sharding is not None
    return placed and layouts[0] == layouts[1]


def _warn(unused: Sequence[str]) -> None:
    warnings.warn(
        f"Some donated buffers were not usable: {', '.join(unused)}.\n"
        "No result has their size and type, so their memory cannot be taken over.\n"
        "Do not donate them, or return results of the same types.",
        DonationWarning,
        stacklevel=2,
    )
