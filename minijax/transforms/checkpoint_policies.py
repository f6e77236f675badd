"""What a checkpoint keeps: policies, and names for values that policies speak of.

A policy is asked once per equation whose operands are known:
`policy(primitive, *avals, **params)`.

Source: spec/ad.md §1.13.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

from .. import tree
from ..base.errors import ArgumentValueError
from ..core import NOT_LINEAR, Primitive
from ..interpreters import batching
from ..interpreters.partial_eval import Offloadable, Recompute, Saveable
from ..lax import define, dot_general_p

name_p = Primitive("name")


def checkpoint_name[T](x: T, name: str) -> T:
    """`x`, an array or a pytree of arrays, under a name that policies can speak of.

    >>> import minijax as mj, minijax.numpy as jnp
    >>> print(checkpoint_name(jnp.float32(2.0), "hidden"))
    2.0
    """
    return tree.map(lambda leaf: name_p.bind(leaf, name=name), x)


checkpoint_name_fwd = checkpoint_name


def _name_jvp(primals: Any, tangents: Any, *, name: str) -> tuple[Any, Any]:
    (x,), (x_dot,) = primals, tangents
    return name_p.bind(x, name=name), x_dot


define(
    name_p,
    abstract_eval=lambda x, *, name: x,
    jvp=_name_jvp,
    transpose=NOT_LINEAR,  # tangents have no name
    batch=batching.elementwise(name_p),
    lower=lambda ctx, x, *, name: [x],
    impl=lambda x, *, name: x,
)


# --- Policies -------------------------------------------------------------------------

Policy = Callable[..., Any]
_PRODUCTS = frozenset(("dot_general", "conv_general_dilated", "scaled_matmul"))


def everything_saveable(*_: Any, **__: Any) -> bool:
    """Keep all: as if there were no checkpoint."""
    return True


def nothing_saveable(*_: Any, **__: Any) -> bool:
    """Keep the arguments only."""
    return False


def dots_saveable(primitive: Any, *_: Any, **__: Any) -> bool:
    """Keep the results of matrix products and convolutions."""
    return primitive.name in _PRODUCTS


def _is_plain_dot(primitive: Any, params: dict[str, Any]) -> bool:
    if primitive is not dot_general_p:
        return False
    _, (left_batch, right_batch) = params["dimension_numbers"]
    return not left_batch and not right_batch


def dots_with_no_batch_dims_saveable(primitive: Any, *_: Any, **params: Any) -> bool:
    """Keep the results of matrix products that are not batched."""
    return _is_plain_dot(primitive, params)


def offload_dot_with_no_batch_dims(offload_src: str, offload_dst: str) -> Policy:
    """Move the results of unbatched matrix products to another memory and back."""

    def policy(primitive: Any, *_: Any, **params: Any) -> Any:
        if _is_plain_dot(primitive, params):
            return Offloadable(src=offload_src, dst=offload_dst)
        return Recompute

    return policy


def save_only_these_names(*names_which_can_be_saved: str) -> Policy:
    """Keep the values given one of these names by `checkpoint_name`."""
    names = frozenset(names_which_can_be_saved)

    def policy(primitive: Any, *_: Any, **params: Any) -> bool:
        return primitive is name_p and params["name"] in names

    return policy


def save_any_names_but_these(*names_not_to_save: str) -> Policy:
    """Keep the values that have a name, except for these names."""
    names = frozenset(names_not_to_save)

    def policy(primitive: Any, *_: Any, **params: Any) -> bool:
        return primitive is name_p and params["name"] not in names

    return policy


def save_anything_except_these_names(*names_not_to_save: str) -> Policy:
    """Keep all values. Names do not matter here: what a named value is made from is
    kept, so keeping it out alone would change nothing."""

    def policy(*_: Any, **__: Any) -> bool:
        return True

    return policy


def save_from_both_policies(policy_1: Policy, policy_2: Policy) -> Policy:
    """Keep what either policy keeps.

    Raises (the policy, when asked):
      ValueError: one of them answers anything but a bool.
    """
    if everything_saveable in (policy_1, policy_2):
        return everything_saveable
    if policy_1 is nothing_saveable:
        return policy_2
    if policy_2 is nothing_saveable:
        return policy_1

    def policy(primitive: Any, *avals: Any, **params: Any) -> bool:
        answers = [one(primitive, *avals, **params) for one in (policy_1, policy_2)]
        if not all(isinstance(answer, bool) for answer in answers):
            raise ArgumentValueError(
                "save_from_both_policies joins policies that answer a bool.",
                f"Found {answers[0]} and {answers[1]}.",
                "Write the joint policy as a function.",
            )
        return any(answers)

    return policy


def save_and_offload_only_these_names(
    *,
    names_which_can_be_saved: Sequence[str],
    names_which_can_be_offloaded: Sequence[str],
    offload_src: str,
    offload_dst: str,
) -> Policy:
    """Keep values of some names, and values of others in another memory.

    Raises:
      ValueError: a name is in both lists.
    """
    saved, moved = map(
        frozenset, (names_which_can_be_saved, names_which_can_be_offloaded)
    )
    if saved & moved:
        raise ArgumentValueError(
            "A value is either kept or moved to another memory.",
            f"Found {sorted(saved & moved)} in both lists: names_which_can_be_saved="
            f"{sorted(saved)}, names_which_can_be_offloaded={sorted(moved)}.",
        )

    def policy(primitive: Any, *_: Any, **params: Any) -> Any:
        if primitive is name_p and params["name"] in saved:
            return Saveable
        if primitive is name_p and params["name"] in moved:
            return Offloadable(src=offload_src, dst=offload_dst)
        return Recompute

    return policy


# The public namespace: each policy under its own name, and two under older names.
_POLICIES = (
    nothing_saveable,
    everything_saveable,
    dots_saveable,
    dots_with_no_batch_dims_saveable,
    save_only_these_names,
    save_any_names_but_these,
    save_anything_except_these_names,
    save_and_offload_only_these_names,
    offload_dot_with_no_batch_dims,
    save_from_both_policies,
)
checkpoint_policies = SimpleNamespace(
    **{policy.__name__: policy for policy in _POLICIES},
    checkpoint_dots=dots_saveable,
    checkpoint_dots_with_no_batch_dims=dots_with_no_batch_dims_saveable,
)
