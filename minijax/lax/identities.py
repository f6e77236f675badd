"""stop_gradient: the identity, as far as values go.

Source: spec/ad.md §1.12.
"""

from __future__ import annotations

from typing import Any

from .. import tree
from ..base.errors import NotAnArrayError
from ..core import NOT_LINEAR, Primitive, ShapedArray, is_array_type
from ..interpreters import ad, batching
from .definition import define

__all__ = ["stop_gradient", "stop_gradient_p"]

stop_gradient_p = Primitive("stop_gradient")


def stop_gradient[T](x: T) -> T:
    """`x`, an array or a pytree of arrays, of which no derivative is taken.

    >>> import minijax as mj
    >>> print(mj.grad(lambda x: mj.lax.stop_gradient(x) * x)(3.0))
    3.0

    Raises:
      TypeError: a leaf is no array.
    """
    return tree.map(_stop_leaf, x)


def _stop_leaf(x: Any) -> Any:
    if not is_array_type(x):
        raise NotAnArrayError(type(x).__name__, function="stop_gradient")
    return stop_gradient_p.bind(x)


def _stop_gradient_type(x: ShapedArray) -> ShapedArray:
    return x


define(
    stop_gradient_p,
    abstract_eval=_stop_gradient_type,
    jvp=ad.ZERO(stop_gradient_p),
    transpose=NOT_LINEAR,
    batch=batching.elementwise(stop_gradient_p),
    lower=lambda ctx, x: [x],
    impl=lambda x: x,
)
