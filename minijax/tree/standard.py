"""The standard library's types that are nodes without being built into the registry.

`OrderedDict` and `defaultdict`, and `functools.partial` in the form of `Partial`. They
are registered as a user would, so the file serves as an example, too.
"""

import collections
import functools
from collections.abc import Callable
from typing import Any, Self

from jaxlib._jax.pytree import DictKey

from .nodes import register_pytree_node, register_pytree_with_keys


class _Whole:
    """A callable `functools.partial` does not look into; equal to what it holds."""

    __slots__ = ("func",)

    def __init__(self, func: Callable[..., Any]) -> None:
        self.func = func

    def __call__(self, *operands: Any, **keywords: Any) -> Any:
        return self.func(*operands, **keywords)

    def __eq__(self, other: object) -> bool:
        return self.func == (other.func if isinstance(other, _Whole) else other)

    def __hash__(self) -> int:
        return hash(self.func)

    def __repr__(self) -> str:
        return repr(self.func)


class Partial(functools.partial):
    """`functools.partial` as a node: the arguments are children, `func` is structure.

    So a function with arrays inside can be an argument or a result of a transformed
    function. A partial given as `func` is kept whole: its arguments are no children.

    >>> import operator
    >>> from minijax import tree
    >>> add_one = tree.Partial(operator.add, 1)
    >>> add_one(2), tree.leaves(add_one)
    (3, [1])
    """

    __module__ = "minijax.tree_util"

    def __new__(cls, func: Callable[..., Any], *args: Any, **kw: Any) -> Self:
        if isinstance(func, functools.partial):
            func = _Whole(func)
        return super().__new__(cls, func, *args, **kw)


def _rebuild_defaultdict(
    metadata: tuple[Any, tuple[Any, ...]], children: tuple[Any, ...]
) -> collections.defaultdict:
    factory, keys = metadata
    return collections.defaultdict(factory, zip(keys, children))


register_pytree_with_keys(
    collections.OrderedDict,
    lambda d: ([(DictKey(k), v) for k, v in d.items()], tuple(d)),
    lambda keys, children: collections.OrderedDict(zip(keys, children)),
    lambda d: (list(d.values()), tuple(d)),
)
register_pytree_with_keys(
    collections.defaultdict,
    lambda d: (
        [(DictKey(k), d[k]) for k in sorted(d)],
        (d.default_factory, tuple(sorted(d))),
    ),
    _rebuild_defaultdict,
)
register_pytree_node(
    Partial,
    lambda p: ((p.args, p.keywords), p.func),
    lambda func, children: Partial(func, *children[0], **children[1]),
)
