"""Choosing elements by conditions.

Source: spec/numpy.md §8.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lax
from ..base import dtypes
from ..base.errors import ArgumentValueError
from ..core import typeof
from ..transforms import eager_jit
from .arithmetic import joint_shape, stretch
from .promotion import JOIN, check_arrays, constant_like, several, two

if TYPE_CHECKING:
    from ..runtime import Array
    from .promotion import ArrayLike


@eager_jit
def where(condition: ArrayLike, x: ArrayLike, y: ArrayLike, /) -> Array:
    """`x` where the condition is not zero, else `y`; all three broadcast.

    >>> import minijax.numpy as jnp
    >>> print(jnp.where(jnp.arange(3) > 1, 7, 0))
    [0 0 7]
    """
    x, y, _ = two("where", JOIN, x, y)
    if typeof(condition).dtype is not dtypes.BOOL:
        condition = lax.ne(condition, constant_like(condition, 0))
    shape = joint_shape(condition, x, y)
    if typeof(condition).shape:
        condition = stretch(condition, shape)
    return lax.select_n(condition, stretch(y, shape), stretch(x, shape))


def select(
    condlist: Sequence[ArrayLike],
    choicelist: Sequence[ArrayLike],
    default: ArrayLike = 0,
) -> Array:
    """For each element the choice of its first condition that holds, or the default.

    >>> import minijax.numpy as jnp
    >>> x = jnp.arange(4)
    >>> print(jnp.select([x < 1, x < 3], [x, -x], 9))
    [ 0 -1 -2  9]

    Raises:
      ValueError: no conditions, or not as many choices.
    """
    if len(condlist) != len(choicelist) or not len(condlist):
        raise ArgumentValueError(
            "select takes one choice per condition, and at least one.",
            f"Found {len(condlist)} conditions and {len(choicelist)} choices.",
        )
    return _select(tuple(condlist), tuple(choicelist), default)


@eager_jit
def _select(conditions: Sequence[Any], choices: Sequence[Any], default: Any) -> Array:
    check_arrays("select", *conditions, *choices, default)
    cases, _ = several("select", JOIN, default, *choices)
    masks = [
        c if typeof(c).dtype == dtypes.BOOL else lax.ne(c, constant_like(c, 0))
        for c in conditions
    ]
    shape = joint_shape(*masks, *cases)
    # The first true condition is the first maximum below an entry that is never true.
    masks = [stretch(np.bool_(False), shape), *[stretch(m, shape) for m in masks]]
    chosen = lax.argmax(lax.stack(masks, 0), 0, np.int32)
    return lax.select_n(chosen, *[stretch(x, shape) for x in cases])
