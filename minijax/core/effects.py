"""Effects: what an equation does besides computing its outputs.

A jaxpr's effects are a frozen set. An effect keeps its equation alive under dead-code
elimination unless its class says that it may be removed.
"""

from __future__ import annotations


class Effect:
    """Something an equation does besides returning values.

    removable: the equation may go when nobody reads its outputs.
    ordered: runs in program order, threaded through a token.
    shardable: an ordered effect that programs on several devices may have.
    lowerable, in_control_flow, in_custom_rules, in_checkpoint: where it may stand.
    in_mapped_control_flow: may happen though the branch is not taken or the loop over,
    which is what `vmap` of them comes to.
    """

    removable = False
    ordered = False
    shardable = False
    lowerable = True
    in_control_flow = True
    in_mapped_control_flow = True
    in_custom_rules = True
    in_checkpoint = True


Effects = frozenset[Effect]
no_effects: Effects = frozenset()


class NamedAxisEffect(Effect):
    """The equation reads the mapped axis `name` (a collective). Field: name."""

    removable = True

    def __init__(self, name: object) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NamedAxisEffect) and self.name == other.name

    def __hash__(self) -> int:
        return hash((NamedAxisEffect, self.name))

    def __repr__(self) -> str:
        return f"NamedAxisEffect(name={self.name!r})"


def removable(effects: Effects) -> bool:
    """Whether an equation with these effects may be dropped when its outputs are."""
    return not effects or all(effect.removable for effect in effects)
