"""jax's ways to give a primitive its derivative, for primitives made outside minijax.

They write the same tables as `define`, and may be used at any time; a later answer
replaces an earlier one.

Source: spec/ad.md §2.6.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core import Primitive
from .combinators import (
    bilinear,
    bilinear_transpose,
    linear,
    partials,
    partials_with_result,
    zero_jvp,
)
from .jvp import jvp_rules
from .transpose import transpose_rules

Rule = Callable[..., Any]

primitive_jvps = jvp_rules
primitive_transposes = transpose_rules


def deflinear(primitive: Primitive, transpose: Rule) -> None:
    """Linear in all operands; `transpose(y_bar, **params)` gives all cotangents."""
    jvp_rules[primitive] = linear(primitive)
    transpose_rules[primitive] = lambda y_bar, *_, **params: transpose(y_bar, **params)


def deflinear2(primitive: Primitive, transpose: Rule) -> None:
    """Linear in all operands; `transpose(y_bar, *operands, **params)`."""
    jvp_rules[primitive] = linear(primitive)
    transpose_rules[primitive] = transpose


def defjvp(primitive: Primitive, *rules: Rule | None) -> None:
    """One `rule(x_dot, *primals, **params)` or None per operand."""
    jvp_rules[primitive] = partials(primitive, *rules)


def defjvp2(primitive: Primitive, *rules: Rule | None) -> None:
    """One `rule(x_dot, out, *primals, **params)` or None per operand."""
    jvp_rules[primitive] = partials_with_result(primitive, *rules)


def defbilinear(primitive: Primitive, lhs_rule: Rule, rhs_rule: Rule) -> None:
    """Linear in each of two operands; rules as for `bilinear_transpose`."""
    jvp_rules[primitive] = bilinear(primitive)
    transpose_rules[primitive] = bilinear_transpose(lhs_rule, rhs_rule)


def defjvp_zero(primitive: Primitive) -> None:
    """The result moves with nothing."""
    jvp_rules[primitive] = zero_jvp(primitive)


def get_primitive_transpose(primitive: Primitive) -> Rule:
    """The transpose rule. Raises: NotImplementedError, naming the primitive."""
    return transpose_rules[primitive]
